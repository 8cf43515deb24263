// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <unordered_set>
#include <vector>

#include "analysis/facts.h"
#include "ir/layout.h"
#include "ir/visit.h"
#include "lower/passes.h"
#include "lower/rewrite.h"

// A condition that does only what bounds do anyway is dropped:
//
//   if (i < length(a)) { sum = sum + a[i]; }
//
// Where it fails the load is out of bounds, so it yields zero, and the sum stays what it was.
namespace vyre {
namespace {

/// Statements under a condition that is looked at.
constexpr std::size_t kMostGuarded = 8;

bool may_be_unguarded(const Stmt& stmt) {
  return std::holds_alternative<Let>(stmt) || std::holds_alternative<Get>(stmt) ||
         std::holds_alternative<Load>(stmt) || std::holds_alternative<Set>(stmt);
}

/// True if the condition has no other branch, and a short body that loads and sets alone.
bool may_be_dropped(const Program& program, const If& branch) {
  if (branch.else_block != kNone<BlockId> && !program[branch.else_block].stmts.empty())
    return false;
  const auto& stmts = program[branch.then_block].stmts;
  const auto has = [&](auto&& test) {
    return std::any_of(stmts.begin(), stmts.end(), [&](StmtId id) { return test(program[id]); });
  };
  return stmts.size() <= kMostGuarded &&
         has([](const Stmt& s) { return std::holds_alternative<Load>(s); }) &&
         has([](const Stmt& s) { return std::holds_alternative<Set>(s); }) &&
         !has([](const Stmt& s) { return !may_be_unguarded(s); });
}

class ConditionDropper : public Rewriter {
 public:
  explicit ConditionDropper(const Program& from)
      : Rewriter(from), facts_(from), read_(from.values.size(), kNone<VarId>) {}

 private:
  void enter(BlockId block, StmtId parent) override { facts_.enter(block, parent); }
  void exit(BlockId block, StmtId parent) override { facts_.exit(block, parent); }
  void after(StmtId id, const Stmt&) override { facts_.after(id); }

  bool replace(StmtId id, const Stmt& stmt) override {
    facts_.statement(id);
    const auto* branch = std::get_if<If>(&stmt);
    if (branch == nullptr || !may_be_dropped(from_, *branch) || !is_needless(*branch)) return false;
    visit(branch->then_block, id, {}, {});
    return true;
  }

  /// True if the body changes nothing where the condition fails.
  bool is_needless(const If& branch) {
    std::unordered_set<ValueId> zeros;
    bool changes = false;
    facts_.suppose(branch.condition, false);
    for (const StmtId id : from_[branch.then_block].stmts) {
      const Stmt& stmt = from_[id];
      facts_.statement(id);
      if (const auto* get = std::get_if<Get>(&stmt)) read_[index(get->result)] = get->var;
      if (const auto* load = std::get_if<Load>(&stmt))
        if (load->from.count == 1 && is_outside(load->from)) zeros.insert(load->first);
      if (const auto* set = std::get_if<Set>(&stmt)) changes |= !keeps(*set, zeros);
    }
    facts_.retract();
    for (const StmtId id : from_[branch.then_block].stmts)
      if (const auto* get = std::get_if<Get>(&from_[id])) read_[index(get->result)] = kNone<VarId>;
    return !changes;
  }

  bool is_outside(const MemoryRef& ref) {
    return facts_.is_outside(ref.buffer, *resolve(from_, ref));
  }

  /// True if the statement adds zero to the variable.
  [[nodiscard]] bool keeps(const Set& set, const std::unordered_set<ValueId>& zeros) const {
    const Expr& sum = from_[set.value];
    if (sum.kind != ExprKind::operation || !is_integer(sum.type)) return false;
    const bool commutes = sum.op == Op::add || sum.op == Op::bit_or || sum.op == Op::bit_xor;
    if (!commutes && sum.op != Op::sub) return false;
    const auto is_old = [&](ExprId id) {
      return from_[id].kind == ExprKind::value && read_[index(from_[id].value)] == set.var;
    };
    const auto is_zero = [&](ExprId id) {
      return from_[id].kind == ExprKind::value && zeros.contains(from_[id].value);
    };
    const auto [x, y, z] = sum.operands;
    return (is_old(x) && is_zero(y)) || (commutes && is_zero(x) && is_old(y));
  }

  Facts facts_;
  std::vector<VarId> read_;  ///< by value: the variable that the body in question read it from
};

}  // namespace

Program drop_conditions(const Program& program) {
  const bool any = std::any_of(program.stmts.begin(), program.stmts.end(), [&](const Stmt& stmt) {
    const auto* branch = std::get_if<If>(&stmt);
    return branch != nullptr && may_be_dropped(program, *branch);
  });
  return any ? ConditionDropper(program).run() : program;
}

}  // namespace vyre
