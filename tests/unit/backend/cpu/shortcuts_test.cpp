// SPDX-License-Identifier: MIT OR Apache-2.0
#include <cstdint>

#include <gtest/gtest.h>

#include "unit/backend/cpu/rig.h"

// Where the machine does less than the program says: what it leaves out makes no difference.
namespace vyre::cpu {
namespace {

constexpr std::uint32_t kCount = 300;  // a whole strip and a part of one

TEST(Shortcuts, WhatALoopDoesNotChange) {
  Kernel k({100, 1, 1});
  const ExprId bound = k.let(k.add(k.gid(), k.u32(3)));
  const VarId sum = k.var(ScalarType::u32);
  const VarId i = k.var(ScalarType::u32);
  const BlockId outer = k.block([&] {
    const VarId j = k.var(ScalarType::u32);
    const BlockId inner = k.block([&] {
      // One part changes in neither loop, one in the outer only, one in both.
      const ExprId fixed = k.mul(bound, k.u32(7));
      const ExprId slow = k.mul(k.get(i), k.u32(5));
      k.add_to(sum, k.add(k.add(fixed, slow), k.get(j)));
      k.add_to(j, k.u32(1));
    });
    const BlockId next = k.open();
    const ExprId last = k.op(Op::ge, {k.get(j), k.u32(3)});
    k.close();
    k.loop(inner, next, last);
    k.add_to(i, k.u32(1));
  });
  const BlockId continuing = k.open();
  const ExprId done = k.op(Op::ge, {k.get(i), k.op(Op::bit_and, {bound, k.u32(3)})});
  k.close();
  k.loop(outer, continuing, done);
  k.put(k.gid(), k.get(sum));
  EXPECT_EQ(run(std::move(k), 3, kCount), expected(kCount, [](std::uint32_t gid) {
              std::uint32_t total = 0;
              std::uint32_t at = 0;
              do {
                for (std::uint32_t j = 0; j < 3; ++j)
                  total += (gid + 3) * 7 + at * 5 + j;
                ++at;
              } while (at < ((gid + 3) & 3));
              return total;
            }));
}

TEST(Shortcuts, LeavingOnEitherOfTwoConditionsAndOnNot) {
  Kernel k({100, 1, 1});
  const VarId i = k.var(ScalarType::u32);
  const BlockId body = k.block([&] {
    const ExprId now = k.get(i);
    const ExprId either =
        k.op(Op::logical_or, {k.op(Op::ge, {now, k.u32(40)}), k.equal(now, k.gid())});
    k.when(either, [&] { k.break_(); });
    k.when(k.op(Op::logical_not, {k.less(k.mul(now, k.u32(2)), k.gid())}), [&] { k.break_(); });
    k.add_to(i, k.u32(1));
  });
  k.loop(body);
  k.put(k.gid(), k.get(i));
  EXPECT_EQ(run(std::move(k), 3, kCount), expected(kCount, [](std::uint32_t gid) {
              std::uint32_t at = 0;
              while (at < 40 && at != gid && at * 2 < gid)
                ++at;
              return at;
            }));
}

TEST(Shortcuts, IndicesThatWrapAreOutOfBoundsOneByOne) {
  Kernel k({100, 1, 1});
  const BufferId in = k.words("in");
  // Side by side, but the first lanes lie before the start and the last ones after the end.
  k.put(k.gid(), k.load(at(in, k.op(Op::sub, {k.gid(), k.u32(5)}))));
  const BufferId out = k.out;
  Rig rig(std::move(k));
  rig.fill(in, expected(280, [](std::uint32_t i) { return 1000 + i; }));
  rig.size(out, kCount);
  rig.run(3);
  EXPECT_EQ(rig.read<std::uint32_t>(out), expected(kCount, [](std::uint32_t gid) {
              return gid < 5 || gid - 5 >= 280 ? 0 : 1000 + gid - 5;
            }));
}

TEST(Shortcuts, WordsThatNothingWrites) {
  Kernel k({100, 1, 1});
  const BufferId params = k.elements("params", ScalarType::u32, 4, Space::uniform);
  const VarId sum = k.var(ScalarType::u32);
  k.when(k.odd(k.gid()), [&] { k.add_to(sum, k.load(at(params, k.u32(2)))); });
  k.add_to(sum, k.load(at(params, k.u32(1))));
  k.put(k.gid(), k.get(sum));
  const BufferId out = k.out;
  Rig rig(std::move(k));
  rig.fill(params, Words{1, 20, 300, 4000});
  rig.size(out, kCount);
  rig.run(3);
  EXPECT_EQ(rig.read<std::uint32_t>(out),
            expected(kCount, [](std::uint32_t gid) { return gid % 2 != 0 ? 320u : 20u; }));
}

}  // namespace
}  // namespace vyre::cpu
