// SPDX-License-Identifier: MIT OR Apache-2.0
#include "lower/passes.h"
#include "unit/lower/operators.h"

namespace vyre {
namespace {

TEST(ExpandOps, KeepsTheMeaningOfEveryOperator) {
  test::expect_meaning_kept(expand_ops);
}

TEST(ExpandOps, KeepsTheMeaningWithConstants) {
  test::expect_meaning_kept_with_constants(expand_ops);
}

TEST(ExpandOps, LeavesCoreOperatorsOnly) {
  for (const test::Case& c : test::all_cases()) {
    const Program program =
        expand_ops(test::straight_line(c.types, [&](Assembler& to, std::vector<ExprId> operands) {
          return to.op(c.op, operands, c.result);
        }));
    for (const Expr& expr : program.exprs)
      EXPECT_TRUE(expr.kind != ExprKind::operation || info(expr.op).tier == Tier::core);
  }
}

TEST(ExpandOps, ConvertsHalvesExactly) {
  // IEEE 754 binary16: 0x3c00 is 1, 0x0001 is 2^-24, 0x7bff is 65504, 0xfbff is -65504.
  const ScalarType u32 = ScalarType::u32;
  const Program widen =
      expand_ops(test::straight_line(std::span(&u32, 1), [](Assembler& to, auto operands) {
        return to.op(Op::half_to_float, {operands[0]});
      }));
  const auto widened = [&](std::uint64_t half) {
    return test::StraightLine(widen, std::span(&half, 1)).stored();
  };
  EXPECT_EQ(widened(0x3c00), 0x3f800000u);
  EXPECT_EQ(widened(0x0001), 0x33800000u);
  EXPECT_EQ(widened(0x03ff), 0x387fc000u);
  EXPECT_EQ(widened(0x7bff), 0x477fe000u);
  EXPECT_EQ(widened(0xfbff), 0xc77fe000u);
  EXPECT_EQ(widened(0x8000), 0x80000000u);
  EXPECT_EQ(widened(0x7c00), 0x7f800000u);
}

TEST(ExpandOps, RoundsToHalvesToNearestEven) {
  const ScalarType f32 = ScalarType::f32;
  const Program narrow =
      expand_ops(test::straight_line(std::span(&f32, 1), [](Assembler& to, auto operands) {
        return to.op(Op::float_to_half, {operands[0]});
      }));
  const auto narrowed = [&](std::uint64_t bits) {
    return test::StraightLine(narrow, std::span(&bits, 1)).stored();
  };
  EXPECT_EQ(narrowed(0x3f800000), 0x3c00u);  // 1
  EXPECT_EQ(narrowed(0x477fefff), 0x7bffu);  // just below 65520
  EXPECT_EQ(narrowed(0x477ff000), 0x7c00u);  // 65520 rounds to infinity
  EXPECT_EQ(narrowed(0x33000000), 0x0000u);  // 2^-25 is halfway to the even 0
  EXPECT_EQ(narrowed(0x33000001), 0x0001u);
  EXPECT_EQ(narrowed(0x387fe000), 0x0400u);  // the greatest subnormal's upper neighbour, halfway
  EXPECT_EQ(narrowed(0x80000000), 0x8000u);
  EXPECT_EQ(narrowed(0xff800000), 0xfc00u);
  EXPECT_GT(narrowed(0x7f800001) & 0x7fffu, 0x7c00u);  // a NaN stays one
}

}  // namespace
}  // namespace vyre
