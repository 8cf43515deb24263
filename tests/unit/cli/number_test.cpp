// SPDX-License-Identifier: MIT OR Apache-2.0
#include "cli/number.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace vyre::cli {
namespace {

std::uint32_t bits(ScalarType type, std::string_view text) {
  const auto number = parse_number_of(type, text);
  EXPECT_TRUE(number) << text;
  std::uint32_t stored = 0;
  if (number) store_number(type, *number, reinterpret_cast<std::byte*>(&stored));
  return stored;
}

std::string fault(ScalarType type, std::string_view text) {
  const auto number = parse_number_of(type, text);
  EXPECT_FALSE(number) << text;
  return number ? "" : number.error().message();
}

TEST(NumberText, Integers) {
  EXPECT_EQ(bits(ScalarType::u32, "4294967295"), 0xffffffffU);
  EXPECT_EQ(bits(ScalarType::u32, "0xFFu"), 0xffU);
  EXPECT_EQ(bits(ScalarType::u32, "7u"), 7U);
  EXPECT_EQ(bits(ScalarType::u32, "+7"), 7U);
  EXPECT_EQ(bits(ScalarType::i32, "-2147483648"), 0x80000000U);
  EXPECT_EQ(bits(ScalarType::i32, "-0x1"), 0xffffffffU);
  EXPECT_EQ(bits(ScalarType::i8, "-128"), 0x80U);
}

TEST(NumberText, IntegersThatDoNotFit) {
  EXPECT_EQ(fault(ScalarType::u32, "4294967296"),
            "`4294967296` does not fit u32, which holds 0 to 4294967295");
  EXPECT_EQ(fault(ScalarType::u32, "-1"), "`-1` does not fit u32, which holds 0 to 4294967295");
  EXPECT_EQ(fault(ScalarType::i8, "128"), "`128` does not fit i8, which holds -128 to 127");
  EXPECT_EQ(fault(ScalarType::u32, "99999999999999999999999"),
            "`99999999999999999999999` does not fit u32, which holds 0 to 4294967295");
}

TEST(NumberText, WhatIsNoInteger) {
  for (const char* text :
       {"", "-", "1.5", "1e3", "abc", "0x", "1i", "--1", "+-1", "++1", "+", "true", "1 "}) {
    EXPECT_EQ(fault(ScalarType::u32, text), "`" + std::string(text) + "` is no value of type u32");
  }
}

TEST(NumberText, FloatsAreRoundedOnce) {
  EXPECT_EQ(bits(ScalarType::f32, "0.1"), 0x3dcccccdU);
  // Just above the middle of 1 and its successor; by way of double it would be the middle.
  EXPECT_EQ(bits(ScalarType::f32, "1.00000005960464477540"), 0x3f800001U);
  EXPECT_EQ(bits(ScalarType::f32, "-0"), 0x80000000U);
  EXPECT_EQ(bits(ScalarType::f32, "1e-45"), 1U);
  EXPECT_EQ(bits(ScalarType::f32, "1e-60"), 0U);
  EXPECT_EQ(bits(ScalarType::f32, "2.5f"), 0x40200000U);
  EXPECT_EQ(bits(ScalarType::f32, "inf"), 0x7f800000U);
  EXPECT_EQ(bits(ScalarType::f32, "-inf"), 0xff800000U);
  EXPECT_EQ(bits(ScalarType::f32, "nan") & 0x7fc00000U, 0x7fc00000U);
  EXPECT_EQ(bits(ScalarType::f16, "65504"), 0x7bffU);
}

TEST(NumberText, FloatsBeyondTheType) {
  EXPECT_EQ(fault(ScalarType::f32, "1e39"),
            "`1e39` is beyond f32, whose largest value is 3.4028235e+38");
  EXPECT_EQ(fault(ScalarType::f16, "65505"), "`65505` is beyond f16, whose largest value is 65504");
}

TEST(NumberText, WhatIsNoFloat) {
  for (const char* text : {"", "x", "1.5x", "1,5", "infinite"}) {
    EXPECT_EQ(fault(ScalarType::f32, text), "`" + std::string(text) + "` is no value of type f32");
  }
}

TEST(NumberText, Booleans) {
  EXPECT_EQ(bits(ScalarType::boolean, "true"), 1U);
  EXPECT_EQ(bits(ScalarType::boolean, "0"), 0U);
  EXPECT_EQ(fault(ScalarType::boolean, "yes"), "`yes` is no value of type bool");
}

TEST(NumberText, TellsListsFromFileNames) {
  for (const char* text : {"1", "-1.5", "+2", "0x1f", "1e-3", ".5", "2.f", "inf", "-nan", "true"}) {
    EXPECT_TRUE(looks_like_number(text)) << text;
  }
  for (const char* text : {"", "-", "data", "data.bin", "1.raw", "./1", "f32", "e5", "info"}) {
    EXPECT_FALSE(looks_like_number(text)) << text;
  }
}

template <typename T>
std::string stored_text(ScalarType type, T value) {
  return to_text(type, load_number(type, reinterpret_cast<const std::byte*>(&value)));
}

TEST(NumberText, PrintsWhatReadsBack) {
  EXPECT_EQ(stored_text(ScalarType::f32, 0.1F), "0.1");
  EXPECT_EQ(stored_text(ScalarType::f32, std::numeric_limits<float>::infinity()), "inf");
  EXPECT_EQ(stored_text(ScalarType::f32, -0.0F), "-0");
  EXPECT_EQ(stored_text(ScalarType::u32, 0xffffffffU), "4294967295");
  EXPECT_EQ(stored_text(ScalarType::i32, std::int32_t{-5}), "-5");
  EXPECT_EQ(stored_text(ScalarType::boolean, 2U), "true");
  EXPECT_EQ(stored_text(ScalarType::half, std::uint16_t{0x3c00}), "1");
  EXPECT_EQ(stored_text(ScalarType::i64, std::numeric_limits<std::int64_t>::min()),
            "-9223372036854775808");
}

}  // namespace
}  // namespace vyre::cli
