// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "support/forwarding_driver.h"

/// A driver whose work ends when a test says so: what it submits is done at once, but nobody is
/// told before the gate is open.
namespace vyre::test {

/// Shared by a test and its driver.
struct Gate {
  std::atomic<bool> open = true;
  std::atomic<int> polls_to_open = -1;  ///< the gate opens with so many polls; negative: it stays
  std::atomic<int> submits = 0;
};

class GatedDriver final : public ForwardingDriver {
 public:
  GatedDriver(std::unique_ptr<Driver> inner, std::shared_ptr<Gate> gate)
      : ForwardingDriver(std::move(inner)), gate_(std::move(gate)) {}

  Status submit(std::span<const CommandList> lists, const SubmitOptions& options) override {
    ++gate_->submits;
    SubmitOptions now = options;
    Signal ended;
    if (options.done != nullptr) now.done = &ended;
    auto status = inner().submit(lists, now);
    if (!status || options.done == nullptr) return status;
    const std::lock_guard lock(mutex_);
    signals_.push_back(options.done);
    return status;
  }
  /// Views of readbacks wait for the gate.
  void map(DriverBlock& block) override {
    if (block.data() != nullptr || gate_->open) return inner().map(block);
    block.mapping.set(Signal::State::pending);
    const std::lock_guard lock(mutex_);
    blocks_.push_back(&block);
  }
  void poll() override {
    if (gate_->polls_to_open >= 0 && gate_->polls_to_open.fetch_sub(1) == 0) gate_->open = true;
    if (!gate_->open) return;
    const std::lock_guard lock(mutex_);
    for (DriverBlock* block : std::exchange(blocks_, {}))
      inner().map(*block);
    for (Signal* signal : std::exchange(signals_, {}))
      signal->set(Signal::State::done);
  }

 private:
  std::shared_ptr<Gate> gate_;
  std::mutex mutex_;
  std::vector<DriverBlock*> blocks_;
  std::vector<Signal*> signals_;
};

}  // namespace vyre::test
