// SPDX-License-Identifier: MIT OR Apache-2.0
#include <bit>
#include <cmath>
#include <limits>
#include <optional>

#include "base/check.h"
#include "base/half.h"
#include "lower/passes.h"
#include "lower/rewrite.h"

// Core operators whose meaning a text target does not promise for every operand, spelled with
// those it does promise.  Comparisons of floats, selects, and integer + - * on values that are not
// constants may be trusted; NaNs are told by their bits, because a compiler may assume there are
// none.  What no literal can say is a bit pattern combined with the launch block's zero word.
namespace vyre {
namespace {

constexpr std::uint32_t kSign = 0x80000000u;

class Pinner : public Rewriter {
 public:
  Pinner(const Program& from, const Target& target)
      : Rewriter(from), t_(to_), float_exact_(target.float_exact) {}

 private:
  ExprId leaf(const Expr& expr) override {
    const bool is_half = expr.kind == ExprKind::constant && expr.type == ScalarType::f16;
    if (is_half && (expr.bits & 0x7c00u) == 0x7c00u) {  // it has no literal
      const float value = half_to_float(static_cast<std::uint16_t>(expr.bits));
      return t_.convert(expr.type, hidden(std::bit_cast<std::uint32_t>(value)));
    }
    const bool is_float_constant = expr.kind == ExprKind::constant && expr.type == kF32;
    return is_float_constant && !std::isfinite(as_float(expr.bits))
               ? hidden(static_cast<std::uint32_t>(expr.bits))
               : to_.expr(expr);
  }

  ExprId operation(ExprId, const Expr& with_literals) override {
    const ScalarType type = to_.type(with_literals.operands[0]);
    if (type == ScalarType::f16)
      return to_.expr(with_literals);  // only exact devices have its operators
    const Expr expr = unmergeable(with_literals);
    const ExprId x = expr.operands[0];
    const ExprId y = expr.operands[1];
    const bool integer = is_integer(type);
    switch (expr.op) {
      case Op::div: return integer ? divide(x, y) : to_.expr(expr);
      case Op::rem: return integer ? remainder(x, y) : float_remainder(x, y);
      case Op::shl:
      case Op::shr: return t_.op(expr.op, x, masked(y, width(type) - 1));
      case Op::convert: return convert(expr, x);
      case Op::min:
      case Op::max: return integer ? to_.expr(expr) : extreme(expr.op == Op::min, x, y);
      case Op::abs: return absolute(expr);
      case Op::ne:  // true with a NaN, which "!=" is not everywhere
        return is_float(type) ? t_.negate(t_.eq(x, y)) : to_.expr(expr);
      case Op::neg: return is_float(type) && !float_exact_ ? flipped(x) : to_.expr(expr);
      // clang-format off
      case Op::add: case Op::sub: case Op::mul: case Op::sign: case Op::clamp: case Op::bit_not:
      case Op::bit_and: case Op::bit_or: case Op::bit_xor: case Op::rotl: case Op::rotr:
      case Op::clz: case Op::ctz: case Op::popcount: case Op::reverse_bits:
      case Op::first_leading_bit: case Op::first_trailing_bit: case Op::extract_bits:
      case Op::mul_high: case Op::logical_not: case Op::logical_and: case Op::logical_or:
      case Op::eq: case Op::lt: case Op::le: case Op::gt: case Op::ge:
      case Op::select: case Op::bitcast: case Op::half_to_float: case Op::float_to_half:
      case Op::is_nan: case Op::is_inf: case Op::fma: case Op::sqrt: case Op::inverse_sqrt:
      case Op::floor: case Op::ceil: case Op::trunc: case Op::round: case Op::fract:
      case Op::exp: case Op::exp2: case Op::log: case Op::log2: case Op::pow: case Op::sin:
      case Op::cos: case Op::tan: case Op::asin: case Op::acos: case Op::atan: case Op::atan2:
      case Op::sinh: case Op::cosh: case Op::tanh: case Op::asinh: case Op::acosh:
      case Op::atanh: case Op::ldexp: case Op::degrees: case Op::radians: case Op::saturate:
      case Op::step: case Op::mix: case Op::smoothstep: return to_.expr(expr);
        // clang-format on
    }
    VYRE_UNREACHABLE();
  }

  static float as_float(std::uint64_t bits) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  }
  [[nodiscard]] std::optional<std::uint64_t> known(ExprId id) const {
    if (to_[id].kind != ExprKind::constant) return std::nullopt;
    return to_[id].bits;
  }
  static std::uint32_t width(ScalarType type) { return info(type).bytes * 8u; }
  static bool is_signed(ScalarType type) { return info(type).kind == ScalarKind::signed_integer; }
  static std::uint64_t minus_one(ScalarType type) {
    return ~std::uint64_t{0} >> (64 - width(type));
  }

  ExprId hidden(std::uint32_t bits) {
    return t_.bitcast(kF32, t_.bit_xor(to_.launch(LaunchField::zero), t_.u32(bits)));
  }

  ExprId masked(ExprId count, std::uint32_t mask) {
    if (const auto bits = known(count)) return t_.u32(static_cast<std::uint32_t>(*bits) & mask);
    return t_.bit_and(count, t_.u32(mask));
  }

  // ---- integers: a divisor of 1 where dividing would fault gives what the language wants

  ExprId faults(ExprId x, ExprId y) {
    const ExprId by_zero = t_.eq(y, t_.zero(to_.type(y)));
    const ScalarType type = to_.type(x);
    if (!is_signed(type)) return by_zero;
    const ExprId least = t_.eq(x, to_.constant(type, std::uint64_t{1} << (width(type) - 1)));
    const ExprId by_minus_one = t_.eq(y, to_.constant(type, minus_one(type)));
    return t_.either(by_zero, t_.both(least, by_minus_one));
  }

  ExprId safe_divisor(ExprId x, ExprId y) {
    return t_.select(faults(x, y), to_.constant(to_.type(y), 1), y);
  }

  ExprId divide(ExprId x, ExprId y) {
    const ScalarType type = to_.type(x);
    if (const auto bits = known(y)) {
      if (*bits == 0) return x;
      if (is_signed(type) && *bits == minus_one(type)) return t_.op(Op::neg, x);
      return t_.op(Op::div, x, y);
    }
    return t_.op(Op::div, x, safe_divisor(x, y));
  }

  ExprId remainder(ExprId x, ExprId y) {
    const ScalarType type = to_.type(x);
    if (const auto bits = known(y)) {
      if (*bits == 0 || (is_signed(type) && *bits == minus_one(type))) return t_.zero(type);
      return signed_safe_remainder(x, y);
    }
    return signed_safe_remainder(x, safe_divisor(x, y));
  }

  /// SPIR-V leaves the remainder of negative operands open, and drivers differ; quotients are
  /// exact.
  ExprId signed_safe_remainder(ExprId x, ExprId y) {
    if (!is_signed(to_.type(x))) return t_.op(Op::rem, x, y);
    return t_.sub(x, t_.mul(t_.op(Op::div, x, y), y));
  }

  // ---- floats

  /// A compiler that takes x * a * b for x * (a * b), or the same of sums, may leave the range of
  /// numbers though no step of the program does: it must not know constants that are extreme.
  Expr unmergeable(Expr expr) {
    if (float_exact_ || expr.type != kF32) return expr;
    const bool scales = expr.op == Op::mul || expr.op == Op::div;
    if (!scales && expr.op != Op::add && expr.op != Op::sub) return expr;
    for (std::size_t i = 0; i < 2; ++i) {
      const auto bits = known(expr.operands[i]);
      if (bits && is_extreme(static_cast<std::uint32_t>(*bits), scales))
        expr.operands[i] = hidden(static_cast<std::uint32_t>(*bits));
    }
    return expr;
  }
  static bool is_extreme(std::uint32_t bits, bool scales) {
    const auto exponent = static_cast<int>(bits >> 23 & 0xff) - 127;
    if ((bits & ~kSign) == 0) return false;
    return scales ? exponent <= -32 || exponent >= 32 : exponent >= 96;
  }

  ExprId float_remainder(ExprId x, ExprId y) {
    return t_.sub(x, t_.mul(y, t_.op(Op::trunc, t_.op(Op::div, x, y))));
  }

  ExprId is_nan(ExprId x) {
    return t_.gt(t_.bit_and(t_.bits(x), t_.u32(~kSign)), t_.u32(0x7f800000u));
  }

  ExprId flipped(ExprId x) { return t_.bitcast(kF32, t_.bit_xor(t_.bits(x), t_.u32(kSign))); }

  ExprId absolute(const Expr& expr) {
    const ExprId x = expr.operands[0];
    if (is_signed(expr.type)) return t_.select(t_.lt(x, t_.zero(expr.type)), t_.op(Op::neg, x), x);
    if (expr.type != kF32 || float_exact_) return to_.expr(expr);
    return t_.bitcast(kF32, t_.bit_and(t_.bits(x), t_.u32(~kSign)));
  }

  ExprId convert(const Expr& expr, ExprId x) {
    const ScalarType from = to_.type(x);
    if (!is_integer(expr.type) || !(is_integer(from) || is_float(from))) return to_.expr(expr);
    return is_float(from) ? to_integer(expr.type, x) : widen(expr, x);
  }
  /// Naga extends a word by the sign of the result's type, where the operand's is what counts; and
  /// Mesa takes an i32 that is extended to be above each constant.  So only a u32 is extended.
  ExprId widen(const Expr& expr, ExprId x) {
    const ScalarType from = to_.type(x);
    if (width(expr.type) <= width(from)) return to_.expr(expr);
    constexpr ScalarType kWide = ScalarType::u64;
    ExprId wide = t_.convert(kWide, is_signed(from) ? t_.bit_xor(t_.bits(x), t_.u32(kSign)) : x);
    if (is_signed(from)) wide = t_.sub(wide, to_.constant(kWide, kSign));
    return expr.type == kWide ? wide : t_.bitcast(expr.type, wide);
  }

  /// Clamped to what both types can hold, so that the conversion itself is exact.
  ExprId to_integer(ScalarType type, ExprId x) {
    const int bits = static_cast<int>(width(type)) - (is_signed(type) ? 1 : 0);
    const float past = std::ldexp(1.0f, bits);
    const ExprId low = to_.f32(is_signed(type) ? -past : 0.0f);
    const ExprId high = to_.f32(std::nextafter(past, 0.0f));
    const ExprId above = t_.select(t_.gt(x, low), x, low);
    const ExprId inside = t_.select(t_.lt(above, high), above, high);
    return t_.select(is_nan(x), t_.zero(type), t_.convert(type, inside));
  }

  /// One operand a constant that is a number: a comparison says all, and prefers the constant
  /// where the other is NaN.  Where both are zeros the comparison is chosen to pick by sign.
  ExprId extreme_of(bool least, ExprId x, ExprId constant) {
    const auto bits = *known(constant);
    const bool on_equal = least ? bits == 0 : bits == kSign;
    const Op op = least ? (on_equal ? Op::le : Op::lt) : (on_equal ? Op::ge : Op::gt);
    return t_.select(t_.op(op, x, constant), x, constant);
  }

  [[nodiscard]] bool is_number(ExprId id) const {
    const auto bits = known(id);
    return bits && std::isfinite(as_float(*bits));
  }

  /// Bits in an order of their own: as signed integers they order as the floats do, −0 below +0.
  ExprId ordered(ExprId x) {
    const ExprId bits = t_.bitcast(kI32, x);
    const ExprId sign = t_.shr(bits, t_.u32(31));
    return t_.bit_xor(bits, t_.bit_and(sign, to_.i32(std::numeric_limits<std::int32_t>::max())));
  }

  ExprId extreme(bool least, ExprId x, ExprId y) {
    if (is_number(y)) return extreme_of(least, x, y);
    if (is_number(x)) return extreme_of(least, y, x);
    const ExprId first = t_.op(least ? Op::lt : Op::gt, ordered(x), ordered(y));
    const ExprId chosen = t_.either(is_nan(y), t_.both(t_.negate(is_nan(x)), first));
    return t_.select(chosen, x, y);
  }

  Terms t_;
  bool float_exact_;
};

}  // namespace

Program pin_meaning(const Program& program, const Target& target) {
  return Pinner(program, target).run();
}

}  // namespace vyre
