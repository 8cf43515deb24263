// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>

#include "backend/cpu/isa/lanes.h"

/// Comparisons that give a mask at once, for conditions.
/// Compiled once per instruction set, in a namespace of its own: only isa/*.cpp include this.
namespace vyre::cpu::VYRE_CPU_ISA {

#define VYRE_TEST(name, symbol)                                                        \
  template <typename T>                                                                \
  Mask test_##name(const Lane* a, const Lane* b, std::size_t begin, std::size_t end) { \
    return gather_bits(begin, end, [=](std::size_t i) {                                \
      return compare(read<T>(a + i), read<T>(b + i),                                   \
                     [](const auto& x, const auto& y) { return x symbol y; });         \
    });                                                                                \
  }
VYRE_TEST(eq, ==)
VYRE_TEST(ne, !=)
VYRE_TEST(lt, <)
VYRE_TEST(le, <=)
VYRE_TEST(gt, >)
VYRE_TEST(ge, >=)
#undef VYRE_TEST

struct TestRow {
  Op op;
  Test of_unsigned;
  Test of_signed;
  Test of_float;
};

#define VYRE_TEST(name) \
  { Op::name, test_##name<Lane>, test_##name<std::int32_t>, test_##name<float> }
inline constexpr TestRow kTests[] = {VYRE_TEST(eq), VYRE_TEST(ne), VYRE_TEST(lt),
                                     VYRE_TEST(le), VYRE_TEST(gt), VYRE_TEST(ge)};
#undef VYRE_TEST

inline Test test_kernel(Op op, ScalarType type) {
  if (type == ScalarType::boolean || is_wide(type)) return nullptr;
  for (const TestRow& row : kTests) {
    if (row.op != op) continue;
    if (type == ScalarType::f32) return row.of_float;
    return type == ScalarType::i32 ? row.of_signed : row.of_unsigned;
  }
  return nullptr;
}

}  // namespace vyre::cpu::VYRE_CPU_ISA
