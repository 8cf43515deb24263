// SPDX-License-Identifier: MIT OR Apache-2.0
#include "wgsl/scalar_eval.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <sleef.h>

#include "base/check.h"
#include "ir/eval.h"

namespace vyre::wgsl {
namespace {

Scalar f32_scalar(float value) {
  return {kF32, std::bit_cast<std::uint32_t>(value)};
}
Scalar boolean(bool value) {
  return {kBool, value ? Cell{1} : Cell{0}};
}
float as_float(Scalar s) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(s.bits));
}

Scalar checked(Scalar result, ScalarFault& fault) {
  if (result.type != kF32 && result.type != kAbstractFloat) return result;
  if (std::isfinite(as_double(result))) return result;
  fault = ScalarFault::not_finite;
  return {result.type, 0};
}

TypeId type_of(ScalarType type) {
  switch (type) {
    case ScalarType::boolean: return kBool;
    case ScalarType::i32: return kI32;
    case ScalarType::u32: return kU32;
    case ScalarType::f16: return kF16;
    default: return kF32;
  }
}

/// By the IR's own meaning.
Scalar evaluate_concrete(Op op, std::span<const Scalar> operands, ScalarType wanted) {
  std::array<ScalarType, 3> types = {};
  std::array<std::uint64_t, 3> bits = {};
  for (std::size_t i = 0; i < operands.size(); ++i) {
    types[i] = ir_scalar(operands[i].type);
    bits[i] = operands[i].bits;
  }
  const std::span type_span(types.data(), operands.size());
  const auto result = result_type(op, type_span, wanted);
  VYRE_CHECK(result.has_value());
  return {type_of(*result), eval(op, *result, type_span, {bits.data(), operands.size()})};
}

/// Faults of integer operators that the IR defines and a constant expression forbids.
ScalarFault integer_fault(Op op, Scalar left, Scalar right) {
  const bool is_minimum = left.type == kI32 && as_int(left) == std::numeric_limits<int>::min();
  if (op == Op::div || op == Op::rem) {
    if (right.bits == 0) return ScalarFault::division_by_zero;
    if (is_minimum && as_int(right) == -1) return ScalarFault::overflow;
  }
  if (op == Op::shl || op == Op::shr) {
    if (right.bits >= 32) return ScalarFault::shift_too_far;
    const std::int64_t shifted = as_int(left) << right.bits;
    const bool fits =
        left.type == kI32
            ? shifted == static_cast<std::int32_t>(shifted)
            : shifted == static_cast<std::int64_t>(static_cast<std::uint32_t>(shifted));
    if (op == Op::shl && !fits) return ScalarFault::overflow;
  }
  return ScalarFault::none;
}

std::optional<Scalar> compare(Op op, auto a, auto b) {
  switch (op) {
    case Op::eq: return boolean(a == b);
    case Op::ne: return boolean(a != b);
    case Op::lt: return boolean(a < b);
    case Op::le: return boolean(a <= b);
    case Op::gt: return boolean(a > b);
    case Op::ge: return boolean(a >= b);
    default: return std::nullopt;
  }
}

std::int64_t checked_arithmetic(Op op, std::int64_t a, std::int64_t b, ScalarFault& fault) {
  std::int64_t result = 0;
  bool overflow = false;
  switch (op) {
    case Op::add: overflow = __builtin_add_overflow(a, b, &result); break;
    case Op::sub: overflow = __builtin_sub_overflow(a, b, &result); break;
    case Op::mul: overflow = __builtin_mul_overflow(a, b, &result); break;
    default: {
      if (b == 0) {
        fault = ScalarFault::division_by_zero;
        return 0;
      }
      overflow = a == std::numeric_limits<std::int64_t>::min() && b == -1;
      if (!overflow) result = op == Op::div ? a / b : a % b;
    }
  }
  if (overflow) fault = ScalarFault::overflow;
  return overflow ? 0 : result;
}

std::int64_t shift(Op op, std::int64_t value, std::uint64_t count, ScalarFault& fault) {
  if (op == Op::shr) return value >> std::min<std::uint64_t>(count, 63);
  if (value == 0) return 0;
  const auto shifted = static_cast<std::int64_t>(static_cast<std::uint64_t>(value)
                                                 << std::min<std::uint64_t>(count, 63));
  if (count > 63 || shifted >> count != value) {
    fault = ScalarFault::overflow;
    return 0;
  }
  return shifted;
}

/// The least value stays what it is.
std::int64_t negated(std::int64_t value) {
  return static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(value));
}

Scalar evaluate_int(Op op, std::span<const Scalar> operands, ScalarFault& fault) {
  const std::int64_t a = as_int(operands[0]);
  const std::int64_t b = operands.size() > 1 ? as_int(operands[1]) : 0;
  if (const auto result = compare(op, a, b)) return *result;
  switch (op) {
    case Op::add:
    case Op::sub:
    case Op::mul:
    case Op::div:
    case Op::rem: return abstract_int(checked_arithmetic(op, a, b, fault));
    case Op::neg: return abstract_int(negated(a));
    case Op::abs: return abstract_int(a < 0 ? negated(a) : a);
    case Op::sign: return abstract_int((a > 0) - (a < 0));
    case Op::min: return abstract_int(std::min(a, b));
    case Op::max: return abstract_int(std::max(a, b));
    case Op::clamp: return abstract_int(std::min(std::max(a, b), as_int(operands[2])));
    case Op::bit_not: return abstract_int(~a);
    case Op::bit_and: return abstract_int(a & b);
    case Op::bit_or: return abstract_int(a | b);
    case Op::bit_xor: return abstract_int(a ^ b);
    case Op::shl:
    case Op::shr: return abstract_int(shift(op, a, operands[1].bits, fault));
    default: VYRE_UNREACHABLE();
  }
}

/// Operators on double that IEEE makes the same everywhere; nothing for the others.
std::optional<double> exact_double(Op op, double a, double b, double c) {
  switch (op) {
    case Op::neg: return -a;
    case Op::add: return a + b;
    case Op::sub: return a - b;
    case Op::mul: return a * b;
    case Op::div: return a / b;
    case Op::rem: return a - b * std::trunc(a / b);
    case Op::abs: return std::fabs(a);
    case Op::sign: return static_cast<double>((a > 0) - (a < 0));
    case Op::min: return std::min(a, b);
    case Op::max: return std::max(a, b);
    case Op::clamp: return std::min(std::max(a, b), c);
    case Op::saturate: return std::min(std::max(a, 0.0), 1.0);
    case Op::fma: return std::fma(a, b, c);
    case Op::sqrt: return std::sqrt(a);
    case Op::inverse_sqrt: return 1 / std::sqrt(a);
    case Op::floor: return std::floor(a);
    case Op::ceil: return std::ceil(a);
    case Op::trunc: return std::trunc(a);
    case Op::round: return std::nearbyint(a);
    case Op::fract: return a - std::floor(a);
    case Op::degrees: return a * 57.295779513082320876798;
    case Op::radians: return a * 0.017453292519943295769;
    case Op::step: return a <= b ? 1.0 : 0.0;
    case Op::mix: return a * (1 - c) + b * c;
    case Op::smoothstep: {
      const double t = std::min(std::max((c - a) / (b - a), 0.0), 1.0);
      return t * t * (3 - 2 * t);
    }
    default: return std::nullopt;
  }
}

/// Functions within one ulp, by SLEEF's `cinz` family: the same bits on every host.
double smooth_double(Op op, double a, double b) {
  switch (op) {
    case Op::exp: return Sleef_cinz_expd1_u10purec(a);
    case Op::exp2: return Sleef_cinz_exp2d1_u10purec(a);
    case Op::log: return Sleef_cinz_logd1_u10purec(a);
    case Op::log2: return Sleef_cinz_log2d1_u10purec(a);
    case Op::pow: return Sleef_cinz_powd1_u10purec(a, b);
    case Op::sin: return Sleef_cinz_sind1_u10purec(a);
    case Op::cos: return Sleef_cinz_cosd1_u10purec(a);
    case Op::tan: return Sleef_cinz_tand1_u10purec(a);
    case Op::asin: return Sleef_cinz_asind1_u10purec(a);
    case Op::acos: return Sleef_cinz_acosd1_u10purec(a);
    case Op::atan: return Sleef_cinz_atand1_u10purec(a);
    case Op::atan2: return Sleef_cinz_atan2d1_u10purec(a, b);
    case Op::sinh: return Sleef_cinz_sinhd1_u10purec(a);
    case Op::cosh: return Sleef_cinz_coshd1_u10purec(a);
    case Op::tanh: return Sleef_cinz_tanhd1_u10purec(a);
    case Op::asinh: return Sleef_cinz_asinhd1_u10purec(a);
    case Op::acosh: return Sleef_cinz_acoshd1_u10purec(a);
    case Op::atanh: return Sleef_cinz_atanhd1_u10purec(a);
    default: VYRE_UNREACHABLE();
  }
}

Scalar evaluate_float(Op op, std::span<const Scalar> operands, ScalarFault& fault) {
  std::array<double, 3> values = {};
  for (std::size_t i = 0; i < operands.size(); ++i)
    values[i] = as_double(operands[i]);
  if (const auto result = compare(op, values[0], values[1])) return *result;
  if (op == Op::ldexp)
    return checked(abstract_float(std::ldexp(
                       values[0], static_cast<int>(std::clamp(values[1], -5000.0, 5000.0)))),
                   fault);
  if (const auto exact = exact_double(op, values[0], values[1], values[2]))
    return checked(abstract_float(*exact), fault);
  return checked(abstract_float(smooth_double(op, values[0], values[1])), fault);
}

template <typename T>
std::string number_text(T value) {
  std::array<char, 64> buffer = {};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return {buffer.data(), end};
}

bool fits(std::int64_t value, TypeId type) {
  if (type == kI32)
    return value >= std::numeric_limits<std::int32_t>::min() &&
           value <= std::numeric_limits<std::int32_t>::max();
  return value >= 0 && value <= std::numeric_limits<std::uint32_t>::max();
}

Scalar to_f32(double value, ScalarFault& fault) {
  constexpr double kOverflow = 0x1.ffffffp127;  // halfway between the greatest float and 2^128
  if (!(std::fabs(value) < kOverflow)) {
    fault = ScalarFault::not_representable;
    return f32_scalar(0);
  }
  return f32_scalar(static_cast<float>(value));
}

Scalar int_to_integer(std::int64_t value, TypeId to, ScalarFault& fault) {
  if (!fits(value, to)) fault = ScalarFault::not_representable;
  return {to, static_cast<std::uint32_t>(value)};
}

Scalar double_to_integer(double value, TypeId to) {
  const double low = to == kI32 ? -2147483648.0 : 0.0;
  const double high = to == kI32 ? 2147483647.0 : 4294967295.0;
  const double clamped = std::clamp(std::trunc(value), low, high);
  return {to, static_cast<std::uint32_t>(static_cast<std::int64_t>(clamped))};
}

}  // namespace

Scalar abstract_int(std::int64_t value) {
  return {kAbstractInt, static_cast<Cell>(value)};
}
Scalar abstract_float(double value) {
  return {kAbstractFloat, std::bit_cast<Cell>(value)};
}

std::int64_t as_int(Scalar scalar) {
  if (scalar.type == kI32)
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(scalar.bits));
  return static_cast<std::int64_t>(scalar.bits);
}

double as_double(Scalar scalar) {
  if (scalar.type == kAbstractFloat) return std::bit_cast<double>(scalar.bits);
  if (scalar.type == kF32) return static_cast<double>(as_float(scalar));
  return static_cast<double>(as_int(scalar));
}

std::string to_text(Scalar scalar) {
  if (scalar.type == kBool) return scalar.bits != 0 ? "true" : "false";
  if (scalar.type == kF32) return number_text(as_float(scalar));
  if (scalar.type == kAbstractFloat) return number_text(as_double(scalar));
  return number_text(as_int(scalar));
}

Scalar evaluate(Op op, std::span<const Scalar> operands, ScalarFault& fault) {
  if (op == Op::select) return operands[operands[0].bits != 0 ? 1 : 2];
  if (operands[0].type == kAbstractInt) return evaluate_int(op, operands, fault);
  if (operands[0].type == kAbstractFloat) return evaluate_float(op, operands, fault);
  if (operands.size() > 1 && (operands[0].type == kI32 || operands[0].type == kU32)) {
    const ScalarFault found = integer_fault(op, operands[0], operands[1]);
    if (found != ScalarFault::none) {
      fault = found;
      return {operands[0].type, 0};
    }
  }
  return checked(evaluate_concrete(op, operands, ScalarType::u32), fault);
}

Scalar convert(Scalar scalar, TypeId to, ScalarFault& fault) {
  if (scalar.type == to || to == kFault) return scalar;
  if (to == kAbstractFloat) return abstract_float(as_double(scalar));
  if (to == kF32) return to_f32(as_double(scalar), fault);
  return int_to_integer(as_int(scalar), to, fault);
}

Scalar convert_explicitly(Scalar scalar, TypeId to, ScalarFault& fault) {
  if (scalar.type == to) return scalar;
  if (to == kBool) return boolean(as_double(scalar) != 0);
  if (scalar.type == kAbstractInt)
    return to == kF32 ? to_f32(as_double(scalar), fault)
                      : int_to_integer(as_int(scalar), to, fault);
  if (scalar.type == kAbstractFloat)
    return to == kF32 ? to_f32(as_double(scalar), fault) : double_to_integer(as_double(scalar), to);
  return evaluate_concrete(Op::convert, {&scalar, 1}, ir_scalar(to));
}

Scalar bitcast(Scalar scalar, TypeId to, ScalarFault& fault) {
  return checked({to, scalar.bits}, fault);
}

}  // namespace vyre::wgsl
