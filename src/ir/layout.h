// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vyre/program.h"

/// Questions about layouts: where a memory reference leads, and how many elements bytes hold.
namespace vyre {

/// One indexed level of a reference: `index` is in bounds if below `count`, or, where `count` is 0,
/// below the buffer's runtime element count.
struct Level {
  ExprId index = kNone<ExprId>;
  std::uint32_t stride = 0;  ///< bytes
  std::uint32_t count = 0;
};

/// "f32", and "bool" as WGSL spells it.
std::string scalar_name(ScalarType type);
/// "array<vec3<f32>>", "mat4x4<f32>", a structure's name.
std::string type_name(const Program& program, LayoutId id);

/// A resolved reference: byte address = offset + Σ index × stride.
struct Address {
  std::uint64_t offset = 0;  ///< of members, and of the first component
  std::vector<Level> levels;
  LayoutKind kind = LayoutKind::scalar;  ///< of the leaf: scalar, atomic or vector
  ScalarType scalar = ScalarType::u32;   ///< element type; a load yields `info(scalar).widened`
  std::uint8_t width = 1;                ///< components of a vector leaf
  bool consecutive = false;  ///< count > 1 elements of an array of scalars, not of a vector
};

/// Follows the path; nothing if it does not fit the layout (the validator says why).
std::optional<Address> resolve(const Program& program, const MemoryRef& ref);

/// The runtime-sized array of a buffer: the root itself or the last member of a root struct.
struct RuntimeArray {
  std::uint64_t offset = 0;  ///< of its first element
  std::uint32_t stride = 0;
};
std::optional<RuntimeArray> runtime_array(const Program& program, const BufferDecl& buffer);

/// Elements of the root or trailing array if its count is static; 1 for a root that is no array.
std::uint32_t static_count(const Program& program, const BufferDecl& buffer);

/// Logical bytes of a buffer whose runtime-sized array, if it has one, holds `count` elements.
std::uint64_t byte_size(const Program& program, const BufferDecl& buffer, std::uint64_t count);

/// True if some leaf of the layout is an atomic.
bool has_atomics(const Program& program, LayoutId layout);

/// Calls `visit(offset, scalar)` for each scalar of a layout that begins at `offset`, in order,
/// until it returns false; false then.  `count` stands for the runtime-sized array's.
template <typename Visit>
bool each_scalar(
    const Program& program, LayoutId id, std::uint64_t offset, std::uint64_t count, Visit&& visit) {
  const Layout& layout = program[id];
  switch (layout.kind) {
    case LayoutKind::scalar:
    case LayoutKind::atomic: return visit(offset, layout.scalar);
    case LayoutKind::vector:
      for (std::uint64_t i = 0; i < layout.width; ++i) {
        if (!visit(offset + i * info(layout.scalar).bytes, layout.scalar)) return false;
      }
      return true;
    case LayoutKind::array:
      for (std::uint64_t i = 0; i < (layout.count != 0 ? layout.count : count); ++i) {
        if (!each_scalar(program, layout.element, offset + i * layout.stride, count, visit)) {
          return false;
        }
      }
      return true;
    case LayoutKind::structure:
      for (const Layout::Member& member : layout.members) {
        if (!each_scalar(program, member.layout, offset + member.offset, count, visit)) {
          return false;
        }
      }
      return true;
  }
  return true;
}

}  // namespace vyre
