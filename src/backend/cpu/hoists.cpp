// SPDX-License-Identifier: MIT OR Apache-2.0
#include "backend/cpu/hoists.h"

#include <algorithm>
#include <array>
#include <variant>

#include "backend/cpu/kernels.h"
#include "ir/visit.h"

namespace vyre::cpu {

/// One walk that keeps the loops around the present statement.
class HoistScan {
 public:
  HoistScan(const Program& program,
            const std::vector<bool>& fixed,
            std::vector<std::vector<ExprId>>& before)
      : program_(program), fixed_(fixed), before_(before), depth_(program.values.size()) {
    walk(program, *this);
  }

  void enter(BlockId, StmtId) {}
  void exit(BlockId, StmtId) {}
  void statement(StmtId id) {
    const Stmt& stmt = program_[id];
    if (std::holds_alternative<Loop>(stmt)) {
      loops_.push_back(id);
      return;
    }
    look_at(stmt);
    for_each_result(stmt, [&](ValueId first, std::uint32_t count) {
      for (std::uint32_t i = index(first); i < index(first) + count; ++i)
        depth_[i] = fixed_[i] ? 0 : loops_.size();
    });
  }
  void after(StmtId id) {
    if (!std::holds_alternative<Loop>(program_[id])) return;
    look_at(program_[id]);  // break_if sees the loop's values
    loops_.pop_back();
  }

 private:
  /// An operation, and how many of the loops around it change its operands.
  struct Found {
    ExprId operation = kNone<ExprId>;
    std::size_t depth = 0;
  };

  void look_at(const Stmt& stmt) {
    if (loops_.empty()) return;
    for_each_operand(stmt, [&](ExprId e) { hoist(find(e)); });
  }
  void hoist(const Found& found) {
    if (found.operation == kNone<ExprId> || found.depth >= loops_.size()) return;
    auto& before = before_[index(loops_[found.depth])];
    if (before.size() < Hoists::kMost) before.push_back(found.operation);
  }
  /// Recursion is bounded by kMaxExprDepth.
  Found find(ExprId id) {
    const Expr& expr = program_[id];
    if (expr.kind == ExprKind::value) return {kNone<ExprId>, depth_[index(expr.value)]};
    if (expr.kind != ExprKind::operation) return {};
    if (keeps_word(expr, program_[expr.operands[0]].type)) return find(expr.operands[0]);
    std::array<Found, 3> operands;
    Found found{id, 0};
    for (std::size_t i = 0; i < info(expr.op).arity; ++i) {
      operands[i] = find(expr.operands[i]);
      found.depth = std::max(found.depth, operands[i].depth);
    }
    for (const Found& operand : operands)
      if (operand.depth < found.depth) hoist(operand);
    return found;
  }

  const Program& program_;
  const std::vector<bool>& fixed_;
  std::vector<std::vector<ExprId>>& before_;
  std::vector<std::size_t> depth_;  ///< by value: loops around the place where it is bound
  std::vector<StmtId> loops_;       ///< around the present statement, innermost last
};

bool keeps_word(const Expr& expr, ScalarType from) {
  if (expr.op == Op::bitcast) return true;
  if (expr.op != Op::convert) return false;
  const bool widens = from == ScalarType::f16 && expr.type == ScalarType::f32;
  if (expr.type == from || widens) return true;
  return is_integer(expr.type) && is_integer(from) && (is_wide(from) || !is_wide(expr.type));
}

Hoists::Hoists(const Program& program, const std::vector<bool>& fixed)
    : before_(program.stmts.size()) {
  HoistScan(program, fixed, before_);
}

}  // namespace vyre::cpu
