// SPDX-License-Identifier: MIT OR Apache-2.0
#include "backend/wgpu/readback.h"

#include "backend/wgpu/latch.h"
#include "backend/wgpu/traps.h"

namespace vyre::wgpu {
namespace {

/// What the map callback tells; shared, because after a timeout it may still come.
struct MapState {
  WGPUMapAsyncStatus status = WGPUMapAsyncStatus_Error;
  std::string text = {};
  std::atomic<bool> done = false;
};

void on_mapped(WGPUMapAsyncStatus status, WGPUStringView message, void* state, void*) {
  const std::unique_ptr<std::shared_ptr<MapState>> owned(
      static_cast<std::shared_ptr<MapState>*>(state));
  (*owned)->status = status;
  (*owned)->text = view(message);
  (*owned)->done.store(true, std::memory_order_release);
}

/// The mapped block of outputs that a user holds.
struct Held {
  std::shared_ptr<const Gpu> gpu;
  BufferHandle block;

  Held(std::shared_ptr<const Gpu> device, BufferHandle mapped)
      : gpu(std::move(device)), block(std::move(mapped)) {}
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() { api().BufferUnmap(block.get()); }
};

std::string in_words(std::chrono::nanoseconds time) {
  const auto count = time.count();
  if (count % 1'000'000'000 == 0) return std::to_string(count / 1'000'000'000) + " s";
  if (count % 1'000'000 == 0) return std::to_string(count / 1'000'000) + " ms";
  if (count % 1'000 == 0) return std::to_string(count / 1'000) + " us";
  return std::to_string(count) + " ns";
}

Error late(const Job& job) {
  return {ErrorKind::timeout, "timeout",
          "the dispatch of `" + std::string(job.label) + "` was not done within " +
              in_words(job.timeout),
          "give it more time with the option `timeout`, or split the work"};
}

Status map(const Gpu& gpu, const Job& job, const Staging& staging) {
  auto state = std::make_shared<MapState>();
  WGPUBufferMapCallbackInfo callback = {};
  callback.mode = WGPUCallbackMode_AllowSpontaneous;
  callback.callback = on_mapped;
  callback.userdata1 = new std::shared_ptr<MapState>(state);
  clear_latch();
  api().BufferMapAsync(staging.block.get(), WGPUMapMode_Read, 0, staging.plan.size, callback);
  const std::string doing = "to map the outputs of `" + std::string(job.label) + "`";
  VYRE_CHECK_OK(check_latch(ErrorKind::device_lost, "map-failed", doing));
  if (!gpu.wait(state->done, job.deadline)) {
    VYRE_CHECK_OK(gpu.check_alive());
    return late(job);
  }
  if (state->status == WGPUMapAsyncStatus_Success) return Ok{};
  VYRE_CHECK_OK(gpu.check_alive());
  return Error(ErrorKind::device_lost, "map-failed",
               "the WebGPU library refused " + doing + ": " + state->text);
}

}  // namespace

Result<Finished> read_back(std::shared_ptr<const Gpu> gpu,
                           const Job& job,
                           Staging staging,
                           const Timestamps* timestamps) {
  VYRE_CHECK_OK(map(*gpu, job, staging));
  const StagingPlan& plan = staging.plan;
  const void* mapped = api().BufferGetConstMappedRange(staging.block.get(), 0, plan.size);
  if (mapped == nullptr)
    return Error(ErrorKind::device_lost, "map-failed", "the outputs came back without memory");
  const std::span bytes(static_cast<const std::byte*>(mapped), plan.size);
  Finished finished;
  finished.owner = std::make_shared<Held>(std::move(gpu), std::move(staging.block));
  if (plan.trap) finished.trap = read_trap(bytes.subspan(plan.trap->offset, plan.trap->size));
  for (const Piece& piece : plan.outputs)
    finished.outputs.push_back(bytes.subspan(piece.offset + piece.skip, piece.length));
  const bool ran = job.grid[0] != 0 && job.grid[1] != 0 && job.grid[2] != 0;
  if (timestamps != nullptr)
    timestamps->read(bytes.subspan(plan.timestamps, Timestamps::kBytes), ran, finished.timing);
  return finished;
}

}  // namespace vyre::wgpu
