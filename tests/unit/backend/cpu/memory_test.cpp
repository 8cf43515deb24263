// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <limits>

#include <gtest/gtest.h>

#include "unit/backend/cpu/rig.h"

// Loads, stores and atomics: bounds at every level, narrow elements, every kind of memory.
namespace vyre::cpu {
namespace {

constexpr std::uint32_t kMax = std::numeric_limits<std::uint32_t>::max();

/// Indices that are in bounds of `length`, at its end, and far beyond.
Words edge_indices(std::uint32_t length) {
  return {0, length - 1, length, length + 1, 0x7fffffffu, 0x80000000u, kMax - 1, kMax};
}

/// A kernel of one-lane-per-index loads of `from`, a u32 array, whose indices come from a buffer.
struct Indexed {
  explicit Indexed(Kernel& k) : indices(k.words("indices")), index(k.load(at(indices, k.gid()))) {}
  BufferId indices;
  ExprId index;
};

TEST(Bounds, LoadsOutOfARuntimeSizedBufferAreZero) {
  Kernel k({8, 1, 1});
  const BufferId from = k.words("from");
  const Indexed at_index(k);
  k.put(k.gid(), k.load(at(from, at_index.index)));
  const BufferId out = k.out;
  Rig rig(std::move(k));
  rig.fill<std::uint32_t>(from, {10, 11, 12, 13, 14});
  rig.fill(at_index.indices, edge_indices(5));
  rig.size(out, 8);
  rig.run(1);
  EXPECT_EQ(rig.read<std::uint32_t>(out), (Words{10, 14, 0, 0, 0, 0, 0, 0}));
}

TEST(Bounds, EmptyBuffersReadZeroAndTakeNothing) {
  Kernel k({8, 1, 1});
  const BufferId from = k.words("from");
  const BufferId to = k.words("to");
  k.store(at(to, k.gid()), k.u32(1));
  k.put(k.gid(), k.add(k.load(at(from, k.gid())), k.u32(1)));
  const BufferId out = k.out;
  Rig rig(std::move(k));
  rig.size(out, 8);
  rig.run(1);
  EXPECT_EQ(rig.read<std::uint32_t>(out), Words(8, 1));
}

TEST(Bounds, StaticArraysOfEverySpace) {
  for (const Space space : {Space::storage, Space::uniform, Space::workgroup, Space::local}) {
    Kernel k({8, 1, 1});
    const BufferId from = k.elements("from", ScalarType::u32, 5, space);
    const Indexed at_index(k);
    const bool writable = space == Space::workgroup || space == Space::local;
    if (writable) {
      // Every lane writes all five elements the same; a workgroup's are shared.
      for (std::uint32_t i = 0; i < 5; ++i)
        k.store(at(from, k.u32(i)), k.u32(10 + i));
      k.store(at(from, at_index.index), k.add(at_index.index, k.u32(10)));
    }
    k.put(k.gid(), k.load(at(from, at_index.index)));
    const BufferId out = k.out;
    Rig rig(std::move(k));
    if (!writable) rig.fill<std::uint32_t>(from, {10, 11, 12, 13, 14});
    rig.fill(at_index.indices, edge_indices(5));
    rig.size(out, 8);
    rig.run(1);
    EXPECT_EQ(rig.read<std::uint32_t>(out), (Words{10, 14, 0, 0, 0, 0, 0, 0})) << to_string(space);
  }
}

TEST(Bounds, ConstantArrays) {
  Kernel k({8, 1, 1});
  const BufferId from = k.buffer({.name = "table",
                                  .space = Space::constant,
                                  .layout = k.array(k.scalar(ScalarType::u32), 5),
                                  .words = {10, 11, 12, 13, 14}});
  const Indexed at_index(k);
  k.put(k.gid(), k.load(at(from, at_index.index)));
  const BufferId out = k.out;
  Rig rig(std::move(k));
  rig.fill(at_index.indices, edge_indices(5));
  rig.size(out, 8);
  rig.run(1);
  EXPECT_EQ(rig.read<std::uint32_t>(out), (Words{10, 14, 0, 0, 0, 0, 0, 0}));
}

TEST(Bounds, StoresOutOfBoundsDoNothing) {
  Kernel k({8, 1, 1});
  const Indexed at_index(k);
  k.put(at_index.index, k.add(k.gid(), k.u32(1)));
  const BufferId out = k.out;
  Rig rig(std::move(k));
  rig.fill(at_index.indices, edge_indices(5));
  rig.fill<std::uint32_t>(out, {9, 9, 9, 9, 9});
  rig.run(1);
  EXPECT_EQ(rig.read<std::uint32_t>(out), (Words{1, 9, 9, 9, 2}));
}

TEST(Bounds, EachLevelIsTestedByItself) {
  // struct Row { a: u32, cells: array<array<u32, 3>, 4> }; rows: array<Row>
  Kernel k({64, 1, 1});
  const LayoutId cells = k.array(k.array(k.scalar(ScalarType::u32), 3), 4);
  const Assembler::MemberDecl members[] = {{"a", k.scalar(ScalarType::u32)}, {"cells", cells}};
  const LayoutId row = k.structure("Row", members);
  const BufferId rows =
      k.buffer({.name = "rows", .access = Access::in_out, .layout = k.array(row, 0)});
  // x in 0..3 (2 rows), y in 0..7 (4), z = gid / 32 * 2 + 1 or 2: gid = z' * 32 + y * 4 + x
  const ExprId x = k.op(Op::bit_and, {k.gid(), k.u32(3)});
  const ExprId y = k.op(Op::bit_and, {k.op(Op::shr, {k.gid(), k.u32(2)}), k.u32(7)});
  const ExprId z = k.add(k.op(Op::shr, {k.gid(), k.u32(5)}), k.u32(2));
  const MemoryRef cell = {
      .buffer = rows,
      .path = {
          {.index = x}, {.kind = Step::Kind::member, .member = 1}, {.index = y}, {.index = z}}};
  k.put(k.gid(), k.load(cell));
  k.store(cell, k.u32(7));
  const BufferId out = k.out;
  Rig rig(std::move(k));
  Words words(26);
  for (std::uint32_t i = 0; i < 26; ++i)
    words[i] = 100 + i;
  rig.size(rows, 2);
  std::memcpy(rig.bytes[index(rows)].data(), words.data(), 26 * 4);
  rig.size(out, 64);
  rig.run(1);
  EXPECT_EQ(rig.read<std::uint32_t>(out), expected(64, [](std::uint32_t gid) {
              const std::uint32_t i = gid & 3, j = gid >> 2 & 7, l = (gid >> 5) + 2;
              return i < 2 && j < 4 && l < 3 ? 100 + i * 13 + 1 + j * 3 + l : 0u;
            }));
  for (std::uint32_t i = 0; i < 26; ++i)
    if (i % 13 != 0 && (i % 13 - 1) % 3 == 2) words[i] = 7;
  EXPECT_EQ(rig.read<std::uint32_t>(rows), words);
}

TEST(Bounds, ConsecutiveElementsAreTestedOneByOne) {
  Kernel k({8, 1, 1});
  const BufferId from = k.words("from");
  const BufferId to = k.words("to");
  const Indexed at_index(k);
  MemoryRef four = at(from, at_index.index);
  four.count = 4;
  const std::vector<ExprId> loaded = k.load_all(four);
  for (std::uint32_t c = 0; c < 4; ++c)
    k.put(k.add(k.mul(k.gid(), k.u32(4)), k.u32(c)), loaded[c]);
  four.buffer = to;
  const ExprId values[] = {k.u32(1), k.u32(2), k.u32(3), k.u32(4)};
  k.store_all(four, values);
  const BufferId out = k.out;
  Rig rig(std::move(k));
  rig.fill<std::uint32_t>(from, {10, 11, 12, 13, 14, 15});
  rig.fill<std::uint32_t>(at_index.indices, {4, 3, 6, kMax, kMax - 1, 6, 6, 6});
  rig.size(to, 6);
  rig.size(out, 32);
  rig.run(1);
  Words words(32);
  words[0] = 14, words[1] = 15, words[4] = 13, words[5] = 14, words[6] = 15;
  EXPECT_EQ(rig.read<std::uint32_t>(out), words);
  // Lane 0 writes 4, 5; lane 1 writes 3, 4, 5: both write the last two.
  const Words written = rig.read<std::uint32_t>(to);
  EXPECT_EQ(Words(written.begin(), written.begin() + 4), (Words{0, 0, 0, 1}));
  EXPECT_NE(written[4], 0u);
  EXPECT_NE(written[5], 0u);
}

TEST(Memory, VectorsWithStrideAndDynamicComponents) {
  // array<vec3<f32>>: 12 bytes of each 16
  Kernel k({8, 1, 1});
  const LayoutId vec3 = k.vector(ScalarType::f32, 3);
  const BufferId from =
      k.buffer({.name = "from", .access = Access::in_out, .layout = k.array(vec3, 0)});
  const BufferId to = k.elements("to", ScalarType::f32);
  MemoryRef whole = at(from, k.gid());
  whole.count = 3;
  const std::vector<ExprId> v = k.load_all(whole);
  MemoryRef one = at(from, k.gid());
  one.path.push_back({.index = k.op(Op::rem, {k.gid(), k.u32(4)})});  // 3 is out of bounds
  const ExprId base = k.mul(k.gid(), k.u32(4));
  for (std::uint32_t c = 0; c < 3; ++c)
    k.store(at(to, k.add(base, k.u32(c))), v[c]);
  k.store(at(to, k.add(base, k.u32(3))), k.load(one));
  MemoryRef last = at(from, k.gid());
  last.first = 2;
  k.store(last, k.f32(-1));
  Rig rig(std::move(k));
  std::vector<float> values(32);
  for (std::size_t i = 0; i < 32; ++i)
    values[i] = static_cast<float>(i);
  rig.size(from, 8);
  std::memcpy(rig.bytes[index(from)].data(), values.data(), 128);
  rig.size(to, 32);
  rig.run(1);
  const auto result = rig.read<float>(to);
  const auto stored = rig.read<float>(from);
  for (std::size_t i = 0; i < 8; ++i) {
    const auto first = static_cast<float>(i * 4);
    EXPECT_EQ(result[i * 4 + 0], first);
    EXPECT_EQ(result[i * 4 + 1], first + 1);
    EXPECT_EQ(result[i * 4 + 2], first + 2);
    EXPECT_EQ(result[i * 4 + 3], i % 4 == 3 ? 0.0f : first + static_cast<float>(i % 4));
    EXPECT_EQ(stored[i * 4 + 1], first + 1);
    EXPECT_EQ(stored[i * 4 + 2], -1);
    EXPECT_EQ(stored[i * 4 + 3], first + 3);  // padding stays as it was
  }
}

TEST(Memory, MatricesAreArraysOfColumns) {
  Kernel k({6, 1, 1});
  const LayoutId layout = k.matrix(ScalarType::f32, 2, 3);  // two columns, 16 bytes apart
  const BufferId m = k.buffer({.name = "m", .space = Space::uniform, .layout = layout});
  const BufferId to = k.elements("to", ScalarType::f32);
  const ExprId column = k.op(Op::div, {k.gid(), k.u32(3)});
  const ExprId row = k.op(Op::rem, {k.gid(), k.u32(3)});
  k.store(at(to, k.gid()), k.load({.buffer = m, .path = {{.index = column}, {.index = row}}}));
  Rig rig(std::move(k));
  rig.size(m, 2);
  const std::vector<float> values = {1, 2, 3, 99, 4, 5, 6, 99};
  std::memcpy(rig.bytes[index(m)].data(), values.data(), 32);
  rig.size(to, 6);
  rig.run(1);
  EXPECT_EQ(rig.read<float>(to), (std::vector<float>{1, 2, 3, 4, 5, 6}));
}

template <typename T>
std::vector<T> ramp(std::size_t count) {
  std::vector<T> values(count);
  for (std::size_t i = 0; i < count; ++i)
    values[i] = static_cast<T>(i * 37 + 200);
  return values;
}

/// Loads elements of T, adds `k`, stores them back in reverse order, for lengths that fill no word.
template <typename T>
void check_narrow(ScalarType type) {
  for (const std::uint32_t count : {1u, 2u, 3u, 5u, 25u, 31u, 200u}) {
    Kernel k({64, 1, 1});
    const BufferId from = k.elements("from", type);
    const BufferId to = k.elements("to", type);
    const ExprId value = k.load(at(from, k.gid()));
    const ExprId mirrored = k.op(Op::sub, {k.op(Op::sub, {k.length(to), k.u32(1)}), k.gid()});
    k.store(at(to, mirrored), k.add(value, k.constant(k.type(value), 1000)));
    Rig rig(std::move(k));
    rig.fill(from, ramp<T>(count));
    rig.size(to, count);
    rig.run(4);
    auto wanted = ramp<T>(count);
    std::reverse(wanted.begin(), wanted.end());
    for (T& value_of : wanted)
      value_of = static_cast<T>(value_of + 1000);
    EXPECT_EQ(rig.read<T>(to), wanted) << to_string(type) << " x " << count;
  }
}

TEST(Narrow, IntegersWidenAndKeepLowBits) {
  check_narrow<std::uint8_t>(ScalarType::u8);
  check_narrow<std::int8_t>(ScalarType::i8);
  check_narrow<std::uint16_t>(ScalarType::u16);
  check_narrow<std::int16_t>(ScalarType::i16);
}

TEST(Narrow, SignsAreExtended) {
  Kernel k({4, 1, 1});
  const BufferId from = k.elements("from", ScalarType::i8);
  k.put(k.gid(), k.bitcast(ScalarType::u32, k.load(at(from, k.gid()))));
  const BufferId out = k.out;
  Rig rig(std::move(k));
  rig.fill<std::int8_t>(from, {-1, -128, 127});
  rig.size(out, 4);
  rig.run(1);
  EXPECT_EQ(rig.read<std::uint32_t>(out), (Words{0xffffffffu, 0xffffff80u, 127, 0}));
}

TEST(Narrow, HalvesRoundToNearestEven) {
  Kernel k({8, 1, 1});
  const BufferId from = k.elements("from", ScalarType::f32);
  const BufferId halves = k.elements("halves", ScalarType::half);
  const BufferId back = k.elements("back", ScalarType::f32);
  k.store(at(halves, k.gid()), k.load(at(from, k.gid())));
  k.store(at(back, k.gid()), k.load(at(halves, k.gid())));
  Rig rig(std::move(k));
  rig.fill<float>(from,
                  {1.0f, 65504.0f, 65520.0f, -0.0f, 1.0f + 0x1p-11f, 1.0f + 0x3p-11f, 0x1p-24f});
  rig.size(halves, 7);
  rig.size(back, 7);
  rig.run(1);
  EXPECT_EQ(rig.read<std::uint16_t>(halves),
            (std::vector<std::uint16_t>{0x3c00, 0x7bff, 0x7c00, 0x8000, 0x3c00, 0x3c02, 0x0001}));
  const auto floats = rig.read<float>(back);
  EXPECT_EQ(floats[2], std::numeric_limits<float>::infinity());
  EXPECT_EQ(floats[6], 0x1p-24f);
}

TEST(Narrow, PrivateArraysOfBytes) {
  Kernel k({64, 1, 1});
  const BufferId bytes = k.elements("bytes", ScalarType::u8, 7, Space::local);
  for (std::uint32_t i = 0; i < 7; ++i)
    k.store(at(bytes, k.u32(i)), k.add(k.gid(), k.u32(i * 50)));
  const ExprId which = k.op(Op::rem, {k.gid(), k.u32(8)});
  k.put(k.gid(), k.load(at(bytes, which)));
  EXPECT_EQ(run(std::move(k), 3, 192), expected(192, [](std::uint32_t gid) {
              return gid % 8 == 7 ? 0u : (gid + gid % 8 * 50) & 255;
            }));
}

TEST(Memory, BooleansAreWords) {
  Kernel k({4, 1, 1});
  const BufferId flags = k.elements("flags", ScalarType::boolean);
  const ExprId flag = k.load(at(flags, k.gid()));
  k.put(k.gid(), k.op(Op::select, {flag, k.u32(5), k.u32(6)}));
  k.store(at(flags, k.gid()), k.op(Op::logical_or, {flag, k.equal(k.gid(), k.u32(1))}));
  const BufferId out = k.out;
  Rig rig(std::move(k));
  rig.fill<std::uint32_t>(flags, {0, 0, 77, 1});
  rig.size(out, 4);
  rig.run(1);
  EXPECT_EQ(rig.read<std::uint32_t>(out), (Words{6, 6, 5, 5}));
  EXPECT_EQ(rig.read<std::uint32_t>(flags), (Words{0, 1, 1, 1}));
}

TEST(Memory, UnalignedHostBytes) {
  Kernel k({8, 1, 1});
  const BufferId from = k.words("from");
  k.put(k.gid(), k.load(at(from, k.op(Op::sub, {k.u32(7), k.gid()}))));
  const BufferId out = k.out;
  const Program program = std::move(k).finish();
  std::vector<std::byte> raw(1 + 32);
  const Words words = {1, 2, 3, 4, 5, 6, 7, 8};
  std::memcpy(raw.data() + 1, words.data(), 32);
  std::vector<std::byte> result(32);
  std::vector<Memory> memory(2);
  memory[index(out)] = {result, 8};
  memory[index(from)] = {std::span(raw).subspan(1), 8};
  ASSERT_TRUE(Machine::compile(program).run({.buffers = memory}).has_value());
  Words reversed(8);
  std::memcpy(reversed.data(), result.data(), 32);
  EXPECT_EQ(reversed, (Words{8, 7, 6, 5, 4, 3, 2, 1}));
}

TEST(Memory, WorkgroupAndPrivateMemoryStartAsZeros) {
  Kernel k({100, 1, 1});
  const BufferId shared = k.elements("shared", ScalarType::u32, 100, Space::workgroup);
  const BufferId own = k.elements("own", ScalarType::u32, 3, Space::local);
  const ExprId two = k.op(Op::rem, {k.gid(), k.u32(3)});
  k.put(k.gid(), k.add(k.load(at(shared, k.lid())), k.load(at(own, two))));
  k.store(at(shared, k.lid()), k.u32(1));
  k.store(at(own, two), k.u32(2));
  k.barrier(true, false);
  k.put(k.add(k.gid(), k.u32(500)), k.add(k.load(at(shared, k.lid())), k.load(at(own, two))));
  const Words words = run(std::move(k), 5, 1000);
  EXPECT_EQ(Words(words.begin(), words.begin() + 500), Words(500, 0));
  EXPECT_EQ(Words(words.begin() + 500, words.end()), Words(500, 3));
}

TEST(Memory, UniformLoadIsTheSameForAllLanes) {
  Kernel k({150, 1, 1});
  const BufferId shared = k.elements("shared", ScalarType::u32, 150, Space::workgroup);
  k.store(at(shared, k.lid()), k.mul(k.gid(), k.u32(3)));
  const ExprId value = k.uniform_load(at(shared, k.u32(149)))[0];
  k.store(at(shared, k.lid()), k.u32(0));
  k.put(k.gid(), value);
  EXPECT_EQ(run(std::move(k), 3, 450),
            expected(450, [](std::uint32_t gid) { return (gid / 150 * 150 + 149) * 3; }));
}

TEST(Memory, LengthIsTheLogicalCount) {
  Kernel k({1, 1, 1});
  const BufferId bytes = k.elements("bytes", ScalarType::u8);
  const BufferId fixed = k.elements("fixed", ScalarType::u32, 9);
  const Assembler::MemberDecl members[] = {{"head", k.scalar(ScalarType::u32)},
                                           {"tail", k.array(k.scalar(ScalarType::f32), 0)}};
  const BufferId mixed = k.buffer({.name = "mixed", .layout = k.structure("Mixed", members)});
  k.put(k.u32(0), k.length(bytes));
  k.put(k.u32(1), k.length(fixed));
  k.put(k.u32(2), k.length(mixed));
  const BufferId out = k.out;
  Rig rig(std::move(k));
  rig.size(bytes, 13);
  rig.size(fixed, 9);
  rig.size(mixed, 5);
  rig.size(out, 3);
  rig.run(1);
  EXPECT_EQ(rig.read<std::uint32_t>(out), (Words{13, 9, 5}));
}

/// One kernel of atomic `op` on element 0, by all lanes in order.
struct AtomicResult {
  std::uint32_t memory;
  Words old;
};
AtomicResult run_atomic(AtomicOp op, ScalarType type, Space space, std::uint32_t start) {
  Kernel k({4, 1, 1});
  const BufferId cells = k.buffer({.name = "cells",
                                   .space = space,
                                   .access = Access::in_out,
                                   .layout = k.array(k.atomic(type), 2)});
  const ExprId lane = k.convert(type, k.lid());
  const ExprId seven = k.op(Op::sub, {lane, k.constant(type, 1)});
  const bool swaps = op == AtomicOp::compare_exchange;
  if (space == Space::workgroup) {
    k.when(k.equal(k.lid(), k.u32(0)),
           [&] { k.atomic(AtomicOp::store, at(cells, k.u32(0)), k.constant(type, start)); });
    k.barrier(true, false);
  }
  const ExprId old = k.atomic(op, at(cells, k.u32(0)), op == AtomicOp::load ? kNone<ExprId> : seven,
                              swaps ? k.constant(type, start) : kNone<ExprId>);
  k.put(k.lid(), k.bitcast(ScalarType::u32, old));
  k.barrier(true, true);
  const ExprId now = k.atomic(AtomicOp::load, at(cells, k.u32(0)));
  k.put(k.u32(4), k.bitcast(ScalarType::u32, now));
  k.put(k.u32(5), k.bitcast(ScalarType::u32,
                            k.atomic(AtomicOp::add, at(cells, k.add(k.lid(), k.u32(2))), seven)));
  const BufferId out = k.out;
  Rig rig(std::move(k));
  if (space == Space::storage) rig.fill<std::uint32_t>(cells, {start, 0});
  rig.fill<std::uint32_t>(out, Words(6, 77));
  rig.run(1);
  Words words = rig.read<std::uint32_t>(out);
  EXPECT_EQ(words[5], 0u);  // out of bounds
  return {words[4], Words(words.begin(), words.begin() + 4)};
}

TEST(Atomics, EachOperationYieldsTheOldValue) {
  struct Row {
    AtomicOp op;
    ScalarType type;
    std::uint32_t start, memory;
    Words old;
  };
  // Lanes 0 … 3 apply the operands -1, 0, 1, 2 in order.
  const std::vector<Row> rows = {
      {AtomicOp::add, ScalarType::u32, 10, 12, {10, 9, 9, 10}},
      {AtomicOp::sub, ScalarType::i32, 10, 8, {10, 11, 11, 10}},
      {AtomicOp::bit_and, ScalarType::u32, 6, 0, {6, 6, 0, 0}},
      {AtomicOp::bit_or, ScalarType::u32, 6, kMax, {6, kMax, kMax, kMax}},
      {AtomicOp::bit_xor, ScalarType::u32, 6, ~6u ^ 3u, {6, ~6u, ~6u, ~6u ^ 1u}},
      {AtomicOp::min, ScalarType::u32, 6, 0, {6, 6, 0, 0}},
      {AtomicOp::min, ScalarType::i32, 6, kMax, {6, kMax, kMax, kMax}},
      {AtomicOp::max, ScalarType::u32, 6, kMax, {6, kMax, kMax, kMax}},
      {AtomicOp::max, ScalarType::i32, 0, 2, {0, 0, 0, 1}},
      {AtomicOp::exchange, ScalarType::u32, 6, 2, {6, kMax, 0, 1}},
      {AtomicOp::compare_exchange, ScalarType::u32, 6, kMax, {6, kMax, kMax, kMax}},
      {AtomicOp::load, ScalarType::u32, 6, 6, {6, 6, 6, 6}}};
  for (const Row& row : rows)
    for (const Space space : {Space::storage, Space::workgroup}) {
      const AtomicResult result = run_atomic(row.op, row.type, space, row.start);
      EXPECT_EQ(result.memory, row.memory) << to_string(row.op);
      EXPECT_EQ(result.old, row.old) << to_string(row.op);
    }
}

TEST(Atomics, ThreadsTogetherCountEveryLane) {
  constexpr std::uint32_t kGroups = 500;
  Kernel k({64, 1, 1});
  const BufferId cells = k.buffer(
      {.name = "cells", .access = Access::in_out, .layout = k.array(k.atomic(ScalarType::u32), 0)});
  k.atomic(AtomicOp::add, at(cells, k.u32(0)), k.u32(1));
  k.atomic(AtomicOp::max, at(cells, k.u32(1)), k.gid());
  const ExprId ticket = k.atomic(AtomicOp::add, at(cells, k.u32(2)), k.u32(1));
  k.put(ticket, k.u32(1));
  const BufferId out = k.out;
  Rig rig(std::move(k));
  rig.size(cells, 3);
  rig.size(out, kGroups * 64);
  rig.run(kGroups, 4);
  EXPECT_EQ(rig.read<std::uint32_t>(cells), (Words{kGroups * 64, kGroups * 64 - 1, kGroups * 64}));
  EXPECT_EQ(rig.read<std::uint32_t>(out), Words(kGroups * 64, 1));
}

TEST(Atomics, DivergentLanesWaitTheirTurn) {
  Kernel k({64, 1, 1});
  const BufferId cells = k.buffer(
      {.name = "cells", .access = Access::in_out, .layout = k.array(k.atomic(ScalarType::u32), 0)});
  k.when(k.odd(k.gid()), [&] {
    k.put(k.gid(), k.add(k.atomic(AtomicOp::add, at(cells, k.u32(0)), k.u32(1)), k.u32(1)));
  });
  const BufferId out = k.out;
  Rig rig(std::move(k));
  rig.size(cells, 1);
  rig.size(out, 128);
  rig.run(2);
  EXPECT_EQ(rig.read<std::uint32_t>(out),
            expected(128, [](std::uint32_t gid) { return gid % 2 == 1 ? gid / 2 + 1 : 0u; }));
}

}  // namespace
}  // namespace vyre::cpu
