// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <utility>

#include "backend/wgpu/api.h"

/// Objects of the library, released when their owner goes.  Movable, not copyable.
namespace vyre::wgpu {

/// True once the process has begun to end: graphics drivers take themselves down then, so a device
/// in static storage, which goes last, is left to the system.
bool process_ends();
/// Makes `process_ends` tell.  Called with a device open, so that the driver's own handlers, which
/// were there before, run after ours.
void watch_process_end();

template <typename T, auto kRelease>
class Handle {
 public:
  Handle() = default;
  explicit Handle(T object) : object_(object) {}
  Handle(Handle&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Handle() {
    if (object_ != nullptr && !process_ends()) (api().*kRelease)(object_);
  }

  [[nodiscard]] T get() const { return object_; }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  T object_ = nullptr;
};

using AdapterHandle = Handle<WGPUAdapter, &Api::AdapterRelease>;
using DeviceHandle = Handle<WGPUDevice, &Api::DeviceRelease>;
using QueueHandle = Handle<WGPUQueue, &Api::QueueRelease>;
using BufferHandle = Handle<WGPUBuffer, &Api::BufferRelease>;
using ShaderHandle = Handle<WGPUShaderModule, &Api::ShaderModuleRelease>;
using GroupLayoutHandle = Handle<WGPUBindGroupLayout, &Api::BindGroupLayoutRelease>;
using PipelineLayoutHandle = Handle<WGPUPipelineLayout, &Api::PipelineLayoutRelease>;
using PipelineHandle = Handle<WGPUComputePipeline, &Api::ComputePipelineRelease>;
using GroupHandle = Handle<WGPUBindGroup, &Api::BindGroupRelease>;
using QuerySetHandle = Handle<WGPUQuerySet, &Api::QuerySetRelease>;
using EncoderHandle = Handle<WGPUCommandEncoder, &Api::CommandEncoderRelease>;
using PassHandle = Handle<WGPUComputePassEncoder, &Api::ComputePassEncoderRelease>;
using CommandsHandle = Handle<WGPUCommandBuffer, &Api::CommandBufferRelease>;

}  // namespace vyre::wgpu
