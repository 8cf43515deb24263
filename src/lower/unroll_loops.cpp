// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "ir/eval.h"
#include "ir/visit.h"
#include "lower/passes.h"
#include "lower/rewrite.h"

// A loop that counts from a constant to a constant is written turn by turn, with the counter known;
// then what follows from the counter is computed.
//
//   var k = 0; loop { body { if (!(k < 4)) { break; } … } continuing { … k = k + 1; } }
//
// Such a loop has no other break, and no continue; nothing else in it sets the counter.
namespace vyre {
namespace {

constexpr std::size_t kMostTurns = 16;
/// Statements of an unrolled loop, with all loops in it.
constexpr std::size_t kMostUnrolled = 512;
/// Statements by which a program may grow.
constexpr std::size_t kMostGrowth = 4096;

/// A loop to be unrolled.
struct CountedLoop {
  VarId counter = kNone<VarId>;
  StmtId exit = kNone<StmtId>;       ///< the condition in its body that breaks
  std::vector<std::uint64_t> turns;  ///< the counter in each turn
};

/// One walk that chooses the loops, inner ones first.
class CountedLoops {
 public:
  explicit CountedLoops(const Program& program)
      : program_(program),
        read_(program.values.size()),
        writes_(program.vars.size()),
        chosen_(program.stmts.size(), kNotChosen) {
    walk(program, *this);
  }

  [[nodiscard]] bool empty() const { return loops_.empty(); }
  /// Null if the statement is no such loop.
  [[nodiscard]] const CountedLoop* find(StmtId id) const {
    return chosen_[index(id)] != kNotChosen ? &loops_[chosen_[index(id)]] : nullptr;
  }

  // ---- the walk
  void enter(BlockId block, StmtId parent) { blocks_.push_back({block, parent}); }
  void exit(BlockId, StmtId) { blocks_.pop_back(); }
  void statement(StmtId id) {
    const Stmt& stmt = program_[id];
    ++clock_;
    ++sizes_.back();
    if (const auto* get = std::get_if<Get>(&stmt)) read_[index(get->result)] = {get->var, clock_};
    if (const auto* var = std::get_if<Var>(&stmt)) write(var->var, var->init, id);
    if (const auto* set = std::get_if<Set>(&stmt)) write(set->var, set->value, id);
    if (std::holds_alternative<Break>(stmt)) note_break();
    if (std::holds_alternative<Continue>(stmt)) note_continue();
    bool has_blocks = false;
    for_each_block(stmt, [&](BlockId) { has_blocks = true; });
    if (!has_blocks) return;
    sizes_.push_back(0);
    const bool is_loop = std::holds_alternative<Loop>(stmt);
    if (is_loop || std::holds_alternative<Switch>(stmt))
      open_.push_back({.is_loop = is_loop, .block = blocks_.back().id, .start = clock_});
  }
  void after(StmtId id) {
    std::size_t size = sizes_.back();
    sizes_.pop_back();
    if (const auto* loop = std::get_if<Loop>(&program_[id])) {
      if (auto counted = count(*loop, open_.back())) size = choose(id, std::move(*counted), size);
    }
    if (std::holds_alternative<Loop>(program_[id]) || std::holds_alternative<Switch>(program_[id]))
      open_.pop_back();
    sizes_.back() += size;
  }

 private:
  static constexpr std::uint32_t kNotChosen = ~std::uint32_t{0};
  struct Read {
    VarId var = kNone<VarId>;
    std::uint32_t time = 0;
  };
  struct Write {
    StmtId stmt;
    BlockId block;
    std::uint32_t time;
    ExprId value;  ///< none: zero
  };
  struct BlockAt {
    BlockId id;
    StmtId parent;
  };
  /// A loop or switch around the present statement.
  struct Open {
    bool is_loop = false;
    BlockId block = kNone<BlockId>;  ///< that it stands in
    std::uint32_t start = 0;
    StmtId exit = kNone<StmtId>;
    bool leaves_otherwise = false;
  };

  void write(VarId var, ExprId value, StmtId id) {
    writes_[index(var)].push_back({id, blocks_.back().id, clock_, value});
  }
  void note_break() {
    if (open_.empty() || !open_.back().is_loop) return;
    Open& loop = open_.back();
    const StmtId condition = blocks_.back().parent;
    const bool is_only = program_[blocks_.back().id].stmts.size() == 1 &&
                         std::holds_alternative<If>(program_[condition]);
    loop.leaves_otherwise |= !is_only || loop.exit != kNone<StmtId>;
    loop.exit = condition;
  }
  void note_continue() {
    const auto loop =
        std::find_if(open_.rbegin(), open_.rend(), [](const Open& open) { return open.is_loop; });
    if (loop != open_.rend()) loop->leaves_otherwise = true;
  }

  [[nodiscard]] bool is_empty(BlockId block) const {
    return block == kNone<BlockId> || program_[block].stmts.empty();
  }
  /// True if nothing but names stands before the exit in the loop's body.
  [[nodiscard]] bool begins_with_exit(const Loop& loop, StmtId exit) const {
    for (const StmtId id : program_[loop.body].stmts) {
      if (id == exit) return true;
      const Stmt& stmt = program_[id];
      if (!std::holds_alternative<Get>(stmt) && !std::holds_alternative<Let>(stmt)) return false;
    }
    return false;
  }
  /// The variable that a value was read from in the loop; none if it is something else.
  [[nodiscard]] VarId source(const Expr& value, const Open& open) const {
    const Read read = read_[index(value.value)];
    return read.time > open.start ? read.var : kNone<VarId>;
  }
  /// The first variable that an expression depends on.  Recursion is bounded by kMaxExprDepth, here
  /// and in `evaluate`.
  [[nodiscard]] VarId first_source(ExprId id, const Open& open) const {
    const Expr& expr = program_[id];
    if (expr.kind == ExprKind::value) return source(expr, open);
    for (const ExprId operand : expr.operands) {
      if (operand == kNone<ExprId>) continue;
      if (const VarId var = first_source(operand, open); var != kNone<VarId>) return var;
    }
    return kNone<VarId>;
  }

  /// What the loop's counter goes through, if the loop is one of those.
  [[nodiscard]] std::optional<CountedLoop> count(const Loop& loop, const Open& open) const {
    if (open.leaves_otherwise || open.exit == kNone<StmtId>) return std::nullopt;
    if (loop.continuing == kNone<BlockId> || loop.break_if != kNone<ExprId>) return std::nullopt;
    if (is_empty(loop.continuing) || !begins_with_exit(loop, open.exit)) return std::nullopt;
    const If& exit = std::get<If>(program_[open.exit]);
    const VarId counter = first_source(exit.condition, open);
    if (counter == kNone<VarId>) return std::nullopt;
    // The step is the last statement and the only write, and the start is the write before it.
    const auto& writes = writes_[index(counter)];
    if (writes.size() < 2) return std::nullopt;
    const Write& step = writes.back();
    const Write& start = writes[writes.size() - 2];
    if (step.stmt != program_[loop.continuing].stmts.back()) return std::nullopt;
    if (start.time >= open.start || start.block != open.block) return std::nullopt;
    return simulate({counter, open.exit, {}}, exit, start.value, step.value, open);
  }

  [[nodiscard]] std::optional<CountedLoop> simulate(
      CountedLoop loop, const If& exit, ExprId start, ExprId step, const Open& open) const {
    const bool leaves_if = !is_empty(exit.then_block);
    if (leaves_if && !is_empty(exit.else_block)) return std::nullopt;
    std::optional<std::uint64_t> now = 0;
    if (start != kNone<ExprId>) now = known(start);
    while (now && loop.turns.size() <= kMostTurns) {
      const auto holds = evaluate(exit.condition, loop.counter, *now, open);
      if (!holds) return std::nullopt;
      if ((*holds != 0) == leaves_if) return loop;
      loop.turns.push_back(*now);
      now = evaluate(step, loop.counter, *now, open);
    }
    return std::nullopt;
  }
  [[nodiscard]] std::optional<std::uint64_t> known(ExprId id) const {
    const Expr& expr = program_[id];
    return expr.kind == ExprKind::constant ? std::optional(expr.bits) : std::nullopt;
  }
  /// An expression of nothing but the counter, which is `now`.
  [[nodiscard]] std::optional<std::uint64_t> evaluate(ExprId id,
                                                      VarId counter,
                                                      std::uint64_t now,
                                                      const Open& open) const {
    const Expr& expr = program_[id];
    if (expr.kind == ExprKind::constant) return expr.bits;
    if (expr.kind == ExprKind::value)
      return source(expr, open) == counter ? std::optional(now) : std::nullopt;
    if (expr.kind != ExprKind::operation) return std::nullopt;
    const std::size_t arity = info(expr.op).arity;
    std::array<ScalarType, 3> types = {};
    std::array<std::uint64_t, 3> bits = {};
    for (std::size_t i = 0; i < arity; ++i) {
      const auto operand = evaluate(expr.operands[i], counter, now, open);
      if (!operand) return std::nullopt;
      types[i] = program_[expr.operands[i]].type;
      bits[i] = *operand;
    }
    return eval(expr.op, expr.type, {types.data(), arity}, {bits.data(), arity});
  }

  /// The statements that the loop will have.
  std::size_t choose(StmtId id, CountedLoop loop, std::size_t size) {
    const std::size_t unrolled = size * loop.turns.size();
    const std::size_t growth = unrolled > size ? unrolled - size : 0;
    if (unrolled > kMostUnrolled || growth > growth_left_) return size;
    growth_left_ -= growth;
    chosen_[index(id)] = static_cast<std::uint32_t>(loops_.size());
    loops_.push_back(std::move(loop));
    return unrolled;
  }

  const Program& program_;
  std::vector<Read> read_;                  ///< by value: the variable it was read from
  std::vector<std::vector<Write>> writes_;  ///< by variable
  std::vector<std::uint32_t> chosen_;       ///< by statement
  std::vector<CountedLoop> loops_;
  std::vector<BlockAt> blocks_;
  std::vector<Open> open_;
  std::vector<std::size_t> sizes_ = {0};  ///< of the open statements with blocks
  std::size_t growth_left_ = kMostGrowth;
  std::uint32_t clock_ = 0;
};

class Unroller : public Rewriter {
 public:
  Unroller(const Program& from, const CountedLoops& loops)
      : Rewriter(from), loops_(loops), now_(from.vars.size()), left_out_(from.stmts.size()) {}

 private:
  bool replace(StmtId id, const Stmt& stmt) override {
    if (left_out_[index(id)]) return true;
    if (const auto* get = std::get_if<Get>(&stmt)) return read_counter(*get);
    const CountedLoop* loop = loops_.find(id);
    if (loop != nullptr) unroll(id, std::get<Loop>(stmt), *loop);
    return loop != nullptr;
  }

  bool read_counter(const Get& get) {
    const auto& now = now_[index(get.var)];
    if (now) bind(get.result, to_.constant(from_.vars[index(get.var)], *now));
    return now.has_value();
  }

  void unroll(StmtId id, const Loop& loop, const CountedLoop& counted) {
    left_out_[index(counted.exit)] = true;
    for (const std::uint64_t now : counted.turns) {
      visit(loop.body, id, [this, &counted, now] { now_[index(counted.counter)] = now; }, {});
      visit(loop.continuing, id, {}, {});
    }
    visit(kNone<BlockId>, id, {}, [this, &counted] {
      left_out_[index(counted.exit)] = false;
      now_[index(counted.counter)].reset();
    });
  }

  const CountedLoops& loops_;
  std::vector<std::optional<std::uint64_t>> now_;  ///< by variable: a counter in this turn
  std::vector<bool> left_out_;                     ///< by statement
};

}  // namespace

Program unroll_loops(const Program& program) {
  const CountedLoops loops(program);
  return loops.empty() ? program : fold_constants(Unroller(program, loops).run());
}

}  // namespace vyre
