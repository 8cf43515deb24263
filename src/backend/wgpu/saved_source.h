// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "backend/wgpu/wgsl.h"

/// Kernel texts as bytes, for kernels that are kept.  Pure; any thread.
namespace vyre::wgpu {

std::vector<std::byte> to_bytes(const KernelSource& source);
/// Nothing if the bytes are none that `to_bytes` made.
std::optional<KernelSource> read_source(std::span<const std::byte> bytes);

}  // namespace vyre::wgpu
