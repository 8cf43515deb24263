// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>

#include "base/align.h"
#include "ir/visit.h"
#include "runtime/plan.h"

namespace vyre {
namespace {

bool is_host_buffer(const BufferDecl& buffer) {
  return buffer.space == Space::storage || buffer.space == Space::uniform;
}

/// Programs whose lanes cooperate are sized by all their storage, not only by what they write.
bool lanes_cooperate(const Program& program) {
  const auto shared = [](const BufferDecl& b) { return b.space == Space::workgroup; };
  if (std::any_of(program.buffers.begin(), program.buffers.end(), shared)) return true;
  return std::any_of(program.stmts.begin(), program.stmts.end(), [](const Stmt& stmt) {
    return std::holds_alternative<Atomic>(stmt) || std::holds_alternative<Subgroup>(stmt);
  });
}

/// The unit of supplied lengths: an element of the root or trailing array, else the whole.
void set_element(const Program& program, const BufferDecl& buffer, BindingTemplate& binding) {
  const Layout& root = program.layout(buffer);
  const Layout* array = &root;
  if (root.kind == LayoutKind::structure && !root.members.empty()) {
    array = &program[root.members.back().layout];
    binding.element_base = root.members.back().offset;
  }
  if (array->kind == LayoutKind::array) {
    binding.element = array->stride;
    return;
  }
  binding.element_base = 0;
  binding.element = static_cast<std::uint32_t>(root.size);
}

BindingTemplate make_binding(const Program& program, BufferId id, bool cooperate) {
  const BufferDecl& buffer = program[id];
  BindingTemplate binding;
  binding.buffer = id;
  binding.runtime = runtime_array(program, buffer);
  binding.count = static_count(program, buffer);
  binding.size = binding.runtime ? 0 : program.layout(buffer).size;
  set_element(program, buffer, binding);
  binding.held = held_elements(program, buffer.layout);
  const bool uniform = buffer.space == Space::uniform;
  binding.required = uniform || buffer.access == Access::input;
  binding.consumes = binding.required || buffer.access == Access::in_out;
  binding.written = !binding.required;
  binding.returns = binding.written && buffer.access != Access::scratch;
  binding.infers = !uniform && (binding.written || cooperate);
  return binding;
}

std::uint64_t padded_words(const Program& program, const BufferDecl& buffer) {
  return align_to(program.layout(buffer).size, 4);
}

void count_resources(const Program& program, PlanTemplate& result) {
  if (!program.traps.empty()) ++result.storage_buffers;
  for (const BufferDecl& buffer : program.buffers)
    switch (buffer.space) {
      case Space::storage: ++result.storage_buffers; break;
      case Space::uniform: ++result.uniform_buffers; break;
      case Space::constant:
        if (buffer.words.size() > kInlineWords) ++result.storage_buffers;
        break;
      case Space::workgroup: result.workgroup_bytes += padded_words(program, buffer); break;
      case Space::local: break;  // known once lowering has shared it
    }
}

}  // namespace

PlanTemplate make_template(const ValidProgram& valid) {
  const Program& program = valid.program();
  PlanTemplate result(valid);
  const bool cooperate = lanes_cooperate(program);
  std::vector<std::uint32_t> position(program.buffers.size(), ~0u);
  for (std::uint32_t i = 0; i < program.buffers.size(); ++i) {
    if (!is_host_buffer(program.buffers[i])) continue;
    position[i] = static_cast<std::uint32_t>(result.bindings.size());
    result.bindings.push_back(make_binding(program, static_cast<BufferId>(i), cooperate));
  }
  for (BindingTemplate& binding : result.bindings) {
    const BufferId other = program[binding.buffer].same_length_as;
    if (other != kNone<BufferId>) binding.same_length_as = position[index(other)];
  }
  count_resources(program, result);
  result.one_dimensional = program.workgroup[1] == 1 && program.workgroup[2] == 1;
  return result;
}

}  // namespace vyre
