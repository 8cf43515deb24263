// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>

/// A global allocator that has no memory when a test says so, and that counts what is not freed.
///
/// Only allocations of ours count and fail: those of this library and its tests, not those inside
/// the WebGPU library and its driver, which end the process without memory.
namespace vyre::test {

enum class Lack : std::uint8_t { once, from_then_on };

/// While it lives, the allocation number `k` from now on (from 0) fails, or all from there on.  One
/// at a time.
class NoMemory {
 public:
  NoMemory(std::int64_t k, Lack lack);
  NoMemory(const NoMemory&) = delete;
  NoMemory& operator=(const NoMemory&) = delete;
  ~NoMemory();
  /// True once an allocation failed.
  [[nodiscard]] bool hit() const;
};

/// While it lives, this thread is in a library of others.
class Foreign {
 public:
  Foreign();
  Foreign(const Foreign&) = delete;
  Foreign& operator=(const Foreign&) = delete;
  ~Foreign();
};

/// Whether threads that a test does not start itself are ours: those of the CPU device are, those
/// of a GPU driver are not.
void own_other_threads(bool own);

/// How many allocations the last `NoMemory` saw.
std::int64_t seen_allocations();
/// Our allocations that are not freed.
std::int64_t live_allocations();

/// From now on calls into the WebGPU library are `Foreign`; at most once.  REQUIRES: it is loaded.
void mark_foreign_calls();

}  // namespace vyre::test
