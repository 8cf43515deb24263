// SPDX-License-Identifier: MIT OR Apache-2.0
#include "backend/wgpu/submit.h"

#include "backend/wgpu/latch.h"

namespace vyre::wgpu {

Status submit(const Gpu& gpu, WGPUCommandEncoder encoder, const Job& job) {
  WGPUCommandBufferDescriptor descriptor = {};
  descriptor.label = view(job.label);
  const CommandsHandle commands(api().CommandEncoderFinish(encoder, &descriptor));
  const std::string doing = "the dispatch of `" + std::string(job.label) + "`";
  VYRE_CHECK_OK(check_latch(ErrorKind::unsupported, "dispatch-refused", doing));
  VYRE_CHECK_OK(gpu.check_alive());
  const WGPUCommandBuffer list = commands.get();
  api().QueueSubmit(gpu.queue(), 1, &list);
  return check_latch(ErrorKind::unsupported, "dispatch-refused", doing);
}

}  // namespace vyre::wgpu
