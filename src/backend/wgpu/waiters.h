// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "backend/wgpu/api.h"
#include "runtime/driver.h"

/// Who is told when the queue is done.  The boxes that callbacks hold on to are used again, so that
/// telling costs no allocation.  Any thread; it lives until the last callback.
namespace vyre::wgpu {

/// Open while the driver lives: callbacks that come later touch nothing of the recorder's.
using Gate = std::shared_ptr<std::atomic<bool>>;

class Waiters : public std::enable_shared_from_this<Waiters> {
 public:
  struct Waiter {
    Signal* signal = nullptr;
    Gate gate = {};
    std::shared_ptr<Waiters> home = {};
  };

  std::unique_ptr<Waiter> take(Signal* signal, Gate gate);
  /// The callback; `waiter` comes from `take`.
  static void on_done(WGPUQueueWorkDoneStatus status, WGPUStringView, void* waiter, void*);

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Waiter>> idle_;
};

}  // namespace vyre::wgpu
