// SPDX-License-Identifier: MIT OR Apache-2.0
#include "analysis/divergence.h"

#include <algorithm>

#include "analysis/terms.h"
#include "ir/visit.h"

namespace vyre {
namespace {

constexpr unsigned kMostRounds = 8;

/// Goes over the program until nothing more is found to differ between invocations.
class Spread {
 public:
  Spread(const Program& program, std::vector<bool>& loops)
      : program_(program),
        divergent_(loops),
        exits_(program.stmts.size()),
        values_(program.values.size()),
        vars_(program.vars.size()) {
    for (unsigned round = 0; changed_ && round < kMostRounds; ++round) {
      changed_ = false;
      walk(program, *this);
    }
    if (changed_) divergent_.assign(divergent_.size(), true);
  }

  void enter(BlockId block, StmtId parent) {
    const bool above = !open_.empty() && open_.back().divergent;
    open_.push_back({block, parent, above || splits(parent)});
  }
  void exit(BlockId, StmtId) { open_.pop_back(); }

  void statement(StmtId id) {
    const Stmt& stmt = program_[id];
    const bool here = !open_.empty() && open_.back().divergent;
    for_each_result(stmt, [&](ValueId first, std::uint32_t count) {
      const bool varies = result_varies(stmt);
      for (std::uint32_t i = 0; i < count; ++i)
        mark(values_, index(first) + i, varies);
    });
    if (const auto* var = std::get_if<Var>(&stmt)) mark(vars_, index(var->var), varies(var->init));
    if (const auto* set = std::get_if<Set>(&stmt))
      mark(vars_, index(set->var), here || varies(set->value));
    if (const auto* loop = std::get_if<Loop>(&stmt))
      mark(divergent_, index(id), here || exits_[index(id)] || varies(loop->break_if));
    if (here) leave_unequally(stmt);
  }

 private:
  struct Open {
    BlockId block;
    StmtId parent;
    bool divergent;
  };

  void mark(std::vector<bool>& set, std::uint32_t at, bool varies) {
    if (!varies || set[at]) return;
    set[at] = true;
    changed_ = true;
  }

  /// True if not all invocations that come to the statement run its blocks alike.
  [[nodiscard]] bool splits(StmtId id) const {
    if (id == kNone<StmtId>) return false;
    const Stmt& stmt = program_[id];
    if (divergent_[index(id)] || exits_[index(id)]) return true;
    if (const auto* branch = std::get_if<If>(&stmt)) return varies(branch->condition);
    const auto* choice = std::get_if<Switch>(&stmt);
    return choice != nullptr && varies(choice->selector);
  }

  /// A jump that some invocations take: whatever it leaves or repeats is run unequally.  One that
  /// returns takes no part in anything any more.
  void leave_unequally(const Stmt& stmt) {
    const auto* leave = std::get_if<Leave>(&stmt);
    const bool breaks = std::holds_alternative<Break>(stmt);
    const bool continues = std::holds_alternative<Continue>(stmt);
    if (leave == nullptr && !breaks && !continues) return;
    for (auto at = open_.rbegin(); at != open_.rend() && at->parent != kNone<StmtId>; ++at) {
      mark(exits_, index(at->parent), true);
      const bool is_loop = std::holds_alternative<Loop>(program_[at->parent]);
      const bool is_switch = std::holds_alternative<Switch>(program_[at->parent]);
      if (leave != nullptr ? at->block == leave->target : is_loop || (breaks && is_switch)) return;
    }
  }

  [[nodiscard]] bool result_varies(const Stmt& stmt) const {
    if (const auto* let = std::get_if<Let>(&stmt)) return varies(let->value);
    if (const auto* get = std::get_if<Get>(&stmt)) return vars_[index(get->var)];
    if (std::holds_alternative<UniformLoad>(stmt)) return false;
    const auto* load = std::get_if<Load>(&stmt);
    if (load == nullptr || !is_read_only(program_[load->from.buffer])) return true;
    return std::any_of(load->from.path.begin(), load->from.path.end(), [&](const Step& step) {
      return step.kind == Step::Kind::index && varies(step.index);
    });
  }

  /// Recursion is bounded by kMaxExprDepth.
  [[nodiscard]] bool varies(ExprId id) const {
    if (id == kNone<ExprId>) return false;
    const Expr& expr = program_[id];
    switch (expr.kind) {
      case ExprKind::constant:
      case ExprKind::length:
      case ExprKind::launch: return false;
      case ExprKind::builtin:
        return expr.builtin != Builtin::workgroup_id && expr.builtin != Builtin::num_workgroups &&
               expr.builtin != Builtin::subgroup_size;
      case ExprKind::value: return values_[index(expr.value)];
      case ExprKind::operation: break;
    }
    return std::any_of(expr.operands.begin(), expr.operands.end(),
                       [&](ExprId operand) { return varies(operand); });
  }

  const Program& program_;
  std::vector<bool>& divergent_;
  std::vector<bool> exits_;   ///< by statement: left or repeated by some invocations only
  std::vector<bool> values_;  ///< that differ between invocations
  std::vector<bool> vars_;
  std::vector<Open> open_;
  bool changed_ = true;
};

}  // namespace

Divergence::Divergence(const Program& program) : loops_(program.stmts.size()) {
  Spread(program, loops_);
}

}  // namespace vyre
