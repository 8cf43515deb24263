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
/// boolean is all ones or zero.  The destination may be one of the operands.  These functions are
/// total: lanes that are not active are computed too, on whatever their registers hold.  Kernel
/// files are compiled with flags of their own and know nothing of instructions and programs.
namespace vyre::cpu {

using Lane = std::uint32_t;

/// d = op(a, b, c), lane by lane; operands that the operator lacks are ignored.
using Kernel = void (*)(Lane* d, const Lane* a, const Lane* b, const Lane* c, std::size_t lanes);

/// The kernel of `op` on operands whose first (for select: second) type is `type`; for convert,
/// `result` is the other type.  Null where the machine has none (a bit cast needs none).
Kernel pure_kernel(Op op, ScalarType type, ScalarType result);
/// The same for the operators that have a hand-vectorised f32 form, else null.
Kernel math_kernel(Op op);

/// Every lane takes `value`.
void splat(Lane* d, Lane value, std::size_t lanes);
/// d = start, start + 1, …
void count_up(Lane* d, Lane start, std::size_t lanes);
/// The lanes of `mask` take the value of `a`.
void blend(Lane* d, const Lane* a, const Mask& mask, std::size_t lanes);
/// The lanes whose word is not zero.
Mask to_mask(const Lane* a, std::size_t lanes);
/// The lanes that equal `value`.
Mask equal_to(const Lane* a, Lane value, std::size_t lanes);
/// The lanes below `bound`.
Mask below(const Lane* a, Lane bound, std::size_t lanes);
/// True if a[i] = a[0] + i for i < count.
bool counts_up(const Lane* a, std::size_t count);

}  // namespace vyre::cpu
