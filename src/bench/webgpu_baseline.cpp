// SPDX-License-Identifier: MIT OR Apache-2.0
#include <array>
#include <cstring>
#include <utility>

#include "bench/webgpu.h"
#include "bench/work.h"

// The work as it is done with the bare WebGPU API.  The round trip copies nothing on the device:
// inputs and output lie in storage buffers that the host maps.
namespace vyre::bench {
namespace {

using bare::Api;
using bare::Bound;
using bare::Flag;
using bare::Gpu;
using bare::Owned;
using GpuRef = std::shared_ptr<Gpu>;
using Floats = std::vector<float>;

constexpr WGPUBufferUsage kDevice =
    WGPUBufferUsage_Storage | WGPUBufferUsage_CopySrc | WGPUBufferUsage_CopyDst;
constexpr std::uint64_t kBytes = kRoundTripWords * 4;

/// A kernel bound to its buffers, which live as long.
struct Bench {
  GpuRef gpu;
  Owned<WGPUComputePipeline> pipeline;
  Owned<WGPUBindGroup> group;
  std::vector<Owned<WGPUBuffer>> buffers;
  Flag in = {};
  Flag out = {};

  Bench() = default;
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;
  /// A map on its way would set a flag that is gone.
  ~Bench() {
    for (const Flag* flag : {&in, &out})
      [[maybe_unused]] const Status ended = gpu->wait(*flag);
  }

  void launch(std::uint32_t workgroups, std::uint32_t times = 1) {
    gpu->submit({pipeline.get(), group.get(), {workgroups, 1, 1}, times});
  }
  void launch_and_copy(std::uint32_t workgroups,
                       std::size_t from,
                       std::size_t to,
                       std::uint64_t size) {
    gpu->submit({pipeline.get(),
                 group.get(),
                 {workgroups, 1, 1},
                 1,
                 buffers[from].get(),
                 buffers[to].get(),
                 size});
  }
};
using BenchRef = std::shared_ptr<Bench>;

struct Wanted {
  std::uint64_t size;
  WGPUBufferUsage usage;
  bool mapped = false;
};
/// A binding of the kernel: one of the buffers, and where.
struct Slot {
  std::size_t buffer;
  std::uint64_t offset;
  std::uint64_t size;
};

Result<BenchRef> set_up(GpuRef gpu,
                        const char* kernel,
                        std::span<const Wanted> buffers,
                        std::span<const Slot> slots) {
  auto bench = std::make_shared<Bench>();
  bench->gpu = std::move(gpu);
  VYRE_TRY(bench->pipeline, bench->gpu->pipeline(kernel));
  for (const Wanted& wanted : buffers) {
    VYRE_TRY(auto made, bench->gpu->buffer(wanted.size, wanted.usage, wanted.mapped));
    bench->buffers.push_back(std::move(made));
  }
  std::vector<Bound> bound;
  for (const Slot& slot : slots)
    bound.push_back({bench->buffers[slot.buffer].get(), slot.offset, slot.size});
  VYRE_TRY(bench->group, bench->gpu->group(bench->pipeline.get(), bound));
  return bench;
}

Result<Run> increments(const GpuRef& gpu, std::uint32_t times) {
  const Wanted wanted[] = {{kTinyWords * 4, kDevice}};
  const Slot slots[] = {{0, 0, kTinyWords * 4}};
  VYRE_TRY(auto bench, set_up(gpu, kIncrement, wanted, slots));
  return Run([=]() -> Status {
    bench->launch(kTinyWords / 64, times);
    return bench->gpu->finish();
  });
}

/// Maps a buffer for reading, copies what it holds, and gives it back.
Status take(Bench& bench, std::size_t buffer, std::span<std::byte> to) {
  VYRE_CHECK_OK(bench.gpu->wait(bench.out));
  const Api& api = bench.gpu->api();
  WGPUBuffer from = bench.buffers[buffer].get();
  std::memcpy(to.data(), api.BufferGetConstMappedRange(from, 0, to.size()), to.size());
  api.BufferUnmap(from);
  return Ok{};
}

struct Sums {
  Floats a = Floats(kRoundTripWords, 1.0F);
  Floats b = Floats(kRoundTripWords, 2.0F);
  Floats c = Floats(kRoundTripWords);
};

/// Buffer 0 holds both inputs and is mapped between runs, buffer 1 the output.
Result<Run> sums_without_copies(const GpuRef& gpu) {
  const Wanted wanted[] = {{2 * kBytes, WGPUBufferUsage_Storage | WGPUBufferUsage_MapWrite, true},
                           {kBytes, WGPUBufferUsage_Storage | WGPUBufferUsage_MapRead}};
  const Slot slots[] = {{0, 0, kBytes}, {0, kBytes, kBytes}, {1, 0, kBytes}};
  VYRE_TRY(auto bench, set_up(gpu, kAdd, wanted, slots));
  return Run([=, sums = std::make_shared<Sums>()]() -> Status {
    const Api& api = bench->gpu->api();
    WGPUBuffer inputs = bench->buffers[0].get();
    VYRE_CHECK_OK(bench->gpu->wait(bench->in));
    auto* to = static_cast<std::byte*>(api.BufferGetMappedRange(inputs, 0, 2 * kBytes));
    std::memcpy(to, sums->a.data(), kBytes);
    std::memcpy(to + kBytes, sums->b.data(), kBytes);
    api.BufferUnmap(inputs);
    bench->launch(kRoundTripWords / 256);
    bench->gpu->map(inputs, WGPUMapMode_Write, 2 * kBytes, bench->in);
    bench->gpu->map(bench->buffers[1].get(), WGPUMapMode_Read, kBytes, bench->out);
    return take(*bench, 1, std::as_writable_bytes(std::span(sums->c)));
  });
}

/// For adapters that do not map storage: queue writes, and a copy down.
Result<Run> sums_with_copies(const GpuRef& gpu) {
  const Wanted wanted[] = {{2 * kBytes, kDevice},
                           {kBytes, kDevice},
                           {kBytes, WGPUBufferUsage_CopyDst | WGPUBufferUsage_MapRead}};
  const Slot slots[] = {{0, 0, kBytes}, {0, kBytes, kBytes}, {1, 0, kBytes}};
  VYRE_TRY(auto bench, set_up(gpu, kAdd, wanted, slots));
  return Run([=, sums = std::make_shared<Sums>(),
              packed = std::make_shared<Floats>(2 * kRoundTripWords)]() -> Status {
    std::memcpy(packed->data(), sums->a.data(), kBytes);
    std::memcpy(packed->data() + kRoundTripWords, sums->b.data(), kBytes);
    bench->gpu->write(bench->buffers[0].get(), std::as_bytes(std::span(*packed)));
    bench->launch_and_copy(kRoundTripWords / 256, 1, 2, kBytes);
    bench->gpu->map(bench->buffers[2].get(), WGPUMapMode_Read, kBytes, bench->out);
    return take(*bench, 2, std::as_writable_bytes(std::span(sums->c)));
  });
}

Result<Run> sums(const GpuRef& gpu) {
  return gpu->maps_storage() ? sums_without_copies(gpu) : sums_with_copies(gpu);
}

Result<Run> up(const GpuRef& gpu, std::size_t bytes) {
  const Wanted wanted[] = {{bytes, kDevice}, {16, kDevice}};
  const Slot slots[] = {{0, 0, bytes}, {1, 0, 16}};
  VYRE_TRY(auto bench, set_up(gpu, kEnds, wanted, slots));
  return Run([=, x = std::make_shared<Floats>(bytes / 4, 1.0F)]() -> Status {
    bench->gpu->write(bench->buffers[0].get(), std::as_bytes(std::span(*x)));
    bench->launch(1);
    return bench->gpu->finish();
  });
}

/// The output is copied on the link into memory that the host maps: its rate is the link's.
Result<Run> down(const GpuRef& gpu, std::size_t bytes, bool copied) {
  const Wanted wanted[] = {{bytes, kDevice},
                           {bytes, WGPUBufferUsage_CopyDst | WGPUBufferUsage_MapRead}};
  const Slot slots[] = {{0, 0, bytes}};
  VYRE_TRY(auto bench, set_up(gpu, kFill, wanted, slots));
  const auto workgroups = static_cast<std::uint32_t>(bytes / 16 / 256);
  return Run([=, y = std::make_shared<std::vector<std::byte>>(copied ? bytes : 0)]() -> Status {
    bench->launch_and_copy(workgroups, 0, 1, bytes);
    bench->gpu->map(bench->buffers[1].get(), WGPUMapMode_Read, bytes, bench->out);
    return take(*bench, 1, *y);
  });
}

Status open_and_sum(std::uint32_t number) {
  const auto gpu = Gpu::open(number);
  if (!gpu) return Error(gpu.error());
  const auto run = sums(*gpu);
  return run ? (*run)() : Status(Error(run.error()));
}

class WebGpu final : public Baseline {
 public:
  explicit WebGpu(std::uint32_t number) : number_(number) {}

  Result<Run> make(Work work, std::size_t bytes) override {
    const std::uint32_t number = number_;
    if (work == Work::open)
      return Run([=]() -> Status {
        VYRE_TRY([[maybe_unused]] const auto gpu, Gpu::open(number));
        return Ok{};
      });
    if (work == Work::open_first) return Run([=] { return open_and_sum(number); });
    if (gpu_ == nullptr) {
      VYRE_TRY(gpu_, Gpu::open(number));
    }
    return make_on(gpu_, work, bytes);
  }

 private:
  static Result<Run> make_on(const GpuRef& gpu, Work work, std::size_t bytes) {
    switch (work) {
      case Work::tiny: return increments(gpu, 1);
      case Work::chain: return increments(gpu, kChain);
      case Work::round_trip: return sums(gpu);
      case Work::up: return up(gpu, bytes);
      case Work::down: return down(gpu, bytes, false);
      case Work::down_copy: return down(gpu, bytes, true);
      case Work::open:
      case Work::open_first: break;
    }
    return Error(ErrorKind::unsupported, "no-baseline", "no such work");
  }

  std::uint32_t number_;
  GpuRef gpu_;
};

}  // namespace

Result<std::unique_ptr<Baseline>> webgpu_baseline(const DeviceInfo& device) {
  return std::unique_ptr<Baseline>(std::make_unique<WebGpu>(device.number));
}

}  // namespace vyre::bench
