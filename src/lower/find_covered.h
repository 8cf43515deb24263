// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <vector>

#include "vyre/program.h"

/// Which buffers a program is sure to write from end to end.
namespace vyre {

/// By buffer: true if every invocation with `global_id.x` below the element count of the buffer's
/// root array stores that element, all of its bytes, and nothing reads the buffer.  A grid that
/// reaches every element then needs neither a clear nor the host's bytes.  For one-dimensional
/// workgroups of valid programs; linear in the program.
std::vector<bool> find_covered(const Program& program);

}  // namespace vyre
