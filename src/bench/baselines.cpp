// SPDX-License-Identifier: MIT OR Apache-2.0
#include <utility>

#include "bench/work.h"

namespace vyre::bench {

Result<Baselines> baselines_for(const DeviceInfo& device) {
  Baselines baselines;
  if (device.backend == "cpu") baselines.bare = host_baseline();
  if (device.backend != "wgpu") return baselines;
#ifdef VYRE_HAS_WGPU
  VYRE_TRY(baselines.bare, webgpu_baseline(device));
#endif
#ifdef VYRE_HAS_VULKAN
  if (auto floor = vulkan_baseline(device)) baselines.floor = *std::move(floor);
#endif
  return baselines;
}

}  // namespace vyre::bench
