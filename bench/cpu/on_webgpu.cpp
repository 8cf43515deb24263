// SPDX-License-Identifier: MIT OR Apache-2.0
#include "on_webgpu.h"

#include <cstring>
#include <utility>
#include <vector>

#include "bench/webgpu.h"

namespace vyre::bench {
namespace {

namespace bare = bench::bare;

constexpr WGPUBufferUsage kUsage = WGPUBufferUsage_Storage | WGPUBufferUsage_Uniform |
                                   WGPUBufferUsage_CopyDst | WGPUBufferUsage_CopySrc;

}  // namespace

struct OnWebGpu::Impl {
  std::shared_ptr<bare::Gpu> gpu;
  bare::Owned<WGPUComputePipeline> pipeline;
  std::vector<bare::Owned<WGPUBuffer>> buffers;
  bare::Owned<WGPUBindGroup> group;
  std::array<std::uint32_t, 3> grid;
};

Result<OnWebGpu> OnWebGpu::make(std::uint32_t adapter,
                                const Case& work,
                                const std::string& text,
                                const std::string& entry) {
  auto impl = std::make_shared<Impl>();
  impl->grid = work.grid;
  VYRE_TRY(impl->gpu, bare::Gpu::open(adapter));
  VYRE_TRY(impl->pipeline, impl->gpu->pipeline(text.c_str(), entry.c_str(), true));
  std::vector<bare::Bound> bound;
  for (const Named& named : work.buffers) {
    VYRE_TRY(auto buffer, impl->gpu->buffer(named.bytes.size(), kUsage));
    impl->gpu->write(buffer.get(), named.bytes);
    bound.push_back({buffer.get(), 0, named.bytes.size()});
    impl->buffers.push_back(std::move(buffer));
  }
  VYRE_TRY(impl->group, impl->gpu->group(impl->pipeline.get(), bound));
  OnWebGpu made(std::move(impl));
  VYRE_CHECK_OK(made.run());
  return made;
}

Status OnWebGpu::run() const {
  impl_->gpu->submit(
      {.pipeline = impl_->pipeline.get(), .group = impl_->group.get(), .grid = impl_->grid});
  return impl_->gpu->sleep();
}

Result<Bytes> OnWebGpu::content(std::size_t buffer, std::size_t size) const {
  bare::Gpu& gpu = *impl_->gpu;
  VYRE_TRY(const auto back, gpu.buffer(size, WGPUBufferUsage_MapRead | WGPUBufferUsage_CopyDst));
  gpu.submit({.pipeline = impl_->pipeline.get(),
              .group = impl_->group.get(),
              .times = 0,
              .from = impl_->buffers[buffer].get(),
              .to = back.get(),
              .size = size});
  bare::Flag flag;
  gpu.map(back.get(), WGPUMapMode_Read, size, flag);
  VYRE_CHECK_OK(gpu.wait(flag));
  Bytes bytes(size);
  std::memcpy(bytes.data(), gpu.api().BufferGetConstMappedRange(back.get(), 0, size), size);
  gpu.api().BufferUnmap(back.get());
  return bytes;
}

}  // namespace vyre::bench
