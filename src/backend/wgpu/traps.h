// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "backend/backend.h"

/// The trap record as it comes back.
namespace vyre::wgpu {

/// Reads the record's `kTrapWords` words; it is looked at before any output.
TrapReport read_trap(std::span<const std::byte> record);

}  // namespace vyre::wgpu
