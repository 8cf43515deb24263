// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstddef>
#include <span>

/// Copies between the user's memory and mapped memory.
namespace vyre {

/// Copies all of `from` to the start of `to`; large copies use several threads, since one cannot
/// saturate the link.  REQUIRES: to.size() ≥ from.size(); no overlap.  Any thread.
void host_copy(std::span<std::byte> to, std::span<const std::byte> from);

/// Zeroes, likewise.
void host_clear(std::span<std::byte> to);

}  // namespace vyre
