// SPDX-License-Identifier: MIT OR Apache-2.0
#include "backend/cpu/machine.h"

#include <gtest/gtest.h>

#include "unit/backend/cpu/rig.h"

namespace vyre::cpu {
namespace {

TEST(Machine, EachInvocationRunsOnce) {
  for (const std::uint32_t size : {1u, 7u, 64u, 65u}) {
    for (const std::uint32_t count : {1u, 63u, 64u, 65u, 1000u}) {
      Kernel k({size, 1, 1});
      k.when(k.less(k.gid(), k.length(k.out)), [&] { k.put(k.gid(), k.add(k.gid(), k.u32(5))); });
      const auto words = run(std::move(k), (count + size - 1) / size, count);
      EXPECT_EQ(words, expected(count, [](std::uint32_t i) { return i + 5; }))
          << size << " x " << count;
    }
  }
}

TEST(Machine, BuiltinsOfThreeDimensions) {
  constexpr std::array<std::uint32_t, 3> kSize = {3, 5, 2};
  constexpr std::array<std::uint32_t, 3> kGrid = {4, 2, 3};
  constexpr std::uint32_t kFields = 13;
  for (const bool with_barrier : {false, true}) {
    Kernel k(kSize);
    if (with_barrier) k.barrier(true, false);
    const auto x = [&](Builtin b, std::uint8_t c) { return k.builtin(b, c); };
    const ExprId group = k.add(k.mul(k.add(k.mul(x(Builtin::workgroup_id, 2), k.u32(kGrid[1])),
                                           x(Builtin::workgroup_id, 1)),
                                     k.u32(kGrid[0])),
                               x(Builtin::workgroup_id, 0));
    const ExprId invocation = k.add(k.mul(group, k.u32(30)), x(Builtin::local_index, 0));
    const ExprId base = k.mul(invocation, k.u32(kFields));
    std::uint32_t field = 0;
    const auto put = [&](ExprId value) { k.put(k.add(base, k.u32(field++)), value); };
    for (const Builtin b :
         {Builtin::global_id, Builtin::local_id, Builtin::workgroup_id, Builtin::num_workgroups})
      for (std::uint8_t c = 0; c < 3; ++c)
        put(x(b, c));
    put(x(Builtin::local_index, 0));
    const BufferId out = k.out;
    Rig rig(std::move(k));
    rig.size(out, 24 * 30 * kFields);
    rig.run(Launch{.grid = kGrid, .logical_grid = kGrid, .threads = 1});
    const Words words = rig.read<std::uint32_t>(out);
    std::size_t i = 0;
    for (std::uint32_t group_index = 0; group_index < 24; ++group_index)
      for (std::uint32_t local = 0; local < 30; ++local) {
        const std::array g = {group_index % 4, group_index / 4 % 2, group_index / 8};
        const std::array l = {local % 3, local / 3 % 5, local / 15};
        for (std::size_t a = 0; a < 3; ++a)
          EXPECT_EQ(words[i++], g[a] * kSize[a] + l[a]);
        for (std::size_t a = 0; a < 3; ++a)
          EXPECT_EQ(words[i++], l[a]);
        for (std::size_t a = 0; a < 3; ++a)
          EXPECT_EQ(words[i++], g[a]);
        for (std::size_t a = 0; a < 3; ++a)
          EXPECT_EQ(words[i++], kGrid[a]);
        EXPECT_EQ(words[i++], local);
      }
  }
}

TEST(Machine, LaunchWordsComeFromTheLaunch) {
  Kernel k({1, 1, 1});
  const LaunchField fields[] = {LaunchField::grid_x, LaunchField::grid_y, LaunchField::grid_z,
                                LaunchField::base_x, LaunchField::base_y, LaunchField::base_z,
                                LaunchField::zero};
  std::uint32_t i = 0;
  for (const LaunchField field : fields)
    k.put(k.u32(i++), k.launch(field));
  k.put(k.u32(i++), k.launch(LaunchField::count, k.out));
  const BufferId out = k.out;
  Rig rig(std::move(k));
  rig.size(out, 9);
  rig.run(Launch{.logical_grid = {10, 20, 30}, .base = {4, 5, 6}, .threads = 1});
  EXPECT_EQ(rig.read<std::uint32_t>(out), (Words{10, 20, 30, 4, 5, 6, 0, 9, 0}));
}

TEST(Machine, AnEmptyGridRunsNothing) {
  Kernel k;
  k.put(k.u32(0), k.u32(1));
  EXPECT_EQ(run(std::move(k), 0, 2), (Words{0, 0}));
}

TEST(Machine, ManyThreadsGiveTheSameBytes) {
  const auto counting = [] {
    Kernel k({64, 1, 1});
    const VarId sum = k.var(ScalarType::u32, k.gid());
    const VarId i = k.var(ScalarType::u32);
    const BlockId body =
        k.block([&] { k.set(sum, k.add(k.mul(k.get(sum), k.u32(1664525)), k.get(i))); });
    const BlockId continuing = k.open();
    k.add_to(i, k.u32(1));
    const ExprId done = k.op(Op::ge, {k.get(i), k.op(Op::rem, {k.gid(), k.u32(50)})});
    k.close();
    k.loop(body, continuing, done);
    k.put(k.gid(), k.get(sum));
    return k;
  };
  const Words one = run(counting(), 300, 300 * 64, 1);
  EXPECT_EQ(run(counting(), 300, 300 * 64, 3), one);
  EXPECT_EQ(run(counting(), 300, 300 * 64, 0), one);
  const Words wanted = expected(300 * 64, [](std::uint32_t gid) {
    std::uint32_t sum = gid;
    std::uint32_t i = 0;
    do
      sum = sum * 1664525 + i;
    while (++i < gid % 50);
    return sum;
  });
  EXPECT_EQ(one, wanted);
}

TEST(Machine, AStopFlagEndsAnEndlessLoop) {
  Kernel k({3, 1, 1});
  k.loop(k.block([&] { k.put(k.u32(0), k.u32(1)); }));
  const BufferId out = k.out;
  Rig rig(std::move(k));
  rig.size(out, 1);
  const std::atomic<bool> stop{true};
  EXPECT_TRUE(rig.run(Launch{.threads = 1, .stop = &stop}).stopped);
}

TEST(Machine, ADeadlineEndsAnEndlessLoop) {
  Kernel k({3, 1, 1});
  k.loop(k.block([&] { k.put(k.u32(0), k.u32(1)); }));
  const BufferId out = k.out;
  Rig rig(std::move(k));
  rig.size(out, 1);
  const auto soon = std::chrono::steady_clock::now() + std::chrono::milliseconds(5);
  EXPECT_TRUE(rig.run(Launch{.threads = 1, .deadline = soon}).stopped);
}

TEST(Machine, TheFirstTrapIsRecordedAndTheRestAreCounted) {
  Kernel k({64, 1, 1});
  const TrapId tag = k.trap_tag("bad");
  const TrapId other = k.trap_tag("worse");
  k.put(k.gid(), k.u32(1));
  k.when(k.equal(k.gid(), k.u32(130)), [&] { k.trap(other, k.u32(9)); });
  k.when(k.op(Op::ge, {k.gid(), k.u32(70)}), [&] { k.trap(tag, k.add(k.gid(), k.u32(1000))); });
  k.put(k.gid(), k.u32(2));
  const BufferId out = k.out;
  Rig rig(std::move(k));
  rig.size(out, 192);
  const RunResult result = rig.run(3);
  EXPECT_EQ(result.trap.count, 122u);
  EXPECT_EQ(result.trap.tag, tag);
  EXPECT_EQ(result.trap.value, 1070u);
  EXPECT_EQ(result.trap.invocation, 70u);
  EXPECT_EQ(rig.read<std::uint32_t>(out),
            expected(192, [](std::uint32_t i) { return i < 70 ? 2u : 1u; }));
}

TEST(Machine, ATrappedInvocationIsCountedOverTheWholeGrid) {
  Kernel k({4, 2, 1});
  const TrapId tag = k.trap_tag("here");
  const ExprId x = k.equal(k.builtin(Builtin::global_id, 0), k.u32(9));
  const ExprId y = k.equal(k.builtin(Builtin::global_id, 1), k.u32(3));
  k.when(k.op(Op::logical_and, {x, y}), [&] { k.trap(tag, k.u32(7)); });
  Rig rig(std::move(k));
  const RunResult result =
      rig.run(Launch{.grid = {3, 2, 1}, .logical_grid = {3, 2, 1}, .threads = 1});
  EXPECT_EQ(result.trap.count, 1u);
  EXPECT_EQ(result.trap.invocation, 3u * 12 + 9);
}

}  // namespace
}  // namespace vyre::cpu
