// SPDX-License-Identifier: MIT OR Apache-2.0
#include "runtime/indirect.h"

#include <algorithm>
#include <cstring>

#include "base/align.h"
#include "runtime/recorder.h"

// Dispatches whose grid lies in a buffer: a prologue of ours reads it once, before the first
// launch, and writes a private block from which the launches take their grid and launch words.
namespace vyre {
namespace {

constexpr std::uint64_t kParamsBytes = sizeof(IndirectParams);
constexpr std::uint64_t kRecordBytes = sizeof(IndirectRecord);

/// Which member of `words` a grid field is; 3: none.
std::size_t axis_of(LaunchField field) {
  switch (field) {
    case LaunchField::grid_x: return 0;
    case LaunchField::grid_y: return 1;
    case LaunchField::grid_z: return 2;
    case LaunchField::base_x:
    case LaunchField::base_y:
    case LaunchField::base_z:
    case LaunchField::count:
    case LaunchField::zero: return 3;
  }
  return 3;
}

/// Appends a launch block at an aligned offset, its grid left to the prologue; the offset in bytes.
std::uint64_t lay_launch(const Variant& variant,
                         const Plan& plan,
                         std::uint64_t alignment,
                         std::vector<std::uint32_t>& words,
                         std::array<std::uint32_t, 3>& grid_words) {
  const std::uint64_t offset = align_to(words.size() * 4, alignment);
  words.resize(offset / 4);
  for (const LaunchWord& word : variant.launch) {
    if (const std::size_t axis = axis_of(word.field); axis < 3)
      grid_words[axis] = static_cast<std::uint32_t>(words.size());
    words.push_back(word.field == LaunchField::count
                        ? static_cast<std::uint32_t>(plan.count_of(word.buffer))
                        : 0);
  }
  words.resize(align_to(words.size(), 4));  // uniform memory is read by fours
  return offset;
}

std::string grid_text(const std::array<std::uint32_t, 3>& grid) {
  return std::to_string(grid[0]) + " x " + std::to_string(grid[1]) + " x " +
         std::to_string(grid[2]);
}

std::string refused_text(const IndirectRecord& record) {
  static constexpr std::string_view kAxes[] = {"x", "y", "z"};
  if (record.refused > 3) return grid_text(record.grid);
  return std::string(kAxes[record.refused - 1]) + " = " + std::to_string(record.value);
}

}  // namespace

void Indirect::reset() {
  used = false;
  prologue = nullptr;
  folded = nullptr;
  words.clear();
  launch_words.clear();
  prologue_ranges.clear();
  folded_ranges.clear();
  prologue_bindings.reset();
  folded_bindings.reset();
}

/// The kernels of an indirect dispatch: the prologue, and the folded one where an axis may be long.
Status Recorder::prepare_indirect(Part& part, const Job& job) {
  Indirect& indirect = part.indirect;
  indirect.used = part.plan.indirect.has_value();
  if (!indirect.used) return Ok{};
  const std::uint32_t fold_width = driver_->traits().folded_grid;
  indirect.params =
      indirect_limits(job.compiled->plan_template(), driver_->info().limits, fold_width);
  indirect.params.source = static_cast<std::uint32_t>(part.plan.indirect->offset / 4);
  std::chrono::nanoseconds compiling = part.timing.compile.value_or(std::chrono::nanoseconds(0));
  std::optional<std::chrono::nanoseconds> time;
  if (indirect.params.fold_width != 0) {
    VYRE_TRY(indirect.folded, job.compiled->variant(Fold::any, part.label, time));
    compiling += time.value_or(std::chrono::nanoseconds(0));
  }
  time.reset();
  VYRE_TRY(const auto prologue, prologue_kernel());
  VYRE_TRY(indirect.prologue, prologue->variant(Fold::none, "indirect grid", time));
  compiling += time.value_or(std::chrono::nanoseconds(0));
  if (compiling.count() != 0) part.timing.compile = compiling;
  return Ok{};
}

/// Made on first use, and kept.
Result<std::shared_ptr<Compiled>> Recorder::prologue_kernel() {
  {
    const std::lock_guard lock(mutex_);
    if (prologue_ != nullptr) return prologue_;
  }
  VYRE_TRY(const ValidProgram program, indirect_prologue());
  auto made = adopt(program, false);
  const std::lock_guard lock(mutex_);
  if (prologue_ == nullptr) prologue_ = std::move(made);
  return prologue_;
}

void Recorder::place_indirect(Part& part, Totals& totals) {
  Indirect& indirect = part.indirect;
  if (!indirect.used) return;
  const DriverTraits& traits = driver_->traits();
  IndirectParams& params = indirect.params;
  indirect.words.assign(kRecordBytes / 4, 0);
  indirect.plain_offset =
      lay_launch(*part.variant, part.plan, traits.alignment, indirect.words, params.plain_words);
  if (indirect.folded != nullptr)
    indirect.folded_offset = lay_launch(*indirect.folded, part.plan, traits.alignment,
                                        indirect.words, params.folded_words);
  indirect.staged = align_to(totals.upload, 4);
  totals.upload = indirect.staged + indirect.words.size() * 4;
  // The parameters, and behind them the prologue's own launch block.
  std::uint64_t& told = traits.bound_uploads ? totals.upload_bound : totals.upload;
  indirect.told = align_to(told, traits.alignment);
  told = indirect.told + told_bytes();
  indirect.readback = align_to(totals.readback, 4);
  totals.readback = indirect.readback + kRecordBytes;
}

std::uint64_t Recorder::told_bytes() const {
  constexpr std::uint64_t kLaunchBytes = 64;
  return align_to(kParamsBytes, driver_->traits().alignment) + kLaunchBytes;
}

Status Recorder::acquire_indirect(Part& part) {
  Indirect& indirect = part.indirect;
  if (!indirect.used) return Ok{};
  const auto get = [&](std::uint64_t bytes) -> Result<std::uint32_t> {
    VYRE_TRY(PooledBlock block, pool_.acquire(BlockUse::device, bytes));
    part.blocks.push_back(std::move(block));
    return static_cast<std::uint32_t>(part.blocks.size() - 1);
  };
  VYRE_TRY(indirect.block, get(indirect.words.size() * 4));
  if (!driver_->traits().bound_uploads) {
    VYRE_TRY(indirect.told_block, get(told_bytes()));
  }
  return Ok{};
}

void Recorder::upload_indirect(Submission& submission, Part& part) {
  Indirect& indirect = part.indirect;
  if (!indirect.used) return;
  const auto put = [](const PooledBlock& block, std::uint64_t at, const void* from,
                      std::uint64_t bytes) {
    if (bytes != 0) std::memcpy(block.block->data() + at, from, bytes);
  };
  const std::uint64_t bytes = indirect.words.size() * 4;
  put(submission.upload_, indirect.staged, indirect.words.data(), bytes);
  part.uploads.push_back({.from = {submission.upload_.block.get(), indirect.staged, bytes},
                          .to = part.blocks[indirect.block].block.get()});
  const std::uint64_t source_words = part.plan.bindings[part.plan.indirect->binding].size / 4;
  for (const LaunchWord& word : indirect.prologue->launch)
    indirect.launch_words.push_back(
        static_cast<std::uint32_t>(index(word.buffer) == 0 ? source_words : indirect.words.size()));
  const bool bound = driver_->traits().bound_uploads;
  const PooledBlock& told = bound ? submission.upload_bound_ : submission.upload_;
  put(told, indirect.told, &indirect.params, kParamsBytes);
  put(told, indirect.told + align_to(kParamsBytes, driver_->traits().alignment),
      indirect.launch_words.data(), indirect.launch_words.size() * 4);
  if (!bound)
    part.uploads.push_back({.from = {told.block.get(), indirect.told, told_bytes()},
                            .to = part.blocks[indirect.told_block].block.get()});
}

/// REQUIRES: the lock, and that the part's own ranges are known.
Status Recorder::bind_indirect(Submission& submission, Part& part) {
  Indirect& indirect = part.indirect;
  if (!indirect.used) return Ok{};
  const bool bound = driver_->traits().bound_uploads;
  DriverBlock* const block = part.blocks[indirect.block].block.get();
  DriverBlock* const told =
      bound ? submission.upload_bound_.block.get() : part.blocks[indirect.told_block].block.get();
  const std::uint64_t at = bound ? indirect.told : 0;
  const std::uint64_t block_bytes = indirect.words.size() * 4;
  BlockRange source = part.ranges[part.variant->slot_of(part.plan.indirect->binding)];
  source.size = source.size / 4 * 4;
  source.count = part.plan.bindings[part.plan.indirect->binding].size / 4;
  indirect.prologue_ranges.assign({source,
                                   {told, at, kParamsBytes, kParamsBytes / 4},
                                   {block, 0, block_bytes, block_bytes / 4}});
  if (indirect.prologue->slots.back().source == SlotSource::launch)
    indirect.prologue_ranges.push_back({told,
                                        at + align_to(kParamsBytes, driver_->traits().alignment),
                                        indirect.prologue->slots.back().minimum});
  if (indirect.folded != nullptr) fold_ranges(part);
  if (!driver_->traits().makes_bindings) return Ok{};
  VYRE_TRY(indirect.prologue_bindings,
           indirect.prologue->bindings.get(*driver_, *indirect.prologue->kernel,
                                           indirect.prologue_ranges, binding_stats_));
  if (indirect.folded != nullptr) {
    VYRE_TRY(indirect.folded_bindings,
             indirect.folded->bindings.get(*driver_, *indirect.folded->kernel,
                                           indirect.folded_ranges, binding_stats_));
  }
  return Ok{};
}

/// The folded kernel binds what the plain one does, but for what is part of the kernel.
void Recorder::fold_ranges(Part& part) const {
  Indirect& indirect = part.indirect;
  const Variant& folded = *indirect.folded;
  indirect.folded_ranges.clear();
  for (std::size_t i = 0; i < folded.slots.size(); ++i) {
    const Slot& slot = folded.slots[i];
    if (slot.source == SlotSource::launch)
      indirect.folded_ranges.push_back(
          {part.blocks[indirect.block].block.get(), indirect.folded_offset, slot.minimum});
    else if (slot.source == SlotSource::constants)
      indirect.folded_ranges.push_back({folded.constants[slot.binding].get(), 0, slot.minimum});
    else
      indirect.folded_ranges.push_back(part.ranges[i]);
  }
}

void Recorder::record_indirect(Submission& submission, Part& part) {
  Indirect& indirect = part.indirect;
  DriverBlock* const block = part.blocks[indirect.block].block.get();
  part.launches.push_back({.kernel = indirect.prologue->kernel.get(),
                           .bindings = indirect.prologue_bindings.get(),
                           .ranges = indirect.prologue_ranges,
                           .words = indirect.launch_words});
  part.launches.push_back({.kernel = part.variant->kernel.get(),
                           .bindings = part.bindings.get(),
                           .ranges = part.ranges,
                           .words = part.words,
                           .indirect = {block, 0, 12},
                           .repeat = part.plan.repeat});
  if (indirect.folded != nullptr)
    part.launches.push_back({.kernel = indirect.folded->kernel.get(),
                             .bindings = indirect.folded_bindings.get(),
                             .ranges = indirect.folded_ranges,
                             .words = part.words,
                             .indirect = {block, std::uint64_t{kFoldedWord} * 4, 12},
                             .repeat = part.plan.repeat});
  part.downloads.push_back({.from = {block, 0, kRecordBytes},
                            .to = submission.readback_.block.get(),
                            .to_offset = indirect.readback});
}

/// What the prologue found; afterwards the plan has the grid that was launched.
Status Recorder::check_indirect(const Submission& submission, Part& part) {
  if (!part.indirect.used) return Ok{};
  IndirectRecord record;
  std::memcpy(&record, submission.readback_.block->data() + part.indirect.readback, sizeof record);
  part.plan.grid = record.grid;
  if (record.refused == 0) return Ok{};
  return Error(ErrorKind::trapped, "trapped",
               "`" + part.label + "` trapped: the indirect grid of " + grid_text(record.grid) +
                   " workgroups exceeds a limit: " + refused_text(record) + " is more than " +
                   std::to_string(refused_limit(part.indirect.params, record)),
               "write a smaller grid, or let each invocation do more");
}

}  // namespace vyre
