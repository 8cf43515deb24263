// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <array>
#include <memory>

#include "backend/backend.h"
#include "backend/wgpu/gpu.h"

/// A WebGPU device under the contract of `backend/backend.h`.
namespace vyre::wgpu {

/// How a grid is launched: as it is, or one axis laid out in rows.
struct Fold {
  std::array<std::uint32_t, 3> grid;
  bool folded = false;
};

/// REQUIRES: only a one-dimensional grid exceeds `limit`.
Fold fold_grid(std::array<std::uint32_t, 3> grid, std::uint32_t limit);

class WgpuDevice final : public BackendDevice {
 public:
  /// Opens the adapter and finds out what its floats do.
  static Result<std::unique_ptr<BackendDevice>> open(Adapter adapter);

  [[nodiscard]] const DeviceInfo& info() const override { return gpu_->info(); }
  [[nodiscard]] Target target() const override;
  Result<std::unique_ptr<Kernel>> compile(const Lowered& lowered, std::string_view label) override;
  Result<Finished> run(Kernel& kernel, const Work& work) override;

 private:
  explicit WgpuDevice(std::shared_ptr<const Gpu> gpu) : gpu_(std::move(gpu)) {}

  std::shared_ptr<const Gpu> gpu_;
};

}  // namespace vyre::wgpu
