// SPDX-License-Identifier: MIT OR Apache-2.0
#include <array>

#include "base/check.h"
#include "ir/layout.h"
#include "lower/passes.h"
#include "lower/rewrite.h"

// Lengths and the grid become words of the launch block, so that neither depends on how a target
// binds buffers or starts workgroups.  Of a folded grid the place of the workgroup is computed
// once, and surplus workgroups do nothing.
namespace vyre {
namespace {

class Binder : public Rewriter {
 public:
  Binder(const Program& from, Fold fold) : Rewriter(from), t_(to_), fold_(fold) {}

 private:
  void begin() override {
    if (fold_ == Fold::none) return;
    const ExprId row = to_.builtin(Builtin::workgroup_id, 1);
    const ExprId width = to_.builtin(Builtin::num_workgroups, 0);
    const ExprId along = to_.let(t_.add(t_.mul(row, width), to_.builtin(Builtin::workgroup_id, 0)));
    const ExprId across = to_.builtin(Builtin::workgroup_id, 2);
    inside_ = to_.let(t_.lt(along, unfold(along, across)));
    body_ = to_.open();
  }

  void end() override {
    if (fold_ == Fold::none) return;
    to_.close();
    to_.if_(inside_, body_);
  }

  /// Sets the place of the workgroup; the workgroups on the long axis.
  ExprId unfold(ExprId along, ExprId across) {
    const ExprId zero = t_.u32(0);
    switch (fold_) {
      case Fold::none: break;
      case Fold::x: place_ = {along, across, zero}; return grid(0);
      case Fold::y: place_ = {across, along, zero}; return grid(1);
      case Fold::z: place_ = {across, zero, along}; return grid(2);
      case Fold::any: return unfold_any(along, across);
    }
    VYRE_UNREACHABLE();
  }

  /// The long axis is longer than both others.
  ExprId unfold_any(ExprId along, ExprId across) {
    const ExprId x = to_.let(t_.both(t_.gt(grid(0), grid(1)), t_.gt(grid(0), grid(2))));
    const ExprId y = to_.let(t_.both(t_.negate(x), t_.gt(grid(1), grid(2))));
    const ExprId z = t_.negate(t_.either(x, y));
    const ExprId first = t_.select(x, grid(1), grid(0));
    const ExprId low = to_.let(t_.op(Op::rem, across, first));
    const ExprId high = to_.let(t_.op(Op::div, across, first));
    place_[0] = to_.let(t_.select(x, along, low));
    place_[1] = to_.let(t_.select(y, along, t_.select(x, low, high)));
    place_[2] = to_.let(t_.select(z, along, high));
    return t_.select(x, grid(0), t_.select(y, grid(1), grid(2)));
  }

  ExprId leaf(const Expr& expr) override {
    if (expr.kind == ExprKind::length) return length(expr.buffer);
    if (expr.kind != ExprKind::builtin) return to_.expr(expr);
    if (expr.builtin == Builtin::num_workgroups) return grid(expr.component);
    if (fold_ == Fold::none) return to_.expr(expr);
    if (expr.builtin == Builtin::workgroup_id) return place_[expr.component];
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
    return t_.add(t_.mul(place_[component], t_.u32(from_.workgroup[component])), local);
  }

  Terms t_;
  Fold fold_;
  std::array<ExprId, 3> place_ = {};  ///< of the workgroup in the unfolded grid
  ExprId inside_ = kNone<ExprId>;     ///< it is no surplus workgroup
  BlockId body_ = kNone<BlockId>;
};

}  // namespace

Program bind_launch(const Program& program, const Target& target) {
  return Binder(program, target.fold).run();
}

}  // namespace vyre
