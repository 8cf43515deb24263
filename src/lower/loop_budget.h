// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "vyre/program.h"

#include "analysis/loops.h"
#include "lower/lower.h"

/// Which loops count their turns, and how many they have.
///
/// Without a limit of the driver a loop counts if its end is not proved, and has
/// `Target::endless_turns` in each run.
///
/// Where the driver ends loops in silence once those of an invocation took `Target::loop_turns`, a
/// loop also counts if all loops together may reach that; then it traps before the driver does
/// anything.  Such a driver counts for the invocations of a vector together, so what it counts is
/// the sum, over the runs of loops, of the most turns that an invocation takes.  Loops that all
/// invocations go through together share one count: it is that of the invocation that goes on
/// longest.  A divergent loop that runs once has a count of its own.  One inside of a loop that
/// counts may run its vector's lanes one after the other, so its count, which goes on from run to
/// run, is the share divided by the lanes of the widest vector.  Small loops do not count: theirs
/// is the weight of a turn of the loop around them, or a part of the budget.
namespace vyre {

struct LoopCount {
  std::uint32_t turns = 0;   ///< that it may take, each as heavy as …
  std::uint32_t weight = 1;  ///< … this
  bool once = true;          ///< the count begins anew in each run of the loop
  bool shared = false;       ///< one count for all that are shared
};

class LoopBudget {
 public:
  LoopBudget(const Program& program, const Target& target);

  [[nodiscard]] bool any() const { return any_; }
  /// None: the loop does not count.
  [[nodiscard]] const std::optional<LoopCount>& of(StmtId loop) const {
    return counts_[index(loop)];
  }
  /// What a trap tells: the turns that the device allows.
  [[nodiscard]] std::uint32_t allowed() const { return allowed_; }

 private:
  void count_open_ones(const Program& program, const LoopTurns& turns);
  void share_out(const Program& program, const LoopTurns& turns, std::uint64_t limit);

  std::vector<std::optional<LoopCount>> counts_;  ///< by statement
  std::uint32_t allowed_;
  bool any_ = false;
};

}  // namespace vyre
