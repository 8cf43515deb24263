// SPDX-License-Identifier: MIT OR Apache-2.0
#include "backend/cpu/compile.h"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <variant>

#include "backend/cpu/declare.h"
#include "backend/cpu/expression_emitter.h"
#include "backend/cpu/hoists.h"
#include "backend/cpu/shapes.h"
#include "base/check.h"
#include "ir/layout.h"
#include "ir/visit.h"

namespace vyre::cpu {
namespace {

/// Words of memory that are read once lie no further on.
constexpr std::uint64_t kMaxWordOffset = 1u << 20;

class Compiler : private ExpressionEmitter {
 public:
  explicit Compiler(const Program& program)
      : ExpressionEmitter(program, declare(program)),
        var_(program.vars.size()),
        fixed_(program.values.size()),
        scope_slot_(program.blocks.size()) {
    code_.instrs.reserve(program.stmts.size() * 2);
  }

  Code run() && {
    read_fixed_words();
    hoists_.emplace(program_, fixed_);
    shapes_.emplace(program_, lifetimes_, fixed_, code_.mixes_groups);
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
    bool is_pure = true;  ///< nothing in it changes memory or looks at other lanes
  };
  void jump_to_block_end(Instr instr) {
    instr.target = frames_.back();
    frames_.back() = emit(instr);
  }
  void patch(std::uint32_t at) { code_.instrs[at].target = pc(); }

  // ---- registers
  void release_dying(StmtId id) {
    lifetimes_.for_each_dying(
        id, [&](ValueId v) { release(value_[index(v)]); },
        [&](VarId v) { release(owned(var_[index(v)], program_.vars[index(v)])); });
  }
  Reg bind_new(ValueId value) {
    const ScalarType type = program_.values[index(value)];
    value_[index(value)] = owned(allocate(type), type);
    return value_[index(value)].reg;
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

  void read_fixed_words() {
    for (const Stmt& stmt : program_.stmts)
      if (const auto* load = std::get_if<Load>(&stmt)) load_once(*load);
  }

  // ---- statements: values and variables
  void begin(const Let& s, StmtId) {
    Operand from = operand(s.value);
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
  void begin(const Var& s, StmtId id) {
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
    const Reg from = var_[index(s.var)];
    if (lifetimes_.may_share(id))
      value_[index(s.result)] = {from, Hold::borrowed};
    else
      emit_move(Opcode::copy, program_.vars[index(s.var)], bind_new(s.result), from);
  }
  void begin(const Set& s, StmtId id) {
    const Expr& expr = program_[s.value];
    const Reg to = var_[index(s.var)];
    if (lifetimes_.may_overwrite(id)) {
      compute_into(to, s.value);
    } else if (is_computed(s.value) && !is_wide(expr.type)) {
      Instr instr = compute(expr);
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
  /// An access and the operands that it holds until it is emitted.
  struct Access {
    AccessInfo info;
    bool is_wide = false;  ///< it is one access to the low words, then one to the high words
    std::vector<Operand> held;
  };
  void begin(const Load& s, StmtId) {
    if (!fixed_[index(s.first)]) emit_load(Opcode::load, s.first, s.from);
  }
  void begin(const UniformLoad& s, StmtId) {
    mark_impure();
    barrier();
    emit_load(Opcode::uniform_load, s.first, s.from);
    barrier();
  }
  void begin(const Store& s, StmtId) {
    mark_impure();
    Access access = this->access(s.to);
    if (access.info.is_plain() && is_computed(s.values[0])) return compute_to(access, s.values[0]);
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

  /// An operation whose result goes to memory at once, where lanes lie side by side.
  void compute_to(Access& access, ExprId value) {
    Instr instr = compute(program_[value]);
    instr.op = Opcode::pure_to;
    instr.d = static_cast<std::uint32_t>(code_.accesses.size());
    instr.scratch = access.info.data[0] = allocate();
    emit(instr);
    code_.accesses.push_back(access.info);
    free_.push_back(instr.scratch);
    for (std::size_t i = access.held.size(); i-- > 0;)
      release(access.held[i]);
  }

  /// A workgroup that is one strip is always together.
  void barrier() {
    if (code_.has_barriers) emit({.op = Opcode::barrier});
  }

  void emit_load(Opcode op, ValueId first, const MemoryRef& ref) {
    Access access = this->access(ref);
    for (std::uint32_t i = 0; i < ref.count; ++i)
      access.info.data[i] = bind_new(static_cast<ValueId>(index(first) + i));
    if (op == Opcode::load && access.info.is_plain()) loaded_[index(first)] = pc();
    emit_access(op, access);
  }
  /// Words at a fixed place of memory that nothing writes are the same for the whole launch.
  void load_once(const Load& s) {
    const BufferDecl& buffer = program_[s.from.buffer];
    const bool fixed = buffer.space == Space::uniform ||
                       (buffer.space == Space::storage && buffer.access == vyre::Access::input);
    const auto address = fixed ? resolve(program_, s.from) : std::nullopt;
    if (!address || !address->levels.empty() || !is_word(address->scalar)) return;
    if (words_.size() + s.from.count > kMaxPresets || address->offset > kMaxWordOffset) return;
    for (std::uint32_t i = 0; i < s.from.count; ++i) {
      fixed_[index(s.first) + i] = true;
      value_[index(s.first) + i] =
          word(index(s.from.buffer),
               static_cast<std::uint32_t>(address->offset + i * info(address->scalar).bytes));
    }
  }
  Operand word(std::uint32_t buffer, std::uint32_t offset) {
    const auto [found, is_new] = words_.try_emplace(std::uint64_t{buffer} << 32 | offset, 0);
    if (is_new) {
      found->second = fresh();
      code_.presets.push_back(
          {.kind = Preset::Kind::word, .value = buffer, .offset = offset, .reg = found->second});
    }
    return {found->second, Hold::pinned};
  }
  void emit_access(Opcode op, const Access& access) {
    for (std::size_t i = access.held.size(); i-- > 0;)
      release(access.held[i]);
    emit_access(op, access.info);
    if (!access.is_wide) return;
    AccessInfo high = access.info;
    high.offset += sizeof(Lane);
    for (Reg& data : high.data)
      data += kHighWords;
    emit_access(op, high);
  }
  void emit_access(Opcode op, const AccessInfo& info) {
    emit({.op = op, .a = static_cast<std::uint32_t>(code_.accesses.size())});
    code_.accesses.push_back(info);
  }
  Access access(const MemoryRef& ref) {
    const auto address = resolve(program_, ref);
    VYRE_CHECK(address.has_value());
    Access access;
    AccessInfo& to = access.info;
    to.buffer = index(ref.buffer);
    to.space = program_[ref.buffer].space;
    access.is_wide = is_wide(address->scalar);
    to.scalar = access.is_wide ? ScalarType::u32 : address->scalar;
    to.is_word = is_word(to.scalar);
    to.components = ref.count;
    to.consecutive = address->consecutive;
    to.step = address->consecutive ? address->levels.back().stride : info(address->scalar).bytes;
    to.offset = address->offset + code_.placed[to.buffer].offset;
    to.first_level = static_cast<std::uint32_t>(code_.levels.size());
    for (std::size_t i = 0; i < address->levels.size(); ++i) {
      const Level& level = address->levels[i];
      const bool tested_later = address->consecutive && i + 1 == address->levels.size();
      if (!tested_later && folds(level, to.offset)) continue;
      to.shape = shapes_->of(level.index);
      access.held.push_back(operand(level.index));
      code_.levels.push_back({access.held.back().reg, level.stride, level.count});
    }
    to.levels = static_cast<std::uint32_t>(code_.levels.size()) - to.first_level;
    if (to.levels != 1) to.shape = {};
    return access;
  }
  /// A constant index that is in bounds needs no test.
  bool folds(const Level& level, std::uint64_t& offset) const {
    const Expr& at = program_[level.index];
    if (at.kind != ExprKind::constant || at.bits >= level.count) return false;
    offset += at.bits * level.stride;
    return true;
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
    // `if (a || b) { break; }` lets go of the lanes of a, then of those of b.
    ExprId holds = s.condition;
    const auto departing = s.else_block == kNone<BlockId> ? departure(s.then_block) : std::nullopt;
    for (; departing && is_computed(holds) && program_[holds].op == Op::logical_or;
         holds = program_[holds].operands[1]) {
      Instr instr = condition(departing->op, program_[holds].operands[0]);
      instr.slot = departing->slot;
      jump_to_block_end(instr);
    }
    Instr instr = condition(Opcode::branch, holds);
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
  /// An instruction on a condition.  A comparison that was emitted for it alone becomes its test.
  Instr condition(Opcode op, ExprId id) {
    bool negated = false;
    for (; program_[id].op == Op::logical_not && is_computed(id); id = program_[id].operands[0])
      negated = !negated;
    const Operand value = operand(id);
    release(value);
    Instr instr{.op = op, .negated = negated, .spread = spread_of(id), .a = value.reg};
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
  [[nodiscard]] Spread spread_of(ExprId id) const {
    const Shape shape = shapes_->of(id);
    if (shape.is_uniform()) return {.kind = Spread::Kind::same, .needs_line = shape.needs_line};
    const Expr& expr = program_[id];
    if (expr.kind != ExprKind::operation || info(expr.op).typing != Typing::ordering) return {};
    const std::array sides = {shapes_->of(expr.operands[0]), shapes_->of(expr.operands[1])};
    const ScalarType type = program_[expr.operands[0]].type;
    if (!sides[0].known || !sides[1].known || type == ScalarType::f32) return {};
    if (sides[0].is_uniform() == sides[1].is_uniform()) return {};
    const bool of_b = sides[0].is_uniform();
    return {.kind = Spread::Kind::ends,
            .needs_line = sides[0].needs_line || sides[1].needs_line,
            .of_b = of_b,
            .falls = sides[of_b ? 1 : 0].step < 0,
            .is_signed = type == ScalarType::i32};
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
    for (const ExprId e : hoists_->before(id))
      hoisted_[index(e)] = operand(e).reg;
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
          .slot = construct.slot,
          .target = construct.start});
    jump_to_block_end({.op = Opcode::skip});
    for (const ExprId e : hoists_->before(id))
      release(owned(std::exchange(hoisted_[index(e)], kNowhere), program_[e].type));
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
    const Operand selector = operand(s.selector);
    construct.cases = allocate();
    emit({.op = Opcode::switch_enter,
          .d = construct.cases,
          .a = selector.reg,
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

  std::vector<Reg> var_;
  std::vector<bool> fixed_;  ///< by value: it holds for the whole launch
  std::optional<Hoists> hoists_;
  std::optional<Shapes> shapes_;
  std::vector<std::uint32_t> scope_slot_;  ///< by the scope's body
  std::vector<std::uint32_t> frames_;      ///< open blocks: chains of jumps to their ends
  std::vector<Construct> constructs_;
  std::vector<std::uint32_t> loops_;              ///< slots of lanes that continue, innermost last
  std::vector<std::uint32_t> breaks_;             ///< slots of lanes that break
  std::unordered_map<std::uint64_t, Reg> words_;  ///< by buffer and offset
  std::uint32_t next_slot_ = 0;
};

}  // namespace

Code compile(const Program& program) {
  return Compiler(program).run();
}

}  // namespace vyre::cpu
