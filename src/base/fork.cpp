// SPDX-License-Identifier: MIT OR Apache-2.0
#include "base/fork.h"

#include <atomic>
#include <pthread.h>

namespace vyre {
namespace {

std::atomic<std::uint32_t> g_process{0};

void enter_child() {
  g_process.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

std::uint32_t Origin::current() {
  [[maybe_unused]] static const int kWatched = ::pthread_atfork(nullptr, nullptr, enter_child);
  return g_process.load(std::memory_order_relaxed);
}

}  // namespace vyre
