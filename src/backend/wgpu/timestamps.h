// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <array>
#include <memory>

#include "backend/wgpu/gpu.h"
#include "runtime/driver.h"

/// How long the device took: the pass by its own marks, the copies by marks around them.
/// What the device cannot measure stays 0.
namespace vyre::wgpu {

/// Open while the driver lives: callbacks that come later touch nothing of the recorder's.
using Gate = std::shared_ptr<std::atomic<bool>>;

class Timestamps {
 public:
  /// The device's marks, in its own ticks.
  struct Marks {
    std::uint64_t pass_begin = 0;
    std::uint64_t pass_end = 0;
    std::uint64_t copies_begin = 0;
    std::uint64_t copies_end = 0;
  };

  /// REQUIRES: the device has timestamps.
  static Result<std::unique_ptr<Timestamps>> make(std::shared_ptr<const Gpu> gpu);

  /// For the pass's descriptor; lives as long as this object.
  [[nodiscard]] const WGPUPassTimestampWrites* pass_writes() const { return &pass_writes_; }
  void mark_copies_begin(WGPUCommandEncoder encoder) const;
  void mark_copies_end(WGPUCommandEncoder encoder) const;
  /// Copies the marks to where the host can read them.
  void record_resolve(WGPUCommandEncoder encoder) const;
  /// After the submit: fills `times` when the list is done, before later maps end.
  static void fetch(std::unique_ptr<Timestamps> timestamps,
                    bool ran,
                    DeviceTimes* times,
                    Gate gate);

 private:
  struct Fetch;
  static void on_mapped(WGPUMapAsyncStatus status, WGPUStringView, void* fetch, void*);

  std::shared_ptr<const Gpu> gpu_;
  QuerySetHandle set_;
  BufferHandle resolved_;
  BufferHandle readback_;
  WGPUPassTimestampWrites pass_writes_ = {};
};

/// `marks` as nanoseconds; a time that was not taken, or took no tick, is 0.
DeviceTimes to_times(const Timestamps::Marks& marks, bool ran, double nanoseconds_per_tick);

}  // namespace vyre::wgpu
