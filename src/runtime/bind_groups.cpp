// SPDX-License-Identifier: MIT OR Apache-2.0
#include "base/check.h"
#include "runtime/recorder.h"
#include "runtime/resident.h"

// What each binding of the kernel is bound to.
namespace vyre {

BlockRange Recorder::range_of(Submission& submission, Part& part, std::size_t i) {
  const Slot& slot = part.variant->slots[i];
  const Placed& placed = part.placed[i];
  const bool written = slot.space == Space::storage && slot.access != Access::input;
  switch (placed.place) {
    case Location::nothing: return {zeros_[written ? 1 : 0].get(), 0, slot.minimum};
    case Location::resident:
      if (slot.source == SlotSource::launch) return {part.launch_block, 0, placed.bound};
      if (slot.source == SlotSource::constants)
        return {part.variant->constants[slot.binding].get(), 0, placed.bound};
      return {part.plan.bindings[slot.binding].resident->block(), 0, placed.bound};
    case Location::borrowed:
      return {.size = placed.bound, .host = part.plan.bindings[slot.binding].supplied.data()};
    case Location::staged:
    case Location::device:
    case Location::shared: return {part.blocks[placed.block].block.get(), 0, placed.bound};
    case Location::uploaded:
      return {submission.upload_bound_.block.get(), placed.offset, placed.bound};
    case Location::computed:
      return {part.blocks[part.indirect.block].block.get(), part.indirect.plain_offset,
              placed.bound};
    case Location::downloaded:
      return {submission.readback_bound_.block.get(), placed.offset, placed.bound};
  }
  VYRE_UNREACHABLE();
}

/// REQUIRES: the lock.
Status Recorder::bind(Submission& submission, Part& part) {
  part.ranges.clear();
  for (std::size_t i = 0; i < part.placed.size(); ++i)
    part.ranges.push_back(range_of(submission, part, i));
  for (std::size_t i = 0; i < part.placed.size(); ++i)
    if (const Slot& slot = part.variant->slots[i]; slot.source == SlotSource::host)
      part.ranges[i].count = part.plan.bindings[slot.binding].count;
  VYRE_CHECK_OK(bind_indirect(submission, part));
  if (!driver_->traits().makes_bindings) return Ok{};
  VYRE_TRY(part.bindings, part.variant->bindings.get(*driver_, *part.variant->kernel, part.ranges,
                                                     binding_stats_));
  return Ok{};
}

/// A block is about to go: bindings that name it go first.
void Recorder::forget(std::uint64_t serial) {
  std::erase_if(compiled_, [](const auto& weak) { return weak.expired(); });
  for (const auto& weak : compiled_)
    if (const auto compiled = weak.lock()) compiled->forget(serial);
}

}  // namespace vyre
