// SPDX-License-Identifier: MIT OR Apache-2.0
#include "backend/cpu/compile.h"

#include <algorithm>
#include <optional>
#include <string>
#include <variant>

#include "backend/cpu/declare.h"
#include "backend/cpu/hoists.h"
#include "backend/cpu/memory_emitter.h"
#include "backend/cpu/shapes.h"
#include "base/check.h"
#include "ir/layout.h"
#include "ir/visit.h"

namespace vyre::cpu {
namespace {

class Compiler : private MemoryEmitter {
 public:
  explicit Compiler(const Program& program)
      : MemoryEmitter(program, declare(program)),
        var_(program.vars.size(), kNowhere),
        var_seed_(program.vars.size(), kNowhere),
        var_depth_(program.vars.size()),
        scope_slot_(program.blocks.size()) {
    code_.instrs.reserve(program.stmts.size() * 2);
  }

  Code run() && {
    read_fixed_words();
    hoists_.emplace(program_, fixed_);
    shapes_.emplace(program_, lifetimes_, fixed_, code_.mixes_groups);
    forms_.emplace(program_, *shapes_);
    walk(program_, *this);
    code_.file_words = std::max<std::uint64_t>(next_reg_, 1);
    return std::move(code_);
  }

  // ---- the walk
  void enter(BlockId, StmtId parent) {
    frames_.push_back(kNowhere);
    if (parent == kNone<StmtId>) return;
    if (std::holds_alternative<Switch>(program_[parent]))
      code_.tables[constructs_.back().table].targets.push_back(pc());
  }

  void exit(BlockId id, StmtId parent) {
    for (std::uint32_t at = frames_.back(); at != kNowhere;)
      at = std::exchange(code_.instrs[at].target, pc());
    frames_.pop_back();
    if (parent == kNone<StmtId>) {
      emit({.op = Opcode::end});
      return;
    }
    std::visit(overloaded{[&](const If& s) { end_branch(s, id); },
                          [&](const Loop& s) { end_loop_block(s, id); },
                          [&](const Switch&) { end_case(); }, [](const auto&) {}},
               program_[parent]);
  }

  void statement(StmtId id) {
    std::visit([&](const auto& s) { begin(s, id); }, program_[id]);
    if (!Lifetimes::runs_out_of_order(program_[id])) release_dying(id);
  }

  void after(StmtId id) {
    std::visit(
        overloaded{[&](const If& s) { end_if(s); }, [&](const Loop& s) { end_loop(s, id); },
                   [&](const Switch& s) { end_switch(s); },
                   [&](const Scope&) { jump_to_block_end({.op = Opcode::join, .slot = close()}); },
                   [](const auto&) {}},
        program_[id]);
    if (Lifetimes::runs_out_of_order(program_[id])) release_dying(id);
  }

 private:
  /// A statement with blocks that is being compiled.
  struct Construct {
    std::uint32_t slot = 0;
    std::uint32_t slots = 1;
    std::uint32_t branch = kNowhere;  ///< an instruction whose target comes later
    std::uint32_t start = kNowhere;   ///< a loop's first instruction
    std::uint32_t table = 0;
    Reg cases = 0;
    bool is_pure = true;              ///< nothing in it changes memory or looks at other lanes
    std::vector<VarId> changed = {};  ///< seeds from outside that are set in it
  };
  void jump_to_block_end(Instr instr) {
    instr.target = frames_.back();
    frames_.back() = emit(instr);
  }
  void patch(std::uint32_t at) { code_.instrs[at].target = pc(); }

  // ---- registers
  void release_dying(StmtId id) {
    lifetimes_.for_each_dying(
        id,
        [&](ValueId v) {
          release(value_[index(v)]);
          release(seed_[index(v)]);
        },
        [&](VarId v) {
          if (var_[index(v)] != kNowhere) release(owned(var_[index(v)], program_.vars[index(v)]));
          if (var_seed_[index(v)] != kNowhere) free_seeds_.push_back(var_seed_[index(v)]);
        });
  }

  // ---- constructs and their slots
  /// Something happens that must happen to all lanes at once, or in their order.
  void mark_impure() {
    for (std::size_t i = constructs_.size(); i-- > 0 && constructs_[i].is_pure;)
      constructs_[i].is_pure = false;
  }
  Construct& open(std::uint32_t slots) {
    constructs_.push_back({.slot = next_slot_, .slots = slots});
    next_slot_ += slots;
    code_.slots = std::max(code_.slots, next_slot_);
    return constructs_.back();
  }
  std::uint32_t close() {
    const Construct closed = constructs_.back();
    constructs_.pop_back();
    next_slot_ -= closed.slots;
    return closed.slot;
  }

  // ---- statements: values and variables
  void begin(const Let& s, StmtId) {
    if (shapes_->of(s.value).is_fixed) {
      fixed_as_[index(s.result)] = s.value;
      return;
    }
    if (forms_->is_seed(s.value)) return bind_seed(s.result, s.value);
    const Operand from = operand(s.value);
    if (from.hold == Hold::borrowed) {
      emit_move(Opcode::copy, program_[s.value].type, bind_new(s.result), from.reg);
    } else {
      value_[index(s.result)] = from;
    }
  }
  /// The register of a value that is used here and never again, for something else.
  std::optional<Reg> take_over(ExprId id, StmtId stmt) {
    const Expr& expr = program_[id];
    if (expr.kind != ExprKind::value || lifetimes_.uses(expr.value) != 1) return std::nullopt;
    Operand& held = value_[index(expr.value)];
    bool dies = false;
    lifetimes_.for_each_dying(
        stmt, [&](ValueId v) { dies |= v == expr.value; }, [](VarId) {});
    if (!dies || held.hold != Hold::owned || held.is_pair != is_wide(expr.type))
      return std::nullopt;
    held.hold = Hold::pinned;
    return held.reg;
  }
  void begin_seed(const Var& s) {
    const Reg seed = var_seed_[index(s.var)] = allocate(Form::seed);
    if (forms_->is_full(s.var)) var_[index(s.var)] = allocate();
    var_depth_[index(s.var)] = constructs_.size();
    if (s.init != kNone<ExprId>)
      compute_seed_into(seed, s.init);
    else
      emit({.op = Opcode::splat_seed, .d = seed, .a = 0});
    expand_var(s.var);
  }
  void expand_var(VarId var) {
    if (var_[index(var)] == kNowhere) return;
    expand(var_[index(var)], {var_seed_[index(var)], Hold::borrowed, Form::seed},
           shapes_->of(var).step);
  }
  void begin_seed(const Get& s, StmtId id) {
    const bool is_shared = lifetimes_.may_share(id);
    const Operand seed{var_seed_[index(s.var)], Hold::borrowed, Form::seed};
    seed_[index(s.result)] = is_shared ? seed : copied(seed);
    if (!forms_->is_full(s.result)) return;
    value_[index(s.result)] = {var_[index(s.var)], Hold::borrowed};
    if (!is_shared) emit({.op = Opcode::copy, .d = bind_new(s.result), .a = var_[index(s.var)]});
  }
  void begin_seed(const Set& s) {
    compute_seed_into(var_seed_[index(s.var)], s.value);
    expand_var(s.var);
    for (std::size_t i = var_depth_[index(s.var)]; i < constructs_.size(); ++i) {
      auto& changed = constructs_[i].changed;
      if (std::find(changed.begin(), changed.end(), s.var) == changed.end())
        changed.push_back(s.var);
    }
  }
  void begin(const Var& s, StmtId id) {
    if (forms_->is_seed(s.var)) return begin_seed(s);
    const auto taken = s.init != kNone<ExprId> ? take_over(s.init, id) : std::nullopt;
    const ScalarType type = program_.vars[index(s.var)];
    const Reg reg = var_[index(s.var)] = taken ? *taken : allocate(type);
    if (taken) return;
    if (s.init != kNone<ExprId>)
      compute_into(reg, s.init);
    else
      emit_splat(type, reg, 0);
  }
  void begin(const Get& s, StmtId id) {
    if (forms_->is_seed(s.var)) return begin_seed(s, id);
    const Reg from = var_[index(s.var)];
    if (lifetimes_.may_share(id))
      value_[index(s.result)] = {from, Hold::borrowed};
    else
      emit_move(Opcode::copy, program_.vars[index(s.var)], bind_new(s.result), from);
  }
  void begin(const Set& s, StmtId id) {
    if (forms_->is_seed(s.var)) return begin_seed(s);
    const Expr& expr = program_[s.value];
    const Reg to = var_[index(s.var)];
    if (lifetimes_.may_overwrite(id)) {
      compute_into(to, s.value);
    } else if (is_computed_in_all(s.value) && !is_wide(expr.type)) {
      Instr instr = compute(expr, Form::full);
      instr.op = instr.windows != 0 ? Opcode::set_from : Opcode::pure_set;
      instr.d = to;
      instr.scratch = allocate();
      emit(instr);
      free_.push_back(instr.scratch);
    } else {
      const Operand from = operand(s.value);
      emit_move(Opcode::set, expr.type, to, from.reg);
      release(from);
    }
  }

  // ---- statements: memory
  void begin(const Load& s, StmtId) {
    if (fixed_[index(s.first)]) return;
    if (forms_->is_seed(s.first))
      emit_seed_load(s.first, s.from, false);
    else
      emit_load(s.first, s.from);
  }
  void begin(const UniformLoad& s, StmtId) {
    mark_impure();
    barrier();
    emit_seed_load(s.first, s.from, true);
    barrier();
  }
  void begin(const Store& s, StmtId) {
    mark_impure();
    Access access = this->access(s.to);
    if (access.info.is_plain() && is_computed_in_all(s.values[0]))
      return compute_to(access, s.values[0]);
    for (std::uint32_t i = 0; i < s.to.count; ++i) {
      access.held.push_back(operand(s.values[i]));
      access.info.data[i] = access.held.back().reg;
    }
    emit_access(Opcode::store, access);
  }
  void begin(const Atomic& s, StmtId stmt) {
    mark_impure();
    Access access = this->access(s.on);
    lifetimes_.for_each_dying(
        stmt, [&](ValueId v) { access.info.is_unused |= v == s.result; }, [](VarId) {});
    access.info.op = s.op;
    if (access.is_wide) {  // both words at once
      access.is_wide = access.info.is_word = false;
      access.info.scalar = program_.values[index(s.result)];
    }
    const auto use = [&](ExprId id) {
      if (id == kNone<ExprId>) return Reg{0};
      access.held.push_back(operand(id));
      return access.held.back().reg;
    };
    access.info.value = use(s.value);
    access.info.comparand = use(s.comparand);
    // Lanes without a result still hold something: the register must not be one of the operands.
    access.info.data[0] = bind_new(s.result);
    emit_access(Opcode::atomic, access);
  }

  /// A workgroup that is one strip is always together.
  void barrier() {
    if (code_.has_barriers) emit({.op = Opcode::barrier});
  }

  // ---- statements: control flow
  /// Where the lanes go that come to the only statement of the block, if it makes them leave.
  std::optional<Instr> departure(BlockId block) {
    const auto& stmts = program_[block].stmts;
    if (stmts.size() != 1) return std::nullopt;
    const Stmt& stmt = program_[stmts.front()];
    if (std::holds_alternative<Break>(stmt)) return leave_if(breaks_.back());
    if (std::holds_alternative<Continue>(stmt)) return leave_if(loops_.back());
    if (const auto* leave = std::get_if<Leave>(&stmt))
      return leave_if(scope_slot_[index(leave->target)]);
    if (std::holds_alternative<Return>(stmt)) return Instr{.op = Opcode::stop_if};
    return std::nullopt;
  }
  /// Of a loop: lanes that broke out, that continue, and that wait until others are through.
  static constexpr std::uint32_t kLoopSlots = 3;
  static Instr leave_if(std::uint32_t slot) { return {.op = Opcode::leave_if, .slot = slot}; }

  void begin(const If& s, StmtId) {
    // `if (a || b) { break; }` lets go of the lanes of a, then of those of b; so does
    // `if (!(a && b)) { break; }` of those of !a, then of !b.
    ExprId holds = s.condition;
    bool negated = skip_negations(holds);
    const auto departing = s.else_block == kNone<BlockId> ? departure(s.then_block) : std::nullopt;
    while (departing && is_computed_in_all(holds) &&
           program_[holds].op == (negated ? Op::logical_and : Op::logical_or)) {
      Instr instr = condition(departing->op, program_[holds].operands[0], negated);
      instr.slot = departing->slot;
      jump_to_block_end(instr);
      holds = program_[holds].operands[1];
      negated ^= skip_negations(holds);
    }
    Instr instr = condition(Opcode::branch, holds, negated);
    Construct& construct = open(1);
    instr.slot = construct.slot;
    construct.branch = emit(instr);
  }
  void end_branch(const If& s, BlockId id) {
    if (id != s.then_block || s.else_block == kNone<BlockId>) return;
    Construct& construct = constructs_.back();
    patch(construct.branch);
    construct.branch = emit({.op = Opcode::swap, .slot = construct.slot});
  }
  /// Goes on to what is negated; true if it is, an odd number of times.
  bool skip_negations(ExprId& id) const {
    bool negated = false;
    for (; program_[id].op == Op::logical_not && (is_computed_in_all(id) || is_computed_seed(id));
         id = program_[id].operands[0])
      negated = !negated;
    return negated;
  }
  /// An instruction on a condition.  A comparison that was emitted for it alone becomes its test.
  Instr condition(Opcode op, ExprId id, bool negated = false) {
    negated ^= skip_negations(id);
    const Spread spread = spread_of(id);
    if (spread.of_seeds && spread.kind == Spread::Kind::ends)
      return comparison_of_seeds({.op = op, .negated = negated, .spread = spread}, program_[id]);
    const Operand value = operand(id, spread.of_seeds ? Form::seed : Form::full);
    release(value);
    Instr instr{.op = op, .negated = negated, .spread = spread, .a = value.reg};
    if (value.hold != Hold::owned || code_.instrs.back().test == nullptr) {
      if (instr.spread.kind == Spread::Kind::ends) instr.spread = {};
      return instr;
    }
    const Instr& comparison = code_.instrs.back();
    instr.test = comparison.test;
    instr.a = comparison.a;
    instr.b = comparison.b;
    code_.instrs.pop_back();
    return instr;
  }
  Instr comparison_of_seeds(Instr instr, const Expr& expr) {
    const Operand a = seed(expr.operands[0]);
    const Operand b = seed(expr.operands[1]);
    instr.test = code_.isa->test_kernel(expr.op, program_[expr.operands[0]].type);
    instr.a = a.reg;
    instr.b = b.reg;
    release(b);
    release(a);
    return instr;
  }
  [[nodiscard]] Spread spread_of(ExprId id) const {
    const Shape shape = shapes_->of(id);
    if (shape.is_uniform())
      return {.kind = Spread::Kind::same,
              .of_seeds = forms_->is_seed(id),
              .needs_line = shape.needs_line};
    const Expr& expr = program_[id];
    if (expr.kind != ExprKind::operation || info(expr.op).typing != Typing::ordering) return {};
    const std::array sides = {shapes_->of(expr.operands[0]), shapes_->of(expr.operands[1])};
    const ScalarType type = program_[expr.operands[0]].type;
    if (!sides[0].known || !sides[1].known || type == ScalarType::f32) return {};
    if (sides[0].is_uniform() == sides[1].is_uniform()) return {};
    const bool of_b = sides[0].is_uniform();
    const Op op = expr.op;
    return {.kind = Spread::Kind::ends,
            .of_seeds = is_computed(id) && forms_->compares_seeds(id),
            .needs_line = sides[0].needs_line || sides[1].needs_line,
            .of_b = of_b,
            .is_signed = type == ScalarType::i32,
            .is_above = of_b ? op == Op::lt || op == Op::le : op == Op::gt || op == Op::ge,
            .is_equal = of_b ? op == Op::lt || op == Op::ge : op == Op::gt || op == Op::le,
            .step = sides[of_b ? 1 : 0].step};
  }
  /// `if (c) { break; }` and its like are one instruction.
  bool merge_departure(const If& s) {
    const std::uint32_t at = constructs_.back().branch;
    if (s.else_block != kNone<BlockId> || at + 2 != pc()) return false;
    const Instr departure = code_.instrs.back();
    if (departure.op != Opcode::leave && departure.op != Opcode::stop) return false;
    Instr instr = code_.instrs[at];
    instr.op = departure.op == Opcode::leave ? Opcode::leave_if : Opcode::stop_if;
    instr.slot = departure.slot;
    code_.instrs.resize(at);
    close();
    jump_to_block_end(instr);
    return true;
  }
  void end_if(const If& s) {
    if (merge_departure(s)) return;
    patch(constructs_.back().branch);
    jump_to_block_end({.op = Opcode::join, .slot = close()});
  }

  void begin(const Loop&, StmtId id) {
    for (const ExprId e : hoists_->before(id)) {
      if (is_fixed(e)) continue;
      if (forms_->is_seed(e)) hoisted_seed_[index(e)] = seed(e).reg;
      if (!forms_->is_seed(e) || forms_->is_full(e)) hoisted_[index(e)] = operand(e).reg;
    }
    Construct& construct = open(kLoopSlots);
    const std::uint32_t slot = construct.slot;
    for (std::uint32_t i = 0; i < kLoopSlots; ++i)
      emit({.op = Opcode::clear, .slot = slot + i});
    construct.start = pc();
    loops_.push_back(slot + 1);
    breaks_.push_back(slot);
  }
  void end_loop_block(const Loop& s, BlockId id) {
    Construct& construct = constructs_.back();
    if (id == s.body) construct.branch = emit({.op = Opcode::take, .slot = construct.slot + 1});
  }
  void end_loop(const Loop& s, StmtId id) {
    const Construct construct = constructs_.back();
    if (s.break_if != kNone<ExprId>) {
      Instr instr = condition(Opcode::break_if, s.break_if);
      instr.slot = construct.slot;
      emit(instr);
    }
    if (construct.branch != kNowhere) patch(construct.branch);
    emit({.op = construct.is_pure ? Opcode::repeat_part : Opcode::repeat,
          .a = construct.is_pure ? static_cast<std::uint32_t>(construct.changed.size()) : 0,
          .b = static_cast<std::uint32_t>(code_.kept.size()),
          .slot = construct.slot,
          .target = construct.start});
    if (construct.is_pure)
      for (const VarId var : construct.changed)
        code_.kept.push_back({var_seed_[index(var)], fresh(Form::seed)});
    jump_to_block_end({.op = Opcode::skip});
    for (const ExprId e : hoists_->before(id)) {
      const Reg full = std::exchange(hoisted_[index(e)], kNowhere);
      const Reg seed = std::exchange(hoisted_seed_[index(e)], kNowhere);
      if (full != kNowhere) release(owned(full, program_[e].type));
      if (seed != kNowhere) free_seeds_.push_back(seed);
    }
    loops_.pop_back();
    breaks_.pop_back();
    close();
  }

  void begin(const Switch& s, StmtId) {
    Construct& construct = open(2);
    construct.table = static_cast<std::uint32_t>(code_.tables.size());
    SwitchTable& table = code_.tables.emplace_back();
    for (std::uint32_t i = 0; i < s.cases.size(); ++i)
      for (const std::uint32_t value : s.cases[i].values)
        table.cases.emplace_back(value, i);
    std::sort(table.cases.begin(), table.cases.end());
    const bool is_same = forms_->is_seed(s.selector) && shapes_->of(s.selector).step == 0;
    const Operand selector = operand(s.selector, is_same ? Form::seed : Form::full);
    construct.cases = allocate();
    emit({.op = Opcode::switch_enter,
          .d = construct.cases,
          .a = selector.reg,
          .b = is_same ? 1u : 0u,
          .c = construct.table,
          .slot = construct.slot});
    release(selector);
    construct.branch = emit({.op = Opcode::switch_next,
                             .a = construct.cases,
                             .c = construct.table,
                             .slot = construct.slot});
    breaks_.push_back(construct.slot + 1);
  }
  void end_case() {
    const Construct& construct = constructs_.back();
    emit({.op = Opcode::case_end, .slot = construct.slot, .target = construct.branch});
  }
  void end_switch(const Switch& s) {
    const Construct construct = constructs_.back();
    if (s.default_block == kNone<BlockId>) {
      code_.tables[construct.table].targets.push_back(pc());
      end_case();
    }
    patch(construct.branch);
    jump_to_block_end({.op = Opcode::skip});
    free_.push_back(construct.cases);
    breaks_.pop_back();
    close();
  }

  void begin(const Scope& s, StmtId) {
    const std::uint32_t slot = open(1).slot;
    scope_slot_[index(s.body)] = slot;
    emit({.op = Opcode::clear, .slot = slot});
  }
  void begin(const Leave& s, StmtId) { leave(scope_slot_[index(s.target)]); }
  void begin(const Break&, StmtId) { leave(breaks_.back()); }
  void begin(const Continue&, StmtId) { leave(loops_.back()); }
  void leave(std::uint32_t slot) { jump_to_block_end({.op = Opcode::leave, .slot = slot}); }
  void begin(const Return&, StmtId) { jump_to_block_end({.op = Opcode::stop}); }
  void begin(const Barrier&, StmtId) {
    mark_impure();
    barrier();
  }
  void begin(const Subgroup& s, StmtId) {
    mark_impure();
    std::vector<Operand> held;
    const auto use = [&](ExprId id) {
      if (id == kNone<ExprId>) return Reg{0};
      held.push_back(operand(id));
      return held.back().reg;
    };
    SubgroupInfo to{.op = s.op};
    if (s.value != kNone<ExprId>) to.type = program_[s.value].type;
    to.value = use(s.value);
    to.argument = use(s.argument);
    const std::uint32_t count = s.op == SubgroupOp::ballot ? 4 : 1;
    // Other lanes are read after the first result is written.
    for (std::uint32_t i = 0; i < count; ++i)
      to.results[i] = bind_new(static_cast<ValueId>(index(s.first) + i));
    for (std::size_t i = held.size(); i-- > 0;)
      release(held[i]);
    emit({.op = Opcode::subgroup, .a = static_cast<std::uint32_t>(code_.subgroups.size())});
    code_.subgroups.push_back(to);
  }
  void begin(const Trap& s, StmtId) {
    mark_impure();
    const Operand value = operand(s.value);
    jump_to_block_end({.op = Opcode::trap, .d = index(s.tag), .a = value.reg});
    release(value);
  }

  std::vector<Reg> var_;                ///< by variable: its register
  std::vector<Reg> var_seed_;           ///< by variable: its seed
  std::vector<std::size_t> var_depth_;  ///< constructs around one that is a seed
  std::optional<Hoists> hoists_;
  std::vector<std::uint32_t> scope_slot_;  ///< by the scope's body
  std::vector<std::uint32_t> frames_;      ///< open blocks: chains of jumps to their ends
  std::vector<Construct> constructs_;
  std::vector<std::uint32_t> loops_;   ///< slots of lanes that continue, innermost last
  std::vector<std::uint32_t> breaks_;  ///< slots of lanes that break
  std::uint32_t next_slot_ = 0;
};

}  // namespace

Code compile(const Program& program) {
  return Compiler(program).run();
}

}  // namespace vyre::cpu
