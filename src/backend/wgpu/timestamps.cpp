// SPDX-License-Identifier: MIT OR Apache-2.0
#include "backend/wgpu/timestamps.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>

#include "backend/wgpu/block.h"
#include "backend/wgpu/latch.h"
#include "base/guarded.h"

namespace vyre::wgpu {
namespace {

constexpr std::uint32_t kMarks = 4;  // of a job at most
constexpr std::uint64_t kBytes = sizeof(Timestamps::Marks);

std::uint64_t between(std::uint64_t begin, std::uint64_t end, double nanoseconds_per_tick) {
  if (begin == 0 || end <= begin) return 0;
  return static_cast<std::uint64_t>(static_cast<double>(end - begin) * nanoseconds_per_tick);
}

}  // namespace

DeviceTimes to_times(const Timestamps::Marks& marks, bool ran, double nanoseconds_per_tick) {
  DeviceTimes times = {.known = true};
  if (ran) times.kernel = between(marks.pass_begin, marks.pass_end, nanoseconds_per_tick);
  times.readback = between(marks.copies_begin, marks.copies_end, nanoseconds_per_tick);
  return times;
}

// ------------------------------------------------------------------------------- a set of marks

Result<std::unique_ptr<Timestamps>> Timestamps::make(std::shared_ptr<const Gpu> gpu,
                                                     std::uint32_t jobs) {
  WGPUQuerySetDescriptor descriptor = {};
  descriptor.type = WGPUQueryType_Timestamp;
  descriptor.count = jobs * kMarks;
  clear_latch();
  auto result = std::make_unique<Timestamps>();
  result->set_ = QuerySetHandle(api().DeviceCreateQuerySet(gpu->device(), &descriptor));
  VYRE_CHECK_OK(
      gpu->check_call(ErrorKind::unsupported, "timestamps-refused", "a set of timestamps"));
  VYRE_TRY(result->resolved_,
           gpu->make_buffer("timestamps", jobs * kBytes,
                            WGPUBufferUsage_QueryResolve | WGPUBufferUsage_CopySrc));
  result->capacity_ = jobs;
  result->gpu_ = std::move(gpu);
  return result;
}

void Timestamps::reset() {
  jobs_.clear();
  marks_ = 0;
}

std::uint32_t Timestamps::add(bool runs) {
  Job job;
  if (runs) job.pass = std::exchange(marks_, marks_ + 2);
  if (gpu_->times_encoders()) job.copies = std::exchange(marks_, marks_ + 2);
  jobs_.push_back(job);
  return static_cast<std::uint32_t>(jobs_.size() - 1);
}

bool Timestamps::has_marks(std::uint32_t job) const {
  return jobs_[job].pass != kNoMarks || jobs_[job].copies != kNoMarks;
}

const WGPUPassTimestampWrites* Timestamps::pass_writes(std::uint32_t job) {
  pass_writes_.querySet = set_.get();
  pass_writes_.beginningOfPassWriteIndex = jobs_[job].pass;
  pass_writes_.endOfPassWriteIndex = jobs_[job].pass + 1;
  return &pass_writes_;
}

void Timestamps::mark_copies_begin(WGPUCommandEncoder encoder, std::uint32_t job) const {
  if (jobs_[job].copies != kNoMarks)
    api().CommandEncoderWriteTimestamp(encoder, set_.get(), jobs_[job].copies);
}

void Timestamps::mark_copies_end(WGPUCommandEncoder encoder, std::uint32_t job) const {
  if (jobs_[job].copies != kNoMarks)
    api().CommandEncoderWriteTimestamp(encoder, set_.get(), jobs_[job].copies + 1);
}

void Timestamps::record_resolve(WGPUCommandEncoder encoder) const {
  api().CommandEncoderResolveQuerySet(encoder, set_.get(), 0, marks_, resolved_.get(), 0);
}

void Timestamps::record_copy(WGPUCommandEncoder encoder,
                             std::uint32_t job,
                             const BlockRange& to) const {
  const auto copy = [&](std::uint32_t first, std::uint64_t at) {
    if (first == kNoMarks) return;
    constexpr std::uint64_t kMark = sizeof(std::uint64_t);
    api().CommandEncoderCopyBufferToBuffer(encoder, resolved_.get(), first * kMark,
                                           buffer_of(to.block), to.offset + at, 2 * kMark);
  };
  copy(jobs_[job].pass, offsetof(Marks, pass_begin));
  copy(jobs_[job].copies, offsetof(Marks, copies_begin));
}

// ------------------------------------------------------------------------------ sets, used again

Result<std::unique_ptr<Timestamps>> TimestampPool::take(std::size_t jobs) {
  const auto wanted =
      static_cast<std::uint32_t>(std::bit_ceil(std::min<std::size_t>(jobs, Timestamps::kJobs)));
  const std::lock_guard lock(mutex_);
  for (auto& idle : idle_) {
    if (idle->capacity_ < wanted) continue;
    std::swap(idle, idle_.back());
    auto taken = std::move(idle_.back());
    idle_.pop_back();
    taken->reset();
    return taken;
  }
  return Timestamps::make(gpu_, wanted);
}

void TimestampPool::give_back(std::unique_ptr<Timestamps> timestamps) {
  constexpr std::size_t kKept = 16;
  const std::lock_guard lock(mutex_);
  if (idle_.size() < kKept) guarded([&] { idle_.push_back(std::move(timestamps)); }, [] {});
}

/// What the callback needs; it owns everything until then.
struct TimestampPool::Busy {
  std::unique_ptr<Timestamps> timestamps;
  std::shared_ptr<TimestampPool> pool;
};

TimestampPool::BusyHandle TimestampPool::lend(std::unique_ptr<Timestamps> timestamps) {
  return BusyHandle(new Busy{std::move(timestamps), shared_from_this()});
}

void TimestampPool::Dropped::operator()(Busy* busy) const {
  delete busy;
}

void TimestampPool::give_back_when_done(BusyHandle busy) {
  WGPUQueueWorkDoneCallbackInfo callback = {};
  callback.mode = WGPUCallbackMode_AllowSpontaneous;
  callback.callback = on_done;
  callback.userdata1 = busy.release();
  api().QueueOnSubmittedWorkDone(gpu_->queue(), callback);
}

void TimestampPool::on_done(WGPUQueueWorkDoneStatus, WGPUStringView, void* busy, void*) {
  const std::unique_ptr<Busy> owned(static_cast<Busy*>(busy));
  owned->pool->give_back(std::move(owned->timestamps));
}

}  // namespace vyre::wgpu
