// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <span>

#include "vyre/device.h"

#include "backend/wgpu/gpu.h"

/// How long the device took: the pass by its own marks, the copies by marks around them.
/// What the device cannot measure stays empty.
namespace vyre::wgpu {

class Timestamps {
 public:
  static constexpr std::uint64_t kBytes = 4 * sizeof(std::uint64_t);

  /// Nothing if the device has no timestamps.
  static Result<std::optional<Timestamps>> make(const Gpu& gpu);

  /// For the pass's descriptor; lives as long as this object.
  [[nodiscard]] const WGPUPassTimestampWrites* pass_writes() const { return &pass_writes_; }
  void mark_copies_begin(WGPUCommandEncoder encoder) const;
  void mark_copies_end(WGPUCommandEncoder encoder) const;
  /// Writes the marks to `to` at `offset`, as `kBytes` bytes.
  void record_resolve(WGPUCommandEncoder encoder, WGPUBuffer to, std::uint64_t offset) const;
  /// Fills `timing` from those bytes.
  void read(std::span<const std::byte> marks, bool ran, Timing& timing) const;

 private:
  QuerySetHandle set_;
  BufferHandle resolved_;
  WGPUPassTimestampWrites pass_writes_ = {};
  bool times_copies_ = false;
  double period_ = 1;
};

/// Nanoseconds between two marks; empty if the clock did not run.
std::optional<std::chrono::nanoseconds> between(std::uint64_t begin,
                                                std::uint64_t end,
                                                double period);

}  // namespace vyre::wgpu
