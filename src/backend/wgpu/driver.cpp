// SPDX-License-Identifier: MIT OR Apache-2.0
#include "backend/wgpu/driver.h"

#include <cmath>
#include <cstring>

#include "backend/wgpu/block.h"
#include "backend/wgpu/latch.h"
#include "backend/wgpu/saved_source.h"
#include "backend/wgpu/self_test.h"
#include "backend/wgpu/waiters.h"

namespace vyre::wgpu {

WgpuDriver::WgpuDriver(std::shared_ptr<const Gpu> gpu)
    : gpu_(std::move(gpu)),
      timestamps_(std::make_shared<TimestampPool>(gpu_)),
      waiters_(std::make_shared<Waiters>()) {
  traits_.bound_uploads = gpu_->maps_storage();
  traits_.bound_readbacks = gpu_->maps_storage();
  traits_.fresh_is_zero = true;
  traits_.keeps_kernels = true;
  traits_.compiles_at_launch = info().kind == DeviceKind::software;
  traits_.alignment = gpu_->binding_alignment();
  if (info().has_timestamps) traits_.mark_bytes = sizeof(Timestamps::Marks);
  traits_.time_step = static_cast<std::uint32_t>(std::ceil(gpu_->timestamp_period()));
  traits_.folded_grid = gpu_->info().limits.grid;
}

WgpuDriver::~WgpuDriver() {
  gate_->store(false);
}

Target WgpuDriver::target() const {
  Target target = wgsl_target();
  target.float_exact = info().float_exact;
  target.max_uniform_bytes = info().limits.uniform_binding;
  target.max_local_bytes = info().limits.local_memory;
  target.max_buffer_bytes = info().limits.storage_binding;
  target.runs_idle_lanes = gpu_->runs_idle_lanes();
  target.loop_turns = info().limits.loop_turns;
  target.max_grid = info().limits.grid;
  return target;
}

Result<std::unique_ptr<DriverBlock>> WgpuDriver::allocate(BlockUse use, std::uint64_t size) {
  VYRE_CHECK_OK(gpu_->check_alive());
  return Block::make(gpu_, use, size, serial_.fetch_add(1, std::memory_order_relaxed));
}

Result<std::unique_ptr<DriverKernel>> WgpuDriver::compile(const Lowered& lowered,
                                                          std::string_view label) {
  VYRE_TRY(auto pipeline, wgpu::compile(*gpu_, print_wgsl(lowered), label));
  return std::unique_ptr<DriverKernel>(std::move(pipeline));
}

std::vector<std::byte> WgpuDriver::save(const DriverKernel& kernel) const {
  return to_bytes(static_cast<const Pipeline&>(kernel).source);
}

Result<std::unique_ptr<DriverKernel>> WgpuDriver::restore(std::span<const std::byte> saved,
                                                          std::string_view label) {
  auto source = read_source(saved);
  if (!source) return Driver::restore(saved, label);
  VYRE_TRY(auto pipeline, wgpu::compile(*gpu_, *std::move(source), label));
  return std::unique_ptr<DriverKernel>(std::move(pipeline));
}

Result<std::unique_ptr<DriverBindings>> WgpuDriver::bind(DriverKernel& kernel,
                                                         std::span<const BlockRange> ranges) {
  VYRE_CHECK_OK(gpu_->check_alive());
  std::vector<WGPUBindGroupEntry> entries(ranges.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    entries[i].binding = static_cast<std::uint32_t>(i);
    entries[i].buffer = buffer_of(ranges[i].block);
    entries[i].offset = ranges[i].offset;
    entries[i].size = ranges[i].size;
  }
  WGPUBindGroupDescriptor descriptor = {};
  descriptor.layout = static_cast<const Pipeline&>(kernel).group_layout.get();
  descriptor.entryCount = entries.size();
  descriptor.entries = entries.data();
  clear_latch();
  auto bindings = std::make_unique<Bindings>();
  bindings->group = GroupHandle(api().DeviceCreateBindGroup(gpu_->device(), &descriptor));
  VYRE_CHECK_OK(
      gpu_->check_call(ErrorKind::unsupported, "bindings-refused", "the kernel's buffers"));
  return std::unique_ptr<DriverBindings>(std::move(bindings));
}

DeviceTimes WgpuDriver::times_of(std::span<const std::byte> bytes, bool ran) const {
  Timestamps::Marks marks;
  std::memcpy(&marks, bytes.data(), sizeof marks);
  if (!gpu_->times_encoders()) marks.copies_begin = marks.copies_end = 0;
  return to_times(marks, ran, static_cast<double>(gpu_->timestamp_period()));
}

void WgpuDriver::map(DriverBlock& block) {
  static_cast<Block&>(block).map();
}

void WgpuDriver::unmap(DriverBlock& block) {
  static_cast<Block&>(block).unmap();
}

Result<std::unique_ptr<Driver>> open_driver(Adapter adapter) {
  VYRE_TRY(auto gpu, Gpu::open(std::move(adapter)));
  VYRE_CHECK_OK(self_test(gpu));
  return std::unique_ptr<Driver>(new WgpuDriver(std::move(gpu)));
}

}  // namespace vyre::wgpu
