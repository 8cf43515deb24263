// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>

/// Counts the allocations of this program and of the library in it.
namespace vyre::bench {

/// How often this thread has called `operator new`.
std::uint64_t heap_allocations();

}  // namespace vyre::bench
