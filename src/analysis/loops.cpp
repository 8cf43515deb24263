// SPDX-License-Identifier: MIT OR Apache-2.0
#include "analysis/loops.h"

#include <algorithm>
#include <utility>

#include "analysis/loop_step.h"
#include "ir/visit.h"

namespace vyre {
namespace {

constexpr std::size_t kMostTests = 64;  // of a condition

bool is_word(ScalarType type) {
  return is_integer(type) && info(type).bytes == 4;
}

/// Notes the blocks that a `continue` of a loop around them stands in.
struct Continues {
  const Program& program;
  std::vector<bool>& found;
  std::vector<std::pair<BlockId, StmtId>> open = {};

  void enter(BlockId block, StmtId parent) { open.emplace_back(block, parent); }
  void exit(BlockId, StmtId) { open.pop_back(); }
  void statement(StmtId id) {
    if (!std::holds_alternative<Continue>(program[id])) return;
    for (auto at = open.rbegin(); at != open.rend(); ++at) {
      const auto [block, parent] = *at;
      if (parent != kNone<StmtId> && std::holds_alternative<Loop>(program[parent])) return;
      found[index(block)] = true;
    }
  }
};

/// One walk that proves each loop as it leaves it.
class Proofs {
 public:
  using Turns = std::optional<std::uint64_t>;

  Proofs(const Program& program, const LaunchRanges& launch, std::vector<Turns>& turns)
      : program_(program),
        facts_(program, launch),
        turns_(turns),
        continues_(program.blocks.size()) {
    walk(program, Continues{program, continues_});
    walk(program, *this);
  }

  void enter(BlockId block, StmtId parent) {
    facts_.enter(block, parent);
    blocks_.push_back(block);
  }

  void statement(StmtId id) {
    const Stmt& stmt = program_[id];
    if (const auto* loop = std::get_if<Loop>(&stmt)) return begin(id, *loop);
    facts_.statement(id);
    if (std::holds_alternative<Continue>(stmt) && !loops_.empty()) loops_.back().continued = true;
    const auto* branch = std::get_if<If>(&stmt);
    if (branch == nullptr || loops_.empty() || !is_reached_by_all()) return;
    if (leaves(branch->then_block)) note_stay(branch->condition, false);
    if (leaves(branch->else_block)) note_stay(branch->condition, true);
  }

  void exit(BlockId block, StmtId parent) {
    blocks_.pop_back();
    const bool of_loop = parent != kNone<StmtId> && !loops_.empty() && loops_.back().id == parent;
    const auto* loop = of_loop ? std::get_if<Loop>(&program_[parent]) : nullptr;
    const bool is_last =
        loop != nullptr && (block != loop->body || loop->continuing == kNone<BlockId>);
    // What holds behind the body is known once it is left, what holds behind the rest is not.
    const bool is_body = loop != nullptr && block == loop->body;
    if (is_last && loop->break_if != kNone<ExprId>) note_stay(loop->break_if, false);
    if (is_last && !is_body) end_turn(parent);
    facts_.exit(block, parent);
    if (is_last && is_body) end_turn(parent);
  }

  void after(StmtId id) {
    if (!loops_.empty() && loops_.back().id == id) loops_.pop_back();
    facts_.after(id);
  }

 private:
  struct OpenLoop {
    StmtId id = kNone<StmtId>;
    BlockId body = kNone<BlockId>;
    BlockId continuing = kNone<BlockId>;
    std::uint64_t mark = 0;  ///< the newest opaque name from before
    std::vector<std::pair<VarId, Moving>> moving = {};
    std::vector<Stay> stays = {};
    bool continued = false;  ///< a `continue` of it was walked over
  };

  void begin(StmtId id, const Loop& loop) {
    OpenLoop open = {.id = id, .body = loop.body, .continuing = loop.continuing};
    open.mark = facts_.terms().newest();
    for (const VarId var : facts_.changes(id)) {
      const Term first = facts_.held(var);
      if (first == kNone<Term> || !is_word(program_.vars[index(var)])) continue;
      Moving moving;
      moving.first_unsigned = facts_.range(first, Facts::Sign::none);
      moving.first_signed = facts_.range(first, Facts::Sign::with);
      open.moving.emplace_back(var, moving);
    }
    facts_.statement(id);
    for (auto& [var, moving] : open.moving)
      moving.start = facts_.held(var);
    loops_.push_back(std::move(open));
  }

  /// True if every turn of the innermost loop comes to the present statement.
  [[nodiscard]] bool is_reached_by_all() const {
    const OpenLoop& loop = loops_.back();
    const BlockId here = blocks_.back();
    return here == loop.continuing || (here == loop.body && !loop.continued);
  }

  /// True if the end of a branch that stands right in the loop's body surely leaves the loop.
  [[nodiscard]] bool leaves(BlockId block) const {
    if (block == kNone<BlockId> || continues_[index(block)]) return false;
    const auto& stmts = program_[block].stmts;
    return std::any_of(stmts.begin(), stmts.end(), [&](StmtId id) {
      const Stmt& stmt = program_[id];
      return std::holds_alternative<Break>(stmt) || std::holds_alternative<Return>(stmt) ||
             std::holds_alternative<Leave>(stmt);
    });
  }

  /// A turn stays only if the condition is `truth`.
  void note_stay(ExprId condition, bool truth) {
    std::vector<std::pair<Term, bool>> pending = {{facts_.term(condition), truth}};
    for (std::size_t seen = 0; !pending.empty() && seen < kMostTests; ++seen) {
      const auto [part, holds] = pending.back();
      pending.pop_back();
      const TermInfo info = facts_.terms()[part];
      if (info.kind != ExprKind::operation) continue;
      const auto [x, y, z] = info.operands;
      const bool splits = info.op == (holds ? Op::logical_and : Op::logical_or);
      if (info.op == Op::logical_not) pending.emplace_back(x, !holds);
      if (splits) pending.emplace_back(y, holds);
      if (splits) pending.emplace_back(x, holds);
      if (is_word(info.type)) note_comparison(info, holds);
    }
  }

  void note_comparison(const TermInfo& comparison, bool holds) {
    const auto [x, y, z] = comparison.operands;
    const auto note = [&](Stay::Kind kind, Term low, Term high) {
      const Facts::Sign sign = Facts::sign_of(comparison.type);
      loops_.back().stays.push_back(
          {kind, sign, low, high, facts_.range(low, sign), facts_.range(high, sign)});
    };
    using enum Stay::Kind;
    if (comparison.op == Op::lt) holds ? note(below, x, y) : note(at_most, y, x);
    if (comparison.op == Op::gt) holds ? note(below, y, x) : note(at_most, x, y);
    if (comparison.op == Op::le) holds ? note(at_most, x, y) : note(below, y, x);
    if (comparison.op == Op::ge) holds ? note(at_most, y, x) : note(below, x, y);
    const Op differ = holds ? Op::ne : Op::eq;
    if (comparison.op == differ) note(differs, x, y);
  }

  /// All that a turn does to variables is known.
  void end_turn(StmtId id) {
    OpenLoop& loop = loops_.back();
    const bool has_continuing = loop.continuing != kNone<BlockId>;
    for (auto& [var, moving] : loop.moving) {
      moving.next = has_continuing ? facts_.held(var) : facts_.held_behind_body(var);
      if (moving.next == kNone<Term>) continue;
      for (const Stay& stay : loop.stays) {
        const Turns turns = turns_of(facts_, stay, moving, loop.mark);
        Turns& best = turns_[index(id)];
        if (turns) best = std::min(turns, best ? best : turns);
      }
    }
  }

  const Program& program_;
  Facts facts_;
  std::vector<Turns>& turns_;
  std::vector<bool> continues_;  ///< by block
  std::vector<OpenLoop> loops_;
  std::vector<BlockId> blocks_;
};

}  // namespace

LoopTurns::LoopTurns(const Program& program, const LaunchRanges& launch)
    : turns_(program.stmts.size()) {
  const auto& stmts = program.stmts;
  const auto is_loop = [](const Stmt& stmt) { return std::holds_alternative<Loop>(stmt); };
  if (std::any_of(stmts.begin(), stmts.end(), is_loop)) Proofs(program, launch, turns_);
}

}  // namespace vyre
