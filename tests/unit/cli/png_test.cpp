// SPDX-License-Identifier: MIT OR Apache-2.0
#include "cli/png.h"

#include <span>
#include <string>

#include <gtest/gtest.h>

namespace vyre::cli {
namespace {

TEST(Png, AnEmptyPictureIsAnError) {
  const auto file = encode_png({0, 5, 4, {}});
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().message(), "a picture of 0 by 5 pixels is empty");
}

TEST(Png, AHugePictureIsAnErrorBeforeItIsRead) {
  const auto file = encode_png({1ULL << 40, 1, 4, {}});
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().message(),
            "a picture of 1099511627776 by 1 pixels is too large for a .png file");
}

TEST(Png, EndsWithItsLastChunk) {
  const std::byte pixel[4] = {std::byte{1}, std::byte{2}, std::byte{3}, std::byte{255}};
  const auto file = encode_png({1, 1, 4, pixel});
  ASSERT_TRUE(file);
  ASSERT_GT(file->size(), 12U);
  const char* end = reinterpret_cast<const char*>(file->data()) + file->size() - 8;
  EXPECT_EQ(std::string(end, 4), "IEND");
}

TEST(Png, WhatIsNoneSaysWhy) {
  const auto fault = [](std::span<const std::byte> bytes) {
    const auto pixels = decode_png(bytes, "a.png");
    return pixels ? std::string() : pixels.error().message();
  };
  const std::byte pixel[4] = {};
  const auto file = encode_png({1, 1, 4, pixel});
  ASSERT_TRUE(file);
  EXPECT_EQ(fault(*file), "");
  EXPECT_EQ(fault({}), "`a.png` is no .png that can be read: it does not start as one");
  EXPECT_EQ(fault(std::span(*file).first(4)),
            "`a.png` is no .png that can be read: it does not start as one");
  // Inside and after each of its first two chunks.
  for (const std::size_t size : {33U, 45U, 50U}) {
    EXPECT_EQ(fault(std::span(*file).first(size)),
              "`a.png` is no .png that can be read: it is cut short")
        << size;
  }
}

}  // namespace
}  // namespace vyre::cli
