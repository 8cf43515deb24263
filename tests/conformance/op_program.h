// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "vyre/program.h"

#include "conformance/vectors.h"

/// One program that applies an operator to all its vectors, an invocation each.
namespace vyre::test {

/// Buffers `in` and `out` of 32-bit words: each row's operands, and its result.
struct OpProgram {
  Program program;
  std::vector<std::uint32_t> operands;
  std::vector<VectorSet> sets;  ///< the sections it runs, in the order of `out`

  [[nodiscard]] std::uint32_t rows() const;
  [[nodiscard]] std::uint32_t workgroups() const { return (rows() + 63) / 64; }
};

/// The sections on types that every device has: boolean, u32, i32, f32.
OpProgram make_op_program(Op op);

std::vector<Op> every_op();

}  // namespace vyre::test
