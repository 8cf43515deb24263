// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "backend/wgpu/gpu.h"
#include "backend/wgpu/pipeline.h"
#include "runtime/plan.h"

/// One dispatch as the recorder's rooms see it: bindings by number, bytes, a grid.
namespace vyre::wgpu {

/// What one binding of the kernel is in this dispatch.
struct Slot {
  std::uint64_t size = 0;                    ///< logical bytes
  std::span<const std::byte> supplied = {};  ///< the first of them; what follows is zero
  bool comes_back = false;
  Window window = {};  ///< begin ≤ end ≤ size
};

/// Everything is a view that lives for the call.
struct Job {
  const Pipeline& pipeline;
  std::vector<Slot> slots = {};                   ///< by binding number
  std::optional<std::size_t> trap = {};           ///< the slot of the trap record
  std::array<std::uint32_t, 3> grid = {1, 1, 1};  ///< as it is launched; a 0 runs nothing
  std::uint32_t repeat = 1;
  bool timestamps = false;
  std::string_view label = {};
  Deadline deadline = {};
  std::chrono::nanoseconds timeout = {};  ///< as the user gave it
};

/// The memory behind a slot, and how much of it is bound.
struct Bound {
  BufferHandle buffer;
  std::uint64_t size = 0;  ///< a multiple of 4, never 0
};

inline constexpr std::uint64_t kCopyAlign = 4;  ///< of offsets and sizes of copies and clears

constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t align) {
  return (value + align - 1) / align * align;
}

}  // namespace vyre::wgpu
