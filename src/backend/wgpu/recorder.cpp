// SPDX-License-Identifier: MIT OR Apache-2.0
#include "backend/wgpu/recorder.h"

#include "backend/wgpu/bind_groups.h"
#include "backend/wgpu/clears.h"
#include "backend/wgpu/latch.h"
#include "backend/wgpu/readback.h"
#include "backend/wgpu/staging.h"
#include "backend/wgpu/submit.h"
#include "backend/wgpu/timestamps.h"
#include "backend/wgpu/uploads.h"

namespace vyre::wgpu {
namespace {

using Clock = std::chrono::steady_clock;

void record_pass(WGPUCommandEncoder encoder,
                 const Job& job,
                 WGPUBindGroup group,
                 const Timestamps* timestamps) {
  WGPUComputePassDescriptor descriptor = {};
  descriptor.label = view(job.label);
  if (timestamps != nullptr) descriptor.timestampWrites = timestamps->pass_writes();
  const PassHandle pass(api().CommandEncoderBeginComputePass(encoder, &descriptor));
  api().ComputePassEncoderSetPipeline(pass.get(), job.pipeline.pipeline.get());
  api().ComputePassEncoderSetBindGroup(pass.get(), 0, group, 0, nullptr);
  const auto [x, y, z] = job.grid;
  if (x != 0 && y != 0 && z != 0)
    for (std::uint32_t i = 0; i < job.repeat; ++i)
      api().ComputePassEncoderDispatchWorkgroups(pass.get(), x, y, z);
  api().ComputePassEncoderEnd(pass.get());
}

Result<std::optional<Timestamps>> make_timestamps(const Gpu& gpu, const Job& job) {
  if (!job.timestamps) return std::optional<Timestamps>();
  return Timestamps::make(gpu);
}

}  // namespace

Result<Finished> run_job(const std::shared_ptr<const Gpu>& gpu, const Job& job) {
  const auto began = Clock::now();
  VYRE_CHECK_OK(gpu->check_alive());
  VYRE_TRY(const auto bound, make_buffers(*gpu, job));
  VYRE_TRY(const auto group, make_bind_group(*gpu, job, bound));
  VYRE_TRY(const auto uploads, place_uploads(*gpu, job));
  const auto placed = Clock::now();
  VYRE_TRY(const auto made, make_timestamps(*gpu, job));
  const Timestamps* timestamps = made ? &*made : nullptr;
  VYRE_TRY(auto staging, make_staging(*gpu, job, timestamps != nullptr));

  clear_latch();
  WGPUCommandEncoderDescriptor descriptor = {};
  descriptor.label = view(job.label);
  const EncoderHandle encoder(api().DeviceCreateCommandEncoder(gpu->device(), &descriptor));
  record_uploads(encoder.get(), uploads, bound);
  record_clears(encoder.get(), job, bound);
  record_pass(encoder.get(), job, group.get(), timestamps);
  record_copies(encoder.get(), staging, bound, timestamps);
  VYRE_CHECK_OK(submit(*gpu, encoder.get(), job));
  VYRE_TRY(auto finished, read_back(gpu, job, std::move(staging), timestamps));
  if (job.timestamps) finished.timing.upload = placed - began;
  finished.timing.total = Clock::now() - began;
  return finished;
}

}  // namespace vyre::wgpu
