// SPDX-License-Identifier: MIT OR Apache-2.0
#include "runtime/sequence.h"

#include <algorithm>
#include <cstring>

#include "base/align.h"
#include "base/guarded.h"
#include "runtime/backoff.h"
#include "runtime/placement.h"
#include "runtime/recorder.h"
#include "runtime/resident.h"

// Sequences: steps are bound when they are added, so that a replay only lists and submits them.
namespace vyre {
namespace {

constexpr std::uint64_t kTrapBytes = kTrapWords * 4;

Error needs_buffer(std::string_view name) {
  return Error(ErrorKind::invalid_argument, "sequence-needs-buffer",
               "`" + std::string(name) +
                   "` is written by a step of a sequence and is no resident "
                   "buffer",
               "give a buffer of Device::allocate for it, and read that");
}

Error not_in_sequences(std::string_view what) {
  return Error(ErrorKind::unsupported, "sequence-option",
               "a step of a sequence takes no " + std::string(what),
               "dispatch it by itself, or write the bytes into a resident buffer first");
}

}  // namespace

SequenceStep::~SequenceStep() {
  if (recorder->is_foreign()) {
    abandon(std::move(bindings));
    abandon(std::move(compiled));
  }
  bindings.reset();
  for (PooledBlock& block : blocks)
    recorder->release(std::move(block));
}

void RecordedSequence::lay_out() {
  readback = 0;
  traps.clear();
  for (const auto& step : steps) {
    traps.push_back(readback);
    if (step->trap != nullptr) readback += kTrapBytes;
  }
  for (SequenceRead& read : reads) {
    read.at = readback;
    readback += align_to(read.offset % 4 + read.size, 4);
  }
}

// ---------------------------------------------------------------------------------------- a step

Result<std::shared_ptr<const SequenceStep>> Recorder::make_step(const Job& job) {
  auto step = std::make_shared<SequenceStep>(shared_from_this());
  const DispatchOptions& options = *job.options;
  if (options.indirect) return not_in_sequences("indirect grid");
  for (const Input& input : job.inputs)
    if (input.staged != nullptr) return not_in_sequences("staged memory");
  step->compiled = job.compiled;
  step->label = label_of(job);
  VYRE_CHECK_OK(make_plan(job.compiled->plan_template(), job.inputs, options,
                          driver_->info().limits, step->plan));
  std::optional<std::chrono::nanoseconds> compiling;
  VYRE_CHECK_OK(step->find_kernel(job.inputs, compiling));
  for (const Slot& slot : step->variant->slots) {
    VYRE_TRY(BlockRange range, range_of(*step, slot));
    step->ranges.push_back(range);
  }
  if (driver_->traits().makes_bindings) {
    const std::lock_guard lock(mutex_);
    VYRE_TRY(step->bindings, step->variant->bindings.get(*driver_, *step->variant->kernel,
                                                         step->ranges, binding_stats_));
  }
  step->add_launch();
  return std::shared_ptr<const SequenceStep>(std::move(step));
}

/// What a binding of the step is bound to, in every replay.
Result<BlockRange> Recorder::range_of(SequenceStep& step, const Slot& slot) {
  switch (slot.source) {
    case SlotSource::constants:
      return BlockRange{step.variant->constants[slot.binding].get(), 0, slot.minimum};
    case SlotSource::trap: {
      VYRE_TRY(const BlockRange record, own_block(step, slot, kTrapBytes));
      step.clears.push_back({record.block, 0, kTrapBytes});
      step.trap = record.block;
      return record;
    }
    case SlotSource::launch:
      if (DriverBlock* const kept = step.compiled->launch_block(*step.variant, step.words))
        return BlockRange{kept, 0, slot.minimum};
      return fixed_bytes(step, slot, std::as_bytes(std::span(step.words)));
    case SlotSource::host: break;
  }
  const Binding& binding = step.plan.bindings[slot.binding];
  const bool written = slot.space == Space::storage && slot.access != Access::input;
  if (written && slot.access != Access::scratch && binding.resident == nullptr && binding.size != 0)
    return needs_buffer(step.compiled->program().program()[binding.buffer].name);
  const std::uint64_t bound = std::max(align_to(binding.size, 4), slot.minimum);
  BlockRange range;
  if (binding.size == 0 && slot.minimum <= kZeroBytes) {
    range = {zeros_[written ? 1 : 0].get(), 0, slot.minimum};
  } else if (binding.size != 0 && binding.resident != nullptr) {
    range = {binding.resident->block(), 0, bound};
  } else if (written) {
    VYRE_TRY(range, own_block(step, slot, bound));
    step.clears.push_back({range.block, 0, bound});
  } else {
    VYRE_TRY(range, fixed_bytes(step, slot, binding.supplied));
  }
  range.count = binding.count;
  return range;
}

Result<BlockRange> Recorder::own_block(SequenceStep& step, const Slot& slot, std::uint64_t bytes) {
  const BlockUse use = slot.space == Space::uniform ? BlockUse::uniform : BlockUse::device;
  step.blocks.reserve(step.variant->slots.size());  // what is lent must find its place
  VYRE_TRY(Loan block, acquire_one(use, bytes));
  step.blocks.push_back(block.take());
  return BlockRange{step.blocks.back().block.get(), 0, bytes};
}

/// Bytes that every replay reads, zeros behind them.
Result<BlockRange> Recorder::fixed_bytes(SequenceStep& step,
                                         const Slot& slot,
                                         std::span<const std::byte> bytes) {
  const std::uint64_t bound = std::max(align_to(bytes.size(), 4), slot.minimum);
  std::uint64_t size = bound;
  if (slot.source == SlotSource::host)
    size = std::max(bound, align_to(step.plan.bindings[slot.binding].size, 4));
  VYRE_TRY(const BlockRange range, own_block(step, slot, size));
  const std::unique_ptr<std::byte[]> padded(new (std::nothrow) std::byte[size]());
  if (padded == nullptr)
    return Error(ErrorKind::out_of_memory, "out-of-memory",
                 "the host has no memory for a copy of " + std::to_string(size) + " bytes",
                 "use resident buffers");
  if (!bytes.empty()) std::memcpy(padded.get(), bytes.data(), bytes.size());
  const Buffer::Upload all = {0, {padded.get(), size}};
  VYRE_CHECK_OK(write(*range.block, std::span(&all, 1)));
  return range;
}

// -------------------------------------------------------------------------------------- a replay

Result<Pending> Recorder::replay(std::shared_ptr<const RecordedSequence> sequence,
                                 const SequenceOptions& options,
                                 bool waits) {
  const std::string_view label =
      options.label.empty() ? std::string_view("sequence") : options.label;
  const TraceSpan traced(options_.trace, "replay", label);
  const auto started = Clock::now();
  if (flying_.load(std::memory_order_acquire) != 0) collect();
  JobRef job(take_submission(), 0);
  Submission* const submission = job.submission();
  submission->waits_ = waits;
  submission->started_ = started;
  submission->timeout_ = std::max(options.timeout, std::chrono::nanoseconds(0));
  submission->deadline_ = later(started, submission->timeout_);
  if (submission->parts_.empty()) submission->parts_.resize(1);
  submission->used_parts_ = 1;
  Part& part = submission->parts_[0];
  part.label = label;
  part.timed = options.timestamps || options_.trace != nullptr;
  part.sequence = std::move(sequence);
  Totals totals = {.readback = part.sequence->readback};
  place_marks(part, part.sequence->steps.size(), totals);
  const Status running = guarded([&] { return start_replay(*submission, totals); });
  if (!running) fail(*submission, running.error());
  if (submission->state() != Submission::State::running)
    submission->state_ = Submission::State::finished;
  if (part.error) return *part.error;
  return Pending(std::move(job));
}

Status Recorder::start_replay(Submission& submission, const Totals& totals) {
  VYRE_CHECK_OK(wait_for_late(submission));
  VYRE_CHECK_OK(acquire_blocks(submission, totals));
  record_replay(submission, submission.parts_[0]);
  return launch(submission);
}

/// A list a step; the bytes that come back are the last one's.
void Recorder::record_replay(Submission& submission, Part& part) const {
  const RecordedSequence& sequence = *part.sequence;
  DriverBlock* const to = submission.readback_.block.get();
  for (std::size_t i = 0; i < sequence.steps.size(); ++i)
    if (DriverBlock* const trap = sequence.steps[i]->trap)
      part.downloads.push_back({{trap, 0, kTrapBytes}, to, sequence.traps[i]});
  for (const SequenceRead& read : sequence.reads) {
    const std::uint64_t skip = read.offset % 4;
    const std::uint64_t size = align_to(skip + read.size, 4);
    if (read.size != 0)
      part.downloads.push_back({{read.buffer->block(), read.offset - skip, size}, to, read.at});
  }
  part.step_reports.resize(sequence.steps.size());
  part.step_times.resize(part.timed ? sequence.steps.size() : 0);
  for (std::size_t i = 0; i < sequence.steps.size(); ++i) {
    const SequenceStep& step = *sequence.steps[i];
    submission.lists_.push_back({.label = step.label,
                                 .clears = step.clears,
                                 .launches = step.launches,
                                 .times = part.timed ? &part.step_times[i] : nullptr,
                                 .marks = marks_of(submission, part, i),
                                 .report = &part.step_reports[i]});
  }
  if (submission.lists_.empty())
    submission.lists_.push_back({.label = part.label, .report = &part.report});
  submission.lists_.back().downloads = part.downloads;
}

/// The first step that did not end well.
Status Recorder::check_steps(const Submission& submission, const Part& part) {
  const RecordedSequence& sequence = *part.sequence;
  for (std::size_t i = 0; i < sequence.steps.size(); ++i) {
    const SequenceStep& step = *sequence.steps[i];
    const JobReport& report = part.step_reports[i];
    if (report.stopped) return deadline_error(part, submission.timeout_);
    if (report.error) return Error(*report.error).with("running step " + std::to_string(i));
    TrapReport trap = report.trap;
    if (step.trap != nullptr)
      trap = read_trap(submission.readback_.block->data() + sequence.traps[i]);
    if (trap.count != 0)
      return trap_error(trap, step.compiled->program().program(), step.plan.grid, step.label)
          .with("running step " + std::to_string(i) + " of `" + part.label + "`");
  }
  return Ok{};
}

void Recorder::expose_reads(const Submission& submission, Part& part) const {
  const std::byte* const data = submission.readback_ ? submission.readback_.block->data() : nullptr;
  for (const SequenceRead& read : part.sequence->reads)
    part.items.push_back({read.name, {data + read.at + read.offset % 4, read.size}});
  std::chrono::nanoseconds sum{};
  for (std::size_t i = 0; i < part.step_times.size(); ++i) {
    Timing timing;
    const bool ran = !part.sequence->steps[i]->launches.empty();
    set_timing(submission, part, i, ran, part.step_times[i], timing);
    sum += timing.kernel.value_or(std::chrono::nanoseconds(0));
    part.step_timings.push_back(timing);
  }
  if (sum.count() != 0) part.timing.kernel = sum;
  if (!part.step_timings.empty()) part.timing.readback = part.step_timings.back().readback;
}

}  // namespace vyre
