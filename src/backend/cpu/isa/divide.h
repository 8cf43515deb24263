// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <limits>
#include <type_traits>

#include "backend/cpu/isa/pure.h"

/// Quotients and remainders of integers, which no vector unit has: those of doubles are the same.
/// A quotient that is not whole lies at least 1/y below the next integer, and a double of its size
/// is rounded by less.
/// Compiled once per instruction set, in a namespace of its own: only isa/*.cpp include this.
namespace vyre::cpu::VYRE_CPU_ISA {

/// As Meaning has it: 1 where dividing would fault.
VYRE_INLINE U divisor_of(U, U y) {
  return y == 0 ? 1 : y;
}
VYRE_INLINE I divisor_of(I x, I y) {
  const bool unsafe = (y == 0) | ((x == std::numeric_limits<I>::min()) & (y == -1));
  return unsafe ? 1 : y;
}

/// The same divisor in all lanes: products with its reciprocal, which is rounded up, are not below
/// a whole quotient, and exceed any other by less than 1/y.
template <typename T, bool kIsRest>
void divide_by(Lane* d, const Lane* a, T y, std::size_t lanes) {
  whole_steps(lanes);
  constexpr double kUp = 1 + 4 * std::numeric_limits<double>::epsilon();
  const double reciprocal = 1 / static_cast<double>(y) * kUp;
#pragma GCC ivdep
  for (std::size_t i = 0; i < lanes; ++i) {
    const T x = unpack<T>(a[i]);
    const T quotient = static_cast<T>(static_cast<double>(x) * reciprocal);
    d[i] = kIsRest ? pack(x) - pack(quotient) * pack(y) : pack(quotient);
  }
}

inline bool all_same(const Lane* a, std::size_t lanes) {
  whole_steps(lanes);
  Lane wrong = 0;
  for (std::size_t i = 0; i < lanes; ++i)
    wrong |= a[i] ^ a[0];
  return wrong == 0;
}

template <typename T, bool kIsRest>
void divide(Lane* d, const Lane* a, const Lane* b, const Lane*, std::size_t lanes) {
  whole_steps(lanes);
  constexpr Lane kMinusOne = ~Lane{0};  // what it divides matters
  if (all_same(b, lanes) && (b[0] != kMinusOne || std::is_unsigned_v<T>))
    return divide_by<T, kIsRest>(d, a, divisor_of(T{1}, unpack<T>(b[0])), lanes);
#pragma GCC ivdep
  for (std::size_t i = 0; i < lanes; ++i) {
    const T x = unpack<T>(a[i]);
    const T y = divisor_of(x, unpack<T>(b[i]));
    const T quotient = static_cast<T>(static_cast<double>(x) / static_cast<double>(y));
    d[i] = kIsRest ? pack(x) - pack(quotient) * pack(y) : pack(quotient);
  }
}

Kernel division_kernel(Op op, ScalarType type) {
  if (op != Op::div && op != Op::rem) return nullptr;
  if (type == ScalarType::u32) return op == Op::div ? divide<U, false> : divide<U, true>;
  if (type == ScalarType::i32) return op == Op::div ? divide<I, false> : divide<I, true>;
  return nullptr;
}

}  // namespace vyre::cpu::VYRE_CPU_ISA
