// SPDX-License-Identifier: MIT OR Apache-2.0
#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "unit/backend/cpu/rig.h"

// Values that are the same in all lanes, or step on from lane to lane, in every kind of
// instruction: alone, mixed with others, and where only some lanes are active.
namespace vyre::cpu {
namespace {

constexpr std::uint32_t kSizes[] = {1, 5, 16, 17, 100, 256, 257, 300};

/// A kernel with workgroup memory: its strips stay within a workgroup.
Kernel grouped(std::uint32_t size) {
  Kernel k({size, 1, 1});
  const BufferId shared = k.elements("shared", ScalarType::u32, 1, Space::workgroup);
  k.store(at(shared, k.u32(0)), k.u32(0));
  return k;
}
ExprId group(Kernel& k) {
  return k.builtin(Builtin::workgroup_id);
}
/// loop { if (i >= limit) break; body; i += 1 }, where nothing sees i afterwards.
template <typename Body>
void count_to(Kernel& k, ExprId limit, Body&& body) {
  const VarId i = k.var(ScalarType::u32);
  k.loop(k.block([&] {
    k.when(k.op(Op::ge, {k.get(i), limit}), [&] { k.break_(); });
    body(i);
    k.add_to(i, k.u32(1));
  }));
}

TEST(Seeds, OperatorsOnWordsThatAreTheSameAndOnOthers) {
  struct Row {
    Op op;
    std::uint32_t (*meaning)(std::uint32_t, std::uint32_t);
  };
  using W = std::uint32_t;
  const Row rows[] = {{Op::add, [](W a, W b) { return a + b; }},
                      {Op::sub, [](W a, W b) { return a - b; }},
                      {Op::mul, [](W a, W b) { return a * b; }},
                      {Op::div, [](W a, W b) { return b == 0 ? a : a / b; }},
                      {Op::rem, [](W a, W b) { return b == 0 ? 0 : a % b; }},
                      {Op::min, [](W a, W b) { return a < b ? a : b; }},
                      {Op::max, [](W a, W b) { return a < b ? b : a; }},
                      {Op::bit_and, [](W a, W b) { return a & b; }},
                      {Op::bit_or, [](W a, W b) { return a | b; }},
                      {Op::bit_xor, [](W a, W b) { return a ^ b; }},
                      {Op::shl, [](W a, W b) { return a << (b & 31); }},
                      {Op::shr, [](W a, W b) { return a >> (b & 31); }}};
  for (const Row& row : rows)
    for (const std::uint32_t size : kSizes) {
      Kernel k = grouped(size);
      const ExprId same = k.add(group(k), k.u32(3));  // one of the strip
      const ExprId line = k.add(k.lid(), k.u32(2));   // a step
      const ExprId all = k.op(row.op, {same, k.u32(2)});
      const ExprId left = k.op(row.op, {k.add(group(k), k.u32(3)), k.mul(k.gid(), k.gid())});
      const ExprId right = k.op(row.op, {k.mul(k.gid(), k.gid()), k.add(group(k), k.u32(3))});
      const ExprId stepped = k.op(row.op, {line, k.add(group(k), k.u32(3))});
      ExprId sum = k.mul(all, k.u32(7));
      for (const ExprId part : {left, right, stepped})
        sum = k.mul(k.add(sum, part), k.u32(7));
      k.put(k.gid(), sum);
      EXPECT_EQ(
          run(std::move(k), 3, 3 * size),
          expected(3 * size,
                   [&](W gid) {
                     const W s = gid / size + 3;
                     const W l = gid % size + 2;
                     const W o = gid * gid;
                     W total = row.meaning(s, 2) * 7;
                     for (const W part : {row.meaning(s, o), row.meaning(o, s), row.meaning(l, s)})
                       total = (total + part) * 7;
                     return total;
                   }))
          << to_string(row.op) << " " << size;
    }
}

TEST(Seeds, FloatsThatAreTheSame) {
  for (const ScalarType type : {ScalarType::f32, ScalarType::f16}) {
    Kernel k = grouped(100);
    const BufferId in = k.elements("in", ScalarType::f32);
    const ExprId loaded = k.convert(type, k.load(at(in, group(k))));
    const ExprId own = k.convert(type, k.gid());
    const ExprId half = k.convert(type, k.f32(0.5f));
    // A result of an f16 is rounded; what becomes an integer is clamped.
    const ExprId same = k.let(k.op(Op::mul, {k.add(loaded, half), half}));
    const ExprId mixed = k.add(k.mul(own, same), same);
    k.put(k.gid(), k.add(k.convert(ScalarType::u32, mixed),
                         k.convert(ScalarType::u32, k.op(Op::sqrt, {k.mul(same, same)}))));
    const BufferId out = k.out;
    Rig rig(std::move(k));
    rig.fill(in, std::vector<float>{1.5f, 7.5f, 31.5f});
    rig.size(out, 300);
    rig.run(3);
    EXPECT_EQ(rig.read<std::uint32_t>(out),
              expected(300,
                       [](std::uint32_t gid) {
                         // (x + 0.5) / 2 is 1, 4, 16; all that follows is whole and below 2048 or
                         // even.
                         const std::uint32_t s = gid < 100 ? 1 : gid < 200 ? 4 : 16;
                         return gid * s + s + s;
                       }))
        << to_string(type);
  }
}

TEST(Seeds, LoadsAtOnePlaceOfEveryElement) {
  struct Row {
    ScalarType type;
    std::vector<std::uint8_t> bytes;     // elements 0, 1, 2
    std::array<std::uint32_t, 4> words;  // what they read as, and what lies beyond
  };
  const Row rows[] = {
      {ScalarType::u8, {1, 200, 3}, {1, 200, 3, 0}},
      {ScalarType::i8, {1, 200, 3}, {1, 0xffffffc8, 3, 0}},
      {ScalarType::u16, {1, 0, 2, 240, 3, 0}, {1, 0xf002, 3, 0}},
      {ScalarType::i16, {1, 0, 2, 240, 3, 0}, {1, 0xfffff002, 3, 0}},
      {ScalarType::half, {0, 0x3c, 0, 0x40, 0, 0xc0}, {0x3f800000, 0x40000000, 0xc0000000, 0}},
      {ScalarType::u32, {1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 128}, {1, 2, 0x80000003, 0}}};
  for (const Row& row : rows)
    for (const std::uint32_t size : kSizes) {
      Kernel k = grouped(size);
      const BufferId in = k.elements("in", row.type);
      const ExprId loaded = k.bitcast(ScalarType::u32, k.load(at(in, group(k))));
      k.when(k.odd(k.gid()), [&] {
        const ExprId again = k.bitcast(ScalarType::u32, k.load(at(in, group(k))));
        k.put(k.gid(), k.add(again, k.u32(1)));
      });
      k.when(k.op(Op::logical_not, {k.odd(k.gid())}), [&] { k.put(k.gid(), loaded); });
      const BufferId out = k.out;
      Rig rig(std::move(k));
      rig.fill(in, row.bytes);
      rig.counts[index(in)] = 3;
      rig.size(out, 4 * size);
      rig.run(4);
      EXPECT_EQ(
          rig.read<std::uint32_t>(out),
          expected(4 * size, [&](std::uint32_t gid) { return row.words[gid / size] + gid % 2; }))
          << to_string(row.type) << " " << size;
    }
}

TEST(Seeds, ComponentsAtOnePlaceAreTestedOneByOne) {
  Kernel k = grouped(40);
  const BufferId in = k.words("in");
  const std::vector<ExprId> four =
      k.load_all({.buffer = in, .path = {{.index = k.mul(group(k), k.u32(3))}}, .count = 4});
  ExprId sum = four[0];
  for (std::uint32_t i = 1; i < 4; ++i)
    sum = k.add(k.mul(sum, k.u32(10)), four[i]);
  k.put(k.gid(), k.add(sum, k.op(Op::bit_and, {k.gid(), k.u32(1)})));
  const BufferId out = k.out;
  Rig rig(std::move(k));
  rig.fill(in, Words{1, 2, 3, 4, 5, 6, 7, 8});
  rig.size(out, 160);
  rig.run(4);
  EXPECT_EQ(rig.read<std::uint32_t>(out), expected(160, [](std::uint32_t gid) {
              constexpr std::uint32_t kSums[] = {1234, 4567, 7800, 0};
              return kSums[gid / 40] + gid % 2;
            }));
}

/// in[f(gid) + uniform], where f has no step: what is added is added where the access is.
TEST(Seeds, IndicesToWhichSomethingIsAdded) {
  for (const std::uint32_t size : kSizes)
    for (const std::uint32_t added : {0u, 1u, 90u, 0u - 5u}) {
      Kernel k = grouped(size);
      const BufferId in = k.words("in");
      const BufferId bytes = k.elements("bytes", ScalarType::u8);
      const BufferId array = k.elements("array", ScalarType::u32, 8, Space::local);
      const auto place = [&](std::uint32_t factor) {
        const ExprId own = k.op(Op::bit_xor, {k.mul(k.gid(), k.u32(factor)), k.u32(1)});
        return k.add(own, k.add(group(k), k.u32(added)));
      };
      k.store(at(array, k.add(k.op(Op::bit_and, {k.gid(), k.u32(3)}), group(k))), k.u32(5));
      const ExprId word = k.load(at(in, place(1)));
      const ExprId far = k.load(at(in, place(7)));
      const ExprId byte = k.load(at(bytes, place(1)));
      const ExprId own = k.load(at(array, k.add(k.op(Op::bit_and, {k.gid(), k.u32(3)}), group(k))));
      const ExprId low = k.add(k.mul(word, k.u32(3)), far);
      k.store(at(k.out, k.add(k.op(Op::bit_xor, {k.gid(), k.u32(1)}), k.mul(group(k), k.u32(2)))),
              k.add(k.mul(low, k.u32(3)), k.add(byte, own)));
      const BufferId out = k.out;
      Rig rig(std::move(k));
      const Words numbers = expected(100, [](std::uint32_t i) { return 3 * i + 1; });
      std::vector<std::uint8_t> small(100);
      for (std::uint32_t i = 0; i < 100; ++i)
        small[i] = static_cast<std::uint8_t>(200 - i);
      rig.fill(in, numbers);
      rig.fill(bytes, small);
      rig.size(out, 2 * size + 4);
      Words wanted(2 * size + 4);
      for (std::uint32_t gid = 0; gid < 2 * size; ++gid) {
        const std::uint32_t more = gid / size + added;
        const std::uint32_t near = (gid ^ 1) + more;
        const std::uint32_t far_at = (gid * 7 ^ 1) + more;
        const std::uint32_t sum =
            (near < 100 ? numbers[near] : 0) * 3 + (far_at < 100 ? numbers[far_at] : 0);
        const std::uint32_t to = (gid ^ 1) + gid / size * 2;
        if (to < wanted.size()) wanted[to] = sum * 3 + (near < 100 ? small[near] : 0) + 5;
      }
      rig.run(2);
      EXPECT_EQ(rig.read<std::uint32_t>(out), wanted) << size << " " << added;
    }
}

/// The same where lanes lie side by side, some of them out of bounds.
TEST(Seeds, RowsToWhichSomethingIsAdded) {
  for (const std::uint32_t distance : {1u, 2u, 4u})
    for (const std::uint32_t added : {0u, 1u, 90u, 0u - 5u, 0u - 300u}) {
      Kernel k({256, 1, 1});  // strips span workgroups
      const BufferId in = k.words("in");
      const BufferId more = k.words("more");
      const ExprId index = k.add(k.mul(k.gid(), k.u32(distance)), k.load(at(more, k.u32(0))));
      k.store(at(k.out, k.add(k.mul(k.gid(), k.u32(distance)), k.load(at(more, k.u32(0))))),
              k.load(at(in, index)));
      const BufferId out = k.out;
      Rig rig(std::move(k));
      const Words numbers = expected(600, [](std::uint32_t i) { return i * i + 3; });
      rig.fill(in, numbers);
      rig.fill(more, Words{added});
      rig.size(out, 700);
      rig.run(2);
      Words wanted(700);
      for (std::uint32_t gid = 0; gid < 512; ++gid) {
        const std::uint32_t place = gid * distance + added;
        if (place < 600) wanted[place] = numbers[place];
      }
      EXPECT_EQ(rig.read<std::uint32_t>(out), wanted) << distance << " " << added;
    }
}

TEST(Seeds, LoopsThatLanesLeaveAtVariousTurns) {
  for (const std::uint32_t size : kSizes)
    for (const std::uint32_t every : {1u, 3u, 7u, 97u}) {
      // Few lanes stay long, so that they go on in parts, each from the same counters.
      const auto limit = [=](std::uint32_t gid) {
        return gid % every == 0 ? 20 + gid % 5 : gid % 3;
      };
      Kernel k({size, 1, 1});
      const BufferId in = k.words("in");
      const VarId sum = k.var(ScalarType::u32);
      const VarId twice = k.var(ScalarType::u32, k.u32(100));  // steps on beside the counter
      const ExprId rest = k.op(Op::rem, {k.gid(), k.u32(every)});
      const ExprId bound =
          k.let(k.op(Op::select,
                     {k.equal(rest, k.u32(0)), k.add(k.u32(20), k.op(Op::rem, {k.gid(), k.u32(5)})),
                      k.op(Op::rem, {k.gid(), k.u32(3)})}));
      count_to(k, bound, [&](VarId i) {
        k.add_to(sum, k.add(k.load(at(in, k.get(i))), k.mul(k.get(i), k.gid())));
        count_to(k, k.op(Op::rem, {k.add(k.gid(), k.get(i)), k.u32(4)}), [&](VarId j) {
          k.add_to(sum, k.add(k.mul(k.get(j), k.u32(1000)), k.get(twice)));
          k.when(k.less(k.get(i), k.u32(2)), [&] { k.add_to(sum, k.u32(7)); });
        });
        k.set(twice, k.add(k.get(twice), k.u32(2)));
      });
      k.put(k.gid(), k.get(sum));
      const BufferId out = k.out;
      Rig rig(std::move(k));
      const Words numbers = expected(24, [](std::uint32_t i) { return i * i; });
      rig.fill(in, numbers);
      rig.size(out, 3 * size);
      rig.run(3);
      EXPECT_EQ(rig.read<std::uint32_t>(out),
                expected(3 * size,
                         [&](std::uint32_t gid) {
                           std::uint32_t total = 0;
                           for (std::uint32_t i = 0; i < limit(gid); ++i) {
                             total += numbers[i] + i * gid;
                             for (std::uint32_t j = 0; j < (gid + i) % 4; ++j)
                               total += j * 1000 + 100 + 2 * i + (i < 2 ? 7 : 0);
                           }
                           return total;
                         }))
          << size << " " << every;
    }
}

TEST(Seeds, CountersThatAreSeenLaterOrByOthers) {
  Kernel k({100, 1, 1});
  const VarId seen = k.var(ScalarType::u32);
  const VarId last = k.var(ScalarType::u32);
  k.loop(k.block([&] {
    k.when(k.op(Op::ge, {k.get(seen), k.op(Op::rem, {k.gid(), k.u32(9)})}), [&] { k.break_(); });
    const VarId inner = k.var(ScalarType::u32, k.get(seen));
    k.when(k.odd(k.gid()), [&] { k.set(inner, k.u32(50)); });  // some lanes miss it
    k.set(last, k.get(inner));
    k.add_to(seen, k.u32(1));
  }));
  k.put(k.gid(), k.add(k.mul(k.get(seen), k.u32(100)), k.get(last)));
  EXPECT_EQ(run(std::move(k), 3, 300), expected(300, [](std::uint32_t gid) {
              const std::uint32_t turns = gid % 9;
              return turns * 100 + (turns == 0 ? 0 : gid % 2 != 0 ? 50 : turns - 1);
            }));
}

TEST(Seeds, SwitchesOnWhatIsTheSame) {
  for (const std::uint32_t size : kSizes) {
    Kernel k = grouped(size);
    const VarId sum = k.var(ScalarType::u32);
    count_to(k, k.add(group(k), k.u32(3)), [&](VarId i) {
      const auto add = [&](std::uint32_t amount) {
        return k.block([&] { k.add_to(sum, k.add(k.u32(amount), k.get(i))); });
      };
      const BlockId leaves = k.block([&] {
        k.when(k.odd(k.gid()), [&] { k.break_(); });
        k.add_to(sum, k.u32(1000));
      });
      std::vector<Case> cases = {{{0, 3}, add(10)}, {{1}, leaves}};
      k.switch_(k.get(i), std::move(cases), add(500));
    });
    k.put(k.gid(), k.get(sum));
    EXPECT_EQ(run(std::move(k), 3, 3 * size), expected(3 * size,
                                                       [&](std::uint32_t gid) {
                                                         std::uint32_t total = 0;
                                                         for (std::uint32_t i = 0;
                                                              i < gid / size + 3; ++i) {
                                                           if (i == 0 || i == 3) total += 10 + i;
                                                           if (i == 1 && gid % 2 == 0)
                                                             total += 1000;
                                                           if (i == 2 || i == 4) total += 500 + i;
                                                         }
                                                         return total;
                                                       }))
        << size;
  }
}

TEST(Seeds, ConditionsOnStepsWhereSomeLanesAreActive) {
  constexpr Op kOrders[] = {Op::lt, Op::le, Op::gt, Op::ge};
  for (const Op op : kOrders)
    for (const std::uint32_t start : {0u, 0x7fffffc0u, 0xffffff80u})
      for (const bool falls : {false, true})
        for (const bool is_signed : {false, true})
          for (const std::uint32_t low : {0u, 40u, 255u}) {
            Kernel k = grouped(256);
            k.when(k.op(Op::ge, {k.lid(), k.u32(low)}), [&] {
              const ExprId line =
                  k.op(falls ? Op::sub : Op::add, {k.u32(start), k.mul(k.lid(), k.u32(3))});
              const ExprId bound = k.add(k.u32(start + 100), group(k));
              const auto typed = [&](ExprId e) {
                return is_signed ? k.bitcast(ScalarType::i32, e) : e;
              };
              k.when(k.op(op, {typed(line), typed(bound)}), [&] { k.put(k.gid(), k.u32(1)); });
            });
            EXPECT_EQ(run(std::move(k), 2, 512),
                      expected(512,
                               [&](std::uint32_t gid) {
                                 const std::uint32_t lid = gid % 256;
                                 const std::uint32_t flip = is_signed ? 0x80000000u : 0;
                                 const std::uint32_t x =
                                     (falls ? start - lid * 3 : start + lid * 3) ^ flip;
                                 const std::uint32_t y = (start + 100 + gid / 256) ^ flip;
                                 const bool holds = op == Op::lt   ? x < y
                                                    : op == Op::le ? x <= y
                                                    : op == Op::gt ? x > y
                                                                   : x >= y;
                                 return lid >= low && holds ? 1u : 0u;
                               }))
                << to_string(op) << " " << start << falls << is_signed << low;
          }
}

TEST(Seeds, ConditionsThatAllLanesDecideAlike) {
  for (const std::uint32_t size : kSizes) {
    Kernel k = grouped(size);
    const BufferId in = k.words("in");
    const VarId result = k.var(ScalarType::u32);
    const ExprId same = k.load(at(in, group(k)));
    k.when(k.odd(k.gid()), [&] {
      const ExprId even = k.op(Op::logical_not, {k.odd(same)});
      const BlockId then_block = k.block([&] { k.set(result, k.u32(1)); });
      k.if_(k.op(Op::logical_or, {even, k.less(k.u32(6), same)}), then_block,
            k.block([&] { k.set(result, k.u32(2)); }));
    });
    k.when(k.less(same, k.u32(2)), [&] { k.return_(); });
    k.put(k.gid(), k.add(k.get(result), k.u32(10)));
    const BufferId out = k.out;
    Rig rig(std::move(k));
    rig.fill(in, Words{1, 3, 4, 7});
    rig.size(out, 4 * size);
    rig.run(4);
    EXPECT_EQ(rig.read<std::uint32_t>(out), expected(4 * size,
                                                     [&](std::uint32_t gid) {
                                                       const std::uint32_t g = gid / size;
                                                       if (g == 0) return 0u;
                                                       if (gid % 2 == 0) return 10u;
                                                       return g == 1 ? 12u : 11u;
                                                     }))
        << size;
  }
}

TEST(Seeds, StoresAtomicsAndTrapsOfWhatIsTheSame) {
  for (const std::uint32_t size : kSizes) {
    Kernel k = grouped(size);
    const BufferId sums = k.buffer({.name = "sums",
                                    .space = Space::storage,
                                    .access = Access::in_out,
                                    .layout = k.array(k.atomic(ScalarType::u32), 0)});
    const TrapId tag = k.trap_tag("odd");
    const ExprId same = k.let(k.mul(group(k), k.u32(5)));
    k.atomic(AtomicOp::add, at(sums, group(k)), k.add(same, k.u32(1)));
    const ExprId old = k.atomic(AtomicOp::max, at(sums, k.u32(3)), same);
    k.when(k.less(old, k.u32(0xffffffff)), [&] {
      k.when(k.equal(k.lid(), k.u32(size - 1)), [&] { k.put(group(k), same); });
      k.store(at(k.out, k.add(k.gid(), k.u32(3))), same);
    });
    k.when(k.equal(k.gid(), k.u32(2 * size)), [&] { k.trap(tag, same); });
    const BufferId out = k.out;
    Rig rig(std::move(k));
    rig.size(sums, 4);
    rig.size(out, 3 + 3 * size);
    const RunResult result = rig.run(3);
    EXPECT_EQ(result.trap.count, 1u);
    EXPECT_EQ(result.trap.value, 10u);
    EXPECT_EQ(rig.read<std::uint32_t>(sums), (Words{size, 6 * size, 11 * size, 10}));
    EXPECT_EQ(rig.read<std::uint32_t>(out), expected(3 + 3 * size, [&](std::uint32_t i) {
                return i < 3 ? i * 5 : (i - 3) / size * 5;
              }));
  }
}

TEST(Seeds, SubgroupsOfWhatIsTheSame) {
  Kernel k = grouped(64);
  const ExprId same = k.let(k.add(group(k), k.u32(2)));
  const ExprId sum = k.subgroup(SubgroupOp::add, ScalarType::u32, same, kNone<ExprId>)[0];
  const ExprId other =
      k.subgroup(SubgroupOp::shuffle_xor, ScalarType::u32, k.lid(), k.add(group(k), k.u32(1)))[0];
  k.put(k.gid(), k.add(k.mul(sum, k.u32(1000)), other));
  EXPECT_EQ(run(std::move(k), 3, 192), expected(192, [](std::uint32_t gid) {
              const std::uint32_t g = gid / 64;
              return (g + 2) * 32 * 1000 + (gid % 32 ^ (g + 1)) + gid % 64 / 32 * 32;
            }));
}

TEST(Seeds, UniformLoadsThroughAnIndexThatOnlyHappensToBeTheSame) {
  for (const std::uint32_t size : kSizes) {
    Kernel k({size, 1, 1});
    const BufferId shared = k.elements("shared", ScalarType::u32, 4, Space::workgroup);
    const BufferId in = k.words("in");
    k.when(k.equal(k.lid(), k.u32(0)),
           [&] { k.store(at(shared, k.u32(2)), k.add(group(k), k.u32(7))); });
    const ExprId two = k.let(k.op(Op::max, {k.op(Op::bit_and, {k.gid(), k.u32(0)}), k.u32(2)}));
    const ExprId word = k.uniform_load(at(shared, two))[0];
    k.put(k.gid(), k.add(k.load(at(in, word)), k.mul(word, k.lid())));
    const BufferId out = k.out;
    Rig rig(std::move(k));
    rig.fill(in, expected(9, [](std::uint32_t i) { return i * 11; }));
    rig.size(out, 3 * size);
    rig.run(3);
    EXPECT_EQ(rig.read<std::uint32_t>(out), expected(3 * size,
                                                     [&](std::uint32_t gid) {
                                                       const std::uint32_t w = gid / size + 7;
                                                       return (w < 9 ? w * 11 : 0) +
                                                              w * (gid % size);
                                                     }))
        << size;
  }
}

TEST(Seeds, WhatIsKnownBeforeTheLaunch) {
  Kernel k({100, 1, 1});
  const BufferId params = k.buffer({.name = "params",
                                    .space = Space::uniform,
                                    .access = Access::input,
                                    .layout = k.array(k.scalar(ScalarType::f32), 4)});
  // More constants than there are registers for, each in an operation of its own.
  const ExprId scale = k.let(k.mul(k.load(at(params, k.u32(1))), k.f32(2.0f)));
  const ExprId whole = k.let(k.convert(ScalarType::u32, scale));
  const VarId sum = k.var(ScalarType::u32);
  for (std::uint32_t i = 0; i < 1200; ++i)
    k.add_to(sum, k.op(Op::bit_xor, {k.mul(whole, k.u32(i * 3 + 7)), k.gid()}));
  count_to(k, k.u32(3),
           [&](VarId) { k.add_to(sum, k.mul(k.add(whole, k.length(k.out)), k.u32(77777))); });
  k.put(k.gid(), k.get(sum));
  const BufferId out = k.out;
  Rig rig(std::move(k));
  rig.fill(params, std::vector<float>{0, 2.5f, 0, 0});
  rig.size(out, 300);
  rig.run(3);
  EXPECT_EQ(rig.read<std::uint32_t>(out), expected(300, [](std::uint32_t gid) {
              std::uint32_t total = 3 * 305 * 77777u;
              for (std::uint32_t i = 0; i < 1200; ++i)
                total += 5 * (i * 3 + 7) ^ gid;
              return total;
            }));
}

TEST(Seeds, GridsThatLeaveAPartOfAStrip) {
  for (const std::uint32_t groups : {1u, 2u, 5u}) {
    Kernel k({60, 1, 1});  // strips span workgroups
    const BufferId in = k.words("in");
    const VarId sum = k.var(ScalarType::u32);
    count_to(k, k.u32(10), [&](VarId i) {
      k.add_to(sum, k.mul(k.load(at(in, k.get(i))), k.add(k.gid(), k.get(i))));
    });
    k.put(k.gid(), k.get(sum));
    const BufferId out = k.out;
    Rig rig(std::move(k));
    rig.fill(in, expected(9, [](std::uint32_t i) { return i + 1; }));
    rig.size(out, groups * 60);
    rig.run(groups, 2);
    EXPECT_EQ(rig.read<std::uint32_t>(out), expected(groups * 60, [](std::uint32_t gid) {
                std::uint32_t total = 0;
                for (std::uint32_t i = 0; i < 9; ++i)
                  total += (i + 1) * (gid + i);
                return total;
              }));
  }
}

}  // namespace
}  // namespace vyre::cpu
