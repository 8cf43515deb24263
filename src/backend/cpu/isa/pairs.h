// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <type_traits>

#include "backend/cpu/isa/pure.h"

/// Two operations in one loop, for pairs that kernels are full of.  Each is rounded by itself.
/// Compiled once per instruction set, in a namespace of its own: only isa/*.cpp include this.
namespace vyre::cpu::VYRE_CPU_ISA {

template <typename Inner, typename Outer, bool kIsRight, typename T>
void pair(Lane* d, const Lane* a, const Lane* b, const Lane* c, std::size_t lanes) {
  whole_steps(lanes);
#pragma GCC ivdep
  for (std::size_t i = 0; i < lanes; ++i) {
    const T first = Inner::call(unpack<T>(a[i]), unpack<T>(b[i]));
    const T other = unpack<T>(c[i]);
    d[i] = pack(kIsRight ? Outer::call(other, first) : Outer::call(first, other));
  }
}

struct PairRow {
  Op inner;
  Op outer;
  std::array<Kernel, 2> of_word;   ///< of unsigned and signed words, by side
  std::array<Kernel, 2> of_float;  ///< null where there is none
};

#define VYRE_SIDES(inner, outer, type) \
  { pair<Row_##inner, Row_##outer, false, type>, pair<Row_##inner, Row_##outer, true, type> }
#define VYRE_NUMBERS(inner, outer) \
  { Op::inner, Op::outer, VYRE_SIDES(inner, outer, U), VYRE_SIDES(inner, outer, F) }
#define VYRE_BITS(inner, outer)                           \
  {                                                       \
    Op::inner, Op::outer, VYRE_SIDES(inner, outer, U), {} \
  }
/// Operations on words must not depend on their sign, or have no pair for signed ones.
inline constexpr PairRow kPairs[] = {
    VYRE_NUMBERS(mul, add),      VYRE_NUMBERS(mul, sub),      VYRE_NUMBERS(mul, mul),
    VYRE_NUMBERS(add, add),      VYRE_NUMBERS(add, sub),      VYRE_NUMBERS(add, mul),
    VYRE_NUMBERS(sub, add),      VYRE_NUMBERS(sub, sub),      VYRE_NUMBERS(sub, mul),
    VYRE_BITS(bit_xor, bit_xor), VYRE_BITS(bit_and, bit_xor), VYRE_BITS(bit_xor, bit_and),
    VYRE_BITS(bit_and, bit_or),  VYRE_BITS(bit_xor, add),     VYRE_BITS(bit_and, shl),
    VYRE_BITS(shl, shr),         VYRE_BITS(shr, bit_and),     VYRE_BITS(shl, bit_or),
    VYRE_BITS(shr, bit_or),      VYRE_BITS(shr, bit_xor),
};
#undef VYRE_BITS
#undef VYRE_NUMBERS
#undef VYRE_SIDES

Kernel pair_kernel(Op inner, Op outer, bool is_right, ScalarType type);
Kernel pair_kernel(Op inner, Op outer, bool is_right, ScalarType type) {
  if (type == ScalarType::i32 && (inner == Op::shr || outer == Op::shr)) return nullptr;
  for (const PairRow& row : kPairs)
    if (row.inner == inner && row.outer == outer)
      return (type == ScalarType::f32 ? row.of_float : row.of_word)[is_right ? 1 : 0];
  return nullptr;
}

}  // namespace vyre::cpu::VYRE_CPU_ISA
