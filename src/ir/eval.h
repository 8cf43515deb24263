// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "vyre/op.h"

/// The meaning of every operator on bit patterns, for constant evaluation, folding and judging.
///
/// The functions themselves are in `ir/meaning.h`; the CPU machine's loops call the same ones, so
/// folding and running cannot disagree.
namespace vyre {

/// Evaluates `op`.  Operands and result are bit patterns, zero-extended; a boolean is 0 or 1.
/// `result` is the expression's type (it matters for convert and bitcast).
/// REQUIRES: the operand types are allowed (`result_type`).  Pure; any thread.
std::uint64_t eval(Op op,
                   ScalarType result,
                   std::span<const ScalarType> types,
                   std::span<const std::uint64_t> operands);

/// False for the bits of infinities and NaNs, which no literal says.
bool is_finite(ScalarType type, std::uint64_t bits);

}  // namespace vyre
