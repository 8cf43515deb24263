// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "vyre/device.h"
#include "vyre/dispatch.h"

#include "ir/layout.h"
#include "runtime/held_elements.h"

/// From a call to a dispatch that is known to be right.
///
/// Everything that can be wrong with inputs, counts, sizes, limits and the grid is found here, on
/// the host, before any device work; the errors name the buffer, the numbers and the remedy.
/// What depends on the program alone is computed once (`PlanTemplate`); a plan is then O(bindings)
/// and, once its vectors have grown, allocates nothing.
namespace vyre {

class BufferImpl;
class StagedImpl;

/// What one host buffer is in every dispatch of a program.
struct BindingTemplate {
  BufferId buffer = kNone<BufferId>;
  std::optional<RuntimeArray> runtime;  ///< absent: static size
  std::uint64_t size = 0;               ///< static: logical bytes
  std::uint32_t count = 1;              ///< static: elements of the root or trailing array
  std::uint32_t element = 4;            ///< bytes that supplied lengths are multiples of
  std::uint64_t element_base = 0;       ///< bytes before the first element
  std::uint32_t same_length_as = ~0u;   ///< index of another template
  HeldElements held;                    ///< what C++ types are compared with
  bool consumes = false;                ///< takes host bytes: input, in_out, uniform
  bool required = false;                ///< must be supplied: input, uniform
  bool written = false;
  bool returns = false;  ///< comes back unless it is kept on the device
  bool infers = false;   ///< its count may set the grid
};

/// A larger constant array becomes a storage buffer.
inline constexpr std::size_t kInlineWords = 64;

/// Launches of one dispatch: a GPU's are recorded one by one before any deadline can be kept.
inline constexpr std::uint32_t kMaxRepeat = 1u << 20;

struct PlanTemplate {
  explicit PlanTemplate(const ValidProgram& valid) : program(valid) {}

  ValidProgram program;
  std::vector<BindingTemplate> bindings;  ///< storage and uniform buffers, in declaration order
  std::uint32_t storage_buffers = 0;      ///< internal ones counted
  std::uint32_t uniform_buffers = 0;
  std::uint64_t workgroup_bytes = 0;
  bool one_dimensional = true;  ///< the grid can be inferred
};
PlanTemplate make_template(const ValidProgram& program);

/// Workgroups where no grid is given: enough for every element of the buffers whose count says so.
/// `count_of(i)` is the count of binding i.
template <typename F>
std::uint64_t inferred_workgroups(const PlanTemplate& program, F&& count_of) {
  std::uint64_t count = 0;
  bool any = false;
  for (std::size_t i = 0; i < program.bindings.size(); ++i) {
    if (!program.bindings[i].infers) continue;
    any = true;
    count = std::max<std::uint64_t>(count, count_of(i));
  }
  const std::uint64_t size = program.program.program().workgroup[0];
  return ((any ? count : 1) + size - 1) / size;
}

/// What one host buffer is in one dispatch.  Sizes are logical bytes: never padded.
struct Binding {
  BufferId buffer = kNone<BufferId>;
  std::span<const std::byte> supplied = {};  ///< shorter than `size`: the tail is zero
  BufferImpl* resident = nullptr;            ///< bound in place of bytes
  StagedImpl* staged = nullptr;              ///< likewise; consumed
  bool given = false;                        ///< the caller gave something
  std::uint64_t size = 0;
  std::uint64_t count = 0;  ///< elements of the root or trailing array; 1 if there is none
  bool comes_back = false;
  Window window = {};  ///< resolved: begin ≤ end ≤ size
};

/// Where an indirect grid lies.
struct IndirectSource {
  std::uint32_t binding = 0;
  std::uint64_t offset = 0;
};

struct Plan {
  std::vector<Binding> bindings;                  ///< parallel to the template's
  std::array<std::uint32_t, 3> grid = {1, 1, 1};  ///< logical workgroups; a 0 runs nothing
  std::optional<IndirectSource> indirect;         ///< takes the place of `grid`
  std::uint32_t repeat = 1;

  /// Elements of the buffer's root or trailing array.
  [[nodiscard]] std::uint64_t count_of(BufferId buffer) const;
  /// Empty, with its memory kept.
  void reset();
};

/// Workgroups that hold so many invocations; 0 stays 0.
std::array<std::uint32_t, 3> groups_of(const std::array<std::uint32_t, 3>& threads,
                                       const std::array<std::uint32_t, 3>& workgroup);

/// Resolves a call against a program and a device's limits into `plan`.
Status make_plan(const PlanTemplate& program,
                 std::span<const Input> inputs,
                 const DispatchOptions& options,
                 const Limits& limits,
                 Plan& plan);

}  // namespace vyre
