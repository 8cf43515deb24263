// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "backend/cpu/kernels.h"

/// What is compiled once per instruction set, as a table of functions.  All tables give the same
/// bytes.  The tables are constants; any thread.
namespace vyre::cpu {

struct RunState;
struct Strip;

struct Isa {
  const char* name;

  /// The kernel of `op` on operands whose first (for select: second) type is `type`; for convert,
  /// `result` is the other type.  Null where the machine has none (a bit cast needs none).
  Kernel (*pure_kernel)(Op op, ScalarType type, ScalarType result);
  /// The kernel of two operations on operands of one type: d = outer(inner(a, b), c), or, if the
  /// inner result is the right operand, outer(c, inner(a, b)).  Null for most pairs.
  Kernel (*pair_kernel)(Op inner, Op outer, bool is_right, ScalarType type);
  /// A comparison as a mask; null for other operators and for booleans.
  Test (*test_kernel)(Op op, ScalarType type);
  /// Runs a strip up to its next barrier, or to the end (`done`).
  void (*advance)(RunState& state, Strip& strip);

  /// Every lane takes `value`.
  void (*splat)(Lane* d, Lane value, std::size_t lanes);
  /// d = start, start + 1, …
  void (*count_up)(Lane* d, Lane start, std::size_t lanes);
  /// d = a + value for exactly `count` lanes.
  void (*shift_by)(Lane* d, const Lane* a, Lane value, std::size_t count);
  /// The lanes of `mask` from `begin` up to `end` take the value of `a`.
  void (*blend)(Lane* d, const Lane* a, const Mask& mask, std::size_t begin, std::size_t end);
  /// The lanes from `begin` up to `end` whose word is not zero; words are zero or all ones.
  Mask (*to_mask)(const Lane* a, std::size_t begin, std::size_t end);
  /// The lanes that equal `value`, and those below `bound`.
  Mask (*equal_to)(const Lane* a, Lane value, std::size_t lanes);
  Mask (*below)(const Lane* a, Lane bound, std::size_t lanes);
  /// True if a[i] = a[0] + i for i < count.
  bool (*counts_up)(const Lane* a, std::size_t count);
};

/// The tables that this processor can run, the plainest first: `baseline`, `avx2`, `avx512`.
std::span<const Isa* const> available_isas();

/// The last of them, or the one that the environment variable VYRE_CPU_ISA names when the program
/// first asks; a name that is not available counts for nothing.
const Isa& chosen_isa();

}  // namespace vyre::cpu
