// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "backend/wgpu/handle.h"
#include "backend/wgpu/pipeline.h"
#include "backend/wgpu/timestamps.h"
#include "backend/wgpu/waiters.h"
#include "runtime/driver.h"

/// A WebGPU device under the contract of `runtime/driver.h`.
namespace vyre::wgpu {

struct Bindings final : DriverBindings {
  GroupHandle group;
};

class WgpuDriver final : public Driver {
 public:
  explicit WgpuDriver(std::shared_ptr<const Gpu> gpu);
  WgpuDriver(const WgpuDriver&) = delete;
  WgpuDriver& operator=(const WgpuDriver&) = delete;
  ~WgpuDriver() override;

  [[nodiscard]] const DeviceInfo& info() const override { return gpu_->info(); }
  [[nodiscard]] const DriverTraits& traits() const override { return traits_; }
  [[nodiscard]] Target target() const override;

  Result<std::unique_ptr<DriverBlock>> allocate(BlockUse use, std::uint64_t size) override;
  Result<std::unique_ptr<DriverKernel>> compile(const Lowered& lowered,
                                                std::string_view label) override;
  [[nodiscard]] std::vector<std::byte> save(const DriverKernel& kernel) const override;
  Result<std::unique_ptr<DriverKernel>> restore(std::span<const std::byte> saved,
                                                std::string_view label) override;
  Result<std::unique_ptr<DriverBindings>> bind(DriverKernel& kernel,
                                               std::span<const BlockRange> ranges) override;
  /// What the library complains of while a list is recorded makes an error, and then that list is
  /// not submitted: a submit of something invalid, or to a lost device, would end the process.  A
  /// loss between our check and the submit cannot be caught.
  Status submit(std::span<const CommandList> lists, const SubmitOptions& options) override;
  [[nodiscard]] DeviceTimes times_of(std::span<const std::byte> marks, bool ran) const override;
  void map(DriverBlock& block) override;
  void unmap(DriverBlock& block) override;
  void poll() override {
    if (!process_ends()) gpu_->poll();
  }
  [[nodiscard]] bool lost() const override { return gpu_->lost(); }

 private:
  /// Lists on their way to the queue, in one command buffer.
  struct Recorded {
    CommandsHandle commands;
    std::vector<std::unique_ptr<Timestamps>> timestamps;
  };
  Result<Recorded> record(std::span<const CommandList> lists) const;
  Status record_each(std::span<const CommandList> lists, std::vector<Recorded>& good) const;
  [[nodiscard]] Status enqueue(std::span<Recorded> recorded) const;
  void signal_when_done(std::unique_ptr<Waiters::Waiter> waiter) const;

  std::shared_ptr<const Gpu> gpu_;
  std::shared_ptr<TimestampPool> timestamps_;
  std::shared_ptr<Waiters> waiters_;
  DriverTraits traits_;
  std::atomic<std::uint64_t> serial_ = 1;
  Gate gate_ = std::make_shared<std::atomic<bool>>(true);
};

/// Opens the adapter and finds out what its floats do.
Result<std::unique_ptr<Driver>> open_driver(Adapter adapter);

}  // namespace vyre::wgpu
