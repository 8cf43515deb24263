// SPDX-License-Identifier: MIT OR Apache-2.0
#include <unordered_map>

#include "analysis/loops.h"
#include "lower/passes.h"
#include "lower/rewrite.h"

// A loop whose end is not proved counts its turns down, as the first thing of a turn, and having
// none left is a trap:
//
//   var left = 0xffffffff; loop { if (left == 0) { trap; break; } left = left - 1; … }
//
// So every loop that a driver sees ends, and nothing can be concluded from an end that is not
// reached (`analysis/loops.h`).  It counts down because some drivers hang on counters that go up.
namespace vyre {
namespace {

class Counter : public Rewriter {
 public:
  Counter(const Program& from, const Target& target, const LoopTurns& turns)
      : Rewriter(from),
        t_(to_),
        turns_(turns),
        most_(target.endless_turns),
        tag_(to_.trap_tag(std::string(kLoopTrap))) {}

 private:
  bool replace(StmtId id, const Stmt& stmt) override {
    if (std::holds_alternative<Loop>(stmt) && !turns_.ends(id))
      left_[id] = to_.var(kU32, t_.u32(most_));
    return false;
  }

  void enter(BlockId block, StmtId parent) override {
    const auto found = left_.find(parent);
    if (found == left_.end() || block != std::get<Loop>(from_[parent]).body) return;
    const ExprId left = to_.get(found->second);
    const BlockId none_left = to_.open();
    to_.trap(tag_, t_.u32(most_));
    to_.break_();
    to_.close();
    to_.if_(t_.eq(left, t_.u32(0)), none_left);
    to_.set(found->second, t_.sub(left, t_.u32(1)));
  }

  Terms t_;
  const LoopTurns& turns_;
  std::uint32_t most_;
  TrapId tag_;
  std::unordered_map<StmtId, VarId> left_;  ///< by loop: the turns that it has left
};

}  // namespace

Program bound_loops(const Program& program, const Target& target) {
  const LoopTurns turns(program, {.grid = target.fold_grid ? ~std::uint64_t{0} : target.max_grid,
                                  .buffer_bytes = target.max_buffer_bytes});
  for (std::size_t i = 0; i < program.stmts.size(); ++i)
    if (std::holds_alternative<Loop>(program.stmts[i]) &&
        !turns.ends(static_cast<StmtId>(static_cast<std::uint32_t>(i))))
      return Counter(program, target, turns).run();
  return program;
}

}  // namespace vyre
