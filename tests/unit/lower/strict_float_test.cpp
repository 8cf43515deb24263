// SPDX-License-Identifier: MIT OR Apache-2.0
#include "lower/passes.h"
#include "unit/lower/operators.h"

namespace vyre {
namespace {

using Operands = std::vector<ExprId>;
constexpr ScalarType kThree[] = {ScalarType::f32, ScalarType::f32, ScalarType::f32};

/// Sums and products whose operands include such results directly.
std::size_t visible_chains(const Program& program) {
  std::size_t count = 0;
  const auto is_arithmetic = [](const Expr& e) {
    return e.kind == ExprKind::operation && e.type == ScalarType::f32 &&
           (e.op == Op::add || e.op == Op::sub || e.op == Op::mul);
  };
  for (const Expr& expr : program.exprs)
    if (is_arithmetic(expr))
      for (std::size_t i = 0; i < 2; ++i)
        count += is_arithmetic(program[expr.operands[i]]) ? 1u : 0u;
  return count;
}

TEST(StrictFloat, KeepsTheMeaningOfEveryOperator) {
  test::expect_meaning_kept(strict_float);
}

TEST(StrictFloat, KeepsTheMeaningWithConstants) {
  test::expect_meaning_kept_with_constants(strict_float);
}

TEST(StrictFloat, HidesProductsThatFeedSums) {
  const Program raw = test::straight_line(kThree, [](Assembler& to, Operands x) {
    return to.op(Op::add, {to.op(Op::mul, {x[0], x[1]}), x[2]});
  });
  EXPECT_EQ(visible_chains(raw), 1u);
  const Program strict = strict_float(raw);
  EXPECT_EQ(visible_chains(strict), 0u) << dump(strict);
  EXPECT_EQ(launch_words(strict), std::vector<LaunchWord>{{LaunchField::zero}});
}

TEST(StrictFloat, HidesProductsThatHaveAName) {
  const Program strict = strict_float(test::straight_line(kThree, [](Assembler& to, Operands x) {
    const ExprId product = to.let(to.op(Op::mul, {x[0], x[1]}));
    return to.op(Op::add, {product, to.op(Op::neg, {product})});
  }));
  for (const Stmt& stmt : strict.stmts)
    if (const auto* let = std::get_if<Let>(&stmt)) {
      EXPECT_NE(strict[let->value].op, Op::mul) << dump(strict);
    }
}

TEST(StrictFloat, HidesNothingThatGoesToMemoryOnly) {
  const Program strict = strict_float(test::straight_line(kThree, [](Assembler& to, Operands x) {
    return to.op(Op::mul, {x[0], x[1]});
  }));
  EXPECT_TRUE(launch_words(strict).empty()) << dump(strict);
}

TEST(StrictFloat, HidesZerosThatAreAdded) {
  const Program strict = strict_float(test::straight_line(kThree, [](Assembler& to, Operands x) {
    return to.op(Op::add, {x[0], to.f32(0)});
  }));
  for (const Expr& expr : strict.exprs)
    if (expr.kind == ExprKind::operation && expr.op == Op::add) {
      EXPECT_NE(strict[expr.operands[1]].kind, ExprKind::constant);
    }
}

TEST(StrictFloat, HidesZerosAndOnesThatAreChosen) {
  for (const float hidden : {0.0F, -0.0F, 1.0F, -1.0F}) {
    const Program strict = strict_float(test::straight_line(kThree, [&](Assembler& to, Operands x) {
      return to.op(Op::select, {to.op(Op::lt, {x[0], x[1]}), to.f32(2), to.f32(hidden)});
    }));
    for (const Expr& expr : strict.exprs)
      if (expr.kind == ExprKind::operation && expr.op == Op::select) {
        EXPECT_EQ(strict[expr.operands[1]].kind, ExprKind::constant) << hidden;
        EXPECT_NE(strict[expr.operands[2]].kind, ExprKind::constant) << hidden;
      }
  }
}

}  // namespace
}  // namespace vyre
