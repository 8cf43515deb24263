// SPDX-License-Identifier: MIT OR Apache-2.0
#include "backend/wgpu/traps.h"

#include <array>
#include <cstring>

namespace vyre::wgpu {

TrapReport read_trap(std::span<const std::byte> record) {
  std::array<std::uint32_t, kTrapWords> words = {};
  std::memcpy(words.data(), record.data(), sizeof words);
  if (words[0] == 0) return {};
  return {.count = words[0],
          .tag = words[1],
          .value = words[2],
          .invocation = std::uint64_t{words[4]} << 32 | words[3]};
}

}  // namespace vyre::wgpu
