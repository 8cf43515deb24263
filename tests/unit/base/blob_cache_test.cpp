// SPDX-License-Identifier: MIT OR Apache-2.0
#include "base/blob_cache.h"

#include <cstdlib>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/file.h"

namespace vyre {
namespace {

namespace fs = std::filesystem;
using Blob = BlobCache::Blob;

Blob blob_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

class BlobCaches : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = testing::TempDir() + "blobs-" + std::to_string(::getpid()) + "-" + test->name();
    fs::remove_all(folder_);
  }
  void TearDown() override {
    ::chmod(folder_.c_str(), 0700);
    fs::remove_all(folder_);
  }

  /// As another process would find it.
  [[nodiscard]] std::optional<Blob> load_anew(std::string_view key) const {
    return BlobCache(folder_).load(key);
  }
  [[nodiscard]] std::uint64_t folder_bytes() const {
    std::uint64_t sum = 0;
    for (const auto& entry : fs::directory_iterator(folder_))
      sum += entry.file_size();
    return sum;
  }

  std::string folder_;
};

TEST_F(BlobCaches, GiveBackWhatWasStored) {
  BlobCache cache(folder_ + "/made/when/needed");
  EXPECT_EQ(cache.load("key"), std::nullopt);
  cache.store("key", blob_of("value"));
  cache.store("empty", {});
  EXPECT_EQ(cache.load("key"), blob_of("value"));
  BlobCache other(cache.folder());
  EXPECT_EQ(other.load("key"), blob_of("value"));
  EXPECT_EQ(other.load("empty"), Blob());
  EXPECT_EQ(other.load("kez"), std::nullopt);
  EXPECT_EQ(other.stats().file_hits, 2u);
  EXPECT_EQ(other.stats().misses, 1u);
  EXPECT_EQ(other.stats().faults, 0u);
}

TEST_F(BlobCaches, KeepTheLastValue) {
  BlobCache cache(folder_);
  cache.store("key", blob_of("first"));
  cache.store("key", blob_of("second"));
  EXPECT_EQ(cache.load("key"), blob_of("second"));
  EXPECT_EQ(load_anew("key"), blob_of("second"));
}

TEST_F(BlobCaches, AreOfOneUser) {
  BlobCache(folder_).store("key", blob_of("value"));
  struct stat status = {};
  ASSERT_EQ(::stat(folder_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0700U);
}

// ------------------------------------------------------------ files that are not what they were

TEST_F(BlobCaches, MissAFileOfAnyLesserLength) {
  BlobCache cache(folder_);
  cache.store("key", blob_of("the value"));
  const Blob whole = *read_file(cache.path_of("key"));
  for (std::size_t length = 0; length < whole.size(); ++length) {
    ASSERT_TRUE(write_file(cache.path_of("key"), std::span(whole).first(length)));
    EXPECT_EQ(load_anew("key"), std::nullopt) << length;
  }
  ASSERT_TRUE(write_file(cache.path_of("key"), std::span<const std::byte>(whole)));
  EXPECT_EQ(load_anew("key"), blob_of("the value"));
}

TEST_F(BlobCaches, MissAFileWithAnyBitTurned) {
  BlobCache cache(folder_);
  cache.store("key", blob_of("the value"));
  const Blob whole = *read_file(cache.path_of("key"));
  for (std::size_t bit = 0; bit < whole.size() * 8; ++bit) {
    Blob turned = whole;
    turned[bit / 8] ^= static_cast<std::byte>(1U << bit % 8);
    ASSERT_TRUE(write_file(cache.path_of("key"), std::span<const std::byte>(turned)));
    EXPECT_EQ(load_anew("key"), std::nullopt) << bit;
  }
}

TEST_F(BlobCaches, MissAFileOfZerosOrWithMoreAtItsEnd) {
  BlobCache cache(folder_);
  cache.store("key", blob_of("the value"));
  Blob longer = *read_file(cache.path_of("key"));
  const Blob zeros(longer.size());
  longer.push_back(std::byte{0});
  for (const Blob& wrong : {zeros, longer}) {
    ASSERT_TRUE(write_file(cache.path_of("key"), std::span<const std::byte>(wrong)));
    BlobCache reader(folder_);
    EXPECT_EQ(reader.load("key"), std::nullopt);
    EXPECT_EQ(reader.stats().faults, 1u);
  }
}

TEST_F(BlobCaches, MissAFileOfAnotherKey) {
  BlobCache cache(folder_);
  cache.store("one", blob_of("value of one"));
  fs::copy_file(cache.path_of("one"), cache.path_of("two"));
  EXPECT_EQ(load_anew("two"), std::nullopt);
}

TEST_F(BlobCaches, ReplaceAFileThatIsNotRight) {
  BlobCache cache(folder_);
  cache.store("key", blob_of("value"));
  ASSERT_TRUE(write_file(cache.path_of("key"), std::string_view("rubbish")));
  BlobCache other(folder_);
  EXPECT_EQ(other.load("key"), std::nullopt);
  other.store("key", blob_of("value"));
  EXPECT_EQ(load_anew("key"), blob_of("value"));
}

TEST_F(BlobCaches, MissWhatIsNoFile) {
  BlobCache cache(folder_);
  fs::create_directories(cache.path_of("folder"));
  EXPECT_EQ(cache.load("folder"), std::nullopt);
  cache.store("folder", blob_of("value"));
  EXPECT_EQ(load_anew("folder"), std::nullopt);
  cache.store("target", blob_of("value"));
  fs::create_symlink(cache.path_of("target"), cache.path_of("link"));
  EXPECT_EQ(load_anew("link"), std::nullopt);
}

// --------------------------------------------------------------- folders that cannot be written

TEST_F(BlobCaches, WorkWhereTheFolderCannotBe) {
  ASSERT_TRUE(write_file(folder_, std::string_view("a file in its place")));
  BlobCache cache(folder_);
  cache.store("key", blob_of("value"));
  EXPECT_EQ(cache.load("key"), blob_of("value"));  // from memory
  EXPECT_EQ(load_anew("key"), std::nullopt);
  EXPECT_EQ(load_anew("key"), std::nullopt);
}

TEST_F(BlobCaches, WorkInAFolderThatIsReadOnly) {
  BlobCache(folder_).store("old", blob_of("old value"));
  ::chmod(folder_.c_str(), 0500);
  BlobCache cache(folder_);
  cache.store("new", blob_of("new value"));
  EXPECT_EQ(cache.load("new"), blob_of("new value"));
  EXPECT_EQ(cache.load("old"), blob_of("old value"));
}

TEST_F(BlobCaches, WorkWhereTheFolderGoesAway) {
  BlobCache cache(folder_);
  cache.store("key", blob_of("value"));
  fs::remove_all(folder_);
  EXPECT_EQ(load_anew("key"), std::nullopt);
  cache.store("other", blob_of("value"));
  EXPECT_EQ(load_anew("other"), blob_of("value"));
}

TEST_F(BlobCaches, KeepToMemoryWithoutAFolder) {
  BlobCache cache("");
  cache.store("key", blob_of("value"));
  EXPECT_EQ(cache.load("key"), blob_of("value"));
  EXPECT_EQ(cache.stats().memory_hits, 1u);
  EXPECT_EQ(BlobCache("").load("key"), std::nullopt);
}

// ----------------------------------------------------------------------------------------- bounds

TEST_F(BlobCaches, ForgetWhatWasUsedLongestAgoInMemory) {
  BlobCache cache("", {.memory_bytes = 300, .folder_bytes = 0});
  const Blob hundred(99);
  cache.store("a", hundred);
  cache.store("b", hundred);
  cache.store("c", hundred);
  EXPECT_TRUE(cache.load("a"));
  cache.store("d", hundred);
  EXPECT_FALSE(cache.load("b"));
  EXPECT_TRUE(cache.load("a"));
  EXPECT_TRUE(cache.load("c"));
  EXPECT_TRUE(cache.load("d"));
  cache.store("large", Blob(301));
  EXPECT_FALSE(cache.load("large"));
  EXPECT_TRUE(cache.load("d"));
}

TEST_F(BlobCaches, BoundTheFolder) {
  constexpr std::uint64_t kMost = 20000;
  for (int process = 0; process < 3; ++process) {
    BlobCache cache(folder_, {.memory_bytes = 0, .folder_bytes = kMost});
    for (int i = 0; i < 40; ++i) {
      cache.store(std::to_string(process) + "-" + std::to_string(i), Blob(1000));
      ASSERT_LE(folder_bytes(), kMost);
    }
    EXPECT_TRUE(cache.load(std::to_string(process) + "-39"));
  }
  EXPECT_GE(folder_bytes(), kMost / 2);
}

TEST_F(BlobCaches, RemoveTheOldestFilesAndOnlyTheirOwn) {
  BlobCache cache(folder_, {.memory_bytes = 0, .folder_bytes = 5000});
  for (const char* key : {"a", "b", "c", "d"})
    cache.store(key, Blob(1000));
  ASSERT_TRUE(write_file(folder_ + "/mine.txt", std::string_view("not of the cache")));
  const auto now = fs::file_time_type::clock::now();
  fs::last_write_time(cache.path_of("a"), now - std::chrono::hours(1));
  fs::last_write_time(cache.path_of("c"), now - std::chrono::hours(2));
  EXPECT_TRUE(cache.load("c"));  // used now
  cache.store("e", Blob(1000));
  EXPECT_FALSE(fs::exists(cache.path_of("a")));
  EXPECT_TRUE(fs::exists(cache.path_of("c")));
  EXPECT_TRUE(fs::exists(cache.path_of("e")));
  EXPECT_TRUE(fs::exists(folder_ + "/mine.txt"));
}

TEST_F(BlobCaches, RemoveWhatAWriterLeftBehind) {
  BlobCache cache(folder_);
  cache.store("key", blob_of("value"));
  const std::string left = cache.path_of("key") + ".123-0.tmp";
  const std::string fresh = cache.path_of("key") + ".124-0.tmp";
  const Blob whole = *read_file(cache.path_of("key"));
  for (std::size_t length = 0; length <= whole.size(); ++length) {
    for (const std::string& name : {left, fresh})
      ASSERT_TRUE(write_file(name, std::span(whole).first(length)));
    fs::last_write_time(left, fs::file_time_type::clock::now() - std::chrono::hours(2));
    BlobCache(folder_).store("other", blob_of("value"));
    EXPECT_FALSE(fs::exists(left)) << length;
    EXPECT_TRUE(fs::exists(fresh)) << length;
  }
}

// --------------------------------------------------------------------- files that are not its own

constexpr const char* kHex = "0123456789abcdef0123456789abcdef";

/// Names that could be taken for the cache's, and those that it does give.
std::vector<std::string> tempting_names() {
  const std::string hex = kHex;
  const std::string blob = hex + ".blob";
  std::vector<std::string> names = {"photos.blob",
                                    "keys.blob",
                                    "db.blob.tmp",
                                    "db.blob.1-2.tmp",
                                    ".blob",
                                    ".blob.1-2.tmp",
                                    hex,
                                    hex + ".BLOB",
                                    blob + "s",
                                    hex.substr(1) + ".blob",
                                    "a" + blob,
                                    "f" + hex.substr(1) + "g.blob",
                                    blob + ".tmp",
                                    blob + ".1-.tmp",
                                    blob + ".-1.tmp",
                                    blob + ".1.tmp",
                                    blob + ".1-2.tmp~",
                                    blob + ".1-2.3.tmp",
                                    blob + ".one-two.tmp",
                                    "x" + blob + ".1-2.tmp",
                                    "0123456789ABCDEF0123456789ABCDEF.blob"};
  names.push_back(blob);  // ours by name, not by what they hold
  names.push_back(blob + ".123-0.tmp");
  return names;
}

class ForeignFiles : public BlobCaches {
 protected:
  /// Every sweep that the cache makes, in a folder that holds too much.
  void sweep() const {
    BlobCache cache(folder_, {.memory_bytes = 0, .folder_bytes = 3000});
    for (int i = 0; i < 6; ++i)
      cache.store(std::to_string(i), Blob(1000));
  }
  /// Two hours old, so that it is the first to go.
  static void age(const std::string& path) {
    const timespec old[] = {{::time(nullptr) - 7200, 0}, {::time(nullptr) - 7200, 0}};
    ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), old, AT_SYMLINK_NOFOLLOW), 0);
  }
  [[nodiscard]] std::string in_folder(const std::string& name) const {
    return folder_ + "/" + name;
  }
};

TEST_F(ForeignFiles, StayWhateverTheirNames) {
  fs::create_directories(folder_);
  const std::string content(2000, 'x');
  for (const std::string& name : tempting_names()) {
    ASSERT_TRUE(write_file(in_folder(name), content));
    age(in_folder(name));
  }
  sweep();
  for (const std::string& name : tempting_names())
    EXPECT_EQ(*read_text_file(in_folder(name)), content) << name;
}

TEST_F(ForeignFiles, StayIfTheyAreOfOtherKinds) {
  BlobCache source(folder_);
  source.store("source", Blob(2000));
  const std::string elsewhere = folder_ + "-elsewhere";
  fs::rename(source.path_of("source"), elsewhere);  // begins as one of ours
  const std::string names[] = {std::string(kHex) + ".blob", std::string(kHex) + ".blob.1-2.tmp"};
  const auto make_each = [&](auto&& make, auto&& is_there) {
    for (const std::string& name : names) {
      make(in_folder(name));
      age(in_folder(name));
    }
    sweep();
    for (const std::string& name : names) {
      EXPECT_TRUE(is_there(in_folder(name))) << name;
      fs::remove_all(in_folder(name));
    }
  };
  make_each([](const std::string& path) { fs::create_directory(path); },
            [](const std::string& path) { return fs::is_directory(path); });
  make_each([&](const std::string& path) { fs::create_symlink(elsewhere, path); },
            [](const std::string& path) { return fs::is_symlink(path); });
  make_each([](const std::string& path) { fs::create_symlink("/nowhere", path); },
            [](const std::string& path) { return fs::is_symlink(path); });
  make_each([](const std::string& path) { ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0); },
            [](const std::string& path) { return fs::is_fifo(path); });
  EXPECT_TRUE(fs::exists(elsewhere));
  fs::remove(elsewhere);
}

TEST_F(ForeignFiles, DoNotCountAgainstTheLimit) {
  fs::create_directories(folder_);
  ASSERT_TRUE(write_file(in_folder("photos.blob"), std::string(100'000, 'x')));
  BlobCache cache(folder_, {.memory_bytes = 0, .folder_bytes = 3000});
  cache.store("a", Blob(1000));
  cache.store("b", Blob(1000));
  EXPECT_TRUE(load_anew("a"));
  EXPECT_TRUE(load_anew("b"));
}

// --------------------------------------------------------------------------------- many at once

TEST_F(BlobCaches, ServeManyThreads) {
  BlobCache cache(folder_, {.memory_bytes = 2000, .folder_bytes = 20000});
  std::vector<std::thread> threads;
  threads.reserve(8);
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 100; ++i) {
        const std::string key = std::to_string(i % 17);
        cache.store(key, blob_of("value of " + key));
        const auto blob = cache.load(key);
        EXPECT_EQ(blob.value_or(blob_of("value of " + key)), blob_of("value of " + key));
      }
    });
  for (std::thread& thread : threads)
    thread.join();
}

/// What one of many processes does; the status says whether anything wrong was read.
int use(const std::string& folder) {
  for (int round = 0; round < 40; ++round) {
    BlobCache cache(folder, {.memory_bytes = 0, .folder_bytes = 30000});
    for (int i = 0; i < 8; ++i) {
      const std::string key = "key " + std::to_string(i);
      const Blob right(1000 + static_cast<std::size_t>(i) * 100, static_cast<std::byte>(i));
      if (const auto blob = cache.load(key); blob && *blob != right) return 1;
      cache.store(key, right);
      if (cache.stats().faults != 0) return 2;
    }
  }
  return 0;
}

TEST_F(BlobCaches, ServeEightProcessesAtOnce) {
  std::vector<pid_t> children;
  for (int i = 0; i < 8; ++i) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(use(folder_));
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(load_anew("key 7"), Blob(1700, std::byte{7}));
}

// ------------------------------------------------------------------------------------ the folder

TEST(CacheFolder, IsWhatTheEnvironmentSays) {
  ::setenv("HOME", "/home/ada", 1);
  ::unsetenv("XDG_CACHE_HOME");
  ::unsetenv("VYRE_CACHE_DIR");
  EXPECT_EQ(BlobCache::default_folder(), "/home/ada/.cache/vyre");
  ::setenv("XDG_CACHE_HOME", "/cache", 1);
  EXPECT_EQ(BlobCache::default_folder(), "/cache/vyre");
  ::setenv("XDG_CACHE_HOME", "not/absolute", 1);
  EXPECT_EQ(BlobCache::default_folder(), "/home/ada/.cache/vyre");
  ::setenv("VYRE_CACHE_DIR", "here", 1);
  EXPECT_EQ(BlobCache::default_folder(), "here");
  ::setenv("VYRE_CACHE_DIR", "", 1);
  EXPECT_EQ(BlobCache::default_folder(), "");
  ::unsetenv("VYRE_CACHE_DIR");
  ::unsetenv("XDG_CACHE_HOME");
  ::unsetenv("HOME");
  EXPECT_EQ(BlobCache::default_folder(), "");
}

}  // namespace
}  // namespace vyre
