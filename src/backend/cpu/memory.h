// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "backend/cpu/code.h"

/// What an access needs to know of the strip that makes it.  Plain values, which own nothing.
namespace vyre::cpu {

/// A buffer as an access sees it.
struct View {
  std::byte* base = nullptr;
  std::uint64_t bytes = 0;
  std::uint64_t count = 0;  ///< elements of the root or trailing array
};

/// The strip that accesses memory.
struct StripMemory {
  const Code& code;
  const View* views;  ///< by BufferId; local ones are not used
  std::byte*
      local;  ///< words of all lanes side by side: word w of lane i is at (w * lanes + i) * 4
  Lane* file;
  const Mask& active;
  std::uint32_t count;     ///< lanes 0 … count-1 exist
  std::uint32_t lanes;     ///< count, rounded up to whole steps
  bool is_line;            ///< lanes are neighbours
  bool concurrent;         ///< other threads run workgroups of this dispatch
  const std::byte** last;  ///< by access: where its first lane was the last time
};

}  // namespace vyre::cpu
