// SPDX-License-Identifier: MIT OR Apache-2.0
#include "bench/vulkan.h"

#include <algorithm>
#include <array>
#include <dlfcn.h>

namespace vyre::bench::raw {
namespace {

Error failed(const char* what) {
  return Error(ErrorKind::unavailable, "raw-vulkan", std::string("raw Vulkan failed at ") + what);
}

#define VYRE_VULKAN_TRY(what, call) \
  if ((call) != VK_SUCCESS) return failed(what)

PFN_vkGetInstanceProcAddr load_loader() {
  void* const library = ::dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return nullptr;
  return reinterpret_cast<PFN_vkGetInstanceProcAddr>(::dlsym(library, "vkGetInstanceProcAddr"));
}

/// An instance and its functions.
Result<VkInstance> make_instance(Api& api) {
  static const PFN_vkGetInstanceProcAddr kFind = load_loader();
  if (kFind == nullptr) return failed("loading libvulkan.so.1");
  const auto create = reinterpret_cast<PFN_vkCreateInstance>(kFind(nullptr, "vkCreateInstance"));
  if (create == nullptr) return failed("finding vkCreateInstance");
  VkApplicationInfo application = {};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.apiVersion = VK_API_VERSION_1_1;
  VkInstanceCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pApplicationInfo = &application;
  VkInstance instance = VK_NULL_HANDLE;
  VYRE_VULKAN_TRY("making an instance", create(&info, nullptr, &instance));
#define VYRE_VULKAN_ROW(name)                                             \
  api.name = reinterpret_cast<PFN_vk##name>(kFind(instance, "vk" #name)); \
  if (api.name == nullptr) return failed("finding vk" #name);
  VYRE_VULKAN_FUNCTIONS(VYRE_VULKAN_ROW)
#undef VYRE_VULKAN_ROW
  return instance;
}

constexpr VkBufferUsageFlags kUsage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                                      VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                      VK_BUFFER_USAGE_TRANSFER_DST_BIT;
constexpr std::uint32_t kMostKernels = 8;
constexpr std::uint32_t kMostBindings = 4;

}  // namespace

Result<std::shared_ptr<Gpu>> Gpu::open(const std::string& name) {
  std::shared_ptr<Gpu> gpu(new Gpu());
  VYRE_TRY(gpu->instance_, make_instance(gpu->api_));
  VYRE_CHECK_OK(gpu->choose(name));
  VYRE_CHECK_OK(gpu->make_device());
  VYRE_CHECK_OK(gpu->make_pools());
  return gpu;
}

Gpu::~Gpu() {
  if (device_ != VK_NULL_HANDLE) {
    api_.DeviceWaitIdle(device_);
    for (const auto& [layout, kernel] : kernels_) {
      api_.DestroyPipeline(device_, kernel.pipeline, nullptr);
      api_.DestroyPipelineLayout(device_, kernel.layout, nullptr);
      api_.DestroyDescriptorSetLayout(device_, layout, nullptr);
    }
    for (const Memory& memory : memories_) {
      api_.DestroyBuffer(device_, memory.buffer, nullptr);
      api_.FreeMemory(device_, memory.memory, nullptr);
    }
    api_.DestroyFence(device_, fence_, nullptr);
    api_.DestroyDescriptorPool(device_, sets_, nullptr);
    api_.DestroyCommandPool(device_, commands_, nullptr);
    api_.DestroyDevice(device_, nullptr);
  }
  if (instance_ != VK_NULL_HANDLE) api_.DestroyInstance(instance_, nullptr);
}

Status Gpu::choose(const std::string& name) {
  std::array<VkPhysicalDevice, 32> found = {};
  std::uint32_t count = found.size();
  api_.EnumeratePhysicalDevices(instance_, &count, found.data());
  for (std::uint32_t i = 0; i < count && adapter_ == VK_NULL_HANDLE; ++i) {
    VkPhysicalDeviceProperties properties = {};
    api_.GetPhysicalDeviceProperties(found[i], &properties);
    if (name == properties.deviceName) adapter_ = found[i];
  }
  if (adapter_ == VK_NULL_HANDLE) return failed("finding the device");
  std::array<VkQueueFamilyProperties, 16> families = {};
  count = families.size();
  api_.GetPhysicalDeviceQueueFamilyProperties(adapter_, &count, families.data());
  for (family_ = 0; family_ < count; ++family_)
    if ((families[family_].queueFlags & VK_QUEUE_COMPUTE_BIT) != 0) return Ok{};
  return failed("finding a queue");
}

Status Gpu::make_device() {
  const float priority = 1;
  VkDeviceQueueCreateInfo queue = {};
  queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queue.queueFamilyIndex = family_;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  VkDeviceCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  VYRE_VULKAN_TRY("opening the device", api_.CreateDevice(adapter_, &info, nullptr, &device_));
  api_.GetDeviceQueue(device_, family_, 0, &queue_);
  return Ok{};
}

Status Gpu::make_pools() {
  VkCommandPoolCreateInfo commands = {};
  commands.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  commands.queueFamilyIndex = family_;
  VYRE_VULKAN_TRY("making a command pool",
                  api_.CreateCommandPool(device_, &commands, nullptr, &commands_));
  const VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                     kMostKernels * kMostBindings};
  VkDescriptorPoolCreateInfo sets = {};
  sets.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
  sets.maxSets = kMostKernels;
  sets.poolSizeCount = 1;
  sets.pPoolSizes = &size;
  VYRE_VULKAN_TRY("making a descriptor pool",
                  api_.CreateDescriptorPool(device_, &sets, nullptr, &sets_));
  VkFenceCreateInfo fence = {};
  fence.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
  VYRE_VULKAN_TRY("making a fence", api_.CreateFence(device_, &fence, nullptr, &fence_));
  return Ok{};
}

/// The first allowed type with all properties of the earliest wish that has one.
std::uint32_t Gpu::memory_type(std::uint32_t allowed,
                               std::span<const VkMemoryPropertyFlags> wanted) const {
  VkPhysicalDeviceMemoryProperties properties = {};
  api_.GetPhysicalDeviceMemoryProperties(adapter_, &properties);
  for (const VkMemoryPropertyFlags wish : wanted)
    for (std::uint32_t i = 0; i < properties.memoryTypeCount; ++i)
      if ((allowed >> i & 1U) != 0 && (properties.memoryTypes[i].propertyFlags & wish) == wish)
        return i;
  return 0;
}

Result<Memory> Gpu::memory(VkDeviceSize size, std::span<const VkMemoryPropertyFlags> wanted) {
  Memory made = {.size = size};
  VkBufferCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = size;
  info.usage = kUsage;
  VYRE_VULKAN_TRY("making a buffer", api_.CreateBuffer(device_, &info, nullptr, &made.buffer));
  VkMemoryRequirements needs = {};
  api_.GetBufferMemoryRequirements(device_, made.buffer, &needs);
  VkMemoryAllocateInfo allocation = {};
  allocation.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  allocation.allocationSize = needs.size;
  allocation.memoryTypeIndex = memory_type(needs.memoryTypeBits, wanted);
  VYRE_VULKAN_TRY("allocating memory",
                  api_.AllocateMemory(device_, &allocation, nullptr, &made.memory));
  memories_.push_back(made);
  VYRE_VULKAN_TRY("binding memory", api_.BindBufferMemory(device_, made.buffer, made.memory, 0));
  return made;
}

Result<Memory> Gpu::device_memory(VkDeviceSize size) {
  const VkMemoryPropertyFlags wanted[] = {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT};
  return memory(size, wanted);
}

Result<Memory> Gpu::host_memory(VkDeviceSize size, bool cached) {
  const VkMemoryPropertyFlags seen =
      VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  const VkMemoryPropertyFlags wanted[] = {cached ? seen | VK_MEMORY_PROPERTY_HOST_CACHED_BIT : seen,
                                          seen};
  VYRE_TRY(Memory made, memory(size, wanted));
  void* mapped = nullptr;
  VYRE_VULKAN_TRY("mapping", api_.MapMemory(device_, made.memory, 0, size, 0, &mapped));
  made.mapped = static_cast<std::byte*>(mapped);
  return made;
}

Result<Kernel> Gpu::kernel(std::span<const std::uint32_t> spirv, std::span<const Memory> buffers) {
  std::array<VkDescriptorSetLayoutBinding, kMostBindings> bindings = {};
  for (std::uint32_t i = 0; i < buffers.size(); ++i)
    bindings[i] = {i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
  VkDescriptorSetLayoutCreateInfo set_info = {};
  set_info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
  set_info.bindingCount = static_cast<std::uint32_t>(buffers.size());
  set_info.pBindings = bindings.data();
  auto& [set_layout, made] = kernels_.emplace_back();
  VYRE_VULKAN_TRY("making a set layout",
                  api_.CreateDescriptorSetLayout(device_, &set_info, nullptr, &set_layout));
  VkPipelineLayoutCreateInfo layout = {};
  layout.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  layout.setLayoutCount = 1;
  layout.pSetLayouts = &set_layout;
  VYRE_VULKAN_TRY("making a layout",
                  api_.CreatePipelineLayout(device_, &layout, nullptr, &made.layout));
  VkShaderModuleCreateInfo module = {};
  module.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  module.codeSize = spirv.size_bytes();
  module.pCode = spirv.data();
  VkComputePipelineCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.layout = made.layout;
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.pName = "main";
  VYRE_VULKAN_TRY("making a shader",
                  api_.CreateShaderModule(device_, &module, nullptr, &info.stage.module));
  const VkResult compiled =
      api_.CreateComputePipelines(device_, VK_NULL_HANDLE, 1, &info, nullptr, &made.pipeline);
  api_.DestroyShaderModule(device_, info.stage.module, nullptr);
  VYRE_VULKAN_TRY("compiling", compiled);
  VkDescriptorSetAllocateInfo set = {};
  set.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
  set.descriptorPool = sets_;
  set.descriptorSetCount = 1;
  set.pSetLayouts = &set_layout;
  VYRE_VULKAN_TRY("making a set", api_.AllocateDescriptorSets(device_, &set, &made.set));
  for (std::uint32_t i = 0; i < buffers.size(); ++i) {
    const VkDescriptorBufferInfo range = {buffers[i].buffer, 0, VK_WHOLE_SIZE};
    VkWriteDescriptorSet write = {};
    write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
    write.dstSet = made.set;
    write.dstBinding = i;
    write.descriptorCount = 1;
    write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    write.pBufferInfo = &range;
    api_.UpdateDescriptorSets(device_, 1, &write, 0, nullptr);
  }
  return made;
}

Result<VkCommandBuffer> Gpu::begin() {
  VkCommandBufferAllocateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  info.commandPool = commands_;
  info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  info.commandBufferCount = 1;
  VkCommandBuffer commands = VK_NULL_HANDLE;
  VYRE_VULKAN_TRY("making commands", api_.AllocateCommandBuffers(device_, &info, &commands));
  VkCommandBufferBeginInfo begins = {};
  begins.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  VYRE_VULKAN_TRY("beginning commands", api_.BeginCommandBuffer(commands, &begins));
  return commands;
}

void Gpu::dispatch(VkCommandBuffer commands, const Kernel& kernel, std::uint32_t workgroups) {
  api_.CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel.pipeline);
  api_.CmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel.layout, 0, 1,
                             &kernel.set, 0, nullptr);
  api_.CmdDispatch(commands, workgroups, 1, 1);
}

void Gpu::copy(VkCommandBuffer commands,
               const Memory& from,
               VkDeviceSize offset,
               const Memory& to) {
  const VkBufferCopy range = {offset, 0, std::min(from.size - offset, to.size)};
  api_.CmdCopyBuffer(commands, from.buffer, to.buffer, 1, &range);
}

void Gpu::barrier(VkCommandBuffer commands) {
  constexpr VkPipelineStageFlags kStages =
      VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
  VkMemoryBarrier memory = {};
  memory.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  memory.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
  memory.dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT |
                         VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_HOST_READ_BIT;
  api_.CmdPipelineBarrier(commands, kStages, kStages | VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &memory, 0,
                          nullptr, 0, nullptr);
}

Status Gpu::end(VkCommandBuffer commands) {
  barrier(commands);
  VYRE_VULKAN_TRY("ending commands", api_.EndCommandBuffer(commands));
  return Ok{};
}

Status Gpu::run(VkCommandBuffer commands) {
  VkSubmitInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  info.commandBufferCount = 1;
  info.pCommandBuffers = &commands;
  VYRE_VULKAN_TRY("submitting", api_.QueueSubmit(queue_, 1, &info, fence_));
  VkResult status = VK_NOT_READY;
  while (status == VK_NOT_READY)
    status = api_.GetFenceStatus(device_, fence_);
  VYRE_VULKAN_TRY("waiting", status);
  VYRE_VULKAN_TRY("waiting", api_.ResetFences(device_, 1, &fence_));
  return Ok{};
}

}  // namespace vyre::bench::raw
