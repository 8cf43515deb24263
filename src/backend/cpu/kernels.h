// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "vyre/op.h"

#include "backend/cpu/mask.h"

/// The inner loops of the CPU machine.  Each runs over the lanes of one strip.
///
/// A register is an array of 32-bit words, one a lane; `lanes` is a multiple of `kLaneStep`.  A
/// boolean is all ones or zero.  A value of 64 bits takes a pair of registers: its low words, and
/// `kHighWords` further on its high words.  The destination may be one of the operands.  These
/// functions are total: lanes that are not active are computed too, on whatever their registers
/// hold.
namespace vyre::cpu {

using Lane = std::uint32_t;

/// The same for registers of any length, so that it is a constant of the loops.
inline constexpr std::uint32_t kHighWords = kStripLanes;

/// True for values that take a pair of registers.
constexpr bool is_wide(ScalarType type) {
  return type == ScalarType::u64 || type == ScalarType::i64;
}

/// d = op(a, b, c), lane by lane; operands that the operator lacks are ignored.
using Kernel = void (*)(Lane* d, const Lane* a, const Lane* b, const Lane* c, std::size_t lanes);

/// The lanes from `begin` up to `end` for which a comparison of a and b holds; both are multiples
/// of `kLaneStep`.
using Test = Mask (*)(const Lane* a, const Lane* b, std::size_t begin, std::size_t end);

}  // namespace vyre::cpu
