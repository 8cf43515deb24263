// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "backend/backend.h"
#include "backend/wgpu/pipeline.h"

/// A lowered program compiled for a device, and its variant for grids that one axis cannot hold.
namespace vyre::wgpu {

/// One compiled variant with the lowered program it was printed from.
struct Variant {
  const Lowered* lowered = nullptr;
  const Pipeline* pipeline = nullptr;
};

class WgpuKernel final : public Kernel {
 public:
  static Result<std::unique_ptr<WgpuKernel>> make(std::shared_ptr<const Gpu> gpu,
                                                  const Lowered& lowered,
                                                  std::string_view label);

  /// As it was lowered; `lowered` is the caller's.
  [[nodiscard]] const Pipeline& plain() const { return *plain_; }
  /// The one for a folded grid, compiled by the first call.  Any thread.
  Result<Variant> folded(const Lowered& lowered);

 private:
  struct Folded {
    Lowered lowered;
    std::unique_ptr<Pipeline> pipeline;
  };

  WgpuKernel(std::shared_ptr<const Gpu> gpu,
             std::unique_ptr<Pipeline> plain,
             std::string_view label)
      : gpu_(std::move(gpu)), label_(label), plain_(std::move(plain)) {}
  Status make_folded(const Lowered& lowered);

  std::shared_ptr<const Gpu> gpu_;
  std::string label_;
  std::unique_ptr<Pipeline> plain_;
  std::mutex mutex_;
  std::unique_ptr<const Folded> folded_;  ///< guarded by `mutex_`; never replaced
};

}  // namespace vyre::wgpu
