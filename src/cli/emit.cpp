// SPDX-License-Identifier: MIT OR Apache-2.0
#include "cli/emit.h"

#include <algorithm>
#include <vector>

#include "vyre/emit.h"

#include "cli/words.h"

namespace vyre::cli {

void emit(const EmitWords& words) {
  const auto known = emit_targets();
  const std::vector<std::string> targets(known.begin(), known.end());
  if (std::find(targets.begin(), targets.end(), words.target) == targets.end()) {
    throw Failure(unknown("target", words.target, targets));
  }
  if (words.strict_float && words.target == "ir") {
    throw Failure(wrong("usage", "--strict-float changes nothing in `ir`, which no device compiles",
                        "leave it out, or give -t wgsl"));
  }
  const ValidProgram program = read_kernel(words.kernel);
  print(must(vyre::emit(program, words.target, {words.strict_float})));
}

}  // namespace vyre::cli
