// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "backend/wgpu/adapters.h"
#include "backend/wgpu/handle.h"

/// An opened device of the library: its objects, what it can do, and how to wait for it.
///
/// Shared by the device, its kernels and the memory it handed out; the last of them releases it,
/// which waits for work that still runs.  All members may be called from any thread.
namespace vyre::wgpu {

using Deadline = std::chrono::steady_clock::time_point;

class Gpu {
 public:
  /// Asks for every feature and limit that the adapter has.
  static Result<std::shared_ptr<Gpu>> open(Adapter adapter);

  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;
  ~Gpu();

  [[nodiscard]] WGPUDevice device() const { return device_.get(); }
  [[nodiscard]] WGPUQueue queue() const { return queue_.get(); }
  [[nodiscard]] const DeviceInfo& info() const { return info_; }
  /// For the self-test, before the device is shared.
  [[nodiscard]] DeviceInfo& edit_info() { return info_; }
  [[nodiscard]] bool times_encoders() const { return times_encoders_; }
  [[nodiscard]] float timestamp_period() const { return timestamp_period_; }

  /// `device_lost` once the driver has said so.
  [[nodiscard]] Status check_alive() const;

  /// A buffer whose bytes are zero.  REQUIRES: `size` is a multiple of 4 and not 0.
  [[nodiscard]] Result<BufferHandle> make_buffer(std::string_view label,
                                                 std::uint64_t size,
                                                 WGPUBufferUsage usage,
                                                 bool mapped = false) const;

  /// Drives the device until `done` or the deadline; true if `done`.  Spins for about the length
  /// of a short dispatch, then sleeps longer and longer.
  bool wait(const std::atomic<bool>& done, Deadline deadline) const;

 private:
  struct Loss {
    std::atomic<bool> lost = false;
    std::string reason = {};  ///< written before `lost`
  };

  Gpu() = default;
  Status request(WGPUAdapter adapter);
  static void on_lost(WGPUDevice const* device,
                      WGPUDeviceLostReason reason,
                      WGPUStringView message,
                      void* loss,
                      void*);

  AdapterHandle adapter_;
  DeviceHandle device_;
  QueueHandle queue_;
  DeviceInfo info_;
  std::shared_ptr<Loss> loss_ = std::make_shared<Loss>();
  bool times_encoders_ = false;
  float timestamp_period_ = 1;
};

}  // namespace vyre::wgpu
