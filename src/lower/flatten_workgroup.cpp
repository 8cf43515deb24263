// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>

#include "lower/passes.h"
#include "lower/rewrite.h"

// naga takes the subgroup builtins in workgroups of one dimension only.  The invocations keep their
// local index, and so their subgroup and their place in it; their ids are computed from it.
namespace vyre {
namespace {

class WorkgroupFlattener : public Rewriter {
 public:
  explicit WorkgroupFlattener(const Program& from) : Rewriter(from), t_(to_) {}

 private:
  void begin() override {
    const ExprId index = to_.builtin(Builtin::local_index, 0);
    const auto [x, y, _] = from_.workgroup;
    local_[0] = to_.let(t_.op(Op::rem, index, t_.u32(x)));
    local_[1] = to_.let(t_.op(Op::rem, t_.op(Op::div, index, t_.u32(x)), t_.u32(y)));
    local_[2] = to_.let(t_.op(Op::div, index, t_.u32(x * y)));
  }

  ExprId leaf(const Expr& expr) override {
    if (expr.kind != ExprKind::builtin) return to_.expr(expr);
    if (expr.builtin == Builtin::local_id) return local_[expr.component];
    if (expr.builtin != Builtin::global_id) return to_.expr(expr);
    const ExprId group = to_.builtin(Builtin::workgroup_id, expr.component);
    const ExprId size = t_.u32(from_.workgroup[expr.component]);
    return t_.add(t_.mul(group, size), local_[expr.component]);
  }

  Terms t_;
  std::array<ExprId, 3> local_ = {};
};

bool reads_lanes(const Program& program) {
  return std::any_of(program.exprs.begin(), program.exprs.end(), [](const Expr& expr) {
    return expr.kind == ExprKind::builtin &&
           (expr.builtin == Builtin::lane || expr.builtin == Builtin::subgroup_size);
  });
}

}  // namespace

bool keeps_idle_lanes(const Program& program, const Target& target) {
  constexpr std::uint32_t kWidest = 16;  // lanes of a vector
  const auto is_loop = [](const Stmt& stmt) { return std::holds_alternative<Loop>(stmt); };
  return target.runs_idle_lanes && program.workgroup[0] % kWidest != 0 &&
         std::any_of(program.stmts.begin(), program.stmts.end(), is_loop);
}

Program flatten_workgroup(const Program& program, const Target& target) {
  const auto [x, y, z] = program.workgroup;
  const bool is_needed = reads_lanes(program) || keeps_idle_lanes(program, target);
  if ((y == 1 && z == 1) || !is_needed) return program;
  Program flat = WorkgroupFlattener(program).run();
  flat.workgroup = {x * y * z, 1, 1};
  return flat;
}

}  // namespace vyre
