// SPDX-License-Identifier: MIT OR Apache-2.0
#include "backend/wgpu/timestamps.h"

#include <cstring>

#include "backend/wgpu/latch.h"

namespace vyre::wgpu {
namespace {

enum Mark : std::uint32_t { pass_begin, pass_end, copies_begin, copies_end, mark_count };
constexpr std::uint64_t kBytes = sizeof(Timestamps::Marks);

std::uint64_t between(std::uint64_t begin, std::uint64_t end, double nanoseconds_per_tick) {
  if (begin == 0 || end <= begin) return 0;
  return static_cast<std::uint64_t>(static_cast<double>(end - begin) * nanoseconds_per_tick);
}

}  // namespace

/// What the callback needs; it owns everything until then.
struct Timestamps::Fetch {
  std::unique_ptr<Timestamps> timestamps;
  DeviceTimes* times;
  Gate gate;
  bool ran;
};

DeviceTimes to_times(const Timestamps::Marks& marks, bool ran, double nanoseconds_per_tick) {
  DeviceTimes times = {.known = true};
  if (ran) times.kernel = between(marks.pass_begin, marks.pass_end, nanoseconds_per_tick);
  times.readback = between(marks.copies_begin, marks.copies_end, nanoseconds_per_tick);
  return times;
}

Result<std::unique_ptr<Timestamps>> Timestamps::make(std::shared_ptr<const Gpu> gpu) {
  WGPUQuerySetDescriptor descriptor = {};
  descriptor.type = WGPUQueryType_Timestamp;
  descriptor.count = mark_count;
  clear_latch();
  auto result = std::make_unique<Timestamps>();
  result->set_ = QuerySetHandle(api().DeviceCreateQuerySet(gpu->device(), &descriptor));
  VYRE_CHECK_OK(check_latch(ErrorKind::unsupported, "timestamps-refused", "a set of timestamps"));
  VYRE_TRY(result->resolved_,
           gpu->make_buffer("timestamps", kBytes,
                            WGPUBufferUsage_QueryResolve | WGPUBufferUsage_CopySrc));
  VYRE_TRY(result->readback_, gpu->make_buffer("timestamps", kBytes,
                                               WGPUBufferUsage_MapRead | WGPUBufferUsage_CopyDst));
  result->pass_writes_.querySet = result->set_.get();
  result->pass_writes_.beginningOfPassWriteIndex = pass_begin;
  result->pass_writes_.endOfPassWriteIndex = pass_end;
  result->gpu_ = std::move(gpu);
  return result;
}

void Timestamps::mark_copies_begin(WGPUCommandEncoder encoder) const {
  if (gpu_->times_encoders()) api().CommandEncoderWriteTimestamp(encoder, set_.get(), copies_begin);
}

void Timestamps::mark_copies_end(WGPUCommandEncoder encoder) const {
  if (gpu_->times_encoders()) api().CommandEncoderWriteTimestamp(encoder, set_.get(), copies_end);
}

void Timestamps::record_resolve(WGPUCommandEncoder encoder) const {
  const std::uint32_t written = gpu_->times_encoders() ? mark_count : copies_begin;
  api().CommandEncoderResolveQuerySet(encoder, set_.get(), 0, written, resolved_.get(), 0);
  api().CommandEncoderCopyBufferToBuffer(encoder, resolved_.get(), 0, readback_.get(), 0, kBytes);
}

void Timestamps::fetch(std::unique_ptr<Timestamps> timestamps,
                       bool ran,
                       DeviceTimes* times,
                       Gate gate) {
  WGPUBuffer const readback = timestamps->readback_.get();
  WGPUBufferMapCallbackInfo callback = {};
  callback.mode = WGPUCallbackMode_AllowSpontaneous;
  callback.callback = on_mapped;
  callback.userdata1 = new Fetch{std::move(timestamps), times, std::move(gate), ran};
  clear_latch();
  api().BufferMapAsync(readback, WGPUMapMode_Read, 0, kBytes, callback);
  clear_latch();  // times that cannot be fetched stay unknown
}

void Timestamps::on_mapped(WGPUMapAsyncStatus status, WGPUStringView, void* fetch, void*) {
  const std::unique_ptr<Fetch> owned(static_cast<Fetch*>(fetch));
  if (status != WGPUMapAsyncStatus_Success || !owned->gate->load()) return;
  const Timestamps& self = *owned->timestamps;
  const void* mapped = api().BufferGetConstMappedRange(self.readback_.get(), 0, kBytes);
  if (mapped == nullptr) return;
  Marks marks;
  std::memcpy(&marks, mapped, kBytes);
  *owned->times = to_times(marks, owned->ran, static_cast<double>(self.gpu_->timestamp_period()));
}

}  // namespace vyre::wgpu
