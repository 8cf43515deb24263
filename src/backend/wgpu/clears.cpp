// SPDX-License-Identifier: MIT OR Apache-2.0
#include "backend/wgpu/clears.h"

namespace vyre::wgpu {

std::vector<Clear> find_clears(const std::vector<Slot>& slots, const std::vector<Bound>& bound) {
  std::vector<Clear> clears;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const std::uint64_t covered = round_up(slots[i].supplied.size(), kCopyAlign);
    if (covered < bound[i].size) clears.push_back({i, covered, bound[i].size - covered});
  }
  return clears;
}

void record_clears(WGPUCommandEncoder encoder, const Job& job, const std::vector<Bound>& bound) {
  for (const Clear& clear : find_clears(job.slots, bound))
    api().CommandEncoderClearBuffer(encoder, bound[clear.slot].buffer.get(), clear.offset,
                                    clear.size);
}

}  // namespace vyre::wgpu
