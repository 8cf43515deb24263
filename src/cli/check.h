// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include "cli/command.h"

/// `vyre check`: every fault of a kernel that can be found without running it.
namespace vyre::cli {

struct CheckWords {
  KernelWords kernel;
  bool json = false;
};

/// Without an entry point in `words`, all compute entry points are checked.
void check(const CheckWords& words);

}  // namespace vyre::cli
