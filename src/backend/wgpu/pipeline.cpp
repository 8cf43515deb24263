// SPDX-License-Identifier: MIT OR Apache-2.0
#include "backend/wgpu/pipeline.h"

#include <vector>

#include "backend/wgpu/latch.h"
#include "base/check.h"

namespace vyre::wgpu {
namespace {

WGPUBufferBindingType to_type(BindingKind kind) {
  switch (kind) {
    case BindingKind::uniform: return WGPUBufferBindingType_Uniform;
    case BindingKind::read_only_storage: return WGPUBufferBindingType_ReadOnlyStorage;
    case BindingKind::storage: return WGPUBufferBindingType_Storage;
  }
  VYRE_UNREACHABLE();
}

std::string names_of(const KernelSource& source, bool uniform) {
  std::string names;
  for (const KernelBinding& binding : source.bindings) {
    if ((binding.kind == BindingKind::uniform) != uniform) continue;
    names += (names.empty() ? "`" : ", `") + binding.name + "`";
  }
  return names;
}

Status check_count(const KernelSource& source, bool uniform, std::uint32_t limit) {
  std::size_t count = 0;
  for (const KernelBinding& binding : source.bindings)
    count += (binding.kind == BindingKind::uniform) == uniform ? 1 : 0;
  if (count <= limit) return Ok{};
  const std::string what = uniform ? "uniform" : "storage";
  return Error(ErrorKind::unsupported, "too-many-buffers",
               "the kernel needs " + std::to_string(count) + " " + what +
                   " buffers, and the device has " + std::to_string(limit) + "; they are " +
                   names_of(source, uniform),
               "join buffers into one, or choose another device");
}

Result<ShaderHandle> make_shader(const Gpu& gpu,
                                 const KernelSource& source,
                                 std::string_view label) {
  WGPUShaderSourceWGSL wgsl = {};
  wgsl.chain.sType = WGPUSType_ShaderSourceWGSL;
  wgsl.code = view(source.text);
  WGPUShaderModuleDescriptor descriptor = {};
  descriptor.nextInChain = &wgsl.chain;
  descriptor.label = view(label);
  clear_latch();
  ShaderHandle shader(api().DeviceCreateShaderModuleTrusted(gpu.device(), &descriptor, 0));
  VYRE_CHECK_OK(gpu.check_call(ErrorKind::compile_failed, "kernel-refused",
                               "the kernel of `" + std::string(label) + "`"));
  return shader;
}

GroupLayoutHandle make_group_layout(const Gpu& gpu, const KernelSource& source) {
  std::vector<WGPUBindGroupLayoutEntry> entries(source.bindings.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    entries[i].binding = static_cast<std::uint32_t>(i);
    entries[i].visibility = WGPUShaderStage_Compute;
    entries[i].buffer.type = to_type(source.bindings[i].kind);
    entries[i].buffer.minBindingSize = source.bindings[i].min_bytes;
  }
  WGPUBindGroupLayoutDescriptor descriptor = {};
  descriptor.entryCount = entries.size();
  descriptor.entries = entries.data();
  return GroupLayoutHandle(api().DeviceCreateBindGroupLayout(gpu.device(), &descriptor));
}

PipelineLayoutHandle make_layout(const Gpu& gpu, WGPUBindGroupLayout group) {
  WGPUPipelineLayoutDescriptor descriptor = {};
  descriptor.bindGroupLayoutCount = 1;
  descriptor.bindGroupLayouts = &group;
  return PipelineLayoutHandle(api().DeviceCreatePipelineLayout(gpu.device(), &descriptor));
}

}  // namespace

Result<std::unique_ptr<Pipeline>> compile(const Gpu& gpu,
                                          KernelSource source,
                                          std::string_view label) {
  VYRE_CHECK_OK(gpu.check_alive());
  VYRE_CHECK_OK(check_count(source, false, gpu.info().limits.storage_buffers));
  VYRE_CHECK_OK(check_count(source, true, gpu.info().limits.uniform_buffers));
  VYRE_TRY(const ShaderHandle shader, make_shader(gpu, source, label));

  const std::string doing = "the pipeline of `" + std::string(label) + "`";
  clear_latch();
  auto group_layout = make_group_layout(gpu, source);
  VYRE_CHECK_OK(gpu.check_call(ErrorKind::compile_failed, "kernel-refused", doing));
  const auto layout = make_layout(gpu, group_layout.get());
  VYRE_CHECK_OK(gpu.check_call(ErrorKind::compile_failed, "kernel-refused", doing));
  WGPUComputePipelineDescriptor descriptor = {};
  descriptor.label = view(label);
  descriptor.layout = layout.get();
  descriptor.compute.module = shader.get();
  descriptor.compute.entryPoint = view(source.entry);
  PipelineHandle pipeline(api().DeviceCreateComputePipeline(gpu.device(), &descriptor));
  VYRE_CHECK_OK(gpu.check_call(ErrorKind::compile_failed, "kernel-refused", doing));
  auto result = std::make_unique<Pipeline>();
  result->source = std::move(source);
  result->group_layout = std::move(group_layout);
  result->pipeline = std::move(pipeline);
  return result;
}

}  // namespace vyre::wgpu
