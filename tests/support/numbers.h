// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>

#include "vyre/type.h"

/// Bit patterns of floats as doubles, and the spacing of floats.  Independent of the library.
namespace vyre::test {

/// What a float type can represent.
struct FloatFormat {
  int fraction_bits;
  int min_exponent;  ///< of normal numbers
  int max_exponent;
};
FloatFormat format_of(ScalarType type);  ///< REQUIRES: f32 or f16

/// The value, exactly; every f32 and f16 is a double.
double to_double(ScalarType type, std::uint64_t bits);
bool is_nan_bits(ScalarType type, std::uint64_t bits);
bool is_zero_bits(ScalarType type, std::uint64_t bits);
bool is_subnormal_bits(ScalarType type, std::uint64_t bits);

/// The distance of the two floats around `value`.
double ulp_at(ScalarType type, double value);

inline double f32_value(std::uint64_t bits) {
  return to_double(ScalarType::f32, bits);
}
inline double f32_ulp(double value) {
  return ulp_at(ScalarType::f32, value);
}

}  // namespace vyre::test
