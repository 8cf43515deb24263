// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "unit/backend/cpu/rig.h"

// What lanes hold side by side: conditions that few lanes decide, rows of memory, variables that
// step on together; and the cases that only look like these.
namespace vyre::cpu {
namespace {

constexpr std::uint32_t kCount = 300;
constexpr Op kOrders[] = {Op::lt, Op::le, Op::gt, Op::ge};

template <typename T>
bool holds(Op op, T a, T b) {
  if (op == Op::lt) return a < b;
  if (op == Op::le) return a <= b;
  return op == Op::gt ? a > b : a >= b;
}

TEST(Shapes, ConditionsOnWhatStepsFromLaneToLane) {
  for (const Op op : kOrders)
    for (const std::uint32_t start : {0u, 100u, 0x7fffff80u, 0xffffff80u, 0u - 256u})
      for (const std::uint32_t bound : {0u, 50u, 356u, 0x7fffffffu, 0x80000000u, 0xfffffffeu})
        for (const bool falls : {false, true})
          for (const bool is_signed : {false, true}) {
            Kernel k({256, 1, 1});
            const ScalarType type = is_signed ? ScalarType::i32 : ScalarType::u32;
            const ExprId line =
                k.op(falls ? Op::sub : Op::add, {k.u32(start), k.mul(k.gid(), k.u32(2))});
            const ExprId a = is_signed ? k.bitcast(type, line) : line;
            const ExprId b = k.constant(type, bound);
            k.when(k.op(op, {a, b}), [&] { k.put(k.gid(), k.u32(1)); });
            k.when(k.op(op, {b, a}),
                   [&] { k.put(k.gid(), k.add(k.load(at(k.out, k.gid())), k.u32(2))); });
            EXPECT_EQ(run(std::move(k), 2, kCount),
                      expected(kCount,
                               [&](std::uint32_t gid) {
                                 const std::uint32_t x = falls ? start - gid * 2 : start + gid * 2;
                                 const auto wanted = [&](std::uint32_t l, std::uint32_t r) {
                                   return is_signed ? holds(op, static_cast<std::int32_t>(l),
                                                            static_cast<std::int32_t>(r))
                                                    : holds(op, l, r);
                                 };
                                 return (wanted(x, bound) ? 1u : 0u) + (wanted(bound, x) ? 2u : 0u);
                               }))
                << to_string(op) << " " << start << " " << bound << falls << is_signed;
          }
}

TEST(Shapes, RowsOfTheGridThatEndWithinAStrip) {
  // Three workgroups of 100 a row: a strip holds the end of one row and the start of the next.
  Kernel k({100, 1, 1});
  const BufferId in = k.words("in");
  const ExprId x = k.gid();
  const ExprId y = k.builtin(Builtin::global_id, 1);
  k.when(k.less(x, k.u32(290)), [&] {
    k.when(k.less(y, k.u32(1)), [&] { k.put(x, k.mul(k.load(at(in, x)), k.u32(3))); });
    k.when(k.op(Op::ge, {y, k.u32(1)}), [&] {
      k.put(k.add(k.mul(y, k.u32(300)), x), k.add(k.load(at(in, k.mul(x, k.u32(2)))), y));
    });
  });
  const BufferId out = k.out;
  Rig rig(std::move(k));
  const Words numbers = expected(600, [](std::uint32_t i) { return i * 7 + 1; });
  rig.fill(in, numbers);
  rig.size(out, 900);
  rig.run(Launch{.grid = {3, 3, 1}, .logical_grid = {3, 3, 1}, .threads = 1});
  EXPECT_EQ(rig.read<std::uint32_t>(out), expected(900, [&](std::uint32_t i) {
              const std::uint32_t column = i % 300;
              if (column >= 290) return 0u;
              return i < 300 ? numbers[column] * 3 : numbers[column * 2] + i / 300;
            }));
}

TEST(Shapes, ElementsApart) {
  for (const std::uint32_t distance : {1u, 2u, 3u, 4u, 5u})
    for (const std::uint32_t start : {0u, 1u, 3u})
      for (const std::uint32_t length :
           {256 * distance + 8, 256 * distance - distance + 1 + start, 200 * distance, 1u}) {
        Kernel k({256, 1, 1});
        const BufferId in = k.words("in");
        const ExprId index = k.add(k.mul(k.lid(), k.u32(distance)), k.u32(start));
        k.put(index, k.add(k.load(at(in, index)), k.u32(1)));
        const BufferId out = k.out;
        Rig rig(std::move(k));
        const Words numbers = expected(length, [](std::uint32_t i) { return i * i + 11; });
        rig.fill(in, numbers);
        rig.size(out, length);
        rig.run(1);
        EXPECT_EQ(rig.read<std::uint32_t>(out),
                  expected(length,
                           [&](std::uint32_t i) {
                             const bool written = i >= start && (i - start) % distance == 0 &&
                                                  (i - start) / distance < 256;
                             return written ? numbers[i] + 1 : 0;
                           }))
            << distance << " " << start << " " << length;
      }
}

/// Vectors side by side: all their components, or some.
TEST(Shapes, VectorsInARow) {
  for (const std::uint8_t width : {std::uint8_t{2}, std::uint8_t{3}, std::uint8_t{4}})
    for (const std::uint8_t first : {std::uint8_t{0}, std::uint8_t{1}})
      for (const std::uint32_t length : {512u, 511u, 300u, 7u}) {
        const std::uint32_t stride = width == 2 ? 2 : 4;  // words
        const auto count = static_cast<std::uint8_t>(width - first);
        Kernel k({256, 1, 1});
        const LayoutId vectors = k.array(k.vector(ScalarType::u32, width), 0);
        const BufferId in = k.buffer({.name = "in", .access = Access::in_out, .layout = vectors});
        const BufferId to = k.buffer({.name = "to", .access = Access::in_out, .layout = vectors});
        const MemoryRef from{in, {{.index = k.gid()}}, first, count};
        std::vector<ExprId> loaded = k.load_all(from);
        for (ExprId& word : loaded)
          word = k.add(word, k.gid());
        k.store_all({to, {{.index = k.gid()}}, first, count}, loaded);
        Rig rig(std::move(k));
        const Words numbers =
            expected(length * stride, [](std::uint32_t i) { return i * i * 3 + 5; });
        const Words old = expected(length * stride, [](std::uint32_t i) { return i; });
        for (const auto& [buffer, words] : {std::pair(in, &numbers), std::pair(to, &old)}) {
          rig.size(buffer, length);
          std::memcpy(rig.bytes[index(buffer)].data(), words->data(), words->size() * 4);
        }
        rig.run(2);
        EXPECT_EQ(rig.read<std::uint32_t>(to),
                  expected(length * stride,
                           [&](std::uint32_t i) {
                             const bool written = i % stride >= first && i % stride < width;
                             return written ? numbers[i] + i / stride : i;
                           }))
            << int{width} << int{first} << length;
      }
}

/// Rows that begin below zero or end above the bound, in storage and in workgroup memory.
TEST(Shapes, RowsThatReachOutOfBounds) {
  const auto in_both = [](std::uint32_t shift, bool back, std::uint32_t lanes) {
    Kernel k({lanes, 1, 1});
    const BufferId in = k.words("in");
    const BufferId shared = k.elements("shared", ScalarType::u32, 200, Space::workgroup);
    k.store(at(shared, k.lid()), k.add(k.lid(), k.u32(1000)));
    k.barrier(true, false);
    const auto place = [&](ExprId from) {
      return k.op(back ? Op::sub : Op::add, {from, k.u32(shift)});
    };
    k.put(k.gid(), k.add(k.load(at(in, place(k.gid()))), k.load(at(shared, place(k.lid())))));
    const BufferId out = k.out;
    Rig rig(std::move(k));
    const Words numbers = expected(kCount, [](std::uint32_t i) { return i * 7 + 1; });
    rig.fill(in, numbers);
    rig.size(out, 2 * lanes);
    rig.run(Launch{.grid = {2, 1, 1}, .logical_grid = {2, 1, 1}, .threads = 1});
    EXPECT_EQ(rig.read<std::uint32_t>(out),
              expected(2 * lanes,
                       [&](std::uint32_t i) {
                         const std::uint32_t far = back ? i - shift : i + shift;
                         const std::uint32_t near = back ? i % lanes - shift : i % lanes + shift;
                         const std::uint32_t word = near < std::min(lanes, 200u) ? near + 1000 : 0;
                         return (far < kCount ? numbers[far] : 0) + word;
                       }))
        << shift << back << lanes;
  };
  for (const std::uint32_t lanes : {16u, 64u, 250u, 256u})
    for (const std::uint32_t shift : {0u, 1u, 15u, 16u, 17u, 44u, 100u, 255u, 256u, 300u, 1u << 31})
      for (const bool back : {false, true})
        in_both(shift, back, lanes);
}

TEST(Shapes, SomeLanesOfARow) {
  for (const std::uint32_t shift : {1u, 15u, 16u, 100u, 255u}) {
    Kernel k({256, 1, 1});
    const BufferId shared = k.elements("shared", ScalarType::u32, 256, Space::workgroup);
    k.store(at(shared, k.lid()), k.mul(k.lid(), k.lid()));
    k.barrier(true, false);
    k.when(k.op(Op::ge, {k.lid(), k.u32(shift)}), [&] {
      const ExprId back = k.op(Op::sub, {k.lid(), k.u32(shift)});
      k.when(k.odd(k.lid()), [&] {
        const ExprId value = k.load(at(shared, back));
        k.store(at(shared, back), k.u32(5));
        k.put(k.gid(), value);
      });
    });
    k.barrier(true, false);
    k.put(k.add(k.gid(), k.u32(256)), k.load(at(shared, k.lid())));
    EXPECT_EQ(run(std::move(k), 1, 512),
              expected(512,
                       [&](std::uint32_t i) {
                         const std::uint32_t lane = i % 256;
                         const bool moves = lane >= shift && lane % 2 != 0;
                         const bool taken = lane + shift < 256 && (lane + shift) % 2 != 0;
                         if (i < 256) return moves ? (lane - shift) * (lane - shift) : 0;
                         return taken ? 5u : lane * lane;
                       }))
        << shift;
  }
}

TEST(Shapes, PrivateArraysAtOneIndex) {
  Kernel k({256, 1, 1});
  const BufferId array = k.elements("array", ScalarType::u32, 6, Space::local);
  const VarId i = k.var(ScalarType::u32);
  const VarId sum = k.var(ScalarType::u32);
  // Two turns more than there are elements.
  k.loop(k.block([&] {
    k.when(k.op(Op::ge, {k.get(i), k.u32(8)}), [&] { k.break_(); });
    k.store(at(array, k.get(i)), k.add(k.gid(), k.get(i)));
    k.when(k.less(k.gid(), k.u32(77)), [&] { k.store(at(array, k.get(i)), k.u32(1000)); });
    k.store(at(array, k.u32(0)), k.u32(3));
    k.add_to(sum, k.load(at(array, k.get(i))));
    k.add_to(i, k.u32(1));
  }));
  k.put(k.gid(), k.get(sum));
  EXPECT_EQ(run(std::move(k), 2, kCount), expected(kCount, [](std::uint32_t gid) {
              std::uint32_t total = 3;
              for (std::uint32_t n = 1; n < 6; ++n)
                total += gid < 77 ? 1000 : gid + n;
              return total;
            }));
}

TEST(Shapes, VariablesThatSomeLanesMiss) {
  Kernel k({256, 1, 1});
  const BufferId array = k.elements("array", ScalarType::u32, 4, Space::local);
  const VarId i = k.var(ScalarType::u32);     // differs after the first loop
  const VarId step = k.var(ScalarType::u32);  // odd lanes set it
  k.loop(k.block([&] {
    k.when(k.op(Op::ge, {k.get(i), k.op(Op::bit_and, {k.gid(), k.u32(3)})}), [&] { k.break_(); });
    k.add_to(i, k.u32(1));
  }));
  k.when(k.odd(k.gid()), [&] { k.set(step, k.u32(2)); });
  k.store(at(array, k.get(i)), k.u32(9));
  k.when(k.less(k.get(i), k.u32(2)), [&] { k.put(k.gid(), k.u32(1)); });
  k.when(k.less(k.get(step), k.u32(1)),
         [&] { k.put(k.gid(), k.add(k.load(at(k.out, k.gid())), k.u32(10))); });
  k.put(k.gid(), k.add(k.load(at(k.out, k.gid())), k.mul(k.load(at(array, k.u32(3))), k.u32(100))));
  EXPECT_EQ(run(std::move(k), 2, kCount), expected(kCount, [](std::uint32_t gid) {
              const std::uint32_t turns = gid % 4;
              return (turns < 2 ? 1u : 0) + (gid % 2 == 0 ? 10u : 0) + (turns == 3 ? 900u : 0);
            }));
}

TEST(Shapes, VariablesOfALoopWithContinue) {
  Kernel k({256, 1, 1});
  const VarId i = k.var(ScalarType::u32);
  const VarId steps = k.var(ScalarType::u32);
  const VarId sum = k.var(ScalarType::u32);
  const BlockId body = k.block([&] {
    k.when(k.odd(k.add(k.get(i), k.gid())), [&] { k.continue_(); });
    k.add_to(steps, k.u32(1));
    k.when(k.less(k.get(steps), k.u32(3)), [&] { k.add_to(sum, k.get(steps)); });
  });
  const BlockId next = k.open();
  k.add_to(i, k.u32(1));
  const ExprId last = k.op(Op::ge, {k.get(i), k.u32(5)});
  k.close();
  k.loop(body, next, last);
  k.put(k.gid(), k.get(sum));
  EXPECT_EQ(run(std::move(k), 2, kCount), expected(kCount, [](std::uint32_t gid) {
              std::uint32_t count = 0;
              std::uint32_t total = 0;
              for (std::uint32_t n = 0; n < 5; ++n)
                if ((n + gid) % 2 == 0 && ++count < 3) total += count;
              return total;
            }));
}

TEST(Shapes, AVariableThatTakesAnotherStep) {
  Kernel k({256, 1, 1});
  const VarId i = k.var(ScalarType::u32, k.gid());  // one apart, then two
  const VarId n = k.var(ScalarType::u32);
  k.loop(k.block([&] {
    k.when(k.op(Op::ge, {k.get(n), k.u32(3)}), [&] { k.break_(); });
    k.put(k.get(i), k.add(k.get(n), k.u32(1)));
    k.add_to(i, k.gid());
    k.add_to(n, k.u32(1));
  }));
  EXPECT_EQ(run(std::move(k), 1, 800), expected(800, [](std::uint32_t at) {
              // The last writer of 3g, 2g, g, in this order of turns.
              if (at % 3 == 0 && at / 3 < 256) return 3u;
              if (at % 2 == 0 && at / 2 < 256) return 2u;
              return at < 256 ? 1u : 0u;
            }));
}

}  // namespace
}  // namespace vyre::cpu
