// SPDX-License-Identifier: MIT OR Apache-2.0
#include "backend/wgpu/bind_groups.h"

#include <algorithm>

#include "backend/wgpu/latch.h"

namespace vyre::wgpu {
namespace {

WGPUBufferUsage usage_of(BindingKind kind) {
  const WGPUBufferUsage copies = WGPUBufferUsage_CopyDst | WGPUBufferUsage_CopySrc;
  if (kind == BindingKind::uniform) return WGPUBufferUsage_Uniform | copies;
  return WGPUBufferUsage_Storage | copies;
}

}  // namespace

std::uint64_t bound_size(std::uint64_t size, const KernelBinding& binding) {
  const std::uint64_t align = binding.kind == BindingKind::uniform ? 16 : kCopyAlign;
  const std::uint64_t least = size == 0 ? 16 : 1;
  return round_up(std::max({size, binding.min_bytes, least}), align);
}

Result<std::vector<Bound>> make_buffers(const Gpu& gpu, const Job& job) {
  std::vector<Bound> bound;
  for (std::size_t i = 0; i < job.slots.size(); ++i) {
    const KernelBinding& binding = job.pipeline.source.bindings[i];
    const std::uint64_t size = bound_size(job.slots[i].size, binding);
    VYRE_TRY(auto buffer, gpu.make_buffer(binding.name, size, usage_of(binding.kind)));
    bound.push_back({std::move(buffer), size});
  }
  return bound;
}

Result<GroupHandle> make_bind_group(const Gpu& gpu,
                                    const Job& job,
                                    const std::vector<Bound>& bound) {
  std::vector<WGPUBindGroupEntry> entries(bound.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    entries[i].binding = static_cast<std::uint32_t>(i);
    entries[i].buffer = bound[i].buffer.get();
    entries[i].size = bound[i].size;
  }
  WGPUBindGroupDescriptor descriptor = {};
  descriptor.label = view(job.label);
  descriptor.layout = job.pipeline.group_layout.get();
  descriptor.entryCount = entries.size();
  descriptor.entries = entries.data();
  clear_latch();
  GroupHandle group(api().DeviceCreateBindGroup(gpu.device(), &descriptor));
  VYRE_CHECK_OK(check_latch(ErrorKind::unsupported, "dispatch-refused",
                            "the buffers of `" + std::string(job.label) + "`"));
  return group;
}

}  // namespace vyre::wgpu
