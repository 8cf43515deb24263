// SPDX-License-Identifier: MIT OR Apache-2.0
#include "base/align.h"
#include "runtime/recorder.h"
#include "runtime/resident.h"

// Recycled memory never leaks: what the host does not supply is zeroed, unless the kernel is known
// to write it or the memory is fresh and the driver zeroes that.
namespace vyre {

void Recorder::record_clears(Submission& submission, Part& part) {
  for (std::size_t i = 0; i < part.placed.size(); ++i) {
    const Placed& placed = part.placed[i];
    if (!placed.clear) continue;
    const Slot& slot = part.variant->slots[i];
    std::uint64_t supplied = 0;
    if (slot.source == SlotSource::host)
      supplied = align_to(part.plan.bindings[slot.binding].supplied.size(), 4);
    if (slot.source == SlotSource::launch || supplied >= placed.bound) continue;
    if (placed.place == Location::resident) {
      part.in_order = true;
      part.clears.push_back({part.plan.bindings[slot.binding].resident->block(), 0,
                             align_to(part.plan.bindings[slot.binding].size, 4)});
    }
    if (placed.place == Location::device)
      part.clears.push_back(
          {part.blocks[placed.block].block.get(), supplied, placed.bound - supplied});
    if (placed.place == Location::downloaded)
      part.clears.push_back({submission.readback_bound_.block.get(), placed.offset, placed.bound});
  }
}

}  // namespace vyre
