// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "backend/wgpu/adapters.h"
#include "backend/wgpu/handle.h"
#include "backend/wgpu/shield.h"

/// An opened device of the library: its objects, and what it can do.
///
/// Shared by the driver, its kernels and its blocks; the last of them releases it, which waits for
/// work that still runs.  All members may be called from any thread.
namespace vyre::wgpu {

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
  void set_runs_idle_lanes(bool runs) { runs_idle_lanes_ = runs; }
  /// A defect: lanes that fill up the last vector of a workgroup keep loops turning.
  [[nodiscard]] bool runs_idle_lanes() const { return runs_idle_lanes_; }
  [[nodiscard]] bool times_encoders() const { return times_encoders_; }
  [[nodiscard]] float timestamp_period() const { return timestamp_period_; }

  /// Storage buffers may be mapped: bytes need no copy on their way in and out.
  [[nodiscard]] bool maps_storage() const { return maps_storage_; }
  /// Of the offset of any binding, in bytes.
  [[nodiscard]] std::uint32_t binding_alignment() const { return binding_alignment_; }

  /// True once the driver or the library has given the device up.
  [[nodiscard]] bool lost() const {
    return given_up_.load(std::memory_order_acquire) || lost_->load(std::memory_order_acquire);
  }
  /// The error for `lost`.
  [[nodiscard]] Status check_alive() const;
  /// What the latch holds after a call, as `check_latch` says it; the loss of the device, if that
  /// is behind the refusal.
  [[nodiscard]] Status check_call(ErrorKind kind,
                                  std::string_view code,
                                  std::string_view doing) const;

  /// After a refusal: finds out whether the device is lost.
  void look_for_loss() const;

  /// A buffer whose bytes are zero.  REQUIRES: `size` is a multiple of 4 and not 0.
  [[nodiscard]] Result<BufferHandle> make_buffer(std::string_view label,
                                                 std::uint64_t size,
                                                 WGPUBufferUsage usage,
                                                 bool mapped = false) const;

  /// Lets callbacks fire.  The library's answer ("the queue is empty") proves nothing, so none is
  /// given: only callbacks tell that work is done.
  void poll() const { api().DevicePoll(device(), 0, nullptr); }

 private:
  Gpu();
  Status request(WGPUAdapter adapter);
  void set_limits(const WGPULimits& limits);
  static void on_lost(WGPUDevice const* device,
                      WGPUDeviceLostReason reason,
                      WGPUStringView message,
                      void* serial,
                      void*);

  AdapterHandle adapter_;
  DeviceHandle device_;
  QueueHandle queue_;
  DeviceInfo info_;
  LossFlag lost_;                              ///< the driver has lost it
  mutable std::atomic<bool> given_up_{false};  ///< the library has
  bool shielded_ = false;                      ///< the library may be called after a loss
  std::uintptr_t serial_ = 0;  ///< what the lost callback gets: it may come after us, or never
  bool runs_idle_lanes_ = false;
  bool times_encoders_ = false;
  bool maps_storage_ = false;
  std::uint32_t binding_alignment_ = 256;
  float timestamp_period_ = 1;
};

}  // namespace vyre::wgpu
