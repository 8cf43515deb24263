// SPDX-License-Identifier: MIT OR Apache-2.0
#include "runtime/host_copy.h"

#include <algorithm>
#include <cstring>
#include <thread>

#include "base/guarded.h"
#include "base/thread_pool.h"

namespace vyre {
namespace {

/// Below this a second thread costs more than it brings.
constexpr std::size_t kParallelBytes = std::size_t{4} << 20;
constexpr std::size_t kChunk = std::size_t{1} << 20;
/// More threads than this do not make a link faster.
constexpr unsigned kMaxThreads = 8;

/// Null where the host has no memory for them: then the caller copies alone.
ThreadPool* copiers() {
  return guarded(
      [] {
        // Never destroyed: its threads may copy while the process ends, and a child has none to
        // wait for.
        static auto* const kPool = new ThreadPool(
            std::min(kMaxThreads, std::max(1U, std::thread::hardware_concurrency())));
        return kPool;
      },
      [] { return static_cast<ThreadPool*>(nullptr); });
}

template <typename F>
void in_chunks(std::size_t size, F&& each) {
  ThreadPool* const pool = size < kParallelBytes ? nullptr : copiers();
  if (pool == nullptr) return each(std::size_t{0}, size);
  pool->parallel_for((size + kChunk - 1) / kChunk, 1,
                     [&](std::size_t begin, std::size_t end, std::size_t) {
                       const std::size_t from = begin * kChunk;
                       each(from, std::min(size, end * kChunk) - from);
                     });
}

}  // namespace

void host_copy(std::span<std::byte> to, std::span<const std::byte> from) {
  in_chunks(from.size(), [&](std::size_t at, std::size_t size) {
    if (size != 0) std::memcpy(to.data() + at, from.data() + at, size);
  });
}

void host_clear(std::span<std::byte> to) {
  in_chunks(to.size(), [&](std::size_t at, std::size_t size) {
    if (size != 0) std::memset(to.data() + at, 0, size);
  });
}

}  // namespace vyre
