// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <memory>
#include <utility>

#include "backend/wgpu/adapters.h"
#include "backend/wgpu/gpu.h"

namespace vyre::wgpu {

/// The first adapter, opened; for tests of what lies below `open`.
inline Result<std::shared_ptr<Gpu>> open_first_gpu() {
  VYRE_TRY(auto adapters, find_adapters());
  if (adapters.empty())
    return Error(ErrorKind::unavailable, "no-device", "no driver offers an adapter");
  return Gpu::open(std::move(adapters.front()));
}

}  // namespace vyre::wgpu
