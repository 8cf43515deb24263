// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include "cli/command.h"

/// `vyre check`: every fault of a kernel that can be found without running it.
namespace vyre::cli {

/// Without an entry point in `words`, all compute entry points are checked.
void check(const KernelWords& words);

}  // namespace vyre::cli
