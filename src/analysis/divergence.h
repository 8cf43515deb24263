// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <vector>

#include "vyre/program.h"

/// Which loops all invocations of a workgroup go through together: each reaches the loop as often
/// as the others and takes as many turns, unless it has returned.
///
/// A coarse answer that errs towards divergent: what a variable holds is judged for the whole
/// program at once.  (Whether a barrier is allowed is not decided here; `validate` does that, as
/// the language says.)  Takes time in proportion to the program.
namespace vyre {

class Divergence {
 public:
  explicit Divergence(const Program& program);

  /// True if invocations may take the loop unequally often.
  [[nodiscard]] bool is_divergent(StmtId loop) const { return loops_[index(loop)]; }

 private:
  std::vector<bool> loops_;  ///< by statement
};

}  // namespace vyre
