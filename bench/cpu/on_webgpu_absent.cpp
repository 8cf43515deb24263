// SPDX-License-Identifier: MIT OR Apache-2.0
#include "on_webgpu.h"

// For builds without the WebGPU backend.
namespace vyre::bench {

struct OnWebGpu::Impl {};

Result<OnWebGpu> OnWebGpu::make(std::uint32_t,
                                const Case&,
                                const std::string&,
                                const std::string&) {
  return Error(ErrorKind::unavailable, "bare-webgpu", "this build has no WebGPU backend");
}

Status OnWebGpu::run() const {
  return Ok{};
}

Result<Bytes> OnWebGpu::content(std::size_t, std::size_t) const {
  return Bytes();
}

}  // namespace vyre::bench
