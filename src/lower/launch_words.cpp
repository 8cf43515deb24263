// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>

#include "lower/passes.h"

namespace vyre {

std::vector<LaunchWord> launch_words(const Program& program) {
  std::vector<LaunchWord> words;
  for (const Expr& expr : program.exprs) {
    if (expr.kind != ExprKind::launch) continue;
    const LaunchWord word = {expr.launch, expr.buffer};
    if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
  }
  return words;
}

}  // namespace vyre
