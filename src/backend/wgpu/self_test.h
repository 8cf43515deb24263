// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <memory>

#include "backend/wgpu/gpu.h"

/// What no query tells about a device: what its floats do, and known defects of its driver.
namespace vyre::wgpu {

/// Runs one small kernel and fills `float_exact`, `keeps_subnormals` and `limits.loop_turns` of the
/// device's info, and whether it runs idle lanes.  Fails if the device cannot run even that.
Status self_test(const std::shared_ptr<Gpu>& gpu);

}  // namespace vyre::wgpu
