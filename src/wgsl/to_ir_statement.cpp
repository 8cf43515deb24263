// SPDX-License-Identifier: MIT OR Apache-2.0
#include <utility>

#include "base/check.h"
#include "wgsl/lowering.h"

namespace vyre::wgsl {

/// False when control does not reach the end: what follows is dead and left out.
bool Lowering::lower_list(Range body) {
  for (std::uint32_t i = 0; i < body.count; ++i)
    if (!lower_statement(item(body, i))) return false;
  return true;
}

bool Lowering::lower_block(StmtId block) {
  const bool outer = std::exchange(divergent_, filter_.within(stmt(block).attributes, divergent_));
  const bool goes_on = lower_list(stmt(block).body);
  divergent_ = outer;
  return goes_on;
}

bool Lowering::lower_statement(StmtId id) {
  const Stmt& s = stmt(id);
  if (!enter(s.span)) return false;
  set_place(s.span);
  const bool outer = std::exchange(divergent_, filter_.within(s.attributes, divergent_));
  bool goes_on = true;
  switch (s.kind) {
    case StmtKind::block: goes_on = lower_block(id); break;
    case StmtKind::variable: lower_local(s); break;
    case StmtKind::assign: lower_assign(s); break;
    case StmtKind::compound: lower_compound(s); break;
    case StmtKind::phony:
      if (!types_.names_memory(info(s.value).type) && info(s.value).value == kNone) lower(s.value);
      break;
    case StmtKind::increment:
    case StmtKind::decrement: lower_step(s); break;
    case StmtKind::call: lower(s.value); break;
    case StmtKind::if_: lower_if(s); break;
    case StmtKind::switch_: lower_switch(s); break;
    case StmtKind::loop: lower_loop(s); break;
    case StmtKind::for_: lower_for(s); break;
    case StmtKind::while_: lower_while(s); break;
    case StmtKind::break_:
      out_.break_();
      goes_on = false;
      break;
    case StmtKind::continue_:
      out_.continue_();
      ++continues_;
      goes_on = false;
      break;
    case StmtKind::return_:
      lower_return(s);
      goes_on = false;
      break;
    case StmtKind::fault:
    case StmtKind::discard:
    case StmtKind::const_assert: break;
  }
  divergent_ = outer;
  leave();
  return goes_on;
}

void Lowering::bind(std::uint32_t declaration, Value value) {
  declarations_[declaration] = {Bound::Kind::value, std::move(value), {}};
}

void Lowering::lower_local(const Stmt& s) {
  const Declaration& d = module_.tree.declarations[s.declaration];
  const DeclarationInfo& of = module_.declarations[s.declaration];
  if (d.kind == DeclarationKind::const_) return;
  if (types_.names_memory(of.type)) return lower_pointer(s.declaration);
  const bool is_var = d.kind == DeclarationKind::var;
  const auto hoisted = hoisted_.find(s.declaration);
  if (hoisted != hoisted_.end()) {
    const View view = hoisted->second;
    if (d.value == kNone) {
      store_zero(view);
    } else {
      store_expr(view, d.value);
    }
    declarations_[s.declaration] = {Bound::Kind::view, {}, view};
    return;
  }
  if (is_var ? types_.contains_array(of.type)
             : module_.indexed_declarations.contains(s.declaration)) {
    const bool fresh = !locals_.contains(s.declaration) && loops_ == 0;
    const View memory = new_local(of.type, d.name, s.declaration);
    if (d.value != kNone) {
      store_expr(memory, d.value);
    } else if (!fresh) {
      store_zero(memory);
    }
    declarations_[s.declaration] = {Bound::Kind::view, {}, memory};
    return;
  }
  if (!is_var) return bind(s.declaration, lower(d.value));
  View view{.type = of.type};
  const Value value = d.value != kNone ? lower(d.value) : zero(of.type);
  set_place(s.span);
  view.first = static_cast<std::uint32_t>(vars_.size());
  for (const ir::ExprId scalar : value.scalars)
    vars_.push_back(out_.var(out_.type(scalar), scalar));
  declarations_[s.declaration] = {Bound::Kind::view, {}, view};
}

/// The indices of a view that are computed: each of them, in turn, is what `change` makes of it.
template <typename F>
void Lowering::for_each_index(View& view, F&& change) {
  for (Step& step : view.memory.path)
    if (step.kind == Step::Kind::index) step.index = change(step.index);
  for (Choice& choice : view.choices)
    choice.index = change(choice.index);
}

/// A bound on the indices in the view of what a pointer points to.
std::size_t Lowering::count_indices(ExprId pointer) {
  std::size_t count = 0;
  while (true) {
    const Expr& e = expr(pointer);
    const ExprInfo& of = info(pointer);
    count += e.kind == ExprKind::index ? 1 : 0;
    if (e.kind != ExprKind::identifier) {
      pointer = e.left;
    } else if (of.kind == Target::parameter) {
      for_each_index(fields_[of.target].view, [&](ir::ExprId index) { return ++count, index; });
      return count;
    } else {
      const auto known = index_counts_.find(of.target);
      return count + (known == index_counts_.end() ? 0 : known->second);
    }
  }
}

/// A pointer or texture.  Of one that a continuing block sees, the indices are kept for it.
void Lowering::lower_pointer(std::uint32_t declaration) {
  const ExprId value = module_.tree.declarations[declaration].value;
  View view = pointee(value);
  index_counts_[declaration] = count_indices(value);
  if (const auto kept = kept_indices_.find(declaration); kept != kept_indices_.end()) {
    auto var = kept->second.begin();
    for_each_index(view, [&](ir::ExprId index) {
      VYRE_CHECK(var != kept->second.end());
      out_.set(*var++, index);
      return index;
    });
  }
  declarations_[declaration] = {Bound::Kind::view, {}, std::move(view)};
}

/// At the head of the continuing block: its pointers have the indices that were kept for it.
void Lowering::take_indices(Range body) {
  for (std::uint32_t i = 0; i < body.count; ++i) {
    const Stmt& s = stmt(item(body, i));
    if (s.kind != StmtKind::variable) continue;
    const auto kept = kept_indices_.find(s.declaration);
    if (kept == kept_indices_.end()) continue;
    auto var = kept->second.begin();
    for_each_index(declarations_[s.declaration].view, [&](ir::ExprId) { return out_.get(*var++); });
  }
}

/// What a loop's body declares is visible in its continuing block, which the IR does not nest in
/// the body: such declarations become variables that are declared before the loop, and so do the
/// indices in such pointers.
void Lowering::hoist(Range body) {
  for (std::uint32_t i = 0; i < body.count; ++i) {
    const Stmt& s = stmt(item(body, i));
    if (s.kind != StmtKind::variable) continue;
    const Declaration& d = module_.tree.declarations[s.declaration];
    const TypeId type = module_.declarations[s.declaration].type;
    if (d.kind == DeclarationKind::const_ || types_.is(type, TypeKind::texture)) continue;
    if (types_.is(type, TypeKind::pointer)) {
      std::vector<ir::VarId>& kept = kept_indices_[s.declaration];
      kept.clear();
      index_counts_[s.declaration] = count_indices(d.value);
      for (std::size_t n = index_counts_[s.declaration]; n > 0; --n)
        kept.push_back(out_.var(ScalarType::u32));
      continue;
    }
    hoisted_[s.declaration] =
        types_.contains_array(type) ? new_local(type, d.name, s.declaration) : new_vars(type);
  }
}

/// Each component that the target names, or chooses from.
std::vector<View> Lowering::swizzle_views(const Swizzled& target) {
  const ExprId vector = expr(target.root).left;
  const View base = info(target.root).through_pointer ? pointee(vector) : view(vector);
  std::vector<View> views;
  for (const std::uint32_t component : target.components)
    views.push_back(element(base, component));
  return views;
}

/// `v.zx = …`, `v.xy[i] += …`: the target is evaluated once, and first.  Of components that an
/// index chooses from only the chosen one is written.
void Lowering::store_swizzle(const Stmt& s, const Swizzled& target) {
  const std::vector<View> views = swizzle_views(target);
  const bool chooses = target.index != kNone;
  std::vector<ir::ExprId> chosen;
  if (chooses) {
    const ir::ExprId index = to_index(target.index);
    for (std::uint32_t i = 0; i < views.size(); ++i)
      chosen.push_back(out_.op(Op::eq, {index, out_.u32(i)}));
  }
  const bool compound = s.kind == StmtKind::compound;
  Value left{.type = info(s.target).type};
  for (std::size_t i = 0; compound && i < views.size(); ++i)
    left.scalars.push_back(load(views[i]).scalars[0]);
  if (compound && chooses) {
    ir::ExprId old = cell(views[0].type, 0);
    for (std::size_t i = 0; i < views.size(); ++i)
      old = out_.op(Op::select, {chosen[i], left.scalars[i], old});
    left.scalars = {old};
  }
  Value value = lower(s.value);
  if (compound) value = apply(s.op, left.type, left, value);
  for (std::size_t i = 0; i < views.size(); ++i) {
    const ir::BlockId block = chooses ? out_.open() : ir::BlockId{};
    store(views[i], {views[i].type, {value.scalars[chooses ? 0 : i]}});
    if (chooses) out_.close();
    if (chooses) out_.if_(chosen[i], block);
  }
}

void Lowering::lower_assign(const Stmt& s) {
  if (const Swizzled swizzle = swizzled(module_, s.target); swizzle.root != kNone)
    return store_swizzle(s, swizzle);
  const View target = view(s.target);
  store_expr(target, s.value);
}

/// The target is evaluated once.
void Lowering::lower_compound(const Stmt& s) {
  if (const Swizzled swizzle = swizzled(module_, s.target); swizzle.root != kNone)
    return store_swizzle(s, swizzle);
  const View target = view(s.target);
  const Value left = load(target);
  const Value right = lower(s.value);
  store(target, apply(s.op, left.type, left, right));
}

void Lowering::lower_step(const Stmt& s) {
  const View target = view(s.target);
  const Value old = load(target);
  const ir::ExprId one = cell(old.type, 1);
  const Op op = s.kind == StmtKind::increment ? Op::add : Op::sub;
  store(target, {old.type, {out_.op(op, {old.scalars[0], one})}});
}

/// Each further branch is nested in the `else` of the one before it.
void Lowering::lower_if(const Stmt& s) {
  struct Branch {
    ir::ExprId condition;
    ir::BlockId then_block;
    ir::BlockId else_block;
    Span span;
  };
  std::vector<Branch> branches;
  for (std::uint32_t i = 0; i < s.clauses.count; ++i) {
    const Clause& clause = module_.tree.clauses[s.clauses.first + i];
    if (clause.condition == kNone) {
      lower_block(clause.body);
      break;
    }
    Branch branch = {lower_scalar(clause.condition), {}, ir::kNone<ir::BlockId>, clause.span};
    branch.then_block = out_.open();
    lower_block(clause.body);
    out_.close();
    const bool last = i + 1 == s.clauses.count;
    if (!last) branch.else_block = out_.open();
    branches.push_back(branch);
  }
  for (auto branch = branches.rbegin(); branch != branches.rend(); ++branch) {
    if (branch->else_block != ir::kNone<ir::BlockId>) out_.close();
    set_place(branch == branches.rend() - 1 ? s.span : branch->span);
    out_.if_(branch->condition, branch->then_block, branch->else_block);
  }
}

void Lowering::lower_switch(const Stmt& s) {
  const ir::ExprId selector = lower_scalar(s.value);
  divergent_ = filter_.within(stmt(s.body_block).attributes, divergent_);
  std::vector<ir::Case> cases;
  ir::BlockId default_block = ir::kNone<ir::BlockId>;
  for (std::uint32_t c = 0; c < s.clauses.count; ++c) {
    const Clause& clause = module_.tree.clauses[s.clauses.first + c];
    ir::Case one;
    bool is_default = false;
    for (std::uint32_t i = 0; i < clause.selectors.count; ++i) {
      const ExprId value = item(clause.selectors, i);
      is_default = is_default || value == kNone;
      if (value != kNone)
        one.values.push_back(static_cast<std::uint32_t>(module_.constants[info(value).value]));
    }
    one.block = out_.open();
    lower_block(clause.body);
    out_.close();
    if (is_default) {
      default_block = one.block;
    } else {
      cases.push_back(std::move(one));
    }
  }
  set_place(s.span);
  out_.switch_(selector, std::move(cases), default_block);
}

void Lowering::break_unless(ExprId condition) {
  const ir::ExprId stop = out_.op(Op::logical_not, {lower_scalar(condition)});
  const ir::BlockId block = out_.open();
  out_.break_();
  out_.close();
  out_.if_(stop, block);
}

/// The body of a loop; false where nothing in it leads to a next turn.
bool Lowering::lower_body(StmtId block) {
  const std::uint32_t outer = std::exchange(continues_, 0);
  const bool goes_on = lower_block(block);
  return std::exchange(continues_, outer) != 0 || goes_on;
}

void Lowering::lower_loop(const Stmt& s) {
  const bool continues =
      s.continuing != kNone && (!stmt(s.continuing).body.empty() || s.value != kNone);
  if (continues) hoist(stmt(s.body_block).body);
  divergent_ = filter_.within(stmt(s.body_block).attributes, divergent_);
  ++loops_;
  const ir::BlockId body = out_.open();
  const bool reached = lower_body(s.body_block);
  out_.close();
  ir::BlockId continuing = ir::kNone<ir::BlockId>;
  ir::ExprId break_if = ir::kNone<ir::ExprId>;
  if (continues && reached) {
    continuing = out_.open();
    take_indices(stmt(s.body_block).body);
    lower_block(s.continuing);
    divergent_ = filter_.within(stmt(s.continuing).attributes, divergent_);
    if (s.value != kNone) break_if = lower_scalar(s.value);
    out_.close();
  }
  --loops_;
  set_place(s.span);
  out_.loop(body, continuing, break_if);
}

void Lowering::lower_for(const Stmt& s) {
  if (s.initial != kNone) lower_statement(s.initial);
  ++loops_;
  const ir::BlockId body = out_.open();
  if (s.value != kNone) break_unless(s.value);
  lower_body(s.body_block);
  out_.close();
  ir::BlockId continuing = ir::kNone<ir::BlockId>;
  if (s.update != kNone) {
    continuing = out_.open();
    lower_statement(s.update);
    out_.close();
  }
  --loops_;
  set_place(s.span);
  out_.loop(body, continuing);
}

void Lowering::lower_while(const Stmt& s) {
  ++loops_;
  const ir::BlockId body = out_.open();
  break_unless(s.value);
  lower_body(s.body_block);
  out_.close();
  --loops_;
  set_place(s.span);
  out_.loop(body);
}

void Lowering::lower_return(const Stmt& s) {
  const Frame& frame = frames_.back();
  if (frame.entry) return out_.return_();
  if (frame.scope == ir::kNone<ir::BlockId>) {
    if (s.value != kNone) frames_.back().value = lower(s.value);
    return;
  }
  const ir::BlockId scope = frame.scope;
  if (s.value != kNone) {
    const View result = *frame.result;
    store(result, lower(s.value));
  }
  out_.leave(scope);
}

}  // namespace vyre::wgsl
