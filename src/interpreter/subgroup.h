// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "vyre/op.h"

/// What a subgroup operation gives each active lane (language.md, "Subgroup lanes").
namespace vyre::interpreter {

/// One active lane: what it brings and what it gets.
struct SubgroupLane {
  std::uint32_t lane = 0;                     ///< within the subgroup
  std::uint64_t value = 0;                    ///< the operand's bits; a boolean is 0 or 1
  std::uint32_t argument = 0;                 ///< lane, mask or delta
  std::array<std::uint64_t, 4> results = {};  ///< ballot gives four words, the others one
};

/// Computes the results.  Lanes that are not listed are inactive: they read as zero in broadcasts
/// and shuffles and take no part in reductions, scans and votes.
/// REQUIRES: at least one lane; ascending order.
void run_subgroup(SubgroupOp op, ScalarType type, std::span<SubgroupLane> lanes);

}  // namespace vyre::interpreter
