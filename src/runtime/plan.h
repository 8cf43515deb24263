// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "vyre/device.h"

#include "lower/lower.h"

/// From a call to a dispatch that is known to be right: everything that can be wrong with inputs,
/// counts, sizes, limits and the grid is found here, on the host, before any device work.
/// The rules are docs-level contract: order of inputs, lengths, runtime sizes, windows, inference.
namespace vyre {

/// What one host buffer is in one dispatch.  Sizes are logical bytes: never padded.
struct Binding {
  BufferId buffer = kNone<BufferId>;
  std::span<const std::byte> supplied = {};  ///< shorter than `size`: the tail is zero
  std::uint64_t size = 0;
  std::uint64_t count = 0;  ///< elements of the root or trailing array; 1 if there is none
  bool comes_back = false;
  Window window = {};  ///< resolved: begin ≤ end ≤ size
};

struct Plan {
  std::vector<Binding> bindings;                  ///< one per buffer of the valid program that is
                                                  ///< storage or uniform, in declaration order
  std::array<std::uint32_t, 3> grid = {1, 1, 1};  ///< logical workgroups; a 0 runs nothing
  std::uint32_t repeat = 1;
};

/// Resolves a call against a program and a device's limits.  The error names the buffer, the
/// numbers and the remedy; nothing was allocated or sent.
Result<Plan> make_plan(const ValidProgram& program,
                       std::span<const Input> inputs,
                       const DispatchOptions& options,
                       const Limits& limits);

/// The buffers that consume host bytes (input, in_out, uniform), in declaration order.
std::vector<BufferId> consuming_buffers(const Program& program);

/// True if the workgroup is one-dimensional, so that the grid can be inferred.
bool can_infer_grid(const Program& program);

}  // namespace vyre
