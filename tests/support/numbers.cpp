// SPDX-License-Identifier: MIT OR Apache-2.0
#include "support/numbers.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace vyre::test {
namespace {

struct Fields {
  bool negative;
  unsigned exponent;
  std::uint64_t fraction;
  bool all_ones;  ///< the exponent: infinity or NaN
};

Fields fields(ScalarType type, std::uint64_t bits) {
  const int f = format_of(type).fraction_bits;
  const int exponent_bits = type == ScalarType::f32 ? 8 : 5;
  const auto mask = (1u << exponent_bits) - 1;
  const auto exponent = static_cast<unsigned>(bits >> f) & mask;
  return {((bits >> (f + exponent_bits)) & 1) != 0, exponent, bits & ((std::uint64_t{1} << f) - 1),
          exponent == mask};
}

}  // namespace

FloatFormat format_of(ScalarType type) {
  return type == ScalarType::f32 ? FloatFormat{23, -126, 127} : FloatFormat{10, -14, 15};
}

double to_double(ScalarType type, std::uint64_t bits) {
  const Fields f = fields(type, bits);
  const FloatFormat format = format_of(type);
  double value = 0;
  if (f.all_ones) {
    value = f.fraction != 0 ? std::numeric_limits<double>::quiet_NaN()
                            : std::numeric_limits<double>::infinity();
  } else {
    const std::uint64_t hidden = f.exponent != 0 ? std::uint64_t{1} << format.fraction_bits : 0;
    const int exponent = std::max(static_cast<int>(f.exponent), 1) - 1 + format.min_exponent;
    value = std::ldexp(static_cast<double>(f.fraction | hidden), exponent - format.fraction_bits);
  }
  return f.negative ? -value : value;
}

bool is_nan_bits(ScalarType type, std::uint64_t bits) {
  const Fields f = fields(type, bits);
  return f.all_ones && f.fraction != 0;
}

bool is_zero_bits(ScalarType type, std::uint64_t bits) {
  const Fields f = fields(type, bits);
  return f.exponent == 0 && f.fraction == 0;
}

bool is_subnormal_bits(ScalarType type, std::uint64_t bits) {
  const Fields f = fields(type, bits);
  return f.exponent == 0 && f.fraction != 0;
}

double ulp_at(ScalarType type, double value) {
  const FloatFormat format = format_of(type);
  int exponent = format.min_exponent;
  if (value != 0) exponent = std::max(exponent, std::ilogb(value));
  return std::ldexp(1.0, std::min(exponent, format.max_exponent) - format.fraction_bits);
}

}  // namespace vyre::test
