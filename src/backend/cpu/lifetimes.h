// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "vyre/program.h"

/// How long the values and variables of a program need a register.
namespace vyre::cpu {

/// The statement after which each value and variable is dead; a statement with blocks stands for
/// its end.  What is used in a loop or switch but bound before it lives to the end of the outermost
/// such statement.
class Lifetimes {
 public:
  /// Loops run what stands later before what stands earlier, and so do switches: the first waiting
  /// lane chooses the next case.
  static bool runs_out_of_order(const Stmt& stmt) {
    return std::holds_alternative<Loop>(stmt) || std::holds_alternative<Switch>(stmt);
  }

  explicit Lifetimes(const Program& program);

  /// Calls `value(ValueId)` and `var(VarId)` for all that die after `stmt`.
  template <typename V, typename W>
  void for_each_dying(StmtId stmt, V&& value, W&& var) const {
    for (std::uint32_t i = first_dying_[index(stmt)]; i != kEnd; i = next_dying_[i])
      if (i < values_)
        value(static_cast<ValueId>(i));
      else
        var(static_cast<VarId>(i - values_));
  }

  /// True if `get` may share its variable's register: nothing sets it while the value lives, or
  /// only the statement that uses it last.
  [[nodiscard]] bool may_share(StmtId get) const { return shares_[index(get)]; }
  /// True if `set` may write all lanes: those that are not active never see the variable again.
  [[nodiscard]] bool may_overwrite(StmtId set) const { return overwrites_[index(set)]; }
  /// How often operands name the value.
  [[nodiscard]] std::uint32_t uses(ValueId value) const { return uses_[index(value)]; }

 private:
  friend class LifetimeScan;
  static constexpr std::uint32_t kEnd = ~std::uint32_t{0};

  std::uint32_t values_ = 0;                ///< entities are values, then variables
  std::vector<std::uint32_t> first_dying_;  ///< by statement
  std::vector<std::uint32_t> next_dying_;   ///< by entity
  std::vector<bool> shares_;                ///< by statement
  std::vector<bool> overwrites_;            ///< by statement
  std::vector<std::uint32_t> uses_;         ///< by value
};

}  // namespace vyre::cpu
