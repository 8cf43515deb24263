// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>
#include <webgpu.h>
#include <wgpu.h>

#include "vyre/result.h"

/// The bare WebGPU API, as a careful user without this library writes it: one device, one kernel
/// at a time, spinning waits.
///
/// The functions are those of the library that the process has loaded already.  Objects are
/// released when their last owner runs.  One thread.
namespace vyre::bench::bare {

#define VYRE_BARE_FUNCTIONS(ROW)            \
  ROW(CreateInstance)                       \
  ROW(InstanceEnumerateAdapters)            \
  ROW(InstanceProcessEvents)                \
  ROW(InstanceRelease)                      \
  ROW(AdapterGetLimits)                     \
  ROW(AdapterHasFeature)                    \
  ROW(AdapterRequestDevice)                 \
  ROW(AdapterRelease)                       \
  ROW(DeviceGetQueue)                       \
  ROW(DevicePoll)                           \
  ROW(DeviceCreateShaderModule)             \
  ROW(DeviceCreateShaderModuleTrusted)      \
  ROW(DeviceCreateComputePipeline)          \
  ROW(DeviceCreateBindGroup)                \
  ROW(DeviceCreateBuffer)                   \
  ROW(DeviceCreateCommandEncoder)           \
  ROW(DeviceRelease)                        \
  ROW(QueueSubmit)                          \
  ROW(QueueWriteBuffer)                     \
  ROW(QueueOnSubmittedWorkDone)             \
  ROW(QueueRelease)                         \
  ROW(BufferGetMappedRange)                 \
  ROW(BufferGetConstMappedRange)            \
  ROW(BufferMapAsync)                       \
  ROW(BufferUnmap)                          \
  ROW(BufferRelease)                        \
  ROW(CommandEncoderCopyBufferToBuffer)     \
  ROW(CommandEncoderBeginComputePass)       \
  ROW(CommandEncoderFinish)                 \
  ROW(CommandEncoderRelease)                \
  ROW(CommandBufferRelease)                 \
  ROW(ComputePassEncoderSetPipeline)        \
  ROW(ComputePassEncoderSetBindGroup)       \
  ROW(ComputePassEncoderDispatchWorkgroups) \
  ROW(ComputePassEncoderEnd)                \
  ROW(ComputePassEncoderRelease)            \
  ROW(ComputePipelineGetBindGroupLayout)    \
  ROW(ComputePipelineRelease)               \
  ROW(BindGroupLayoutRelease)               \
  ROW(BindGroupRelease)                     \
  ROW(ShaderModuleRelease)

struct Api {
#define VYRE_BARE_ROW(name) decltype(&::wgpu##name) name = nullptr;
  VYRE_BARE_FUNCTIONS(VYRE_BARE_ROW)
#undef VYRE_BARE_ROW
};

/// A shared owner of an object of the API.
template <typename T>
using Owned = std::shared_ptr<std::remove_pointer_t<T>>;
template <typename T>
Owned<T> own(T object, void (*release)(T)) {
  return Owned<T>(object, release);
}

/// Set by a callback of the API.
struct Flag {
  std::atomic<int> state = 1;  ///< 0 waiting, 1 done, 2 failed
};

/// A range that a kernel is bound to.
struct Bound {
  WGPUBuffer buffer;
  std::uint64_t offset;
  std::uint64_t size;
};

/// What one submission does: launches in one pass, then a copy if `to` is set.
struct Launch {
  WGPUComputePipeline pipeline;
  WGPUBindGroup group;
  std::array<std::uint32_t, 3> grid = {1, 1, 1};
  std::uint32_t times = 1;
  WGPUBuffer from = nullptr;
  WGPUBuffer to = nullptr;
  std::uint64_t size = 0;
};

/// A device of adapter `number`.
class Gpu {
 public:
  static Result<std::shared_ptr<Gpu>> open(std::uint32_t number);

  [[nodiscard]] const Api& api() const { return *api_; }
  [[nodiscard]] bool maps_storage() const { return maps_storage_; }
  [[nodiscard]] Result<Owned<WGPUBuffer>> buffer(std::uint64_t size,
                                                 WGPUBufferUsage usage,
                                                 bool mapped = false);
  /// `checked`: the library guards accesses, as it does unless it is told not to.
  [[nodiscard]] Result<Owned<WGPUComputePipeline>> pipeline(const char* wgsl,
                                                            const char* entry = "main",
                                                            bool checked = false);
  [[nodiscard]] Result<Owned<WGPUBindGroup>> group(WGPUComputePipeline pipeline,
                                                   std::span<const Bound> ranges);
  void write(WGPUBuffer to, std::span<const std::byte> bytes);
  void submit(const Launch& launch);
  /// Waits until what was submitted is done, spinning.
  Status finish();
  /// The same, asleep.
  Status sleep() const;
  /// Starts to map; `flag` outlives it.
  void map(WGPUBuffer buffer, WGPUMapMode mode, std::uint64_t size, Flag& flag);
  Status wait(const Flag& flag);

 private:
  Gpu() = default;
  Status request(WGPUAdapter adapter);
  Status check(const char* what) const;

  const Api* api_ = nullptr;
  Owned<WGPUInstance> instance_;
  Owned<WGPUAdapter> adapter_;
  std::shared_ptr<std::atomic<bool>> failed_ = std::make_shared<std::atomic<bool>>(false);
  Owned<WGPUDevice> device_;
  Owned<WGPUQueue> queue_;
  bool maps_storage_ = false;
};

}  // namespace vyre::bench::bare
