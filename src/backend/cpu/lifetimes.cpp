// SPDX-License-Identifier: MIT OR Apache-2.0
#include "backend/cpu/lifetimes.h"

#include <algorithm>
#include <variant>

#include "ir/visit.h"

namespace vyre::cpu {

/// One walk that finds the last use of everything.
class LifetimeScan {
 public:
  LifetimeScan(const Program& program, Lifetimes& result)
      : program_(program),
        result_(result),
        entities_(program.values.size() + program.vars.size()),
        ended_(program.stmts.size()),
        sets_(program.vars.size()),
        declared_in_(program.vars.size()),
        seen_(program.vars.size()) {
    result.values_ = static_cast<std::uint32_t>(program.values.size());
    result.first_dying_.assign(program.stmts.size(), Lifetimes::kEnd);
    result.next_dying_.assign(entities_.size(), Lifetimes::kEnd);
    result.shares_.assign(program.stmts.size(), false);
    result.overwrites_.assign(program.stmts.size(), false);
    result.uses_.assign(program.values.size(), 0);
    walk(program, *this);
    link();
    share();
    overwrite();
  }

  void enter(BlockId block, StmtId parent) { blocks_.push_back({block, parent}); }
  void exit(BlockId, StmtId) { blocks_.pop_back(); }

  void statement(StmtId id) {
    const Stmt& stmt = program_[id];
    ended_[index(id)] = ++clock_;
    if (!std::holds_alternative<Loop>(stmt)) use_operands(stmt, id);
    if (const auto* get = std::get_if<Get>(&stmt)) {
      gets_.push_back({id, clock_});
      use(var_entity(get->var), id);
      seen_[index(get->var)].include(clock_);
    }
    if (const auto* set = std::get_if<Set>(&stmt)) {
      use(var_entity(set->var), id);
      sets_[index(set->var)].push_back(clock_);
      look_at(*set, id);
    }
    if (const auto* var = std::get_if<Var>(&stmt)) {
      bind(var_entity(var->var), id);
      declared_in_[index(var->var)] = blocks_.back().id;
    }
    if (std::holds_alternative<Loop>(stmt)) {
      open_loops_.push_back(loops_.size());
      loops_.push_back({.block = blocks_.back().id, .start = clock_});
    }
    if (std::holds_alternative<Continue>(stmt)) loops_[open_loops_.back()].continues = true;
    for_each_result(stmt, [&](ValueId first, std::uint32_t count) {
      for (std::uint32_t i = 0; i < count; ++i)
        bind(index(first) + i, id);
    });
    if (const auto* get = std::get_if<Get>(&stmt)) entities_[index(get->result)].source = get->var;
    if (Lifetimes::runs_out_of_order(stmt)) spans_.push_back(id);
  }

  void after(StmtId id) {
    ended_[index(id)] = ++clock_;
    if (!Lifetimes::runs_out_of_order(program_[id])) return;
    if (std::holds_alternative<Loop>(program_[id])) {
      use_operands(program_[id], id);  // break_if sees the loop's values, before they end
      loops_[open_loops_.back()].end = clock_;
      open_loops_.pop_back();
    }
    spans_.pop_back();
  }

 private:
  struct Entity {
    StmtId last = kNone<StmtId>;
    std::uint32_t spans = 0;      ///< around the place where it is bound
    VarId source = kNone<VarId>;  ///< a value read from this variable
  };
  struct GetAt {
    StmtId stmt;
    std::uint32_t time;
  };
  static constexpr std::size_t kNoLoop = ~std::size_t{0};
  struct BlockAt {
    BlockId id;
    StmtId parent;
  };
  struct LoopAt {
    BlockId block;  ///< that it stands in
    std::uint32_t start = 0;
    std::uint32_t end = 0;
    bool continues = false;  ///< lanes may wait for `continuing` while others run
  };
  /// The times of the first and the last Get of a variable.
  struct Seen {
    std::uint32_t first = ~std::uint32_t{0};
    std::uint32_t last = 0;
    void include(std::uint32_t time) {
      first = std::min(first, time);
      last = std::max(last, time);
    }
  };
  struct SetAt {
    StmtId stmt;
    VarId var;
    std::size_t loop = kNoLoop;  ///< whose block it stands in
    bool is_body = false;        ///< that block is the loop's body
    bool is_own = false;         ///< that block is the variable's own
  };

  [[nodiscard]] std::uint32_t var_entity(VarId id) const { return result_.values_ + index(id); }

  void bind(std::uint32_t entity, StmtId stmt) {
    entities_[entity].last = stmt;
    entities_[entity].spans = static_cast<std::uint32_t>(spans_.size());
  }
  void use(std::uint32_t i, StmtId stmt) {
    Entity& entity = entities_[i];
    entity.last = spans_.size() > entity.spans ? spans_[entity.spans] : stmt;
    if (entity.source != kNone<VarId>) use(var_entity(entity.source), stmt);
  }
  void use_operands(const Stmt& stmt, StmtId id) {
    for_each_operand(stmt, [&](ExprId e) { use_expr(e, id); });
  }
  /// Recursion is bounded by kMaxExprDepth.
  void use_expr(ExprId id, StmtId stmt) {
    const Expr& expr = program_[id];
    if (expr.kind == ExprKind::value) {
      use(index(expr.value), stmt);
      ++result_.uses_[index(expr.value)];
    }
    for (const ExprId operand : expr.operands)
      if (operand != kNone<ExprId>) use_expr(operand, stmt);
  }

  void link() {
    for (std::uint32_t i = 0; i < entities_.size(); ++i) {
      if (entities_[i].last == kNone<StmtId>) continue;
      std::uint32_t& head = result_.first_dying_[index(entities_[i].last)];
      result_.next_dying_[i] = head;
      head = i;
    }
  }

  void share() {
    for (const GetAt& at : gets_) {
      const Get& get = std::get<Get>(program_[at.stmt]);
      const auto& sets = sets_[index(get.var)];
      const auto next = std::upper_bound(sets.begin(), sets.end(), at.time);
      const std::uint32_t death = ended_[index(entities_[index(get.result)].last)];
      result_.shares_[index(at.stmt)] = next == sets.end() || *next >= death;
    }
  }

  void look_at(const Set& set, StmtId id) {
    const BlockAt& here = blocks_.back();
    const Loop* const loop =
        here.parent != kNone<StmtId> ? std::get_if<Loop>(&program_[here.parent]) : nullptr;
    set_at_.push_back({.stmt = id,
                       .var = set.var,
                       .loop = loop != nullptr ? open_loops_.back() : kNoLoop,
                       .is_body = loop != nullptr && here.id == loop->body,
                       .is_own = here.id == declared_in_[index(set.var)]});
  }
  /// Lanes that are not active where a set stands have left its block, or wait for `continuing`, or
  /// never came to it.  They see the variable again only if it outlives the block.
  void overwrite() {
    for (const SetAt& at : set_at_) {
      const LoopAt* const loop = at.loop != kNoLoop ? &loops_[at.loop] : nullptr;
      const Seen& seen = seen_[index(at.var)];
      const bool ends_with_loop = loop != nullptr && loop->block == declared_in_[index(at.var)] &&
                                  seen.first > loop->start && seen.last < loop->end;
      const bool waits = at.is_body && loop->continues;
      result_.overwrites_[index(at.stmt)] = (at.is_own || ends_with_loop) && !waits;
    }
  }

  const Program& program_;
  Lifetimes& result_;
  std::vector<Entity> entities_;
  std::vector<std::uint32_t> ended_;  ///< by statement: the time of its end
  std::vector<std::vector<std::uint32_t>> sets_;
  std::vector<GetAt> gets_;
  std::vector<SetAt> set_at_;
  std::vector<BlockId> declared_in_;  ///< by variable
  std::vector<Seen> seen_;            ///< by variable
  std::vector<BlockAt> blocks_;       ///< around the present statement
  std::vector<LoopAt> loops_;
  std::vector<std::size_t> open_loops_;  ///< around the present statement
  std::vector<StmtId> spans_;  ///< statements around the present one that run out of order
  std::uint32_t clock_ = 0;
};

Lifetimes::Lifetimes(const Program& program) {
  LifetimeScan(program, *this);
}

}  // namespace vyre::cpu
