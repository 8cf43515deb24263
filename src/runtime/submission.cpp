// SPDX-License-Identifier: MIT OR Apache-2.0
#include "runtime/submission.h"

#include <algorithm>

#include "runtime/recorder.h"
#include "runtime/resident.h"

namespace vyre {

namespace {

/// True if an output is a view of the block.
bool shows(const Part& part, const DriverBlock& block) {
  const std::byte* const begin = block.data();
  return begin != nullptr &&
         std::any_of(part.items.begin(), part.items.end(), [&](const Outputs::Item& item) {
           return item.bytes.data() >= begin && item.bytes.data() < begin + block.size();
         });
}

}  // namespace

bool Part::is_settled() const {
  return !indirect.used && std::all_of(placed.begin(), placed.end(), [](const Placed& one) {
    return one.place == Location::nothing || (one.place == Location::resident && !one.clear);
  });
}

void Part::reset() {
  if (twin == nullptr) reset_plan();
  compiled.reset();
  plan.reset();
  label.clear();
  twin = nullptr;
  items.clear();
  item_types.clear();
  report = {};
  marks.reset();
  times = {};
  timing = {};
  timed = false;
  error.reset();
}

void Part::reset_plan() {
  variant = nullptr;
  words.clear();
  launch_block = nullptr;
  placed.clear();
  blocks.clear();
  held.clear();
  ranges.clear();
  bindings.reset();
  uploads.clear();
  clears.clear();
  in_order = false;
  launches.clear();
  indirect.reset();
  downloads.clear();
  readbacks.clear();
  trap.reset();
  sequence.reset();
  step_reports.clear();
  step_times.clear();
  step_timings.clear();
}

void Submission::release() {
  if (references_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  if (recorder_->is_foreign()) return;                   // it keeps the recorder from then on
  const std::shared_ptr<Recorder> recorder = recorder_;  // outlives the call
  recorder->recycle(this);
}

JobRef::JobRef(Submission* submission, std::uint32_t part) : submission_(submission), part_(part) {}
JobRef::JobRef(const JobRef& other) : submission_(other.submission_), part_(other.part_) {
  if (submission_ != nullptr) submission_->retain();
}
JobRef::JobRef(JobRef&& other) noexcept
    : submission_(std::exchange(other.submission_, nullptr)), part_(other.part_) {}
JobRef& JobRef::operator=(JobRef other) noexcept {
  std::swap(submission_, other.submission_);
  std::swap(part_, other.part_);
  return *this;
}
JobRef::~JobRef() {
  if (submission_ != nullptr) submission_->release();
}
const Part& JobRef::part() const {
  return submission_->part(part_);
}

// ------------------------------------------------------------------------- shelf of submissions

/// Makes room for one more.
template <typename T>
static void grow(std::vector<T>& all) {
  if (all.size() == all.capacity()) all.reserve(2 * all.size() + 1);
}

/// A submission with one reference, which the caller owns.
Submission* Recorder::take_submission() {
  const std::lock_guard lock(mutex_);
  if (idle_.empty()) {
    // Room first: what gives a submission back, or lets it run, must not need memory.
    grow(all_);
    idle_.reserve(all_.capacity());
    running_.reserve(all_.capacity());
    all_.push_back(std::make_unique<Submission>());
    idle_.push_back(all_.back().get());
  }
  Submission* submission = idle_.back();
  idle_.pop_back();
  submission->recorder_ = shared_from_this();
  submission->references_ = 1;
  return submission;
}

/// Called when a reference count reached zero.  A submission that still runs is recycled by
/// `finish`, which holds a reference until then.
void Recorder::recycle(Submission* submission) {
  {
    const std::lock_guard lock(mutex_);
    give_back_blocks(*submission);
  }
  // Outside the lock: resident buffers that end here give their blocks back themselves.
  for (std::size_t i = 0; i < submission->used_parts_; ++i)
    submission->parts_[i].reset();
  submission->used_parts_ = 0;
  submission->lists_.clear();
  submission->callbacks_.clear();
  submission->late_ = false;
  submission->stop_ = false;
  submission->done_.set(Signal::State::idle);
  submission->state_ = Submission::State::idle;
  const std::shared_ptr<Recorder> last = std::move(submission->recorder_);  // outlives the lock
  const std::lock_guard lock(mutex_);
  idle_.push_back(submission);
}

/// What no output shows is of use to others before the outputs are let go.  REQUIRES: the lock.
void Recorder::give_back_inputs(Submission& submission) {
  const auto release = [&](PooledBlock& block) {
    const std::uint64_t size = block ? block.block->size() : 0;
    const std::uint64_t share = std::min(size, submission.bytes_);
    submission.bytes_ -= share;
    flight_bytes_ -= share;
    pool_.release(std::move(block));
    block = {};
  };
  release(submission.upload_);
  release(submission.upload_bound_);
  for (std::size_t i = 0; i < submission.used_parts_; ++i) {
    Part& part = submission.parts_[i];
    for (PooledBlock& block : part.blocks)
      if (part.error || !shows(part, *block.block)) release(block);
  }
}

void Recorder::give_back_blocks(Submission& submission) {
  for (PooledBlock* block : {&submission.upload_, &submission.upload_bound_, &submission.readback_,
                             &submission.readback_bound_}) {
    if (*block && !is_upload(block->use) && block->block->data() != nullptr &&
        !driver_->traits().unified)
      driver_->unmap(*block->block);
    pool_.release(std::move(*block));
    *block = {};
  }
  for (std::size_t i = 0; i < submission.used_parts_; ++i) {
    auto& blocks = submission.parts_[i].blocks;
    for (PooledBlock& block : blocks)
      pool_.release(std::move(block));
    blocks.clear();
  }
  flight_bytes_ -= submission.bytes_;
  submission.bytes_ = 0;
}

}  // namespace vyre
