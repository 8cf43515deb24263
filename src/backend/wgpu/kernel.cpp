// SPDX-License-Identifier: MIT OR Apache-2.0
#include "backend/wgpu/kernel.h"

namespace vyre::wgpu {

Result<std::unique_ptr<WgpuKernel>> WgpuKernel::make(std::shared_ptr<const Gpu> gpu,
                                                     const Lowered& lowered,
                                                     std::string_view label) {
  VYRE_TRY(auto pipeline, compile(*gpu, print_wgsl(lowered), label));
  return std::unique_ptr<WgpuKernel>(new WgpuKernel(std::move(gpu), std::move(pipeline), label));
}

Result<Variant> WgpuKernel::folded(const Lowered& lowered) {
  const std::scoped_lock lock(mutex_);
  if (!folded_) VYRE_CHECK_OK(make_folded(lowered));
  return Variant{&folded_->lowered, folded_->pipeline.get()};
}

Status WgpuKernel::make_folded(const Lowered& lowered) {
  if (!lowered.origin)
    return Error(ErrorKind::unsupported, "grid-too-large",
                 "the grid of `" + label_ + "` exceeds the device's limit on one axis");
  Target target = lowered.target;
  target.fold_grid = true;
  auto folded = std::make_unique<Folded>();
  VYRE_TRY(folded->lowered, lower(*lowered.origin, target));
  VYRE_TRY(folded->pipeline, compile(*gpu_, print_wgsl(folded->lowered), label_));
  folded_ = std::move(folded);
  return Ok{};
}

}  // namespace vyre::wgpu
