// SPDX-License-Identifier: MIT OR Apache-2.0
#include "faults/fault_driver.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#define VK_NO_PROTOTYPES
#include <vulkan/vk_icd.h>
#include <vulkan/vulkan.h>

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

// Every function of compute programs that gives a VkResult for a device.
#define FAULT_CALLS(ROW)            \
  ROW(AllocateCommandBuffers)       \
  ROW(AllocateDescriptorSets)       \
  ROW(AllocateMemory)               \
  ROW(BeginCommandBuffer)           \
  ROW(BindBufferMemory)             \
  ROW(CreateBuffer)                 \
  ROW(CreateCommandPool)            \
  ROW(CreateComputePipelines)       \
  ROW(CreateDescriptorPool)         \
  ROW(CreateDescriptorSetLayout)    \
  ROW(CreateFence)                  \
  ROW(CreatePipelineCache)          \
  ROW(CreatePipelineLayout)         \
  ROW(CreateQueryPool)              \
  ROW(CreateSemaphore)              \
  ROW(CreateShaderModule)           \
  ROW(DeviceWaitIdle)               \
  ROW(EndCommandBuffer)             \
  ROW(FlushMappedMemoryRanges)      \
  ROW(GetFenceStatus)               \
  ROW(GetQueryPoolResults)          \
  ROW(GetSemaphoreCounterValue)     \
  ROW(InvalidateMappedMemoryRanges) \
  ROW(MapMemory)                    \
  ROW(QueueSubmit)                  \
  ROW(QueueWaitIdle)                \
  ROW(ResetCommandPool)             \
  ROW(ResetFences)                  \
  ROW(WaitForFences)                \
  ROW(WaitSemaphores)

enum Call : std::uint32_t {
#define ROW(name) k##name,
  FAULT_CALLS(ROW)
#undef ROW
      kCalls
};

constexpr const char* kNames[] = {
#define ROW(name) "vk" #name,
    FAULT_CALLS(ROW)
#undef ROW
};

std::atomic<std::uint32_t> g_counts[kCalls];
std::atomic<std::uint32_t> g_armed{kCalls};
std::atomic<std::int64_t> g_countdown{0};
std::atomic<std::int32_t> g_result{0};
std::atomic<std::uint32_t> g_fired{0};
std::atomic<std::uint32_t> g_delay{0};

struct Devices {
  std::mutex mutex;
  std::vector<VkDevice> open;
  std::vector<void*> lost;  // by what the loader wrote into the device and its queues
};
Devices& devices() {
  static auto* const kDevices = new Devices;
  return *kDevices;
}

/// What the loader wrote into a device and all that belongs to it.
template <typename Handle>
void* owner_of(Handle handle) {
  return *reinterpret_cast<void**>(handle);
}

// ------------------------------------------------------------------------- the driver below

struct Below {
  PFN_vkGetInstanceProcAddr instance_call = nullptr;
  PFN_vkNegotiateLoaderICDInterfaceVersion negotiate = nullptr;
  PFN_GetPhysicalDeviceProcAddr physical_call = nullptr;
};

const Below& below() {
  static const Below kBelow = [] {
    const char* const named = std::getenv("VYRE_FAULT_DRIVER");
    void* const library =
        ::dlopen(named != nullptr ? named : "libvulkan_lvp.so", RTLD_NOW | RTLD_LOCAL);
    Below found;
    if (library == nullptr) return found;
    const auto get = [&](auto& to, const char* name) {
      to = reinterpret_cast<std::remove_reference_t<decltype(to)>>(::dlsym(library, name));
    };
    get(found.instance_call, "vk_icdGetInstanceProcAddr");
    get(found.negotiate, "vk_icdNegotiateLoaderICDInterfaceVersion");
    get(found.physical_call, "vk_icdGetPhysicalDeviceProcAddr");
    return found;
  }();
  return kBelow;
}

std::atomic<PFN_vkGetDeviceProcAddr> g_device_call;
std::atomic<PFN_vkCreateDevice> g_create_device;
std::atomic<PFN_vkDestroyDevice> g_destroy_device;
std::atomic<PFN_vkDeviceWaitIdle> g_wait_idle;

// ------------------------------------------------------------------------- what fails

constexpr bool tells_of_loss(Call call) {
  switch (call) {
    case kDeviceWaitIdle:
    case kGetFenceStatus:
    case kGetQueryPoolResults:
    case kGetSemaphoreCounterValue:
    case kQueueSubmit:
    case kQueueWaitIdle:
    case kWaitForFences:
    case kWaitSemaphores: return true;
    default: return false;
  }
}

/// Ends the work of the device, as its loss does.
void lose(void* owner) {
  const std::lock_guard lock(devices().mutex);
  for (const VkDevice device : devices().open)
    if (owner_of(device) == owner) g_wait_idle.load()(device);
  devices().lost.push_back(owner);
}

bool is_lost(void* owner) {
  const std::lock_guard lock(devices().mutex);
  const auto& lost = devices().lost;
  return std::find(lost.begin(), lost.end(), owner) != lost.end();
}

/// What the call answers in place of the driver; VK_SUCCESS: it goes on to the driver.
VkResult answer(Call call, void* owner) {
  ++g_counts[call];
  if (tells_of_loss(call) && is_lost(owner)) return VK_ERROR_DEVICE_LOST;
  if (g_armed != call || g_countdown.fetch_sub(1) != 0) return VK_SUCCESS;
  ++g_fired;
  const auto result = static_cast<VkResult>(g_result.load());
  if (result == VK_ERROR_DEVICE_LOST) lose(owner);
  return result;
}

using Clock = std::chrono::steady_clock;
std::atomic<bool> g_fresh{false};     // a pipeline that nothing launched yet is there,
std::atomic<bool> g_recorded{false};  // and its launch was recorded
std::atomic<Clock::time_point> g_busy_until{Clock::time_point::min()};
std::atomic<std::uint64_t> g_reached{0};
std::atomic<PFN_vkCmdDispatch> g_dispatch;

VKAPI_ATTR void VKAPI_CALL dispatch(VkCommandBuffer commands,
                                    std::uint32_t x,
                                    std::uint32_t y,
                                    std::uint32_t z) {
  if (g_fresh.exchange(false)) g_recorded = true;
  g_dispatch.load()(commands, x, y, z);
}

/// The work of a first launch is not done before the driver has compiled it.
void start_late_compilation() {
  if (g_recorded.exchange(false)) g_busy_until = Clock::now() + std::chrono::milliseconds(g_delay);
}

template <Call kCall, typename F>
struct Row;
template <Call kCall, typename First, typename... Rest>
struct Row<kCall, VkResult(VKAPI_PTR*)(First, Rest...)> {
  using Function = VkResult(VKAPI_PTR*)(First, Rest...);
  static inline std::atomic<Function> real = nullptr;
  static VKAPI_ATTR VkResult VKAPI_CALL call(First first, Rest... rest) {
    const VkResult instead = answer(kCall, owner_of(first));
    if (instead != VK_SUCCESS) return instead;
    if constexpr (kCall == kQueueSubmit) start_late_compilation();
    const VkResult result = real.load()(first, rest...);
    if constexpr (kCall == kCreateComputePipelines) g_fresh = g_delay != 0;
    if constexpr (kCall == kGetSemaphoreCounterValue) {
      std::uint64_t* const reached = std::get<1>(std::tuple(rest...));
      const bool compiles = Clock::now() < g_busy_until.load();
      compiles ? void(*reached = g_reached) : void(g_reached = *reached);
    }
    return result;
  }
};

// ------------------------------------------------------------------------- how calls get here

VKAPI_ATTR VkResult VKAPI_CALL create_device(VkPhysicalDevice physical,
                                             const VkDeviceCreateInfo* info,
                                             const VkAllocationCallbacks* allocator,
                                             VkDevice* device) {
  const VkResult result = g_create_device.load()(physical, info, allocator, device);
  if (result != VK_SUCCESS) return result;
  const std::lock_guard lock(devices().mutex);
  devices().open.push_back(*device);
  return result;
}

VKAPI_ATTR void VKAPI_CALL destroy_device(VkDevice device, const VkAllocationCallbacks* allocator) {
  if (device != VK_NULL_HANDLE) {
    const std::lock_guard lock(devices().mutex);
    std::erase(devices().lost, owner_of(device));
    std::erase(devices().open, device);
  }
  g_destroy_device.load()(device, allocator);
}

PFN_vkVoidFunction wrap(const char* name, PFN_vkVoidFunction found);

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL device_call(VkDevice device, const char* name) {
  return wrap(name, g_device_call.load()(device, name));
}

template <typename To>
PFN_vkVoidFunction keep(std::atomic<To>& to, PFN_vkVoidFunction found, To instead) {
  to = reinterpret_cast<To>(found);
  return reinterpret_cast<PFN_vkVoidFunction>(instead);
}

/// Ours in place of `found`, if the call is one of ours; extensions' names end in KHR.
PFN_vkVoidFunction wrap(const char* name, PFN_vkVoidFunction found) {
  if (found == nullptr) return nullptr;
  std::string plain = name;
  if (plain.size() > 3 && plain.compare(plain.size() - 3, 3, "KHR") == 0)
    plain.resize(plain.size() - 3);
  if (plain == "vkGetDeviceProcAddr") return keep(g_device_call, found, device_call);
  if (plain == "vkCreateDevice") return keep(g_create_device, found, create_device);
  if (plain == "vkCmdDispatch") return keep(g_dispatch, found, dispatch);
  if (plain == "vkDestroyDevice") return keep(g_destroy_device, found, destroy_device);
  if (plain == "vkDeviceWaitIdle") g_wait_idle = reinterpret_cast<PFN_vkDeviceWaitIdle>(found);
#define ROW(row)          \
  if (plain == "vk" #row) \
    return keep(Row<k##row, PFN_vk##row>::real, found, &Row<k##row, PFN_vk##row>::call);
  FAULT_CALLS(ROW)
#undef ROW
  return found;
}

}  // namespace

EXPORT PFN_vkVoidFunction vk_icdGetInstanceProcAddr(VkInstance instance, const char* name) {
  if (below().instance_call == nullptr) return nullptr;
  return wrap(name, below().instance_call(instance, name));
}
EXPORT PFN_vkVoidFunction vk_icdGetPhysicalDeviceProcAddr(VkInstance instance, const char* name) {
  return below().physical_call != nullptr ? below().physical_call(instance, name) : nullptr;
}
EXPORT VkResult vk_icdNegotiateLoaderICDInterfaceVersion(std::uint32_t* version) {
  return below().negotiate != nullptr ? below().negotiate(version) : VK_ERROR_INCOMPATIBLE_DRIVER;
}

EXPORT void fault_arm(const char* call, std::uint32_t nth, std::int32_t result) {
  g_armed = kCalls;
  g_countdown = nth;
  g_result = result;
  g_fired = 0;
  for (std::uint32_t i = 0; i < kCalls; ++i)
    if (std::strcmp(kNames[i], call) == 0) g_armed = i;
}
EXPORT std::uint32_t fault_fired() {
  return g_fired;
}
EXPORT void fault_reset_counts() {
  for (auto& count : g_counts)
    count = 0;
}
EXPORT const char* fault_call(std::uint32_t index) {
  return index < kCalls ? kNames[index] : nullptr;
}
EXPORT std::uint32_t fault_count(std::uint32_t index) {
  return index < kCalls ? g_counts[index].load() : 0;
}
EXPORT void fault_delay_first_launch(std::uint32_t milliseconds) {
  g_delay = milliseconds;
}
