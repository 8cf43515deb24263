// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "vyre/validate.h"

#include "ir/assembler.h"
#include "lower/passes.h"
#include "unit/lower/run.h"

namespace vyre::test {
namespace {

constexpr std::uint32_t kLanes = 40;  // a subgroup of 32, and a part of one

std::size_t count_of_op(const Program& program, SubgroupOp op) {
  return static_cast<std::size_t>(
      std::count_if(program.stmts.begin(), program.stmts.end(), [&](const Stmt& stmt) {
        const auto* subgroup = std::get_if<Subgroup>(&stmt);
        return subgroup != nullptr && subgroup->op == op;
      }));
}

/// Writes `out[op * 40 + index]` for each operation in two of three invocations: the first half of
/// the operations, then a branch in which one invocation ends, then the others.
class Lanes {
 public:
  explicit Lanes(std::vector<SubgroupOp> ops) : out_("lanes", {kLanes, 1, 1}) {
    result_ = out_.buffer({.name = "out",
                           .access = Access::in_out,
                           .layout = out_.array(out_.scalar(ScalarType::u32),
                                                kLanes * static_cast<std::uint32_t>(ops.size()))});
    const ExprId index = out_.builtin(Builtin::local_index);
    const BlockId here = out_.open();
    for (std::size_t i = 0; i < ops.size(); ++i) {
      if (i == ops.size() / 2) branch(index);
      write(ops[i], static_cast<std::uint32_t>(i), index);
    }
    out_.close();
    out_.if_(out_.op(Op::ne, {out_.op(Op::rem, {index, out_.u32(3)}), out_.u32(1)}), here);
  }

  Program finish() { return std::move(out_).finish(); }

 private:
  void branch(ExprId index) {
    const BlockId leaves = out_.open();
    out_.return_();
    out_.close();
    out_.if_(out_.op(Op::eq, {index, out_.u32(5)}), leaves);
  }
  void write(SubgroupOp op, std::uint32_t row, ExprId index) {
    const ExprId value = out_.op(Op::add, {index, out_.u32(7)});
    const bool fetches = op != SubgroupOp::add && op != SubgroupOp::max;
    const ExprId argument = fetches ? out_.u32(5) : kNone<ExprId>;
    const ExprId got = out_.subgroup(op, ScalarType::u32, value, argument, true)[0];
    const ExprId at = out_.op(Op::add, {index, out_.u32(row * kLanes)});
    out_.store({.buffer = result_, .path = {{.index = at}}}, got);
  }

  Assembler out_;
  BufferId result_ = {};
};

const std::vector<SubgroupOp> kFetches = {SubgroupOp::shuffle, SubgroupOp::shuffle_xor,
                                          SubgroupOp::shuffle_up, SubgroupOp::shuffle_down};

TEST(ZeroLanes, KeepsWhatEveryLaneReads) {
  const auto valid = validate(Lanes(kFetches).finish());
  ASSERT_TRUE(valid) << valid.error().to_string();
  const std::size_t words = kFetches.size() * kLanes;
  PassBuffer out = {BufferId{0}, std::vector<std::byte>(words * 4), words};
  EXPECT_EQ(check_passes(*valid, {{out}, {1, 1, 1}}, everything_target()), "");
}

TEST(ZeroLanes, VotesOnceUntilLanesMayLeave) {
  const Program lowered = zero_lanes(Lanes(kFetches).finish());
  EXPECT_EQ(count_of_op(lowered, SubgroupOp::ballot), 2u);
  for (const SubgroupOp op : kFetches)
    EXPECT_EQ(count_of_op(lowered, op), 1u);
}

TEST(ZeroLanes, LeavesReductionsAlone) {
  const Program lowered = zero_lanes(Lanes({SubgroupOp::add, SubgroupOp::max}).finish());
  EXPECT_EQ(count_of_op(lowered, SubgroupOp::ballot), 0u);
}

}  // namespace
}  // namespace vyre::test
