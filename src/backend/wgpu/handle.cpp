// SPDX-License-Identifier: MIT OR Apache-2.0
#include "backend/wgpu/handle.h"

#include <atomic>
#include <cstdlib>

namespace vyre::wgpu {
namespace {

std::atomic<bool> g_ends{false};

}  // namespace

bool process_ends() {
  return g_ends.load(std::memory_order_relaxed);
}

void watch_process_end() {
  [[maybe_unused]] static const int kOnce =
      std::atexit([] { g_ends.store(true, std::memory_order_relaxed); });
}

}  // namespace vyre::wgpu
