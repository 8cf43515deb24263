// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "vyre/result.h"
#include "vyre/validate.h"

/// What a backend would compile.
namespace vyre {

struct EmitOptions {
  bool strict_float = false;
};

/// The names that `emit` knows: "ir" (the program as validated) and one per text backend ("wgsl");
/// none where the host has no memory for the list.
std::vector<std::string_view> emit_targets();

/// The text of the lowered program in the target's language.
Result<std::string> emit(const ValidProgram& program,
                         std::string_view target,
                         const EmitOptions& options = {});

}  // namespace vyre
