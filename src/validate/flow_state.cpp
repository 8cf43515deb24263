// SPDX-License-Identifier: MIT OR Apache-2.0
#include "validate/flow_state.h"

#include <algorithm>

#include "ir/visit.h"

namespace vyre {
namespace {

class AssignmentFinder {
 public:
  AssignmentFinder(const Program& program, std::size_t budget)
      : program_(program),
        budget_(budget),
        declared_(program.vars.size() + program.buffers.size()) {}

  LoopAssignments run() && {
    walk(program_, *this);
    return std::move(result_);
  }

  void statement(StmtId id) {
    const Stmt& stmt = program_[id];
    if (std::holds_alternative<Loop>(stmt)) {
      open_.push_back(result_.loops.size());
      result_.loops.emplace_back();
    }
    if (const auto* s = std::get_if<Var>(&stmt)) declared_[index(s->var)] = open_.size();
    if (const auto* s = std::get_if<Set>(&stmt)) note(s->var);
    if (const auto* s = std::get_if<Store>(&stmt))
      if (program_[s->to.buffer].space == Space::local) note(variable_of(program_, s->to.buffer));
  }
  void after(StmtId id) {
    if (!std::holds_alternative<Loop>(program_[id])) return;
    std::vector<VarId>& list = result_.loops[open_.back()];
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    open_.pop_back();
    for (const VarId var : list)
      note(var);
  }

 private:
  void note(VarId var) {
    if (open_.empty() || declared_[index(var)] >= open_.size() || result_.exhausted) return;
    result_.loops[open_.back()].push_back(var);
    result_.exhausted = ++work_ > budget_;
  }

  const Program& program_;
  const std::size_t budget_;
  std::size_t work_ = 0;
  std::vector<std::size_t> open_;
  std::vector<std::size_t> declared_;  ///< in how many loops
  LoopAssignments result_;
};

}  // namespace

LoopAssignments find_assignments(const Program& program, std::size_t budget) {
  return AssignmentFinder(program, budget).run();
}

FlowState::FlowState(const Program& program, FlowGraph& graph, bool coarse)
    : program_(program),
      graph_(graph),
      coarse_(coarse),
      scope_level_(program.blocks.size()),
      vars_(program.vars.size() + program.buffers.size(), kUniform),
      declared_(vars_.size()),
      stamp_(vars_.size()) {
  if (!coarse) assignments_ = find_assignments(program, kBudget);
  for (std::size_t i = program.vars.size(); coarse && i < vars_.size(); ++i)
    vars_[i] = graph_.add({});
}

// ---------------------------------------------------------------------------------- variables

void FlowState::declare(VarId var, FlowNode node) {
  declared_[index(var)] = level();
  vars_[index(var)] = coarse_ ? graph_.add({}) : node;
  if (coarse_ && !dead()) graph_.depend(vars_[index(var)], node);
}

void FlowState::set(VarId var, FlowNode node) {
  if (dead()) return;
  if (coarse_)
    graph_.depend(vars_[index(var)], node);
  else
    assign(var, node);
}

void FlowState::assign(VarId var, FlowNode node) {
  log_.emplace_back(var, vars_[index(var)]);
  vars_[index(var)] = node;
}

void FlowState::rewind(std::size_t mark) {
  while (log_.size() > mark) {
    vars_[index(log_.back().first)] = log_.back().second;
    log_.pop_back();
  }
}

// ------------------------------------------------------------------------------------- joining

/// Control flow goes from here to the end of the construct at `level`, with the variables that were
/// set since that began.
void FlowState::arrive(std::uint32_t level) {
  Construct& target = at_level(level);
  ++target.edges;
  if (exhausted()) return;
  work_ += log_.size() - target.mark;
  ++edge_;
  for (std::size_t i = target.mark; i < log_.size(); ++i) {
    const VarId var = log_[i].first;
    if (stamp_[index(var)] == edge_ || declared_[index(var)] >= level) continue;
    stamp_[index(var)] = edge_;
    target.arriving.emplace_back(var, vars_[index(var)]);
  }
}

/// At the end of a construct, with everything set in it rewound.
void FlowState::join(Construct& construct) {
  if (construct.edges == 0) {
    control_ = kDead;
    return;
  }
  control_ = construct.before;
  bool fresh = false;
  for (const auto& [target, node] : construct.escapes.all()) {
    if (node == kUniform) continue;
    if (!fresh) {
      control_ = graph_.add({});
      graph_.depend(control_, construct.before);
      fresh = true;
    }
    graph_.depend(control_, node);
  }
  merge_variables(construct);
}

void FlowState::merge_variables(Construct& construct) {
  auto& list = construct.arriving;
  std::stable_sort(list.begin(), list.end(),
                   [](const VarNode& a, const VarNode& b) { return a.first < b.first; });
  for (std::size_t i = 0; i < list.size();) {
    const VarId var = list[i].first;
    std::size_t end = i;
    bool same = true;
    for (; end < list.size() && list[end].first == var; ++end)
      same = same && list[end].second == list[i].second;
    FlowNode node = list[i].second;
    const bool everywhere = end - i >= construct.edges;
    if (!same || (!everywhere && node != vars_[index(var)])) {
      node = graph_.add({});
      for (std::size_t k = i; k < end; ++k)
        graph_.depend(node, list[k].second);
      if (!everywhere) graph_.depend(node, vars_[index(var)]);
    }
    assign(var, node);
    i = end;
  }
}

void FlowState::Escapes::add(FlowGraph& graph, std::uint32_t level, FlowNode node) {
  if (node == kUniform) return;
  auto place = std::lower_bound(list_.begin(), list_.end(), level,
                                [](const auto& entry, std::uint32_t l) { return entry.first < l; });
  if (place != list_.end() && place->first == level) {
    const FlowNode both = graph.add({});
    graph.depend(both, place->second);
    graph.depend(both, node);
    place->second = both;
    return;
  }
  list_.insert(place, {level, node});
  if (list_.size() <= kMax) return;
  const FlowNode innermost = list_.back().second;
  list_.pop_back();
  add(graph, list_.back().first, innermost);
}

void FlowState::Escapes::arrive(std::uint32_t level) {
  while (!list_.empty() && list_.back().first >= level)
    list_.pop_back();
}

// --------------------------------------------------------------------- statements with blocks

FlowState::Construct& FlowState::push(FlowNode arms) {
  Construct next;
  if (!constructs_.empty()) {
    next.break_level = constructs_.back().break_level;
    next.continue_level = constructs_.back().continue_level;
  }
  next.before = control_;
  next.arms = arms;
  next.mark = log_.size();
  return constructs_.emplace_back(std::move(next));
}

void FlowState::pop() {
  Construct done = std::move(constructs_.back());
  rewind(done.mark);
  done.escapes.arrive(level());
  constructs_.pop_back();
  join(done);
  if (constructs_.empty()) return;
  for (const auto& [target, node] : done.escapes.all())
    constructs_.back().escapes.add(graph_, target, node);
}

void FlowState::open(const Stmt& stmt, FlowNode arms) {
  Construct& next = push(arms);
  if (std::holds_alternative<Switch>(stmt)) next.break_level = level();
}

void FlowState::open_loop(const Stmt&) {
  const FlowNode head = dead() ? kDead : graph_.add({});
  if (!dead()) graph_.depend(head, control_);
  Construct& loop = push(head);
  loop.break_level = level();
  if (coarse_ || assignments_.exhausted) return;
  const auto& assigned = assignments_.loops[next_loop_++];
  if (dead()) return;
  for (const VarId var : assigned) {
    const FlowNode node = graph_.add({});
    graph_.depend(node, vars_[index(var)]);
    assign(var, node);
    loop.repeating.emplace_back(var, node);
  }
}

void FlowState::enter(BlockId block, const Stmt& parent) {
  if (const auto* loop = std::get_if<Loop>(&parent)) {
    if (block != loop->body) return;
    control_ = constructs_.back().arms;
    Construct& body = push(control_);
    body.continue_level = level();
    return;
  }
  if (std::holds_alternative<Scope>(parent)) scope_level_[index(block)] = level();
  control_ = constructs_.back().arms;
}

void FlowState::exit(BlockId block, const Stmt& parent) {
  const auto* loop = std::get_if<Loop>(&parent);
  if (loop != nullptr && block != loop->body) return;
  if (!dead()) arrive(level());
  if (loop != nullptr) return pop();
  rewind(constructs_.back().mark);
}

void FlowState::end_iteration(FlowNode decided, bool may_break) {
  if (dead()) return;
  Construct& loop = constructs_.back();
  graph_.depend(loop.arms, decided);
  for (const auto& [var, node] : loop.repeating)
    graph_.depend(node, vars_[index(var)]);
  if (may_break) arrive(level());
}

void FlowState::close(const Stmt& stmt) {
  Construct& done = constructs_.back();
  const auto* branch = std::get_if<If>(&stmt);
  if (branch != nullptr && branch->else_block == kNone<BlockId> && done.before != kDead)
    ++done.edges;
  pop();
}

// --------------------------------------------------------------------------------------- jumps

/// To the end of the construct at `level`; the control flow that is left comes together after the
/// one at `until`.
void FlowState::jump(FlowNode node, std::uint32_t level, std::uint32_t until) {
  if (dead()) return;
  if (level > 0) arrive(level);
  if (!constructs_.empty()) constructs_.back().escapes.add(graph_, until, node);
  control_ = kDead;
}

void FlowState::leave(FlowNode node, BlockId target) {
  jump(node, scope_level_[index(target)], scope_level_[index(target)]);
}
void FlowState::break_(FlowNode node) {
  jump(node, constructs_.back().break_level, constructs_.back().break_level);
}
void FlowState::continue_(FlowNode node) {
  const std::uint32_t body = constructs_.back().continue_level;
  jump(node, body, body - 1);
}
void FlowState::return_(FlowNode node) {
  jump(node, 0, 0);
}

}  // namespace vyre
