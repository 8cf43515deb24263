// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>

#include "base/align.h"
#include "runtime/plan_errors.h"
#include "runtime/recorder.h"
#include "runtime/resident.h"

// Sizes and places: which bytes go where, and the blocks that hold them.
namespace vyre {
namespace {

/// Takes `bytes` at the next aligned offset of a block that is being filled.
std::uint64_t take(std::uint64_t& total, std::uint64_t bytes, std::uint64_t alignment) {
  const std::uint64_t at = align_to(total, alignment);
  total = at + bytes;
  return at;
}

/// Outputs and scratch memory do, also where they lie in a caller's buffer.
bool starts_as_zeros(const Slot& slot) {
  return slot.space == Space::storage &&
         (slot.access == Access::output || slot.access == Access::scratch);
}

bool comes_back_by_copy(const Binding& binding, const Placed& placed) {
  return binding.comes_back && placed.place == Location::device &&
         binding.window.begin < binding.window.end;
}

}  // namespace

void Recorder::place(Part& part, const DispatchOptions& options, bool waits, Totals& totals) {
  part.placed.resize(part.variant->slots.size());
  for (std::size_t i = 0; i < part.placed.size(); ++i)
    place_slot(part, i, options, waits, totals);
  for (std::size_t i = 0; i < part.placed.size(); ++i) {
    const Slot& slot = part.variant->slots[i];
    if (slot.source == SlotSource::trap && part.placed[i].place == Location::device)
      part.trap = take(totals.readback, kTrapWords * 4, 4);
    if (slot.source != SlotSource::host) continue;
    const Binding& binding = part.plan.bindings[slot.binding];
    if (!comes_back_by_copy(binding, part.placed[i])) continue;
    const std::uint64_t first = binding.window.begin & ~std::uint64_t{3};
    const std::uint64_t last = align_to(binding.window.end, 4);
    part.readbacks.push_back({.binding = slot.binding,
                              .offset = take(totals.readback, last - first, 4),
                              .skip = binding.window.begin - first,
                              .size = binding.window.end - binding.window.begin});
  }
  place_indirect(part, totals);
}

/// Of a driver that has them: room for what it measures of each of the part's lists.
void Recorder::place_marks(Part& part, std::size_t lists, Totals& totals) const {
  const std::uint64_t bytes = driver_->traits().mark_bytes * std::uint64_t{lists};
  if (part.timed && bytes != 0) part.marks = take(totals.readback, bytes, 8);
}

void Recorder::place_slot(
    Part& part, std::size_t i, const DispatchOptions& options, bool waits, Totals& totals) {
  const Slot& slot = part.variant->slots[i];
  const DriverTraits& traits = driver_->traits();
  Placed& placed = part.placed[i];
  placed = {};
  switch (slot.source) {
    case SlotSource::constants:
      placed = {.place = Location::resident, .bound = slot.minimum};
      return;
    case SlotSource::trap:
      placed = {.place = traits.unified ? Location::shared : Location::device,
                .clear = true,
                .bound = kTrapWords * 4};
      return;
    case SlotSource::launch:
      if (part.plan.indirect || part.launch_block != nullptr) {
        const bool computed = part.plan.indirect.has_value();
        placed = {.place = computed ? Location::computed : Location::resident,
                  .bound = slot.minimum};
        return;
      }
      placed = {.place = traits.bound_uploads ? Location::uploaded : Location::device,
                .bound = slot.minimum};
      placed.offset =
          traits.bound_uploads ? take(totals.upload_bound, slot.minimum, traits.alignment) : 0;
      placed.staged = traits.bound_uploads ? 0 : take(totals.upload, slot.minimum, 4);
      return;
    case SlotSource::host: break;
  }
  const Binding& binding = part.plan.bindings[slot.binding];
  const bool covered = slot.covered && !part.plan.indirect &&
                       covers(part.compiled->program().program(), binding, part.plan.grid);
  placed.place = choose_place({slot, binding, traits, options.placement, covered, waits});
  placed.bound = std::max(align_to(binding.size, 4), slot.minimum);
  placed.clear = !covered && binding.supplied.size() < placed.bound &&
                 (placed.place != Location::resident || starts_as_zeros(slot));
  if (placed.place == Location::uploaded)
    placed.offset = take(totals.upload_bound, placed.bound, traits.alignment);
  if (placed.place == Location::downloaded)
    placed.offset = take(totals.readback_bound, placed.bound, traits.alignment);
  placed.streamed = placed.place == Location::device && streams(binding.supplied.size());
  if (placed.place == Location::device && !binding.supplied.empty() && !placed.streamed)
    placed.staged = take(totals.upload, align_to(binding.supplied.size(), 4), 4);
}

/// The device blocks of one job.
Status Recorder::acquire(Part& part) {
  part.blocks.reserve(part.placed.size() + 2);  // what is lent must find its place
  for (std::size_t i = 0; i < part.placed.size(); ++i) {
    Placed& placed = part.placed[i];
    if (placed.place != Location::device && placed.place != Location::shared) continue;
    const bool uniform = part.variant->slots[i].space == Space::uniform;
    const BlockUse use = placed.place == Location::shared ? BlockUse::readback_bound
                         : uniform                        ? BlockUse::uniform
                                                          : BlockUse::device;
    VYRE_TRY(PooledBlock block, pool_.acquire(use, placed.bound));
    placed.block = static_cast<std::uint32_t>(part.blocks.size());
    if (block.fresh && driver_->traits().fresh_is_zero) placed.clear = false;
    part.blocks.push_back(std::move(block));
  }
  return acquire_indirect(part);
}

/// What the caller staged becomes the job's own, to be bound or copied from, once nothing of it can
/// fail for want of memory.
void Recorder::take_staged(Part& part) {
  for (std::size_t i = 0; i < part.placed.size(); ++i) {
    const Slot& slot = part.variant->slots[i];
    if (slot.source != SlotSource::host || part.plan.bindings[slot.binding].staged == nullptr)
      continue;
    if (part.placed[i].place == Location::staged)
      part.placed[i].block = static_cast<std::uint32_t>(part.blocks.size());
    part.blocks.push_back(part.plan.bindings[slot.binding].staged->take());
  }
}

/// One dispatch consumes it, so no two jobs of a submission can have the same.
Status Recorder::check_staged(const Submission& submission, std::size_t part) {
  for (const Binding& mine : submission.parts_[part].plan.bindings) {
    if (mine.staged == nullptr) continue;
    for (std::size_t k = 0; k < part; ++k)
      for (const Binding& other : submission.parts_[k].plan.bindings)
        if (!submission.parts_[k].error && other.staged == mine.staged)
          return staged_twice(
              submission.parts_[part].compiled->program().program()[mine.buffer].name);
  }
  return Ok{};
}

/// All blocks of a submission; REQUIRES: the lock.
Status Recorder::acquire(Submission& submission, const Totals& totals) {
  const auto get = [&](PooledBlock& block, BlockUse use, std::uint64_t bytes) -> Status {
    if (bytes == 0) return Ok{};
    VYRE_TRY(block, pool_.acquire(use, bytes));
    return Ok{};
  };
  VYRE_CHECK_OK(get(submission.upload_, BlockUse::upload, totals.upload));
  VYRE_CHECK_OK(get(submission.upload_bound_, BlockUse::upload_bound, totals.upload_bound));
  VYRE_CHECK_OK(get(submission.readback_, BlockUse::readback, totals.readback));
  VYRE_CHECK_OK(get(submission.readback_bound_, BlockUse::readback_bound, totals.readback_bound));
  for (std::size_t i = 0; i < submission.used_parts_; ++i) {
    Part& part = submission.parts_[i];
    if (part.takes_blocks()) VYRE_CHECK_OK(acquire(part));
  }
  for (std::size_t i = 0; i < submission.used_parts_; ++i)
    if (Part& part = submission.parts_[i]; part.takes_blocks()) take_staged(part);
  return Ok{};
}

}  // namespace vyre
