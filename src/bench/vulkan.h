// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan_core.h>

#include "vyre/result.h"

/// Raw Vulkan, as far as `vyre bench` needs it: commands that are recorded once and submitted again
/// and again, and a wait that spins.
///
/// The loader is loaded at run time.  Objects live until their device runs.  One thread.
namespace vyre::bench::raw {

#define VYRE_VULKAN_FUNCTIONS(ROW)            \
  ROW(EnumeratePhysicalDevices)               \
  ROW(GetPhysicalDeviceProperties)            \
  ROW(GetPhysicalDeviceQueueFamilyProperties) \
  ROW(GetPhysicalDeviceMemoryProperties)      \
  ROW(CreateDevice)                           \
  ROW(DestroyDevice)                          \
  ROW(DestroyInstance)                        \
  ROW(GetDeviceQueue)                         \
  ROW(CreateBuffer)                           \
  ROW(DestroyBuffer)                          \
  ROW(GetBufferMemoryRequirements)            \
  ROW(AllocateMemory)                         \
  ROW(FreeMemory)                             \
  ROW(BindBufferMemory)                       \
  ROW(MapMemory)                              \
  ROW(CreateShaderModule)                     \
  ROW(DestroyShaderModule)                    \
  ROW(CreateDescriptorSetLayout)              \
  ROW(DestroyDescriptorSetLayout)             \
  ROW(CreatePipelineLayout)                   \
  ROW(DestroyPipelineLayout)                  \
  ROW(CreateComputePipelines)                 \
  ROW(DestroyPipeline)                        \
  ROW(CreateDescriptorPool)                   \
  ROW(DestroyDescriptorPool)                  \
  ROW(AllocateDescriptorSets)                 \
  ROW(UpdateDescriptorSets)                   \
  ROW(CreateCommandPool)                      \
  ROW(DestroyCommandPool)                     \
  ROW(AllocateCommandBuffers)                 \
  ROW(BeginCommandBuffer)                     \
  ROW(EndCommandBuffer)                       \
  ROW(CmdBindPipeline)                        \
  ROW(CmdBindDescriptorSets)                  \
  ROW(CmdDispatch)                            \
  ROW(CmdPipelineBarrier)                     \
  ROW(CmdCopyBuffer)                          \
  ROW(CreateFence)                            \
  ROW(DestroyFence)                           \
  ROW(ResetFences)                            \
  ROW(GetFenceStatus)                         \
  ROW(DeviceWaitIdle)                         \
  ROW(QueueSubmit)

struct Api {
#define VYRE_VULKAN_ROW(name) PFN_vk##name name = nullptr;
  VYRE_VULKAN_FUNCTIONS(VYRE_VULKAN_ROW)
#undef VYRE_VULKAN_ROW
};

struct Memory {
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  std::byte* mapped = nullptr;  ///< of host-visible memory
  VkDeviceSize size = 0;
};

struct Kernel {
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VkPipeline pipeline = VK_NULL_HANDLE;
  VkDescriptorSet set = VK_NULL_HANDLE;
};

class Gpu {
 public:
  /// The first device of this name.
  static Result<std::shared_ptr<Gpu>> open(const std::string& name);
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;
  ~Gpu();

  /// Host-visible memory stays mapped; `cached` where the host reads it.
  Result<Memory> host_memory(VkDeviceSize size, bool cached);
  Result<Memory> device_memory(VkDeviceSize size);
  /// A kernel over these buffers, whole, in the order of its bindings.
  Result<Kernel> kernel(std::span<const std::uint32_t> spirv, std::span<const Memory> buffers);

  /// Begins commands, which `end` gives back.
  Result<VkCommandBuffer> begin();
  void dispatch(VkCommandBuffer commands, const Kernel& kernel, std::uint32_t workgroups);
  void copy(VkCommandBuffer commands, const Memory& from, VkDeviceSize offset, const Memory& to);
  /// What was written before is seen by what comes.
  void barrier(VkCommandBuffer commands);
  Status end(VkCommandBuffer commands);
  /// Submits and spins until it is done.
  Status run(VkCommandBuffer commands);

 private:
  Gpu() = default;
  Status choose(const std::string& name);
  Status make_device();
  Status make_pools();
  Result<Memory> memory(VkDeviceSize size, std::span<const VkMemoryPropertyFlags> wanted);
  [[nodiscard]] std::uint32_t memory_type(std::uint32_t allowed,
                                          std::span<const VkMemoryPropertyFlags> wanted) const;

  Api api_;
  VkInstance instance_ = VK_NULL_HANDLE;
  VkPhysicalDevice adapter_ = VK_NULL_HANDLE;
  std::uint32_t family_ = 0;
  VkDevice device_ = VK_NULL_HANDLE;
  VkQueue queue_ = VK_NULL_HANDLE;
  VkCommandPool commands_ = VK_NULL_HANDLE;
  VkDescriptorPool sets_ = VK_NULL_HANDLE;
  VkFence fence_ = VK_NULL_HANDLE;
  std::vector<Memory> memories_;
  std::vector<std::pair<VkDescriptorSetLayout, Kernel>> kernels_;
};

}  // namespace vyre::bench::raw
