// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "vyre/op.h"

#include "base/check.h"
#include "wgsl/builtins.h"
#include "wgsl/types.h"

/// The built-in functions that are several operators, written once for both uses: constant
/// evaluation (values are `Scalar`) and lowering (values are IR expressions).
///
/// An emitter `E` gives
///   E::Value                              one scalar
///   Value op(Op, std::initializer_list<Value>)
///   Value number(Value like, double)      a constant of the type of `like`
///   Value u32(std::uint32_t)
///   Value convert(Value, TypeId)          as `i32(e)` does
///   Value bitcast(Value, TypeId)
///   TypeId type(Value)                    of a float
///   bool is_true(Value)                   known to be
/// Arguments and result are the scalars of each value in order.
namespace vyre::wgsl {

template <typename E>
class Expansion {
 public:
  using Value = typename E::Value;
  using Values = std::vector<Value>;

  explicit Expansion(E& emitter) : e(emitter) {}

  Values operator()(Function function, std::span<const Values> args) {
    const Values& a = args[0];
    switch (function) {
      case Function::all: return {fold(Op::logical_and, a)};
      case Function::any: return {fold(Op::logical_or, a)};
      case Function::cross: return cross(a, args[1]);
      case Function::distance: return {length(map(Op::sub, a, args[1]))};
      case Function::dot: return {dot(a, args[1])};
      case Function::dot4I8Packed: return {dot(unpack_i8(a[0]), unpack_i8(args[1][0]))};
      case Function::dot4U8Packed: return {dot(unpack_u8(a[0]), unpack_u8(args[1][0]))};
      case Function::faceForward: return face_forward(a, args[1], args[2]);
      case Function::frexp: return frexp(a);
      case Function::insertBits: return insert_bits(a, args[1], args[2][0], args[3][0]);
      case Function::length: return {length(a)};
      case Function::modf: return modf(a);
      case Function::normalize: return scale(Op::div, a, length(a));
      case Function::pack2x16float: return {pack_half(a)};
      case Function::pack2x16snorm: return {pack_norm(a, 16, -1, 32767)};
      case Function::pack2x16unorm: return {pack_norm(a, 16, 0, 65535)};
      case Function::pack4x8snorm: return {pack_norm(a, 8, -1, 127)};
      case Function::pack4x8unorm: return {pack_norm(a, 8, 0, 255)};
      case Function::pack4xI8:
      case Function::pack4xU8: return {pack_bytes(a)};
      case Function::pack4xI8Clamp: return {pack_bytes(clamp(a, -128, 127))};
      case Function::pack4xU8Clamp: return {pack_bytes(clamp(a, 0, 255))};
      case Function::quantizeToF16: return quantize(a);
      case Function::reflect: return reflect(a, args[1]);
      case Function::refract: return refract(a, args[1], args[2][0]);
      case Function::select: return select(a, args[1], args[2]);
      case Function::unpack2x16float: return unpack_half(a[0]);
      case Function::unpack2x16snorm: return unpack_norm(a[0], 16, true, 32767);
      case Function::unpack2x16unorm: return unpack_norm(a[0], 16, false, 65535);
      case Function::unpack4x8snorm: return unpack_norm(a[0], 8, true, 127);
      case Function::unpack4x8unorm: return unpack_norm(a[0], 8, false, 255);
      case Function::unpack4xI8: return unpack_i8(a[0]);
      case Function::unpack4xU8: return unpack_u8(a[0]);
      default: VYRE_UNREACHABLE();
    }
  }

 private:
  Value fold(Op op, const Values& a) {
    Value result = a[0];
    for (std::size_t i = 1; i < a.size(); ++i)
      result = e.op(op, {result, a[i]});
    return result;
  }

  Values map(Op op, const Values& a, const Values& b) {
    Values result;
    for (std::size_t i = 0; i < a.size(); ++i)
      result.push_back(e.op(op, {a[i], b[i]}));
    return result;
  }

  Values scale(Op op, const Values& a, Value by) {
    Values result;
    for (const Value& v : a)
      result.push_back(e.op(op, {v, by}));
    return result;
  }

  Value dot(const Values& a, const Values& b) { return fold(Op::add, map(Op::mul, a, b)); }

  Value length(const Values& a) {
    return a.size() == 1 ? e.op(Op::abs, {a[0]}) : e.op(Op::sqrt, {dot(a, a)});
  }

  Values cross(const Values& a, const Values& b) {
    const auto part = [&](std::size_t i, std::size_t j) {
      return e.op(Op::sub, {e.op(Op::mul, {a[i], b[j]}), e.op(Op::mul, {a[j], b[i]})});
    };
    return {part(1, 2), part(2, 0), part(0, 1)};
  }

  Values face_forward(const Values& a, const Values& b, const Values& c) {
    const Value d = dot(b, c);
    const Value forward = e.op(Op::lt, {d, e.number(d, 0)});
    Values result;
    for (const Value& v : a)
      result.push_back(e.op(Op::select, {forward, v, e.op(Op::neg, {v})}));
    return result;
  }

  Values reflect(const Values& a, const Values& normal) {
    const Value d = dot(normal, a);
    return map(Op::sub, a, scale(Op::mul, normal, e.op(Op::mul, {e.number(d, 2), d})));
  }

  Values refract(const Values& a, const Values& normal, Value ratio) {
    const Value d = dot(normal, a);
    const Value one = e.number(d, 1);
    const Value zero = e.number(d, 0);
    const Value sine =
        e.op(Op::mul, {e.op(Op::mul, {ratio, ratio}), e.op(Op::sub, {one, e.op(Op::mul, {d, d})})});
    const Value k = e.op(Op::sub, {one, sine});
    const Value inside = e.op(Op::lt, {k, zero});
    if (e.is_true(inside)) return Values(a.size(), zero);
    const Value root = e.op(Op::sqrt, {e.op(Op::max, {k, zero})});
    const Value along = e.op(Op::add, {e.op(Op::mul, {ratio, d}), root});
    Values result = map(Op::sub, scale(Op::mul, a, ratio), scale(Op::mul, normal, along));
    for (Value& v : result)
      v = e.op(Op::select, {inside, zero, v});
    return result;
  }

  Values select(const Values& no, const Values& yes, const Values& condition) {
    Values result;
    for (std::size_t i = 0; i < no.size(); ++i)
      result.push_back(e.op(Op::select, {condition[condition.size() == 1 ? 0 : i], yes[i], no[i]}));
    return result;
  }

  Values modf(const Values& a) {
    Values fract;
    Values whole;
    for (const Value& v : a) {
      whole.push_back(e.op(Op::trunc, {v}));
      fract.push_back(e.op(Op::sub, {v, whole.back()}));
    }
    fract.insert(fract.end(), whole.begin(), whole.end());
    return fract;
  }

  /// Of f32, by bits; subnormals are scaled up first.  Zeros, infinities and NaNs stay, with 0.
  /// An f16 is one of them.
  Values frexp(const Values& a) {
    Values fract;
    Values exponents;
    for (const Value& given : a) {
      const TypeId type = e.type(given);
      const Value v = e.convert(given, kF32);
      const Value tiny = e.op(
          Op::lt, {e.op(Op::bit_and, {e.bitcast(v, kU32), e.u32(0x7fffffff)}), e.u32(0x00800000)});
      const Value scaled =
          e.op(Op::mul, {v, e.op(Op::select, {tiny, e.number(v, 16777216.0), e.number(v, 1)})});
      const Value bits = e.bitcast(scaled, kU32);
      const Value biased = e.op(Op::bit_and, {e.op(Op::shr, {bits, e.u32(23)}), e.u32(255)});
      const Value bias = e.op(Op::select, {tiny, e.u32(126 + 24), e.u32(126)});
      const Value special = e.op(
          Op::logical_or, {e.op(Op::eq, {biased, e.u32(0)}), e.op(Op::eq, {biased, e.u32(255)})});
      const Value mantissa =
          e.op(Op::bit_or, {e.op(Op::bit_and, {bits, e.u32(0x807fffff)}), e.u32(0x3f000000)});
      fract.push_back(e.convert(e.op(Op::select, {special, v, e.bitcast(mantissa, kF32)}), type));
      exponents.push_back(
          e.convert(e.op(Op::select, {special, e.u32(0), e.op(Op::sub, {biased, bias})}), kI32));
    }
    fract.insert(fract.end(), exponents.begin(), exponents.end());
    return fract;
  }

  Values insert_bits(const Values& into, const Values& from, Value offset, Value count) {
    const Value width = e.u32(32);
    const Value o = e.op(Op::min, {offset, width});
    const Value c = e.op(Op::min, {count, e.op(Op::sub, {width, o})});
    const Value all = e.op(Op::eq, {c, width});
    const Value low =
        e.op(Op::sub, {e.op(Op::shl, {e.u32(1), e.op(Op::bit_and, {c, e.u32(31)})}), e.u32(1)});
    const Value shift = e.op(Op::bit_and, {o, e.u32(31)});
    const Value mask = wrapping_shl(e.op(Op::select, {all, e.u32(0xffffffff), low}), shift);
    Values result;
    for (std::size_t i = 0; i < into.size(); ++i) {
      const Value old = e.bitcast(into[i], kU32);
      const Value bits = wrapping_shl(e.bitcast(from[i], kU32), shift);
      const Value merged = e.op(Op::bit_or, {e.op(Op::bit_and, {old, e.op(Op::bit_not, {mask})}),
                                             e.op(Op::bit_and, {bits, mask})});
      result.push_back(e.like(merged, into[i]));
    }
    return result;
  }

  /// A shift that drops bits, which constant evaluation would call an overflow: a product wraps.
  Value wrapping_shl(Value v, Value count) {
    return e.op(Op::mul, {v, e.op(Op::shl, {e.u32(1), count})});
  }

  Values clamp(const Values& a, double low, double high) {
    Values result;
    for (const Value& v : a)
      result.push_back(e.op(Op::clamp, {v, e.number(v, low), e.number(v, high)}));
    return result;
  }

  /// The low `bits` bits of each u32, the first lowest.
  Value pack(const Values& words, std::uint32_t bits) {
    const Value mask = e.u32(bits == 8 ? 0xff : 0xffff);
    Value result = e.op(Op::bit_and, {words[0], mask});
    for (std::uint32_t i = 1; i < words.size(); ++i)
      result =
          e.op(Op::bit_or,
               {result, e.op(Op::shl, {e.op(Op::bit_and, {words[i], mask}), e.u32(i * bits)})});
    return result;
  }

  Value pack_bytes(const Values& a) {
    Values words;
    for (const Value& v : a)
      words.push_back(e.bitcast(v, kU32));
    return pack(words, 8);
  }

  Value pack_norm(const Values& a, std::uint32_t bits, double low, double factor) {
    Values words;
    for (const Value& v : clamp(a, low, 1)) {
      const Value scaled = e.op(
          Op::floor, {e.op(Op::add, {e.number(v, 0.5), e.op(Op::mul, {e.number(v, factor), v})})});
      words.push_back(e.bitcast(e.convert(scaled, kI32), kU32));
    }
    return pack(words, bits);
  }

  Value pack_half(const Values& a) {
    Values words;
    for (const Value& v : a)
      words.push_back(half_bits(v));
    return pack(words, 16);
  }

  Value half_bits(Value v) { return e.op(Op::float_to_half, {v}); }

  Values quantize(const Values& a) {
    Values result;
    for (const Value& v : a)
      result.push_back(e.op(Op::half_to_float, {half_bits(v)}));
    return result;
  }

  Values unpack_half(Value word) {
    return {e.op(Op::half_to_float, {e.op(Op::bit_and, {word, e.u32(0xffff)})}),
            e.op(Op::half_to_float, {e.op(Op::shr, {word, e.u32(16)})})};
  }

  /// Fields of `bits` bits, sign-extended to i32 or zero-extended.
  Values unpack(Value word, std::uint32_t bits, bool is_signed) {
    const Value source = is_signed ? e.bitcast(word, kI32) : word;
    Values result;
    for (std::uint32_t offset = 0; offset < 32; offset += bits)
      result.push_back(e.op(Op::extract_bits, {source, e.u32(offset), e.u32(bits)}));
    return result;
  }

  Values unpack_i8(Value word) { return unpack(word, 8, true); }
  Values unpack_u8(Value word) { return unpack(word, 8, false); }

  Values unpack_norm(Value word, std::uint32_t bits, bool is_signed, double factor) {
    Values result;
    for (const Value& field : unpack(word, bits, is_signed)) {
      const Value number = e.convert(field, kF32);
      const Value ratio = e.op(Op::div, {number, e.number(number, factor)});
      result.push_back(is_signed ? e.op(Op::max, {ratio, e.number(number, -1)}) : ratio);
    }
    return result;
  }

  E& e;
};

}  // namespace vyre::wgsl
