// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "vyre/program.h"

#include "analysis/facts.h"

/// Which loops surely end, and after how many turns.
///
/// **Why it matters.**  The languages below us (SPIR-V, LLVM) let a driver assume that a loop ends.
/// A driver that sees a loop whose end it cannot prove may still reason from that end: delete the
/// loop, move what stands behind it in front of it, or take what made it end for granted there, and
/// drop a guard with it.  An endless loop then reads and writes out of bounds.
///
/// **What is assumed of a driver:** that it keeps the meaning of a program in which every loop
/// ends.  That is all.  In particular nothing is assumed about a test that does not change in a
/// loop (`if (launch.zero != 0) { break; }`): a driver may move it in front of the loop, and what
/// is left ends only by its own condition.  So every loop that we print does end.  Either it is
/// proved here, for all inputs and whatever memory holds; or lowering makes it count down, and
/// running out of turns is a trap.  What is proved is a property of the language, and guards,
/// pinned operators and other passes keep the meaning of a program; so it may be proved before they
/// run.
///
/// **The rules of proof.**  A turn *stays* if it goes on to the next one.  A loop is proved if it
/// has a test that every turn reaches (it stands in the body itself, before any `continue`, or in
/// the continuing part, or is `break_if`) and that leaves the loop unless x < y, x ≤ y or x ≠ y
/// holds; of tests joined by `||` each part may serve, and of `&&` the parts of what stays.  Let v
/// be a variable, T what it holds as a turn begins, T' what it holds as the next one begins, on
/// all ways there; and M the greatest number of the type of the comparison.
///
///   * **Steps.**  T' = T + s where s has a known range of one sign, and x = k·T + r, where r does
///     not change in the loop.  Every turn that stays moves x by k·s.  Upwards: every x that stays
///     is at most Y = max(y) − 1 (≤: max(y)); if Y + max(k·s) ≤ M then x never wraps, so it grows
///     with each turn and cannot stay for ever.  A step of 1 under `<` always fits: Y + 1 ≤ M,
///     whatever y is and even if y changes.  Downwards the same with the signs turned.
///   * **Halving.**  T' is T >> k, T / c (c ≥ 2) or T & (T − 1), and only x ≥ 1 stays, x being T or
///     T'.  Then x falls with each turn.
///   * **Doubling.**  T' is T << k, T · c (c ≥ 2) or T + T; T ≥ 1 in the first turn; only x ≤ Y
///     stays, x being T; and Y times the factor is at most M.  Under x ≠ 0 alone, T << k ends too.
///   * **Meeting.**  x ≠ y stays, y does not change in the loop, and x moves by a constant c each
///     turn.  With odd c, x goes through every number of 32 bits; with any c if the first x and y
///     are constants and c divides their distance.
///
/// Ranges come from constants, lengths, the grid, masks, clamps and dominating conditions
/// (`facts.h`).  All numbers have 32 bits; loops that count in other types are not proved.
namespace vyre {

class LoopTurns {
 public:
  explicit LoopTurns(const Program& program, const LaunchRanges& launch = {});

  /// True if each run of the loop ends.
  [[nodiscard]] bool ends(StmtId loop) const { return turns(loop).has_value(); }
  /// The turns that one run of the loop begins, at most; none if no end is proved.
  [[nodiscard]] std::optional<std::uint64_t> turns(StmtId loop) const {
    return turns_[index(loop)];
  }

 private:
  std::vector<std::optional<std::uint64_t>> turns_;  ///< by statement
};

}  // namespace vyre
