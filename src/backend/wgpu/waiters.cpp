// SPDX-License-Identifier: MIT OR Apache-2.0
#include "backend/wgpu/waiters.h"

#include "base/guarded.h"

namespace vyre::wgpu {

std::unique_ptr<Waiters::Waiter> Waiters::take(Signal* signal, Gate gate) {
  std::unique_ptr<Waiter> waiter;
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      waiter = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  if (waiter == nullptr) waiter = std::make_unique<Waiter>();
  *waiter = {signal, std::move(gate), shared_from_this()};
  return waiter;
}

void Waiters::on_done(WGPUQueueWorkDoneStatus status, WGPUStringView, void* waiter, void*) {
  std::unique_ptr<Waiter> owned(static_cast<Waiter*>(waiter));
  if (owned->gate->load())
    owned->signal->set(status == WGPUQueueWorkDoneStatus_Success ? Signal::State::done
                                                                 : Signal::State::failed);
  const std::shared_ptr<Waiters> home = std::move(owned->home);
  owned->gate.reset();
  const std::lock_guard lock(home->mutex_);
  guarded([&] { home->idle_.push_back(std::move(owned)); }, [] {});
}

}  // namespace vyre::wgpu
