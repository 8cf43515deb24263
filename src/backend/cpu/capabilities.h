// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <array>

#include "vyre/program.h"
#include "vyre/result.h"

namespace vyre::cpu {

/// What the machine has beyond the language's core.
inline constexpr std::array kCapabilities = {Capability::f16, Capability::subgroups};

/// Fails with `unsupported` if the program needs a capability that the machine lacks.
Status check_capabilities(const Program& program);

}  // namespace vyre::cpu
