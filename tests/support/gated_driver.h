// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "runtime/driver.h"

/// A driver whose work ends when a test says so: what it submits is done at once, but nobody is
/// told before the gate is open.
namespace vyre::test {

/// Shared by a test and its driver.
struct Gate {
  std::atomic<bool> open = true;
  std::atomic<int> polls_to_open = -1;  ///< the gate opens with so many polls; negative: it stays
  std::atomic<int> submits = 0;
};

class GatedDriver final : public Driver {
 public:
  GatedDriver(std::unique_ptr<Driver> inner, std::shared_ptr<Gate> gate)
      : inner_(std::move(inner)), gate_(std::move(gate)) {}

  [[nodiscard]] const DeviceInfo& info() const override { return inner_->info(); }
  [[nodiscard]] const DriverTraits& traits() const override { return inner_->traits(); }
  [[nodiscard]] Target target() const override { return inner_->target(); }
  Result<std::unique_ptr<DriverBlock>> allocate(BlockUse use, std::uint64_t size) override {
    return inner_->allocate(use, size);
  }
  Result<std::unique_ptr<DriverKernel>> compile(const Lowered& lowered,
                                                std::string_view label) override {
    return inner_->compile(lowered, label);
  }
  Result<std::unique_ptr<DriverBindings>> bind(DriverKernel& kernel,
                                               std::span<const BlockRange> ranges) override {
    return inner_->bind(kernel, ranges);
  }
  Status submit(std::span<const CommandList> lists, const SubmitOptions& options) override {
    ++gate_->submits;
    SubmitOptions now = options;
    Signal ended;
    if (options.done != nullptr) now.done = &ended;
    auto status = inner_->submit(lists, now);
    if (!status || options.done == nullptr) return status;
    const std::lock_guard lock(mutex_);
    signals_.push_back(options.done);
    return status;
  }
  /// Views of readbacks wait for the gate.
  void map(DriverBlock& block) override {
    if (block.data() != nullptr || gate_->open) return inner_->map(block);
    block.mapping.set(Signal::State::pending);
    const std::lock_guard lock(mutex_);
    blocks_.push_back(&block);
  }
  void unmap(DriverBlock& block) override { inner_->unmap(block); }
  void poll() override {
    if (gate_->polls_to_open >= 0 && gate_->polls_to_open.fetch_sub(1) == 0) gate_->open = true;
    if (!gate_->open) return;
    const std::lock_guard lock(mutex_);
    for (DriverBlock* block : std::exchange(blocks_, {}))
      inner_->map(*block);
    for (Signal* signal : std::exchange(signals_, {}))
      signal->set(Signal::State::done);
  }
  [[nodiscard]] bool lost() const override { return inner_->lost(); }

 private:
  std::unique_ptr<Driver> inner_;
  std::shared_ptr<Gate> gate_;
  std::mutex mutex_;
  std::vector<DriverBlock*> blocks_;
  std::vector<Signal*> signals_;
};

}  // namespace vyre::test
