// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/driver.h"

/// A driver that hands every call on to another: tests override what they change.
namespace vyre::test {

class ForwardingDriver : public Driver {
 public:
  explicit ForwardingDriver(std::unique_ptr<Driver> inner) : inner_(std::move(inner)) {}

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
  [[nodiscard]] std::vector<std::byte> save(const DriverKernel& kernel) const override {
    return inner_->save(kernel);
  }
  Result<std::unique_ptr<DriverKernel>> restore(std::span<const std::byte> saved,
                                                std::string_view label) override {
    return inner_->restore(saved, label);
  }
  Result<std::unique_ptr<DriverBindings>> bind(DriverKernel& kernel,
                                               std::span<const BlockRange> ranges) override {
    return inner_->bind(kernel, ranges);
  }
  Status submit(std::span<const CommandList> lists, const SubmitOptions& options) override {
    return inner_->submit(lists, options);
  }
  void map(DriverBlock& block) override { inner_->map(block); }
  void unmap(DriverBlock& block) override { inner_->unmap(block); }
  [[nodiscard]] DeviceTimes times_of(std::span<const std::byte> marks, bool ran) const override {
    return inner_->times_of(marks, ran);
  }
  void poll() override { inner_->poll(); }
  [[nodiscard]] bool lost() const override { return inner_->lost(); }

 protected:
  [[nodiscard]] Driver& inner() const { return *inner_; }

 private:
  std::unique_ptr<Driver> inner_;
};

}  // namespace vyre::test
