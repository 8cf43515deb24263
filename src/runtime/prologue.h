// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "vyre/validate.h"

#include "runtime/plan.h"

/// The kernel that runs before an indirect dispatch: an ordinary program of one invocation.
///
/// It reads the three words once, holds them against the limits, folds a long axis of workgroups
/// into rows, and writes what the launches read: the private block, whose first words are the
/// record below, and behind it the launch blocks of the plain and of the folded kernel.
namespace vyre {

/// Words of the private block.
struct IndirectRecord {
  std::array<std::uint32_t, 3> plain;  ///< workgroups of the plain kernel
  std::uint32_t refused;               ///< 0, or 1, 2, 3: x, y, z over its limit, 4: their product
  std::array<std::uint32_t, 3> folded;
  std::uint32_t value;                ///< what exceeded its limit
  std::array<std::uint32_t, 3> grid;  ///< as it was read
  std::uint32_t reserved;
};
inline constexpr std::uint32_t kFoldedWord = 4;  ///< where `folded` begins

/// What the prologue is told, as words.
struct IndirectParams {
  std::uint32_t source;                      ///< which word of the source is the first
  std::array<std::uint32_t, 3> limits;       ///< of workgroups on each axis
  std::uint32_t fold_width;                  ///< beyond it an axis is folded; 0: never
  std::array<std::uint32_t, 3> plain_words;  ///< where launch blocks hold the grid; 0: nowhere
  std::array<std::uint32_t, 3> folded_words;
};

/// Limits of a program's grid on a device; the rest is zero.
IndirectParams indirect_limits(const PlanTemplate& program,
                               const Limits& limits,
                               std::uint32_t fold_width);
/// The limit that `record.refused` speaks of.
std::uint64_t refused_limit(const IndirectParams& params, const IndirectRecord& record);

/// Buffers: `source` and `params`, read; `block`, read and written.
Result<ValidProgram> indirect_prologue();

}  // namespace vyre
