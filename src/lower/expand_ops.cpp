// SPDX-License-Identifier: MIT OR Apache-2.0
#include "base/check.h"
#include "lower/passes.h"
#include "lower/rewrite.h"

// Composite operators, written in core ones.  Each follows the function of its name in
// `ir/meaning.h` to the bit.
namespace vyre {
namespace {

class Expander : public Rewriter {
 public:
  explicit Expander(const Program& from) : Rewriter(from), t_(to_) {}

 private:
  ExprId operation(ExprId, const Expr& expr) override {
    const ExprId x = expr.operands[0];
    const ExprId y = expr.operands[1];
    const ExprId z = expr.operands[2];
    switch (expr.op) {
      case Op::sign: return sign(x);
      case Op::clamp: return clamp(x, y, z);
      case Op::rotl: return rotate_left(x, t_.bit_and(y, t_.u32(width(x) - 1)));
      case Op::rotr: return rotate_right(x, y);
      case Op::first_leading_bit: return first_leading_bit(x);
      case Op::first_trailing_bit:
        return t_.select(t_.eq(x, zero(x)), t_.op(Op::bit_not, zero(x)), counted(Op::ctz, x));
      case Op::clz:
      case Op::ctz:
      case Op::popcount: return counted(expr.op, x);
      case Op::reverse_bits: return width(x) == 64 ? reverse_halves(x) : to_.expr(expr);
      case Op::extract_bits: return extract_bits(x, y, z);
      case Op::mul_high: return mul_high(x, y);
      case Op::half_to_float: return half_to_float(x);
      case Op::float_to_half: return float_to_half(x);
      case Op::is_nan: return t_.gt(magnitude(x), t_.u32(0x7f800000u));
      case Op::is_inf: return t_.eq(magnitude(x), t_.u32(0x7f800000u));
      case Op::fract: return t_.sub(x, t_.op(Op::floor, x));
      case Op::ldexp: return ldexp(x, y);
      case Op::degrees: return t_.mul(x, to_.f32(57.29578f));
      case Op::radians: return t_.mul(x, to_.f32(0.017453292f));
      case Op::saturate: return clamp(x, to_.f32(0), to_.f32(1));
      case Op::step: return t_.select(t_.le(x, y), to_.f32(1), to_.f32(0));
      case Op::mix: return t_.add(t_.mul(x, t_.sub(to_.f32(1), z)), t_.mul(y, z));
      case Op::smoothstep: return smoothstep(x, y, z);
      case Op::neg:
      case Op::add:
      case Op::sub:
      case Op::mul:
      case Op::div:
      case Op::rem:
      case Op::abs:
      case Op::min:
      case Op::max:
      case Op::bit_not:
      case Op::bit_and:
      case Op::bit_or:
      case Op::bit_xor:
      case Op::shl:
      case Op::shr:
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
      case Op::fma:
      case Op::sqrt:
      case Op::inverse_sqrt:
      case Op::floor:
      case Op::ceil:
      case Op::trunc:
      case Op::round:
      case Op::exp:
      case Op::exp2:
      case Op::log:
      case Op::log2:
      case Op::pow:
      case Op::sin:
      case Op::cos:
      case Op::tan:
      case Op::asin:
      case Op::acos:
      case Op::atan:
      case Op::atan2:
      case Op::sinh:
      case Op::cosh:
      case Op::tanh:
      case Op::asinh:
      case Op::acosh:
      case Op::atanh: return to_.expr(expr);
    }
    VYRE_UNREACHABLE();
  }

  [[nodiscard]] std::uint32_t width(ExprId x) const { return info(to_.type(x)).bytes * 8u; }
  ExprId zero(ExprId like) { return t_.zero(to_.type(like)); }

  ExprId sign(ExprId x) {
    const ScalarType type = to_.type(x);
    if (type == ScalarType::f32) return float_sign(x);
    const ExprId plus = to_.constant(type, 1);
    const ExprId minus = t_.op(Op::neg, plus);
    return t_.select(t_.gt(x, zero(x)), plus, t_.select(t_.lt(x, zero(x)), minus, zero(x)));
  }

  /// By bits, since a comparison may flush subnormals: 1 with the sign of a number that is not
  /// zero.
  ExprId float_sign(ExprId x) {
    const ExprId magnitude = t_.bit_and(t_.bits(x), t_.u32(0x7fffffff));
    const ExprId number =
        t_.both(t_.op(Op::ne, magnitude, t_.u32(0)), t_.op(Op::le, magnitude, t_.u32(0x7f800000)));
    const ExprId one = t_.bit_or(t_.bit_and(t_.bits(x), t_.u32(0x80000000)), t_.u32(0x3f800000));
    return t_.bitcast(kF32, t_.select(number, one, t_.u32(0)));
  }

  ExprId clamp(ExprId x, ExprId low, ExprId high) {
    return t_.op(Op::min, t_.op(Op::max, x, low), high);
  }

  ExprId unsigned_bits(ExprId x) { return t_.bitcast(width(x) == 64 ? ScalarType::u64 : kU32, x); }

  ExprId low_half(ExprId x) { return t_.convert(kU32, unsigned_bits(x)); }
  ExprId high_half(ExprId x) { return t_.convert(kU32, t_.shr(unsigned_bits(x), t_.u32(32))); }

  /// `clz`, `ctz` or `popcount`; of 64 bits by halves, since devices count 32.
  ExprId counted(Op op, ExprId x) {
    if (width(x) == 32) return t_.op(op, x);
    const ExprId low = t_.op(op, low_half(x));
    const ExprId high = t_.op(op, high_half(x));
    if (op == Op::popcount) return t_.convert(to_.type(x), t_.add(low, high));
    const ExprId first = op == Op::clz ? high : low;
    const ExprId second = op == Op::clz ? low : high;
    const ExprId all = t_.u32(32);
    return t_.convert(to_.type(x), t_.select(t_.eq(first, all), t_.add(second, all), first));
  }

  ExprId reverse_halves(ExprId x) {
    const ScalarType wide = ScalarType::u64;
    const ExprId high = t_.convert(wide, t_.op(Op::reverse_bits, low_half(x)));
    const ExprId low = t_.convert(wide, t_.op(Op::reverse_bits, high_half(x)));
    return t_.bitcast(to_.type(x), t_.bit_or(t_.shl(high, t_.u32(32)), low));
  }

  /// REQUIRES: left < width.
  ExprId rotate_left(ExprId x, ExprId left) {
    const ExprId right = t_.bit_and(t_.sub(t_.u32(width(x)), left), t_.u32(width(x) - 1));
    const ExprId bits = unsigned_bits(x);
    return t_.bitcast(to_.type(x), t_.bit_or(t_.shl(bits, left), t_.shr(bits, right)));
  }

  ExprId rotate_right(ExprId x, ExprId count) {
    const ExprId mask = t_.u32(width(x) - 1);
    const ExprId right = t_.bit_and(count, mask);
    return rotate_left(x, t_.bit_and(t_.sub(t_.u32(width(x)), right), mask));
  }

  ExprId first_leading_bit(ExprId x) {
    const ScalarType type = to_.type(x);
    const ExprId top = to_.constant(type, width(x) - 1);
    if (info(type).kind == ScalarKind::signed_integer)
      x = t_.bit_xor(x, t_.shr(x, t_.u32(width(x) - 1)));
    return t_.sub(top, counted(Op::clz, x));
  }

  ExprId extract_bits(ExprId x, ExprId offset, ExprId count) {
    const ExprId all = t_.u32(width(x));
    const ExprId above = t_.sub(all, t_.op(Op::min, offset, all));
    const ExprId length = t_.op(Op::min, count, above);
    const ExprId top = t_.shl(x, t_.sub(above, length));
    const ExprId low = t_.shr(top, t_.sub(all, length));
    return t_.select(t_.eq(length, t_.u32(0)), zero(x), low);
  }

  /// By 16-bit halves; a signed product is the unsigned one less what the signs added.
  ExprId mul_high(ExprId x, ExprId y) {
    const ExprId a = t_.bits(x);
    const ExprId b = t_.bits(y);
    const ExprId half = t_.u32(16);
    const ExprId mask = t_.u32(0xffff);
    const ExprId a_low = t_.bit_and(a, mask);
    const ExprId b_low = t_.bit_and(b, mask);
    const ExprId a_high = t_.shr(a, half);
    const ExprId b_high = t_.shr(b, half);
    const ExprId low = t_.shr(t_.mul(a_low, b_low), half);
    const ExprId middle = t_.add(t_.mul(a_high, b_low), low);
    const ExprId other = t_.add(t_.mul(a_low, b_high), t_.bit_and(middle, mask));
    const ExprId high =
        t_.add(t_.add(t_.mul(a_high, b_high), t_.shr(middle, half)), t_.shr(other, half));
    if (to_.type(x) == kU32) return high;
    const ExprId zero = t_.u32(0);
    const ExprId from_x = t_.select(t_.lt(x, to_.i32(0)), b, zero);
    const ExprId from_y = t_.select(t_.lt(y, to_.i32(0)), a, zero);
    return t_.bitcast(kI32, t_.sub(t_.sub(high, from_x), from_y));
  }

  ExprId magnitude(ExprId x) { return t_.bit_and(t_.bits(x), t_.u32(0x7fffffffu)); }

  ExprId half_to_float(ExprId half) {
    const ExprId sign = t_.shl(t_.bit_and(half, t_.u32(0x8000)), t_.u32(16));
    const ExprId size = t_.bit_and(half, t_.u32(0x7fff));
    const ExprId fraction = t_.bit_and(half, t_.u32(0x3ff));
    const ExprId widened = t_.shl(size, t_.u32(13));
    const ExprId normal = t_.add(widened, t_.u32(112u << 23));
    const ExprId quiet = t_.select(t_.eq(fraction, t_.u32(0)), t_.u32(0), t_.u32(0x400000));
    const ExprId special = t_.bit_or(t_.bit_or(widened, t_.u32(0x7f800000u)), quiet);
    // Exact: the product of two normal floats is a normal float, or zero.
    const ExprId small = t_.bits(t_.mul(t_.convert(kF32, fraction), to_.f32(0x1p-24f)));
    const ExprId finite = t_.select(t_.lt(size, t_.u32(0x400)), small, normal);
    const ExprId bits = t_.select(t_.ge(size, t_.u32(0x7c00)), special, finite);
    return t_.bitcast(kF32, t_.bit_or(sign, bits));
  }

  /// `bits` shifted right by `count` > 0, rounded to nearest, ties to even.
  ExprId shift_rounding(ExprId bits, ExprId count) {
    const ExprId odd = t_.bit_and(t_.shr(bits, count), t_.u32(1));
    const ExprId below_half = t_.sub(t_.shl(t_.u32(1), t_.sub(count, t_.u32(1))), t_.u32(1));
    return t_.shr(t_.add(bits, t_.add(below_half, odd)), count);
  }

  ExprId float_to_half(ExprId x) {
    const ExprId sign = t_.bit_and(t_.shr(t_.bits(x), t_.u32(16)), t_.u32(0x8000));
    const ExprId size = magnitude(x);
    const ExprId exponent = t_.shr(size, t_.u32(23));
    const ExprId fraction = t_.bit_and(size, t_.u32(0x7fffff));
    const ExprId nan = t_.bit_or(t_.u32(0x7e00), t_.shr(fraction, t_.u32(13)));
    // Rounding may carry into the exponent, up to infinity: that is the right answer.
    const ExprId normal = shift_rounding(t_.sub(size, t_.u32(112u << 23)), t_.u32(13));
    const ExprId small =
        shift_rounding(t_.bit_or(fraction, t_.u32(0x800000)), t_.sub(t_.u32(126), exponent));
    const auto from = [&](std::uint32_t e) { return t_.ge(exponent, t_.u32(e)); };
    const ExprId tiny = t_.select(from(102), small, t_.u32(0));
    const ExprId finite = t_.select(from(113), normal, tiny);
    const ExprId number = t_.select(from(143), t_.u32(0x7c00), finite);
    const ExprId half = t_.select(t_.gt(size, t_.u32(0x7f800000u)), nan, number);
    return t_.bit_or(sign, half);
  }

  /// By bits: a compiler that merges factors which it knows would lose what is between them.
  ExprId ldexp(ExprId x, ExprId by) {
    const ExprId size = magnitude(x);
    const ExprId sign = t_.bit_xor(t_.bits(x), size);
    const ExprId field = t_.shr(size, t_.u32(23));
    // The significand with its first bit at 23, a subnormal one moved there.
    const ExprId subnormal = t_.eq(field, t_.u32(0));
    const ExprId moved = t_.sub(t_.op(Op::clz, size), t_.u32(8));
    const ExprId normal = t_.bit_or(t_.bit_and(size, t_.u32(0x7fffff)), t_.u32(0x800000));
    const ExprId significand = t_.select(subnormal, t_.shl(size, moved), normal);
    const ExprId from = t_.select(subnormal, t_.sub(t_.u32(1), moved), field);
    const ExprId step = clamp(by, to_.i32(-300), to_.i32(300));
    const ExprId exponent = t_.add(t_.bitcast(kI32, from), step);
    const ExprId below = clamp(t_.sub(to_.i32(1), exponent), to_.i32(1), to_.i32(25));
    const ExprId rounded = shift_rounding(significand, t_.bits(below));
    const ExprId scaled =
        t_.bit_or(t_.shl(t_.bits(exponent), t_.u32(23)), t_.bit_and(significand, t_.u32(0x7fffff)));
    const ExprId finite = t_.select(t_.lt(exponent, to_.i32(1)), rounded, scaled);
    const ExprId number = t_.select(t_.gt(exponent, to_.i32(254)), t_.u32(0x7f800000u), finite);
    const ExprId stays = t_.either(t_.eq(size, t_.u32(0)), t_.ge(size, t_.u32(0x7f800000u)));
    return t_.bitcast(kF32, t_.bit_or(sign, t_.select(stays, size, number)));
  }

  ExprId smoothstep(ExprId low, ExprId high, ExprId x) {
    const ExprId ratio = t_.op(Op::div, t_.sub(x, low), t_.sub(high, low));
    const ExprId t = clamp(ratio, to_.f32(0), to_.f32(1));
    const ExprId slope = t_.sub(to_.f32(3), t_.mul(to_.f32(2), t));
    return t_.mul(t_.mul(t, t), slope);
  }

  Terms t_;
};

}  // namespace

Program expand_ops(const Program& program) {
  return Expander(program).run();
}

}  // namespace vyre
