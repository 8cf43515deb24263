// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <vector>

#include "vyre/device.h"

#include "backend/wgpu/handle.h"

/// What the library finds on this machine: Vulkan, Metal and DX12 adapters, never GL.
namespace vyre::wgpu {

struct Adapter {
  AdapterHandle handle;
  DeviceInfo info;  ///< `float_exact` and `keeps_subnormals` are not known yet
};

/// The adapters, in the driver's order.  Fails if the library is not here.  Any thread.
Result<std::vector<Adapter>> find_adapters();

/// Limits as `DeviceInfo` gives them.
Limits to_limits(const WGPULimits& limits, DeviceKind kind);

/// The process's instance.  REQUIRES: `load_api` succeeded.
WGPUInstance instance();

}  // namespace vyre::wgpu
