// SPDX-License-Identifier: MIT OR Apache-2.0
#include "lower/passes.h"
#include "unit/lower/operators.h"

namespace vyre {
namespace {

constexpr auto kF16 = ScalarType::f16;

std::vector<std::uint64_t> values_of(ScalarType type) {
  if (type != kF16) return test::special_values(type);
  return {0,      0x8000, 1,      0x8001, 0x3ff,  0x400,  0x3800, 0x3bff, 0x3c00, 0xbc00,
          0x3c01, 0x4000, 0xc100, 0x4248, 0x6400, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00};
}

bool same(ScalarType type, std::uint64_t a, std::uint64_t b) {
  const auto nan = [](std::uint64_t bits) { return (bits & 0x7fffu) > 0x7c00u; };
  return test::same_value(type, a, b) || (type == kF16 && nan(a) && nan(b));
}

/// Every operator that takes or gives an f16.
std::vector<test::Case> half_cases() {
  std::vector<test::Case> cases;
  for (std::size_t i = 0; i < all_ops().size(); ++i) {
    const auto op = static_cast<Op>(i);
    std::vector<ScalarType> types(info(op).arity, kF16);
    if (info(op).typing == Typing::select) types[0] = ScalarType::boolean;
    for (const ScalarType other :
         {ScalarType::boolean, ScalarType::u32, ScalarType::i32, ScalarType::f32}) {
      const bool converts = op == Op::convert;
      if (const auto to = result_type(op, types, other)) cases.push_back({op, *to, types});
      if (converts) cases.push_back({op, kF16, {other}});
      if (!converts) break;
    }
  }
  return cases;
}

/// True if f16 is only selected and converted from and to f32.
bool is_widened(const Program& program) {
  for (const Expr& expr : program.exprs) {
    if (expr.kind != ExprKind::operation || expr.op == Op::select) continue;
    const ScalarType from = program[expr.operands[0]].type;
    const bool touches = expr.type == kF16 || from == kF16;
    const bool converts =
        expr.op == Op::convert && (expr.type == ScalarType::f32 || from == ScalarType::f32);
    if (touches && !converts) return false;
  }
  return true;
}

TEST(WidenHalves, KeepsTheMeaningOfEveryOperator) {
  std::size_t count = 0;
  for (const test::Case& c : half_cases()) {
    const Program passed =
        widen_halves(test::straight_line(c.types, [&](Assembler& to, std::vector<ExprId> operands) {
          return to.op(c.op, operands, c.result);
        }));
    EXPECT_TRUE(is_widened(passed)) << dump(passed);
    std::vector<std::uint64_t> operands(c.types.size());
    const auto check = [&] {
      const std::uint64_t wanted = eval(c.op, c.result, c.types, operands);
      const std::uint64_t got = test::StraightLine(passed, operands).stored();
      ASSERT_TRUE(same(c.result, wanted, got)) << test::describe(c, operands) << std::hex
                                               << ": wanted 0x" << wanted << ", got 0x" << got;
      ++count;
    };
    for (const std::uint64_t a : values_of(c.types[0])) {
      operands[0] = a;
      if (c.types.size() == 1) check();
      for (std::size_t j = 0; c.types.size() > 1 && j < values_of(c.types[1]).size(); ++j) {
        operands[1] = values_of(c.types[1])[j];
        if (c.types.size() == 3) operands[2] = values_of(c.types[2])[(j * 7 + 3) % 20];
        check();
      }
    }
  }
  EXPECT_GT(count, 5000u);
}

TEST(WidenHalves, LeavesOtherProgramsAsTheyAre) {
  const ScalarType type = ScalarType::f32;
  const Program program =
      test::straight_line(std::span(&type, 1), [](Assembler& to, std::vector<ExprId> operands) {
        return to.op(Op::add, {operands[0], operands[0]});
      });
  EXPECT_EQ(encode(widen_halves(program)), encode(program));
}

}  // namespace
}  // namespace vyre
