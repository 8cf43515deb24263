// SPDX-License-Identifier: MIT OR Apache-2.0
#include <gtest/gtest.h>

#include "ir/visit.h"
#include "support.h"
#include "validate/validate.h"

// Programs that no builder makes: each test breaks a good one.
namespace vyre {
namespace {

/// Statements 0 load, 1 let, 2 if { 3 store }, 4 var, 5 get; values 0 … 2.
Program good() {
  Kernel k;
  const ExprId x = k.load(Kernel::at(k.in, k.gid()));
  const ExprId y = k.let(k.op(Op::add, {x, k.u32(1)}));
  k.when(k.less(y, 9), [&] { k.store(Kernel::at(k.out, k.gid()), y); });
  const VarId v = k.var(ScalarType::u32, y);
  k.get(v);
  return std::move(k).done();
}

template <typename S>
S& first(Program& program) {
  for (Stmt& stmt : program.stmts)
    if (auto* found = std::get_if<S>(&stmt)) return *found;
  std::abort();
}
/// An expression that is an operation.
Expr& operation(Program& program) {
  for (Expr& expr : program.exprs)
    if (expr.kind == ExprKind::operation) return expr;
  std::abort();
}

/// The program is refused with "malformed-program" and this text.
template <typename F>
testing::AssertionResult breaks(F&& edit, std::string_view says) {
  Program program = good();
  edit(program);
  const auto result = validate(program);
  if (result) return testing::AssertionFailure() << "no fault";
  for (const Diagnostic& fault : result.error().diagnostics())
    if (fault.code == Code::malformed_program && fault.message.find(says) != std::string::npos)
      return testing::AssertionSuccess();
  return testing::AssertionFailure() << result.error().diagnostics().to_string();
}

constexpr auto kFar = 99u;

TEST(ReferencesTest, TheGoodProgramIsGood) {
  EXPECT_TRUE(is_valid(good()));
}

TEST(ReferencesTest, IdsAreInRange) {
  EXPECT_TRUE(breaks([](Program& p) { p.body = BlockId{kFar}; }, "the body is block 99"));
  EXPECT_TRUE(
      breaks([](Program& p) { p.blocks[0].stmts.push_back(StmtId{kFar}); }, "lists statement 99"));
  EXPECT_TRUE(
      breaks([](Program& p) { first<Let>(p).value = ExprId{kFar}; }, "names expression 99"));
  EXPECT_TRUE(
      breaks([](Program& p) { first<If>(p).then_block = BlockId{kFar}; }, "names block 99"));
  EXPECT_TRUE(breaks([](Program& p) { first<Var>(p).var = VarId{kFar}; }, "names variable 99"));
  EXPECT_TRUE(breaks([](Program& p) { first<Get>(p).var = VarId{kFar}; }, "names variable 99"));
  EXPECT_TRUE(
      breaks([](Program& p) { first<Load>(p).from.buffer = BufferId{kFar}; }, "names buffer 99"));
  EXPECT_TRUE(
      breaks([](Program& p) { first<Load>(p).first = ValueId{kFar}; }, "from %99 on, of 3"));
  EXPECT_TRUE(
      breaks([](Program& p) { first<Load>(p).first = kNone<ValueId>; }, "it binds 1 values"));
  EXPECT_TRUE(breaks([](Program& p) { p.buffers[0].layout = LayoutId{kFar}; }, "has layout 99"));
  EXPECT_TRUE(breaks([](Program& p) { p.buffers[1].same_length_as = BufferId{kFar}; },
                     "as long as buffer 99"));
  EXPECT_TRUE(breaks(
      [](Program& p) {
        p.stmts.emplace_back(Trap{TrapId{3}, ExprId{0}});
      },
      "names trap 3 of 0"));
  EXPECT_TRUE(
      breaks([](Program& p) { p.stmts.emplace_back(Leave{kNone<BlockId>}); }, "it has no block"));
}

TEST(ReferencesTest, WhatAStatementNeedsIsThere) {
  EXPECT_TRUE(breaks([](Program& p) { first<Let>(p).value = kNone<ExprId>; }, "has no value"));
  EXPECT_TRUE(
      breaks([](Program& p) { first<If>(p).condition = kNone<ExprId>; }, "has no condition"));
  EXPECT_TRUE(breaks([](Program& p) { first<If>(p).then_block = kNone<BlockId>; }, "has no block"));
  EXPECT_TRUE(breaks(
      [](Program& p) {
        p.stmts.emplace_back(Switch{ExprId{0}, {}, kNone<BlockId>});
      },
      "has no default block"));
  EXPECT_TRUE(
      breaks([](Program& p) { p.stmts.emplace_back(Loop{kNone<BlockId>}); }, "has no body"));
  EXPECT_TRUE(breaks([](Program& p) { first<Load>(p).from.path[0].index = kNone<ExprId>; },
                     "index of its path is missing"));
}

TEST(ReferencesTest, EnumeratorsAreKnown) {
  EXPECT_TRUE(breaks([](Program& p) { p.layouts[0].kind = LayoutKind{9}; }, "unknown kind"));
  EXPECT_TRUE(
      breaks([](Program& p) { p.layouts[0].scalar = ScalarType{77}; }, "unknown kind or scalar"));
  EXPECT_TRUE(breaks([](Program& p) { p.buffers[0].space = Space{9}; }, "unknown space"));
  EXPECT_TRUE(
      breaks([](Program& p) { p.buffers[0].access = Access{9}; }, "unknown space or access"));
  EXPECT_TRUE(breaks([](Program& p) { p.values[0] = ScalarType::u8; }, "value %0 has a type"));
  EXPECT_TRUE(breaks([](Program& p) { p.vars[0] = ScalarType{77}; }, "variable $0 has a type"));
  EXPECT_TRUE(breaks([](Program& p) { p.exprs[0].kind = ExprKind{9}; }, "no known kind"));
  EXPECT_TRUE(breaks([](Program& p) { operation(p).op = Op{250}; }, "no known kind"));
  EXPECT_TRUE(
      breaks([](Program& p) { first<Load>(p).from.path[0].kind = Step::Kind{5}; }, "of no kind"));
  EXPECT_TRUE(breaks(
      [](Program& p) {
        p.stmts.emplace_back(Atomic{AtomicOp{50}, ValueId{0}, {BufferId{0}}});
      },
      "unknown atomic"));
  EXPECT_TRUE(breaks(
      [](Program& p) {
        p.stmts.emplace_back(Subgroup{SubgroupOp{50}, ValueId{0}});
      },
      "unknown subgroup"));
}

TEST(ReferencesTest, BlocksAndStatementsFormATree) {
  EXPECT_TRUE(breaks([](Program& p) { first<If>(p).else_block = first<If>(p).then_block; },
                     "another place already"));
  EXPECT_TRUE(
      breaks([](Program& p) { first<If>(p).then_block = p.body; }, "another place already"));
  EXPECT_TRUE(breaks([](Program& p) { p.blocks[0].stmts.push_back(p.blocks[0].stmts[0]); },
                     "listed twice"));
}

TEST(ReferencesTest, LayoutsContainEarlierOnes) {
  EXPECT_TRUE(
      breaks([](Program& p) { p.layouts[1].element = LayoutId{1}; }, "only contain earlier ones"));
}

TEST(ReferencesTest, ExpressionsAreTrees) {
  EXPECT_TRUE(breaks([](Program& p) { first<Store>(p).values[0] = first<Let>(p).value; },
                     "(`add`) is the operand of 2 places"));
  EXPECT_TRUE(
      breaks([](Program& p) { operation(p).operands[0] = ExprId{60}; }, "does not come before it"));
  EXPECT_TRUE(
      breaks([](Program& p) { operation(p).operands[1] = kNone<ExprId>; }, "too few operands"));
  EXPECT_TRUE(
      breaks([](Program& p) { operation(p).operands[2] = ExprId{0}; }, "too many operands"));
}

/// `out[0] = -(-(… 1))` with this many negations, without the assembler's splitting.
Program negations(std::uint32_t count) {
  Kernel k;
  k.store(Kernel::at(k.out, k.u32(0)), k.u32(1));
  Program program = std::move(k).done();
  ExprId last = first<Store>(program).values[0];
  for (std::uint32_t i = 0; i < count; ++i) {
    program.exprs.push_back({.kind = ExprKind::operation,
                             .op = Op::neg,
                             .operands = {last, kNone<ExprId>, kNone<ExprId>}});
    last = static_cast<ExprId>(static_cast<std::uint32_t>(program.exprs.size() - 1));
  }
  first<Store>(program).values[0] = last;
  return program;
}

TEST(ReferencesTest, ExpressionsAreNoDeeperThanPromised) {
  EXPECT_TRUE(is_valid(negations(kMaxExprDepth)));
  EXPECT_TRUE(
      has_only(negations(kMaxExprDepth + 1), "malformed-program", "more than 24 operations"));
  EXPECT_TRUE(has_only(negations(100000), "malformed-program", "more than 24 operations"));
}

TEST(ReferencesTest, IdsAscendSoThatEachIsBoundOnce) {
  EXPECT_TRUE(breaks([](Program& p) { first<Let>(p).result = ValueId{0}; },
                     "value %0 is bound where value %1 is due"));
  EXPECT_TRUE(breaks([](Program& p) { first<Let>(p).result = ValueId{2}; },
                     "value %2 is bound where value %1 is due"));
  EXPECT_TRUE(breaks(
      [](Program& p) {
        p.vars.push_back(ScalarType::u32);
        first<Var>(p).var = first<Get>(p).var = VarId{1};
      },
      "variable $1 is bound where variable $0 is due"));
}

TEST(ReferencesTest, PlacesMatchStatements) {
  EXPECT_TRUE(is_valid([] {
    Program p = good();
    p.places.clear();
    return p;
  }()));
  EXPECT_TRUE(breaks([](Program& p) { p.places.pop_back(); }, "5 places for 6 statements"));
}

TEST(ReferencesTest, MessagesNameTheStatementWhereNoPlaceIsKnown) {
  EXPECT_TRUE(
      breaks([](Program& p) { first<Let>(p).value = kNone<ExprId>; }, "(statement 1, `let`)"));
}

TEST(ReferencesTest, LoweredProgramsAreCheckedToo) {
  Program program = good();
  EXPECT_TRUE(validate_lowered(program).empty());
  first<Let>(program).value = kNone<ExprId>;
  EXPECT_EQ(codes_of(validate_lowered(program)), (Codes{"malformed-program"}));
}

}  // namespace
}  // namespace vyre
