// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <vector>

#include "backend/wgpu/job.h"

/// Zeros wherever the host supplies nothing, whatever the memory held before.
namespace vyre::wgpu {

struct Clear {
  std::size_t slot = 0;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

/// The bound ranges that no upload covers.
std::vector<Clear> find_clears(const std::vector<Slot>& slots, const std::vector<Bound>& bound);

void record_clears(WGPUCommandEncoder encoder, const Job& job, const std::vector<Bound>& bound);

}  // namespace vyre::wgpu
