// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "vyre/diagnostic.h"
#include "vyre/result.h"

/// What a code of a diagnostic or of an error means, an example that has it, and what to do.
namespace vyre::cli {

/// A WGSL text with this fault.
struct FaultExample {
  Code code;
  std::string_view text;
};
std::span<const FaultExample> fault_examples();

/// The page of a code, given as "type-mismatch"; an unknown one is an error that names near ones.
Result<std::string> explained(std::string_view code);
/// Every code with its meaning, a line each: faults of a program, then errors by kind.
std::string explained_codes();

}  // namespace vyre::cli
