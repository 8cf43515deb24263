// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "vyre/dispatch.h"

/// How long the parts of a dispatch took, in words.
namespace vyre::cli {

struct Phase {
  const char* name;
  std::optional<std::chrono::nanoseconds> duration;  ///< empty: not measured
};

std::vector<Phase> phases(const Timing& timing);

/// "total 1.20 ms, kernel 310 µs": the phases that were measured.
std::string to_text(const Timing& timing);

}  // namespace vyre::cli
