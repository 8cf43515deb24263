// SPDX-License-Identifier: MIT OR Apache-2.0
#include "base/file.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include <gtest/gtest.h>
#include <sys/stat.h>

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
