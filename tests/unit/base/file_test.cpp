// SPDX-License-Identifier: MIT OR Apache-2.0
#include "base/file.h"

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

namespace vyre {
namespace {

namespace fs = std::filesystem;

class FileTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "vyre-file-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name) const { return folder_ / name; }
  [[nodiscard]] std::size_t count_files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  fs::path folder_;
};

TEST_F(FileTest, ReadsBackWhatWasWritten) {
  std::string text(200'000, 'x');
  text[7] = '\0';
  ASSERT_TRUE(write_file(path("a"), text));
  EXPECT_EQ(*read_text_file(path("a")), text);
  const auto bytes = read_file(path("a"));
  ASSERT_TRUE(bytes);
  EXPECT_EQ(bytes->size(), text.size());
  EXPECT_EQ((*bytes)[7], std::byte{0});
}

TEST_F(FileTest, EmptyFilesAreEmpty) {
  ASSERT_TRUE(write_file(path("a"), ""));
  EXPECT_EQ(*read_text_file(path("a")), "");
  EXPECT_EQ(fs::file_size(path("a")), 0U);
}

TEST_F(FileTest, NoMoreIsReadThanIsAllowed) {
  ASSERT_TRUE(write_file(path("a"), "12345"));
  EXPECT_EQ(*read_text_file(path("a"), 5), "12345");
  const auto longer = read_text_file(path("a"), 4);
  ASSERT_FALSE(longer);
  EXPECT_EQ(longer.error().code(), "file-too-large");
  EXPECT_NE(longer.error().message().find("more than 4 bytes"), std::string::npos)
      << longer.error().message();
  EXPECT_FALSE(read_file(path("a"), 0));
  ASSERT_TRUE(write_file(path("a"), ""));
  EXPECT_EQ(*read_text_file(path("a"), 0), "");
}

TEST_F(FileTest, WhatNeverEndsIsReadToTheLimit) {
  const auto zeros = read_file("/dev/zero", 1'000'000);
  ASSERT_FALSE(zeros);
  EXPECT_EQ(zeros.error().kind(), ErrorKind::invalid_argument);
  EXPECT_NE(zeros.error().message().find("`/dev/zero` has more than 1000000 bytes"),
            std::string::npos)
      << zeros.error().message();
}

TEST_F(FileTest, ReplacesAtOnceAndLeavesNothingBeside) {
  ASSERT_TRUE(write_file(path("a"), "former and longer"));
  std::ifstream former(path("a"));
  ASSERT_TRUE(write_file(path("a"), "new"));
  EXPECT_EQ(*read_text_file(path("a")), "new");
  std::string seen;
  std::getline(former, seen);
  EXPECT_EQ(seen, "former and longer");
  EXPECT_EQ(count_files(), 1U);
}

TEST_F(FileTest, KeepsThePermissionsOfAReplacedFile) {
  ASSERT_TRUE(write_file(path("a"), "1"));
  ASSERT_EQ(::chmod(path("a").c_str(), 0640), 0);
  ASSERT_TRUE(write_file(path("a"), "2"));
  EXPECT_EQ(fs::status(path("a")).permissions(), static_cast<fs::perms>(0640));
}

TEST_F(FileTest, WritesThroughLinksAndPipes) {
  ASSERT_TRUE(write_file(path("a"), "a longer text"));
  fs::create_symlink("a", path("link"));
  ASSERT_TRUE(write_file(path("link"), "text"));
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(*read_text_file(path("a")), "text");

  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  std::thread writer([&] { EXPECT_TRUE(write_file(path("pipe"), std::string(100'000, 'p'))); });
  const Result<std::string> piped = read_text_file(path("pipe"));
  writer.join();
  ASSERT_TRUE(piped);
  EXPECT_EQ(piped->size(), 100'000U);
}

// ------------------------------------------------------------------------------------- links

/// Every way in which a link may lead to "a".
std::vector<std::string> make_links(const fs::path& folder) {
  fs::create_directory(folder / "d");
  fs::create_symlink("a", folder / "relative");
  fs::create_symlink(folder / "a", folder / "absolute");
  fs::create_symlink("relative", folder / "chain");
  fs::create_symlink("../chain", folder / "d" / "up");
  fs::create_symlink("d", folder / "e");
  return {"relative", "absolute", "chain", "d/up", "e/up"};
}

TEST_F(FileTest, ReplacesAtOnceWhatALinkLeadsTo) {
  for (const std::string& link : make_links(folder_)) {
    ASSERT_TRUE(write_file(path("a"), "former and longer"));
    std::ifstream former(path("a"));
    ASSERT_TRUE(write_file(path(link), "new"));
    EXPECT_TRUE(fs::is_symlink(path(link))) << link;
    EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(path("a")))) << link;
    EXPECT_EQ(*read_text_file(path("a")), "new") << link;
    std::string seen;
    std::getline(former, seen);
    EXPECT_EQ(seen, "former and longer") << link;
  }
}

TEST_F(FileTest, MakesTheFileThatALinkLeadsTo) {
  for (const std::string& link : make_links(folder_)) {
    fs::remove(path("a"));
    ASSERT_TRUE(write_file(path(link), "new"));
    EXPECT_TRUE(fs::is_symlink(path(link))) << link;
    EXPECT_EQ(*read_text_file(path("a")), "new") << link;
  }
}

TEST_F(FileTest, RefusesALinkToItself) {
  fs::create_symlink("b", path("a"));
  fs::create_symlink("a", path("b"));
  EXPECT_FALSE(write_file(path("a"), "text"));
  EXPECT_TRUE(fs::is_symlink(path("a")));
  EXPECT_EQ(count_files(), 2U);
}

TEST_F(FileTest, WritesAnOpenFileInPlace) {
  const int file = ::open(path("a").c_str(), O_RDWR | O_CREAT, 0600);
  const std::string name = "/dev/fd/" + std::to_string(file);
  ASSERT_TRUE(write_file(name, "text"));
  char seen[8] = {};
  EXPECT_EQ(::pread(file, seen, sizeof seen, 0), 4);
  EXPECT_STREQ(seen, "text");
  ::close(file);
  int ends[2] = {};
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_TRUE(write_file("/proc/self/fd/" + std::to_string(ends[1]), "text"));
  EXPECT_EQ(::read(ends[0], seen, sizeof seen), 4);
  ::close(ends[0]);
  ::close(ends[1]);
  EXPECT_EQ(count_files(), 1U);
}

// --------------------------------------------------------------------------------- what is kept

/// As a full disk does it.
class FileLimit {
 public:
  explicit FileLimit(rlim_t bytes) {
    std::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit now = {bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &now);
  }
  FileLimit(const FileLimit&) = delete;
  FileLimit& operator=(const FileLimit&) = delete;
  ~FileLimit() { ::setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_ = {};
};

TEST_F(FileTest, AWriteThatFailsHalfwayKeepsTheFormerContent) {
  std::vector<std::string> names = make_links(folder_);
  names.emplace_back("a");
  ASSERT_TRUE(write_file(path("a"), "former"));
  const auto before = count_files();
  const FileLimit limit(1000);
  for (const std::string& name : names) {
    const auto done = write_file(path(name), std::string(5000, 'x'));
    ASSERT_FALSE(done) << name;
    EXPECT_EQ(done.error().code(), "cannot-write");
    EXPECT_EQ(done.error().message(), "cannot write `" + path(name) + "`: File too large");
    EXPECT_EQ(*read_text_file(path("a")), "former") << name;
    EXPECT_EQ(count_files(), before) << name;
  }
}

TEST_F(FileTest, KeepsAReadOnlyFile) {
  std::vector<std::string> names = make_links(folder_);
  names.emplace_back("a");
  ASSERT_TRUE(write_file(path("a"), "former"));
  ASSERT_EQ(::chmod(path("a").c_str(), 0444), 0);
  for (const std::string& name : names) {
    const auto done = write_file(path(name), "new");
    ASSERT_FALSE(done) << name;
    EXPECT_EQ(done.error().code(), "cannot-open");
    EXPECT_EQ(done.error().message(), "cannot write `" + path(name) + "`: Permission denied");
    EXPECT_FALSE(check_writable(path(name)));
    EXPECT_EQ(*read_text_file(path("a")), "former") << name;
  }
  ASSERT_EQ(::chmod(path("a").c_str(), 0644), 0);
  EXPECT_TRUE(check_writable(path("relative")));
}

TEST_F(FileTest, PathsToOneFileAreEqual) {
  const auto here = [&](const std::string& name) { return identity_of(path(name)); };
  for (const bool exists : {false, true}) {
    for (const std::string& link :
         exists ? std::vector<std::string>{"chain", "d/up", "e/up"} : make_links(folder_)) {
      EXPECT_EQ(here(link), here("a")) << link;
    }
    EXPECT_EQ(here("./a"), here("a"));
    EXPECT_EQ(here("d/../a"), here("a"));
    EXPECT_EQ(here("d//b"), here("e/b"));
    EXPECT_NE(here("a"), here("b"));
    EXPECT_NE(here("a"), here("d/a"));
    ASSERT_TRUE(write_file(path("a"), ""));
  }
  fs::create_hard_link(path("a"), path("twin"));
  EXPECT_NE(here("twin"), here("a"));  // replacing one leaves the other
  EXPECT_FALSE(here("no/where"));
  EXPECT_FALSE(identity_of("/dev/null"));
}

TEST_F(FileTest, AProcessThatEndsRemovesWhatItBegan) {
  ASSERT_TRUE(write_file(path("a"), "former"));
  const pid_t child = ::fork();
  if (child == 0) {
    std::vector<std::thread> writers;
    for (int i = 0; i < 4; ++i)
      writers.emplace_back([&] {
        const std::string text(1 << 20, 'x');
        while (write_file(path("a"), text)) {
        }
      });
    while (count_files() < 3)
      std::this_thread::yield();
    abandon_writes();
    ::_exit(0);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(count_files(), 1U);
}

TEST_F(FileTest, ErrorsNameThePathAndTheReason) {
  const auto missing = read_file(path("missing"));
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind(), ErrorKind::io);
  EXPECT_EQ(missing.error().message(),
            "cannot open `" + path("missing") + "`: No such file or directory");

  const auto directory = read_file(folder_);
  ASSERT_FALSE(directory);
  EXPECT_EQ(directory.error().message(), "cannot read `" + folder_.string() + "`: Is a directory");

  const auto unwritable = write_file(path("no/such/folder"), "x");
  ASSERT_FALSE(unwritable);
  EXPECT_EQ(unwritable.error().code(), "cannot-open");
}

TEST_F(FileTest, AFailedWriteKeepsTheFormerContent) {
  const auto full = write_file("/dev/full", "x");
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().message(), "cannot write `/dev/full`: No space left on device");
  fs::create_directory(path("d"));
  EXPECT_FALSE(write_file(path("d"), "x"));
  EXPECT_EQ(count_files(), 1U);
}

TEST_F(FileTest, ReadsFilesThatDoNotKnowTheirSize) {
  const Result<std::string> status = read_text_file("/proc/self/status");
  ASSERT_TRUE(status);
  EXPECT_TRUE(status->starts_with("Name:"));
}

}  // namespace
}  // namespace vyre
