// SPDX-License-Identifier: MIT OR Apache-2.0
#include "unit/interpreter/run.h"

namespace vyre::interpreter {
namespace {

Words first(const Words& words, std::size_t count) {
  return {words.begin(), words.begin() + static_cast<std::ptrdiff_t>(count)};
}

TEST(InterpreterControl, RunsEachInvocationOfTheGrid) {
  Kernel k;
  k.store(Kernel::at(k.out, k.gid()), k.op(Op::mul, {k.gid(), k.u32(3)}));
  const Ran ran = run(std::move(k), {.grid = {2, 1, 1}, .out_words = 128});
  for (std::uint32_t i = 0; i < 128; ++i)
    EXPECT_EQ(ran.out[i], i * 3);
}

TEST(InterpreterControl, TakesOneBranch) {
  Kernel k;
  const BlockId then = k.block([&] { k.store(Kernel::at(k.out, k.gid()), k.u32(7)); });
  const BlockId other = k.block([&] { k.store(Kernel::at(k.out, k.gid()), k.u32(9)); });
  k.if_(k.less(k.gid(), 2), then, other);
  EXPECT_EQ(first(run(std::move(k)).out, 4), (Words{7, 7, 9, 9}));
}

TEST(InterpreterControl, ChoosesTheCaseOfTheSelectorElseTheDefault) {
  Kernel k;
  const auto puts = [&](std::uint32_t value) {
    return k.block([&] { k.store(Kernel::at(k.out, k.gid()), k.u32(value)); });
  };
  std::vector<Case> cases = {{{0, 3}, puts(10)}, {{1}, puts(20)}};
  k.switch_(k.gid(), std::move(cases), puts(30));
  EXPECT_EQ(first(run(std::move(k)).out, 5), (Words{10, 20, 30, 10, 30}));
}

/// out[id] = the sum of 0 … 9 without 3, left at 7: 0+1+2+4+5+6 = 18.
TEST(InterpreterControl, ContinuesAndBreaksOutOfNestedBlocks) {
  Kernel k;
  const VarId sum = k.var(ScalarType::u32);
  k.count(k.u32(0), k.u32(10), k.u32(1), [&](VarId i) {
    const ExprId now = k.get(i);
    k.when(k.op(Op::eq, {now, k.u32(3)}), [&] { k.continue_(); });
    k.when(k.op(Op::ge, {now, k.u32(5)}), [&] {
      k.when(k.op(Op::eq, {now, k.u32(7)}), [&] { k.break_(); });
    });
    k.set(sum, k.op(Op::add, {k.get(sum), now}));
  });
  k.store(Kernel::at(k.out, k.gid()), k.get(sum));
  EXPECT_EQ(run(std::move(k)).out[0], 18u);
}

TEST(InterpreterControl, TestsTheEndOfALoopAfterContinuing) {
  Kernel k;
  const VarId i = k.var(ScalarType::u32);
  const BlockId body = k.block([&] {});
  ExprId leaves = kNone<ExprId>;
  const BlockId next = k.block([&] {
    k.set(i, k.op(Op::add, {k.get(i), k.u32(1)}));
    leaves = k.op(Op::ge, {k.get(i), k.gid()});
  });
  k.loop(body, next, leaves);
  k.store(Kernel::at(k.out, k.gid()), k.get(i));
  EXPECT_EQ(first(run(std::move(k)).out, 4), (Words{1, 1, 2, 3}));
}

TEST(InterpreterControl, LeavesANamedScopeFromWithinALoop) {
  Kernel k;
  const BlockId scope = k.open();
  k.count(k.u32(0), k.u32(100), k.u32(1), [&](VarId i) {
    k.when(k.op(Op::eq, {k.get(i), k.u32(5)}), [&] { k.leave(scope); });
    k.store(Kernel::at(k.out, k.u32(0)), k.get(i));
  });
  k.store(Kernel::at(k.out, k.u32(1)), k.u32(1));  // never reached
  k.close();
  k.scope(scope);
  k.store(Kernel::at(k.out, k.u32(2)), k.u32(2));
  EXPECT_EQ(first(run(std::move(k)).out, 3), (Words{4, 0, 2}));
}

TEST(InterpreterControl, ReturnEndsOneInvocation) {
  Kernel k;
  k.when(k.less(k.gid(), 2), [&] { k.return_(); });
  k.store(Kernel::at(k.out, k.gid()), k.u32(1));
  EXPECT_EQ(first(run(std::move(k)).out, 4), (Words{0, 0, 1, 1}));
}

TEST(InterpreterControl, AVariableStartsAnewEachTimeItsDeclarationRuns) {
  Kernel k;
  k.count(k.u32(0), k.u32(3), k.u32(1), [&](VarId i) {
    const VarId fresh = k.var(ScalarType::u32);
    k.set(fresh, k.op(Op::add, {k.get(fresh), k.u32(1)}));
    k.store(Kernel::at(k.out, k.get(i)), k.get(fresh));
  });
  EXPECT_EQ(first(run(std::move(k)).out, 3), (Words{1, 1, 1}));
}

TEST(InterpreterControl, StopsWhenItsStepsAreSpent) {
  Kernel k;
  k.loop(k.block([] {}));
  const Ran ran = run(std::move(k), {.max_steps = 1000});
  EXPECT_TRUE(ran.report.out_of_steps);
}

TEST(InterpreterControl, ATrapEndsTheInvocationAndTheFirstIsKept) {
  Kernel k;
  const TrapId tag = k.trap_tag("too small");
  k.when(k.op(Op::ge, {k.gid(), k.u32(62)}), [&] { k.trap(tag, k.gid()); });
  k.store(Kernel::at(k.out, k.gid()), k.u32(1));
  const Ran ran = run(std::move(k));
  EXPECT_EQ(ran.report.trap.count, 2u);
  EXPECT_EQ(ran.report.trap.tag, tag);
  EXPECT_EQ(ran.report.trap.value, 62u);
  EXPECT_EQ(ran.report.trap.invocation, 62u);
  EXPECT_EQ(ran.out[61], 1u);
  EXPECT_EQ(ran.out[62], 0u);
}

TEST(InterpreterControl, NestsWithoutRecursion) {
  Kernel k;
  constexpr int kDepth = 100000;
  std::vector<BlockId> blocks;
  for (int i = 0; i < kDepth; ++i)
    blocks.push_back(k.open());
  k.store(Kernel::at(k.out, k.gid()), k.u32(1));
  for (int i = 0; i < kDepth; ++i) {
    k.close();
    k.if_(k.boolean(true), blocks[static_cast<std::size_t>(kDepth - 1 - i)]);
  }
  EXPECT_EQ(run(std::move(k)).out[63], 1u);
}

TEST(InterpreterControl, GlobalIdsAreLinearWithXFastest) {
  Assembler k("ids", {2, 3, 1});
  const BufferId out = k.buffer(
      {.name = "out", .access = Access::output, .layout = k.array(k.scalar(ScalarType::u32), 0)});
  const TrapId tag = k.trap_tag("here");
  const auto is = [&](std::uint8_t axis, std::uint32_t value) {
    return k.op(Op::eq, {k.builtin(Builtin::global_id, axis), k.u32(value)});
  };
  const BlockId body = k.open();
  k.trap(tag, k.length(out));
  k.close();
  k.if_(k.op(Op::logical_and, {is(0, 3), is(1, 4)}), body);
  const Program program = std::move(k).finish();
  Words words(5);
  const BufferBytes buffers[] = {{std::as_writable_bytes(std::span(words)), 5}};
  RunInputs inputs;
  inputs.grid = inputs.logical_grid = {2, 2, 1};
  inputs.buffers = buffers;
  const RunReport report = interpret(program, inputs);
  EXPECT_EQ(report.trap.invocation, 4u * 4 + 3);  // 4 invocations a row
  EXPECT_EQ(report.trap.value, 5u);
}

}  // namespace
}  // namespace vyre::interpreter
