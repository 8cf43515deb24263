// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vyre/program.h"

/// What a loop need not compute again and again.
namespace vyre::cpu {

/// True if the conversion leaves the word of a register as it is, or of a pair its low words.
bool keeps_word(const Expr& expr, ScalarType from);

/// The operations in a loop whose operands are all bound before it.  Operations are pure and total,
/// so they may be computed before the loop even if it never comes to them.
class Hoists {
 public:
  /// Each takes a register for the length of the loop, so there are not too many.
  static constexpr std::size_t kMost = 16;

  /// `fixed`, by ValueId: those that are bound before everything else.
  Hoists(const Program& program, const std::vector<bool>& fixed);

  /// What to compute before `loop`, in order.
  [[nodiscard]] std::span<const ExprId> before(StmtId loop) const { return before_[index(loop)]; }

 private:
  friend class HoistScan;
  std::vector<std::vector<ExprId>> before_;  ///< by statement
};

}  // namespace vyre::cpu
