// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <cstring>

#include "base/align.h"
#include "base/check.h"
#include "runtime/recorder.h"

// Host bytes into mapped blocks.  Runs outside the lock: the blocks belong to this submission.
namespace vyre {
namespace {

/// Writes `bytes` at `offset` of a mapped block and zeroes up to `size`.
void fill(const PooledBlock& block,
          std::uint64_t offset,
          std::span<const std::byte> bytes,
          std::uint64_t size) {
  std::byte* const at = block.block->data() + offset;
  host_copy({at, bytes.size()}, bytes);
  host_clear({at + bytes.size(), size - std::min<std::uint64_t>(size, bytes.size())});
}

}  // namespace

std::uint32_t launch_value(const LaunchWord& word, const Plan& plan) {
  switch (word.field) {
    case LaunchField::grid_x: return plan.grid[0];
    case LaunchField::grid_y: return plan.grid[1];
    case LaunchField::grid_z: return plan.grid[2];
    case LaunchField::base_x:
    case LaunchField::base_y:
    case LaunchField::base_z:
    case LaunchField::zero: return 0;
    case LaunchField::count: return static_cast<std::uint32_t>(plan.count_of(word.buffer));
  }
  VYRE_UNREACHABLE();
}

Status Recorder::upload(Submission& submission, Part& part) {
  upload_indirect(submission, part);
  for (std::size_t i = 0; i < part.placed.size(); ++i) {
    const Slot& slot = part.variant->slots[i];
    Placed& placed = part.placed[i];
    std::span<const std::byte> bytes;
    if (slot.source == SlotSource::host) bytes = part.plan.bindings[slot.binding].supplied;
    if (slot.source == SlotSource::launch) bytes = std::as_bytes(std::span(part.words));
    if (placed.place == Location::uploaded)
      fill(submission.upload_bound_, placed.offset, bytes, placed.bound);
    if (placed.place == Location::shared) {
      fill(part.blocks[placed.block], 0, bytes, placed.clear ? placed.bound : bytes.size());
      placed.clear = false;
    }
    if (placed.place != Location::device || bytes.empty()) continue;
    if (placed.streamed) {
      VYRE_CHECK_OK(stream_up(*part.blocks[placed.block].block, 0, bytes, submission.deadline_));
      continue;
    }
    const std::uint64_t padded = align_to(bytes.size(), 4);
    fill(submission.upload_, placed.staged, bytes, padded);
    part.uploads.push_back({.from = {submission.upload_.block.get(), placed.staged, padded},
                            .to = part.blocks[placed.block].block.get(),
                            .to_offset = 0});
  }
  return Ok{};
}

}  // namespace vyre
