// SPDX-License-Identifier: MIT OR Apache-2.0
#include "bench/webgpu.h"

#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <string>
#include <string_view>

namespace vyre::bench::bare {
namespace {

Error failed(std::string what) {
  return Error(ErrorKind::unavailable, "bare-webgpu",
               "the bare WebGPU API failed at " + std::move(what));
}

/// The path of the WebGPU library in this process.
std::string loaded_library() {
  std::string path;
  ::dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* found) {
        const std::string_view name = info->dlpi_name;
        if (name.find("wgpu_native") == std::string_view::npos) return 0;
        *static_cast<std::string*>(found) = name;
        return 1;
      },
      &path);
  return path;
}

Result<const Api*> load() {
  static Api table;
  void* library = ::dlopen(loaded_library().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return failed("loading its library");
#define VYRE_BARE_ROW(name)                                                            \
  table.name = reinterpret_cast<decltype(table.name)>(::dlsym(library, "wgpu" #name)); \
  if (table.name == nullptr) return failed("finding wgpu" #name);
  VYRE_BARE_FUNCTIONS(VYRE_BARE_ROW)
#undef VYRE_BARE_ROW
  return &table;
}

constexpr WGPUInstanceBackend kBackends =
    WGPUInstanceBackend_Vulkan | WGPUInstanceBackend_Metal | WGPUInstanceBackend_DX12;

Owned<WGPUInstance> make_instance(const Api& api) {
  WGPUInstanceExtras extras = {};
  extras.chain.sType = static_cast<WGPUSType>(WGPUSType_InstanceExtras);
  extras.backends = kBackends;
  extras.flags = WGPUInstanceFlag_AllowUnderlyingNoncompliantAdapter;
  WGPUInstanceDescriptor descriptor = {};
  descriptor.nextInChain = &extras.chain;
  return own(api.CreateInstance(&descriptor), api.InstanceRelease);
}

/// Adapter `number` in the order in which they are listed; null if there is none.
Owned<WGPUAdapter> find_adapter(const Api& api, WGPUInstance instance, std::uint32_t number) {
  WGPUInstanceEnumerateAdapterOptions options = {};
  options.backends = kBackends;
  std::vector<WGPUAdapter> found(api.InstanceEnumerateAdapters(instance, &options, nullptr));
  if (!found.empty()) found.resize(api.InstanceEnumerateAdapters(instance, &options, found.data()));
  Owned<WGPUAdapter> chosen;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto adapter = own(found[i], api.AdapterRelease);
    if (i == number) chosen = adapter;
  }
  return chosen;
}

WGPUStringView view(const char* text) {
  return {text, std::strlen(text)};
}

}  // namespace

Result<std::shared_ptr<Gpu>> Gpu::open(std::uint32_t number) {
  static const Result<const Api*> kLoaded = load();
  VYRE_TRY(const Api* api, Result<const Api*>(kLoaded));
  std::shared_ptr<Gpu> gpu(new Gpu());
  gpu->api_ = api;
  static const Owned<WGPUInstance> kInstance = make_instance(*api);
  gpu->instance_ = kInstance;
  if (gpu->instance_ == nullptr) return failed("making an instance");
  gpu->adapter_ = find_adapter(*api, kInstance.get(), number);
  if (gpu->adapter_ == nullptr) return failed("finding the adapter");
  VYRE_CHECK_OK(gpu->request(gpu->adapter_.get()));
  return gpu;
}

Status Gpu::request(WGPUAdapter adapter) {
  const auto mappable = static_cast<WGPUFeatureName>(WGPUNativeFeature_MappablePrimaryBuffers);
  maps_storage_ = api_->AdapterHasFeature(adapter, mappable) != 0;
  WGPULimits limits = {};
  api_->AdapterGetLimits(adapter, &limits);
  WGPUDeviceDescriptor descriptor = {};
  descriptor.requiredFeatureCount = maps_storage_ ? 1 : 0;
  descriptor.requiredFeatures = &mappable;
  descriptor.requiredLimits = &limits;
  descriptor.uncapturedErrorCallbackInfo.userdata1 = failed_.get();
  descriptor.uncapturedErrorCallbackInfo.callback = [](WGPUDevice const*, WGPUErrorType,
                                                       WGPUStringView, void* flag, void*) {
    static_cast<std::atomic<bool>*>(flag)->store(true);
  };
  WGPUDevice answer = nullptr;
  WGPURequestDeviceCallbackInfo asked = {};
  asked.mode = WGPUCallbackMode_AllowProcessEvents;
  asked.userdata1 = &answer;
  asked.callback = [](WGPURequestDeviceStatus, WGPUDevice device, WGPUStringView, void* to, void*) {
    *static_cast<WGPUDevice*>(to) = device;
  };
  api_->AdapterRequestDevice(adapter, &descriptor, asked);
  api_->InstanceProcessEvents(instance_.get());
  if (answer == nullptr) return failed("opening the device");
  device_ = own(answer, api_->DeviceRelease);
  queue_ = own(api_->DeviceGetQueue(answer), api_->QueueRelease);
  return Ok{};
}

Status Gpu::check(const char* what) const {
  if (!failed_->load()) return Ok{};
  return failed(what);
}

Result<Owned<WGPUBuffer>> Gpu::buffer(std::uint64_t size, WGPUBufferUsage usage, bool mapped) {
  WGPUBufferDescriptor descriptor = {};
  descriptor.usage = usage;
  descriptor.size = size;
  descriptor.mappedAtCreation = mapped ? 1U : 0U;
  auto made = own(api_->DeviceCreateBuffer(device_.get(), &descriptor), api_->BufferRelease);
  VYRE_CHECK_OK(check("making a buffer"));
  return made;
}

Result<Owned<WGPUComputePipeline>> Gpu::pipeline(const char* wgsl,
                                                 const char* entry,
                                                 bool checked) {
  WGPUShaderSourceWGSL source = {};
  source.chain.sType = WGPUSType_ShaderSourceWGSL;
  source.code = view(wgsl);
  WGPUShaderModuleDescriptor module = {};
  module.nextInChain = &source.chain;
  const auto shader =
      own(checked ? api_->DeviceCreateShaderModule(device_.get(), &module)
                  : api_->DeviceCreateShaderModuleTrusted(device_.get(), &module, 0),
          api_->ShaderModuleRelease);
  VYRE_CHECK_OK(check("compiling a kernel"));
  WGPUComputePipelineDescriptor descriptor = {};
  descriptor.compute.module = shader.get();
  descriptor.compute.entryPoint = view(entry);
  auto made = own(api_->DeviceCreateComputePipeline(device_.get(), &descriptor),
                  api_->ComputePipelineRelease);
  VYRE_CHECK_OK(check("making a pipeline"));
  return made;
}

Result<Owned<WGPUBindGroup>> Gpu::group(WGPUComputePipeline pipeline,
                                        std::span<const Bound> ranges) {
  std::vector<WGPUBindGroupEntry> entries(ranges.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    entries[i].binding = static_cast<std::uint32_t>(i);
    entries[i].buffer = ranges[i].buffer;
    entries[i].offset = ranges[i].offset;
    entries[i].size = ranges[i].size;
  }
  const auto layout =
      own(api_->ComputePipelineGetBindGroupLayout(pipeline, 0), api_->BindGroupLayoutRelease);
  WGPUBindGroupDescriptor descriptor = {};
  descriptor.layout = layout.get();
  descriptor.entryCount = entries.size();
  descriptor.entries = entries.data();
  auto made = own(api_->DeviceCreateBindGroup(device_.get(), &descriptor), api_->BindGroupRelease);
  VYRE_CHECK_OK(check("binding"));
  return made;
}

void Gpu::write(WGPUBuffer to, std::span<const std::byte> bytes) {
  api_->QueueWriteBuffer(queue_.get(), to, 0, bytes.data(), bytes.size());
}

void Gpu::submit(const Launch& launch) {
  WGPUCommandEncoder encoder = api_->DeviceCreateCommandEncoder(device_.get(), nullptr);
  WGPUComputePassEncoder pass = api_->CommandEncoderBeginComputePass(encoder, nullptr);
  api_->ComputePassEncoderSetPipeline(pass, launch.pipeline);
  api_->ComputePassEncoderSetBindGroup(pass, 0, launch.group, 0, nullptr);
  for (std::uint32_t i = 0; i < launch.times; ++i)
    api_->ComputePassEncoderDispatchWorkgroups(pass, launch.grid[0], launch.grid[1],
                                               launch.grid[2]);
  api_->ComputePassEncoderEnd(pass);
  api_->ComputePassEncoderRelease(pass);
  if (launch.to != nullptr)
    api_->CommandEncoderCopyBufferToBuffer(encoder, launch.from, 0, launch.to, 0, launch.size);
  WGPUCommandBuffer commands = api_->CommandEncoderFinish(encoder, nullptr);
  api_->QueueSubmit(queue_.get(), 1, &commands);
  api_->CommandBufferRelease(commands);
  api_->CommandEncoderRelease(encoder);
}

Status Gpu::finish() {
  Flag flag;
  flag.state = 0;
  WGPUQueueWorkDoneCallbackInfo callback = {};
  callback.mode = WGPUCallbackMode_AllowSpontaneous;
  callback.userdata1 = &flag;
  callback.callback = [](WGPUQueueWorkDoneStatus status, WGPUStringView, void* to, void*) {
    static_cast<Flag*>(to)->state = status == WGPUQueueWorkDoneStatus_Success ? 1 : 2;
  };
  api_->QueueOnSubmittedWorkDone(queue_.get(), callback);
  return wait(flag);
}

Status Gpu::sleep() const {
  api_->DevicePoll(device_.get(), 1, nullptr);
  return check("waiting");
}

void Gpu::map(WGPUBuffer buffer, WGPUMapMode mode, std::uint64_t size, Flag& flag) {
  flag.state = 0;
  WGPUBufferMapCallbackInfo callback = {};
  callback.mode = WGPUCallbackMode_AllowSpontaneous;
  callback.userdata1 = &flag;
  callback.callback = [](WGPUMapAsyncStatus status, WGPUStringView, void* to, void*) {
    static_cast<Flag*>(to)->state = status == WGPUMapAsyncStatus_Success ? 1 : 2;
  };
  api_->BufferMapAsync(buffer, mode, 0, size, callback);
}

Status Gpu::wait(const Flag& flag) {
  while (flag.state.load(std::memory_order_acquire) == 0 && !failed_->load())
    api_->DevicePoll(device_.get(), 0, nullptr);
  return flag.state == 1 ? Status(Ok{}) : Status(failed("waiting"));
}

}  // namespace vyre::bench::bare
