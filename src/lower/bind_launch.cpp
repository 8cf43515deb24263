// SPDX-License-Identifier: MIT OR Apache-2.0
#include "ir/layout.h"
#include "lower/passes.h"
#include "lower/rewrite.h"

// Lengths and the grid become words of the launch block, so that neither depends on how a target
// binds buffers or starts workgroups.  With a folded grid the workgroups arrive in two dimensions:
// their number along the line is computed once, and surplus workgroups do nothing.
namespace vyre {
namespace {

class Binder : public Rewriter {
 public:
  Binder(const Program& from, bool folds) : Rewriter(from), t_(to_), folds_(folds) {}

 private:
  void begin() override {
    if (!folds_) return;
    const ExprId row = to_.builtin(Builtin::workgroup_id, 1);
    const ExprId width = to_.builtin(Builtin::num_workgroups, 0);
    line_ = to_.let(t_.add(t_.mul(row, width), to_.builtin(Builtin::workgroup_id, 0)));
    body_ = to_.open();
  }

  void end() override {
    if (!folds_) return;
    to_.close();
    to_.if_(t_.lt(line_, to_.launch(LaunchField::grid_x)), body_);
  }

  ExprId leaf(const Expr& expr) override {
    if (expr.kind == ExprKind::length) return length(expr.buffer);
    if (expr.kind != ExprKind::builtin) return to_.expr(expr);
    if (expr.builtin == Builtin::num_workgroups) return grid(expr.component);
    if (!folds_) return to_.expr(expr);
    if (expr.builtin == Builtin::workgroup_id) return expr.component == 0 ? line_ : t_.u32(0);
    if (expr.builtin == Builtin::global_id) return global_id(expr.component);
    return to_.expr(expr);
  }

  ExprId length(BufferId buffer) {
    return runtime_array(from_, from_[buffer]) ? to_.launch(LaunchField::count, buffer)
                                               : t_.u32(static_count(from_, from_[buffer]));
  }

  ExprId grid(std::uint8_t component) {
    static constexpr LaunchField kFields[] = {LaunchField::grid_x, LaunchField::grid_y,
                                              LaunchField::grid_z};
    return to_.launch(kFields[component]);
  }

  ExprId global_id(std::uint8_t component) {
    const ExprId local = to_.builtin(Builtin::local_id, component);
    if (component != 0) return local;
    return t_.add(t_.mul(line_, t_.u32(from_.workgroup[0])), local);
  }

  Terms t_;
  bool folds_;
  ExprId line_ = kNone<ExprId>;  ///< of this workgroup, along the unfolded grid
  BlockId body_ = kNone<BlockId>;
};

}  // namespace

Program bind_launch(const Program& program, const Target& target) {
  return Binder(program, target.fold_grid).run();
}

}  // namespace vyre
