// SPDX-License-Identifier: MIT OR Apache-2.0
#include <gtest/gtest.h>

#include "unit/backend/cpu/rig.h"

// Every statement that directs control, with lanes that agree and lanes that do not.  The expected
// words are the same algorithm in C++, one invocation at a time.
namespace vyre::cpu {
namespace {

constexpr std::uint32_t kGroups = 3;
constexpr std::uint32_t kSize = 150;  // more than one strip, and no multiple of anything
constexpr std::uint32_t kCount = kGroups * kSize;

/// Writes a kernel whose result is variable `result`, runs it, and compares with `f(gid)`.
template <typename Write, typename F>
void check(Write&& write, F&& f) {
  for (const bool with_barrier : {false, true}) {
    Kernel k({kSize, 1, 1});
    const VarId result = k.var(ScalarType::u32);
    // A barrier makes the strips of a workgroup take turns.
    if (with_barrier) k.barrier(true, false);
    const BlockId all = k.block([&] { write(k, result); });
    k.scope(all);
    k.put(k.gid(), k.get(result));
    EXPECT_EQ(run(std::move(k), kGroups, kCount), expected(kCount, f));
  }
}

/// loop { body; continuing: i += 1; break if i >= limit }
template <typename Body>
void repeat(Kernel& k, ExprId limit, Body&& body) {
  const VarId i = k.var(ScalarType::u32);
  const BlockId loop_body = k.block([&] { body(i); });
  const BlockId continuing = k.open();
  k.add_to(i, k.u32(1));
  const ExprId done = k.op(Op::ge, {k.get(i), limit});
  k.close();
  k.loop(loop_body, continuing, done);
}

TEST(ControlFlow, If) {
  check(
      [](Kernel& k, VarId result) {
        const BlockId then_block = k.block([&] { k.set(result, k.u32(1)); });
        const BlockId else_block = k.block([&] {
          k.when(k.less(k.gid(), k.u32(40)), [&] { k.set(result, k.u32(2)); });
          k.add_to(result, k.u32(10));
        });
        k.if_(k.odd(k.gid()), then_block, else_block);
        k.add_to(result, k.u32(100));
      },
      [](std::uint32_t gid) { return 100 + (gid % 2 == 1 ? 1u : 10u + (gid < 40 ? 2u : 0u)); });
}

TEST(ControlFlow, IfThatAllOrNoLanesTake) {
  for (const bool taken : {false, true})
    check(
        [&](Kernel& k, VarId result) {
          const ExprId condition = k.equal(k.length(k.out), k.u32(taken ? kCount : 0));
          const BlockId yes = k.block([&] { k.set(result, k.u32(1)); });
          const BlockId no = k.block([&] { k.set(result, k.u32(2)); });
          k.if_(condition, yes, no);
        },
        [&](std::uint32_t) { return taken ? 1u : 2u; });
}

TEST(ControlFlow, LoopWithLaneDependentLength) {
  check(
      [](Kernel& k, VarId result) {
        repeat(k, k.op(Op::rem, {k.gid(), k.u32(17)}),
               [&](VarId i) { k.add_to(result, k.add(k.get(i), k.gid())); });
      },
      [](std::uint32_t gid) {
        std::uint32_t sum = 0;
        std::uint32_t i = 0;
        do
          sum += i + gid;
        while (++i < gid % 17);
        return sum;
      });
}

TEST(ControlFlow, BreakAndContinue) {
  check(
      [](Kernel& k, VarId result) {
        repeat(k, k.u32(20), [&](VarId i) {
          k.when(k.odd(k.add(k.get(i), k.gid())), [&] { k.continue_(); });
          k.when(k.op(Op::gt, {k.get(i), k.op(Op::rem, {k.gid(), k.u32(13)})}),
                 [&] { k.break_(); });
          k.add_to(result, k.add(k.get(i), k.u32(1)));
        });
      },
      [](std::uint32_t gid) {
        std::uint32_t sum = 0;
        for (std::uint32_t i = 0; i < 20; ++i) {
          if ((i + gid) % 2 == 1) continue;
          if (i > gid % 13) break;
          sum += i + 1;
        }
        return sum;
      });
}

TEST(ControlFlow, NestedLoops) {
  check(
      [](Kernel& k, VarId result) {
        repeat(k, k.u32(7), [&](VarId i) {
          k.when(k.equal(k.get(i), k.op(Op::rem, {k.gid(), k.u32(9)})), [&] { k.continue_(); });
          repeat(k, k.op(Op::rem, {k.gid(), k.u32(5)}), [&](VarId j) {
            k.when(k.equal(k.get(j), k.get(i)), [&] { k.break_(); });
            k.add_to(result, k.add(k.mul(k.get(i), k.u32(10)), k.get(j)));
          });
          k.when(k.op(Op::gt, {k.get(result), k.u32(150)}), [&] { k.break_(); });
        });
      },
      [](std::uint32_t gid) {
        std::uint32_t sum = 0;
        for (std::uint32_t i = 0; i < 7; ++i) {
          if (i == gid % 9) continue;
          std::uint32_t j = 0;
          do {
            if (j == i) break;
            sum += i * 10 + j;
          } while (++j < gid % 5);
          if (sum > 150) break;
        }
        return sum;
      });
}

TEST(ControlFlow, AValueFromBeforeALoopLivesThroughIt) {
  check(
      [](Kernel& k, VarId result) {
        const ExprId seven = k.let(k.mul(k.gid(), k.u32(7)));
        repeat(k, k.u32(5), [&](VarId i) {
          const ExprId a = k.let(k.add(seven, k.get(i)));
          const ExprId b = k.let(k.mul(a, a));
          const ExprId c = k.let(k.add(b, a));
          k.add_to(result, c);
        });
      },
      [](std::uint32_t gid) {
        std::uint32_t sum = 0;
        for (std::uint32_t i = 0; i < 5; ++i)
          sum += (gid * 7 + i) * (gid * 7 + i) + gid * 7 + i;
        return sum;
      });
}

TEST(ControlFlow, AReadKeepsItsValueWhenTheVariableChanges) {
  check(
      [](Kernel& k, VarId result) {
        const VarId x = k.var(ScalarType::u32, k.gid());
        const ExprId before = k.get(x);
        k.when(k.odd(k.gid()), [&] { k.set(x, k.u32(1000)); });
        const ExprId after = k.get(x);
        k.set(result, k.add(k.mul(before, k.u32(10000)), after));
      },
      [](std::uint32_t gid) { return gid * 10000 + (gid % 2 == 1 ? 1000 : gid); });
}

TEST(ControlFlow, AReadBeforeALoopIsNotChangedByIt) {
  check(
      [](Kernel& k, VarId result) {
        const VarId x = k.var(ScalarType::u32, k.gid());
        const ExprId before = k.get(x);
        repeat(k, k.u32(3), [&](VarId) {
          k.add_to(result, before);
          k.add_to(x, k.u32(1));
        });
      },
      [](std::uint32_t gid) { return gid * 3; });
}

TEST(ControlFlow, AVariableInALoopStartsAnew) {
  check(
      [](Kernel& k, VarId result) {
        repeat(k, k.u32(4), [&](VarId i) {
          const VarId fresh = k.var(ScalarType::u32);
          k.add_to(fresh, k.get(i));
          k.add_to(result, k.get(fresh));
        });
      },
      [](std::uint32_t) { return 6u; });
}

TEST(ControlFlow, Switch) {
  check(
      [](Kernel& k, VarId result) {
        const BlockId one = k.block([&] { k.set(result, k.u32(11)); });
        const BlockId many = k.block([&] {
          k.set(result, k.u32(22));
          k.when(k.less(k.gid(), k.u32(60)), [&] { k.break_(); });
          k.add_to(result, k.gid());
        });
        const BlockId other = k.block([&] { k.set(result, k.u32(33)); });
        k.switch_(k.op(Op::rem, {k.gid(), k.u32(9)}),
                  {{.values = {4}, .block = one}, {.values = {1, 7, 5}, .block = many}}, other);
        k.add_to(result, k.u32(1000));
      },
      [](std::uint32_t gid) {
        const std::uint32_t selector = gid % 9;
        if (selector == 4) return 1011u;
        if (selector == 1 || selector == 7 || selector == 5) return gid < 60 ? 1022u : 1022 + gid;
        return 1033u;
      });
}

TEST(ControlFlow, SwitchOnSignedValuesInALoop) {
  check(
      [](Kernel& k, VarId result) {
        repeat(k, k.u32(6), [&](VarId i) {
          const ExprId signed_i = k.op(Op::sub, {k.convert(ScalarType::i32, k.get(i)), k.i32(2)});
          const BlockId minus = k.block([&] { k.continue_(); });
          const BlockId two = k.block([&] {
            k.when(k.odd(k.gid()), [&] { k.break_(); });
            k.add_to(result, k.u32(100));
          });
          const BlockId rest = k.block([&] { k.add_to(result, k.u32(1)); });
          k.switch_(signed_i,
                    {{.values = {0xffffffffu}, .block = minus}, {.values = {2}, .block = two}},
                    rest);
          k.add_to(result, k.u32(10));
        });
      },
      [](std::uint32_t gid) {
        std::uint32_t sum = 0;
        for (int i = 0; i < 6; ++i) {
          if (i - 2 == -1) continue;
          if (i - 2 == 2) {
            if (gid % 2 == 0) sum += 100;
          } else {
            sum += 1;
          }
          sum += 10;
        }
        return sum;
      });
}

TEST(ControlFlow, LeaveGoesToTheEndOfItsScope) {
  check(
      [](Kernel& k, VarId result) {
        const BlockId outer = k.open();
        const BlockId inner = k.open();
        k.when(k.odd(k.gid()), [&] { k.leave(inner); });
        k.when(k.less(k.gid(), k.u32(50)), [&] { k.leave(outer); });
        k.add_to(result, k.u32(1));
        k.close();
        k.scope(inner);
        k.add_to(result, k.u32(10));
        k.close();
        k.scope(outer);
        k.add_to(result, k.u32(100));
      },
      [](std::uint32_t gid) {
        if (gid % 2 == 1) return 110u;
        return gid < 50 ? 100u : 111u;
      });
}

TEST(ControlFlow, LeaveOutOfLoops) {
  check(
      [](Kernel& k, VarId result) {
        const BlockId scope = k.open();
        repeat(k, k.u32(10), [&](VarId i) {
          repeat(k, k.u32(10), [&](VarId j) {
            const ExprId at = k.add(k.mul(k.get(i), k.u32(10)), k.get(j));
            k.when(k.equal(at, k.op(Op::rem, {k.gid(), k.u32(120)})), [&] { k.leave(scope); });
            k.add_to(result, k.u32(1));
          });
        });
        k.add_to(result, k.u32(1000));
        k.close();
        k.scope(scope);
      },
      [](std::uint32_t gid) { return gid % 120 < 100 ? gid % 120 : 1100u; });
}

TEST(ControlFlow, ReturnEndsTheInvocation) {
  Kernel k({kSize, 1, 1});
  k.put(k.gid(), k.u32(1));
  repeat(k, k.u32(4), [&](VarId i) {
    k.when(k.equal(k.get(i), k.op(Op::rem, {k.gid(), k.u32(6)})), [&] { k.return_(); });
    k.put(k.gid(), k.add(k.get(i), k.u32(2)));
  });
  k.put(k.gid(), k.u32(99));
  EXPECT_EQ(run(std::move(k), kGroups, kCount),
            expected(kCount, [](std::uint32_t gid) { return gid % 6 < 4 ? gid % 6 + 1 : 99u; }));
}

TEST(ControlFlow, BreakIfSeesTheValuesOfContinuing) {
  check(
      [](Kernel& k, VarId result) {
        const BlockId body = k.block([&] { k.add_to(result, k.u32(1)); });
        const BlockId continuing = k.open();
        const ExprId sum = k.let(k.add(k.get(result), k.u32(5)));
        const ExprId enough = k.let(k.op(Op::ge, {sum, k.gid()}));
        k.close();
        k.loop(body, continuing, enough);
      },
      [](std::uint32_t gid) { return gid <= 6 ? 1u : gid - 5; });
}

TEST(ControlFlow, BarriersInUniformLoops) {
  // Each round every lane reads its neighbour's word, which the barrier made visible.
  Kernel k({kSize, 1, 1});
  const BufferId shared = k.elements("shared", ScalarType::u32, kSize, Space::workgroup);
  k.store(at(shared, k.lid()), k.gid());
  repeat(k, k.u32(5), [&](VarId) {
    k.barrier(true, false);
    const ExprId next = k.op(Op::rem, {k.add(k.lid(), k.u32(1)), k.u32(kSize)});
    const ExprId value = k.load(at(shared, next));
    k.barrier(true, false);
    k.store(at(shared, k.lid()), value);
  });
  k.put(k.gid(), k.load(at(shared, k.lid())));
  EXPECT_EQ(run(std::move(k), kGroups, kCount), expected(kCount, [](std::uint32_t gid) {
              return gid / kSize * kSize + (gid % kSize + 5) % kSize;
            }));
}

TEST(ControlFlow, ReturnedAndTrappedLanesHoldNobodyAtABarrier) {
  Kernel k({kSize, 1, 1});
  const BufferId shared = k.elements("shared", ScalarType::u32, kSize, Space::workgroup);
  const TrapId tag = k.trap_tag("gone");
  k.store(at(shared, k.lid()), k.u32(5));
  k.when(k.less(k.lid(), k.u32(140)), [&] { k.trap(tag, k.u32(0)); });
  k.barrier(true, false);
  const ExprId opposite = k.op(Op::sub, {k.u32(kSize - 1), k.lid()});
  k.put(k.gid(), k.load(at(shared, opposite)));
  EXPECT_EQ(run(std::move(k), kGroups, kCount),
            expected(kCount, [](std::uint32_t gid) { return gid % kSize < 140 ? 0u : 5u; }));
}

}  // namespace
}  // namespace vyre::cpu
