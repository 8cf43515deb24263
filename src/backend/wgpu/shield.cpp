// SPDX-License-Identifier: MIT OR Apache-2.0
#include "backend/wgpu/shield.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <dlfcn.h>
#include <mutex>
#include <string_view>
#include <vector>

#include "base/guarded.h"

namespace vyre::wgpu {
namespace {

// ------------------------------------------------------------- Vulkan, as far as it is needed here

using VkResult = std::int32_t;
using Size = std::uint32_t;
using Handle = void*;  // dispatchable; its first word is the loader's, and one device's are equal
enum Object : std::uint64_t {};
using Bytes = std::uint64_t;
using Count = std::uint64_t;
using Info = const void*;
using Function = void (*)();
struct CommandBuffers {  // VkCommandBufferAllocateInfo
  Size type;
  Info next;
  Object pool;
  Size level;
  Size count;
};

constexpr VkResult kSuccess = 0;
constexpr VkResult kOutOfHostMemory = -1;
constexpr VkResult kOutOfDeviceMemory = -2;
constexpr VkResult kDeviceLost = -4;
constexpr VkResult kFragmentedPool = -12;
constexpr VkResult kOutOfPoolMemory = -1000069000;

/// What a call is for, and so what the library is told once the device is lost, or in place of a
/// failure.
enum class Kind : std::uint8_t {
  work,  ///< records work, hands it over or waits for it: it is done, and nothing reaches the
         ///< driver
  make,  ///< makes what only work uses: nothing is made, and the device is lost
  take,  ///< asks for something else: the driver's answer, or that there is no memory
};

// A row a function: its kind, its name, its parameters.
#define VYRE_SHIELDED(ROW)                                                     \
  ROW(work, QueueSubmit, Handle, Size, Info, Object)                           \
  ROW(work, QueueWaitIdle, Handle)                                             \
  ROW(work, DeviceWaitIdle, Handle)                                            \
  ROW(work, GetFenceStatus, Handle, Object)                                    \
  ROW(work, WaitForFences, Handle, Size, Info, Size, std::uint64_t)            \
  ROW(work, ResetFences, Handle, Size, Info)                                   \
  ROW(work, WaitSemaphores, Handle, Info, std::uint64_t)                       \
  ROW(work, WaitSemaphoresKHR, Handle, Info, std::uint64_t)                    \
  ROW(work, GetSemaphoreCounterValue, Handle, Object, Count*)                  \
  ROW(work, GetSemaphoreCounterValueKHR, Handle, Object, Count*)               \
  ROW(work, BeginCommandBuffer, Handle, Info)                                  \
  ROW(work, EndCommandBuffer, Handle)                                          \
  ROW(work, ResetCommandPool, Handle, Object, Size)                            \
  ROW(work, SetDebugUtilsObjectNameEXT, Handle, Info)                          \
  ROW(make, AllocateCommandBuffers, Handle, const CommandBuffers*, Handle*)    \
  ROW(make, CreateCommandPool, Handle, Info, Info, Object*)                    \
  ROW(make, CreateFence, Handle, Info, Info, Object*)                          \
  ROW(make, CreateSemaphore, Handle, Info, Info, Object*)                      \
  ROW(take, AllocateDescriptorSets, Handle, Info, Object*)                     \
  ROW(take, AllocateMemory, Handle, Info, Info, Object*)                       \
  ROW(take, BindBufferMemory, Handle, Object, Object, Bytes)                   \
  ROW(take, CreateBuffer, Handle, Info, Info, Object*)                         \
  ROW(take, CreateComputePipelines, Handle, Object, Size, Info, Info, Object*) \
  ROW(take, CreateDescriptorPool, Handle, Info, Info, Object*)                 \
  ROW(take, CreateDescriptorSetLayout, Handle, Info, Info, Object*)            \
  ROW(take, CreatePipelineLayout, Handle, Info, Info, Object*)                 \
  ROW(take, CreateQueryPool, Handle, Info, Info, Object*)                      \
  ROW(take, CreateShaderModule, Handle, Info, Info, Object*)                   \
  ROW(take, FlushMappedMemoryRanges, Handle, Size, Info)                       \
  ROW(take, InvalidateMappedMemoryRanges, Handle, Size, Info)                  \
  ROW(take, MapMemory, Handle, Object, Bytes, Bytes, Size, void**)

// What is recorded: nothing of a lost device's, whose command buffers may be none.
#define VYRE_SHIELDED_COMMANDS(ROW)                                             \
  ROW(CmdBeginDebugUtilsLabelEXT, Info)                                         \
  ROW(CmdBindDescriptorSets, Size, Object, Size, Size, Info, Size, Info)        \
  ROW(CmdBindPipeline, Size, Object)                                            \
  ROW(CmdCopyBuffer, Object, Object, Size, Info)                                \
  ROW(CmdCopyQueryPoolResults, Object, Size, Size, Object, Bytes, Bytes, Size)  \
  ROW(CmdDispatch, Size, Size, Size)                                            \
  ROW(CmdDispatchIndirect, Object, Bytes)                                       \
  ROW(CmdEndDebugUtilsLabelEXT)                                                 \
  ROW(CmdFillBuffer, Object, Bytes, Bytes, Size)                                \
  ROW(CmdPipelineBarrier, Size, Size, Size, Size, Info, Size, Info, Size, Info) \
  ROW(CmdPushConstants, Object, Size, Size, Size, Info)                         \
  ROW(CmdResetQueryPool, Object, Size, Size)                                    \
  ROW(CmdWriteTimestamp, Size, Object, Size)

#define VYRE_ROW(kind, name, ...) constexpr char kName##name[] = "vk" #name;
VYRE_SHIELDED(VYRE_ROW)
#undef VYRE_ROW
#define VYRE_ROW(name, ...) constexpr char kName##name[] = "vk" #name;
VYRE_SHIELDED_COMMANDS(VYRE_ROW)
#undef VYRE_ROW

// ------------------------------------------------------------------------------------ the devices

struct Opened {
  Handle device;
  LossFlag lost;
};
struct Devices {
  std::mutex mutex;
  std::vector<Opened> open;
};
Devices& devices() {
  static auto* const kDevices = new Devices;  // drivers' threads outlive static objects
  return *kDevices;
}
std::atomic<int> g_lost{0};  ///< of the open devices; where there is none, a call is only handed on
thread_local LossFlag t_made;
Handle g_no_commands = nullptr;  ///< its address is a command buffer that was not made

Handle owner_of(Handle handle) {
  return *static_cast<Handle*>(handle);
}

/// The flag of the device that `handle` is, or belongs to.
LossFlag flag_of(Handle handle) {
  const std::lock_guard lock(devices().mutex);
  for (const Opened& opened : devices().open)
    if (owner_of(opened.device) == owner_of(handle)) return opened.lost;
  return nullptr;
}

bool is_lost(Handle handle) {
  if (g_lost.load(std::memory_order_acquire) == 0) return false;
  if (handle == &g_no_commands) return true;
  const LossFlag flag = flag_of(handle);
  return flag != nullptr && flag->load();
}

using Wait = VkResult (*)(Handle);
Wait wait_idle();

/// What was handed over may still run, if only a later call was refused.
void lose(Handle handle) {
  LossFlag flag;
  Handle device = nullptr;
  {
    const std::lock_guard lock(devices().mutex);
    for (const Opened& opened : devices().open)
      if (owner_of(opened.device) == owner_of(handle)) {
        flag = opened.lost;
        device = opened.device;
      }
  }
  if (flag == nullptr || flag->exchange(true)) return;
  ++g_lost;
  if (const Wait wait = wait_idle()) wait(device);
}

void forget(Handle device) {
  const std::lock_guard lock(devices().mutex);
  std::erase_if(devices().open, [&](const Opened& opened) {
    if (opened.device == device && opened.lost->load()) --g_lost;
    return opened.device == device;
  });
}

// -------------------------------------------------------------------------------------- the calls

/// Answers that the library knows what to make of.
bool is_expected(VkResult result) {
  return result >= 0 || result == kOutOfHostMemory || result == kOutOfDeviceMemory ||
         result == kFragmentedPool || result == kOutOfPoolMemory;
}

// What is written where we answer: a count of work is at its end, and nothing was made.
void write_answer(Handle, Object, Count* count) {
  *count = ~Count{0};
}
void write_answer(Handle, Info, Info, Object* made) {
  *made = Object{};
}
void write_answer(Handle, const CommandBuffers* info, Handle* made) {
  std::fill_n(made, info->count, &g_no_commands);
}
template <typename... Nothing>
void write_answer(Nothing...) {}

/// Each function has an instance of its own, by its name.
template <Kind kKind, const char* kName, typename... Rest>
struct Shielded {
  using Real = VkResult (*)(Handle, Rest...);
  static inline std::atomic<Real> real = nullptr;

  static VkResult call(Handle handle, Rest... rest) {
    if (kKind == Kind::take || !is_lost(handle)) {
      const VkResult result = real.load(std::memory_order_relaxed)(handle, rest...);
      if (result >= 0) return result;
      if (kKind != Kind::take || result == kDeviceLost) lose(handle);
      if (kKind == Kind::take) return is_expected(result) ? result : kOutOfDeviceMemory;
    }
    write_answer(handle, rest...);
    return kSuccess;
  }
};

template <const char* kName, typename... Rest>
struct ShieldedCommand {
  using Real = void (*)(Handle, Rest...);
  static inline std::atomic<Real> real = nullptr;

  static void call(Handle handle, Rest... rest) {
    if (!is_lost(handle)) real.load(std::memory_order_relaxed)(handle, rest...);
  }
};

Wait wait_idle() {
  return Shielded<Kind::work, kNameDeviceWaitIdle>::real.load();
}

using GetCall = Function (*)(Handle, const char*);
using CreateDevice = VkResult (*)(Handle, Info, Info, Handle*);
using DestroyDevice = void (*)(Handle, Info);
std::atomic<Handle> g_instance;  ///< the last; what the loader has does not depend on it
std::atomic<GetCall> g_instance_call;
std::atomic<GetCall> g_device_call;
std::atomic<CreateDevice> g_create_device;
std::atomic<DestroyDevice> g_destroy_device;

VkResult create_device(Handle physical, Info info, Info allocator, Handle* device) {
  const VkResult result = g_create_device.load()(physical, info, allocator, device);
  if (result != kSuccess) return is_expected(result) ? result : kOutOfDeviceMemory;
  return guarded(
      [&] {
        t_made = std::make_shared<std::atomic<bool>>(false);
        const std::lock_guard lock(devices().mutex);
        devices().open.push_back({*device, t_made});
        return result;
      },
      [&] {  // nothing may be thrown through the library, and no device be without its flag
        t_made.reset();
        g_destroy_device.load()(*device, allocator);
        return kOutOfHostMemory;
      });
}

void destroy_device(Handle device, Info allocator) {
  if (device != nullptr) forget(device);
  g_destroy_device.load()(device, allocator);
}

template <typename F>
Function keep(std::atomic<F>& real, Function found, F ours) {
  real.store(reinterpret_cast<F>(found));
  return reinterpret_cast<Function>(ours);
}

Function get_device_call(Handle device, const char* name);

/// Ours in place of `found`, the loader's function of that name, which works for every device.
Function shielded(std::string_view name, Function found) {
  if (found == nullptr) return nullptr;
  if (name == "vkGetDeviceProcAddr") return keep(g_device_call, found, get_device_call);
  if (name == "vkCreateDevice") return keep(g_create_device, found, create_device);
  if (name == "vkDestroyDevice") return keep(g_destroy_device, found, destroy_device);
#define VYRE_ROW(kind, row, first, ...)                                      \
  {                                                                          \
    using Row = Shielded<Kind::kind, kName##row __VA_OPT__(, ) __VA_ARGS__>; \
    if (name == kName##row) return keep(Row::real, found, &Row::call);       \
  }
  VYRE_SHIELDED(VYRE_ROW)
#undef VYRE_ROW
#define VYRE_ROW(row, ...)                                              \
  {                                                                     \
    using Row = ShieldedCommand<kName##row __VA_OPT__(, ) __VA_ARGS__>; \
    if (name == kName##row) return keep(Row::real, found, &Row::call);  \
  }
  VYRE_SHIELDED_COMMANDS(VYRE_ROW)
#undef VYRE_ROW
  return found;
}

Function get_instance_call(Handle instance, const char* name) {
  if (instance != nullptr) g_instance.store(instance);
  return shielded(name, g_instance_call.load()(instance, name));
}

/// Drivers give each device functions of its own; the loader has one for all of them.
Function get_device_call(Handle device, const char* name) {
  const Function own = g_device_call.load()(device, name);
  if (own == nullptr) return nullptr;
  const Function common = g_instance_call.load()(g_instance.load(), name);
  const Function ours = shielded(name, common);
  return ours == common ? own : ours;
}

/// The library looks Vulkan up by name.
void* find_symbol(void* library, const char* name) {
  void* const found = ::dlsym(library, name);
  if (found == nullptr || std::strcmp(name, "vkGetInstanceProcAddr") != 0) return found;
  g_instance_call.store(reinterpret_cast<GetCall>(found));
  return reinterpret_cast<void*>(&get_instance_call);
}

}  // namespace

void raise_shield(const SharedLibrary& library) {
  [[maybe_unused]] const bool raised =
      library.replace_import("dlsym", reinterpret_cast<void*>(&find_symbol));
}

DeviceWatch::DeviceWatch() {
  t_made.reset();
}
DeviceWatch::~DeviceWatch() {
  t_made.reset();
}
LossFlag DeviceWatch::flag() const {
  return t_made;
}

}  // namespace vyre::wgpu
