// SPDX-License-Identifier: MIT OR Apache-2.0
#include <functional>

#include <gtest/gtest.h>

#include "support.h"

// Expectations follow WGSL's uniformity analysis and language.md, section 8.
namespace vyre {
namespace {

Codes check(const Fill& fill) {
  Kernel k;
  fill(k);
  return faults_of(std::move(k).done());
}
std::string report(const Fill& fill) {
  Kernel k;
  fill(k);
  return report_of(std::move(k).done());
}
const Codes kNothing;
const Codes kBarrier = {"divergent-barrier"};

// -------------------------------------------------------------------------------- conditions

/// The faults of a barrier under `if (condition)`.
Codes guarded(const std::function<ExprId(Kernel&)>& condition) {
  return check([&](Kernel& k) { k.when(condition(k), [&] { k.sync(); }); });
}

TEST(UniformityTest, InvocationIdsAreDivergent) {
  for (const Builtin b : {Builtin::global_id, Builtin::local_id, Builtin::local_index})
    EXPECT_EQ(guarded([&](Kernel& k) { return k.less(k.builtin(b), 3); }), kBarrier)
        << to_string(b);
  EXPECT_EQ(guarded([](Kernel& k) { return k.less(k.builtin(Builtin::lane), 3); }), kBarrier);
}

TEST(UniformityTest, WorkgroupIdsAndLengthsAreUniform) {
  for (const Builtin b : {Builtin::workgroup_id, Builtin::num_workgroups, Builtin::subgroup_size})
    EXPECT_EQ(guarded([&](Kernel& k) { return k.less(k.builtin(b), 3); }), kNothing)
        << to_string(b);
  EXPECT_EQ(guarded([](Kernel& k) { return k.less(k.length(k.in), 3); }), kNothing);
}

TEST(UniformityTest, OperationsAreAsTheirOperands) {
  EXPECT_EQ(guarded([](Kernel& k) {
              return k.less(k.op(Op::add, {k.wid(), k.op(Op::mul, {k.length(k.in), k.u32(2)})}), 9);
            }),
            kNothing);
  EXPECT_EQ(guarded([](Kernel& k) {
              return k.less(k.op(Op::add, {k.wid(), k.op(Op::mul, {k.lid(), k.u32(0)})}), 9);
            }),
            kBarrier);
}

TEST(UniformityTest, ReadOnlyMemoryIsAsItsIndex) {
  EXPECT_EQ(guarded([](Kernel& k) { return k.less(k.load(Kernel::member(k.params, 1)), 3); }),
            kNothing);
  EXPECT_EQ(guarded([](Kernel& k) { return k.less(k.load(Kernel::at(k.in, k.wid())), 3); }),
            kNothing);
  EXPECT_EQ(guarded([](Kernel& k) { return k.less(k.load(Kernel::at(k.in, k.lid())), 3); }),
            kBarrier);
}

TEST(UniformityTest, WritableMemoryIsDivergent) {
  EXPECT_EQ(guarded([](Kernel& k) { return k.less(k.load(Kernel::at(k.out, k.u32(0))), 3); }),
            kBarrier);
  EXPECT_EQ(guarded([](Kernel& k) { return k.less(k.load(Kernel::at(k.tile, k.u32(0))), 3); }),
            kBarrier);
}

TEST(UniformityTest, UniformLoadsAreUniform) {
  EXPECT_EQ(guarded([](Kernel& k) {
              return k.less(k.uniform_load(Kernel::at(k.tile, k.u32(0))).front(), 3);
            }),
            kNothing);
}

TEST(UniformityTest, AtomicResultsAreDivergent) {
  EXPECT_EQ(
      guarded([](Kernel& k) {
        const BufferId counter = k.buffer(
            {.name = "counter", .space = Space::workgroup, .layout = k.atomic(ScalarType::u32)});
        return k.less(k.atomic(AtomicOp::add, {.buffer = counter}, k.u32(1)), 3);
      }),
      kBarrier);
}

TEST(UniformityTest, LocalMemoryIsAsItsStores) {
  const auto local = [](Kernel& k, ExprId value, ExprId index) {
    const BufferId mine = k.buffer(
        {.name = "mine", .space = Space::local, .layout = k.array(k.scalar(ScalarType::u32), 4)});
    k.store(Kernel::at(mine, index), value);
    return k.less(k.load(Kernel::at(mine, k.u32(0))), 3);
  };
  EXPECT_EQ(guarded([&](Kernel& k) { return local(k, k.wid(), k.u32(0)); }), kNothing);
  EXPECT_EQ(guarded([&](Kernel& k) { return local(k, k.lid(), k.u32(0)); }), kBarrier);
  EXPECT_EQ(guarded([&](Kernel& k) { return local(k, k.wid(), k.lid()); }), kBarrier);
}

TEST(UniformityTest, LocalMemoryStoredInDivergentFlowIsDivergent) {
  EXPECT_EQ(guarded([&](Kernel& k) {
              const BufferId mine = k.buffer({.name = "mine",
                                              .space = Space::local,
                                              .layout = k.array(k.scalar(ScalarType::u32), 4)});
              k.when(k.less(k.lid(), 3), [&] { k.store(Kernel::at(mine, k.u32(0)), k.u32(9)); });
              return k.less(k.load(Kernel::at(mine, k.u32(0))), 3);
            }),
            kBarrier);
}

TEST(UniformityTest, LocalMemoryFollowsTheOrderOfItsStores) {
  const auto barrier_in_the_middle = [](bool loops, bool uniform) {
    return check([&](Kernel& k) {
      const BufferId mine = k.buffer(
          {.name = "mine", .space = Space::local, .layout = k.array(k.scalar(ScalarType::u32), 4)});
      const auto turn = [&] {
        k.when(k.less(k.load(Kernel::at(mine, k.u32(0))), 3), [&] { k.sync(); });
        k.store(Kernel::at(mine, k.u32(1)), uniform ? k.wid() : k.lid());
      };
      if (loops)
        k.count(k.u32(0), k.u32(4), k.u32(1), [&](VarId) { turn(); });
      else
        turn();
    });
  };
  EXPECT_EQ(barrier_in_the_middle(false, false), kNothing);
  EXPECT_EQ(barrier_in_the_middle(true, false), kBarrier);
  EXPECT_EQ(barrier_in_the_middle(true, true), kNothing);
}

// --------------------------------------------------------------------------------- branches

TEST(UniformityTest, BothArmsOfADivergentIfAreDivergent) {
  EXPECT_EQ(check([](Kernel& k) {
              const BlockId a = k.block([&] { k.sync(); });
              const BlockId b = k.block([&] { k.sync(); });
              k.if_(k.less(k.gid(), 3), a, b);
            }),
            (Codes{"divergent-barrier", "divergent-barrier"}));
}

TEST(UniformityTest, FlowReconvergesAfterAnIf) {
  EXPECT_EQ(check([](Kernel& k) {
              k.when(k.less(k.gid(), 3), [&] { k.store(Kernel::at(k.out, k.gid()), k.u32(1)); });
              k.sync();
            }),
            kNothing);
}

TEST(UniformityTest, NestedUniformConditionsDoNotHelp) {
  EXPECT_EQ(check([](Kernel& k) {
              k.when(k.less(k.gid(), 3), [&] { k.when(k.less(k.wid(), 3), [&] { k.sync(); }); });
            }),
            kBarrier);
}

TEST(UniformityTest, SwitchesAreAsTheirSelectors) {
  const auto selected = [](Builtin b) {
    return check([&](Kernel& k) {
      const BlockId one = k.block([&] { k.sync(); });
      const BlockId other = k.block([&] { k.break_(); });
      k.switch_(k.builtin(b), {{{1, 2}, one}}, other);
      k.sync();
    });
  };
  EXPECT_EQ(selected(Builtin::workgroup_id), kNothing);
  EXPECT_EQ(selected(Builtin::local_index), kBarrier);
}

// ------------------------------------------------------------------------------------- jumps

TEST(UniformityTest, AReturnInDivergentFlowMakesTheRestDivergent) {
  EXPECT_EQ(check([](Kernel& k) {
              k.when(k.less(k.gid(), 3), [&] { k.return_(); });
              k.sync();
            }),
            kBarrier);
}

TEST(UniformityTest, AReturnInUniformFlowDoesNot) {
  EXPECT_EQ(check([](Kernel& k) {
              k.when(k.op(Op::eq, {k.wid(), k.u32(0)}), [&] { k.return_(); });
              k.sync();
            }),
            kNothing);
}

TEST(UniformityTest, AReturnInOneArmDoesNotReachTheOther) {
  EXPECT_EQ(check([](Kernel& k) {
              const BlockId a = k.block([&] { k.when(k.less(k.lid(), 3), [&] { k.return_(); }); });
              const BlockId b = k.block([&] { k.sync(); });
              k.if_(k.less(k.wid(), 3), a, b);
            }),
            kNothing);
}

TEST(UniformityTest, ALeaveIsDivergentUpToTheEndOfItsScope) {
  const auto left = [](bool inside) {
    return check([&](Kernel& k) {
      const BlockId scope = k.open();
      k.when(k.less(k.lid(), 3), [&] { k.leave(scope); });
      if (inside) k.sync();
      k.close();
      k.scope(scope);
      k.sync();
    });
  };
  EXPECT_EQ(left(false), kNothing);
  EXPECT_EQ(left(true), kBarrier);
}

TEST(UniformityTest, ALeaveOfAnOuterScopePassesTheInnerOne) {
  EXPECT_EQ(check([](Kernel& k) {
              const BlockId outer = k.open();
              const BlockId inner = k.open();
              k.when(k.less(k.lid(), 3), [&] { k.leave(outer); });
              k.close();
              k.scope(inner);
              k.sync();
              k.close();
              k.scope(outer);
              k.sync();
            }),
            kBarrier);
}

TEST(UniformityTest, UnreachableBarriersAreNoFault) {
  EXPECT_EQ(check([](Kernel& k) {
              k.when(k.less(k.gid(), 3), [&] {
                k.return_();
                k.sync();
              });
            }),
            kNothing);
  EXPECT_EQ(check([](Kernel& k) {
              const BlockId a = k.block([&] { k.return_(); });
              const BlockId b = k.block([&] { k.return_(); });
              k.if_(k.less(k.gid(), 3), a, b);
              k.sync();
            }),
            kNothing);
}

TEST(UniformityTest, ATrapIsNoControlFlow) {
  EXPECT_EQ(check([](Kernel& k) {
              k.when(k.less(k.gid(), 3), [&] { k.trap(k.trap_tag("no"), k.u32(1)); });
              k.sync();
            }),
            kNothing);
}

// ------------------------------------------------------------------------------------- loops

TEST(UniformityTest, ALoopWithUniformBoundsIsUniform) {
  EXPECT_EQ(check([](Kernel& k) {
              const ExprId n = k.load(Kernel::member(k.params, 0));
              k.count(k.u32(1), n, k.u32(2), [&](VarId i) {
                k.when(k.op(Op::lt, {k.lid(), k.get(i)}),
                       [&] { k.store(Kernel::at(k.tile, k.lid()), k.u32(0)); });
                k.sync();
              });
              k.sync();
            }),
            kNothing);
}

TEST(UniformityTest, ALoopWithALaneDependentExitIsDivergentInside) {
  const auto loop = [](bool inside, bool after) {
    return check([&](Kernel& k) {
      k.count(k.lid(), k.length(k.in), k.u32(64), [&](VarId) {
        if (inside) k.sync();
      });
      if (after) k.sync();
    });
  };
  EXPECT_EQ(loop(true, false), kBarrier);
  EXPECT_EQ(loop(false, true), kNothing);
}

TEST(UniformityTest, ABarrierBeforeALaneDependentExitIsReachedAgain) {
  EXPECT_EQ(check([](Kernel& k) {
              const BlockId body = k.block([&] {
                k.sync();
                k.when(k.less(k.lid(), 3), [&] { k.break_(); });
              });
              k.loop(body);
            }),
            kBarrier);
}

TEST(UniformityTest, BreakIfDecidesOnTheNextIteration) {
  const auto loop = [](Builtin b) {
    return check([&](Kernel& k) {
      const BlockId body = k.block([&] { k.sync(); });
      const BlockId next = k.block([] {});
      k.loop(body, next, k.less(k.builtin(b), 3));
      k.sync();
    });
  };
  EXPECT_EQ(loop(Builtin::workgroup_id), kNothing);
  EXPECT_EQ(loop(Builtin::local_index), kBarrier);
}

TEST(UniformityTest, AContinueIsDivergentUpToTheEndOfItsLoop) {
  // Invocations that take it may be a turn ahead of the others.
  enum class At { before, after, next, end };
  const auto loop = [](Builtin decides, At barrier) {
    return check([&](Kernel& k) {
      const BlockId body = k.block([&] {
        if (barrier == At::before) k.sync();
        k.when(k.less(k.builtin(decides), 3), [&] { k.continue_(); });
        if (barrier == At::after) k.sync();
      });
      const BlockId next = k.block([&] {
        if (barrier == At::next) k.sync();
      });
      k.loop(body, next, k.less(k.wid(), 3));
      if (barrier == At::end) k.sync();
    });
  };
  for (const At at : {At::before, At::after, At::next}) {
    EXPECT_EQ(loop(Builtin::local_index, at), kBarrier) << static_cast<int>(at);
    EXPECT_EQ(loop(Builtin::workgroup_id, at), kNothing) << static_cast<int>(at);
  }
  EXPECT_EQ(loop(Builtin::local_index, At::end), kNothing);
}

TEST(UniformityTest, AContinueOfAnInnerLoopLeavesTheOuterOne) {
  EXPECT_EQ(check([](Kernel& k) {
              k.count(k.u32(0), k.u32(4), k.u32(1), [&](VarId) {
                k.sync();
                k.count(k.u32(0), k.u32(4), k.u32(1),
                        [&](VarId) { k.when(k.less(k.lid(), 3), [&] { k.continue_(); }); });
                k.sync();
              });
            }),
            kNothing);
}

TEST(UniformityTest, AReturnInALoopReachesWhatFollowsTheLoop) {
  EXPECT_EQ(check([](Kernel& k) {
              k.count(k.u32(0), k.u32(4), k.u32(1),
                      [&](VarId) { k.when(k.less(k.lid(), 3), [&] { k.return_(); }); });
              k.sync();
            }),
            kBarrier);
}

TEST(UniformityTest, AUniformReturnBesideADivergentLeaveDoesNot) {
  EXPECT_EQ(check([](Kernel& k) {
              const BlockId scope = k.open();
              k.when(k.less(k.wid(), 3), [&] { k.return_(); });
              k.when(k.less(k.lid(), 3), [&] { k.leave(scope); });
              k.close();
              k.scope(scope);
              k.sync();
            }),
            kNothing);
}

TEST(UniformityTest, AUniformReturnFromADivergentLoopIsDivergent) {
  EXPECT_EQ(check([](Kernel& k) {
              const BlockId body = k.block([&] {
                const ExprId x = k.load(Kernel::member(k.params, 0));
                k.when(k.less(x, 3), [&] { k.return_(); });
                k.when(k.less(k.lid(), 3), [&] { k.break_(); });
              });
              k.loop(body);
              k.sync();
            }),
            kBarrier);
}

TEST(UniformityTest, ABreakOfASwitchInALoopStaysThere) {
  EXPECT_EQ(check([](Kernel& k) {
              const BlockId body = k.block([&] {
                const BlockId one = k.block([&] { k.break_(); });
                const BlockId other = k.block([] {});
                k.switch_(k.lid(), {{{1}, one}}, other);
                k.sync();
                k.when(k.less(k.wid(), 3), [&] { k.break_(); });
              });
              k.loop(body);
            }),
            kNothing);
}

// --------------------------------------------------------------------------------- variables

TEST(UniformityTest, AVariableIsAsWhatItWasSetTo) {
  const auto last = [](bool divergent) {
    return guarded([&](Kernel& k) {
      const VarId x = k.var(ScalarType::u32, divergent ? k.wid() : k.lid());
      k.set(x, divergent ? k.lid() : k.wid());
      return k.less(k.get(x), 3);
    });
  };
  EXPECT_EQ(last(false), kNothing);
  EXPECT_EQ(last(true), kBarrier);
}

TEST(UniformityTest, AVariableSetInDivergentFlowIsDivergent) {
  EXPECT_EQ(guarded([](Kernel& k) {
              const VarId x = k.var(ScalarType::u32);
              k.when(k.less(k.lid(), 3), [&] { k.set(x, k.u32(1)); });
              return k.less(k.get(x), 1);
            }),
            kBarrier);
}

TEST(UniformityTest, AVariableSetInUniformFlowIsNot) {
  EXPECT_EQ(guarded([](Kernel& k) {
              const VarId x = k.var(ScalarType::u32);
              k.when(k.less(k.wid(), 3), [&] { k.set(x, k.u32(1)); });
              return k.less(k.get(x), 1);
            }),
            kNothing);
}

TEST(UniformityTest, OneDivergentArmIsEnough) {
  EXPECT_EQ(guarded([](Kernel& k) {
              const VarId x = k.var(ScalarType::u32);
              const BlockId a = k.block([&] { k.set(x, k.wid()); });
              const BlockId b = k.block([&] { k.set(x, k.lid()); });
              k.if_(k.less(k.wid(), 3), a, b);
              return k.less(k.get(x), 1);
            }),
            kBarrier);
}

TEST(UniformityTest, BothArmsMayMakeAVariableUniformAgain) {
  EXPECT_EQ(guarded([](Kernel& k) {
              const VarId x = k.var(ScalarType::u32, k.lid());
              const BlockId a = k.block([&] { k.set(x, k.wid()); });
              const BlockId b = k.block([&] { k.set(x, k.u32(7)); });
              k.if_(k.less(k.wid(), 3), a, b);
              return k.less(k.get(x), 1);
            }),
            kNothing);
}

TEST(UniformityTest, AnArmThatReturnsDoesNotCount) {
  EXPECT_EQ(guarded([](Kernel& k) {
              const VarId x = k.var(ScalarType::u32);
              k.when(k.less(k.wid(), 3), [&] {
                k.set(x, k.lid());
                k.return_();
              });
              return k.less(k.get(x), 1);
            }),
            kNothing);
}

TEST(UniformityTest, DivergenceComesAroundALoop) {
  // x is divergent from the second iteration on.
  EXPECT_EQ(check([](Kernel& k) {
              const VarId x = k.var(ScalarType::u32);
              const VarId y = k.var(ScalarType::u32);
              k.count(k.u32(0), k.u32(4), k.u32(1), [&](VarId) {
                k.when(k.less(k.get(x), 1), [&] { k.sync(); });
                k.set(x, k.get(y));
                k.set(y, k.lid());
              });
            }),
            kBarrier);
}

TEST(UniformityTest, AVariableThatCountsIterationsOfADivergentLoopIsDivergent) {
  EXPECT_EQ(guarded([](Kernel& k) {
              const VarId n = k.var(ScalarType::u32);
              k.count(k.lid(), k.u32(64), k.u32(1), [&](VarId) {
                k.set(n, k.op(Op::add, {k.get(n), k.u32(1)}));
              });
              return k.less(k.get(n), 3);
            }),
            kBarrier);
}

TEST(UniformityTest, AVariableSetBeforeABreakKeepsItsValue) {
  EXPECT_EQ(guarded([](Kernel& k) {
              const VarId x = k.var(ScalarType::u32, k.lid());
              const BlockId body = k.block([&] {
                k.set(x, k.wid());
                k.when(k.less(k.wid(), 3), [&] { k.break_(); });
                k.set(x, k.lid());
              });
              k.loop(body);
              return k.less(k.get(x), 1);
            }),
            kNothing);
}

TEST(UniformityTest, AVariableOfTheBodyStartsAnew) {
  EXPECT_EQ(check([](Kernel& k) {
              k.count(k.u32(0), k.u32(4), k.u32(1), [&](VarId) {
                const VarId x = k.var(ScalarType::u32);
                k.when(k.less(k.get(x), 1), [&] { k.sync(); });
                k.set(x, k.lid());
              });
            }),
            kNothing);
}

// ------------------------------------------------------------------- what must be uniform

TEST(UniformityTest, AUniformLoadNeedsAUniformIndexAndUniformFlow) {
  EXPECT_EQ(check([](Kernel& k) { k.uniform_load(Kernel::at(k.tile, k.wid())); }), kNothing);
  EXPECT_EQ(check([](Kernel& k) { k.uniform_load(Kernel::at(k.tile, k.lid())); }),
            (Codes{"divergent-operand"}));
  EXPECT_EQ(check([](Kernel& k) {
              k.when(k.less(k.lid(), 3), [&] { k.uniform_load(Kernel::at(k.tile, k.u32(0))); });
            }),
            kBarrier);
}

// ---------------------------------------------------------------------------------- messages

TEST(UniformityTest, TheReportNamesTheConditionAndItsSource) {
  EXPECT_EQ(
      report([](Kernel& k) {
        k.set_sources(std::make_shared<const std::vector<Source>>(
            std::vector<Source>{{"k.wgsl", "let a = id.x;\nif (a < 3) {\n  barrier();\n}\n"}}));
        k.set_place({0, 1, 5, 1});
        const ExprId a = k.let(k.gid());
        const BlockId then = k.block([&] {
          k.set_place({0, 3, 3, 7});
          k.sync();
        });
        k.set_place({0, 2, 5, 5});
        k.if_(k.less(a, 3), then);
      }),
      "k.wgsl:3:3: error[divergent-barrier]: a barrier may be reached by only some invocations "
      "of a workgroup: that depends on `global_id.x`\n"
      "    barrier();\n"
      "    ^~~~~~~\n"
      "k.wgsl:2:5: note: the condition of this `if` may differ between invocations\n"
      "  if (a < 3) {\n"
      "      ^~~~~\n"
      "k.wgsl:1:5: note: a value is computed here\n"
      "  let a = id.x;\n"
      "      ^\n"
      "k.wgsl:1:5: note: `global_id.x` differs between invocations\n"
      "  let a = id.x;\n"
      "      ^\n"
      "  help: move it out of the divergent branch or loop, or make the condition the same for "
      "the whole workgroup\n"
      "1 error\n");
}

TEST(UniformityTest, TheReportNamesJumpsVariablesAndMemory) {
  const std::string text = report([](Kernel& k) {
    const VarId x = k.var(ScalarType::u32);
    k.set(x, k.load(Kernel::at(k.tile, k.u32(0))));
    k.when(k.less(k.get(x), 3), [&] { k.return_(); });
    k.sync();
  });
  for (const char* part : {"depends on the contents of buffer `tile`", "leave by this `return`",
                           "the condition of this `if`", "variable $0 is set here",
                           "buffer `tile`, read here, may be written"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

}  // namespace
}  // namespace vyre
