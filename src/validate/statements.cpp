// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <vector>

#include "ir/visit.h"
#include "validate/checks.h"
#include "validate/expressions.h"
#include "validate/memory.h"

namespace vyre {
namespace {

/// What the subgroup operations take and give.
struct SubgroupRow {
  enum class Value : std::uint8_t { none, boolean, numeric, integer } value;
  bool argument;
  bool gives_boolean;  ///< else u32 for ballot, else the value's type
};

SubgroupRow row(SubgroupOp op) {
  using Value = SubgroupRow::Value;
  switch (op) {
    case SubgroupOp::ballot: return {Value::boolean, false, false};
    case SubgroupOp::broadcast:
    case SubgroupOp::shuffle:
    case SubgroupOp::shuffle_xor:
    case SubgroupOp::shuffle_up:
    case SubgroupOp::shuffle_down: return {Value::numeric, true, false};
    case SubgroupOp::add:
    case SubgroupOp::mul:
    case SubgroupOp::min:
    case SubgroupOp::max:
    case SubgroupOp::inclusive_add:
    case SubgroupOp::inclusive_mul:
    case SubgroupOp::exclusive_add:
    case SubgroupOp::exclusive_mul: return {Value::numeric, false, false};
    case SubgroupOp::bit_and:
    case SubgroupOp::bit_or:
    case SubgroupOp::bit_xor: return {Value::integer, false, false};
    case SubgroupOp::elect: return {Value::none, false, true};
    case SubgroupOp::all:
    case SubgroupOp::any: return {Value::boolean, false, true};
  }
  return {Value::none, false, false};
}

bool takes(SubgroupRow::Value value, ScalarType type) {
  switch (value) {
    case SubgroupRow::Value::none: return false;
    case SubgroupRow::Value::boolean: return type == ScalarType::boolean;
    case SubgroupRow::Value::numeric: return type != ScalarType::boolean;
    case SubgroupRow::Value::integer: return is_integer(type);
  }
  return false;
}

/// One walk over the body, with what is visible and where jumps may go.
class Statements {
 public:
  explicit Statements(Inspection& inspection)
      : inspection_(inspection),
        program_(inspection.program),
        exprs_(inspection),
        visible_(program_.vars.size()),
        scope_frame_(program_.blocks.size(), kClosed) {}

  bool run() {
    walk(program_, *this);
    return sound_ && !exprs_.lost();
  }

  void enter(BlockId id, StmtId parent) {
    Frame frame = frames_.empty() ? Frame{} : frames_.back();
    frame.values = values_.size();
    frame.vars = vars_.size();
    if (parent != kNone<StmtId>) open(frame, program_[parent], id);
    frames_.push_back(frame);
  }

  void exit(BlockId id, StmtId parent) {
    if (const Loop* loop = loop_of(parent); loop != nullptr && loop->continuing == id)
      break_if(parent, *loop);
    for (std::size_t i = frames_.back().values; i < values_.size(); ++i)
      exprs_.hide(values_[i]);
    for (std::size_t i = frames_.back().vars; i < vars_.size(); ++i)
      visible_[index(vars_[i])] = false;
    values_.resize(frames_.back().values);
    vars_.resize(frames_.back().vars);
    scope_frame_[index(id)] = kClosed;
    frames_.pop_back();
  }

  void after(StmtId id) {
    if (const Loop* loop = loop_of(id); loop != nullptr && loop->continuing == kNone<BlockId>)
      break_if(id, *loop);
  }

  void statement(StmtId id) {
    const Stmt& stmt = program_[id];
    if (!std::holds_alternative<Loop>(stmt))
      for_each_operand(stmt, [&](ExprId e) { exprs_.check(id, e); });
    std::visit([&](const auto& s) { check(id, s); }, stmt);
    for_each_result(stmt, [&](ValueId first, std::uint32_t count) {
      for (std::uint32_t i = 0; i < count; ++i)
        bind(static_cast<ValueId>(index(first) + i));
    });
  }

 private:
  static constexpr std::uint32_t kClosed = 0xffffffffu;

  /// An open block: what was bound before it, and where jumps in it may go.
  struct Frame {
    std::size_t values = 0;
    std::size_t vars = 0;
    bool can_break = false;
    bool can_continue = false;
    bool in_continuing = false;
    std::uint32_t outermost_target = 0;  ///< the first frame that a leave may exit
  };

  [[nodiscard]] const Loop* loop_of(StmtId id) const {
    return id == kNone<StmtId> ? nullptr : std::get_if<Loop>(&program_[id]);
  }

  void open(Frame& frame, const Stmt& parent, BlockId block) {
    const auto here = static_cast<std::uint32_t>(frames_.size());
    if (const auto* loop = std::get_if<Loop>(&parent)) {
      frame.can_break = frame.can_continue = block == loop->body;
      if (block == loop->body) return;
      frame.in_continuing = true;
      frame.outermost_target = here + 1;
    }
    if (std::holds_alternative<Switch>(parent)) frame.can_break = true;
    if (std::holds_alternative<Scope>(parent)) scope_frame_[index(block)] = here;
  }

  void bind(ValueId id) {
    exprs_.show(id);
    values_.push_back(id);
  }

  Diagnostic& fault(Code code, StmtId at, std::string message) {
    return inspection_.faults.add(code, at, std::move(message));
  }
  void misplaced(StmtId at, std::string message) {
    sound_ = false;
    fault(Code::misplaced_jump, at, std::move(message));
  }
  void mismatch(StmtId at, std::string message) {
    fault(Code::type_mismatch, at, std::move(message));
  }
  [[nodiscard]] ScalarType type(ExprId id) const { return program_[id].type; }
  [[nodiscard]] ScalarType type(VarId id) const { return program_.vars[index(id)]; }

  /// The values from `first` on must have the type.
  void results(StmtId at, ValueId first, std::uint32_t count, ScalarType wanted) {
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto id = static_cast<ValueId>(index(first) + i);
      if (program_.values[index(id)] != wanted)
        mismatch(at, text(named(id), " is ", program_.values[index(id)],
                          ", but what it is bound to is ", wanted));
    }
  }

  void visible(StmtId at, VarId id) {
    if (visible_[index(id)]) return;
    sound_ = false;
    fault(Code::out_of_scope, at, named(id) + " is used where it is not visible");
  }

  // ---- values and variables

  void check(StmtId at, const Let& s) { results(at, s.result, 1, type(s.value)); }
  void check(StmtId at, const Var& s) {
    if (s.init != kNone<ExprId>)
      exprs_.expect(at, s.init, type(s.var), "initial value of " + named(s.var));
    visible_[index(s.var)] = true;
    vars_.push_back(s.var);
  }
  void check(StmtId at, const Get& s) {
    visible(at, s.var);
    results(at, s.result, 1, type(s.var));
  }
  void check(StmtId at, const Set& s) {
    visible(at, s.var);
    exprs_.expect(at, s.value, type(s.var), "new value of " + named(s.var));
  }

  // ---- memory

  std::optional<Address> memory(StmtId at, const MemoryRef& ref, MemoryUse use) {
    for (const Step& step : ref.path)
      if (step.kind == Step::Kind::index) exprs_.expect(at, step.index, ScalarType::u32, "index");
    return check_memory(inspection_, at, ref, use);
  }

  void load(StmtId at, ValueId first, const MemoryRef& from, MemoryUse use) {
    if (const auto address = memory(at, from, use))
      results(at, first, from.count, info(address->scalar).widened);
  }
  void check(StmtId at, const Load& s) { load(at, s.first, s.from, MemoryUse::load); }
  void check(StmtId at, const UniformLoad& s) {
    load(at, s.first, s.from, MemoryUse::uniform_load);
  }

  void check(StmtId at, const Store& s) {
    const auto address = memory(at, s.to, MemoryUse::store);
    if (!address) return;
    for (std::size_t i = 0; i < s.values.size(); ++i) {
      if (i < s.to.count)
        exprs_.expect(at, s.values[i], info(address->scalar).widened, "value stored");
      else if (s.values[i] != kNone<ExprId>)
        fault(Code::bad_operand, at,
              text("a store of ", s.to.count, " component(s) has more values"));
    }
  }

  void check(StmtId at, const Atomic& s) {
    const auto address = memory(at, s.on, MemoryUse::atomic);
    if (!address) return;
    results(at, s.result, 1, info(address->scalar).widened);
    atomic_operand(at, s, s.value, s.op != AtomicOp::load, *address, "value");
    atomic_operand(at, s, s.comparand, s.op == AtomicOp::compare_exchange, *address, "comparand");
  }
  void atomic_operand(StmtId at,
                      const Atomic& s,
                      ExprId id,
                      bool wanted,
                      const Address& address,
                      std::string_view what) {
    if (wanted)
      exprs_.expect(at, id, info(address.scalar).widened,
                    text(what, " of atomic `", to_string(s.op), "`"));
    else if (id != kNone<ExprId>)
      fault(Code::bad_operand, at, text("atomic `", to_string(s.op), "` takes no ", what));
  }

  // ---- control flow

  void check(StmtId at, const If& s) {
    exprs_.expect(at, s.condition, ScalarType::boolean, "condition");
  }
  void check(StmtId at, const Switch& s) {
    const ScalarType found = type(s.selector);
    if (found != ScalarType::u32 && found != ScalarType::i32)
      mismatch(at, text("the selector must be u32 or i32, but is ", found));
    std::vector<std::uint32_t> all;
    for (const Case& c : s.cases) {
      if (c.values.empty()) fault(Code::bad_case, at, "a case has no value");
      all.insert(all.end(), c.values.begin(), c.values.end());
    }
    std::sort(all.begin(), all.end());
    for (std::size_t i = 1; i < all.size(); ++i)
      if (all[i] == all[i - 1] && (i < 2 || all[i] != all[i - 2]))
        fault(Code::bad_case, at, text("the value ", all[i], " has more than one case"));
  }
  void check(StmtId, const Loop&) {}
  void check(StmtId, const Scope&) {}
  void break_if(StmtId at, const Loop& s) {
    if (s.break_if == kNone<ExprId>) return;
    exprs_.check(at, s.break_if);
    exprs_.expect(at, s.break_if, ScalarType::boolean, "condition of break_if");
  }

  void check(StmtId at, const Leave& s) {
    const std::uint32_t frame = scope_frame_[index(s.target)];
    if (frame == kClosed)
      misplaced(at, text("a leave names block ", index(s.target), ", which is no scope around it"));
    else if (frame < frames_.back().outermost_target)
      misplaced(at, "a leave would exit the continuing block of a loop");
  }
  void check(StmtId at, const Break&) {
    if (frames_.back().can_break) return;
    misplaced(at, frames_.back().in_continuing ? "a break would exit the continuing block of a loop"
                                               : "a break is in no loop or switch");
  }
  void check(StmtId at, const Continue&) {
    if (frames_.back().can_continue) return;
    misplaced(at, frames_.back().in_continuing ? "a continue is in the continuing block of its loop"
                                               : "a continue is in no loop");
  }
  void check(StmtId at, const Return&) {
    if (frames_.back().in_continuing)
      misplaced(at, "a return would exit the continuing block of a loop");
  }

  // ---- other lanes, traps

  void check(StmtId at, const Barrier& s) {
    if (!s.workgroup && !s.storage) fault(Code::bad_operand, at, "a barrier names no memory");
  }

  void check(StmtId at, const Subgroup& s) {
    const SubgroupRow rules = row(s.op);
    const std::string name = text("subgroup `", to_string(s.op), "`");
    const bool has_value = s.value != kNone<ExprId>;
    if (has_value != (rules.value != SubgroupRow::Value::none))
      fault(Code::bad_operand, at, text(name, has_value ? " takes no value" : " takes a value"));
    else if (has_value && !takes(rules.value, type(s.value)))
      mismatch(at, text(name, " does not take ", type(s.value)));
    if (rules.argument)
      exprs_.expect(at, s.argument, ScalarType::u32, "argument of " + name);
    else if (s.argument != kNone<ExprId>)
      fault(Code::bad_operand, at, name + " takes no argument");
    subgroup_results(at, s, rules);
  }
  void subgroup_results(StmtId at, const Subgroup& s, const SubgroupRow& rules) {
    if (s.op == SubgroupOp::ballot) return results(at, s.first, 4, ScalarType::u32);
    if (rules.gives_boolean) return results(at, s.first, 1, ScalarType::boolean);
    if (s.value != kNone<ExprId>) results(at, s.first, 1, type(s.value));
  }

  void check(StmtId at, const Trap& s) {
    exprs_.expect(at, s.value, ScalarType::u32, "value of a trap");
  }

  Inspection& inspection_;
  const Program& program_;
  ExpressionChecker exprs_;
  std::vector<Frame> frames_;
  std::vector<ValueId> values_;  ///< visible, innermost last
  std::vector<VarId> vars_;
  std::vector<bool> visible_;               ///< of each variable
  std::vector<std::uint32_t> scope_frame_;  ///< of each block that is the body of an open scope
  bool sound_ = true;
};

}  // namespace

bool check_statements(Inspection& inspection) {
  return Statements(inspection).run();
}

}  // namespace vyre
