// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>

#include "base/guarded.h"
#include "runtime/backoff.h"
#include "runtime/recorder.h"

// Waiting, and what happens when the device is done.
namespace vyre {
namespace {

/// In the largest unit, up to milliseconds, that says it exactly.
std::string time_text(std::chrono::nanoseconds time) {
  const auto count = time.count();
  if (count % 1000000 == 0) return std::to_string(count / 1000000) + " ms";
  if (count % 1000 == 0) return std::to_string(count / 1000) + " us";
  return std::to_string(count) + " ns";
}

}  // namespace

bool Recorder::is_done(const Submission& submission) const {
  if (driver_->lost()) return true;
  if (submission.done_.is(Signal::State::failed)) return true;
  if (!submission.done_.is(Signal::State::done)) return false;
  if (driver_->traits().unified) return true;
  for (const PooledBlock* block : {&submission.readback_, &submission.readback_bound_})
    if (*block && block->block->mapping.is(Signal::State::pending)) return false;
  return true;
}

/// Ends work whose deadline passed where the driver can end it, also where nobody waits for it any
/// more; until then it is late, and later work is held back.
void Recorder::note_overdue() {
  const auto now = Clock::now();
  const std::lock_guard lock(mutex_);
  for (Submission* submission : running_) {
    if (now < submission->deadline_) continue;
    submission->stop_ = true;
    if (!submission->late_) ++late_;
    submission->late_ = true;
  }
}

bool Recorder::retire_one(bool orphans_only) {
  Submission* ready = nullptr;
  {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(running_.begin(), running_.end(), [&](const Submission* s) {
      return is_done(*s) && !(orphans_only && s->references_ > 1);
    });
    if (found == running_.end()) return false;
    ready = *found;
    running_.erase(found);
    flying_.store(running_.size(), std::memory_order_release);
    if (ready->late_) --late_;
  }
  finish(*ready);
  return true;
}

void Recorder::collect() {
  driver_->poll();
  take_in();
}

void Recorder::take_in() {
  if (flying_.load(std::memory_order_acquire) == 0) return run_callbacks();
  while (retire_one()) {
  }
  note_overdue();
  run_callbacks();
}

bool Recorder::wait(Submission& submission, Clock::time_point deadline) {
  // Another thread may be finishing it: of a part only its label is settled.
  const TraceSpan traced(options_.trace, "wait", submission.parts_[0].label);
  // To look at one job alone for some polls is quicker than to look after all.
  constexpr int kPolls = 16;
  Backoff backoff(options_.spin);
  for (;;) {
    if (submission.state() == Submission::State::finished) return true;
    watch(submission, backoff.spins() ? kPolls : 1);
    take_in();
    if (submission.state() == Submission::State::finished) return true;
    if (!backoff.pause(deadline)) return false;
  }
}

void Recorder::watch(const Submission& submission, int polls) const {
  for (int i = 0; i < polls && !is_done(submission); ++i)
    driver_->poll();
}

/// Some drivers run one job at a time: a job whose deadline passed is waited for before the next.
Status Recorder::wait_for_late(Submission& submission) {
  Backoff backoff(options_.spin);
  while (late_ != 0) {
    collect();
    if (late_ != 0 && !backoff.pause(submission.deadline_))
      return device_busy(first_label(submission));
  }
  return Ok{};
}

/// Throws nothing: a part whose result the host has no memory for has that error.
void Recorder::finish(Submission& submission) {
  const TraceSpan traced(options_.trace, "readback", first_label(submission));
  const auto now = Clock::now();
  const std::optional<Error> fault = guarded([&] { return fault_of(submission); },
                                             [] { return std::optional(Error::host_memory()); });
  for (std::size_t i = 0; i < submission.used_parts_; ++i) {
    Part& part = submission.parts_[i];
    if (part.error) continue;
    guarded([&] { finish_part(submission, part, fault); },
            [&] { part.error = Error::host_memory(); });
    part.timing.total = now - submission.started_;
    part.held.clear();
  }
  trace_end(submission, now);
  {
    const std::lock_guard lock(mutex_);
    give_back_inputs(submission);
    submission.state_ = Submission::State::finished;
  }
  queue_callbacks(submission);
  submission.release();
}

/// Why no part has outputs.
std::optional<Error> Recorder::fault_of(const Submission& submission) const {
  if (driver_->lost()) return lost_error();
  bool failed = submission.done_.is(Signal::State::failed);
  for (const PooledBlock* block : {&submission.readback_, &submission.readback_bound_})
    failed = failed || (*block && block->block->mapping.is(Signal::State::failed));
  if (!failed) return std::nullopt;
  return Error(ErrorKind::device_lost, "map-failed", "the device did not give the results back",
               "recover the device and dispatch again");
}

/// Why the part has no outputs, if it has none.
Status Recorder::check_part(const Submission& submission,
                            Part& part,
                            const std::optional<Error>& fault) {
  if (part.report.stopped) return deadline_error(part, submission.timeout_);
  if (part.report.error) return *std::move(part.report.error);
  if (fault) return Error(*fault).with("waiting for `" + part.label + "`");
  if (part.sequence != nullptr) return check_steps(submission, part);
  VYRE_CHECK_OK(check_indirect(submission, part));
  return check_trap(submission, part);
}

void Recorder::finish_part(Submission& submission, Part& part, const std::optional<Error>& fault) {
  if (Status ended = check_part(submission, part, fault); !ended) {
    part.error = std::move(ended).error();
    return;
  }
  if (part.sequence != nullptr) return expose_reads(submission, part);
  if (part.twin == nullptr) expose_outputs(submission, part);
  const Part& planned = part.twin != nullptr ? *part.twin : part;
  set_timing(submission, part, 0, !planned.launches.empty(), part.times, part.timing);
}

/// Where the marks of the part's `list`-th list lie, if it has any.
BlockRange Recorder::marks_of(const Submission& submission,
                              const Part& part,
                              std::size_t list) const {
  if (!part.marks) return {};
  const std::uint64_t bytes = driver_->traits().mark_bytes;
  return {submission.readback_.block.get(), *part.marks + list * bytes, bytes};
}

void Recorder::set_timing(const Submission& submission,
                          const Part& part,
                          std::size_t list,
                          bool ran,
                          DeviceTimes times,
                          Timing& timing) const {
  if (!times.known) return;
  const DriverTraits& traits = driver_->traits();
  if (const BlockRange marks = marks_of(submission, part, list); marks.block != nullptr)
    times = driver_->times_of({marks.block->data() + marks.offset, marks.size}, ran);
  const auto set = [](std::optional<std::chrono::nanoseconds>& field, std::uint64_t time) {
    if (time != 0) field = std::chrono::nanoseconds(time);
  };
  set(timing.queue, times.queue);
  set(timing.kernel, times.kernel);
  set(timing.readback, times.readback);
  if (traits.time_step > 1) timing.step = std::chrono::nanoseconds(traits.time_step);
}

Error Recorder::lost_error() const {
  return Error(ErrorKind::device_lost, "device-lost",
               "the device `" + driver_->info().name + "` was lost",
               "call recover() on the device, and make its buffers and sequences again");
}

Result<Outputs> Recorder::result(const JobRef& job) {
  if (job.part().error) return Error(*job.part().error);
  return Outputs(job);
}

/// A deadline of the dispatch itself ends the work where the driver can end it; a shorter wait only
/// stops waiting.
Error Recorder::give_up(const JobRef& job, std::optional<std::chrono::nanoseconds> waited) {
  Submission& submission = *job.submission();
  const auto allowed = waited.value_or(submission.timeout_);
  note_overdue();
  return deadline_error(job.part(), allowed);
}

Error Recorder::deadline_error(const Part& part, std::chrono::nanoseconds allowed) {
  return Error(ErrorKind::timeout, "deadline",
               "`" + part.label + "` did not finish within its deadline of " + time_text(allowed),
               "raise DispatchOptions::timeout, or give the kernel less work");
}

}  // namespace vyre
