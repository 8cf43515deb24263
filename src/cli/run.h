// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "cli/command.h"
#include "cli/job.h"

/// `vyre run`: a kernel and data in, data out.
namespace vyre::cli {

struct RunWords {
  KernelWords kernel;
  JobWords job;
  std::string device = "auto";
  std::uint32_t repeat = 1;
  std::string swap;  ///< "a,b"; empty: none
  double timeout_s = 30;
  bool time = false;
  bool strict_float = false;
  bool json = false;
};

void run(const RunWords& words);

}  // namespace vyre::cli
