// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <vector>

#include "vyre/diagnostic.h"
#include "vyre/program.h"
#include "vyre/validate.h"

/// What the layers above ask of validation besides `validate`.  Pure; any thread.
namespace vyre {

/// The faults of a program as lowering passes may leave it.  Unlike in a user's program, words of
/// the launch block are allowed, names and bindings may collide (printers renumber them), and
/// the number of statements is not limited.
Diagnostics validate_lowered(const Program& program);

/// What a device must offer to run the program, in the order of the enumeration.
/// REQUIRES: the program is valid.
std::vector<Capability> needed_capabilities(const Program& program);

}  // namespace vyre
