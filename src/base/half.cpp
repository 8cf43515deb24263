// SPDX-License-Identifier: MIT OR Apache-2.0
#include "base/half.h"

#include <bit>

namespace vyre {
namespace {

constexpr std::uint32_t kHalfBias = 15;
constexpr std::uint32_t kFloatBias = 127;
constexpr int kFractionShift = 13;  // 23 fraction bits against 10

/// `bits` shifted right by 1 ≤ `count` ≤ 31, rounded to nearest, ties to even.
std::uint32_t shift_rounding(std::uint32_t bits, int count) {
  const std::uint32_t kept = bits >> count;
  const std::uint32_t lost = bits & ((1U << count) - 1);
  const std::uint32_t middle = 1U << (count - 1);
  return kept + (lost > middle || (lost == middle && (kept & 1U) != 0) ? 1 : 0);
}

std::uint32_t float_bits_of(std::uint32_t exponent, std::uint32_t fraction) {
  if (exponent == 0x1F) {
    return 0x7F800000U | fraction << kFractionShift | (fraction != 0 ? 0x00400000U : 0U);
  }
  if (exponent != 0) {
    return (exponent + kFloatBias - kHalfBias) << 23 | fraction << kFractionShift;
  }
  if (fraction == 0) return 0;
  const int shift = std::countl_zero(fraction) - 21;  // brings the leading one to bit 10
  const std::uint32_t normal = fraction << shift & 0x3FFU;
  return (kFloatBias - kHalfBias + 1 - static_cast<std::uint32_t>(shift)) << 23 |
         normal << kFractionShift;
}

}  // namespace

float half_to_float(std::uint16_t half) {
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000U) << 16;
  return std::bit_cast<float>(sign | float_bits_of(half >> 10 & 0x1FU, half & 0x3FFU));
}

std::uint16_t float_to_half(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits >> 16 & 0x8000U;
  const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
  const std::uint32_t exponent = magnitude >> 23;
  const std::uint32_t fraction = magnitude & 0x7FFFFFU;
  std::uint32_t half = 0x7C00U;
  if (magnitude > 0x7F800000U) {
    half = 0x7E00U | fraction >> kFractionShift;
  } else if (exponent >= kFloatBias - kHalfBias + 0x1F) {
    half = 0x7C00U;
  } else if (exponent > kFloatBias - kHalfBias) {
    // Rounding may carry into the exponent, up to infinity: that is the right answer.
    half = shift_rounding(magnitude - ((kFloatBias - kHalfBias) << 23), kFractionShift);
  } else if (exponent >= 102) {  // from half the smallest subnormal, 2^-25, upwards
    half = shift_rounding(fraction | 0x800000U, static_cast<int>(126 - exponent));
  } else {
    half = 0;
  }
  return static_cast<std::uint16_t>(sign | half);
}

}  // namespace vyre
