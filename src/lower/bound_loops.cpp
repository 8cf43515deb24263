// SPDX-License-Identifier: MIT OR Apache-2.0
#include <unordered_map>

#include "lower/loop_budget.h"
#include "lower/passes.h"
#include "lower/rewrite.h"

// A loop that has to counts its turns down, as the first thing of a turn, and having none left is a
// trap:
//
//   var left = 0xffffffff; loop { if (left < 1) { trap; break; } left = left - 1; … }
//
// So every loop that a driver sees ends, and nothing can be concluded from an end that is not
// reached (`analysis/loops.h`).  It counts down because some drivers hang on counters that go up.
namespace vyre {
namespace {

class Counter : public Rewriter {
 public:
  Counter(const Program& from, const LoopBudget& budget)
      : Rewriter(from), t_(to_), budget_(budget), tag_(to_.trap_tag(std::string(kLoopTrap))) {}

 private:
  /// Counts that go on from run to run.
  void begin() override {
    VarId shared = kNone<VarId>;
    for (std::size_t i = 0; i < from_.stmts.size(); ++i) {
      const auto loop = static_cast<StmtId>(static_cast<std::uint32_t>(i));
      const auto& count = budget_.of(loop);
      if (!count || (count->once && !count->shared)) continue;
      if (count->shared && shared == kNone<VarId>) shared = make(*count);
      left_[loop] = count->shared ? shared : make(*count);
    }
  }

  VarId make(const LoopCount& count) { return to_.var(kU32, t_.u32(count.turns)); }

  bool replace(StmtId id, const Stmt& stmt) override {
    if (!std::holds_alternative<Loop>(stmt) || !budget_.of(id)) return false;
    if (!left_.contains(id)) left_[id] = make(*budget_.of(id));
    return false;
  }

  void enter(BlockId block, StmtId parent) override {
    const auto found = left_.find(parent);
    if (found == left_.end() || block != std::get<Loop>(from_[parent]).body) return;
    const ExprId weight = t_.u32(budget_.of(parent)->weight);
    const ExprId left = to_.get(found->second);
    const BlockId too_few = to_.open();
    to_.trap(tag_, t_.u32(budget_.allowed()));
    to_.break_();
    to_.close();
    to_.if_(t_.lt(left, weight), too_few);
    to_.set(found->second, t_.sub(left, weight));
  }

  Terms t_;
  const LoopBudget& budget_;
  TrapId tag_;
  std::unordered_map<StmtId, VarId> left_;  ///< by loop: the turns that it has left
};

}  // namespace

Program bound_loops(const Program& program, const Target& target) {
  const LoopBudget budget(program, target);
  return budget.any() ? Counter(program, budget).run() : program;
}

}  // namespace vyre
