// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include "vyre/program.h"
#include "vyre/result.h"

namespace vyre::cpu {

/// Fails with `unsupported` if the program needs a capability that the machine lacks.
Status check_capabilities(const Program& program);

}  // namespace vyre::cpu
