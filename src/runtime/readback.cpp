// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>

#include "base/align.h"
#include "runtime/recorder.h"

// What comes back: the trap record and every window, packed into one block with one map.
namespace vyre {

void Recorder::record_readback(Submission& submission, Part& part) {
  DriverBlock* const to = submission.readback_.block.get();
  for (std::size_t i = 0; i < part.placed.size(); ++i)
    if (part.variant->slots[i].source == SlotSource::trap && part.trap)
      part.downloads.push_back(
          {.from = {part.blocks[part.placed[i].block].block.get(), 0, kTrapWords * 4},
           .to = to,
           .to_offset = *part.trap});
  for (const Readback& readback : part.readbacks) {
    const std::size_t slot = part.variant->slot_of(readback.binding);
    const Window& window = part.plan.bindings[readback.binding].window;
    const std::uint64_t first = window.begin - readback.skip;
    const std::uint64_t size = align_to(readback.skip + readback.size, 4);
    part.downloads.push_back(
        {.from = {part.blocks[part.placed[slot].block].block.get(), first, size},
         .to = to,
         .to_offset = readback.offset});
  }
}

/// The views of a finished job, in declaration order.
void Recorder::expose_outputs(Submission& submission, Part& part) {
  const Program& program = part.compiled->program().program();
  for (std::size_t i = 0; i < part.placed.size(); ++i) {
    const Slot& slot = part.variant->slots[i];
    if (slot.source != SlotSource::host) continue;
    const Binding& binding = part.plan.bindings[slot.binding];
    if (!binding.comes_back) continue;
    const Placed& placed = part.placed[i];
    const std::uint64_t size = binding.window.end - binding.window.begin;
    const std::byte* data = nullptr;
    if (placed.place == Location::downloaded)
      data = submission.readback_bound_.block->data() + placed.offset + binding.window.begin;
    if (placed.place == Location::shared)
      data = part.blocks[placed.block].block->data() + binding.window.begin;
    if (placed.place == Location::device && size != 0) {
      const auto found = std::find_if(part.readbacks.begin(), part.readbacks.end(),
                                      [&](const Readback& r) { return r.binding == slot.binding; });
      data = submission.readback_.block->data() + found->offset + found->skip;
    }
    part.items.push_back({program[slot.buffer].name, {data, size}});
    part.item_types.push_back(&part.compiled->plan_template().bindings[slot.binding].held);
  }
}

}  // namespace vyre
