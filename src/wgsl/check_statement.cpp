// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <unordered_map>

#include "wgsl/checker.h"

namespace vyre::wgsl {
namespace {

constexpr Behavior kNext = {.next = true};

Behavior both(Behavior a, Behavior b) {
  return {a.next || b.next, a.breaks || b.breaks, a.continues || b.continues,
          a.returns || b.returns};
}

}  // namespace

Swizzled swizzled(const Checked& module, ExprId target) {
  const Types& types = module.types;
  std::vector<ExprId> parts;
  const auto type_of = [&](ExprId id) { return module.exprs[id].type; };
  for (ExprId id = target;; id = module.tree.exprs[id].left) {
    const Expr& e = module.tree.exprs[id];
    const ExprInfo& of = module.exprs[id];
    const bool names = e.kind == ExprKind::member && of.kind == Target::swizzle;
    if (!names && e.kind != ExprKind::index) return {};
    parts.push_back(id);
    const bool in_memory = of.through_pointer || types.is(type_of(e.left), TypeKind::reference);
    if (in_memory && (!names || !types.is(of.type, TypeKind::vector))) return {};
    if (in_memory) break;
    if (!types.is(type_of(e.left), TypeKind::vector)) return {};
  }
  Swizzled result{.root = parts.back(), .components = {0, 1, 2, 3}};
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    const Expr& e = module.tree.exprs[*part];
    const std::vector<std::uint32_t> from = result.components;
    if (e.kind == ExprKind::member) {
      result.components.resize(std::max(types.width(type_of(*part)), 1U));
      for (std::size_t i = 0; i < result.components.size(); ++i)
        result.components[i] = from[module.exprs[*part].target >> (2 * i) & 3U];
    } else if (const ConstId at = module.exprs[e.right].value; at != kNone) {
      result.components = {from[std::min<Cell>(module.constants[at], from.size() - 1)]};
    } else {
      result.index = e.right;
    }
  }
  return result;
}

void Checker::close_scope() {
  while (!undo_.empty() && locals_[undo_.back().symbol].depth == depth_) {
    locals_[undo_.back().symbol] = undo_.back().before;
    undo_.pop_back();
  }
  --depth_;
}

void Checker::declare(Name name, Target kind, std::uint32_t index) {
  Binding& binding = locals_[name.symbol];
  if (binding.kind != Target::none && binding.depth == depth_) {
    faults_.error_with_note(Code::redeclaration, name.span,
                            quoted(name.symbol) + " is declared twice in this scope", binding.span,
                            "the first is here");
    binding.kind = kind;
    binding.index = index;
    return;
  }
  undo_.push_back({name.symbol, binding});
  binding = {kind, index, depth_, name.span};
}

/// What a name means here: the innermost local, else a declaration of the module, else nothing.
Checker::Binding Checker::lookup(Symbol symbol) {
  if (!module_scope_ && locals_[symbol].kind != Target::none) return locals_[symbol];
  const std::uint32_t global = globals_[symbol];
  if (global == kNone) return {};
  require(global);
  if (function_ != nullptr && out_.declarations[global].faulty) function_->faulty = true;
  switch (out_.tree.declarations[global].kind) {
    case DeclarationKind::alias:
    case DeclarationKind::structure: return {Target::type, global};
    case DeclarationKind::function: return {Target::function, global};
    case DeclarationKind::const_:
    case DeclarationKind::let:
    case DeclarationKind::override_: return {Target::declaration, global};
    case DeclarationKind::var:
      if (function_ != nullptr) function_->variables.insert(global);
      return {Target::declaration, global};
    case DeclarationKind::const_assert: break;
  }
  return {};
}

bool Checker::could_be(Symbol symbol, Sought sought) const {
  const Target local = module_scope_ ? Target::none : locals_[symbol].kind;
  if (local != Target::none) return sought == Sought::value;
  if (globals_[symbol] != kNone) {
    switch (out_.tree.declarations[globals_[symbol]].kind) {
      case DeclarationKind::alias:
      case DeclarationKind::structure: return sought == Sought::type || sought == Sought::function;
      case DeclarationKind::function: return sought == Sought::function;
      case DeclarationKind::const_:
      case DeclarationKind::let:
      case DeclarationKind::override_:
      case DeclarationKind::var: return sought == Sought::value;
      case DeclarationKind::const_assert: return false;
    }
  }
  const Predeclare* row = predeclared_[symbol];
  if (row == nullptr || row->kind == PredeclareKind::enumerant) return false;
  if (row->kind == PredeclareKind::builtin || row->kind == PredeclareKind::bitcast)
    return sought == Sought::function;
  return sought == Sought::type || sought == Sought::function;
}

/// The visible name that an unknown one is probably a misspelling of, as a question.
std::string Checker::suggest(std::string_view name, Sought sought) const {
  if (faults_.full()) return {};
  Nearest nearest(name);
  for (Symbol symbol = 0; symbol < predeclared_.size(); ++symbol)
    if (could_be(symbol, sought)) nearest.offer(names_.text(symbol));
  return nearest.question();
}

void Checker::check_function(std::uint32_t index) {
  const Declaration& d = out_.tree.declarations[index];
  function_ = &out_.functions[index];
  module_scope_ = false;
  loops_ = breakables_ = returns_ = 0;
  open_scope();
  for (std::uint32_t i = 0; i < d.fields.count; ++i)
    declare(out_.tree.fields[d.fields.first + i].name, Target::parameter, d.fields.first + i);
  Behavior behavior = {.returns = true};
  if (d.body != kNone) {
    behavior = check_block(d.body, false);
    const Range body = stmt(d.body).body;
    const bool tail = !body.empty() && stmt(item(body, body.count - 1)).kind == StmtKind::return_;
    function_->returns_early = returns_ > (tail ? 1U : 0U);
  }
  close_scope();
  if (function_->result != kVoid && function_->result != kFault && behavior.next)
    fail(Code::invalid_flow, d.name.span,
         "the function " + quoted(d.name.symbol) + " can end without returning a value");
  function_ = nullptr;
  module_scope_ = true;
}

Behavior Checker::check_block(StmtId block, bool scoped) {
  if (block == kNone) return kNext;
  if (scoped) open_scope();
  const Behavior behavior = check_list(stmt(block).body);
  if (scoped) close_scope();
  return behavior;
}

Behavior Checker::check_list(Range body) {
  Behavior behavior = kNext;
  for (std::uint32_t i = 0; i < body.count; ++i) {
    const Behavior one = check_statement(item(body, i));
    if (!behavior.next) continue;
    behavior.next = false;
    behavior = both(behavior, one);
  }
  return behavior;
}

Behavior Checker::check_statement(StmtId id) {
  const Stmt& s = stmt(id);
  ++function_->weight;
  switch (s.kind) {
    case StmtKind::fault: break;
    case StmtKind::block: return check_block(id);
    case StmtKind::variable: check_local(s); break;
    case StmtKind::assign: check_assign(s); break;
    case StmtKind::compound: check_compound(s); break;
    case StmtKind::phony: check_value(s.value); break;
    case StmtKind::increment:
    case StmtKind::decrement: check_step(s); break;
    case StmtKind::call: check_call_statement(s); break;
    case StmtKind::if_: return check_if(s);
    case StmtKind::switch_: return check_switch(s);
    case StmtKind::loop: return check_loop(s);
    case StmtKind::for_: return check_for(s);
    case StmtKind::while_: return check_while(s);
    case StmtKind::break_:
      if (breakables_ == 0) fail(Code::invalid_flow, s.span, "`break` is not in a loop or switch");
      return {.breaks = true};
    case StmtKind::continue_:
      if (loops_ == 0) fail(Code::invalid_flow, s.span, "`continue` is not in a loop");
      if (loops_ != 0 && !open_loops_.empty())
        open_loops_.back().first_continue =
            std::min(open_loops_.back().first_continue, s.span.begin);
      return {.continues = true};
    case StmtKind::return_: return check_return(s);
    case StmtKind::discard: note_fragment(s.span, "discard"); break;
    case StmtKind::const_assert: check_const_assert(s.value, s.span); break;
  }
  return kNext;
}

void Checker::check_condition(ExprId condition, std::string_view what) {
  const TypeId type = check_value(condition);
  if (type != kFault && type != kBool)
    fail(Code::type_mismatch, expr(condition).span,
         std::string(what) + " must be `bool`, not " + type_name(type));
}

Behavior Checker::check_if(const Stmt& s) {
  Behavior behavior;
  bool has_else = false;
  for (std::uint32_t i = 0; i < s.clauses.count; ++i) {
    const Clause& clause = out_.tree.clauses[s.clauses.first + i];
    if (clause.condition != kNone) check_condition(clause.condition, "the condition of `if`");
    has_else = clause.condition == kNone;
    behavior = both(behavior, check_block(clause.body));
  }
  if (!has_else) behavior.next = true;
  return behavior;
}

void Checker::check_selectors(const Clause& clause, TypeId type, bool& has_default) {
  for (std::uint32_t i = 0; i < clause.selectors.count; ++i) {
    const ExprId selector = item(clause.selectors, i);
    if (selector == kNone) {
      if (has_default) fail(Code::invalid_flow, clause.span, "this switch has a second `default`");
      has_default = true;
      continue;
    }
    if (require_stage(selector, Stage::constant, "a case selector") == kFault) continue;
    if (type != kFault) coerce_or_report(selector, type, "a case selector");
  }
}

/// The selector's type follows from itself and the case selectors.
Behavior Checker::check_switch(const Stmt& s) {
  TypeId type = check_value(s.value);
  for (std::uint32_t c = 0; c < s.clauses.count; ++c) {
    const Range selectors = out_.tree.clauses[s.clauses.first + c].selectors;
    for (std::uint32_t i = 0; i < selectors.count; ++i) {
      if (item(selectors, i) == kNone) continue;
      const TypeId selector = check_value(item(selectors, i));
      if (type == kAbstractInt && (selector == kI32 || selector == kU32) &&
          coerce(s.value, selector))
        type = info(s.value).type;
    }
  }
  if (types_.is_abstract(type)) type = concretize(s.value);
  if (type != kFault && type != kI32 && type != kU32) {
    fail(Code::type_mismatch, expr(s.value).span,
         "the selector of `switch` must be `i32` or `u32`, not " + type_name(type));
    type = kFault;
  }
  Behavior behavior;
  bool has_default = false;
  ++breakables_;
  std::unordered_map<Cell, Span> seen;
  for (std::uint32_t c = 0; c < s.clauses.count; ++c) {
    const Clause& clause = out_.tree.clauses[s.clauses.first + c];
    check_selectors(clause, type, has_default);
    for (std::uint32_t i = 0; i < clause.selectors.count; ++i) {
      const ExprId selector = item(clause.selectors, i);
      if (selector == kNone || !is_known(selector)) continue;
      const auto [first, added] =
          seen.try_emplace(constants_[info(selector).value], expr(selector).span);
      if (!added)
        faults_.error_with_note(Code::invalid_flow, expr(selector).span,
                                "the case " + value_text(selector) + " is there twice",
                                first->second, "the first is here");
    }
    behavior = both(behavior, check_block(clause.body));
  }
  --breakables_;
  if (!has_default) fail(Code::invalid_flow, s.span, "this switch has no `default`");
  if (behavior.breaks) behavior.next = true;
  behavior.breaks = false;
  return behavior;
}

/// Of a loop whose body behaves like this; `may_leave`: by a condition at its head or end.
Behavior Checker::loop_behavior(Behavior body, bool may_leave) {
  return {.next = body.breaks || may_leave, .returns = body.returns};
}

Behavior Checker::check_loop(const Stmt& s) {
  ++loops_;
  ++breakables_;
  open_scope();
  open_loops_.push_back({depth_, kNone, false});
  const Behavior body = check_block(s.body_block, false);
  open_loops_.back().in_continuing = true;
  if (s.continuing != kNone) {
    open_scope();
    const std::uint32_t loops = std::exchange(loops_, 0);
    const std::uint32_t breakables = std::exchange(breakables_, 0);
    const Behavior behavior = check_block(s.continuing, false);
    if (behavior.returns)
      fail(Code::invalid_flow, stmt(s.continuing).span, "a continuing block cannot return");
    if (s.value != kNone) check_condition(s.value, "the condition of `break if`");
    loops_ = loops;
    breakables_ = breakables;
    close_scope();
  }
  close_scope();
  open_loops_.pop_back();
  --loops_;
  --breakables_;
  const Behavior behavior = loop_behavior(body, s.value != kNone);
  if (!behavior.next && !behavior.returns && out_.tree.whole)
    fail(Code::invalid_flow, s.span, "this loop never ends: it has no `break` or `return`");
  return behavior;
}

Behavior Checker::check_for(const Stmt& s) {
  open_scope();
  if (s.initial != kNone) check_statement(s.initial);
  if (s.value != kNone) check_condition(s.value, "the condition of `for`");
  if (s.update != kNone) check_statement(s.update);
  ++loops_;
  ++breakables_;
  open_loops_.push_back({depth_, kNone, false});
  const Behavior body = check_block(s.body_block);
  open_loops_.pop_back();
  --loops_;
  --breakables_;
  close_scope();
  const Behavior behavior = loop_behavior(body, s.value != kNone);
  if (!behavior.next && !behavior.returns && out_.tree.whole)
    fail(Code::invalid_flow, s.span,
         "this loop never ends: it has no condition, `break` or `return`");
  return behavior;
}

Behavior Checker::check_while(const Stmt& s) {
  check_condition(s.value, "the condition of `while`");
  ++loops_;
  ++breakables_;
  open_loops_.push_back({depth_, kNone, false});
  const Behavior body = check_block(s.body_block);
  open_loops_.pop_back();
  --loops_;
  --breakables_;
  return loop_behavior(body, true);
}

Behavior Checker::check_return(const Stmt& s) {
  ++returns_;
  const TypeId result = function_->result;
  if (s.value == kNone) {
    if (result != kVoid && result != kFault)
      fail(Code::type_mismatch, s.span,
           "this function must return a value of type " + type_name(result));
    return {.returns = true};
  }
  check_value(s.value);
  if (result == kVoid) {
    fail(Code::type_mismatch, expr(s.value).span, "this function returns no value");
  } else {
    coerce_or_report(s.value, result, "the returned value");
  }
  return {.returns = true};
}

void Checker::check_local(const Stmt& s) {
  const Declaration& d = out_.tree.declarations[s.declaration];
  DeclarationInfo& of = out_.declarations[s.declaration];
  if (!d.faulty) {
    if (d.kind == DeclarationKind::var) {
      check_local_var(d, of);
    } else {
      resolve_value(d, of);
      if (d.kind == DeclarationKind::let && of.type != kFault && d.type == kNone &&
          !types_.is_constructible(of.type) && !types_.names_memory(of.type))
        of.type =
            fail(Code::invalid_type, d.span, "a `let` cannot be of type " + type_name(of.type));
    }
  }
  declare(d.name, Target::declaration, s.declaration);
}

void Checker::check_local_var(const Declaration& d, DeclarationInfo& of) {
  if (!read_var_templates(d, of)) return;
  if (of.space != AddressSpace::function) {
    fail(Code::invalid_type, d.span,
         "a variable in " + std::string(to_string(of.space)) +
             " must be declared outside of functions");
    return;
  }
  of.type = d.type == kNone ? kFault : type_of(d.type);
  if (d.value != kNone) {
    check_value(d.value);
    const TypeId given = value_type(d.value);
    if (d.type == kNone) {
      of.type = types_.is(given, TypeKind::pointer)
                    ? fail(Code::invalid_type, d.span, "a variable cannot hold a pointer")
                    : concretize(d.value);
    } else if (of.type != kFault) {
      coerce_or_report(d.value, of.type, "the initial value of " + quoted(d.name.symbol));
    }
  } else if (d.type == kNone) {
    fail(Code::invalid_type, d.span,
         "the variable " + quoted(d.name.symbol) + " needs a type or an initial value");
  }
  if (of.type != kFault && (!types_.is_constructible(of.type) || types_[of.type].by_override))
    of.type = fail(Code::invalid_type, d.span,
                   "a local variable cannot be of type " + type_name(of.type));
  if (of.type != kFault) check_private_size(d, of.type);
}

/// True where the components that the target names differ, or only one of them is written.
bool Checker::check_components(const Swizzled& swizzle, Span span) {
  if (swizzle.index != kNone) return true;
  for (std::size_t i = 0; i < swizzle.components.size(); ++i)
    for (std::size_t k = 0; k < i; ++k)
      if (swizzle.components[i] == swizzle.components[k]) {
        fail(Code::invalid_assignment, span,
             "the component `" + std::string(1, "xyzw"[swizzle.components[i]]) +
                 "` is assigned twice",
             "name each component once");
        return false;
      }
  return true;
}

/// The type that an assignment to this target stores, or `kFault`.
TypeId Checker::check_target(ExprId target) {
  const TypeId type = check(target);
  if (type == kFault) return kFault;
  const Expr& e = expr(target);
  const Swizzled swizzle = swizzled(out_, target);
  const bool swizzles = swizzle.root != kNone;
  if (!swizzles && !types_.is(type, TypeKind::reference)) {
    std::string help;
    if (e.kind == ExprKind::identifier && types_.is(type, TypeKind::pointer))
      help = "store through the pointer with `*`";
    else if (e.kind == ExprKind::identifier)
      help = "declare it with `var` to change it";
    return fail(Code::invalid_assignment, e.span, "this is a value, which cannot be assigned to",
                std::move(help));
  }
  if (swizzles && !check_components(swizzle, e.span)) return kFault;
  const Type reference = types_[swizzles ? info(expr(swizzle.root).left).type : type];
  note_write(target);
  if (reference.access == AccessMode::read)
    return fail(
        Code::invalid_assignment, e.span, "this memory is read-only",
        reference.space == AddressSpace::storage ? "declare it var<storage, read_write>" : "");
  if (swizzles) return type;
  if (!types_.is_constructible(reference.element))
    return fail(
        Code::invalid_assignment, e.span,
        "a value of type " + type_name(reference.element) + " cannot be assigned as a whole",
        types_.is(reference.element, TypeKind::atomic) ? "write it with atomicStore" : "");
  return reference.element;
}

void Checker::check_assign(const Stmt& s) {
  const TypeId type = check_target(s.target);
  check_value(s.value);
  if (type != kFault) coerce_or_report(s.value, type, "the assigned value");
}

void Checker::bad_compound(const Stmt& s, TypeId target, TypeId value) {
  fail(Code::type_mismatch, s.span,
       "the operator `" + std::string(spelling(s.op)) + "=` does not take " + type_name(target) +
           " and " + type_name(value));
}

/// `a op= b` has the types of `a op b`.
void Checker::check_compound(const Stmt& s) {
  const TypeId target = check_target(s.target);
  const TypeId value = check_value(s.value);
  note_read(s.target);
  if (target == kFault || value == kFault) return;
  if (types_.is(target, TypeKind::matrix) || types_.is(value, TypeKind::matrix)) {
    const TypeId result = matrix_result(s.op, target, value);
    const TypeId given = types_.with_scalar(value, types_.component_of(target));
    if (result != target || !coerce(s.value, given)) bad_compound(s, target, value);
    return;
  }
  const TypeId scalar = types_.scalar_of(target);
  const bool shifts = s.op == BinaryOp::shift_left || s.op == BinaryOp::shift_right;
  const bool bits =
      s.op == BinaryOp::bit_and || s.op == BinaryOp::bit_or || s.op == BinaryOp::bit_xor;
  const bool integer = Types::is_integer(scalar);
  bool good = shifts ? integer
              : bits ? integer || (scalar == kBool && s.op != BinaryOp::bit_xor)
                     : integer || scalar == kF32 || scalar == kF16;
  TypeId wanted = shifts ? types_.with_scalar(target, kU32) : target;
  if (good && !shifts && !bits && types_.width(value) == 1) wanted = scalar;
  good = good && coerce(s.value, wanted);
  if (!good) return bad_compound(s, target, value);
  if (!is_known(s.value)) return;
  for (const Scalar& part : scalars(s.value)) {
    const bool divides = s.op == BinaryOp::divide || s.op == BinaryOp::remainder;
    if (divides && integer && part.bits == 0) {
      fail(Code::division_by_zero, expr(s.value).span, "this divides by zero");
      return;
    }
    if (const std::uint32_t width = Types::is_wide(scalar) ? 64 : 32;
        shifts && part.bits >= width) {
      fail(Code::shift_out_of_range, expr(s.value).span,
           "the shift count " + to_text(part) + " is not below the width of the type, " +
               std::to_string(width));
      return;
    }
  }
}

void Checker::check_step(const Stmt& s) {
  const TypeId type = check_target(s.target);
  note_read(s.target);
  if (type != kFault && swizzled(out_, s.target).root != kNone)
    fail(Code::invalid_assignment, s.span, "`++` and `--` do not step a part of a swizzle",
         "write `+= 1` or `-= 1`");
  else if (type != kFault && !Types::is_integer(type))
    fail(Code::type_mismatch, s.span, "`++` and `--` take an integer, not " + type_name(type));
}

void Checker::check_call_statement(const Stmt& s) {
  const TypeId type = check(s.value);
  const ExprInfo& of = info(s.value);
  if (type == kVoid || type == kFault) return;
  bool must_use = of.kind == Target::type || of.kind == Target::bitcast;
  if (of.kind == Target::builtin)
    must_use = all_builtins()[of.target].how != How::statement ||
               all_builtins()[of.target].function == Function::arrayLength ||
               all_builtins()[of.target].function == Function::workgroupUniformLoad;
  if (of.kind == Target::function)
    must_use = find_attribute(out_.tree.declarations[of.target].attributes, "must_use") != nullptr;
  if (must_use)
    fail(Code::invalid_call, s.span, "the result of this call must be used",
         "assign it to `_` to drop it");
}

}  // namespace vyre::wgsl
