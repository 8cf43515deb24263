// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <utility>

#include "lower/passes.h"
#include "unit/lower/operators.h"

namespace vyre {
namespace {

Program pin(const Program& program) {
  return pin_meaning(program, wgsl_target());
}

Program pin_inexact(const Program& program) {
  Target target = wgsl_target();
  target.float_exact = false;
  return pin_meaning(program, target);
}

TEST(PinMeaning, KeepsTheMeaningOfEveryOperator) {
  test::expect_meaning_kept(pin);
  test::expect_meaning_kept(pin_inexact);
}

TEST(PinMeaning, KeepsTheMeaningWithConstants) {
  test::expect_meaning_kept_with_constants(pin);
}

TEST(PinMeaning, KeepsTheMeaningAfterExpansionAndFolding) {
  const auto passes = [](const Program& program) {
    return pin_inexact(fold_constants(expand_ops(program)));
  };
  test::expect_meaning_kept(passes);
  test::expect_meaning_kept_with_constants(passes);
}

/// No division, remainder or shift has a right side that faults, whatever the operands.
class Divisors {
 public:
  explicit Divisors(const Program& program) : program_(program) {}
  [[nodiscard]] bool all_constant_nonzero() const {
    for (const Expr& expr : program_.exprs) {
      if (expr.kind != ExprKind::operation || (expr.op != Op::div && expr.op != Op::rem)) continue;
      const Expr& by = program_[expr.operands[1]];
      const std::uint64_t minus_one = by.type == ScalarType::i64 ? ~std::uint64_t{0} : 0xffffffffu;
      if (by.kind == ExprKind::constant && (by.bits == 0 || by.bits == minus_one)) return false;
    }
    return true;
  }

 private:
  const Program& program_;
};

TEST(PinMeaning, DividesByNoForbiddenConstant) {
  for (const Op op : {Op::div, Op::rem})
    for (const auto& [type, by] : {std::pair{ScalarType::i32, std::uint64_t{0}},
                                   {ScalarType::i32, 0xffffffffu},
                                   {ScalarType::i64, 0},
                                   {ScalarType::i64, ~std::uint64_t{0}}}) {
      const Program program = pin(test::straight_line(
          std::span(&type, 1),
          [&, of = type, bits = by](Assembler& to, std::vector<ExprId> operands) {
            return to.op(op, {operands[0], to.constant(of, bits)});
          }));
      EXPECT_TRUE(Divisors(program).all_constant_nonzero()) << dump(program);
    }
}

TEST(PinMeaning, LeavesNoDivisionOf64BitsAsItIs) {
  for (const ScalarType type : {ScalarType::i64, ScalarType::u64})
    for (const Op op : {Op::div, Op::rem}) {
      const ScalarType types[] = {type, type};
      const Program program =
          pin(test::straight_line(types, [&](Assembler& to, std::vector<ExprId> operands) {
            return to.op(op, {operands[0], operands[1]});
          }));
      const auto selects = [](const Expr& expr) { return expr.op == Op::select; };
      EXPECT_TRUE(std::any_of(program.exprs.begin(), program.exprs.end(), selects))
          << dump(program);
    }
}

TEST(PinMeaning, ExtendsWordsWithoutSignOnly) {
  for (const ScalarType from : {ScalarType::i32, ScalarType::u32})
    for (const ScalarType to : {ScalarType::i64, ScalarType::u64}) {
      const Program program = pin(test::straight_line(
          std::span(&from, 1), [&, to](Assembler& out, std::vector<ExprId> operands) {
            return out.convert(to, operands[0]);
          }));
      for (const Expr& expr : program.exprs) {
        if (expr.kind != ExprKind::operation || expr.op != Op::convert) continue;
        EXPECT_EQ(expr.type, ScalarType::u64) << dump(program);
        EXPECT_EQ(program[expr.operands[0]].type, ScalarType::u32) << dump(program);
      }
    }
}

TEST(PinMeaning, TellsFloatsApartByEqualityOnly) {
  const ScalarType types[] = {ScalarType::f32, ScalarType::f32};
  const Program program =
      pin(test::straight_line(types, [](Assembler& to, std::vector<ExprId> operands) {
        return to.op(Op::ne, {operands[0], operands[1]});
      }));
  for (const Expr& expr : program.exprs)
    EXPECT_FALSE(expr.kind == ExprKind::operation && expr.op == Op::ne &&
                 program[expr.operands[0]].type == ScalarType::f32)
        << dump(program);
}

TEST(PinMeaning, WritesNoLiteralThatIsNoNumber) {
  for (const std::uint64_t bits : {0x7fc00000u, 0x7f800000u, 0xff800000u, 0x7f800001u}) {
    const Program program =
        pin(test::straight_line({}, [&](Assembler& to, const std::vector<ExprId>&) {
          return to.constant(ScalarType::f32, bits);
        }));
    for (const Expr& expr : program.exprs)
      EXPECT_FALSE(expr.kind == ExprKind::constant && expr.type == ScalarType::f32);
    EXPECT_EQ(test::StraightLine(program, {}).stored(), bits);
    EXPECT_EQ(launch_words(program), std::vector<LaunchWord>{{LaunchField::zero}});
  }
}

TEST(PinMeaning, KeepsTheLiteralOfMinusZero) {
  const Program program = pin(test::straight_line(
      {}, [](Assembler& to, const std::vector<ExprId>&) { return to.f32(-0.0f); }));
  EXPECT_EQ(test::StraightLine(program, {}).stored(), 0x80000000u);
  EXPECT_TRUE(launch_words(program).empty());
}

}  // namespace
}  // namespace vyre
