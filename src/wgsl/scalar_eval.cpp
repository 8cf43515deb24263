// SPDX-License-Identifier: MIT OR Apache-2.0
#include "wgsl/scalar_eval.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <sleef.h>

#include "base/check.h"
#include "base/half.h"
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
  if (s.type == kF16) return half_to_float(static_cast<std::uint16_t>(s.bits));
  return std::bit_cast<float>(static_cast<std::uint32_t>(s.bits));
}
bool is_f32_or_f16(TypeId type) {
  return type == kF32 || type == kF16;
}

Scalar checked(Scalar result, ScalarFault& fault) {
  if (!is_f32_or_f16(result.type) && result.type != kAbstractFloat) return result;
  if (std::isfinite(as_double(result))) return result;
  fault = ScalarFault::not_finite;
  return {result.type, 0};
}

TypeId type_of(ScalarType type) {
  for (const TypeId id : {kBool, kI32, kU32, kF16, kI64, kU64})
    if (ir_scalar(id) == type) return id;
  return kF32;
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

bool is_signed(TypeId integer) {
  return integer == kI32 || integer == kI64;
}

/// Whether a shift to the left drops bits, or changes the sign.
bool shift_drops(Scalar value, std::uint64_t count) {
  const std::uint32_t unused = Types::is_wide(value.type) ? 0 : 32;
  const Cell high = value.bits << unused;
  if (is_signed(value.type)) {
    const auto wanted = static_cast<std::int64_t>(high);
    return static_cast<std::int64_t>(high << count) >> count != wanted;
  }
  return high << count >> count != high;
}

/// Faults of integer operators that the IR defines and a constant expression forbids.
ScalarFault integer_fault(Op op, Scalar left, Scalar right) {
  const std::uint32_t width = Types::is_wide(left.type) ? 64 : 32;
  const bool is_minimum = is_signed(left.type) && left.bits == Cell{1} << (width - 1);
  if (op == Op::div || op == Op::rem) {
    if (right.bits == 0) return ScalarFault::division_by_zero;
    if (is_minimum && as_int(right) == -1) return ScalarFault::overflow;
  }
  if (op == Op::shl || op == Op::shr) {
    if (right.bits >= width) return ScalarFault::shift_too_far;
    if (op == Op::shl && shift_drops(left, right.bits)) return ScalarFault::overflow;
  }
  return ScalarFault::none;
}

std::optional<Scalar> compare(Op op, auto a, auto b) {
  if (op == Op::eq) return boolean(a == b);
  if (op == Op::ne) return boolean(a != b);
  if (op == Op::lt) return boolean(a < b);
  if (op == Op::le) return boolean(a <= b);
  if (op == Op::gt) return boolean(a > b);
  if (op == Op::ge) return boolean(a >= b);
  return std::nullopt;
}

/// The least value stays what it is.
std::int64_t negated(std::int64_t value) {
  return static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(value));
}

std::int64_t kept(std::int64_t value, bool overflow, ScalarFault& fault) {
  if (overflow) fault = ScalarFault::overflow;
  return overflow ? 0 : value;
}

std::int64_t divided(std::int64_t a, std::int64_t b, ScalarFault& fault) {
  if (b == 0) {
    fault = ScalarFault::division_by_zero;
    return 1;
  }
  const bool overflow = a == std::numeric_limits<std::int64_t>::min() && b == -1;
  return kept(overflow ? 0 : a / b, overflow, fault);
}

std::int64_t shifted_left(std::int64_t value, std::uint64_t count, ScalarFault& fault) {
  if (value == 0) return 0;
  const std::uint64_t by = std::min<std::uint64_t>(count, 63);
  const auto result = static_cast<std::int64_t>(static_cast<std::uint64_t>(value) << by);
  return kept(result, count > 63 || result >> by != value, fault);
}

using Int = std::int64_t;

/// Operators on abstract integers.
struct IntRow {
  Op op;
  Int (*apply)(Int a, Int b, Int c, ScalarFault& fault);
};

constexpr IntRow kIntRows[] = {
    {Op::add,
     [](Int a, Int b, Int, ScalarFault& fault) {
       Int result = 0;
       const bool overflow = __builtin_add_overflow(a, b, &result);
       return kept(result, overflow, fault);
     }},
    {Op::sub,
     [](Int a, Int b, Int, ScalarFault& fault) {
       Int result = 0;
       const bool overflow = __builtin_sub_overflow(a, b, &result);
       return kept(result, overflow, fault);
     }},
    {Op::mul,
     [](Int a, Int b, Int, ScalarFault& fault) {
       Int result = 0;
       const bool overflow = __builtin_mul_overflow(a, b, &result);
       return kept(result, overflow, fault);
     }},
    {Op::div, [](Int a, Int b, Int, ScalarFault& fault) { return divided(a, b, fault); }},
    {Op::rem, [](Int a, Int b, Int, ScalarFault& fault) { return a - b * divided(a, b, fault); }},
    {Op::neg, [](Int a, Int, Int, ScalarFault&) { return negated(a); }},
    {Op::abs, [](Int a, Int, Int, ScalarFault&) { return a < 0 ? negated(a) : a; }},
    {Op::sign, [](Int a, Int, Int, ScalarFault&) { return Int{a > 0} - Int{a < 0}; }},
    {Op::min, [](Int a, Int b, Int, ScalarFault&) { return std::min(a, b); }},
    {Op::max, [](Int a, Int b, Int, ScalarFault&) { return std::max(a, b); }},
    {Op::clamp, [](Int a, Int b, Int c, ScalarFault&) { return std::min(std::max(a, b), c); }},
    {Op::bit_not, [](Int a, Int, Int, ScalarFault&) { return ~a; }},
    {Op::bit_and, [](Int a, Int b, Int, ScalarFault&) { return a & b; }},
    {Op::bit_or, [](Int a, Int b, Int, ScalarFault&) { return a | b; }},
    {Op::bit_xor, [](Int a, Int b, Int, ScalarFault&) { return a ^ b; }},
    {Op::shl,
     [](Int a, Int b, Int, ScalarFault& fault) {
       return shifted_left(a, static_cast<std::uint64_t>(b), fault);
     }},
    {Op::shr, [](Int a, Int b, Int, ScalarFault&) { return a >> std::min<Int>(b, 63); }},
};

/// Operators on abstract floats: what IEEE makes the same everywhere, and functions within one ulp
/// by SLEEF's `cinz` family, whose bits are the same on every host.
struct DoubleRow {
  Op op;
  double (*apply)(double a, double b, double c);
};

double smooth_step(double low, double high, double x) {
  const double t = std::min(std::max((x - low) / (high - low), 0.0), 1.0);
  return t * t * (3 - 2 * t);
}

// SLEEF's hyperbolic functions overflow before their results do.
constexpr double kLarge = 1e100;
constexpr double kLogOf2 = 0.693147180559945309417;
constexpr double kNearOverflow = 700;

double half_exp(double x) {
  const double root = Sleef_cinz_expd1_u10purec(x / 2);
  return root / 2 * root;
}

double wide_sinh(double x) {
  return std::fabs(x) > kNearOverflow ? std::copysign(half_exp(std::fabs(x)), x)
                                      : Sleef_cinz_sinhd1_u10purec(x);
}

double wide_cosh(double x) {
  return std::fabs(x) > kNearOverflow ? half_exp(std::fabs(x)) : Sleef_cinz_coshd1_u10purec(x);
}

double wide_asinh(double x) {
  const double size = std::fabs(x);
  return size > kLarge ? std::copysign(Sleef_cinz_logd1_u10purec(size) + kLogOf2, x)
                       : Sleef_cinz_asinhd1_u10purec(x);
}

double wide_acosh(double x) {
  return x > kLarge ? Sleef_cinz_logd1_u10purec(x) + kLogOf2 : Sleef_cinz_acoshd1_u10purec(x);
}

constexpr DoubleRow kDoubleRows[] = {
    {Op::neg, [](double a, double, double) { return -a; }},
    {Op::add, [](double a, double b, double) { return a + b; }},
    {Op::sub, [](double a, double b, double) { return a - b; }},
    {Op::mul, [](double a, double b, double) { return a * b; }},
    {Op::div, [](double a, double b, double) { return a / b; }},
    {Op::rem, [](double a, double b, double) { return a - b * std::trunc(a / b); }},
    {Op::abs, [](double a, double, double) { return std::fabs(a); }},
    {Op::sign, [](double a, double, double) { return static_cast<double>((a > 0) - (a < 0)); }},
    {Op::min, [](double a, double b, double) { return std::min(a, b); }},
    {Op::max, [](double a, double b, double) { return std::max(a, b); }},
    {Op::clamp, [](double a, double b, double c) { return std::min(std::max(a, b), c); }},
    {Op::saturate, [](double a, double, double) { return std::min(std::max(a, 0.0), 1.0); }},
    {Op::fma, [](double a, double b, double c) { return std::fma(a, b, c); }},
    {Op::sqrt, [](double a, double, double) { return std::sqrt(a); }},
    {Op::inverse_sqrt, [](double a, double, double) { return 1 / std::sqrt(a); }},
    {Op::floor, [](double a, double, double) { return std::floor(a); }},
    {Op::ceil, [](double a, double, double) { return std::ceil(a); }},
    {Op::trunc, [](double a, double, double) { return std::trunc(a); }},
    {Op::round, [](double a, double, double) { return std::nearbyint(a); }},
    {Op::fract, [](double a, double, double) { return a - std::floor(a); }},
    {Op::degrees, [](double a, double, double) { return a * 57.295779513082320876798; }},
    {Op::radians, [](double a, double, double) { return a * 0.017453292519943295769; }},
    {Op::step, [](double a, double b, double) { return a <= b ? 1.0 : 0.0; }},
    {Op::mix, [](double a, double b, double c) { return a * (1 - c) + b * c; }},
    {Op::smoothstep, smooth_step},
    {Op::ldexp,
     [](double a, double b, double) {
       return std::ldexp(a, static_cast<int>(std::clamp(b, -5000.0, 5000.0)));
     }},
    {Op::exp, [](double a, double, double) { return Sleef_cinz_expd1_u10purec(a); }},
    {Op::exp2, [](double a, double, double) { return Sleef_cinz_exp2d1_u10purec(a); }},
    {Op::log, [](double a, double, double) { return Sleef_cinz_logd1_u10purec(a); }},
    {Op::log2, [](double a, double, double) { return Sleef_cinz_log2d1_u10purec(a); }},
    {Op::pow, [](double a, double b, double) { return Sleef_cinz_powd1_u10purec(a, b); }},
    {Op::sin, [](double a, double, double) { return Sleef_cinz_sind1_u10purec(a); }},
    {Op::cos, [](double a, double, double) { return Sleef_cinz_cosd1_u10purec(a); }},
    {Op::tan, [](double a, double, double) { return Sleef_cinz_tand1_u10purec(a); }},
    {Op::asin, [](double a, double, double) { return Sleef_cinz_asind1_u10purec(a); }},
    {Op::acos, [](double a, double, double) { return Sleef_cinz_acosd1_u10purec(a); }},
    {Op::atan, [](double a, double, double) { return Sleef_cinz_atand1_u10purec(a); }},
    {Op::atan2, [](double a, double b, double) { return Sleef_cinz_atan2d1_u10purec(a, b); }},
    {Op::sinh, [](double a, double, double) { return wide_sinh(a); }},
    {Op::cosh, [](double a, double, double) { return wide_cosh(a); }},
    {Op::tanh, [](double a, double, double) { return Sleef_cinz_tanhd1_u10purec(a); }},
    {Op::asinh, [](double a, double, double) { return wide_asinh(a); }},
    {Op::acosh, [](double a, double, double) { return wide_acosh(a); }},
    {Op::atanh, [](double a, double, double) { return Sleef_cinz_atanhd1_u10purec(a); }},
};

template <typename Row, std::size_t n>
const Row& row_of(const Row (&rows)[n], Op op) {
  const Row* row = std::find_if(std::begin(rows), std::end(rows),
                                [op](const Row& candidate) { return candidate.op == op; });
  VYRE_CHECK(row != std::end(rows));
  return *row;
}

Scalar evaluate_int(Op op, std::span<const Scalar> operands, ScalarFault& fault) {
  std::array<Int, 3> values = {};
  for (std::size_t i = 0; i < operands.size(); ++i)
    values[i] = as_int(operands[i]);
  if (const auto result = compare(op, values[0], values[1])) return *result;
  const Int result = row_of(kIntRows, op).apply(values[0], values[1], values[2], fault);
  return abstract_int(fault == ScalarFault::none ? result : 0);
}

Scalar evaluate_float(Op op, std::span<const Scalar> operands, ScalarFault& fault) {
  std::array<double, 3> values = {};
  for (std::size_t i = 0; i < operands.size(); ++i)
    values[i] = as_double(operands[i]);
  if (const auto result = compare(op, values[0], values[1])) return *result;
  const double result = row_of(kDoubleRows, op).apply(values[0], values[1], values[2]);
  return checked(abstract_float(result), fault);
}

template <typename T>
std::string number_text(T value) {
  std::array<char, 64> buffer = {};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return {buffer.data(), end};
}

bool fits(std::int64_t value, TypeId type) {
  if (type == kI64) return true;
  if (type == kU64) return value >= 0;
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

/// Rounded once: the f32 on the way keeps, in its last bit, that something was lost.
Scalar to_f16(double value, ScalarFault& fault) {
  constexpr double kOverflow = 65520;  // halfway between the greatest f16 and 2^16
  if (!(std::fabs(value) < kOverflow)) {
    fault = ScalarFault::not_representable;
    return {kF16, 0};
  }
  auto narrow = static_cast<float>(value);
  if (static_cast<double>(narrow) != value) {
    if (std::fabs(static_cast<double>(narrow)) > std::fabs(value))
      narrow = std::nextafter(narrow, 0.0f);
    narrow = std::bit_cast<float>(std::bit_cast<std::uint32_t>(narrow) | 1U);
  }
  return {kF16, float_to_half(narrow)};
}

Scalar to_float(double value, TypeId to, ScalarFault& fault) {
  return to == kF16 ? to_f16(value, fault) : to_f32(value, fault);
}

/// What a type keeps of 64 bits.
Cell pattern(TypeId integer, Cell bits) {
  return Types::is_wide(integer) ? bits : bits & 0xffffffffU;
}

Scalar int_to_integer(std::int64_t value, TypeId to, ScalarFault& fault) {
  if (!fits(value, to)) fault = ScalarFault::not_representable;
  return {to, pattern(to, static_cast<Cell>(value))};
}

/// Clamped to what both types hold.
Scalar double_to_integer(double value, TypeId to) {
  const int bits = (Types::is_wide(to) ? 64 : 32) - (is_signed(to) ? 1 : 0);
  const double low = is_signed(to) ? -std::ldexp(1.0, bits) : 0.0;
  const double past = std::ldexp(1.0, bits);
  const double high = bits < 54 ? past - 1 : std::nextafter(past, 0.0);
  const double clamped = std::clamp(std::trunc(value), low, high);
  const Cell whole = is_signed(to) ? static_cast<Cell>(static_cast<std::int64_t>(clamped))
                                   : static_cast<Cell>(clamped);
  return {to, pattern(to, whole)};
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
  if (is_f32_or_f16(scalar.type)) return static_cast<double>(as_float(scalar));
  if (scalar.type == kU64) return static_cast<double>(scalar.bits);
  return static_cast<double>(as_int(scalar));
}

std::string to_text(Scalar scalar) {
  if (scalar.type == kBool) return scalar.bits != 0 ? "true" : "false";
  if (is_f32_or_f16(scalar.type)) return number_text(as_float(scalar));
  if (scalar.type == kAbstractFloat) return number_text(as_double(scalar));
  if (scalar.type == kU64) return number_text(scalar.bits);
  return number_text(as_int(scalar));
}

namespace {

/// The first operation of the definition, x * (1 - a) + y * a, that is not finite in 16 bits: the
/// operator itself is exact beyond them.
ScalarFault half_mix_fault(Scalar x, Scalar y, Scalar a) {
  constexpr Scalar kOne = {kF16, 0x3c00};
  ScalarFault fault = ScalarFault::none;
  const auto step = [&](Op op, Scalar left, Scalar right) {
    const Scalar operands[] = {left, right};
    return evaluate(op, operands, fault);
  };
  step(Op::add, step(Op::mul, x, step(Op::sub, kOne, a)), step(Op::mul, y, a));
  return fault;
}

}  // namespace

Scalar evaluate(Op op, std::span<const Scalar> operands, ScalarFault& fault) {
  if (op == Op::select) return operands[operands[0].bits != 0 ? 1 : 2];
  if (operands[0].type == kAbstractInt) return evaluate_int(op, operands, fault);
  if (operands[0].type == kAbstractFloat) return evaluate_float(op, operands, fault);
  if (operands.size() > 1 && Types::is_integer(operands[0].type)) {
    const ScalarFault found = integer_fault(op, operands[0], operands[1]);
    if (found != ScalarFault::none) {
      fault = found;
      return {operands[0].type, 0};
    }
  }
  if (op == Op::mix && operands[0].type == kF16)
    fault = half_mix_fault(operands[0], operands[1], operands[2]);
  if (fault != ScalarFault::none) return {operands[0].type, 0};
  return checked(evaluate_concrete(op, operands, ScalarType::u32), fault);
}

Scalar convert(Scalar scalar, TypeId to, ScalarFault& fault) {
  if (scalar.type == to || to == kFault) return scalar;
  if (to == kAbstractFloat) return abstract_float(as_double(scalar));
  if (is_f32_or_f16(to)) return to_float(as_double(scalar), to, fault);
  return int_to_integer(as_int(scalar), to, fault);
}

Scalar convert_explicitly(Scalar scalar, TypeId to, ScalarFault& fault) {
  if (scalar.type == to) return scalar;
  if (to == kBool) return boolean(as_double(scalar) != 0);
  if (scalar.type == kAbstractInt)
    return is_f32_or_f16(to) ? to_float(as_double(scalar), to, fault)
                             : int_to_integer(as_int(scalar), to, fault);
  if (scalar.type == kAbstractFloat)
    return is_f32_or_f16(to) ? to_float(as_double(scalar), to, fault)
                             : double_to_integer(as_double(scalar), to);
  if (to == kF16) return to_f16(as_double(scalar), fault);
  return evaluate_concrete(Op::convert, {&scalar, 1}, ir_scalar(to));
}

Scalar bitcast(Scalar scalar, TypeId to, ScalarFault& fault) {
  return checked({to, scalar.bits}, fault);
}

}  // namespace vyre::wgsl
