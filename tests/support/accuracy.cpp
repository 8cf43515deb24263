// SPDX-License-Identifier: MIT OR Apache-2.0
#include "support/accuracy.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include "support/numbers.h"

namespace vyre::test {
namespace {

constexpr double kLargest = 0x1.fffffep127;
constexpr double kSmallestNormal = 0x1p-126;
constexpr double kPi = std::numbers::pi;

/// The accepted results; nothing: every result is.
struct Range {
  double low = 0;
  double high = 0;
};
using Bound = std::optional<Range>;

Range around(double value, double error) {
  return {value - error, value + error};
}
Range ulps(double value, double count) {
  return around(value, count * f32_ulp(value));
}
Range hull(Range a, Range b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}
double error_of(Range r) {
  return (r.high - r.low) / 2;
}

// ---- functions that others are derived from

Range exp_of(double x) {
  return ulps(std::exp(x), 3 + 2 * std::abs(x));
}
Range exp2_of(double x) {
  return ulps(std::exp2(x), 3 + 2 * std::abs(x));
}

Range log_bound(double x, double value) {
  return x >= 0.5 && x <= 2 ? around(value, 0x1p-21) : ulps(value, 3);
}
Bound log_of(double x) {
  return x > 0 ? Bound(log_bound(x, std::log(x))) : std::nullopt;
}
Bound log2_of(double x) {
  return x > 0 ? Bound(log_bound(x, std::log2(x))) : std::nullopt;
}
/// The logarithm of something that is only known within a range.
Bound log_of(Range x) {
  if (x.low <= 0) return std::nullopt;
  return hull(*log_of(x.low), *log_of(x.high));
}

Range inexact_ulp(double value, double error, double count) {
  return around(value, error + count * f32_ulp(value));
}

Bound divided(double x, double y) {
  const double magnitude = std::abs(y);
  if (magnitude < kSmallestNormal || magnitude > 0x1p126) return std::nullopt;
  return ulps(x / y, 2.5);
}

Bound quotient(Range x, Range y) {
  if (y.low <= 0 && y.high >= 0) return std::nullopt;
  const std::array<double, 4> all = {x.low / y.low, x.low / y.high, x.high / y.low,
                                     x.high / y.high};
  const auto [low, high] = std::minmax_element(all.begin(), all.end());
  return hull(ulps(*low, 2.5), ulps(*high, 2.5));
}

/// WGSL's formula goes over exp, which may overflow before the result does.
bool exp_overflows(double x) {
  return exp_of(std::abs(x)).high > kLargest;
}

Range sinh_of(double x) {
  const double error = error_of(exp_of(x)) + error_of(exp_of(-x));
  return inexact_ulp(std::sinh(x), error / 2 + f32_ulp(std::cosh(x)), 1);
}
Range cosh_of(double x) {
  const double error = error_of(exp_of(x)) + error_of(exp_of(-x));
  return inexact_ulp(std::cosh(x), error / 2, 2);
}

Bound tanh_of(double x) {
  const Range absolute = around(std::tanh(x), 1.0e-5);
  if (exp_overflows(x)) return std::nullopt;
  const Bound ratio = quotient(sinh_of(x), cosh_of(x));
  return ratio && std::isfinite(ratio->low) && std::isfinite(ratio->high) ? hull(absolute, *ratio)
                                                                          : absolute;
}

/// log(x + sqrt(x * x + sign)).
Bound area(double x, double sign) {
  const double square = x * x + sign;
  if (square < 0 || square > kLargest) return std::nullopt;
  const double root = std::sqrt(square);
  const double square_error = f32_ulp(x * x) + f32_ulp(square);
  const double root_error =
      5 * f32_ulp(root) + (root > 0 ? square_error / (2 * root) : std::sqrt(square_error));
  return log_of(inexact_ulp(x + root, root_error, 1));
}

Bound atanh_of(double x) {
  if (std::abs(x) >= 1) return std::nullopt;
  const Bound ratio = quotient(ulps(1 + x, 1), ulps(1 - x, 1));
  const Bound log = ratio ? log_of(*ratio) : std::nullopt;
  return log ? Bound(Range{log->low / 2, log->high / 2}) : std::nullopt;
}

Bound trigonometric(double x, double value) {
  return std::abs(x) <= kPi ? Bound(around(value, 0x1p-11)) : std::nullopt;
}
Bound tan_of(double x) {
  const Bound sin = trigonometric(x, std::sin(x));
  const Bound cos = trigonometric(x, std::cos(x));
  return sin && cos ? quotient(*sin, *cos) : std::nullopt;
}

Bound arc(double x, double value) {
  if (std::abs(x) > 1) return std::nullopt;
  return around(value, std::max(6.81e-5, 4096 * f32_ulp(value)));
}

Bound atan2_of(double y, double x) {
  const double magnitude = std::abs(x);
  if (magnitude < kSmallestNormal || magnitude > 0x1p126 || y == 0) return std::nullopt;
  if (std::abs(y) < kSmallestNormal) return std::nullopt;
  return ulps(std::atan2(y, x), 4096);
}

/// exp2(y * log2(x)).
Bound pow_of(double x, double y) {
  const Bound log = log2_of(x);
  if (!log) return std::nullopt;
  const double exponent = y * std::log2(x);
  const double error = std::abs(y) * error_of(*log) + f32_ulp(exponent);
  if (std::abs(exponent) + error > 128)
    return exponent < -160 ? Bound(around(0, kSmallestNormal)) : std::nullopt;
  return hull(exp2_of(exponent - error), exp2_of(exponent + error));
}

/// x - y * trunc(x / y), for every integer that the inexact quotient may be truncated to.
Bound remainder(double x, double y) {
  const Bound ratio = divided(x, y);
  if (!ratio || std::abs(ratio->high) > 0x1p22 || std::abs(ratio->low) > 0x1p22)
    return std::nullopt;
  const double first = std::trunc(ratio->low);
  const double last = std::trunc(ratio->high);
  Range range = around(x - y * first, f32_ulp(y * first) + f32_ulp(x - y * first));
  for (double k = first; k <= last; ++k)
    range = hull(range, around(x - y * k, f32_ulp(y * k) + f32_ulp(x - y * k)));
  return range;
}

Range mixed(double x, double y, double a) {
  const double value = x * (1 - a) + y * a;
  const double parts = std::abs(x) * f32_ulp(1 - a) + f32_ulp(x * (1 - a)) + f32_ulp(y * a);
  // The other form that WGSL allows is x + (y - x) * a.
  const double other = f32_ulp(y - x) * std::abs(a) + f32_ulp((y - x) * a);
  return inexact_ulp(value, std::max(parts, other), 1);
}

Bound smoothed(double low, double high, double x) {
  const double above = x - low;
  const double span = high - low;
  const Bound ratio = quotient(ulps(above, 1), ulps(span, 1));
  if (!ratio) return std::nullopt;
  const auto curve = [](double t) {
    t = std::clamp(t, 0.0, 1.0);
    return t * t * (3 - 2 * t);
  };
  const double first = curve(ratio->low);
  const double last = curve(ratio->high);
  return hull(ulps(std::min(first, last), 4), ulps(std::max(first, last), 4));
}

Range fused(double x, double y, double z) {
  const auto product = static_cast<float>(x * y);
  const double separate = static_cast<double>(product) + z;
  return hull(ulps(x * y + z, 0.5), ulps(separate, 0.5));
}

/// Rounding once in f32.
Range rounded(double value) {
  return ulps(value, 0.5);
}

Bound scaled(double x, std::uint64_t by) {
  const auto exponent = static_cast<std::int32_t>(by);
  const double value = std::ldexp(x, std::clamp(exponent, -600, 600));
  return std::abs(value) < kSmallestNormal ? hull(ulps(value, 1), {0, 0}) : Range{value, value};
}

Bound bound_of(Op op, double a, double b, double c, std::uint64_t raw_b) {
  switch (op) {
    case Op::add: return rounded(a + b);
    case Op::sub: return rounded(a - b);
    case Op::mul: return rounded(a * b);
    case Op::div: return divided(a, b);
    case Op::rem: return remainder(a, b);
    case Op::fma: return fused(a, b, c);
    case Op::sqrt: return a >= 0 ? Bound(ulps(std::sqrt(a), 2.5)) : std::nullopt;
    case Op::inverse_sqrt: return a > 0 ? Bound(ulps(1 / std::sqrt(a), 2)) : std::nullopt;
    case Op::fract: return inexact_ulp(a - std::floor(a), 0x1p-24, 1);
    case Op::exp: return exp_of(a);
    case Op::exp2: return exp2_of(a);
    case Op::log: return log_of(a);
    case Op::log2: return log2_of(a);
    case Op::pow: return pow_of(a, b);
    case Op::sin: return trigonometric(a, std::sin(a));
    case Op::cos: return trigonometric(a, std::cos(a));
    case Op::tan: return tan_of(a);
    case Op::asin: return arc(a, std::asin(a));
    case Op::acos: return arc(a, std::acos(a));
    case Op::atan: return ulps(std::atan(a), 4096);
    case Op::atan2: return atan2_of(a, b);
    case Op::sinh: return exp_overflows(a) ? std::nullopt : Bound(sinh_of(a));
    case Op::cosh: return exp_overflows(a) ? std::nullopt : Bound(cosh_of(a));
    case Op::tanh: return tanh_of(a);
    case Op::asinh: return area(a, 1);
    case Op::acosh: return a >= 1 ? area(a, -1) : std::nullopt;
    case Op::atanh: return atanh_of(a);
    case Op::ldexp: return scaled(a, raw_b);
    case Op::degrees: return ulps(a * (180 / kPi), 2);
    case Op::radians: return ulps(a * (kPi / 180), 2);
    case Op::mix: return mixed(a, b, c);
    case Op::smoothstep: return smoothed(a, b, c);
    case Op::neg:
    case Op::abs:
    case Op::sign:
    case Op::min:
    case Op::max:
    case Op::clamp:
    case Op::bit_not:
    case Op::bit_and:
    case Op::bit_or:
    case Op::bit_xor:
    case Op::shl:
    case Op::shr:
    case Op::rotl:
    case Op::rotr:
    case Op::clz:
    case Op::ctz:
    case Op::popcount:
    case Op::reverse_bits:
    case Op::first_leading_bit:
    case Op::first_trailing_bit:
    case Op::extract_bits:
    case Op::mul_high:
    case Op::logical_not:
    case Op::logical_and:
    case Op::logical_or:
    case Op::eq:
    case Op::ne:
    case Op::lt:
    case Op::le:
    case Op::gt:
    case Op::ge:
    case Op::select:
    case Op::convert:
    case Op::bitcast:
    case Op::half_to_float:
    case Op::float_to_half:
    case Op::is_nan:
    case Op::is_inf:
    case Op::floor:
    case Op::ceil:
    case Op::trunc:
    case Op::round:
    case Op::saturate:
    case Op::step: return Range{1, 0};  // exact operators are not judged by a bound
  }
  return std::nullopt;
}

bool accepts(const Range& range, double result, bool flushes) {
  // WGSL allows any result where the exact one may be beyond the finite numbers.
  if (!std::isfinite(range.low) || !std::isfinite(range.high)) return true;
  if (std::max(std::abs(range.low), std::abs(range.high)) > kLargest) return true;
  if (std::isnan(result)) return false;
  Range wide = range;
  if (flushes && range.low < kSmallestNormal && range.high > -kSmallestNormal)
    wide = hull(range, {0, 0});
  return result >= wide.low && result <= wide.high;
}

}  // namespace

Numerics numerics_of(const DeviceInfo& device) {
  return {device.float_exact, device.keeps_subnormals};
}

bool has_exact_bits(Op op, ScalarType result, const Numerics& numerics) {
  if (!is_float(result) || info(op).accuracy == Accuracy::exact) return true;
  return info(op).accuracy == Accuracy::contractible && numerics.float_exact;
}

bool is_within_bound(Op op,
                     std::span<const std::uint64_t> operands,
                     std::uint64_t result,
                     const Numerics& numerics) {
  // WGSL lets any operation flush; a device's flag speaks of + - * only.
  const bool flushes = !numerics.keeps_subnormals || info(op).accuracy != Accuracy::contractible;
  const std::size_t floats = op == Op::ldexp ? 1 : operands.size();
  const unsigned choices = flushes ? 1u << floats : 1u;
  for (unsigned flushed = 0; flushed < choices; ++flushed) {
    std::array<double, 3> x = {};
    for (std::size_t i = 0; i < floats; ++i) {
      x[i] = f32_value(operands[i]);
      if (!std::isfinite(x[i])) return true;
      if (((flushed >> i) & 1) != 0 && is_subnormal_bits(ScalarType::f32, operands[i])) x[i] = 0;
    }
    const Bound bound = bound_of(op, x[0], x[1], x[2], operands.size() > 1 ? operands[1] : 0);
    if (!bound || accepts(*bound, f32_value(result), flushes)) return true;
  }
  return false;
}

}  // namespace vyre::test
