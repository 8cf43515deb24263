// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "vyre/result.h"

// The standard header, and the library's own extensions to it.  Only `decltype` looks at the
// functions that they declare: the library is loaded at run time.
#include <webgpu.h>
#include <wgpu.h>

/// The functions of the WebGPU library, loaded once a process and never unloaded.
///
/// Functions that this library declares and does not implement abort the process when they are
/// called.  They have no row, so nothing of ours can call them: InstanceWaitAny,
/// BufferGetMapState, BufferReadMappedRange, BufferWriteMappedRange,
/// DeviceCreateComputePipelineAsync, DeviceGetAdapterInfo, DeviceGetLostFuture,
/// GetInstanceFeatures, HasInstanceFeature, GetProcAddress, InstanceGetWGSLLanguageFeatures,
/// InstanceHasWGSLLanguageFeature, ShaderModuleGetCompilationInfo, and every SetLabel.
namespace vyre::wgpu {

// One row a function, without its prefix "wgpu".
#define VYRE_WGPU_FUNCTIONS(ROW)                    \
  ROW(CreateInstance)                               \
  ROW(InstanceEnumerateAdapters)                    \
  ROW(InstanceProcessEvents)                        \
  ROW(GetVersion)                                   \
  ROW(SetLogCallback)                               \
  ROW(SetLogLevel)                                  \
  ROW(AdapterGetInfo)                               \
  ROW(AdapterInfoFreeMembers)                       \
  ROW(AdapterGetLimits)                             \
  ROW(AdapterGetFeatures)                           \
  ROW(SupportedFeaturesFreeMembers)                 \
  ROW(AdapterRequestDevice)                         \
  ROW(AdapterRelease)                               \
  ROW(DeviceGetLimits)                              \
  ROW(DeviceGetQueue)                               \
  ROW(DevicePoll)                                   \
  ROW(DeviceCreateShaderModuleTrusted)              \
  ROW(DeviceCreateBindGroupLayout)                  \
  ROW(DeviceCreatePipelineLayout)                   \
  ROW(DeviceCreateComputePipeline)                  \
  ROW(DeviceCreateBindGroup)                        \
  ROW(DeviceCreateBuffer)                           \
  ROW(DeviceCreateQuerySet)                         \
  ROW(DeviceCreateCommandEncoder)                   \
  ROW(DeviceRelease)                                \
  ROW(QueueSubmit)                                  \
  ROW(QueueOnSubmittedWorkDone)                     \
  ROW(QueueGetTimestampPeriod)                      \
  ROW(QueueRelease)                                 \
  ROW(BufferGetMappedRange)                         \
  ROW(BufferGetConstMappedRange)                    \
  ROW(BufferMapAsync)                               \
  ROW(BufferUnmap)                                  \
  ROW(BufferRelease)                                \
  ROW(CommandEncoderClearBuffer)                    \
  ROW(CommandEncoderCopyBufferToBuffer)             \
  ROW(CommandEncoderBeginComputePass)               \
  ROW(CommandEncoderWriteTimestamp)                 \
  ROW(CommandEncoderResolveQuerySet)                \
  ROW(CommandEncoderFinish)                         \
  ROW(CommandEncoderRelease)                        \
  ROW(CommandBufferRelease)                         \
  ROW(ComputePassEncoderSetPipeline)                \
  ROW(ComputePassEncoderSetBindGroup)               \
  ROW(ComputePassEncoderDispatchWorkgroups)         \
  ROW(ComputePassEncoderDispatchWorkgroupsIndirect) \
  ROW(ComputePassEncoderPushDebugGroup)             \
  ROW(ComputePassEncoderPopDebugGroup)              \
  ROW(ComputePassEncoderEnd)                        \
  ROW(ComputePassEncoderRelease)                    \
  ROW(ShaderModuleRelease)                          \
  ROW(BindGroupLayoutRelease)                       \
  ROW(PipelineLayoutRelease)                        \
  ROW(ComputePipelineRelease)                       \
  ROW(BindGroupRelease)                             \
  ROW(QuerySetRelease)

struct Api {
#define VYRE_WGPU_ROW(name) decltype(&::wgpu##name) name = nullptr;
  VYRE_WGPU_FUNCTIONS(VYRE_WGPU_ROW)
#undef VYRE_WGPU_ROW
};

/// The functions.  Fails with `unavailable`, saying where it looked and how to get the library.
/// Any thread.  The answer of the first call is kept.
Result<const Api*> load_api();

/// The functions.  REQUIRES: `load_api` succeeded.
const Api& api();

/// The places where the library is looked for, in order: what VYRE_WGPU_LIBRARY names, and nothing
/// else, if it is set; beside the program (whose folder is `program_folder`), in ../lib, in
/// ../wgpu, in the system.
std::vector<std::string> library_candidates(const char* variable, std::string_view program_folder);

inline std::string_view view(WGPUStringView text) {
  if (text.data == nullptr) return {};
  return text.length == WGPU_STRLEN ? std::string_view(text.data)
                                    : std::string_view(text.data, text.length);
}
inline WGPUStringView view(std::string_view text) {
  return {text.data(), text.size()};
}

}  // namespace vyre::wgpu
