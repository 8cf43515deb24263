// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "backend/wgpu/gpu.h"
#include "backend/wgpu/wgsl.h"
#include "runtime/driver.h"

/// A kernel text, compiled.
namespace vyre::wgpu {

struct Pipeline final : DriverKernel {
  KernelSource source;
  GroupLayoutHandle group_layout;
  PipelineHandle pipeline;
};

/// Compiles with the library's bounds checks off (lowering put ours in) and its bounding of loops
/// on.  Fails with `unsupported` beyond the device's number of bindings, with `compile_failed` and
/// the library's own words where it refuses the text.
Result<std::unique_ptr<Pipeline>> compile(const Gpu& gpu,
                                          KernelSource source,
                                          std::string_view label);

}  // namespace vyre::wgpu
