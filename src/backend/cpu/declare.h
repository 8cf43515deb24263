// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include "backend/cpu/code.h"

namespace vyre::cpu {

/// The code of a program but for its instructions: declarations, where memory lies, how strips are
/// cut.
Code declare(const Program& program);

}  // namespace vyre::cpu
