// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "vyre/validate.h"

#include "lower/lower.h"

/// The promise of lowering, tested: the reference interpreter gives the same bytes after every
/// pass, and the CPU machine gives them too.
namespace vyre::test {

struct PassBuffer {
  BufferId buffer = kNone<BufferId>;
  std::vector<std::byte> bytes;  ///< before the run
  std::uint64_t count = 0;       ///< elements of the root or trailing array
};

struct PassInputs {
  std::vector<PassBuffer> buffers;  ///< every storage and uniform buffer
  std::array<std::uint32_t, 3> grid = {1, 1, 1};
};

/// Interprets the program as it is and after each pass of lowering for `target`, validating each,
/// and runs it as it is on the CPU machine.  Empty if all host buffers and the trap agree, else
/// what differs first.  Two NaNs are the same.
std::string check_passes(const ValidProgram& program,
                         const PassInputs& inputs,
                         const Target& target);

/// The target that needs every pass.
Target everything_target();

}  // namespace vyre::test
