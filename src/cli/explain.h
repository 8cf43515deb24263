// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "vyre/diagnostic.h"
#include "vyre/result.h"

/// What a diagnostic means, an example that has it, and what to do.
namespace vyre::cli {

/// A WGSL text with this fault.
struct FaultExample {
  Code code;
  std::string_view text;
};
std::span<const FaultExample> fault_examples();

/// The page of a code, given as "type-mismatch"; an unknown one is an error that guesses.
Result<std::string> explained(std::string_view code);

}  // namespace vyre::cli
