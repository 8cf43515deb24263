// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>

#include "lower/passes.h"

namespace vyre {

Status number_launch(Lowered& lowered) {
  lowered.launch.clear();
  for (const Expr& expr : lowered.program.exprs) {
    if (expr.kind != ExprKind::launch) continue;
    const LaunchWord word = {expr.launch, expr.buffer};
    if (std::find(lowered.launch.begin(), lowered.launch.end(), word) == lowered.launch.end())
      lowered.launch.push_back(word);
  }
  return Ok{};
}

}  // namespace vyre
