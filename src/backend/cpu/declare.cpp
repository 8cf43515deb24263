// SPDX-License-Identifier: MIT OR Apache-2.0
#include "backend/cpu/declare.h"

#include <algorithm>
#include <variant>
#include <vector>

#include "base/align.h"
#include "ir/layout.h"
#include "ir/visit.h"

namespace vyre::cpu {
namespace {

/// What nothing touches takes no place.
void place_buffers(const Program& program, Code& code) {
  const std::vector<bool> touched = touched_buffers(program);
  for (std::size_t i = 0; i < program.buffers.size(); ++i) {
    const BufferDecl& buffer = program.buffers[i];
    Placed placed;
    const bool local = buffer.space == Space::local;
    if (touched[i] && (local || buffer.space == Space::workgroup)) {
      std::uint64_t& end = local ? code.local_bytes : code.workgroup_bytes;
      placed = {end, byte_size(program, buffer, 0)};
      end += align_to(placed.bytes, 16);
    }
    code.placed.push_back(placed);
  }
}

void list_local_ids(Code& code) {
  const auto& size = code.declarations.workgroup;
  for (std::uint32_t i = 0; i < code.group_lanes; ++i) {
    code.local_ids[0].push_back(i % size[0]);
    code.local_ids[1].push_back(i / size[0] % size[1]);
    code.local_ids[2].push_back(i / size[0] / size[1]);
  }
}

void scan_statements(const Program& program, Code& code) {
  bool ordered = code.workgroup_bytes != 0;
  for (const Stmt& stmt : program.stmts) {
    const bool barrier =
        std::holds_alternative<Barrier>(stmt) || std::holds_alternative<UniformLoad>(stmt);
    code.has_barriers |= barrier;
    ordered |= barrier || std::holds_alternative<Atomic>(stmt) ||
               std::holds_alternative<Trap>(stmt) || std::holds_alternative<Subgroup>(stmt);
  }
  for (const Expr& expr : program.exprs)
    ordered |= expr.kind == ExprKind::builtin && expr.builtin == Builtin::lane;
  code.mixes_groups = !ordered;
}

}  // namespace

Code declare(const Program& program) {
  Code code;
  code.isa = &chosen_isa();
  code.declarations.name = program.name;
  code.declarations.workgroup = program.workgroup;
  code.declarations.layouts = program.layouts;
  code.declarations.buffers = program.buffers;
  code.group_lanes = program.workgroup[0] * program.workgroup[1] * program.workgroup[2];
  place_buffers(program, code);
  list_local_ids(code);
  scan_statements(program, code);
  const std::uint32_t rounded = (code.group_lanes + kLaneStep - 1) / kLaneStep * kLaneStep;
  code.strip_lanes = code.mixes_groups ? kStripLanes : std::min(rounded, kStripLanes);
  code.has_barriers &= code.group_lanes > code.strip_lanes;
  return code;
}

}  // namespace vyre::cpu
