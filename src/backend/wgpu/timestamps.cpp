// SPDX-License-Identifier: MIT OR Apache-2.0
#include "backend/wgpu/timestamps.h"

#include <cstring>

#include "backend/wgpu/latch.h"

namespace vyre::wgpu {
namespace {

enum Mark : std::uint32_t { pass_begin, pass_end, copies_begin, copies_end, mark_count };

}  // namespace

std::optional<std::chrono::nanoseconds> between(std::uint64_t begin,
                                                std::uint64_t end,
                                                double period) {
  if (begin == 0 || end <= begin) return std::nullopt;
  const double nanoseconds = static_cast<double>(end - begin) * period;
  return std::chrono::nanoseconds(static_cast<std::int64_t>(nanoseconds));
}

Result<std::optional<Timestamps>> Timestamps::make(const Gpu& gpu) {
  if (!gpu.info().has_timestamps) return std::optional<Timestamps>();
  WGPUQuerySetDescriptor descriptor = {};
  descriptor.type = WGPUQueryType_Timestamp;
  descriptor.count = mark_count;
  clear_latch();
  Timestamps result;
  result.set_ = QuerySetHandle(api().DeviceCreateQuerySet(gpu.device(), &descriptor));
  VYRE_CHECK_OK(check_latch(ErrorKind::unsupported, "timestamps-refused", "a set of timestamps"));
  VYRE_TRY(result.resolved_,
           gpu.make_buffer("timestamps", kBytes,
                           WGPUBufferUsage_QueryResolve | WGPUBufferUsage_CopySrc));
  result.pass_writes_.querySet = result.set_.get();
  result.pass_writes_.beginningOfPassWriteIndex = pass_begin;
  result.pass_writes_.endOfPassWriteIndex = pass_end;
  result.times_copies_ = gpu.times_encoders();
  result.period_ = static_cast<double>(gpu.timestamp_period());
  return std::optional<Timestamps>(std::move(result));
}

void Timestamps::mark_copies_begin(WGPUCommandEncoder encoder) const {
  if (times_copies_) api().CommandEncoderWriteTimestamp(encoder, set_.get(), copies_begin);
}

void Timestamps::mark_copies_end(WGPUCommandEncoder encoder) const {
  if (times_copies_) api().CommandEncoderWriteTimestamp(encoder, set_.get(), copies_end);
}

void Timestamps::record_resolve(WGPUCommandEncoder encoder,
                                WGPUBuffer to,
                                std::uint64_t offset) const {
  const std::uint32_t written = times_copies_ ? mark_count : copies_begin;
  api().CommandEncoderResolveQuerySet(encoder, set_.get(), 0, written, resolved_.get(), 0);
  api().CommandEncoderCopyBufferToBuffer(encoder, resolved_.get(), 0, to, offset, kBytes);
}

void Timestamps::read(std::span<const std::byte> marks, bool ran, Timing& timing) const {
  std::array<std::uint64_t, mark_count> at = {};
  std::memcpy(at.data(), marks.data(), kBytes);
  if (ran) timing.kernel = between(at[pass_begin], at[pass_end], period_);
  if (times_copies_) timing.readback = between(at[copies_begin], at[copies_end], period_);
}

}  // namespace vyre::wgpu
