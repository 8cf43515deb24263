// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <optional>
#include <vector>

#include "ir/visit.h"
#include "lower/passes.h"
#include "lower/rewrite.h"

// `a && b` and `a || b` whose right side reads memory come as branches:
//
//   var v = a; if (a) { x = load …; v = b; }
//
// Where no other workgroup may write that memory, it is read by all, and v is `a && b`.
namespace vyre {
namespace {

/// Statements of a right side, with those of conditions in it.
constexpr std::size_t kMostOnTheRight = 16;

/// A condition that becomes an operator.
struct Joined {
  Op op = Op::logical_and;
  ExprId left = kNone<ExprId>;
};

/// One walk that chooses the conditions, inner ones first.
class JoinedConditions {
 public:
  explicit JoinedConditions(const Program& program)
      : program_(program), joined_(program.stmts.size()), sizes_(program.stmts.size()) {
    walk(program, *this);
  }

  [[nodiscard]] bool empty() const { return !any_; }
  [[nodiscard]] bool contains(StmtId condition) const { return sizes_[index(condition)] != 0; }
  /// How the last statement on the right of a condition joins both sides.
  [[nodiscard]] const std::optional<Joined>& at(StmtId last) const { return joined_[index(last)]; }

  // ---- the walk
  void enter(BlockId, StmtId) { before_.push_back(kNone<StmtId>); }
  void exit(BlockId, StmtId) { before_.pop_back(); }
  void statement(StmtId id) {
    if (!std::holds_alternative<If>(program_[id])) before_.back() = id;
  }
  void after(StmtId id) {
    if (const auto* branch = std::get_if<If>(&program_[id])) look_at(id, *branch);
    before_.back() = id;
  }

 private:
  void look_at(StmtId id, const If& branch) {
    const auto& stmts = program_[branch.then_block].stmts;
    const bool has_else =
        branch.else_block != kNone<BlockId> && !program_[branch.else_block].stmts.empty();
    if (has_else || stmts.empty() || before_.back() == kNone<StmtId>) return;
    const auto* last = std::get_if<Set>(&program_[stmts.back()]);
    if (last == nullptr || program_.vars[index(last->var)] != ScalarType::boolean) return;
    const auto joined = join(branch, last->var);
    const std::size_t size = right_size(stmts);
    if (!joined || size == 0 || size > kMostOnTheRight) return;
    joined_[index(stmts.back())] = joined;
    sizes_[index(id)] = size;
    any_ = true;
  }

  /// The operator, if the statement before the condition puts the left side into the variable.
  [[nodiscard]] std::optional<Joined> join(const If& branch, VarId var) const {
    const Stmt& before = program_[before_.back()];
    ExprId left = kNone<ExprId>;
    if (const auto* declared = std::get_if<Var>(&before); declared && declared->var == var)
      left = declared->init;
    if (const auto* set = std::get_if<Set>(&before); set && set->var == var) left = set->value;
    if (left == kNone<ExprId> || program_[left].kind != ExprKind::value) return std::nullopt;
    const Expr* condition = &program_[branch.condition];
    const bool is_or = condition->kind == ExprKind::operation && condition->op == Op::logical_not;
    if (is_or) condition = &program_[condition->operands[0]];
    if (condition->kind != ExprKind::value || condition->value != program_[left].value)
      return std::nullopt;
    return Joined{is_or ? Op::logical_or : Op::logical_and, left};
  }

  /// The statements that all lanes may run: 0 if there are others.
  [[nodiscard]] std::size_t right_size(const std::vector<StmtId>& stmts) const {
    std::size_t size = 0;
    for (const StmtId id : stmts) {
      const Stmt& stmt = program_[id];
      const bool is_last = id == stmts.back();
      const bool is_name = std::holds_alternative<Let>(stmt) || std::holds_alternative<Get>(stmt) ||
                           std::holds_alternative<Var>(stmt);
      const auto* load = std::get_if<Load>(&stmt);
      if (!is_last && !is_name && !contains(id) && (load == nullptr || !is_own(*load))) return 0;
      size += std::max<std::size_t>(sizes_[index(id)], 1);
    }
    return size;
  }
  /// True if no other workgroup writes there while this one runs.
  [[nodiscard]] bool is_own(const Load& load) const {
    const BufferDecl& buffer = program_[load.from.buffer];
    return buffer.space != Space::storage || buffer.access == Access::input;
  }

  const Program& program_;
  std::vector<std::optional<Joined>> joined_;  ///< by statement: the last on a right side
  std::vector<std::size_t> sizes_;             ///< by statement: of a condition that is joined
  std::vector<StmtId> before_;                 ///< by open block: the statement before
  bool any_ = false;
};

class Joiner : public Rewriter {
 public:
  Joiner(const Program& from, const JoinedConditions& conditions)
      : Rewriter(from), conditions_(conditions) {}

 private:
  bool replace(StmtId id, const Stmt& stmt) override {
    if (conditions_.contains(id)) {
      visit(std::get<If>(stmt).then_block, id, {}, {});
      return true;
    }
    const auto& joined = conditions_.at(id);
    if (!joined) return false;
    const Set& set = std::get<Set>(stmt);
    to_.set(map(set.var), to_.op(joined->op, {map(joined->left), map(set.value)}));
    return true;
  }

  const JoinedConditions& conditions_;
};

}  // namespace

Program join_conditions(const Program& program) {
  const JoinedConditions conditions(program);
  return conditions.empty() ? program : Joiner(program, conditions).run();
}

}  // namespace vyre
