// SPDX-License-Identifier: MIT OR Apache-2.0
#include <cstring>
#include <utility>
#include <vector>

#include "bench/spirv.h"
#include "bench/vulkan.h"
#include "bench/work.h"

// The work in raw Vulkan, recorded once: what a driver gives at best.
namespace vyre::bench {
namespace {

using raw::Gpu;
using raw::Kernel;
using raw::Memory;
using GpuRef = std::shared_ptr<Gpu>;

constexpr std::size_t kBytes = kRoundTripWords * 4;
constexpr std::uint32_t kAddWorkgroup = 256;
constexpr std::uint32_t kIncrementWorkgroup = 64;

Result<Run> increments(const GpuRef& gpu, std::size_t times) {
  VYRE_TRY(const Memory words, gpu->device_memory(kTinyWords * 4));
  VYRE_TRY(const Kernel kernel,
           gpu->kernel(spirv_increment(kIncrementWorkgroup), std::span(&words, 1)));
  VYRE_TRY(const VkCommandBuffer commands, gpu->begin());
  for (std::size_t i = 0; i < times; ++i) {
    gpu->dispatch(commands, kernel, kTinyWords / kIncrementWorkgroup);
    gpu->barrier(commands);
  }
  VYRE_CHECK_OK(gpu->end(commands));
  return Run([=] { return gpu->run(commands); });
}

/// Copies up, sums, and a copy down.
Result<Run> sums(const GpuRef& gpu) {
  VYRE_TRY(const Memory up, gpu->host_memory(2 * kBytes, false));
  VYRE_TRY(const Memory down, gpu->host_memory(kBytes, true));
  Memory device[3];
  for (Memory& memory : device) {
    VYRE_TRY(memory, gpu->device_memory(kBytes));
  }
  VYRE_TRY(const Kernel kernel, gpu->kernel(spirv_add(kAddWorkgroup), device));
  VYRE_TRY(const VkCommandBuffer commands, gpu->begin());
  gpu->copy(commands, up, 0, device[0]);
  gpu->copy(commands, up, kBytes, device[1]);
  gpu->barrier(commands);
  gpu->dispatch(commands, kernel, kRoundTripWords / kAddWorkgroup);
  gpu->barrier(commands);
  gpu->copy(commands, device[2], 0, down);
  VYRE_CHECK_OK(gpu->end(commands));
  const auto data = std::make_shared<std::vector<float>>(kRoundTripWords, 1.0F);
  return Run([=]() -> Status {
    std::memcpy(up.mapped, data->data(), kBytes);
    std::memcpy(up.mapped + kBytes, data->data(), kBytes);
    VYRE_CHECK_OK(gpu->run(commands));
    const auto* const result = reinterpret_cast<const float*>(down.mapped);
    if (result[0] != 2 || result[kRoundTripWords - 1] != 2)
      return Error(ErrorKind::unavailable, "raw-vulkan", "raw Vulkan gives wrong sums");
    return Ok{};
  });
}

class Vulkan final : public Baseline {
 public:
  explicit Vulkan(GpuRef gpu) : gpu_(std::move(gpu)) {}

  Result<Run> make(Work work, std::size_t) override {
    switch (work) {
      case Work::tiny: return increments(gpu_, 1);
      case Work::chain: return increments(gpu_, kChain);
      case Work::round_trip: return sums(gpu_);
      case Work::up:
      case Work::down:
      case Work::down_copy:
      case Work::open:
      case Work::open_first: break;
    }
    return Error(ErrorKind::unsupported, "no-baseline", "not measured");
  }

 private:
  GpuRef gpu_;
};

}  // namespace

Result<std::unique_ptr<Baseline>> vulkan_baseline(const DeviceInfo& device) {
  VYRE_TRY(auto gpu, Gpu::open(device.name));
  return std::unique_ptr<Baseline>(std::make_unique<Vulkan>(std::move(gpu)));
}

}  // namespace vyre::bench
