// SPDX-License-Identifier: MIT OR Apache-2.0
#include "runtime/workgroup.h"

#include <string>

#include "base/check.h"

namespace vyre {
namespace {

bool shows_workgroups(Builtin builtin) {
  switch (builtin) {
    case Builtin::global_id: return false;
    case Builtin::local_id:
    case Builtin::workgroup_id:
    case Builtin::num_workgroups:
    case Builtin::local_index:
    case Builtin::lane:
    case Builtin::subgroup_size: return true;
  }
  VYRE_UNREACHABLE();
}

/// What in the program depends on the size of its workgroups; empty: nothing.
std::string dependence(const Program& program) {
  for (const BufferDecl& buffer : program.buffers)
    if (buffer.space == Space::workgroup) return "workgroup memory (`" + buffer.name + "`)";
  for (const Stmt& stmt : program.stmts) {
    if (std::holds_alternative<Barrier>(stmt) || std::holds_alternative<UniformLoad>(stmt))
      return "a barrier";
    if (std::holds_alternative<Subgroup>(stmt)) return "subgroup operations";
  }
  for (const Expr& expr : program.exprs)
    if (expr.kind == ExprKind::builtin && shows_workgroups(expr.builtin))
      return "`" + std::string(to_string(expr.builtin)) + "`";
  return {};
}

}  // namespace

Result<ValidProgram> with_workgroup(const ValidProgram& program,
                                    const std::array<std::uint32_t, 3>& size) {
  if (program->workgroup == size) return program;
  for (const std::uint32_t axis : size)
    if (axis == 0)
      return Error(ErrorKind::invalid_argument, "workgroup-zero",
                   "the workgroup given for `" + program->name + "` has a size of 0",
                   "give at least 1 on each axis, or no workgroup at all");
  if (const std::string uses = dependence(program.program()); !uses.empty())
    return Error(
        ErrorKind::invalid_argument, "workgroup-fixed",
        "`" + program->name + "` uses " + uses + ", so its workgroups cannot have another size",
        "leave the workgroup as the program has it");
  Program resized = program.program();
  resized.workgroup = size;
  return validate(std::move(resized));
}

}  // namespace vyre
