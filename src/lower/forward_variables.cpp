// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <vector>

#include "ir/visit.h"
#include "lower/passes.h"
#include "lower/rewrite.h"

// A variable that holds, wherever it is read, what one known statement has put there is no
// variable: its reads become names of that value.  Elsewhere reads of known constants become
// constants.
namespace vyre {
namespace {

/// One position of each statement, in the order of a walk; of a loop also that of its end.
class Positions {
 public:
  explicit Positions(const Program& program)
      : program_(program),
        begin_(program.stmts.size()),
        end_(begin_.size()),
        writes_(program.vars.size()) {
    walk(program, *this);
  }
  void statement(StmtId id) {
    begin_[index(id)] = end_[index(id)] = ++clock_;
    if (const auto* var = std::get_if<Var>(&program_[id]))
      writes_[index(var->var)].push_back(clock_);
    if (const auto* set = std::get_if<Set>(&program_[id]))
      writes_[index(set->var)].push_back(clock_);
  }
  void after(StmtId id) { end_[index(id)] = clock_; }

  [[nodiscard]] std::uint32_t begin(StmtId id) const { return begin_[index(id)]; }
  /// True if something in the statement's blocks writes the variable.
  [[nodiscard]] bool writes(StmtId id, VarId var) const {
    const auto& times = writes_[index(var)];
    const auto next = std::upper_bound(times.begin(), times.end(), begin_[index(id)]);
    return next != times.end() && *next <= end_[index(id)];
  }

 private:
  const Program& program_;
  std::vector<std::uint32_t> begin_;                ///< by statement
  std::vector<std::uint32_t> end_;                  ///< by statement
  std::vector<std::vector<std::uint32_t>> writes_;  ///< by variable
  std::uint32_t clock_ = 0;
};

/// What each read of a variable sees.
class Reads {
 public:
  explicit Reads(const Program& program)
      : program_(program),
        positions_(program),
        source_(program.stmts.size(), kNone<StmtId>),
        same_(program.stmts.size(), kNone<StmtId>),
        crosses_loop_(program.stmts.size()),
        keeps_(program.vars.size()),
        last_(program.vars.size(), kNone<StmtId>),
        visible_(program.vars.size()),
        reads_(program.vars.size()) {
    walk(program, *this);
  }

  /// The statement whose value `get` surely yields; none if that is not known.
  [[nodiscard]] StmtId source(StmtId get) const { return source_[index(get)]; }
  /// An earlier read that yields the same; none if there is none.
  [[nodiscard]] StmtId same(StmtId get) const { return same_[index(get)]; }
  /// True if the source of every read of the variable is known.
  [[nodiscard]] bool all_known(VarId var) const { return !keeps_[index(var)]; }
  /// True if the value of `write` is read in a loop that it stands before.
  [[nodiscard]] bool crosses_loop(StmtId write) const { return crosses_loop_[index(write)]; }

  // ---- the walk
  void enter(BlockId, StmtId) { blocks_.emplace_back(); }
  void exit(BlockId, StmtId) {
    for (const VarId var : blocks_.back().written)
      visible_[index(var)].pop_back();
    for (const VarId var : blocks_.back().read)
      reads_[index(var)].pop_back();
    blocks_.pop_back();
  }
  void statement(StmtId id) {
    const Stmt& stmt = program_[id];
    if (const auto* var = std::get_if<Var>(&stmt)) write(var->var, id);
    if (const auto* set = std::get_if<Set>(&stmt)) write(set->var, id);
    if (const auto* get = std::get_if<Get>(&stmt)) read(get->var, id);
    if (std::holds_alternative<Loop>(stmt)) loops_.push_back(id);
  }
  void after(StmtId id) {
    if (std::holds_alternative<Loop>(program_[id])) loops_.pop_back();
  }

 private:
  struct ReadAt {
    StmtId get;
    StmtId last_write;  ///< before it, anywhere
  };
  /// The variables that a block has touched, once for each entry that ends with it.
  struct Touched {
    std::vector<VarId> written;
    std::vector<VarId> read;
  };

  void write(VarId var, StmtId id) {
    last_[index(var)] = id;
    visible_[index(var)].push_back(id);
    blocks_.back().written.push_back(var);
  }
  /// Known is the last write of all, if it stands in this block or one around it, and no loop that
  /// has begun since writes the variable.
  void read(VarId var, StmtId get) {
    read_again(var, get);
    const auto& visible = visible_[index(var)];
    const bool is_last = !visible.empty() && visible.back() == last_[index(var)];
    const StmtId loop = is_last ? first_loop_behind(visible.back()) : kNone<StmtId>;
    if (!is_last || (loop != kNone<StmtId> && positions_.writes(loop, var))) {
      keeps_[index(var)] = true;
      return;
    }
    source_[index(get)] = visible.back();
    if (loop != kNone<StmtId>) crosses_loop_[index(visible.back())] = true;
  }
  void read_again(VarId var, StmtId get) {
    auto& reads = reads_[index(var)];
    if (!reads.empty() && reads.back().last_write == last_[index(var)]) {
      const StmtId loop = first_loop_behind(reads.back().get);
      if (loop == kNone<StmtId> || !positions_.writes(loop, var)) {
        same_[index(get)] = reads.back().get;
        return;
      }
    }
    reads.push_back({get, last_[index(var)]});
    blocks_.back().read.push_back(var);
  }
  /// The outermost open loop that begins behind a statement.
  [[nodiscard]] StmtId first_loop_behind(StmtId write) const {
    const auto found =
        std::upper_bound(loops_.begin(), loops_.end(), positions_.begin(write),
                         [&](std::uint32_t at, StmtId l) { return at < positions_.begin(l); });
    return found != loops_.end() ? *found : kNone<StmtId>;
  }

  const Program& program_;
  const Positions positions_;
  std::vector<StmtId> source_;                ///< by statement
  std::vector<StmtId> same_;                  ///< by statement
  std::vector<bool> crosses_loop_;            ///< by statement
  std::vector<bool> keeps_;                   ///< by variable
  std::vector<StmtId> last_;                  ///< by variable: the last write so far, anywhere
  std::vector<std::vector<StmtId>> visible_;  ///< by variable: writes in the open blocks
  std::vector<std::vector<ReadAt>> reads_;    ///< by variable: reads in the open blocks
  std::vector<Touched> blocks_;               ///< the open ones: what they write
  std::vector<StmtId> loops_;                 ///< the open ones
};

class Forwarder : public Rewriter {
 public:
  explicit Forwarder(const Program& from)
      : Rewriter(from), reads_(from), value_(from.stmts.size(), kNone<ExprId>) {}

 private:
  bool replace(StmtId id, const Stmt& stmt) override {
    if (const auto* var = std::get_if<Var>(&stmt)) return keep(id, var->var, var->init);
    if (const auto* set = std::get_if<Set>(&stmt)) return keep(id, set->var, set->value);
    if (const auto* get = std::get_if<Get>(&stmt)) return forward(id, *get);
    return false;
  }

  /// Remembers what a statement writes; true if nothing else is to be done.
  bool keep(StmtId id, VarId var, ExprId value) {
    const bool all_known = reads_.all_known(var);
    const bool is_constant = value == kNone<ExprId> || from_[value].kind == ExprKind::constant;
    if (!all_known && !is_constant) return false;
    ExprId now = value == kNone<ExprId> ? to_.constant(from_.vars[index(var)], 0) : map(value);
    if (to_[now].kind == ExprKind::operation && reads_.crosses_loop(id)) now = to_.let(now);
    value_[index(id)] = now;
    return all_known;
  }

  bool forward(StmtId id, const Get& get) {
    ExprId& value = value_[index(id)];
    for (const StmtId source : {reads_.source(id), reads_.same(id)})
      if (source != kNone<StmtId> && value == kNone<ExprId>) value = value_[index(source)];
    if (value == kNone<ExprId>) value = to_.get(map(get.var));
    bind(get.result, value);
    return true;
  }

  const Reads reads_;
  std::vector<ExprId> value_;  ///< by statement: what it writes or reads, if that is remembered
};

}  // namespace

Program forward_variables(const Program& program) {
  return program.vars.empty() ? program : Forwarder(program).run();
}

}  // namespace vyre
