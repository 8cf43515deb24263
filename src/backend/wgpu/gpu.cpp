// SPDX-License-Identifier: MIT OR Apache-2.0
#include "backend/wgpu/gpu.h"

#include <algorithm>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

#include "backend/wgpu/latch.h"
#include "base/at_end.h"
#include "base/guarded.h"

namespace vyre::wgpu {
namespace {

/// Experimental features: to ask for one is to promise to live with undefined behaviour.
constexpr std::uint32_t kExperimental[] = {
    WGPUNativeFeature_RayQuery,
    WGPUNativeFeature_CooperativeMatrix,
    WGPUNativeFeature_ShaderPerVertex,
    WGPUNativeFeature_AccelerationStructureBindingArray,
};

std::vector<WGPUFeatureName> wanted_features(WGPUAdapter adapter) {
  WGPUSupportedFeatures supported = {};
  api().AdapterGetFeatures(adapter, &supported);
  const AtEnd freed([&] { api().SupportedFeaturesFreeMembers(supported); });
  std::vector<WGPUFeatureName> wanted;
  for (std::size_t i = 0; i < supported.featureCount; ++i) {
    const auto number = static_cast<std::uint32_t>(supported.features[i]);
    if (std::find(std::begin(kExperimental), std::end(kExperimental), number) ==
        std::end(kExperimental))
      wanted.push_back(supported.features[i]);
  }
  return wanted;
}

bool contains(const std::vector<WGPUFeatureName>& features, std::uint32_t number) {
  return std::find(features.begin(), features.end(), static_cast<WGPUFeatureName>(number)) !=
         features.end();
}

struct Answer {
  bool given = false;
  WGPUDevice device = nullptr;
  std::string text = {};
};

void on_device(WGPURequestDeviceStatus status,
               WGPUDevice device,
               WGPUStringView message,
               void* answer,
               void*) {
  auto& result = *static_cast<Answer*>(answer);
  result.given = true;
  if (status == WGPURequestDeviceStatus_Success) result.device = device;
  guarded([&] { result.text = view(message); }, [] {});
}

void on_error(WGPUDevice const*, WGPUErrorType type, WGPUStringView message, void*, void*) {
  latch_error(type, view(message));
}

/// The devices that may still be told of their loss, by serial number.
struct Opened {
  std::mutex mutex;
  std::unordered_map<std::uintptr_t, Gpu*> devices = {};
  std::uintptr_t last = 0;
};
Opened& opened() {
  static auto* const kOpened = new Opened;  // drivers' threads outlive static objects
  return *kOpened;
}

}  // namespace

void Gpu::on_lost(WGPUDevice const*, WGPUDeviceLostReason, WGPUStringView, void* serial, void*) {
  const std::lock_guard lock(opened().mutex);
  const auto found = opened().devices.find(reinterpret_cast<std::uintptr_t>(serial));
  if (found == opened().devices.end()) return;
  found->second->given_up_.store(true, std::memory_order_release);
}

Gpu::Gpu() : lost_(std::make_shared<std::atomic<bool>>(false)) {
  const std::lock_guard lock(opened().mutex);
  serial_ = ++opened().last;
  opened().devices.emplace(serial_, this);
}

Gpu::~Gpu() {
  const std::lock_guard lock(opened().mutex);
  opened().devices.erase(serial_);
}

Status Gpu::request(WGPUAdapter adapter) {
  const auto features = wanted_features(adapter);
  WGPULimits limits = {};
  api().AdapterGetLimits(adapter, &limits);
  WGPUDeviceDescriptor descriptor = {};
  descriptor.label = view("vyre");
  descriptor.requiredFeatureCount = features.size();
  descriptor.requiredFeatures = features.data();
  descriptor.requiredLimits = &limits;
  descriptor.deviceLostCallbackInfo.mode = WGPUCallbackMode_AllowSpontaneous;
  descriptor.deviceLostCallbackInfo.callback = on_lost;
  descriptor.deviceLostCallbackInfo.userdata1 = reinterpret_cast<void*>(serial_);
  descriptor.uncapturedErrorCallbackInfo.callback = on_error;
  const DeviceWatch watch;
  Answer answer;
  WGPURequestDeviceCallbackInfo asked = {};
  asked.mode = WGPUCallbackMode_AllowProcessEvents;
  asked.callback = on_device;
  asked.userdata1 = &answer;
  api().AdapterRequestDevice(adapter, &descriptor, asked);
  for (int i = 0; i < 1000 && !answer.given; ++i) {  // it answers at once; others may not
    api().InstanceProcessEvents(instance());
    if (!answer.given) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  if (answer.device == nullptr)
    return Error(ErrorKind::unavailable, "device-not-opened",
                 "the driver does not open `" + info_.name + "`: " + answer.text);
  if (const LossFlag flag = watch.flag()) {
    lost_ = flag;
    shielded_ = true;
  }
  device_ = DeviceHandle(answer.device);
  queue_ = QueueHandle(api().DeviceGetQueue(answer.device));
  info_.has_timestamps = contains(features, WGPUFeatureName_TimestampQuery);
  times_encoders_ = contains(features, WGPUNativeFeature_TimestampQueryInsideEncoders);
  maps_storage_ = contains(features, WGPUNativeFeature_MappablePrimaryBuffers);
  return Ok{};
}

Result<std::shared_ptr<Gpu>> Gpu::open(Adapter adapter) {
  std::shared_ptr<Gpu> gpu(new Gpu());
  gpu->info_ = std::move(adapter.info);
  gpu->adapter_ = std::move(adapter.handle);
  clear_latch();
  VYRE_CHECK_OK(gpu->request(gpu->adapter_.get()));
  WGPULimits limits = {};
  if (api().DeviceGetLimits(gpu->device(), &limits) == WGPUStatus_Success) gpu->set_limits(limits);
  if (gpu->info_.has_timestamps)
    gpu->timestamp_period_ = api().QueueGetTimestampPeriod(gpu->queue());
  VYRE_CHECK_OK(gpu->check_call(ErrorKind::unavailable, "device-not-opened",
                                "to open `" + gpu->info_.name + "`"));
  watch_process_end();
  return gpu;
}

void Gpu::set_limits(const WGPULimits& limits) {
  info_.limits = to_limits(limits, info_.kind);
  binding_alignment_ =
      std::max(limits.minStorageBufferOffsetAlignment, limits.minUniformBufferOffsetAlignment);
}

Status Gpu::check_alive() const {
  if (!lost()) return Ok{};
  return Error(ErrorKind::device_lost, "device-lost", "the device `" + info_.name + "` was lost",
               "call recover() on the device, and make its buffers and sequences again");
}

/// The library gives a device up for many a thing that it was refused, and does not say so: then
/// it calls everything invalid, even a buffer that nothing is wrong with.  Drivers may refuse
/// memory for a loss: of that they tell whoever submits next, be it nothing.
void Gpu::look_for_loss() const {
  if (lost()) return;
  WGPUBufferDescriptor small = {};
  small.usage = WGPUBufferUsage_CopyDst;
  small.size = 4;
  clear_latch();
  const BufferHandle buffer(api().DeviceCreateBuffer(device(), &small));
  const auto complaint = take_latch();
  if (complaint && complaint->type != WGPUErrorType_OutOfMemory)
    given_up_.store(true, std::memory_order_release);
  if (!lost() && shielded_) api().QueueSubmit(queue(), 0, nullptr);
  clear_latch();
}

Status Gpu::check_call(ErrorKind kind, std::string_view code, std::string_view doing) const {
  if (!is_latched()) return check_alive();
  Status refused = check_latch(kind, code, doing);
  look_for_loss();
  VYRE_CHECK_OK(check_alive());
  return refused;
}

Result<BufferHandle> Gpu::make_buffer(std::string_view label,
                                      std::uint64_t size,
                                      WGPUBufferUsage usage,
                                      bool mapped) const {
  WGPUBufferDescriptor descriptor = {};
  descriptor.label = view(label);
  descriptor.usage = usage;
  descriptor.size = size;
  descriptor.mappedAtCreation = mapped ? 1u : 0u;
  clear_latch();
  BufferHandle buffer(api().DeviceCreateBuffer(device(), &descriptor));
  VYRE_CHECK_OK(check_call(ErrorKind::out_of_memory, "device-memory",
                           "a buffer of " + std::to_string(size) + " bytes"));
  return buffer;
}

}  // namespace vyre::wgpu
