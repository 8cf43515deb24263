// SPDX-License-Identifier: MIT OR Apache-2.0
#include "emit/statements.h"

#include <gtest/gtest.h>

#include "unit/emit/toy_dialect.h"

namespace vyre {
namespace {

/// Bodies put together by hand, so that they hold what no builder would write.
class StatementsTest : public testing::Test {
 protected:
  StatementsTest() { program_.body = block({}); }

  BlockId block(std::vector<Stmt> stmts) {
    Block made;
    for (Stmt& stmt : stmts) {
      program_.stmts.push_back(std::move(stmt));
      made.stmts.push_back(static_cast<StmtId>(program_.stmts.size() - 1));
    }
    program_.blocks.push_back(std::move(made));
    return static_cast<BlockId>(program_.blocks.size() - 1);
  }
  ExprId literal(std::uint32_t bits) {
    program_.exprs.push_back({.kind = ExprKind::constant, .bits = bits});
    return static_cast<ExprId>(program_.exprs.size() - 1);
  }
  Stmt set(std::uint32_t bits) { return Set{VarId{0}, literal(bits)}; }

  std::string print(std::vector<Stmt> body) {
    program_.body = block(std::move(body));
    test::ToyDialect dialect(&program_);
    TextWriter out;
    print_body(program_, dialect, out);
    return out.take();
  }

  Program program_;
};

TEST_F(StatementsTest, AnEmptyBodyIsNothing) {
  EXPECT_EQ(print({}), "");
}

TEST_F(StatementsTest, BranchesNest) {
  const BlockId inner = block({set(1)});
  const BlockId outer = block({If{literal(7), inner}, set(2)});
  const BlockId other = block({set(3)});
  EXPECT_EQ(print({If{literal(8), outer, other}, set(4)}),
            "if (8) {\n"
            "  if (7) {\n"
            "    set 1\n"
            "  }\n"
            "  set 2\n"
            "} else {\n"
            "  set 3\n"
            "}\n"
            "set 4\n");
}

TEST_F(StatementsTest, EmptyBranchesKeepTheirBraces) {
  EXPECT_EQ(print({If{literal(1), block({}), block({})}}),
            "if (1) {\n"
            "} else {\n"
            "}\n");
}

TEST_F(StatementsTest, LoopsHoldTheirContinuingPart) {
  const BlockId body = block({set(1), Continue{}});
  const BlockId next = block({set(2)});
  EXPECT_EQ(print({Loop{body, next, literal(9)}}),
            "loop {\n"
            "  set 1\n"
            "  continue\n"
            "  continuing {\n"
            "    set 2\n"
            "    break if 9\n"
            "  }\n"
            "}\n");
}

TEST_F(StatementsTest, ALoopMayHaveNoContinuingPart) {
  EXPECT_EQ(print({Loop{block({Break{}})}}),
            "loop {\n"
            "  break\n"
            "}\n");
  EXPECT_EQ(print({Loop{block({set(1)}), kNone<BlockId>, literal(5)}}),
            "loop {\n"
            "  set 1\n"
            "  continuing {\n"
            "    break if 5\n"
            "  }\n"
            "}\n");
}

TEST_F(StatementsTest, WhatFollowsAJumpIsLeftOut) {
  const BlockId dead = block({set(1), Return{}});
  const BlockId branch = block({Return{}, If{literal(1), dead, block({Break{}})}, set(2)});
  EXPECT_EQ(print({If{literal(3), branch}, set(4), Return{}, set(5), Loop{block({Break{}})}}),
            "if (3) {\n"
            "  return\n"
            "}\n"
            "set 4\n"
            "return\n");
}

TEST_F(StatementsTest, AContinuingPartAfterAJumpIsKept) {
  EXPECT_EQ(print({Loop{block({Break{}, set(1)}), block({set(2)})}}),
            "loop {\n"
            "  break\n"
            "  continuing {\n"
            "    set 2\n"
            "  }\n"
            "}\n");
}

TEST_F(StatementsTest, DepthIsNoRecursion) {
  BlockId inner = block({set(1)});
  for (int i = 0; i < 2000; ++i)
    inner = block({If{literal(1), inner}});
  const std::string text = print({If{literal(1), inner}});
  EXPECT_EQ(std::count(text.begin(), text.end(), '{'), 2001);
  EXPECT_EQ(std::count(text.begin(), text.end(), '}'), 2001);
}

}  // namespace
}  // namespace vyre
