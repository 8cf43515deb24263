// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <unistd.h>

#include "runtime/backoff.h"
#include "runtime/recorder.h"
#include "runtime/resident.h"

// Back-pressure: how much may be in flight or held by the user's outputs at once.
namespace vyre {
namespace {

std::string sized(std::string_view label, std::uint64_t bytes) {
  return "`" + std::string(label) + "` (" + std::to_string(bytes) + " bytes)";
}

}  // namespace

std::uint64_t RecorderOptions::default_budget() {
  constexpr std::uint64_t kMost = std::uint64_t{16} << 30;
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page <= 0) return kMost;
  return std::min(kMost, static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page) / 2);
}

/// Of the first job that is not refused.
std::string_view Recorder::first_label(const Submission& submission) {
  for (std::size_t i = 0; i < submission.used_parts_; ++i)
    if (!submission.parts_[i].error) return submission.parts_[i].label;
  return submission.used_parts_ == 0 ? std::string_view() : submission.parts_[0].label;
}

/// What `acquire` will take for the submission.
std::uint64_t Recorder::bytes_of(const Submission& submission, const Totals& totals) const {
  std::uint64_t sum = 0;
  for (const std::uint64_t bytes :
       {totals.upload, totals.upload_bound, totals.readback, totals.readback_bound})
    if (bytes != 0) sum += pool_.block_bytes(bytes);
  for (std::size_t i = 0; i < submission.used_parts_; ++i) {
    const Part& part = submission.parts_[i];
    if (!part.takes_blocks()) continue;
    for (const Placed& placed : part.placed)
      if (placed.place == Location::device || placed.place == Location::shared ||
          placed.place == Location::staged)
        sum += pool_.block_bytes(placed.bound);
    if (!part.indirect.used) continue;
    sum += pool_.block_bytes(part.indirect.words.size() * 4);
    if (!driver_->traits().bound_uploads) sum += pool_.block_bytes(told_bytes());
  }
  return sum;
}

/// Takes the submission's share of the budget, or waits for it until the deadline.
Status Recorder::admit(Submission& submission, const Totals& totals) {
  const std::uint64_t bytes = bytes_of(submission, totals);
  Backoff backoff(options_.spin);
  for (;;) {
    bool full = false;  // of jobs, not of bytes
    {
      const std::lock_guard lock(mutex_);
      full = running_.size() >= options_.flight_submissions;
      if (!full && bytes <= options_.flight_bytes &&
          flight_bytes_ <= options_.flight_bytes - bytes) {
        submission.bytes_ = bytes;
        flight_bytes_ += bytes;
        return Ok{};
      }
      const std::string_view label = first_label(submission);
      if (bytes > options_.flight_bytes) return over_budget(label, bytes);
    }
    collect();
    if (backoff.pause(submission.deadline_)) continue;
    const std::lock_guard lock(mutex_);
    const std::string_view label = first_label(submission);
    return full ? device_busy(label) : over_budget(label, bytes);
  }
}

/// Names what is held: finished jobs whose outputs or handles the caller keeps.  REQUIRES: the
/// lock.
Error Recorder::over_budget(std::string_view label, std::uint64_t bytes) const {
  constexpr int kNamed = 8;
  std::string held;
  std::uint64_t held_bytes = 0;
  int count = 0;
  for (const auto& submission : all_) {
    if (submission->bytes_ == 0 || submission->state() != Submission::State::finished) continue;
    held_bytes += submission->bytes_;
    if (++count <= kNamed)
      held += (held.empty() ? "" : ", ") + sized(first_label(*submission), submission->bytes_);
  }
  if (count > kNamed) held += " and " + std::to_string(count - kNamed) + " more";
  std::string message = sized(label, bytes) + " does not fit into the budget of " +
                        std::to_string(options_.flight_bytes) +
                        " bytes: " + std::to_string(flight_bytes_ - held_bytes) +
                        " are in flight, " + std::to_string(held_bytes) + " are held";
  if (!held.empty()) message += " by the outputs of " + held;
  return Error(ErrorKind::out_of_memory, "memory-budget", std::move(message),
               "let go of outputs, keep results in resident buffers, or raise "
               "OpenOptions::memory_budget");
}

Error Recorder::device_busy(std::string_view label) const {
  return Error(ErrorKind::timeout, "deadline",
               "`" + std::string(label) +
                   "` was not submitted within its deadline: the device is busy with earlier work",
               "wait for that, or raise DispatchOptions::timeout");
}

/// Blocks for all parts.  Where the driver is out of memory while jobs run, those are waited for.
Status Recorder::acquire_blocks(Submission& submission, const Totals& totals) {
  VYRE_CHECK_OK(admit(submission, totals));
  Backoff backoff(options_.spin);
  for (;;) {
    {
      const std::lock_guard lock(mutex_);
      Status acquired = acquire(submission, totals);
      const bool may_come =
          !acquired && acquired.error().kind() == ErrorKind::out_of_memory && !running_.empty();
      if (!may_come || Clock::now() >= submission.deadline_) return acquired;
      const std::uint64_t share = std::exchange(submission.bytes_, 0);
      give_back_blocks(submission);
      submission.bytes_ = share;
    }
    collect();
    backoff.pause(submission.deadline_);
  }
}

}  // namespace vyre
