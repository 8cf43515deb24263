// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <utility>

#include "support/forwarding_driver.h"

/// A driver that passes every call on to another one and makes a chosen call fail.
namespace vyre::test {

/// The calls that a driver may refuse.
enum class Fault : std::uint8_t { none, allocate, compile, bind, submit, map, lose };

/// Shared by a test and its driver: which call fails, and how many were seen.
struct FaultPlan {
  Fault fault = Fault::none;
  std::atomic<int> countdown = 0;  ///< calls of that kind that still succeed
  std::atomic<int> live_blocks = 0;
  std::atomic<int> fired = 0;
  std::atomic<bool> lost = false;
  std::atomic<int> launches = 0;  ///< of kernels, repeats not counted
  std::atomic<int> empty_blocks = 0;

  void arm(Fault which, int after) {
    fault = which;
    countdown = after;
    fired = 0;
  }
  void disarm() { fault = Fault::none; }
  /// True for the call that is to fail.
  bool hits(Fault call) {
    if (fault != call || countdown.fetch_sub(1) != 0) return false;
    ++fired;
    return true;
  }
};

class InjectingDriver final : public ForwardingDriver {
 public:
  InjectingDriver(std::unique_ptr<Driver> inner, std::shared_ptr<FaultPlan> plan)
      : ForwardingDriver(std::move(inner)), plan_(std::move(plan)) {}

  Result<std::unique_ptr<DriverBlock>> allocate(BlockUse use, std::uint64_t size) override {
    if (plan_->hits(Fault::allocate))
      return Error(ErrorKind::out_of_memory, "out-of-memory", "injected: no memory");
    if (size == 0) ++plan_->empty_blocks;
    return inner().allocate(use, size);
  }
  Result<std::unique_ptr<DriverKernel>> compile(const Lowered& lowered,
                                                std::string_view label) override {
    if (plan_->hits(Fault::compile))
      return Error(ErrorKind::compile_failed, "kernel-refused", "injected: kernel refused");
    return inner().compile(lowered, label);
  }
  Result<std::unique_ptr<DriverBindings>> bind(DriverKernel& kernel,
                                               std::span<const BlockRange> ranges) override {
    if (plan_->hits(Fault::bind))
      return Error(ErrorKind::out_of_memory, "out-of-memory", "injected: no bindings");
    return inner().bind(kernel, ranges);
  }
  Status submit(std::span<const CommandList> lists, const SubmitOptions& options) override {
    if (plan_->hits(Fault::lose)) plan_->lost = true;
    if (plan_->lost) return Error(ErrorKind::device_lost, "device-lost", "injected: lost");
    if (plan_->hits(Fault::submit))
      return Error(ErrorKind::out_of_memory, "out-of-memory", "injected: submission refused");
    for (const CommandList& list : lists)
      plan_->launches += static_cast<int>(list.launches.size());
    return inner().submit(lists, options);
  }
  void map(DriverBlock& block) override {
    if (!plan_->hits(Fault::map)) return inner().map(block);
    block.mapping.set(Signal::State::failed);
  }
  [[nodiscard]] bool lost() const override { return plan_->lost; }

 private:
  std::shared_ptr<FaultPlan> plan_;
};

}  // namespace vyre::test
