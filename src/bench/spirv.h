// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

/// The two kernels that raw Vulkan runs, as SPIR-V.  Pure; any thread.
namespace vyre::bench {

/// c[i] = a[i] + b[i] over f32; bindings 0, 1 and 2.  Its grid covers the buffers exactly.
std::vector<std::uint32_t> spirv_add(std::uint32_t workgroup);
/// c[i] = c[i] + 1 over u32; binding 0.  Likewise.
std::vector<std::uint32_t> spirv_increment(std::uint32_t workgroup);

}  // namespace vyre::bench
