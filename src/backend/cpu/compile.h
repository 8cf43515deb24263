// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include "vyre/program.h"

#include "backend/cpu/code.h"

namespace vyre::cpu {

/// Flattens a program, in linear time and without recursion over statements.
Code compile(const Program& program);

}  // namespace vyre::cpu
