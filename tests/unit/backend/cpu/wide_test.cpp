// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "unit/backend/cpu/rig.h"

// Values of 64 bits, which take pairs of registers: strips of every length, masks, memory of every
// kind, constants, and words that are the low half of a pair.
namespace vyre::cpu {
namespace {

using Wides = std::vector<std::uint64_t>;

constexpr std::uint64_t kFactor = 6364136223846793005u;

/// A kernel with an array of u64, `wides`, beside `out`.
struct WideKernel : Kernel {
  explicit WideKernel(std::array<std::uint32_t, 3> workgroup)
      : Kernel(workgroup), wides(elements("wides", ScalarType::u64)) {}

  ExprId u64(std::uint64_t bits) { return constant(ScalarType::u64, bits); }
  ExprId wide(ExprId word) { return convert(ScalarType::u64, word); }
  /// The lane's number times a factor that fills both words.
  ExprId spread() { return mul(wide(gid()), u64(kFactor)); }
  void put_wide(ExprId index, ExprId value) { store(at(wides, index), value); }

  BufferId wides;
};

Wides run_wide(WideKernel&& kernel, std::uint32_t groups, std::uint32_t count) {
  const BufferId wides = kernel.wides;
  Rig rig(std::move(kernel));
  rig.size(wides, count);
  rig.run(groups);
  return rig.read<std::uint64_t>(wides);
}

TEST(WideValues, InStripsOfEveryLength) {
  for (const std::uint32_t lanes : {1u, 2u, 16u, 17u, 48u, 100u, 128u, 255u, 256u, 300u}) {
    WideKernel k({lanes, 1, 1});
    const VarId sum = k.var(ScalarType::u64, k.spread());
    // Many values at a time, so that several pairs share a stretch of the file.
    std::vector<ExprId> kept;
    for (std::uint64_t i = 1; i <= 20; ++i)
      kept.push_back(k.let(k.add(k.spread(), k.u64(i << 40 | i))));
    for (const ExprId value : kept)
      k.set(sum, k.op(Op::bit_xor, {k.get(sum), value}));
    k.put_wide(k.gid(), k.get(sum));
    EXPECT_EQ(run_wide(std::move(k), 3, 3 * lanes),
              expected<std::uint64_t>(3 * lanes,
                                      [](std::uint64_t i) {
                                        std::uint64_t expected = i * kFactor;
                                        for (std::uint64_t n = 1; n <= 20; ++n)
                                          expected ^= i * kFactor + (n << 40 | n);
                                        return expected;
                                      }))
        << lanes;
  }
}

TEST(WideValues, LanesThatAreNotThereKeepBothWords) {
  WideKernel k({64, 1, 1});
  const VarId var = k.var(ScalarType::u64, k.spread());
  k.when(k.odd(k.gid()), [&] {
    k.set(var, k.op(Op::bit_not, {k.get(var)}));
    k.when(k.less(k.gid(), k.u32(20)), [&] { k.set(var, k.u64(0x100000002)); });
  });
  const ExprId before = k.get(var);
  k.when(k.equal(k.gid(), k.u32(6)), [&] { k.set(var, k.add(before, before)); });
  k.put_wide(k.gid(), k.get(var));
  EXPECT_EQ(run_wide(std::move(k), 1, 64),
            expected<std::uint64_t>(64, [](std::uint64_t i) -> std::uint64_t {
              if (i % 2 != 0) return i < 20 ? 0x100000002 : ~(i * kFactor);
              return i == 6 ? 2 * i * kFactor : i * kFactor;
            }));
}

TEST(WideValues, LoopsEndEachLaneByItself) {
  // The steps of the Collatz sequence that begins far above 32 bits.
  const auto begin = [](std::uint64_t i) { return (std::uint64_t{1} << 33) + i; };
  WideKernel k({32, 1, 1});
  const VarId n = k.var(ScalarType::u64, k.add(k.wide(k.gid()), k.u64(begin(0))));
  const VarId steps = k.var(ScalarType::u64);
  const BlockId body = k.block([&] {
    const ExprId now = k.get(n);
    k.when(k.op(Op::le, {now, k.u64(1)}), [&] { k.break_(); });
    const ExprId is_odd = k.equal(k.op(Op::bit_and, {now, k.u64(1)}), k.u64(1));
    const ExprId up = k.add(k.mul(now, k.u64(3)), k.u64(1));
    k.set(n, k.op(Op::select, {is_odd, up, k.op(Op::shr, {now, k.u32(1)})}));
    k.add_to(steps, k.u64(std::uint64_t{1} << 32));
  });
  k.loop(body);
  k.put_wide(k.gid(), k.get(steps));
  EXPECT_EQ(run_wide(std::move(k), 3, 96), expected<std::uint64_t>(96, [&](std::uint64_t i) {
              std::uint64_t count = 0;
              for (std::uint64_t at = begin(i); at > 1; ++count)
                at = at % 2 != 0 ? 3 * at + 1 : at / 2;
              return count << 32;
            }));
}

TEST(WideValues, BranchOnBothWords) {
  WideKernel k({64, 1, 1});
  const ExprId value = k.let(k.op(Op::sub, {k.spread(), k.u64(kFactor * 5)}));
  const ExprId as_signed = k.bitcast(ScalarType::i64, value);
  const auto count_if = [&](std::uint32_t bit, ExprId condition) {
    k.when(condition, [&] { k.put(k.gid(), k.add(k.load(at(k.out, k.gid())), k.u32(1u << bit))); });
  };
  count_if(0, k.less(value, k.u64(kFactor)));
  count_if(1, k.less(as_signed, k.constant(ScalarType::i64, 0)));
  count_if(2, k.equal(value, k.u64(0)));
  count_if(
      3, k.op(Op::logical_not, {k.op(Op::ge, {as_signed, k.constant(ScalarType::i64, kFactor)})}));
  EXPECT_EQ(run(std::move(k), 1, 64), expected(64, [](std::uint32_t i) {
              const std::uint64_t v = (i - std::uint64_t{5}) * kFactor;
              const auto s = static_cast<std::int64_t>(v);
              return (v < kFactor ? 1u : 0) | (s < 0 ? 2u : 0) | (v == 0 ? 4u : 0) |
                     (s < static_cast<std::int64_t>(kFactor) ? 8u : 0);
            }));
}

TEST(WideValues, MoreConstantsThanStayInRegisters) {
  constexpr std::uint64_t kCount = 600;
  WideKernel k({16, 1, 1});
  const VarId sum = k.var(ScalarType::u64);
  for (std::uint64_t i = 0; i < kCount; ++i)
    k.set(sum, k.add(k.mul(k.get(sum), k.u64(3)), k.u64(i * kFactor)));
  k.put_wide(k.gid(), k.get(sum));
  std::uint64_t wanted = 0;
  for (std::uint64_t i = 0; i < kCount; ++i)
    wanted = wanted * 3 + i * kFactor;
  EXPECT_EQ(run_wide(std::move(k), 2, 32), Wides(32, wanted));
}

TEST(WideValues, AWordOutlivesTheValueItWasPartOf) {
  WideKernel k({64, 1, 1});
  const ExprId low = k.let(k.convert(ScalarType::u32, k.spread()));
  const VarId word = k.var(ScalarType::u32, low);
  const ExprId signed_low = k.let(k.convert(ScalarType::i32, k.add(k.spread(), k.u64(7))));
  std::vector<ExprId> others;
  for (std::uint64_t i = 1; i < 8; ++i)
    others.push_back(k.let(k.mul(k.spread(), k.u64(i))));
  const VarId sum = k.var(ScalarType::u64);
  for (const ExprId other : others)
    k.set(sum, k.op(Op::bit_xor, {k.get(sum), other}));
  k.set(word, k.add(k.get(word), k.bitcast(ScalarType::u32, signed_low)));
  k.put_wide(k.gid(), k.add(k.get(sum), k.wide(k.get(word))));
  EXPECT_EQ(run_wide(std::move(k), 2, 128), expected<std::uint64_t>(128, [](std::uint64_t i) {
              std::uint64_t wanted = 0;
              for (std::uint64_t n = 1; n < 8; ++n)
                wanted ^= i * kFactor * n;
              return wanted + static_cast<std::uint32_t>(2 * i * kFactor + 7);
            }));
}

TEST(WideMemory, ElementsOfEverySpaceAreTestedAgainstTheirBounds) {
  const Wides values = {kFactor, 1, std::uint64_t{1} << 63, 0xffffffff00000000, 5};
  for (const Space space : {Space::storage, Space::workgroup, Space::local, Space::constant}) {
    WideKernel k({8, 1, 1});
    BufferDecl decl{
        .name = "from", .space = space, .layout = k.array(k.scalar(ScalarType::u64), 5)};
    if (space == Space::constant)
      for (const std::uint64_t value : values)
        decl.words.insert(decl.words.end(), {static_cast<std::uint32_t>(value),
                                             static_cast<std::uint32_t>(value >> 32)});
    const BufferId from = k.buffer(decl);
    if (space == Space::workgroup || space == Space::local)
      for (std::uint32_t i = 0; i < 5; ++i)
        k.store(at(from, k.u32(i)), k.u64(values[i]));
    const BufferId indices = k.words("indices");
    k.put_wide(k.gid(), k.load(at(from, k.load(at(indices, k.gid())))));
    const BufferId wides = k.wides;
    Rig rig(std::move(k));
    if (space == Space::storage) rig.fill(from, values);
    rig.fill(indices, Words{4, 3, 2, 1, 0, 5, 0x20000000, 0xffffffff});
    rig.size(wides, 8);
    rig.run(1);
    EXPECT_EQ(rig.read<std::uint64_t>(wides),
              (Wides{values[4], values[3], values[2], values[1], values[0], 0, 0, 0}));
  }
}

TEST(WideMemory, StoresOutOfBoundsChangeNothing) {
  WideKernel k({8, 1, 1});
  const BufferId indices = k.words("indices");
  k.put_wide(k.load(at(indices, k.gid())), k.add(k.spread(), k.u64(~std::uint64_t{0} << 32)));
  const BufferId wides = k.wides;
  Rig rig(std::move(k));
  rig.fill(indices, Words{2, 3, 0x20000000, 0xffffffff, 0x80000001, 0, 4, 5});
  rig.fill(wides, Wides{1, 2, 3});
  rig.run(1);
  EXPECT_EQ(rig.read<std::uint64_t>(wides),
            (Wides{5 * kFactor + (~std::uint64_t{0} << 32), 2, ~std::uint64_t{0} << 32}));
}

TEST(WideMemory, VectorsAndMembersLieWhereTheirLayoutSays) {
  WideKernel k({4, 1, 1});
  const std::vector<Assembler::MemberDecl> members = {{"flag", k.scalar(ScalarType::u32)},
                                                      {"v", k.vector(ScalarType::i64, 3)},
                                                      {"w", k.scalar(ScalarType::u64)}};
  const BufferId rows = k.buffer({.name = "rows",
                                  .access = Access::in_out,
                                  .layout = k.array(k.structure("Row", members), 0)});
  // flag at 0, v at 32 (aligned to 32), w at 56; rows are 64 bytes apart.
  const auto member = [&](std::uint32_t which) {
    return MemoryRef{.buffer = rows,
                     .path = {{.index = k.gid()}, {.kind = Step::Kind::member, .member = which}}};
  };
  MemoryRef vector = member(1);
  vector.count = 3;
  auto v = k.load_all(vector);
  const ExprId sum = k.let(k.add(k.add(v[0], v[1]), v[2]));
  k.store(member(2), k.bitcast(ScalarType::u64, sum));
  const std::vector<ExprId> turned = {v[2], v[0], v[1]};
  k.store_all(vector, turned);
  Rig rig(std::move(k));
  std::vector<std::int64_t> words(32);
  for (std::int64_t row = 0; row < 4; ++row)
    for (std::int64_t c = 0; c < 3; ++c)
      words[static_cast<std::size_t>(row * 8 + 4 + c)] = (row + 1) * (c + 1) * -5000000000;
  rig.fill(rows, words);
  rig.counts[index(rows)] = 4;
  rig.bytes[index(rows)].resize(4 * 64);
  rig.run(1);
  const auto got = rig.read<std::int64_t>(rows);
  for (std::int64_t row = 0; row < 4; ++row) {
    const auto at_row = [&](std::int64_t place) {
      return got[static_cast<std::size_t>(row * 8 + place)];
    };
    const std::int64_t one = (row + 1) * -5000000000;
    EXPECT_EQ(at_row(0), 0);
    EXPECT_EQ(at_row(4), 3 * one);
    EXPECT_EQ(at_row(5), 1 * one);
    EXPECT_EQ(at_row(6), 2 * one);
    EXPECT_EQ(at_row(7), 6 * one);
  }
}

TEST(WideMemory, ConsecutiveElementsEachHaveTheirTest) {
  WideKernel k({8, 1, 1});
  const BufferId from = k.elements("from", ScalarType::u64);
  MemoryRef four = at(from, k.mul(k.gid(), k.u32(2)));
  four.count = 4;
  const auto loaded = k.load_all(four);
  const ExprId sum = k.let(k.add(k.add(loaded[0], loaded[1]), k.add(loaded[2], loaded[3])));
  MemoryRef two = at(k.wides, k.mul(k.gid(), k.u32(2)));
  two.count = 2;
  const std::vector<ExprId> stored = {sum, k.op(Op::bit_not, {sum})};
  k.store_all(two, stored);
  const BufferId wides = k.wides;
  Rig rig(std::move(k));
  const Wides values =
      expected<std::uint64_t>(7, [](std::uint64_t i) { return (i + 1) << 32 | i; });
  rig.fill(from, values);
  rig.size(wides, 9);
  rig.run(1);
  EXPECT_EQ(rig.read<std::uint64_t>(wides), expected<std::uint64_t>(9, [&](std::uint64_t i) {
              std::uint64_t wanted = 0;
              for (std::uint64_t n = i / 2 * 2; n < std::min<std::uint64_t>(i / 2 * 2 + 4, 7); ++n)
                wanted += values[n];
              return i % 2 == 0 ? wanted : ~wanted;
            }));
}

TEST(WideMemory, GoesThroughTheWorkgroupInWholeValues) {
  constexpr std::uint32_t kLanes = 300;  // more than a strip
  WideKernel k({kLanes, 1, 1});
  const BufferId shared = k.elements("shared", ScalarType::u64, kLanes, Space::workgroup);
  k.store(at(shared, k.lid()), k.spread());
  k.barrier(true, false);
  const ExprId other = k.load(at(shared, k.op(Op::sub, {k.u32(kLanes - 1), k.lid()})));
  const ExprId same = k.uniform_load(at(shared, k.u32(7))).front();
  k.put_wide(k.gid(), k.op(Op::bit_xor, {other, same}));
  EXPECT_EQ(run_wide(std::move(k), 2, 2 * kLanes),
            expected<std::uint64_t>(2 * kLanes, [](std::uint64_t i) {
              const std::uint64_t first = i / kLanes * kLanes;
              return ((first + kLanes - 1 - i % kLanes) * kFactor) ^ ((first + 7) * kFactor);
            }));
}

TEST(WideAtomics, UpdateBothWordsAtOnce) {
  constexpr std::uint32_t kGroups = 40;
  for (const unsigned threads : {1u, 3u})
    for (const Space space : {Space::storage, Space::workgroup}) {
      WideKernel k({64, 1, 1});
      const BufferId cells = k.buffer({.name = "cells",
                                       .space = space,
                                       .access = Access::in_out,
                                       .layout = k.array(k.atomic(ScalarType::u64), 4)});
      const auto cell = [&](std::uint32_t i) { return at(cells, k.u32(i)); };
      const ExprId step = k.add(k.wide(k.gid()), k.u64(0xffffffff));  // carries now and then
      k.atomic(AtomicOp::add, cell(0), step);
      k.atomic(AtomicOp::max, cell(1), k.spread());
      k.atomic(AtomicOp::bit_xor, cell(2), k.spread());
      k.atomic(AtomicOp::add, at(cells, k.u32(4)), step);  // out of bounds
      k.barrier(true, false);
      const ExprId sum = k.atomic(AtomicOp::load, cell(0));
      if (space == Space::workgroup)
        k.when(k.equal(k.lid(), k.u32(0)), [&] {
          const ExprId group = k.builtin(Builtin::workgroup_id);
          k.put_wide(group, sum);
          k.put_wide(k.add(group, k.u32(kGroups)), k.atomic(AtomicOp::load, cell(1)));
        });
      const BufferId wides = k.wides;
      Rig rig(std::move(k));
      rig.size(wides, 2 * kGroups);
      if (space == Space::storage) rig.fill(cells, Wides(4));
      rig.run(kGroups, threads);
      const auto sum_of = [](std::uint64_t first, std::uint64_t count) {
        return count * 0xffffffff + (2 * first + count - 1) * count / 2;
      };
      const auto most = [](std::uint64_t first, std::uint64_t count) {
        std::uint64_t greatest = 0;
        for (std::uint64_t i = first; i < first + count; ++i)
          greatest = std::max(greatest, i * kFactor);
        return greatest;
      };
      if (space == Space::workgroup) {
        EXPECT_EQ(rig.read<std::uint64_t>(wides),
                  expected<std::uint64_t>(2 * kGroups, [&](std::uint64_t i) {
                    return i < kGroups ? sum_of(i * 64, 64) : most((i - kGroups) * 64, 64);
                  }));
        continue;
      }
      std::uint64_t mixed = 0;
      for (std::uint64_t i = 0; i < kGroups * 64; ++i)
        mixed ^= i * kFactor;
      EXPECT_EQ(rig.read<std::uint64_t>(cells),
                (Wides{sum_of(0, kGroups * 64), most(0, kGroups * 64), mixed, 0}));
    }
}

TEST(WideSubgroups, CombineAndMoveWholeValues) {
  WideKernel k({32, 1, 1});
  const auto one = [&](SubgroupOp op, ExprId value, ExprId argument = kNone<ExprId>) {
    return k.subgroup(op, ScalarType::u64, value, argument).front();
  };
  const ExprId value = k.let(k.spread());
  const std::vector<ExprId> results = {one(SubgroupOp::add, value),
                                       one(SubgroupOp::max, value),
                                       one(SubgroupOp::bit_xor, value),
                                       one(SubgroupOp::inclusive_add, value),
                                       one(SubgroupOp::exclusive_mul, value),
                                       one(SubgroupOp::shuffle_xor, value, k.u32(1)),
                                       one(SubgroupOp::shuffle_down, value, k.u32(3))};
  for (std::uint32_t i = 0; i < results.size(); ++i)
    k.put_wide(k.add(k.mul(k.gid(), k.u32(8)), k.u32(i)), results[i]);
  const Wides got = run_wide(std::move(k), 1, 256);
  std::uint64_t all = 0;
  std::uint64_t most = 0;
  std::uint64_t mixed = 0;
  for (std::uint64_t i = 0; i < 32; ++i) {
    all += i * kFactor;
    most = std::max(most, i * kFactor);
    mixed ^= i * kFactor;
  }
  std::uint64_t sum = 0;
  std::uint64_t product = 1;
  for (std::uint64_t i = 0; i < 32; ++i) {
    sum += i * kFactor;
    const Wides wanted = {
        all, most, mixed, sum, product, (i ^ 1) * kFactor, i + 3 < 32 ? (i + 3) * kFactor : 0, 0};
    product *= i * kFactor;
    for (std::size_t n = 0; n < 8; ++n)
      EXPECT_EQ(got[i * 8 + n], wanted[n]) << i << " " << n;
  }
}

}  // namespace
}  // namespace vyre::cpu
