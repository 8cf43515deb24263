// SPDX-License-Identifier: MIT OR Apache-2.0
#include "runtime/backoff.h"
#include "runtime/recorder.h"

// Some drivers compile a kernel when it is first launched.  There it is launched over no workgroup
// first, with what it is bound to, and what that takes is compilation: outside of the deadline.
namespace vyre {
namespace {

/// The first launches of kernels, with the uploads that they may read: such a driver may compile
/// for the values of uniforms.
struct FirstLaunches {
  std::vector<BlockCopy> uploads = {};
  std::vector<LaunchCommand> launches = {};

  void add(const CommandList& list) {
    const std::size_t before = launches.size();
    for (const LaunchCommand& command : list.launches) {
      if (command.kernel->launched) continue;
      LaunchCommand& empty = launches.emplace_back(command);
      empty.grid = {0, 0, 0};
      empty.indirect = {};
      empty.repeat = 1;
    }
    if (launches.size() != before && !list.in_order)
      uploads.insert(uploads.end(), list.uploads.begin(), list.uploads.end());
  }
};

}  // namespace

/// Such drivers run one job at a time: earlier work is waited for, within the deadline.
Status Recorder::wait_until_idle(const Submission& submission) {
  Backoff backoff(options_.spin);
  while (flying_.load(std::memory_order_acquire) != 0) {
    collect();
    if (flying_.load(std::memory_order_acquire) != 0 && !backoff.pause(submission.deadline_))
      return device_busy(first_label(submission));
  }
  return Ok{};
}

Status Recorder::compile_by_launch(Submission& submission) {
  if (!driver_->traits().compiles_at_launch) return Ok{};
  FirstLaunches first;
  for (const CommandList& list : submission.lists_)
    first.add(list);
  if (first.launches.empty()) return Ok{};
  VYRE_CHECK_OK(wait_until_idle(submission));
  const auto started = Clock::now();
  const CommandList list = {
      .label = "compilation", .uploads = first.uploads, .launches = first.launches};
  submission.done_.set(Signal::State::pending);
  VYRE_CHECK_OK(driver_->submit(std::span(&list, 1), {.done = &submission.done_}));
  Backoff backoff(options_.spin);
  while (submission.done_.is(Signal::State::pending) && !driver_->lost()) {
    driver_->poll();
    backoff.pause(Clock::time_point::max());
  }
  if (driver_->lost()) return lost_error();
  for (const LaunchCommand& launch : first.launches)
    launch.kernel->launched = true;
  const auto took = Clock::now() - started;
  submission.deadline_ = later(submission.deadline_, took);
  for (std::size_t i = 0; i < submission.used_parts_; ++i)
    if (Part& part = submission.parts_[i]; !part.error)
      part.timing.compile = part.timing.compile.value_or(std::chrono::nanoseconds(0)) + took;
  return Ok{};
}

}  // namespace vyre
