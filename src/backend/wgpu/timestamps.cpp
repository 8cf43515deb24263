// SPDX-License-Identifier: MIT OR Apache-2.0
#include "backend/wgpu/timestamps.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "backend/wgpu/latch.h"

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
  VYRE_CHECK_OK(check_latch(ErrorKind::unsupported, "timestamps-refused", "a set of timestamps"));
  VYRE_TRY(result->resolved_,
           gpu->make_buffer("timestamps", jobs * kBytes,
                            WGPUBufferUsage_QueryResolve | WGPUBufferUsage_CopySrc));
  VYRE_TRY(result->readback_, gpu->make_buffer("timestamps", jobs * kBytes,
                                               WGPUBufferUsage_MapRead | WGPUBufferUsage_CopyDst));
  result->capacity_ = jobs;
  result->gpu_ = std::move(gpu);
  return result;
}

void Timestamps::reset() {
  if (mapped_) api().BufferUnmap(readback_.get());
  mapped_ = false;
  jobs_.clear();
  marks_ = 0;
}

std::uint32_t Timestamps::add(DeviceTimes* times, bool runs) {
  Job job = {.times = times};
  if (runs) job.pass = std::exchange(marks_, marks_ + 2);
  if (gpu_->times_encoders()) job.copies = std::exchange(marks_, marks_ + 2);
  jobs_.push_back(job);
  return static_cast<std::uint32_t>(jobs_.size() - 1);
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
  api().CommandEncoderCopyBufferToBuffer(encoder, resolved_.get(), 0, readback_.get(), 0,
                                         used_bytes());
}

void Timestamps::read() {
  const auto* const ticks = static_cast<const std::uint64_t*>(
      api().BufferGetConstMappedRange(readback_.get(), 0, used_bytes()));
  if (ticks == nullptr) return;
  for (const Job& job : jobs_) {
    Marks marks;
    if (job.pass != kNoMarks) {
      marks.pass_begin = ticks[job.pass];
      marks.pass_end = ticks[job.pass + 1];
    }
    if (job.copies != kNoMarks) {
      marks.copies_begin = ticks[job.copies];
      marks.copies_end = ticks[job.copies + 1];
    }
    *job.times =
        to_times(marks, job.pass != kNoMarks, static_cast<double>(gpu_->timestamp_period()));
  }
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
  if (idle_.size() < kKept) idle_.push_back(std::move(timestamps));
}

/// What the callback needs; it owns everything until then.
struct TimestampPool::Fetch {
  std::unique_ptr<Timestamps> timestamps;
  std::shared_ptr<TimestampPool> pool;
  Gate gate;
};

void TimestampPool::fetch(std::unique_ptr<Timestamps> timestamps, Gate gate) {
  WGPUBuffer const readback = timestamps->readback_.get();
  const std::uint64_t bytes = timestamps->used_bytes();
  WGPUBufferMapCallbackInfo callback = {};
  callback.mode = WGPUCallbackMode_AllowSpontaneous;
  callback.callback = on_mapped;
  callback.userdata1 = new Fetch{std::move(timestamps), shared_from_this(), std::move(gate)};
  clear_latch();
  api().BufferMapAsync(readback, WGPUMapMode_Read, 0, bytes, callback);
  clear_latch();  // times that cannot be fetched stay unknown
}

void TimestampPool::on_mapped(WGPUMapAsyncStatus status, WGPUStringView, void* fetch, void*) {
  const std::unique_ptr<Fetch> owned(static_cast<Fetch*>(fetch));
  if (status != WGPUMapAsyncStatus_Success || !owned->gate->load()) return;
  owned->timestamps->mapped_ = true;
  owned->timestamps->read();
  owned->pool->give_back(std::move(owned->timestamps));
}

}  // namespace vyre::wgpu
