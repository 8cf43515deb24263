// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "vyre/program.h"

#include "conformance/vectors.h"
#include "ir/assembler.h"

/// One program that applies an operator to all its vectors, an invocation each.
namespace vyre::test {

/// Which sections of the vectors a program runs.
enum class Sections : std::uint8_t {
  core,            ///< on types that every device has: boolean, u32, i32, f32
  wide,            ///< on u64 or i64, and those
  wide_and_halves  ///< on u64 or i64, and those and f16
};

/// Buffers `in` and `out` of elements of one or two 32-bit words: each row's operands, and its
/// result.
struct OpProgram {
  Program program;
  std::uint32_t element_words = 1;
  std::vector<std::uint32_t> operands;  ///< words
  std::vector<VectorSet> sets;          ///< the sections it runs, in the order of `out`

  [[nodiscard]] std::uint32_t rows() const;
  [[nodiscard]] std::uint32_t workgroups() const { return (rows() + 63) / 64; }
  [[nodiscard]] std::size_t result_words() const { return std::size_t{rows()} * element_words; }
  /// The result of row `row`, from the words of `out`.
  [[nodiscard]] std::uint64_t result(std::span<const std::uint32_t> out, std::size_t row) const;
};

/// Without rows if the operator has no such section.
OpProgram make_op_program(Op op, Sections sections);

std::vector<Op> every_op();

/// A value of `type` out of an element, a u32 or u64.
ExprId from_element(Assembler& out, ScalarType type, ExprId element);
/// The bits of `value` in an element of type `held`.
ExprId to_element(Assembler& out, ScalarType held, ExprId value);

}  // namespace vyre::test
