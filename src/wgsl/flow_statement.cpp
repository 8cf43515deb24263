// SPDX-License-Identifier: MIT OR Apache-2.0
#include <tuple>
#include <utility>

#include "wgsl/flow_writer.h"

namespace vyre::wgsl {

/// False when control does not reach the end: what follows is no part of the analysis.
bool FlowWriter::list(Range body) {
  for (std::uint32_t i = 0; i < body.count; ++i)
    if (!statement(item(body, i))) return false;
  return true;
}

void FlowWriter::block(StmtId block) {
  const bool outer = std::exchange(divergent_, filter_.within(stmt(block).attributes, divergent_));
  list(stmt(block).body);
  divergent_ = outer;
}

ir::BlockId FlowWriter::arm(StmtId body) {
  const ir::BlockId id = out_.open();
  if (body != kNone) block(body);
  out_.close();
  return id;
}

bool FlowWriter::statement(StmtId id) {
  const Stmt& s = stmt(id);
  if (!enter()) return true;
  set_place(s.span);
  const bool outer = std::exchange(divergent_, filter_.within(s.attributes, divergent_));
  bool goes_on = true;
  switch (s.kind) {
    case StmtKind::block: goes_on = list(s.body); break;
    case StmtKind::variable: local(s); break;
    case StmtKind::assign:
    case StmtKind::compound:
    case StmtKind::increment:
    case StmtKind::decrement: assign(s); break;
    case StmtKind::phony:
    case StmtKind::call: eval(s.value); break;
    case StmtKind::if_: if_(s); break;
    case StmtKind::switch_: switch_(s); break;
    case StmtKind::loop:
    case StmtKind::for_:
    case StmtKind::while_: loop(s); break;
    case StmtKind::break_:
    case StmtKind::continue_:
    case StmtKind::return_: goes_on = jump(s); break;
    case StmtKind::fault:
    case StmtKind::discard:
    case StmtKind::const_assert: break;
  }
  divergent_ = outer;
  leave();
  return goes_on;
}

/// True where the jump is misplaced, which was reported.
bool FlowWriter::jump(const Stmt& s) {
  if (s.kind == StmtKind::return_) {
    return_(s);
    return false;
  }
  const bool is_break = s.kind == StmtKind::break_;
  if ((is_break ? breakables_ : loops_) == 0) return true;
  if (is_break)
    out_.break_();
  else
    out_.continue_();
  return false;
}

void FlowWriter::return_(const Stmt& s) {
  const Word value = eval(s.value);
  const Frame frame = frames_.back();
  if (frame.root) return out_.return_();
  if (frame.scope == ir::kNone<ir::BlockId>) {
    frames_.back().value = value;
    return;
  }
  words_.write(frame.result, value);
  out_.leave(frame.scope);
}

void FlowWriter::local(const Stmt& s) {
  const Declaration& d = module_.tree.declarations[s.declaration];
  const DeclarationInfo& of = module_.declarations[s.declaration];
  Bound& bound = declarations_[s.declaration];
  if (d.kind == DeclarationKind::const_) return;
  if (d.kind != DeclarationKind::var) {
    if (is_pointer(of.type))
      bound.place = pointee(d.value);
    else
      bound.value = eval(d.value);
    bound.known = true;
    return;
  }
  const Word value = eval(d.value);
  if (std::exchange(bound.hoisted, false)) return words_.write(bound.place, value);
  bound.place = words_.variable(value);
  bound.known = true;
}

/// What a loop's body declares is visible in its continuing block, which a program does not nest in
/// the body: such variables are declared before the loop.
void FlowWriter::hoist(Range body) {
  for (std::uint32_t i = 0; i < body.count; ++i) {
    const Stmt& s = stmt(item(body, i));
    if (s.kind != StmtKind::variable ||
        module_.tree.declarations[s.declaration].kind != DeclarationKind::var)
      continue;
    declarations_[s.declaration] = {
        .place = words_.variable(kUniformWord), .known = true, .hoisted = true};
  }
}

/// The target is evaluated first, and once.
void FlowWriter::assign(const Stmt& s) {
  if (faulty(s.target)) {
    eval(s.value);
    return;
  }
  const FlowPlace target = place(s.target);
  Word value = kUniformWord;
  if (s.kind != StmtKind::assign) value = words_.read(target);
  if (s.value != kNone) value = words_.both(value, eval(s.value));
  words_.write(target, value);
}

// ------------------------------------------------------------------------------------ branches

/// Each further branch is nested in the `else` of the one before it.
void FlowWriter::if_(const Stmt& s) {
  struct Branch {
    Word condition;
    ir::BlockId then_block;
    ir::BlockId else_block;
    Span span;
  };
  std::vector<Branch> branches;
  for (std::uint32_t i = 0; i < s.clauses.count; ++i) {
    const Clause& clause = module_.tree.clauses[s.clauses.first + i];
    if (clause.condition == kNone) {
      if (clause.body != kNone) block(clause.body);
      break;
    }
    const Span span = branches.empty() ? s.span : clause.span;
    Branch branch = {words_.solid(eval(clause.condition)), arm(clause.body), ir::kNone<ir::BlockId>,
                     span};
    if (i + 1 < s.clauses.count) branch.else_block = out_.open();
    branches.push_back(branch);
  }
  for (auto branch = branches.rbegin(); branch != branches.rend(); ++branch) {
    if (branch->else_block != ir::kNone<ir::BlockId>) out_.close();
    set_place(branch->span);
    out_.if_(branch->condition, branch->then_block, branch->else_block);
  }
}

void FlowWriter::switch_(const Stmt& s) {
  const Word selector = words_.solid(eval(s.value));
  divergent_ = filter_.within(stmt(s.body_block).attributes, divergent_);
  std::vector<ir::Case> cases;
  ir::BlockId default_block = ir::kNone<ir::BlockId>;
  ++breakables_;
  for (std::uint32_t c = 0; c < s.clauses.count; ++c) {
    const Clause& clause = module_.tree.clauses[s.clauses.first + c];
    const ir::BlockId body = arm(clause.body);
    if (default_block == ir::kNone<ir::BlockId>)
      default_block = body;
    else
      cases.push_back({{c}, body});
  }
  --breakables_;
  if (default_block == ir::kNone<ir::BlockId>) return;
  set_place(s.span);
  out_.switch_(selector, std::move(cases), default_block);
}

void FlowWriter::break_unless(ExprId condition) {
  if (condition == kNone) return;
  const Word stop = words_.solid(eval(condition));
  const ir::BlockId block = out_.open();
  out_.break_();
  out_.close();
  out_.if_(stop, block);
}

/// `for` and `while` leave where their condition fails.
void FlowWriter::loop(const Stmt& s) {
  const bool counted = s.kind == StmtKind::for_;
  if (counted && s.initial != kNone) statement(s.initial);
  const StmtId next = counted ? s.update : s.continuing;
  if (s.kind == StmtKind::loop && next != kNone) hoist(stmt(s.body_block).body);
  const auto outer = std::pair(loops_, breakables_);
  ++loops_;
  ++breakables_;
  const ir::BlockId body = out_.open();
  if (s.kind != StmtKind::loop) break_unless(s.value);
  if (s.kind == StmtKind::loop)
    divergent_ = filter_.within(stmt(s.body_block).attributes, divergent_);
  block(s.body_block);
  out_.close();
  loops_ = breakables_ = 0;
  ir::BlockId continuing = ir::kNone<ir::BlockId>;
  Word break_if = kUniformWord;
  if (next != kNone) {
    continuing = out_.open();
    if (counted) {
      statement(next);
    } else {
      divergent_ = filter_.within(stmt(next).attributes, divergent_);
      list(stmt(next).body);
      if (s.value != kNone) break_if = words_.solid(eval(s.value));
    }
    out_.close();
  }
  std::tie(loops_, breakables_) = outer;
  set_place(s.span);
  out_.loop(body, continuing, break_if);
}

}  // namespace vyre::wgsl
