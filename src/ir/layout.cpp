// SPDX-License-Identifier: MIT OR Apache-2.0
#include "ir/layout.h"

namespace vyre {
namespace {

bool step_into(const Program& program, const Step& step, LayoutId& at, Address& address) {
  const Layout& layout = program[at];
  if (step.kind == Step::Kind::member) {
    if (layout.kind != LayoutKind::structure || step.member >= layout.members.size()) return false;
    address.offset += layout.members[step.member].offset;
    at = layout.members[step.member].layout;
    return true;
  }
  if (layout.kind != LayoutKind::array) return false;
  address.levels.push_back({step.index, layout.stride, layout.count});
  at = layout.element;
  return true;
}

/// A last step that picks one component of a vector by a run-time index.
void index_component(const Step& step, const Layout& vector, Address& address) {
  address.levels.push_back({step.index, info(vector.scalar).bytes, vector.width});
  address.kind = LayoutKind::scalar;
  address.scalar = vector.scalar;
}

bool set_leaf(const Layout& layout, const MemoryRef& ref, Address& address) {
  address.kind = layout.kind;
  address.scalar = layout.scalar;
  address.width = layout.width;
  const unsigned end = ref.first + ref.count;
  if (ref.count < 1 || ref.count > 4) return false;
  if (layout.kind == LayoutKind::vector) {
    address.offset += std::uint64_t{ref.first} * info(layout.scalar).bytes;
    return end <= layout.width;
  }
  if (layout.kind == LayoutKind::atomic) return end == 1;
  if (layout.kind != LayoutKind::scalar || ref.first != 0) return false;
  address.consecutive = ref.count > 1;
  return ref.count == 1 || (!address.levels.empty() && !ref.path.empty() &&
                            ref.path.back().kind == Step::Kind::index);
}

std::string scalar_or_vector_name(const Layout& layout) {
  std::string scalar = scalar_name(layout.scalar);
  if (layout.kind == LayoutKind::atomic) return "atomic<" + scalar + ">";
  if (layout.kind == LayoutKind::scalar) return scalar;
  return "vec" + std::to_string(layout.width) + "<" + scalar + ">";
}

std::string array_name(const Program& program, const Layout& layout) {
  const Layout& element = program[layout.element];
  if (layout.matrix) {
    return "mat" + std::to_string(layout.count) + "x" + std::to_string(element.width) + "<" +
           scalar_name(element.scalar) + ">";
  }
  const std::string count = layout.count == 0 ? "" : ", " + std::to_string(layout.count);
  return "array<" + type_name(program, layout.element) + count + ">";
}

}  // namespace

std::string scalar_name(ScalarType type) {
  return type == ScalarType::boolean ? "bool" : std::string(to_string(type));
}

std::string type_name(const Program& program, LayoutId id) {
  const Layout& layout = program[id];
  switch (layout.kind) {
    case LayoutKind::scalar:
    case LayoutKind::atomic:
    case LayoutKind::vector: return scalar_or_vector_name(layout);
    case LayoutKind::array: return array_name(program, layout);
    case LayoutKind::structure: return layout.name;
  }
  return {};
}

std::optional<Address> resolve(const Program& program, const MemoryRef& ref) {
  if (index(ref.buffer) >= program.buffers.size()) return std::nullopt;
  Address address;
  LayoutId at = program[ref.buffer].layout;
  for (std::size_t i = 0; i < ref.path.size(); ++i) {
    const Step& step = ref.path[i];
    const Layout& here = program[at];
    if (here.kind == LayoutKind::vector && step.kind == Step::Kind::index) {
      if (i + 1 != ref.path.size() || ref.first != 0 || ref.count != 1) return std::nullopt;
      index_component(step, here, address);
      return address;
    }
    if (!step_into(program, step, at, address)) return std::nullopt;
  }
  if (!set_leaf(program[at], ref, address)) return std::nullopt;
  return address;
}

std::optional<RuntimeArray> runtime_array(const Program& program, const BufferDecl& buffer) {
  const Layout* layout = &program.layout(buffer);
  std::uint64_t offset = 0;
  if (layout->kind == LayoutKind::structure && !layout->members.empty()) {
    offset = layout->members.back().offset;
    layout = &program[layout->members.back().layout];
  }
  if (layout->kind != LayoutKind::array || layout->count != 0) return std::nullopt;
  return RuntimeArray{offset, layout->stride};
}

std::uint32_t static_count(const Program& program, const BufferDecl& buffer) {
  const Layout& layout = program.layout(buffer);
  if (layout.kind == LayoutKind::array) return layout.count;
  if (layout.kind != LayoutKind::structure || layout.members.empty()) return 1;
  const Layout& last = program[layout.members.back().layout];
  return last.kind == LayoutKind::array ? last.count : 1;
}

std::uint64_t byte_size(const Program& program, const BufferDecl& buffer, std::uint64_t count) {
  const auto runtime = runtime_array(program, buffer);
  if (!runtime) return program.layout(buffer).size;
  return runtime->offset + count * runtime->stride;
}

bool has_atomics(const Program& program, LayoutId id) {
  std::vector<bool> seen(program.layouts.size());  // layouts may be shared
  std::vector<LayoutId> pending = {id};
  while (!pending.empty()) {
    const LayoutId at = pending.back();
    const Layout& layout = program[at];
    pending.pop_back();
    if (seen[index(at)]) continue;
    seen[index(at)] = true;
    if (layout.kind == LayoutKind::atomic) return true;
    if (layout.kind == LayoutKind::array) pending.push_back(layout.element);
    for (const Layout::Member& member : layout.members)
      pending.push_back(member.layout);
  }
  return false;
}

}  // namespace vyre
