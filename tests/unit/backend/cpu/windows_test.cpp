// SPDX-License-Identifier: MIT OR Apache-2.0
#include <cstddef>
#include <cstdint>

#include <gtest/gtest.h>

#include "unit/backend/cpu/rig.h"

// Loads and stores of lanes that lie side by side, whose words no register holds: a value is what
// memory held when it was loaded, and a strip has loaded before it stores.
namespace vyre::cpu {
namespace {

constexpr std::uint32_t kCount = 300;  // a whole strip and a part of one

Words numbers(std::uint32_t count) {
  return expected(count, [](std::uint32_t i) { return i * i + 3; });
}
/// Runs `k` on two workgroups of 150, with `numbers` in `in`; gives what `read` holds then.
Words run_on(Kernel&& k, BufferId in, BufferId read) {
  const BufferId out = k.out;
  Rig rig(std::move(k));
  rig.size(out, kCount);
  rig.fill(in, numbers(kCount));
  rig.run(2);
  return rig.read<std::uint32_t>(read);
}
std::uint32_t number(std::uint32_t i) {
  return i < kCount ? i * i + 3 : 0;
}

TEST(Windows, OperandsAndResultsInMemory) {
  Kernel k({150, 1, 1});
  const BufferId in = k.words("in");
  const BufferId out = k.out;
  const ExprId a = k.load(at(in, k.gid()));
  const ExprId b = k.load(at(in, k.add(k.gid(), k.u32(7))));
  k.put(k.gid(), k.add(k.mul(a, k.u32(5)), b));
  EXPECT_EQ(run_on(std::move(k), in, out),
            expected(kCount, [](std::uint32_t i) { return number(i) * 5 + number(i + 7); }));
}

TEST(Windows, AStoreOverWhatIsRead) {
  Kernel k({150, 1, 1});
  const BufferId in = k.words("in");
  k.store(at(in, k.gid()), k.add(k.load(at(in, k.gid())), k.u32(9)));
  EXPECT_EQ(run_on(std::move(k), in, in),
            expected(kCount, [](std::uint32_t i) { return number(i) + 9; }));
}

TEST(Windows, AStoreThatOverlapsWhatIsRead) {
  for (const std::uint32_t shift : {1u, 16u, 17u, 200u}) {
    for (const bool up : {false, true}) {
      Kernel k({256, 1, 1});
      const BufferId in = k.words("in");
      const ExprId low = k.gid();
      const ExprId high = k.add(k.gid(), k.u32(shift));
      k.store(at(in, up ? high : low), k.add(k.load(at(in, up ? low : high)), k.u32(9)));
      const BufferId out = k.out;
      Rig rig(std::move(k));
      rig.size(out, 1);
      rig.fill(in, numbers(kCount + 256));
      rig.run(1);
      const Words before = numbers(kCount + 256);
      Words after = before;
      for (std::uint32_t i = 0; i < 256; ++i)
        after[up ? i + shift : i] = before[up ? i : i + shift] + 9;
      EXPECT_EQ(rig.read<std::uint32_t>(in), after) << shift << " up " << up;
    }
  }
}

TEST(Windows, OneMemoryBoundTwice) {
  for (const std::size_t shift : {0u, 1u, 4u, 64u, 300u}) {  // bytes
    Kernel k({256, 1, 1});
    const BufferId in = k.words("in");
    const BufferId out = k.out;
    k.put(k.gid(), k.op(Op::bit_xor, {k.load(at(in, k.gid())), k.u32(0x55)}));
    Rig rig(std::move(k));
    std::vector<std::byte> memory(4096);
    for (std::size_t i = 0; i < memory.size(); ++i)
      memory[i] = static_cast<std::byte>(i * 7);
    const auto before = memory;
    std::vector<Memory> bound(rig.program.buffers.size());
    bound[index(in)] = {std::span(memory).subspan(0, 1024), 256};
    bound[index(out)] = {std::span(memory).subspan(shift, 1024), 256};
    const Machine machine = Machine::compile(rig.program);
    ASSERT_TRUE(machine.run({.buffers = bound, .threads = 1}));
    auto after = before;
    for (std::size_t i = 0; i < 1024; ++i)
      after[shift + i] = before[i] ^ static_cast<std::byte>(i % 4 == 0 ? 0x55 : 0);
    EXPECT_EQ(memory, after) << shift;
  }
}

TEST(Windows, AStoreBetweenLoadAndUse) {
  Kernel k({150, 1, 1});
  const BufferId in = k.words("in");
  const ExprId old = k.load(at(in, k.gid()));
  k.store(at(in, k.gid()), k.add(k.gid(), k.u32(1)));
  k.put(k.gid(), k.mul(old, k.u32(2)));
  const BufferId out = k.out;
  EXPECT_EQ(run_on(std::move(k), in, out),
            expected(kCount, [](std::uint32_t i) { return number(i) * 2; }));
}

TEST(Windows, ABranchThatStoresBetweenLoadAndUse) {
  Kernel k({150, 1, 1});
  const BufferId in = k.words("in");
  const ExprId old = k.load(at(in, k.gid()));
  k.when(k.odd(k.gid()), [&] { k.store(at(in, k.gid()), k.u32(0)); });
  k.put(k.gid(), k.mul(old, k.u32(2)));
  const BufferId out = k.out;
  EXPECT_EQ(run_on(std::move(k), in, out),
            expected(kCount, [](std::uint32_t i) { return number(i) * 2; }));
}

TEST(Windows, ALoopThatStoresBetweenLoadAndUse) {
  Kernel k({150, 1, 1});
  const BufferId in = k.words("in");
  const ExprId old = k.load(at(in, k.gid()));
  const VarId i = k.var(ScalarType::u32);
  const BlockId body = k.block([&] {
    k.when(k.op(Op::ge, {k.get(i), k.u32(3)}), [&] { k.break_(); });
    // Its operand is loaded before the loop, and memory changes in the loop.
    k.put(k.gid(), k.add(k.load(at(k.out, k.gid())), k.mul(old, k.u32(2))));
    k.store(at(in, k.gid()), k.u32(1));
    k.add_to(i, k.u32(1));
  });
  k.loop(body);
  const BufferId out = k.out;
  EXPECT_EQ(run_on(std::move(k), in, out),
            expected(kCount, [](std::uint32_t n) { return number(n) * 6; }));
}

TEST(Windows, AnAtomicBetweenLoadAndUse) {
  Kernel k({150, 1, 1});
  const BufferId in = k.buffer({.name = "in",
                                .space = Space::storage,
                                .access = Access::in_out,
                                .layout = k.array(k.atomic(ScalarType::u32), 0)});
  const ExprId old = k.atomic(AtomicOp::load, at(in, k.gid()), kNone<ExprId>, kNone<ExprId>);
  k.atomic(AtomicOp::add, at(in, k.gid()), k.u32(5), kNone<ExprId>);
  k.put(k.gid(), k.mul(old, k.u32(2)));
  const BufferId out = k.out;
  EXPECT_EQ(run_on(std::move(k), in, out),
            expected(kCount, [](std::uint32_t i) { return number(i) * 2; }));
}

TEST(Windows, ABarrierBetweenLoadAndUse) {
  // Two strips: the second has not run when the first loads, and has when the first goes on.
  Kernel k({512, 1, 1});
  const BufferId shared = k.elements("shared", ScalarType::u32, 512, Space::workgroup);
  k.store(at(shared, k.lid()), k.add(k.lid(), k.u32(100)));
  k.barrier(true, false);
  const ExprId other =
      k.load(at(shared, k.op(Op::bit_and, {k.add(k.lid(), k.u32(256)), k.u32(511)})));
  k.barrier(true, false);
  k.store(at(shared, k.lid()), k.u32(7));
  k.barrier(true, false);
  k.put(k.gid(), k.mul(other, k.u32(3)));
  EXPECT_EQ(run(std::move(k), 1, 512),
            expected(512, [](std::uint32_t i) { return ((i + 256) % 512 + 100) * 3; }));
}

TEST(Windows, AValueThatIsUsedTwiceIsOneValue) {
  Kernel k({150, 1, 1});
  const BufferId in = k.words("in");
  const ExprId value = k.load(at(in, k.gid()));
  k.store(at(in, k.gid()), k.mul(value, k.u32(2)));
  k.put(k.gid(), k.add(value, k.u32(1)));
  const BufferId out = k.out;
  EXPECT_EQ(run_on(std::move(k), in, out),
            expected(kCount, [](std::uint32_t i) { return number(i) + 1; }));
}

TEST(Windows, FewerLanesAfterALoad) {
  Kernel k({256, 1, 1});
  const BufferId in = k.words("in");
  const VarId sum = k.var(ScalarType::u32, k.u32(1));
  const BlockId body = k.block([&] {
    k.when(k.op(Op::ge, {k.get(sum), k.add(k.gid(), k.u32(50))}), [&] { k.break_(); });
    k.add_to(sum, k.load(at(in, k.gid())));
  });
  k.loop(body);
  k.put(k.gid(), k.get(sum));
  const BufferId out = k.out;
  Rig rig(std::move(k));
  rig.size(out, kCount);
  rig.fill(in, expected(512, [](std::uint32_t i) { return i % 13 + 1; }));
  rig.run(2);
  EXPECT_EQ(rig.read<std::uint32_t>(out), expected(kCount, [](std::uint32_t i) {
              std::uint32_t total = 1;
              while (total < i + 50)
                total += i % 13 + 1;
              return total;
            }));
}

TEST(Windows, ATrapBetweenLoadAndUse) {
  Kernel k({150, 1, 1});
  const BufferId in = k.words("in");
  const TrapId tag = k.trap_tag("odd");
  const ExprId value = k.load(at(in, k.gid()));
  k.when(k.odd(k.gid()), [&] { k.trap(tag, k.gid()); });
  k.put(k.gid(), k.add(value, k.u32(4)));
  const BufferId out = k.out;
  EXPECT_EQ(run_on(std::move(k), in, out),
            expected(kCount, [](std::uint32_t i) { return i % 2 != 0 ? 0u : number(i) + 4; }));
}

TEST(Windows, BoundsWithinAStrip) {
  // The last lanes read beyond the end of one buffer, and write beyond the end of another.
  for (const std::uint32_t length : {1u, 15u, 16u, 17u, 255u, 256u}) {
    Kernel k({256, 1, 1});
    const BufferId in = k.words("in");
    k.put(k.gid(), k.add(k.load(at(in, k.gid())), k.u32(4)));
    const BufferId out = k.out;
    Rig rig(std::move(k));
    rig.fill(in, numbers(length));
    rig.size(out, 250);
    rig.run(1);
    EXPECT_EQ(rig.read<std::uint32_t>(out),
              expected(250, [&](std::uint32_t i) { return (i < length ? number(i) : 0) + 4; }));
  }
}

}  // namespace
}  // namespace vyre::cpu
