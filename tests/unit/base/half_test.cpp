// SPDX-License-Identifier: MIT OR Apache-2.0
#include "base/half.h"

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

namespace vyre {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// The definition: (-1)^sign · 2^(exponent - 15) · 1.fraction, or 2^-14 · 0.fraction.
double defined_value(unsigned half) {
  const int exponent = static_cast<int>(half >> 10 & 0x1FU);
  const double fraction = (half & 0x3FFU) / 1024.0;
  const double magnitude = exponent == 0    ? std::ldexp(fraction, -14)
                           : exponent == 31 ? static_cast<double>(kInfinity)
                                            : std::ldexp(1.0 + fraction, exponent - 15);
  return (half & 0x8000U) != 0 ? -magnitude : magnitude;
}

bool is_nan_half(unsigned half) {
  return (half & 0x7C00U) == 0x7C00U && (half & 0x3FFU) != 0;
}

TEST(HalfTest, EveryValueWidensExactly) {
  for (unsigned half = 0; half < 0x10000U; ++half) {
    const float value = half_to_float(static_cast<std::uint16_t>(half));
    if (is_nan_half(half)) {
      EXPECT_TRUE(std::isnan(value)) << half;
      continue;
    }
    EXPECT_EQ(static_cast<double>(value), defined_value(half)) << half;
    EXPECT_EQ(std::signbit(value), (half & 0x8000U) != 0) << half;
  }
}

TEST(HalfTest, EveryValueComesBack) {
  for (unsigned half = 0; half < 0x10000U; ++half) {
    const unsigned quiet = is_nan_half(half) ? half | 0x200U : half;
    EXPECT_EQ(float_to_half(half_to_float(static_cast<std::uint16_t>(half))), quiet) << half;
  }
}

TEST(HalfTest, RoundsToNearestTiesToEven) {
  for (unsigned half = 0; half < 0x7BFFU; ++half) {
    const auto middle = static_cast<float>((defined_value(half) + defined_value(half + 1)) / 2);
    const unsigned even = half % 2 == 0 ? half : half + 1;
    EXPECT_EQ(float_to_half(middle), even) << half;
    EXPECT_EQ(float_to_half(-middle), even | 0x8000U) << half;
    EXPECT_EQ(float_to_half(std::nextafter(middle, 0.0F)), half);
    EXPECT_EQ(float_to_half(std::nextafter(middle, kInfinity)), half + 1);
  }
}

TEST(HalfTest, NothingLiesNearerThanTheAnswer) {
  std::mt19937 random(1);
  for (int i = 0; i < 100'000; ++i) {
    const float value = std::bit_cast<float>(static_cast<std::uint32_t>(random()) & 0x477FFFFFU);
    const unsigned half = float_to_half(value);
    if (half == 0x7C00U) continue;  // next test
    const double error = std::abs(defined_value(half) - static_cast<double>(value));
    if (half > 0) {
      EXPECT_LE(error, std::abs(defined_value(half - 1) - static_cast<double>(value))) << value;
    }
    if (half < 0x7BFFU) {
      EXPECT_LE(error, std::abs(defined_value(half + 1) - static_cast<double>(value))) << value;
    }
  }
}

TEST(HalfTest, OverflowsFromHalfwayToTheNextPower) {
  EXPECT_EQ(float_to_half(65504.0F), 0x7BFFU);
  EXPECT_EQ(float_to_half(std::nextafter(65520.0F, 0.0F)), 0x7BFFU);
  EXPECT_EQ(float_to_half(65520.0F), 0x7C00U);
  EXPECT_EQ(float_to_half(-65536.0F), 0xFC00U);
  EXPECT_EQ(float_to_half(std::numeric_limits<float>::max()), 0x7C00U);
  EXPECT_EQ(float_to_half(-kInfinity), 0xFC00U);
}

TEST(HalfTest, UnderflowsBelowHalfTheSmallestSubnormal) {
  EXPECT_EQ(float_to_half(std::ldexp(1.0F, -25)), 0U);
  EXPECT_EQ(float_to_half(std::nextafter(std::ldexp(1.0F, -25), 1.0F)), 1U);
  EXPECT_EQ(float_to_half(-std::ldexp(1.0F, -26)), 0x8000U);
  EXPECT_EQ(float_to_half(std::numeric_limits<float>::denorm_min()), 0U);
  EXPECT_EQ(float_to_half(-0.0F), 0x8000U);
}

TEST(HalfTest, NansKeepSignAndUpperPayload) {
  EXPECT_EQ(float_to_half(std::bit_cast<float>(0x7FC00000U)), 0x7E00U);
  EXPECT_EQ(float_to_half(std::bit_cast<float>(0xFFC02000U)), 0xFE01U);
  EXPECT_EQ(float_to_half(std::bit_cast<float>(0x7F800001U)), 0x7E00U);
}

}  // namespace
}  // namespace vyre
