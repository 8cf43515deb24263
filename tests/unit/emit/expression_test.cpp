// SPDX-License-Identifier: MIT OR Apache-2.0
#include "emit/expression.h"

#include <gtest/gtest.h>

#include "ir/assembler.h"
#include "unit/emit/toy_dialect.h"

namespace vyre {
namespace {

/// Expressions over a, b, c (the components of a builtin) and literals, printed without a finish.
class ExpressionTest : public testing::Test {
 protected:
  ExprId name(std::uint8_t component) {
    return add({.kind = ExprKind::builtin, .type = ScalarType::u32, .component = component});
  }
  ExprId op(Op op, std::initializer_list<ExprId> operands) {
    Expr expr = {.kind = ExprKind::operation, .op = op};
    std::copy(operands.begin(), operands.end(), expr.operands.begin());
    return add(expr);
  }
  ExprId literal(ScalarType type, std::uint32_t bits) {
    return add({.kind = ExprKind::constant, .type = type, .bits = bits});
  }
  ExprId add(const Expr& expr) {
    program_.exprs.push_back(expr);
    return static_cast<ExprId>(program_.exprs.size() - 1);
  }
  std::string print(ExprId id) { return print_whole(program_, dialect_, id); }

  Program program_;
  test::ToyDialect dialect_;
  ExprId a_ = name(0);
  ExprId b_ = name(1);
  ExprId c_ = name(2);
};

TEST_F(ExpressionTest, ChainsGoLeft) {
  EXPECT_EQ(print(op(Op::add, {op(Op::add, {a_, b_}), c_})), "a + b + c");
  EXPECT_EQ(print(op(Op::sub, {op(Op::add, {a_, b_}), c_})), "a + b - c");
  EXPECT_EQ(print(op(Op::sub, {a_, op(Op::sub, {b_, c_})})), "a - (b - c)");
  EXPECT_EQ(print(op(Op::add, {a_, op(Op::add, {b_, c_})})), "a + (b + c)");
  EXPECT_EQ(print(op(Op::div, {op(Op::mul, {a_, b_}), c_})), "a * b / c");
  EXPECT_EQ(print(op(Op::mul, {a_, op(Op::div, {b_, c_})})), "a * (b / c)");
}

TEST_F(ExpressionTest, ProductsBindTighterThanSums) {
  EXPECT_EQ(print(op(Op::add, {op(Op::mul, {a_, b_}), c_})), "a * b + c");
  EXPECT_EQ(print(op(Op::add, {a_, op(Op::mul, {b_, c_})})), "a + b * c");
  EXPECT_EQ(print(op(Op::mul, {op(Op::add, {a_, b_}), c_})), "(a + b) * c");
}

TEST_F(ExpressionTest, ShiftsAndBitsDoNotMixBare) {
  EXPECT_EQ(print(op(Op::shl, {op(Op::add, {a_, b_}), c_})), "(a + b) << c");
  EXPECT_EQ(print(op(Op::shl, {op(Op::shl, {a_, b_}), c_})), "(a << b) << c");
  EXPECT_EQ(print(op(Op::add, {op(Op::shl, {a_, b_}), c_})), "(a << b) + c");
  EXPECT_EQ(print(op(Op::bit_and, {op(Op::bit_and, {a_, b_}), c_})), "a & b & c");
  EXPECT_EQ(print(op(Op::bit_or, {op(Op::bit_and, {a_, b_}), c_})), "(a & b) | c");
  EXPECT_EQ(print(op(Op::bit_and, {op(Op::add, {a_, b_}), c_})), "(a + b) & c");
  EXPECT_EQ(print(op(Op::bit_and, {op(Op::lt, {a_, b_}), op(Op::lt, {b_, c_})})),
            "(a < b) & (b < c)");
}

TEST_F(ExpressionTest, ComparisonsTakeSumsAndDoNotChain) {
  EXPECT_EQ(print(op(Op::lt, {op(Op::add, {a_, b_}), op(Op::mul, {b_, c_})})), "a + b < b * c");
  EXPECT_EQ(print(op(Op::lt, {op(Op::lt, {a_, b_}), c_})), "(a < b) < c");
}

TEST_F(ExpressionTest, SignsDoNotMeet) {
  const ExprId minus = literal(ScalarType::i32, 0xffffffff);
  EXPECT_EQ(print(op(Op::neg, {a_})), "-a");
  EXPECT_EQ(print(op(Op::neg, {op(Op::neg, {a_})})), "-(-a)");
  EXPECT_EQ(print(op(Op::neg, {minus})), "-(-1)");
  EXPECT_EQ(print(op(Op::sub, {a_, minus})), "a - -1");
  EXPECT_EQ(print(op(Op::mul, {op(Op::neg, {a_}), b_})), "-a * b");
  EXPECT_EQ(print(op(Op::neg, {op(Op::mul, {a_, b_})})), "-(a * b)");
}

TEST_F(ExpressionTest, ComparisonsAreGuardedAmongArguments) {
  EXPECT_EQ(print(op(Op::min, {op(Op::lt, {a_, b_}), op(Op::add, {b_, c_})})),
            "min((a < b), b + c)");
}

TEST_F(ExpressionTest, CastsNameTheirType) {
  const ExprId cast = op(Op::convert, {op(Op::lt, {a_, b_})});
  program_.exprs[index(cast)].type = ScalarType::f32;
  EXPECT_EQ(print(cast), "f32(a < b)");
  const ExprId bits = op(Op::bitcast, {a_});
  program_.exprs[index(bits)].type = ScalarType::i32;
  EXPECT_EQ(print(bits), "as<i32>(a)");
}

TEST_F(ExpressionTest, TheDialectMayWriteAnOperationItself) {
  EXPECT_EQ(print(op(Op::select, {op(Op::add, {a_, b_}), b_, c_})), "pick(a + b)");
}

TEST_F(ExpressionTest, TheDeepestTreeIsPrinted) {
  ExprId deep = a_;
  std::string wanted = "a";
  for (std::uint32_t i = 0; i < kMaxExprDepth; ++i) {
    deep = op(Op::add, {deep, b_});
    wanted += " + b";
  }
  EXPECT_EQ(print(deep), wanted);
}

}  // namespace
}  // namespace vyre
