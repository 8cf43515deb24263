// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>

#include "base/at_end.h"
#include "base/guarded.h"
#include "runtime/backoff.h"
#include "runtime/recorder.h"

// One command list a job, one submission for all.
namespace vyre {

std::string_view label_of(const Job& job) {
  return job.options->label.empty() ? job.compiled->program()->name : job.options->label;
}

template <typename F>
void Recorder::for_each_upload(Submission& submission, F&& each) {
  for (const PooledBlock* block : {&submission.upload_, &submission.upload_bound_})
    if (*block) each(*block->block);
  for (std::size_t i = 0; i < submission.used_parts_; ++i)
    for (const PooledBlock& block : submission.parts_[i].blocks)
      if (is_upload(block.use)) each(*block.block);
}

/// Everything about a job that the host can know: plan, kernel, label.
Status Recorder::prepare(Part& part, const Job& job) {
  part.compiled = job.compiled;
  part.label = label_of(job);
  part.timed = job.options->timestamps || options_.trace != nullptr;
  if (part.twin != nullptr) {
    part.plan.grid = part.twin->plan.grid;
    return Ok{};
  }
  {
    const TraceSpan traced(options_.trace, "plan", part.label);
    VYRE_CHECK_OK(make_plan(job.compiled->plan_template(), job.inputs, *job.options,
                            driver_->info().limits, part.plan));
  }
  VYRE_CHECK_OK(part.find_kernel(job.inputs, part.timing.compile));
  const auto& slots = part.variant->slots;
  if (!slots.empty() && slots.back().source == SlotSource::launch && !part.plan.indirect)
    part.launch_block = part.compiled->launch_block(*part.variant, part.words);
  VYRE_CHECK_OK(prepare_indirect(part, job));
  trace_compiled(part);
  return Ok{};
}

void Recorder::record(Submission& submission, Part& part) {
  if (part.twin == nullptr) {
    record_clears(submission, part);
    record_readback(submission, part);
    part.indirect.used ? record_indirect(submission, part) : part.add_launch();
  }
  const Part& planned = part.twin != nullptr ? *part.twin : part;
  submission.lists_.push_back({.label = part.label,
                               .uploads = part.uploads,
                               .clears = part.clears,
                               .launches = planned.launches,
                               .in_order = part.in_order,
                               .downloads = part.downloads,
                               .times = part.timed ? &part.times : nullptr,
                               .marks = marks_of(submission, part, 0),
                               .report = &part.report});
}

/// True if both do the same to the same buffers.
static bool are_equal(const Job& a, const Job& b) {
  return a.compiled == b.compiled &&
         std::equal(a.inputs.begin(), a.inputs.end(), b.inputs.begin(), b.inputs.end(),
                    [](const Input& x, const Input& y) {
                      return x.buffer && y.buffer && x.buffer->impl() == y.buffer->impl() &&
                             x.name == y.name;
                    }) &&
         *a.options == *b.options;
}

/// An equal job among the last few whose plan will do for this one; null if there is none.  Those
/// who iterate hand in the same jobs again and again.
const Part* Recorder::find_twin(const Submission& submission,
                                std::span<const Job> jobs,
                                std::size_t job) {
  constexpr std::size_t kLookBack = 4;
  for (std::size_t back = 1; back <= std::min(kLookBack, job); ++back) {
    const Part& part = submission.parts_[job - back];
    if (part.error || !part.is_settled() || !are_equal(jobs[job], jobs[job - back])) continue;
    return part.twin != nullptr ? part.twin : &part;
  }
  return nullptr;
}

/// True if the device has nothing to do.
static bool is_empty(const CommandList& list) {
  return list.uploads.empty() && list.clears.empty() && list.launches.empty() &&
         list.downloads.empty();
}

/// Gives the mapped blocks to the device, submits, and asks for the views back.
Status Recorder::hand_over(Submission& submission) {
  if (std::all_of(submission.lists_.begin(), submission.lists_.end(), is_empty)) {
    submission.done_.set(Signal::State::done);
    return Ok{};
  }
  const bool maps = !driver_->traits().unified;
  for_each_upload(submission, [&](DriverBlock& block) {
    if (maps) driver_->unmap(block);
  });
  const auto handed = options_.trace != nullptr ? Clock::now() : Clock::time_point();
  const TraceSpan traced(options_.trace, "submit");
  const bool reads = submission.readback_ || submission.readback_bound_;
  const bool signals = !reads || !maps;
  {
    const AtEnd views_back([&] {
      for_each_upload(submission, [&](DriverBlock& block) {
        if (maps) driver_->map(block);
      });
    });
    VYRE_CHECK_OK(compile_by_launch(submission));
    submission.done_.set(Signal::State::pending);
    VYRE_CHECK_OK(driver_->submit(submission.lists_, {.done = signals ? &submission.done_ : nullptr,
                                                      .stop = &submission.stop_,
                                                      .deadline = submission.deadline_,
                                                      .waits = submission.waits_}));
  }
  trace_begin(submission, handed);
  if (!signals) submission.done_.set(Signal::State::done);
  for (const PooledBlock* block : {&submission.readback_, &submission.readback_bound_})
    if (*block && maps) driver_->map(*block->block);
  return Ok{};
}

/// From planned parts to a running submission.  On failure nothing runs and nothing is held.
Status Recorder::run(Submission& submission, const Totals& totals) {
  {
    const TraceSpan traced(options_.trace, "acquire");
    VYRE_CHECK_OK(wait_for_late(submission));
    VYRE_CHECK_OK(acquire_blocks(submission, totals));
  }
  for (std::size_t i = 0; i < submission.used_parts_; ++i)
    if (Part& part = submission.parts_[i]; part.takes_blocks()) {
      const TraceSpan traced(options_.trace, "upload", part.label);
      const auto before = part.timed ? Clock::now() : Clock::time_point();
      VYRE_CHECK_OK(upload(submission, part));
      if (part.timed) part.timing.upload = Clock::now() - before;
    }
  for (std::size_t i = 0; i < submission.used_parts_; ++i) {
    Part& part = submission.parts_[i];
    if (part.error) continue;
    const TraceSpan traced(options_.trace, "encode", part.label);
    if (part.twin == nullptr) {
      const std::lock_guard lock(mutex_);
      VYRE_CHECK_OK(bind(submission, part));
    }
    record(submission, part);
  }
  return launch(submission);
}

Status Recorder::launch(Submission& submission) {
  VYRE_CHECK_OK(hand_over(submission));
  const std::lock_guard lock(mutex_);
  ++submissions_;
  submission.retain();  // the device's own reference, dropped by `finish`
  submission.state_ = Submission::State::running;
  running_.push_back(&submission);
  flying_.store(running_.size(), std::memory_order_release);
  return Ok{};
}

/// All that a job needs before memory of the device is taken.
Status Recorder::prepare_and_place(Submission& submission,
                                   std::span<const Job> jobs,
                                   std::size_t i,
                                   Totals& totals) {
  Part& part = submission.parts_[i];
  part.twin = find_twin(submission, jobs, i);
  VYRE_CHECK_OK(prepare(part, jobs[i]));
  if (part.twin == nullptr) {
    VYRE_CHECK_OK(check_staged(submission, i));
    place(part, *jobs[i].options, submission.waits_, totals);
  }
  place_marks(part, 1, totals);
  return Ok{};
}

void Recorder::submit(std::span<const Job> jobs, bool waits) {
  const TraceSpan traced(options_.trace, "dispatch", label_of(jobs.front()));
  const auto started = Clock::now();
  if (flying_.load(std::memory_order_acquire) != 0) collect();
  const JobRef held(take_submission(), 0);
  Submission* const submission = held.submission();
  submission->waits_ = waits;
  submission->started_ = started;
  if (submission->parts_.size() < jobs.size()) submission->parts_.resize(jobs.size());
  submission->used_parts_ = jobs.size();
  std::chrono::nanoseconds timeout{};  // what is below 0 allows no time either
  std::chrono::nanoseconds compiling{};
  Totals totals;
  std::size_t good = 0;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    Part& part = submission->parts_[i];
    Status placed = guarded([&] { return prepare_and_place(*submission, jobs, i, totals); });
    if (!placed) {
      part.error = std::move(placed).error();
      continue;
    }
    ++good;
    timeout = std::max(timeout, jobs[i].options->timeout);
    compiling += part.timing.compile.value_or(std::chrono::nanoseconds(0));
  }
  submission->timeout_ = timeout;
  submission->deadline_ = later(later(submission->started_, compiling), timeout);
  if (good != 0)
    if (Status running = guarded([&] { return run(*submission, totals); }); !running)
      fail(*submission, running.error());
  if (submission->state() != Submission::State::running)
    submission->state_ = Submission::State::finished;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const Part& part = submission->parts_[i];
    if (part.error) {
      *jobs[i].result = Error(*part.error);
    } else {
      submission->retain();
      *jobs[i].result = Pending(JobRef(submission, static_cast<std::uint32_t>(i)));
    }
  }
}

/// A failure before anything ran is every job's own.
void Recorder::fail(Submission& submission, const Error& error) {
  for (std::size_t i = 0; i < submission.used_parts_; ++i)
    if (Part& part = submission.parts_[i]; !part.error)
      part.error = guarded([&] { return Error(error).with("submitting `" + part.label + "`"); },
                           [&] { return error; });
}

}  // namespace vyre
