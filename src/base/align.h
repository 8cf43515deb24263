// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>

namespace vyre {

/// The least multiple of `alignment` that is not below `value`.  REQUIRES: it is not 0, and the
/// result fits.
constexpr std::uint64_t align_to(std::uint64_t value, std::uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

}  // namespace vyre
