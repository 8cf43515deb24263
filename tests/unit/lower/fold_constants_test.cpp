// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>

#include "lower/passes.h"
#include "unit/lower/operators.h"

namespace vyre {
namespace {

TEST(FoldConstants, KeepsTheMeaningOfEveryOperator) {
  test::expect_meaning_kept(fold_constants);
}

TEST(FoldConstants, KeepsTheMeaningWithConstants) {
  test::expect_meaning_kept_with_constants(fold_constants);
}

std::size_t operations(const Program& program) {
  return static_cast<std::size_t>(
      std::count_if(program.exprs.begin(), program.exprs.end(),
                    [](const Expr& e) { return e.kind == ExprKind::operation; }));
}

TEST(FoldConstants, ComputesOperationsOnConstants) {
  const Program program =
      fold_constants(test::straight_line({}, [](Assembler& to, const std::vector<ExprId>&) {
        const ExprId seven = to.let(to.op(Op::add, {to.u32(3), to.u32(4)}));
        return to.op(Op::mul, {seven, seven});
      }));
  EXPECT_EQ(operations(program), 0u);
  EXPECT_EQ(program.stmts.size(), 1u);
  EXPECT_EQ(test::StraightLine(program, {}).stored(), 49u);
}

TEST(FoldConstants, WrapsWhereALiteralWouldOverflow) {
  const Program program =
      fold_constants(test::straight_line({}, [](Assembler& to, const std::vector<ExprId>&) {
        return to.op(Op::add, {to.i32(2147483647), to.i32(1)});
      }));
  EXPECT_EQ(operations(program), 0u);
  EXPECT_EQ(test::StraightLine(program, {}).stored(), 0x80000000u);
}

TEST(FoldConstants, KnowsThatNothingIsAboveTheLargestNumber) {
  const ScalarType type = ScalarType::u32;
  const Program program = fold_constants(
      test::straight_line(std::span(&type, 1), [](Assembler& to, std::vector<ExprId> operands) {
        return to.op(Op::logical_or, {to.op(Op::lt, {to.u32(0xffffffffu), operands[0]}),
                                      to.op(Op::lt, {operands[0], to.u32(0)})});
      }));
  EXPECT_EQ(operations(program), 0u) << dump(program);
}

TEST(FoldConstants, LeavesFloatsWithOneUnknownAlone) {
  const ScalarType type = ScalarType::f32;
  const Program program = fold_constants(
      test::straight_line(std::span(&type, 1), [](Assembler& to, std::vector<ExprId> operands) {
        return to.op(Op::add, {operands[0], to.f32(0)});  // -0 + 0 is +0
      }));
  EXPECT_EQ(operations(program), 1u);
}

TEST(FoldConstants, LeavesOutWhatNothingUses) {
  const ScalarType type = ScalarType::u32;
  const Program program = fold_constants(
      test::straight_line(std::span(&type, 1), [](Assembler& to, std::vector<ExprId> operands) {
        const ExprId square = to.let(to.op(Op::mul, {operands[0], operands[0]}));
        to.let(to.op(Op::add, {square, to.u32(1)}));
        return to.u32(5);
      }));
  EXPECT_EQ(program.stmts.size(), 1u) << dump(program);
}

TEST(FoldConstants, TakesKnownBranches) {
  Assembler to("branches", {1, 1, 1});
  const LayoutId word = to.scalar(ScalarType::u32);
  const BufferId out = to.buffer({.name = "out", .access = Access::output, .layout = word});
  const BlockId yes = to.open();
  to.store({out}, to.u32(1));
  to.return_();
  to.close();
  const BlockId no = to.open();
  to.store({out}, to.u32(2));
  to.close();
  to.if_(to.op(Op::lt, {to.u32(1), to.u32(2)}), yes, no);
  to.store({out}, to.u32(3));
  const Program program = fold_constants(std::move(to).finish());
  ASSERT_EQ(program[program.body].stmts.size(), 2u) << dump(program);
  EXPECT_TRUE(std::holds_alternative<Store>(program[program[program.body].stmts[0]]));
  EXPECT_TRUE(std::holds_alternative<Return>(program[program[program.body].stmts[1]]));
}

}  // namespace
}  // namespace vyre
