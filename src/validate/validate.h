// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "vyre/diagnostic.h"
#include "vyre/program.h"
#include "vyre/validate.h"

/// What the layers above ask of validation besides `validate`.  Pure; any thread.
namespace vyre {

/// Of one array that is private to an invocation (section 1 of the language).
inline constexpr std::uint64_t kMaxLocalBytes = 65536;

/// The faults of a program as lowering passes may leave it.  Unlike in a user's program, words of
/// the launch block are allowed, names and bindings may collide (printers renumber them), the
/// number of statements is not limited, and uniformity is not judged again.
Diagnostics validate_lowered(const Program& program);

/// As `validate`, of a program whose uniformity was judged in the text that it comes from.
Result<ValidProgram> validate_judged(Program program);

/// The faults of uniformity.
/// REQUIRES: scopes and jumps are sound.
Diagnostics check_uniformity(const Program& program);

/// What a device must offer to run the program, in the order of the enumeration.
/// REQUIRES: the program is valid.
std::vector<Capability> needed_capabilities(const Program& program);

}  // namespace vyre
