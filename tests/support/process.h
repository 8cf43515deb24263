// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>

/// What this process uses, as the system counts it; zeros where it does not tell.
namespace vyre::test {

struct Usage {
  std::uint64_t resident_bytes = 0;
  std::uint64_t open_files = 0;
};
Usage usage_of_process();

/// Bytes of memory of this machine.
std::uint64_t physical_memory();

}  // namespace vyre::test
