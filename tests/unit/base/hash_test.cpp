// SPDX-License-Identifier: MIT OR Apache-2.0
#include "base/hash.h"

#include <vector>

#include <gtest/gtest.h>

namespace vyre {
namespace {

// The expected digits come from another implementation's binding of XXH3-128.

TEST(HashTest, TextsHaveTheHashOfXxh3) {
  EXPECT_EQ(hash_text("").to_hex(), "99aa06d3014798d86001c324468d497f");
  EXPECT_EQ(hash_text("a").to_hex(), "a96faf705af16834e6c632b61e964e1f");
  EXPECT_EQ(hash_text("hello, world").to_hex(), "11c83d9c1ee368164c0abe17b55db69c");
}

TEST(HashTest, LongInputsTakeTheStripedPath) {
  std::vector<std::byte> bytes(1024);
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<std::byte>(i % 256);
  EXPECT_EQ(hash_bytes(bytes).to_hex(), "83885e853bb6640ca870f92984398d22");
}

TEST(HashTest, HexHasTheHighHalfFirst) {
  const Hash128 hash{.high = 0x0123456789ABCDEFU, .low = 1};
  EXPECT_EQ(hash.to_hex(), "0123456789abcdef0000000000000001");
}

TEST(HashTest, BothHalvesTellHashesApart) {
  EXPECT_NE((Hash128{.high = 1, .low = 2}), (Hash128{.high = 2, .low = 2}));
  EXPECT_NE((Hash128{.high = 1, .low = 2}), (Hash128{.high = 1, .low = 3}));
  EXPECT_EQ(hash_text("a"), hash_bytes(std::vector{std::byte{'a'}}));
}

}  // namespace
}  // namespace vyre
