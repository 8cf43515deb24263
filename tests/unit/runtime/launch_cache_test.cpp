// SPDX-License-Identifier: MIT OR Apache-2.0
#include "runtime/launch_cache.h"

#include <vector>

#include <gtest/gtest.h>

namespace vyre {
namespace {

using Words = std::vector<std::uint32_t>;

class Block final : public DriverBlock {
 public:
  explicit Block(std::uint64_t serial) : DriverBlock(16, serial) {}
};

class LaunchCacheTest : public testing::Test {
 protected:
  DriverBlock* find(const Words& words) { return cache_.find(words, upload_); }

  std::vector<Words> uploads_;
  bool fails_ = false;
  UploadConstants upload_ =
      [this](std::span<const std::uint32_t> words) -> Result<std::unique_ptr<DriverBlock>> {
    if (fails_) return Error(ErrorKind::out_of_memory, "out-of-memory", "none left");
    uploads_.emplace_back(words.begin(), words.end());
    return std::unique_ptr<DriverBlock>(new Block(uploads_.size()));
  };
  LaunchCache cache_;
};

TEST_F(LaunchCacheTest, WordsThatComeAgainGetABlock) {
  EXPECT_EQ(find({1, 2, 3}), nullptr);
  DriverBlock* const block = find({1, 2, 3});
  ASSERT_NE(block, nullptr);
  EXPECT_EQ(find({1, 2, 3}), block);
  EXPECT_EQ(uploads_, (std::vector<Words>{{1, 2, 3, 0}}));
}

TEST_F(LaunchCacheTest, OtherWordsHaveOtherBlocks) {
  for (int round = 0; round < 3; ++round)
    for (const Words& words : {Words{1}, Words{2}, Words{1, 0}})
      find(words);
  EXPECT_EQ(uploads_, (std::vector<Words>{{1, 0, 0, 0}, {2, 0, 0, 0}, {1, 0, 0, 0}}));
  EXPECT_NE(find({1}), find({2}));
  EXPECT_NE(find({1}), find({1, 0}));
}

TEST_F(LaunchCacheTest, WordsThatAreAlwaysNewGetNone) {
  for (std::uint32_t i = 0; i < 1000; ++i)
    EXPECT_EQ(find({i}), nullptr);
  EXPECT_TRUE(uploads_.empty());
}

TEST_F(LaunchCacheTest, BlocksAreFewAndStay) {
  std::vector<DriverBlock*> blocks;
  for (std::uint32_t i = 0; i < 100; ++i) {
    find({i});
    if (DriverBlock* const block = find({i})) blocks.push_back(block);
  }
  EXPECT_EQ(blocks.size(), 16u);
  for (std::uint32_t i = 0; i < 16; ++i)
    EXPECT_EQ(find({i}), blocks[i]);
}

TEST_F(LaunchCacheTest, NoMemoryIsNoFault) {
  fails_ = true;
  find({5});
  EXPECT_EQ(find({5}), nullptr);
  fails_ = false;
  EXPECT_NE(find({5}), nullptr);
}

}  // namespace
}  // namespace vyre
