// SPDX-License-Identifier: MIT OR Apache-2.0
#include "ir/eval.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

namespace vyre {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr std::int32_t kMin = std::numeric_limits<std::int32_t>::min();
constexpr std::int32_t kMax = std::numeric_limits<std::int32_t>::max();

template <typename T>
std::uint64_t pattern(T value) {
  if constexpr (std::is_same_v<T, bool>)
    return value ? 1 : 0;
  else if constexpr (sizeof(T) == 8)
    return std::bit_cast<std::uint64_t>(value);
  else
    return std::bit_cast<std::uint32_t>(value);
}

template <typename T>
T from_pattern(std::uint64_t bits) {
  if constexpr (std::is_same_v<T, bool>) {
    EXPECT_LE(bits, 1u);
    return bits != 0;
  } else if constexpr (sizeof(T) == 8) {
    return std::bit_cast<T>(bits);
  } else {
    EXPECT_EQ(bits >> 32, 0u);
    return std::bit_cast<T>(static_cast<std::uint32_t>(bits));
  }
}

/// `op` with result type R on these operands.
template <typename R, typename... T>
R ev(Op op, T... operands) {
  const std::array<ScalarType, sizeof...(T)> types = {ScalarOf<T>::value...};
  const std::array<std::uint64_t, sizeof...(T)> bits = {pattern(operands)...};
  EXPECT_EQ(result_type(op, types, ScalarOf<R>::value), ScalarOf<R>::value) << to_string(op);
  return from_pattern<R>(eval(op, ScalarOf<R>::value, types, bits));
}

std::uint32_t bits_of(float value) {
  return std::bit_cast<std::uint32_t>(value);
}
float float_of(std::uint32_t bits) {
  return std::bit_cast<float>(bits);
}

/// Equal bits, or both NaN.
void expect_same(float actual, float expected) {
  if (std::isnan(expected))
    EXPECT_TRUE(std::isnan(actual)) << actual;
  else
    EXPECT_EQ(bits_of(actual), bits_of(expected)) << actual << " for " << expected;
}

TEST(EvalTest, IntegersWrap) {
  EXPECT_EQ(ev<std::int32_t>(Op::add, kMax, 1), kMin);
  EXPECT_EQ(ev<std::int32_t>(Op::sub, kMin, 1), kMax);
  EXPECT_EQ(ev<std::int32_t>(Op::mul, 65536, 65536), 0);
  EXPECT_EQ(ev<std::int32_t>(Op::mul, kMin, -1), kMin);
  EXPECT_EQ(ev<std::int32_t>(Op::neg, kMin), kMin);
  EXPECT_EQ(ev<std::int32_t>(Op::abs, kMin), kMin);
  EXPECT_EQ(ev<std::int32_t>(Op::abs, -5), 5);
  EXPECT_EQ(ev<std::uint32_t>(Op::add, 0xffffffffu, 2u), 1u);
  EXPECT_EQ(ev<std::uint32_t>(Op::sub, 0u, 1u), 0xffffffffu);
  EXPECT_EQ(ev<std::uint32_t>(Op::neg, 1u), 0xffffffffu);
  EXPECT_EQ(ev<std::uint64_t>(Op::add, ~std::uint64_t{0}, std::uint64_t{2}), 1u);
  EXPECT_EQ(ev<std::int64_t>(Op::mul, std::int64_t{1} << 40, std::int64_t{3}),
            std::int64_t{3} << 40);
}

struct Division {
  std::int32_t x, y, quotient, remainder;
};

TEST(EvalTest, SignedDivisionTable) {
  const std::vector<Division> table = {
      {kMin, kMin, 1, 0},    {kMin, -1, kMin, 0},  {kMin, 0, kMin, 0}, {kMin, 1, kMin, 0},
      {kMin, kMax, -1, -1},  {-1, kMin, 0, -1},    {-1, -1, 1, 0},     {-1, 0, -1, 0},
      {-1, 1, -1, 0},        {-1, kMax, 0, -1},    {0, kMin, 0, 0},    {0, -1, 0, 0},
      {0, 0, 0, 0},          {1, kMin, 0, 1},      {1, 0, 1, 0},       {1, -1, -1, 0},
      {kMax, kMin, 0, kMax}, {kMax, -1, -kMax, 0}, {kMax, 0, kMax, 0}, {kMax, kMax, 1, 0},
      {-7, 3, -2, -1},       {7, -3, -2, 1},       {-7, -3, 2, -1}};
  for (const Division& d : table) {
    EXPECT_EQ(ev<std::int32_t>(Op::div, d.x, d.y), d.quotient) << d.x << " / " << d.y;
    EXPECT_EQ(ev<std::int32_t>(Op::rem, d.x, d.y), d.remainder) << d.x << " % " << d.y;
  }
}

TEST(EvalTest, UnsignedAndWideDivision) {
  EXPECT_EQ(ev<std::uint32_t>(Op::div, 7u, 0u), 7u);
  EXPECT_EQ(ev<std::uint32_t>(Op::rem, 7u, 0u), 0u);
  EXPECT_EQ(ev<std::uint32_t>(Op::div, 0xffffffffu, 2u), 0x7fffffffu);
  EXPECT_EQ(ev<std::uint32_t>(Op::rem, 0xffffffffu, 10u), 5u);
  constexpr auto kMin64 = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(ev<std::int64_t>(Op::div, kMin64, std::int64_t{-1}), kMin64);
  EXPECT_EQ(ev<std::int64_t>(Op::rem, kMin64, std::int64_t{-1}), 0);
  EXPECT_EQ(ev<std::int64_t>(Op::div, std::int64_t{-9}, std::int64_t{0}), -9);
}

TEST(EvalTest, ShiftsTakeTheCountModuloTheWidth) {
  EXPECT_EQ(ev<std::uint32_t>(Op::shl, 3u, 31u), 0x80000000u);
  EXPECT_EQ(ev<std::uint32_t>(Op::shl, 3u, 33u), 6u);
  EXPECT_EQ(ev<std::uint32_t>(Op::shr, 0x80000000u, 32u), 0x80000000u);
  EXPECT_EQ(ev<std::int32_t>(Op::shr, -8, 1u), -4);
  EXPECT_EQ(ev<std::int32_t>(Op::shr, kMin, 63u), -1);
  EXPECT_EQ(ev<std::uint32_t>(Op::rotl, 0x80000001u, 1u), 3u);
  EXPECT_EQ(ev<std::uint32_t>(Op::rotl, 0x12345678u, 32u), 0x12345678u);
  EXPECT_EQ(ev<std::uint32_t>(Op::rotr, 3u, 1u), 0x80000001u);
  EXPECT_EQ(ev<std::uint32_t>(Op::rotr, 3u, 0u), 3u);
  EXPECT_EQ(ev<std::int32_t>(Op::rotl, kMin, 1u), 1);
  EXPECT_EQ(ev<std::uint64_t>(Op::shl, std::uint64_t{1}, 65u), 2u);
  EXPECT_EQ(ev<std::uint64_t>(Op::rotl, std::uint64_t{1} << 63, 1u), 1u);
}

TEST(EvalTest, CountsOfBits) {
  EXPECT_EQ(ev<std::uint32_t>(Op::clz, 0u), 32u);
  EXPECT_EQ(ev<std::uint32_t>(Op::clz, 1u), 31u);
  EXPECT_EQ(ev<std::int32_t>(Op::clz, -1), 0);
  EXPECT_EQ(ev<std::uint32_t>(Op::ctz, 0u), 32u);
  EXPECT_EQ(ev<std::uint32_t>(Op::ctz, 0x80000000u), 31u);
  EXPECT_EQ(ev<std::uint32_t>(Op::popcount, 0xffffffffu), 32u);
  EXPECT_EQ(ev<std::int32_t>(Op::popcount, kMin), 1);
  EXPECT_EQ(ev<std::uint32_t>(Op::reverse_bits, 0x00000005u), 0xa0000000u);
  EXPECT_EQ(ev<std::uint64_t>(Op::reverse_bits, std::uint64_t{5}), 0xa000000000000000u);
  EXPECT_EQ(ev<std::uint64_t>(Op::clz, std::uint64_t{1}), 63u);
  EXPECT_EQ(ev<std::uint64_t>(Op::ctz, std::uint64_t{0}), 64u);
  EXPECT_EQ(ev<std::uint64_t>(Op::popcount, ~std::uint64_t{0}), 64u);
  EXPECT_EQ(ev<std::uint32_t>(Op::bit_not, 0x0f0f0f0fu), 0xf0f0f0f0u);
  EXPECT_EQ(ev<std::int32_t>(Op::bit_xor, -1, 5), -6);
}

TEST(EvalTest, CountsOfBitsAgreeWithTheStandardLibrary) {
  std::mt19937 random(7);
  for (int i = 0; i < 20000; ++i) {
    const std::uint32_t x = static_cast<std::uint32_t>(random()) >> (random() % 32);
    EXPECT_EQ(ev<std::uint32_t>(Op::clz, x), static_cast<std::uint32_t>(std::countl_zero(x)));
    EXPECT_EQ(ev<std::uint32_t>(Op::ctz, x), static_cast<std::uint32_t>(std::countr_zero(x)));
    EXPECT_EQ(ev<std::uint32_t>(Op::popcount, x), static_cast<std::uint32_t>(std::popcount(x)));
  }
}

TEST(EvalTest, PositionsOfBits) {
  EXPECT_EQ(ev<std::uint32_t>(Op::first_leading_bit, 0u), 0xffffffffu);
  EXPECT_EQ(ev<std::uint32_t>(Op::first_leading_bit, 0x80000000u), 31u);
  EXPECT_EQ(ev<std::uint32_t>(Op::first_leading_bit, 5u), 2u);
  EXPECT_EQ(ev<std::int32_t>(Op::first_leading_bit, 0), -1);
  EXPECT_EQ(ev<std::int32_t>(Op::first_leading_bit, -1), -1);
  EXPECT_EQ(ev<std::int32_t>(Op::first_leading_bit, -2), 0);
  EXPECT_EQ(ev<std::int32_t>(Op::first_leading_bit, kMin), 30);
  EXPECT_EQ(ev<std::uint32_t>(Op::first_trailing_bit, 0u), 0xffffffffu);
  EXPECT_EQ(ev<std::int32_t>(Op::first_trailing_bit, 0), -1);
  EXPECT_EQ(ev<std::uint32_t>(Op::first_trailing_bit, 0x50u), 4u);
}

TEST(EvalTest, ExtractedBits) {
  EXPECT_EQ(ev<std::uint32_t>(Op::extract_bits, 0xabcd1234u, 8u, 8u), 0x12u);
  EXPECT_EQ(ev<std::uint32_t>(Op::extract_bits, 0xabcd1234u, 0u, 32u), 0xabcd1234u);
  EXPECT_EQ(ev<std::uint32_t>(Op::extract_bits, 0xabcd1234u, 24u, 20u), 0xabu);
  EXPECT_EQ(ev<std::uint32_t>(Op::extract_bits, 0xabcd1234u, 40u, 4u), 0u);
  EXPECT_EQ(ev<std::uint32_t>(Op::extract_bits, 0xabcd1234u, 4u, 0u), 0u);
  EXPECT_EQ(ev<std::uint32_t>(Op::extract_bits, 0xabcd1234u, 0u, 0xffffffffu), 0xabcd1234u);
  EXPECT_EQ(ev<std::int32_t>(Op::extract_bits, 0xf0, 4u, 4u), -1);
  EXPECT_EQ(ev<std::int32_t>(Op::extract_bits, 0x70, 4u, 4u), 7);
  EXPECT_EQ(ev<std::int32_t>(Op::extract_bits, -1, 31u, 9u), -1);
}

TEST(EvalTest, UpperHalfOfProducts) {
  EXPECT_EQ(ev<std::uint32_t>(Op::mul_high, 0xffffffffu, 0xffffffffu), 0xfffffffeu);
  EXPECT_EQ(ev<std::uint32_t>(Op::mul_high, 0x10000u, 0x10000u), 1u);
  EXPECT_EQ(ev<std::int32_t>(Op::mul_high, -1, 1), -1);
  EXPECT_EQ(ev<std::int32_t>(Op::mul_high, kMin, kMin), 0x40000000);
}

TEST(EvalTest, SignsMinimaAndMaximaOfIntegers) {
  EXPECT_EQ(ev<std::int32_t>(Op::sign, kMin), -1);
  EXPECT_EQ(ev<std::int32_t>(Op::sign, 0), 0);
  EXPECT_EQ(ev<std::uint32_t>(Op::sign, 0x80000000u), 1u);
  EXPECT_EQ(ev<std::int32_t>(Op::min, -1, 1), -1);
  EXPECT_EQ(ev<std::uint32_t>(Op::min, 0xffffffffu, 1u), 1u);
  EXPECT_EQ(ev<std::int32_t>(Op::clamp, 5, 0, 3), 3);
  EXPECT_EQ(ev<std::int32_t>(Op::clamp, 5, 7, 3), 3);
}

TEST(EvalTest, Logic) {
  EXPECT_TRUE(ev<bool>(Op::logical_and, true, true));
  EXPECT_FALSE(ev<bool>(Op::logical_and, true, false));
  EXPECT_TRUE(ev<bool>(Op::logical_or, false, true));
  EXPECT_FALSE(ev<bool>(Op::logical_not, true));
  EXPECT_TRUE(ev<bool>(Op::eq, false, false));
  EXPECT_TRUE(ev<bool>(Op::ne, true, false));
  EXPECT_TRUE(ev<bool>(Op::lt, -1, 1));
  EXPECT_FALSE(ev<bool>(Op::lt, 0xffffffffu, 1u));
  EXPECT_EQ(ev<std::uint32_t>(Op::select, true, 1u, 2u), 1u);
  EXPECT_EQ(ev<float>(Op::select, false, 1.0f, 2.0f), 2.0f);
  EXPECT_FALSE(ev<bool>(Op::select, true, false, true));
}

TEST(EvalTest, ComparisonsWithNan) {
  for (const Op op : {Op::eq, Op::lt, Op::le, Op::gt, Op::ge}) {
    EXPECT_FALSE(ev<bool>(op, kNan, 1.0f)) << to_string(op);
    EXPECT_FALSE(ev<bool>(op, 1.0f, kNan)) << to_string(op);
    EXPECT_FALSE(ev<bool>(op, kNan, kNan)) << to_string(op);
  }
  EXPECT_TRUE(ev<bool>(Op::ne, kNan, kNan));
  EXPECT_TRUE(ev<bool>(Op::eq, -0.0f, 0.0f));
}

TEST(EvalTest, MinimaAndMaximaOfFloats) {
  expect_same(ev<float>(Op::min, kNan, 1.0f), 1.0f);
  expect_same(ev<float>(Op::min, 1.0f, kNan), 1.0f);
  expect_same(ev<float>(Op::max, kNan, -kInf), -kInf);
  expect_same(ev<float>(Op::max, -kInf, kNan), -kInf);
  expect_same(ev<float>(Op::min, kNan, kNan), kNan);
  expect_same(ev<float>(Op::min, -0.0f, 0.0f), -0.0f);
  expect_same(ev<float>(Op::min, 0.0f, -0.0f), -0.0f);
  expect_same(ev<float>(Op::max, -0.0f, 0.0f), 0.0f);
  expect_same(ev<float>(Op::max, 0.0f, -0.0f), 0.0f);
  expect_same(ev<float>(Op::max, -0.0f, -0.0f), -0.0f);
  expect_same(ev<float>(Op::clamp, kNan, 2.0f, 3.0f), 2.0f);
  expect_same(ev<float>(Op::saturate, -3.0f), 0.0f);
  expect_same(ev<float>(Op::saturate, kNan), 0.0f);
  expect_same(ev<float>(Op::saturate, 0.25f), 0.25f);
}

TEST(EvalTest, FloatArithmeticIsIeee) {
  expect_same(ev<float>(Op::add, 0x1p24f, 1.0f), 0x1p24f);
  expect_same(ev<float>(Op::add, 0x1p24f, 3.0f), 0x1.000004p24f);
  expect_same(ev<float>(Op::mul, float_of(1), 1.0f), float_of(1));
  expect_same(ev<float>(Op::add, float_of(0x007fffff), 0.0f), float_of(0x007fffff));
  expect_same(ev<float>(Op::sub, 0.0f, 0.0f), 0.0f);
  expect_same(ev<float>(Op::neg, 0.0f), -0.0f);
  expect_same(ev<float>(Op::abs, -0.0f), 0.0f);
  expect_same(ev<float>(Op::div, 1.0f, -0.0f), -kInf);
  expect_same(ev<float>(Op::div, 0.0f, 0.0f), kNan);
  expect_same(ev<float>(Op::div, 1.0f, 3.0f), 0x1.555556p-2f);
  expect_same(ev<float>(Op::sign, -0.0f), 0.0f);
  expect_same(ev<float>(Op::sign, -2.5f), -1.0f);
  expect_same(ev<float>(Op::sqrt, 2.0f), 0x1.6a09e6p0f);
  expect_same(ev<float>(Op::sqrt, -1.0f), kNan);
  expect_same(ev<float>(Op::inverse_sqrt, 4.0f), 0.5f);
  expect_same(ev<float>(Op::inverse_sqrt, 0.0f), kInf);
}

TEST(EvalTest, FloatRemainderFollowsItsFormula) {
  expect_same(ev<float>(Op::rem, 7.5f, 2.0f), 1.5f);
  expect_same(ev<float>(Op::rem, -7.5f, 2.0f), -1.5f);
  expect_same(ev<float>(Op::rem, 1.0f, 0.0f), kNan);
  // 1e10 / 3 rounds to 3333333248, times 3 rounds to 1e10: the exact remainder would be 1.
  expect_same(ev<float>(Op::rem, 1e10f, 3.0f), 0.0f);
}

TEST(EvalTest, RoundingToIntegralValues) {
  struct Row {
    float x, floor, ceil, trunc, round;
  };
  const std::vector<Row> rows = {{0.5f, 0.0f, 1.0f, 0.0f, 0.0f},
                                 {-0.5f, -1.0f, -0.0f, -0.0f, -0.0f},
                                 {1.5f, 1.0f, 2.0f, 1.0f, 2.0f},
                                 {2.5f, 2.0f, 3.0f, 2.0f, 2.0f},
                                 {-1.5f, -2.0f, -1.0f, -1.0f, -2.0f},
                                 {-2.5f, -3.0f, -2.0f, -2.0f, -2.0f},
                                 {0.0f, 0.0f, 0.0f, 0.0f, 0.0f},
                                 {-0.0f, -0.0f, -0.0f, -0.0f, -0.0f},
                                 {8388607.5f, 8388607.0f, 8388608.0f, 8388607.0f, 8388608.0f},
                                 {1e30f, 1e30f, 1e30f, 1e30f, 1e30f},
                                 {-kInf, -kInf, -kInf, -kInf, -kInf},
                                 {kNan, kNan, kNan, kNan, kNan},
                                 {3.0f, 3.0f, 3.0f, 3.0f, 3.0f},
                                 {float_of(1), 0.0f, 1.0f, 0.0f, 0.0f}};
  for (const Row& row : rows) {
    expect_same(ev<float>(Op::floor, row.x), row.floor);
    expect_same(ev<float>(Op::ceil, row.x), row.ceil);
    expect_same(ev<float>(Op::trunc, row.x), row.trunc);
    expect_same(ev<float>(Op::round, row.x), row.round);
  }
  expect_same(ev<float>(Op::fract, -0.25f), 0.75f);
  expect_same(ev<float>(Op::fract, kInf), kNan);
}

TEST(EvalTest, RoundingAgreesWithTheStandardLibrary) {
  std::mt19937 random(11);
  for (int i = 0; i < 50000; ++i) {
    const float x = float_of(static_cast<std::uint32_t>(random()));
    expect_same(ev<float>(Op::floor, x), std::floor(x));
    expect_same(ev<float>(Op::ceil, x), std::ceil(x));
    expect_same(ev<float>(Op::trunc, x), std::trunc(x));
    expect_same(ev<float>(Op::round, x), std::nearbyint(x));
  }
}

TEST(EvalTest, FusedMultiplyAddRoundsOnce) {
  expect_same(ev<float>(Op::fma, 1.0f + 0x1p-23f, 1.0f + 0x1p-23f, -(1.0f + 0x1p-22f)), 0x1p-46f);
  expect_same(ev<float>(Op::fma, kInf, 0.0f, 1.0f), kNan);
  expect_same(ev<float>(Op::fma, 0x1p127f, 2.0f, -0x1p127f), 0x1p127f);
  expect_same(ev<float>(Op::fma, 0x1p-100f, 0x1p-49f, 0.0f), float_of(1));
  expect_same(ev<float>(Op::fma, 0x1p-100f, 0x1p-50f, 0.0f), 0.0f);
  expect_same(ev<float>(Op::fma, -0.0f, 1.0f, -0.0f), -0.0f);
  std::mt19937 random(13);
  for (int i = 0; i < 200000; ++i) {
    const float x = float_of(static_cast<std::uint32_t>(random()));
    const float y = float_of(static_cast<std::uint32_t>(random()));
    // An addend near the product, so that every kind of cancellation and rounding is met.
    const float z = i % 2 == 0 ? float_of(static_cast<std::uint32_t>(random()))
                               : -(x * y) * (1.0f + static_cast<float>(random() % 64) * 0x1p-20f);
    expect_same(ev<float>(Op::fma, x, y, z), std::fma(x, y, z));
  }
}

TEST(EvalTest, FloatToIntegerClampsAndTruncates) {
  EXPECT_EQ(ev<std::int32_t>(Op::convert, kNan), 0);
  EXPECT_EQ(ev<std::int32_t>(Op::convert, kInf), 2147483520);
  EXPECT_EQ(ev<std::int32_t>(Op::convert, -kInf), kMin);
  EXPECT_EQ(ev<std::int32_t>(Op::convert, 3e9f), 2147483520);
  EXPECT_EQ(ev<std::int32_t>(Op::convert, 0x1p31f), 2147483520);
  EXPECT_EQ(ev<std::int32_t>(Op::convert, -1.9f), -1);
  EXPECT_EQ(ev<std::uint32_t>(Op::convert, kNan), 0u);
  EXPECT_EQ(ev<std::uint32_t>(Op::convert, -1.0f), 0u);
  EXPECT_EQ(ev<std::uint32_t>(Op::convert, -0.5f), 0u);
  EXPECT_EQ(ev<std::uint32_t>(Op::convert, kInf), 4294967040u);
  EXPECT_EQ(ev<std::uint32_t>(Op::convert, 0x1p32f), 4294967040u);
  EXPECT_EQ(ev<std::uint32_t>(Op::convert, 3e9f), 3000000000u);
  EXPECT_EQ(ev<std::uint32_t>(Op::convert, 0x1p31f), 0x80000000u);
  EXPECT_EQ(ev<std::uint32_t>(Op::convert, 2147483520.0f), 2147483520u);
  EXPECT_EQ(ev<std::uint64_t>(Op::convert, kInf), 0xffffff0000000000u);
  EXPECT_EQ(ev<std::int64_t>(Op::convert, -kInf), std::numeric_limits<std::int64_t>::min());
}

TEST(EvalTest, IntegerToFloatRoundsToNearestEven) {
  expect_same(ev<float>(Op::convert, 16777217), 16777216.0f);
  expect_same(ev<float>(Op::convert, 16777219), 16777220.0f);
  expect_same(ev<float>(Op::convert, 0xffffffffu), 0x1p32f);
  expect_same(ev<float>(Op::convert, kMin), -0x1p31f);
  std::mt19937 random(17);
  for (int i = 0; i < 50000; ++i) {
    const auto x = static_cast<std::uint32_t>(random()) >> (random() % 32);
    expect_same(ev<float>(Op::convert, x), static_cast<float>(x));
  }
}

TEST(EvalTest, OtherConversions) {
  EXPECT_EQ(ev<std::uint32_t>(Op::convert, -1), 0xffffffffu);
  EXPECT_EQ(ev<std::int32_t>(Op::convert, 0x80000000u), kMin);
  EXPECT_EQ(ev<std::uint32_t>(Op::convert, true), 1u);
  expect_same(ev<float>(Op::convert, true), 1.0f);
  EXPECT_TRUE(ev<bool>(Op::convert, kNan));
  EXPECT_FALSE(ev<bool>(Op::convert, -0.0f));
  EXPECT_TRUE(ev<bool>(Op::convert, 2u));
  EXPECT_EQ(ev<std::uint32_t>(Op::convert, std::uint64_t{0x123456789}), 0x23456789u);
  EXPECT_EQ(ev<std::int64_t>(Op::convert, -1), -1);
  EXPECT_EQ(ev<std::uint64_t>(Op::convert, 0xffffffffu), 0xffffffffu);
  EXPECT_EQ(ev<std::uint32_t>(Op::bitcast, float_of(0x7fa12345)), 0x7fa12345u);
  EXPECT_EQ(ev<std::uint32_t>(Op::bitcast, -1), 0xffffffffu);
}

TEST(EvalTest, HalfBits) {
  expect_same(ev<float>(Op::half_to_float, 0xffff3c00u), 1.0f);
  expect_same(ev<float>(Op::half_to_float, 0x0001u), 0x1p-24f);
  expect_same(ev<float>(Op::half_to_float, 0xfc00u), -kInf);
  EXPECT_EQ(ev<std::uint32_t>(Op::float_to_half, 65504.0f), 0x7bffu);
  EXPECT_EQ(ev<std::uint32_t>(Op::float_to_half, 65520.0f), 0x7c00u);
  EXPECT_EQ(ev<std::uint32_t>(Op::float_to_half, 1.0f + 0x1p-11f), 0x3c00u);
  EXPECT_EQ(ev<std::uint32_t>(Op::float_to_half, -0x1p-25f), 0x8000u);
}

TEST(EvalTest, TestsOfBits) {
  for (const std::uint32_t bits : {0x7fc00000u, 0xffc00000u, 0x7f800001u, 0xffffffffu}) {
    EXPECT_TRUE(ev<bool>(Op::is_nan, float_of(bits)));
    EXPECT_FALSE(ev<bool>(Op::is_inf, float_of(bits)));
  }
  for (const float x : {kInf, -kInf}) {
    EXPECT_FALSE(ev<bool>(Op::is_nan, x));
    EXPECT_TRUE(ev<bool>(Op::is_inf, x));
  }
  EXPECT_FALSE(ev<bool>(Op::is_nan, -0.0f));
  EXPECT_FALSE(ev<bool>(Op::is_inf, 3.4e38f));
}

TEST(EvalTest, Formulas) {
  expect_same(ev<float>(Op::step, 1.0f, 1.0f), 1.0f);
  expect_same(ev<float>(Op::step, 1.0f, 0.5f), 0.0f);
  expect_same(ev<float>(Op::step, 1.0f, kNan), 0.0f);
  expect_same(ev<float>(Op::mix, 2.0f, 4.0f, 0.25f), 2.5f);
  expect_same(ev<float>(Op::smoothstep, 0.0f, 2.0f, 1.0f), 0.5f);
  expect_same(ev<float>(Op::smoothstep, 0.0f, 2.0f, 3.0f), 1.0f);
  expect_same(ev<float>(Op::degrees, 2.0f), 114.59156f);
  expect_same(ev<float>(Op::radians, 180.0f), 3.1415927f);
}

TEST(EvalTest, ScalingByPowersOfTwo) {
  expect_same(ev<float>(Op::ldexp, 1.5f, 4), 24.0f);
  expect_same(ev<float>(Op::ldexp, 1.0f, -149), float_of(1));
  expect_same(ev<float>(Op::ldexp, 1.0f, -150), 0.0f);
  expect_same(ev<float>(Op::ldexp, float_of(1), 276), 0x1p127f);
  expect_same(ev<float>(Op::ldexp, 1.0f, 128), kInf);
  expect_same(ev<float>(Op::ldexp, -1.0f, kMin), -0.0f);
  expect_same(ev<float>(Op::ldexp, -1.0f, kMax), -kInf);
  expect_same(ev<float>(Op::ldexp, 1.25f, -148), float_of(2));
}

/// How far `actual` is from the exact value, in units in the last place of the exact value.
double ulps(float actual, double exact) {
  if (std::isnan(exact)) return std::isnan(actual) ? 0 : 1e9;
  if (std::abs(exact) >= 0x1.ffffffp127) return std::isinf(actual) ? 0 : 1e9;
  int exponent = 0;
  std::frexp(exact, &exponent);
  return std::abs(actual - exact) / std::ldexp(1.0, std::max(exponent - 24, -149));
}

struct Function {
  Op op;
  double (*exact)(double);
};

TEST(EvalTest, FunctionsAreWithinOneUlp) {
  const std::vector<Function> functions = {
      {Op::exp, std::exp},     {Op::exp2, std::exp2},
      {Op::log, std::log},     {Op::log2, std::log2},
      {Op::sin, std::sin},     {Op::cos, std::cos},
      {Op::tan, std::tan},     {Op::asin, std::asin},
      {Op::acos, std::acos},   {Op::atan, std::atan},
      {Op::sinh, std::sinh},   {Op::cosh, std::cosh},
      {Op::tanh, std::tanh},   {Op::asinh, std::asinh},
      {Op::acosh, std::acosh}, {Op::atanh, std::atanh},
      {Op::sqrt, std::sqrt},   {Op::inverse_sqrt, [](double x) { return 1.0 / std::sqrt(x); }}};
  for (const Function& f : functions) {
    std::mt19937 random(19);
    double worst = 0;
    float worst_at = 0;
    for (int i = 0; i < 60000; ++i) {
      const float x = i % 2 == 0
                          ? float_of(static_cast<std::uint32_t>(random()))
                          : std::ldexp(static_cast<float>(static_cast<std::int32_t>(random())),
                                       -static_cast<int>(random() % 40));
      const double error = ulps(ev<float>(f.op, x), f.exact(static_cast<double>(x)));
      if (error > worst) {
        worst = error;
        worst_at = x;
      }
    }
    EXPECT_LE(worst, 1.0) << to_string(f.op) << " at " << worst_at;
  }
}

TEST(EvalTest, FunctionsOfTwoOperandsAreWithinOneUlp) {
  std::mt19937 random(23);
  std::uniform_real_distribution<float> size(-9.0f, 9.0f);
  for (int i = 0; i < 60000; ++i) {
    const float x = size(random);
    const float y = size(random);
    const double base = static_cast<double>(std::abs(x));
    EXPECT_LE(ulps(ev<float>(Op::pow, std::abs(x), y), std::pow(base, static_cast<double>(y))),
              1.0);
    EXPECT_LE(ulps(ev<float>(Op::atan2, y, x),
                   std::atan2(static_cast<double>(y), static_cast<double>(x))),
              1.0);
  }
}

std::uint64_t half_op(Op op, std::vector<std::uint64_t> operands) {
  const std::vector<ScalarType> types(operands.size(), ScalarType::f16);
  return eval(op, *result_type(op, types), types, operands);
}

TEST(EvalTest, HalfValuesRoundAfterEachOperation) {
  EXPECT_EQ(half_op(Op::add, {0x3c00, 0x3c00}), 0x4000u);
  EXPECT_EQ(half_op(Op::mul, {0x7bff, 0x4000}), 0x7c00u);
  EXPECT_EQ(half_op(Op::div, {0x3c00, 0x4200}), 0x3555u);
  EXPECT_EQ(half_op(Op::neg, {0x0000}), 0x8000u);
  EXPECT_EQ(half_op(Op::lt, {0x3c00, 0x4000}), 1u);
  EXPECT_EQ(half_op(Op::is_nan, {0x7e00}), 1u);
  const std::array types = {ScalarType::f16};
  EXPECT_EQ(eval(Op::convert, ScalarType::i32, types, std::array<std::uint64_t, 1>{0x7c00}),
            65504u);
  EXPECT_EQ(eval(Op::convert, ScalarType::f32, types, std::array<std::uint64_t, 1>{0x7c00}),
            0x7f800000u);
  EXPECT_EQ(eval(Op::bitcast, ScalarType::f16, types, std::array<std::uint64_t, 1>{0x7d01}),
            0x7d01u);
}

}  // namespace
}  // namespace vyre
