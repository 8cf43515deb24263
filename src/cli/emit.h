// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <string>

#include "cli/command.h"

/// `vyre emit`: what a backend would compile.
namespace vyre::cli {

struct EmitWords {
  KernelWords kernel;
  std::string target;
  bool strict_float = false;
};

void emit(const EmitWords& words);

}  // namespace vyre::cli
