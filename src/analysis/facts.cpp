// SPDX-License-Identifier: MIT OR Apache-2.0
#include "analysis/facts.h"

#include <algorithm>
#include <limits>

#include "ir/visit.h"

namespace vyre {
namespace {

constexpr unsigned kMaxParts = 64;  // of a condition

bool is_jump(const Stmt& stmt) {
  return std::holds_alternative<Break>(stmt) || std::holds_alternative<Continue>(stmt) ||
         std::holds_alternative<Return>(stmt) || std::holds_alternative<Leave>(stmt);
}

bool has_blocks(const Stmt& stmt) {
  bool found = false;
  for_each_block(stmt, [&](BlockId) { found = true; });
  return found;
}

/// Collects, for each statement that jumps may leave or repeat, the variables written inside.
struct Changes {
  const Program& program;
  std::unordered_map<StmtId, std::unordered_set<VarId>>& changes;
  std::vector<StmtId> open = {};

  void statement(StmtId id) {
    const Stmt& stmt = program[id];
    if (const auto* set = std::get_if<Set>(&stmt))
      for (const StmtId outer : open)
        changes[outer].insert(set->var);
    if (std::holds_alternative<Loop>(stmt) || std::holds_alternative<Scope>(stmt) ||
        std::holds_alternative<Switch>(stmt))
      open.push_back(id);
  }
  void after(StmtId id) {
    if (!open.empty() && open.back() == id) open.pop_back();
  }
};

}  // namespace

std::size_t Facts::OrderHash::operator()(const Order& order) const {
  const std::uint64_t key = std::uint64_t{index(order.lower)} << 32 | index(order.upper);
  const auto kind = static_cast<std::uint64_t>(order.sign) * 2 + (order.strict ? 1 : 0);
  return (key ^ kind << 30) * 0x9e3779b97f4a7c15u;
}

Facts::Facts(const Program& program)
    : program_(program), terms_(program), vars_(program.vars.size(), kNone<Term>) {
  walk(program, Changes{program, changes_});
}

// ------------------------------------------------------------------------------------ the walk

void Facts::write(VarId var, Term term) {
  var_log_.emplace_back(var, vars_[index(var)]);
  vars_[index(var)] = term;
}

void Facts::forget(const std::unordered_set<VarId>& vars) {
  for (const VarId var : vars)
    write(var, kNone<Term>);
}

void Facts::statement(StmtId id) {
  const Stmt& stmt = program_[id];
  if (const auto* let = std::get_if<Let>(&stmt)) terms_.bind(let->result, terms_.of(let->value));
  if (const auto* var = std::get_if<Var>(&stmt))
    write(var->var, var->init != kNone<ExprId>
                        ? terms_.of(var->init)
                        : terms_.constant(program_.vars[index(var->var)], 0));
  if (const auto* set = std::get_if<Set>(&stmt)) write(set->var, terms_.of(set->value));
  if (const auto* get = std::get_if<Get>(&stmt)) {
    if (vars_[index(get->var)] == kNone<Term>)
      write(get->var, terms_.opaque(program_.vars[index(get->var)]));
    terms_.bind(get->result, vars_[index(get->var)]);
  }
  if (is_jump(stmt) && !frames_.empty()) frames_.back().falls_through = false;
  if (!has_blocks(stmt)) return;
  open_.emplace_back();
  if (const auto* branch = std::get_if<If>(&stmt))
    open_.back().condition = terms_.of(branch->condition);
  if (std::holds_alternative<Loop>(stmt)) forget(changes_[id]);
}

void Facts::open_frame() {
  frames_.push_back({order_log_.size(), range_log_.size(), var_log_.size()});
}

void Facts::enter(BlockId block, StmtId parent) {
  open_frame();
  if (parent == kNone<StmtId>) return;
  if (const auto* branch = std::get_if<If>(&program_[parent]))
    assume(open_.back().condition, block == branch->then_block);
  const auto* loop = std::get_if<Loop>(&program_[parent]);
  if (loop != nullptr && block == loop->continuing) forget(changes_[parent]);
}

void Facts::suppose(ExprId condition, bool holds) {
  open_frame();
  assume(terms_.of(condition), holds);
}

void Facts::retract() {
  close_frame();
}

/// Forgets what was learnt in the frame.
Facts::Frame Facts::close_frame() {
  const Frame frame = frames_.back();
  frames_.pop_back();
  for (; order_log_.size() > frame.orders; order_log_.pop_back())
    orders_.erase(order_log_.back());
  for (; range_log_.size() > frame.ranges; range_log_.pop_back()) {
    const Bounds& last = range_log_.back();
    if (last.before)
      ranges_[key(last.term, last.sign)] = *last.before;
    else
      ranges_.erase(key(last.term, last.sign));
  }
  for (; var_log_.size() > frame.vars; var_log_.pop_back()) {
    const auto& [var, before] = var_log_.back();
    if (frame.falls_through && !open_.empty()) open_.back().changed.insert(var);
    vars_[index(var)] = before;
  }
  return frame;
}

void Facts::exit(BlockId block, StmtId parent) {
  const Frame frame = close_frame();
  if (parent == kNone<StmtId> || frame.falls_through) return;
  const auto* branch = std::get_if<If>(&program_[parent]);
  if (branch == nullptr) return;
  (block == branch->then_block ? open_.back().then_ends : open_.back().else_ends) = true;
}

void Facts::after(StmtId id) {
  const Stmt& stmt = program_[id];
  if (!has_blocks(stmt)) return;
  const Open done = std::move(open_.back());
  open_.pop_back();
  forget(done.changed);
  if (const auto found = changes_.find(id); found != changes_.end()) forget(found->second);
  if (done.then_ends && done.else_ends) frames_.back().falls_through = false;
  if (done.then_ends && !done.else_ends) assume(done.condition, false);
  if (done.else_ends && !done.then_ends) assume(done.condition, true);
}

// ------------------------------------------------------------------------------------- learning

/// Looks into a bounded number of parts, since conditions may share them.
void Facts::assume(Term condition, bool holds) {
  std::vector<std::pair<Term, bool>> pending = {{condition, holds}};
  for (unsigned seen = 0; !pending.empty() && seen < kMaxParts; ++seen) {
    const auto [part, truth] = pending.back();
    pending.pop_back();
    const TermInfo info = terms_[part];
    if (info.kind != ExprKind::operation) continue;
    const bool splits = info.op == (truth ? Op::logical_and : Op::logical_or);
    if (info.op == Op::logical_not) pending.emplace_back(info.operands[0], !truth);
    if (splits) pending.emplace_back(info.operands[1], truth);
    if (splits) pending.emplace_back(info.operands[0], truth);
    if (is_integer(info.type) && vyre::info(info.type).bytes == 4) assume_comparison(info, truth);
  }
}

void Facts::assume_comparison(const TermInfo& comparison, bool holds) {
  const Term x = comparison.operands[0];
  const Term y = comparison.operands[1];
  const Sign sign = sign_of(comparison.type);
  const Op op = comparison.op;
  if (op == Op::eq || op == Op::ne) return assume_equal(comparison, (op == Op::eq) == holds);
  if (op == Op::lt || op == Op::ge)
    return (op == Op::lt) == holds ? assume_order(x, y, sign, true)
                                   : assume_order(y, x, sign, false);
  if (op == Op::gt || op == Op::le)
    return (op == Op::gt) == holds ? assume_order(y, x, sign, true)
                                   : assume_order(x, y, sign, false);
}

void Facts::assume_equal(const TermInfo& comparison, bool equal) {
  const Term x = comparison.operands[0];
  const Term y = comparison.operands[1];
  if (equal) {
    for (const Sign sign : {Sign::none, Sign::with}) {
      assume_order(x, y, sign, false);
      assume_order(y, x, sign, false);
    }
    return;
  }
  const Term zero = terms_.constant(ScalarType::u32, 0);
  if (x == zero || y == zero) narrow(x == zero ? y : x, Sign::none, {1, full(Sign::none).high});
}

void Facts::assume_order(Term lower, Term upper, Sign sign, bool strict, unsigned depth) {
  if (depth > kMaxDepth) return;
  const Order order = {lower, upper, sign, strict};
  if (orders_.insert(order).second) order_log_.push_back(order);
  const std::int64_t gap = strict ? 1 : 0;
  const Range below = range(lower, sign);
  const Range above = range(upper, sign);
  narrow(lower, sign, {full(sign).low, above.high - gap});
  narrow(upper, sign, {below.low + gap, full(sign).high});
  const TermInfo least = terms_[upper];
  if (least.kind == ExprKind::operation && least.op == Op::min && sign_of(least.type) == sign)
    for (const Term part : {least.operands[0], least.operands[1]})
      assume_order(lower, part, sign, strict, depth + 1);
  const TermInfo greatest = terms_[lower];
  if (greatest.kind == ExprKind::operation && greatest.op == Op::max &&
      sign_of(greatest.type) == sign)
    for (const Term part : {greatest.operands[0], greatest.operands[1]})
      assume_order(part, upper, sign, strict, depth + 1);
}

void Facts::narrow(Term term, Sign sign, Range to) {
  const auto found = ranges_.find(key(term, sign));
  Bounds log = {term, sign, std::nullopt};
  if (found != ranges_.end()) {
    log.before = found->second;
    to = {std::max(to.low, found->second.low), std::min(to.high, found->second.high)};
  }
  range_log_.push_back(log);
  ranges_[key(term, sign)] = to;
}

// ------------------------------------------------------------------------------------- questions

bool Facts::is_inside(BufferId buffer, const Level& level) {
  const Term at = terms_.of(level.index);
  if (level.count != 0) return range(at, Sign::none).high < level.count;
  return is_below(at, terms_.length(buffer));
}

bool Facts::is_outside(BufferId buffer, const Address& address) {
  return std::any_of(address.levels.begin(), address.levels.end(),
                     [&](const Level& level) { return is_outside(buffer, level); });
}

bool Facts::is_outside(BufferId buffer, const Level& level) {
  const Term at = terms_.of(level.index);
  if (level.count != 0) return range(at, Sign::none).low >= level.count;
  return is_at_most(terms_.length(buffer), at);
}

bool Facts::is_below(Term lower, Term upper, unsigned depth) {
  if (is_known({lower, upper, Sign::none, true})) return true;
  if (is_known({lower, upper, Sign::with, true}) && range(lower, Sign::with).low >= 0) return true;
  if (range(lower, Sign::none).high < range(upper, Sign::none).low) return true;
  const TermInfo info = terms_[lower];
  return info.kind == ExprKind::operation && depth < kMaxDepth &&
         is_operation_below(info, upper, depth + 1);
}

bool Facts::is_operation_below(const TermInfo& lower, Term upper, unsigned depth) {
  const auto [x, y, z] = lower.operands;
  const bool is_unsigned = sign_of(lower.type) == Sign::none;
  if (lower.op == Op::bit_and) return is_below(x, upper, depth) || is_below(y, upper, depth);
  if (lower.op == Op::select) return is_below(y, upper, depth) && is_below(z, upper, depth);
  if (lower.op == Op::sub)
    return is_at_most(y, x, depth) &&
           (is_below(x, upper, depth) || (x == upper && range(y, Sign::none).low > 0));
  if (!is_unsigned) return false;
  if (lower.op == Op::min) return is_below(x, upper, depth) || is_below(y, upper, depth);
  if (lower.op == Op::clamp) return is_below(z, upper, depth);
  if (lower.op == Op::shr || lower.op == Op::div) return is_below(x, upper, depth);
  if (lower.op == Op::rem)
    return is_below(x, upper, depth) ||
           (range(y, Sign::none).low > 0 && is_at_most(y, upper, depth));
  return false;
}

bool Facts::is_at_most(Term lower, Term upper, unsigned depth) {
  if (lower == upper) return true;
  if (is_known({lower, upper, Sign::none, true}) || is_known({lower, upper, Sign::none, false}))
    return true;
  if (range(lower, Sign::none).high <= range(upper, Sign::none).low) return true;
  const TermInfo info = terms_[upper];
  const bool is_last = info.kind == ExprKind::operation && info.op == Op::sub &&
                       info.operands[1] == terms_.constant(ScalarType::u32, 1);
  return is_last && depth < kMaxDepth && is_below(lower, info.operands[0], depth + 1);
}

}  // namespace vyre
