// SPDX-License-Identifier: MIT OR Apache-2.0
#include "lower/rewrite.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/check.h"
#include "ir/visit.h"

namespace vyre {
namespace {

bool is_jump(const Stmt& stmt) {
  return std::holds_alternative<Break>(stmt) || std::holds_alternative<Continue>(stmt) ||
         std::holds_alternative<Return>(stmt) || std::holds_alternative<Leave>(stmt);
}

}  // namespace

Rewriter::Rewriter(const Program& from)
    : from_(from),
      to_(from),
      value_(from.values.size(), kNone<ExprId>),
      var_(from.vars.size(), kNone<VarId>),
      block_(from.blocks.size(), kNone<BlockId>),
      used_(from.values.size()) {
  for (const Expr& expr : from.exprs)
    if (expr.kind == ExprKind::value) used_[index(expr.value)] = true;
}

Program Rewriter::run() {
  visit(
      from_.body, kNone<StmtId>, [this] { begin(); }, [this] { end(); });
  push_queued();
  while (!stack_.empty())
    step();
  return std::move(to_).finish();
}

void Rewriter::visit(BlockId block, StmtId parent, Action before, Action behind) {
  queued_.push_back({block, parent, std::move(before), std::move(behind)});
}

void Rewriter::visit_nested(BlockId block, StmtId parent, BlockId* id) {
  visit(
      block, parent, [this, block, id] { *id = block_[index(block)] = to_.open(); },
      [this] { to_.close(); });
}

void Rewriter::push_queued() {
  std::move(queued_.rbegin(), queued_.rend(), std::back_inserter(stack_));
  queued_.clear();
}

void Rewriter::step() {
  Frame& top = stack_.back();
  if (!top.started) {
    top.started = true;
    if (top.before) top.before();
    if (top.block != kNone<BlockId>) enter(top.block, top.parent);
  } else if (top.next != 0) {
    finish_statement(top);
  }
  if (top.block == kNone<BlockId> || top.next == from_[top.block].stmts.size() ||
      is_ended(to_.current())) {
    if (top.block != kNone<BlockId>) exit(top.block, top.parent);
    const Action behind = std::move(top.behind);
    stack_.pop_back();
    if (behind) behind();
  } else {
    start_statement(from_[top.block].stmts[top.next++]);
  }
  push_queued();
}

void Rewriter::finish_statement(Frame& frame) {
  const StmtId id = from_[frame.block].stmts[frame.next - 1];
  to_.set_place(from_.place(id));
  after(id, from_[id]);
  if (is_jump(from_[id])) frame.next = from_[frame.block].stmts.size();
}

void Rewriter::start_statement(StmtId id) {
  to_.set_place(from_.place(id));
  const Stmt& stmt = from_[id];
  if (!replace(id, stmt)) copy(id, stmt);
}

void Rewriter::copy(StmtId id, const Stmt& stmt) {
  auto copied = std::make_shared<Stmt>(renamed(stmt));
  bool nested = false;
  for_each_block(*copied, [&](BlockId& block) {
    nested = true;
    const auto* loop = std::get_if<Loop>(&stmt);
    if (loop == nullptr || block != loop->continuing) return visit_nested(block, id, &block);
    const BlockId old = block;
    visit(
        old, id, [this, old, &block] { block = block_[index(old)] = to_.open(); },
        [this, id, copied, loop] {
          const ExprId condition =
              loop->break_if == kNone<ExprId> ? kNone<ExprId> : map(loop->break_if);
          std::get<Loop>(*copied).break_if = leave_if(id, condition);
          to_.close();
        });
  });
  if (!nested) {
    to_.append(std::move(*copied));
    if (is_jump(stmt)) end_block();
    return;
  }
  visit(kNone<BlockId>, id, {}, [this, id, copied] {
    to_.set_place(from_.place(id));
    to_.append(std::move(*copied));
  });
}

ExprId Rewriter::map(ExprId id) {
  const Expr& expr = from_[id];
  if (expr.kind == ExprKind::value) {
    const ExprId now = value_[index(expr.value)];
    VYRE_CHECK(now != kNone<ExprId>);
    return now;
  }
  if (expr.kind != ExprKind::operation) return leaf(expr);
  Expr copied = expr;
  for (ExprId& operand : copied.operands)
    if (operand != kNone<ExprId>) operand = map(operand);
  return operation(id, copied);
}

void Rewriter::map_path(MemoryRef& ref) {
  for (Step& step : ref.path)
    if (step.kind == Step::Kind::index) step.index = map(step.index);
}

Stmt Rewriter::renamed(const Stmt& stmt) {
  Stmt copied = stmt;
  if (auto* loop = std::get_if<Loop>(&copied)) loop->break_if = kNone<ExprId>;
  for_each_operand(copied, [&](ExprId& e) { e = map(e); });
  rename_results(copied);
  std::visit(
      [&](auto& s) {
        using T = std::remove_cvref_t<decltype(s)>;
        if constexpr (std::is_same_v<T, Var>)
          var_[index(s.var)] = to_.new_var(from_.vars[index(s.var)]);
        if constexpr (requires { s.var; }) s.var = var_[index(s.var)];
        if constexpr (std::is_same_v<T, Leave>) s.target = block_[index(s.target)];
      },
      copied);
  return copied;
}

void Rewriter::rename_results(Stmt& stmt) {
  for_each_result(stmt, [&](ValueId& first, std::uint32_t count) {
    const ValueId old = first;
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto was = static_cast<ValueId>(index(old) + i);
      const ValueId now = to_.new_value(from_.values[index(was)]);
      if (i == 0) first = now;
      bind(was, to_.value(now));
    }
  });
}

}  // namespace vyre
