// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "vyre/device.h"
#include "vyre/op.h"

/// Judges one operation's result on a device, from the actual operands.
///
/// References are the host's double-precision functions and bounds are those of the WGSL
/// specification ("Floating Point Evaluation"), so the judge shares nothing with the library.
/// WGSL assumes finite arithmetic: where an operand or the exact result of an inexact operation is
/// not finite, or the operand is outside the domain with a stated bound, every result is accepted.
namespace vyre::test {

/// What a device promises about f32.
struct Numerics {
  bool float_exact = true;
  bool keeps_subnormals = true;
};
Numerics numerics_of(const DeviceInfo& device);

/// True if the bits of this operator's results are promised on every such device.
bool has_exact_bits(Op op, ScalarType result, const Numerics& numerics);

/// True if `result` (an f32) is within the bound of `op` on f32 operands (an i32 for ldexp).
/// REQUIRES: the operator's result is f32 and its accuracy is not `exact`.
bool is_within_bound(Op op,
                     std::span<const std::uint64_t> operands,
                     std::uint64_t result,
                     const Numerics& numerics);

}  // namespace vyre::test
