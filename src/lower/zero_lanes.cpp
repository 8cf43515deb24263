// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>

#include "ir/visit.h"
#include "lower/passes.h"
#include "lower/rewrite.h"

// A shuffle or broadcast from a lane that is inactive or does not exist is zero, where a device
// promises nothing: the ballot of all lanes that are here says which ones may be read.
namespace vyre {
namespace {

constexpr std::uint32_t kMaxLanes = 128;

/// True for the operations that read another lane.
bool fetches(const Subgroup& subgroup) {
  return subgroup.op == SubgroupOp::broadcast || subgroup.op == SubgroupOp::shuffle ||
         subgroup.op == SubgroupOp::shuffle_xor || subgroup.op == SubgroupOp::shuffle_up ||
         subgroup.op == SubgroupOp::shuffle_down;
}

class LaneZeroer : public Rewriter {
 public:
  explicit LaneZeroer(const Program& from) : Rewriter(from), t_(to_) {}

 private:
  using Ballot = std::vector<ExprId>;

  void enter(BlockId, StmtId) override { active_.clear(); }

  /// Lanes may have left inside of its blocks.
  void after(StmtId, const Stmt& stmt) override {
    for_each_block(stmt, [&](BlockId) { active_.clear(); });
  }

  bool replace(StmtId, const Stmt& stmt) override {
    const auto* subgroup = std::get_if<Subgroup>(&stmt);
    if (subgroup == nullptr || !fetches(*subgroup)) return false;
    const ExprId value = to_.let(map(subgroup->value));
    const ExprId argument = to_.let(map(subgroup->argument));
    const ScalarType type = to_.type(value);
    if (active_.empty() || divergent_ != subgroup->divergent) vote(subgroup->divergent);
    const ExprId there = is_active(subgroup->op, argument);
    const ExprId got = to_.subgroup(subgroup->op, type, value, argument, divergent_)[0];
    bind(subgroup->first, to_.let(t_.select(there, got, t_.zero(type))));
    return true;
  }

  /// The lanes that are active from here to the next statement with blocks.
  void vote(bool divergent) {
    divergent_ = divergent;
    active_ = to_.subgroup(SubgroupOp::ballot, kU32, to_.boolean(true), kNone<ExprId>, divergent);
  }

  /// Whether the lane that is read exists and is active.
  ExprId is_active(SubgroupOp op, ExprId argument) {
    const ExprId lane = to_.builtin(Builtin::lane);
    const ExprId in_range = t_.lt(argument, t_.u32(kMaxLanes));
    if (op == SubgroupOp::shuffle_xor) return is_set(t_.bit_xor(lane, argument), in_range);
    if (op == SubgroupOp::shuffle_up) return is_set(t_.sub(lane, argument), t_.le(argument, lane));
    if (op == SubgroupOp::shuffle_down) return is_set(t_.add(lane, argument), in_range);
    return is_set(argument, in_range);
  }

  /// The lane's bit in the ballot; false where `known` fails or the lane has no bit.
  ExprId is_set(ExprId lane, ExprId known) {
    const ExprId word = to_.let(t_.shr(lane, t_.u32(5)));
    ExprId bits = t_.u32(0);
    for (std::uint32_t i = kMaxLanes / 32; i-- > 0;)
      bits = t_.select(t_.eq(word, t_.u32(i)), active_[i], bits);
    const ExprId bit = t_.bit_and(t_.shr(bits, t_.bit_and(lane, t_.u32(31))), t_.u32(1));
    return t_.both(known, t_.ne(bit, t_.u32(0)));
  }

  Terms t_;
  Ballot active_;  ///< empty: not known in this place
  bool divergent_ = false;
};

}  // namespace

Program zero_lanes(const Program& program) {
  const bool any = std::any_of(program.stmts.begin(), program.stmts.end(), [](const Stmt& stmt) {
    const auto* subgroup = std::get_if<Subgroup>(&stmt);
    return subgroup != nullptr && fetches(*subgroup);
  });
  return any ? LaneZeroer(program).run() : program;
}

}  // namespace vyre
