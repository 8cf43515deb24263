// SPDX-License-Identifier: MIT OR Apache-2.0
#include "analysis/facts.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "ir/visit.h"

namespace vyre {
namespace {

constexpr unsigned kMaxParts = 64;  // of a condition
constexpr std::size_t kMostIndices = std::tuple_size_v<decltype(TermInfo::operands)>;
constexpr std::size_t kMostWays = 16;  // to a continuing part

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

Facts::Facts(const Program& program, const LaunchRanges& launch)
    : program_(program), launch_(launch), terms_(program), vars_(program.vars.size(), kNone<Term>) {
  walk(program, Changes{program, changes_});
}

// ------------------------------------------------------------------------------------ the walk

const std::unordered_set<VarId>& Facts::changes(StmtId id) const {
  static const std::unordered_set<VarId> kNothing;
  const auto found = changes_.find(id);
  return found == changes_.end() ? kNothing : found->second;
}

void Facts::write(VarId var, Term term) {
  var_log_.emplace_back(var, vars_[index(var)]);
  vars_[index(var)] = term;
}

void Facts::forget(const std::unordered_set<VarId>& vars) {
  for (const VarId var : vars)
    forget(var);
}

void Facts::bind_read_only(const Load& load) {
  const Address address = *resolve(program_, load.from);
  std::vector<Term> indices;
  for (const Level& level : address.levels)
    indices.push_back(terms_.of(level.index));
  if (address.consecutive || indices.size() > kMostIndices) return;
  for (std::uint32_t i = 0; i < load.from.count; ++i) {
    const auto value = static_cast<ValueId>(index(load.first) + i);
    const std::uint64_t offset = address.offset + std::uint64_t{i} * info(address.scalar).bytes;
    terms_.bind(value,
                terms_.read_only(load.from.buffer, program_.values[index(value)], offset, indices));
  }
}

/// Values are named where they are bound: a name that came up at a later use would be too new.
void Facts::bind_results(const Stmt& stmt) {
  for_each_result(stmt, [&](ValueId first, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto value = static_cast<ValueId>(index(first) + i);
      terms_.bind(value, terms_.opaque(program_.values[index(value)]));
    }
  });
  const auto* load = std::get_if<Load>(&stmt);
  if (load != nullptr && is_read_only(program_[load->from.buffer])) bind_read_only(*load);
}

void Facts::statement(StmtId id) {
  const Stmt& stmt = program_[id];
  bind_results(stmt);
  if (const auto* let = std::get_if<Let>(&stmt)) terms_.bind(let->result, terms_.of(let->value));
  if (const auto* var = std::get_if<Var>(&stmt))
    write(var->var, var->init != kNone<ExprId>
                        ? terms_.of(var->init)
                        : terms_.constant(program_.vars[index(var->var)], 0));
  if (const auto* set = std::get_if<Set>(&stmt)) write(set->var, terms_.of(set->value));
  if (const auto* get = std::get_if<Get>(&stmt)) terms_.bind(get->result, held(get->var));
  if (std::holds_alternative<Continue>(stmt) && !loops_.empty()) carry(open_[loops_.back()]);
  if (is_jump(stmt) && !frames_.empty()) frames_.back().falls_through = false;
  if (!has_blocks(stmt)) return;
  open_.push_back({.id = id});
  if (const auto* branch = std::get_if<If>(&stmt))
    open_.back().condition = terms_.of(branch->condition);
  if (!std::holds_alternative<Loop>(stmt)) return;
  loops_.push_back(open_.size() - 1);
  forget(changes(id));
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
  if (loop != nullptr && block == loop->continuing) enter_continuing(parent);
}

/// A way on to the continuing part of a loop: what its variables hold on all of them is kept.
void Facts::carry(Open& loop) {
  if (++loop.ways > kMostWays) return loop.carried.clear();
  for (const VarId var : changes(loop.id)) {
    const auto [known, first] = loop.carried.try_emplace(var, held(var));
    if (known->second != held(var)) known->second = kNone<Term>;
  }
}

Term Facts::held_behind_body(VarId var) const {
  const Open& loop = open_[loops_.back()];
  const auto found = loop.carried.find(var);
  return found == loop.carried.end() ? kNone<Term> : found->second;
}

void Facts::enter_continuing(StmtId loop) {
  for (const VarId var : changes(loop)) {
    const Term known = held_behind_body(var);
    if (known != kNone<Term>)
      write(var, known);
    else
      forget(var);
  }
}

void Facts::suppose(ExprId condition, bool holds) {
  open_frame();
  assume(terms_.of(condition), holds);
}

void Facts::retract() {
  close_frame(std::nullopt);
}

/// Forgets what was learnt in the frame; what it leaves in variables is noted for `branch`.
Facts::Frame Facts::close_frame(std::optional<std::size_t> branch) {
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
    if (frame.falls_through && branch) {
      const Branches nothing = {kNone<Term>, kNone<Term>};
      Term& last = open_.back().changed.try_emplace(var, nothing).first->second[*branch];
      if (last == kNone<Term>) last = vars_[index(var)];
    }
    vars_[index(var)] = before;
  }
  return frame;
}

void Facts::exit(BlockId block, StmtId parent) {
  const bool in_program = parent != kNone<StmtId>;
  const auto* loop = in_program ? std::get_if<Loop>(&program_[parent]) : nullptr;
  const auto* branch = in_program ? std::get_if<If>(&program_[parent]) : nullptr;
  const bool ends_body = loop != nullptr && block == loop->body;
  if (ends_body && frames_.back().falls_through) carry(open_[loops_.back()]);
  const std::size_t side = branch != nullptr && block != branch->then_block ? 1 : 0;
  const Frame frame = close_frame(in_program ? std::optional(side) : std::nullopt);
  if (branch != nullptr && !frame.falls_through) open_.back().ends[side] = true;
}

void Facts::after(StmtId id) {
  const Stmt& stmt = program_[id];
  if (!has_blocks(stmt)) return;
  const Open done = std::move(open_.back());
  open_.pop_back();
  if (std::holds_alternative<Loop>(stmt)) loops_.pop_back();
  join(done);
  forget(changes(id));
  const auto [then_ends, else_ends] = done.ends;
  if (then_ends && else_ends) frames_.back().falls_through = false;
  if (then_ends && !else_ends) assume(done.condition, false);
  if (else_ends && !then_ends) assume(done.condition, true);
}

/// What variables hold behind a branch.
void Facts::join(const Open& branch) {
  const bool is_if = branch.condition != kNone<Term>;
  for (const auto& [var, sides] : branch.changed) {
    Term yes = sides[0] != kNone<Term> ? sides[0] : held(var);
    Term no = sides[1] != kNone<Term> ? sides[1] : held(var);
    if (branch.ends[0]) yes = no;
    if (branch.ends[1]) no = yes;
    const Term known = is_if ? joined(branch.condition, yes, no) : kNone<Term>;
    if (known != kNone<Term>)
      write(var, known);
    else
      forget(var);
  }
}

/// `condition ? yes : no` where that is a plain name; none where it is not.  `a && b` that was a
/// branch is `v = a; if (a) { v = b; }`.
Term Facts::joined(Term condition, Term yes, Term no) {
  if (yes == no || yes == kNone<Term> || no == kNone<Term>) return yes == no ? yes : kNone<Term>;
  if (no == condition) return terms_.operation(Op::logical_and, ScalarType::boolean, no, yes);
  const TermInfo& test = terms_[condition];
  const bool negates = test.kind == ExprKind::operation && test.op == Op::logical_not;
  if (!negates || test.operands[0] != no) return kNone<Term>;
  return terms_.operation(Op::logical_or, ScalarType::boolean, no, yes);
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
