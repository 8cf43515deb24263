// SPDX-License-Identifier: MIT OR Apache-2.0
#include "backend/wgpu/adapters.h"

#include <algorithm>

#include "base/at_end.h"
#include "base/fork.h"
#include "lower/lower.h"

namespace vyre::wgpu {
namespace {

constexpr WGPUInstanceBackend kBackends =
    WGPUInstanceBackend_Vulkan | WGPUInstanceBackend_Metal | WGPUInstanceBackend_DX12;

WGPUInstance make_instance() {
  WGPUInstanceExtras extras = {};
  extras.chain.sType = static_cast<WGPUSType>(WGPUSType_InstanceExtras);
  extras.backends = kBackends;
  // No validation layers of the driver's: our own checks come first, and they cost a tenth.
  extras.flags = WGPUInstanceFlag_AllowUnderlyingNoncompliantAdapter;
  WGPUInstanceDescriptor descriptor = {};
  descriptor.nextInChain = &extras.chain;
  return api().CreateInstance(&descriptor);
}

DeviceKind to_kind(WGPUAdapterType type) {
  switch (type) {
    case WGPUAdapterType_DiscreteGPU: return DeviceKind::discrete;
    case WGPUAdapterType_IntegratedGPU: return DeviceKind::integrated;
    case WGPUAdapterType_CPU: return DeviceKind::software;
    default: return DeviceKind::other;
  }
}

/// A driver of a virtual machine says so in its name only.
bool is_virtual(std::string_view name) {
  return name.find("Virtio") != std::string_view::npos ||
         name.find("venus") != std::string_view::npos;
}

std::string driver_of(const WGPUAdapterInfo& info) {
  std::string driver(view(info.description));
  switch (info.backendType) {
    case WGPUBackendType_Vulkan: return "Vulkan, " + driver;
    case WGPUBackendType_Metal: return "Metal, " + driver;
    case WGPUBackendType_D3D12: return "DX12, " + driver;
    default: return driver;
  }
}

/// Subgroup operations of the native kind: they need no directive in the text.
std::vector<Capability> capabilities_of(WGPUAdapter adapter) {
  WGPUSupportedFeatures supported = {};
  api().AdapterGetFeatures(adapter, &supported);
  const AtEnd freed([&] { api().SupportedFeaturesFreeMembers(supported); });
  std::vector<Capability> result;
  for (std::size_t i = 0; i < supported.featureCount; ++i) {
    const auto number = static_cast<std::uint32_t>(supported.features[i]);
    if (number == WGPUFeatureName_ShaderF16) result.push_back(Capability::f16);
    if (number == WGPUNativeFeature_ShaderInt64) result.push_back(Capability::int64);
    if (number == WGPUNativeFeature_Subgroup) result.push_back(Capability::subgroups);
  }
  return result;
}

/// Bytes of private arrays; of these WebGPU says only that 8,192 work.  Software compilers take
/// time with the square of these bytes.
constexpr std::uint64_t kLocalBytes = 65536;
constexpr std::uint64_t kSoftwareLocalBytes = 16384;

DeviceInfo describe(WGPUAdapter adapter, std::uint32_t number) {
  DeviceInfo result;
  result.backend = "wgpu";
  result.number = number;
  WGPUAdapterInfo info = {};
  if (api().AdapterGetInfo(adapter, &info) == WGPUStatus_Success) {
    const AtEnd freed([&] { api().AdapterInfoFreeMembers(info); });
    result.name = view(info.device);
    result.driver = driver_of(info);
    result.kind = to_kind(info.adapterType);
    if (result.kind == DeviceKind::other && is_virtual(result.name))
      result.kind = DeviceKind::virtual_gpu;
  }
  result.capabilities = capabilities_of(adapter);
  WGPULimits limits = {};
  if (api().AdapterGetLimits(adapter, &limits) == WGPUStatus_Success)
    result.limits = to_limits(limits, result.kind);
  return result;
}

}  // namespace

WGPUInstance instance() {
  static WGPUInstance the_instance = make_instance();
  return the_instance;
}

Limits to_limits(const WGPULimits& limits, DeviceKind kind) {
  const Target target = wgsl_target();
  Limits result;
  result.workgroup_size = {limits.maxComputeWorkgroupSizeX, limits.maxComputeWorkgroupSizeY,
                           limits.maxComputeWorkgroupSizeZ};
  result.workgroup_invocations = limits.maxComputeInvocationsPerWorkgroup;
  result.workgroup_memory = limits.maxComputeWorkgroupStorageSize;
  result.local_memory = kind == DeviceKind::software ? kSoftwareLocalBytes : kLocalBytes;
  result.storage_binding = limits.maxStorageBufferBindingSize;
  result.uniform_binding = limits.maxUniformBufferBindingSize;
  result.buffer_size = limits.maxBufferSize;
  result.storage_buffers = limits.maxStorageBuffersPerShaderStage;
  result.uniform_buffers = limits.maxUniformBuffersPerShaderStage;
  result.grid = limits.maxComputeWorkgroupsPerDimension;
  result.statements = target.max_statements;
  result.nesting = target.max_nesting;
  return result;
}

Result<std::vector<Adapter>> find_adapters() {
  VYRE_TRY([[maybe_unused]] const Api* loaded, load_api());
  std::vector<Adapter> adapters;
  static const Origin kOrigin;  // of the instance
  if (kOrigin.is_foreign())
    return Error(ErrorKind::unavailable, "forked",
                 "the graphics drivers were loaded before this process was forked, and belong to "
                 "its parent",
                 "open devices after the fork, or start a program in the child");
  if (instance() == nullptr) return adapters;
  WGPUInstanceEnumerateAdapterOptions options = {};
  options.backends = kBackends;
  std::vector<WGPUAdapter> found(api().InstanceEnumerateAdapters(instance(), &options, nullptr));
  if (!found.empty()) {
    const std::size_t count = api().InstanceEnumerateAdapters(instance(), &options, found.data());
    found.resize(std::min(count, found.size()));
  }
  std::size_t owned = 0;
  const AtEnd released([&] {  // of those that nobody owns by then
    for (std::size_t i = owned; i < found.size(); ++i)
      api().AdapterRelease(found[i]);
  });
  adapters.reserve(found.size());
  for (WGPUAdapter adapter : found) {
    DeviceInfo info = describe(adapter, static_cast<std::uint32_t>(adapters.size()));
    adapters.push_back({AdapterHandle(adapter), std::move(info)});
    ++owned;
  }
  return adapters;
}

}  // namespace vyre::wgpu
