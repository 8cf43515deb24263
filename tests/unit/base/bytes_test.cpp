// SPDX-License-Identifier: MIT OR Apache-2.0
#include "base/bytes.h"

#include <gtest/gtest.h>

namespace vyre {
namespace {

TEST(Bytes, ComeBackInOrder) {
  ByteWriter writer;
  writer.put(std::uint32_t{7});
  writer.put(std::string_view("text"));
  writer.put(true);
  const auto bytes = writer.take();
  ByteReader reader(bytes);
  EXPECT_EQ(reader.get<std::uint32_t>(), 7u);
  EXPECT_EQ(reader.get_text(), "text");
  EXPECT_FALSE(reader.done());
  EXPECT_TRUE(reader.get<bool>());
  EXPECT_TRUE(reader.done());
}

TEST(Bytes, ThatAreNotThereReadAsNothing) {
  ByteReader reader({});
  EXPECT_EQ(reader.get<std::uint64_t>(), 0u);
  EXPECT_FALSE(reader.ok());
  EXPECT_EQ(reader.get_text(), "");
  EXPECT_FALSE(reader.done());
}

TEST(Bytes, LengthsBeyondTheEndAreRefused) {
  ByteWriter writer;
  writer.put(~std::uint64_t{0});
  const auto bytes = writer.take();
  ByteReader text(bytes);
  EXPECT_EQ(text.get_text(), "");
  EXPECT_FALSE(text.ok());
  ByteReader count(bytes);
  EXPECT_EQ(count.get_count(4), 0u);
  EXPECT_FALSE(count.ok());
}

}  // namespace
}  // namespace vyre
