// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <type_traits>

#include "backend/cpu/isa/pure.h"

/// Loops around the rows of ops.def for operands or results of 64 bits: each lane joins the two
/// words of a pair and takes the result apart again.  Those that kernels are full of work on the
/// words as they are.
/// Compiled once per instruction set, in a namespace of its own: only isa/*.cpp include this.
namespace vyre::cpu::VYRE_CPU_ISA {

using WideU = std::uint64_t;
using WideI = std::int64_t;

template <typename T>
VYRE_INLINE T get(const Lane* a, std::size_t i) {
  if constexpr (sizeof(T) == 8)
    return static_cast<T>(WideU{a[i + kHighWords]} << 32 | a[i]);
  else
    return unpack<T>(a[i]);
}

template <typename T>
VYRE_INLINE void put(Lane* d, std::size_t i, T value) {
  if constexpr (sizeof(T) == 8) {
    d[i] = static_cast<Lane>(value);
    d[i + kHighWords] = static_cast<Lane>(static_cast<WideU>(value) >> 32);
  } else {
    d[i] = pack(value);
  }
}

template <typename Row, typename A, typename B = A, typename C = A>
void joined(Lane* d, const Lane* a, const Lane* b, const Lane* c, std::size_t lanes) {
  whole_steps(lanes);
#pragma GCC ivdep
  for (std::size_t i = 0; i < lanes; ++i) {
    if constexpr (Row::kArity == 1)
      put(d, i, Row::call(get<A>(a, i)));
    else if constexpr (Row::kArity == 2)
      put(d, i, Row::call(get<A>(a, i), get<B>(b, i)));
    else
      put(d, i, Row::call(get<A>(a, i), get<B>(b, i), get<C>(c, i)));
  }
}

template <typename A, typename R>
void joined_conversion(Lane* d, const Lane* a, const Lane*, const Lane*, std::size_t lanes) {
  whole_steps(lanes);
#pragma GCC ivdep
  for (std::size_t i = 0; i < lanes; ++i)
    put(d, i, Row_convert::call(get<A>(a, i), To<R>{}));
}

// ---- what needs no joining, word by word: the same as Meaning says of the whole

template <typename Row>
void bits_of_words(Lane* d, const Lane* a, const Lane* b, const Lane*, std::size_t lanes) {
  same<Row, U>()(d, a, b, b, lanes);
  same<Row, U>()(d + kHighWords, a + kHighWords, b + kHighWords, b, lanes);
}

inline void select_words(Lane* d, const Lane* a, const Lane* b, const Lane* c, std::size_t lanes) {
  whole_steps(lanes);
#pragma GCC ivdep
  for (std::size_t i = 0; i < lanes; ++i) {
    const bool first = unpack<bool>(a[i]);
    const U low = first ? b[i] : c[i];
    const U high = first ? b[i + kHighWords] : c[i + kHighWords];
    d[i] = low;
    d[i + kHighWords] = high;
  }
}

inline void add_words(Lane* d, const Lane* a, const Lane* b, const Lane*, std::size_t lanes) {
  whole_steps(lanes);
#pragma GCC ivdep
  for (std::size_t i = 0; i < lanes; ++i) {
    const U low = a[i] + b[i];
    const U carry = low < a[i] ? 1 : 0;
    const U high = a[i + kHighWords] + b[i + kHighWords] + carry;
    d[i] = low;
    d[i + kHighWords] = high;
  }
}

inline void sub_words(Lane* d, const Lane* a, const Lane* b, const Lane*, std::size_t lanes) {
  whole_steps(lanes);
#pragma GCC ivdep
  for (std::size_t i = 0; i < lanes; ++i) {
    const U borrow = a[i] < b[i] ? 1 : 0;
    const U low = a[i] - b[i];
    const U high = a[i + kHighWords] - b[i + kHighWords] - borrow;
    d[i] = low;
    d[i + kHighWords] = high;
  }
}

inline void shl_words(Lane* d, const Lane* a, const Lane* b, const Lane*, std::size_t lanes) {
  whole_steps(lanes);
#pragma GCC ivdep
  for (std::size_t i = 0; i < lanes; ++i) {
    const U count = b[i] & 31;
    const bool far = (b[i] & 32) != 0;
    const U moved = a[i] << count;
    const U near = a[i + kHighWords] << count | a[i] >> 1 >> (31 - count);
    d[i] = far ? 0 : moved;
    d[i + kHighWords] = far ? moved : near;
  }
}

/// T: the type of the high words.
template <typename T>
void shr_words(Lane* d, const Lane* a, const Lane* b, const Lane*, std::size_t lanes) {
  whole_steps(lanes);
#pragma GCC ivdep
  for (std::size_t i = 0; i < lanes; ++i) {
    const U count = b[i] & 31;
    const bool far = (b[i] & 32) != 0;
    const T high = unpack<T>(a[i + kHighWords]);
    const U moved = pack(static_cast<T>(high >> count));
    const U beyond = pack(static_cast<T>(high >> 31 >> (std::is_signed_v<T> ? 0 : 1)));
    const U near = a[i] >> count | a[i + kHighWords] << 1 << (31 - count);
    d[i] = far ? moved : near;
    d[i + kHighWords] = far ? beyond : moved;
  }
}

/// Of unsigned and signed operands.
using BySign = std::array<Kernel, 2>;

constexpr bool is_any_of(Op op, std::initializer_list<Op> ops) {
  for (const Op each : ops)
    if (each == op) return true;
  return false;
}

template <typename Row, Op kOp>
constexpr BySign joined_kernels_of() {
  constexpr Typing kTyping = Row::kTyping;
  constexpr bool kIgnoresSign =
      is_any_of(kOp, {Op::neg, Op::mul, Op::clz, Op::ctz, Op::rotl, Op::rotr, Op::eq, Op::ne,
                      Op::popcount, Op::reverse_bits, Op::first_trailing_bit});
  using Signed = std::conditional_t<kIgnoresSign, WideU, WideI>;
  if constexpr (kTyping == Typing::arith || kTyping == Typing::integer ||
                kTyping == Typing::equality || kTyping == Typing::ordering)
    return {joined<Row, WideU>, joined<Row, Signed>};
  else if constexpr (kTyping == Typing::shift)
    return {joined<Row, WideU, U>, joined<Row, Signed, U>};
  else
    return {};
}

template <typename Row, Op kOp>
constexpr BySign wide_kernels_of() {
  if constexpr (is_any_of(kOp, {Op::bit_not, Op::bit_and, Op::bit_or, Op::bit_xor}))
    return {bits_of_words<Row>, bits_of_words<Row>};
  else if constexpr (kOp == Op::select)
    return {select_words, select_words};
  else if constexpr (kOp == Op::add)
    return {add_words, add_words};
  else if constexpr (kOp == Op::sub)
    return {sub_words, sub_words};
  else if constexpr (kOp == Op::shl)
    return {shl_words, shl_words};
  else if constexpr (kOp == Op::shr)
    return {shr_words<U>, shr_words<I>};
  else
    return joined_kernels_of<Row, kOp>();
}

inline constexpr BySign kWideKernels[] = {
#define OP(id, n, ...) wide_kernels_of<Row_##id, Op::id>(),
#include "vyre/ops.def"
};

template <typename Wide>
Kernel to_wide(ScalarType from) {
  if (from == ScalarType::boolean) return joined_conversion<bool, Wide>;
  if (from == ScalarType::f32) return joined_conversion<F, Wide>;
  // The sign of a word counts, not that of the result.
  return from == ScalarType::i32 ? joined_conversion<I, WideU> : joined_conversion<U, WideU>;
}

/// Null between integers of 64 bits, and to words: those are the low words as they are.
template <typename Wide>
Kernel from_wide(ScalarType to) {
  if (to == ScalarType::boolean) return joined_conversion<WideU, bool>;
  return to == ScalarType::f32 ? joined_conversion<Wide, F> : nullptr;
}

Kernel wide_kernel(Op op, ScalarType type, ScalarType result) {
  const bool is_signed = (is_wide(type) ? type : result) == ScalarType::i64;
  if (op != Op::convert) return kWideKernels[static_cast<std::size_t>(op)][is_signed ? 1 : 0];
  if (is_wide(type)) return is_signed ? from_wide<WideI>(result) : from_wide<WideU>(result);
  return is_signed ? to_wide<WideI>(type) : to_wide<WideU>(type);
}

}  // namespace vyre::cpu::VYRE_CPU_ISA
