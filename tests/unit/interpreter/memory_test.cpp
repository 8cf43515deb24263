// SPDX-License-Identifier: MIT OR Apache-2.0
#include "interpreter/memory.h"

#include <cstring>

#include "unit/interpreter/run.h"

namespace vyre::interpreter {
namespace {

/// Element 1 of three elements that hold `bytes`, as a value.
std::uint64_t loaded(ScalarType type, std::initializer_list<unsigned> bytes) {
  std::vector<std::byte> raw;
  for (const unsigned byte : bytes)
    raw.push_back(static_cast<std::byte>(byte));
  return read_element(type, raw.data());
}
std::vector<unsigned> stored(ScalarType type, std::uint64_t value) {
  std::vector<std::byte> raw(info(type).bytes);
  write_element(type, raw.data(), value);
  std::vector<unsigned> bytes;
  for (const std::byte byte : raw)
    bytes.push_back(std::to_integer<unsigned>(byte));
  return bytes;
}

TEST(InterpreterMemory, NarrowElementsWidenByTheirKind) {
  EXPECT_EQ(loaded(ScalarType::u8, {0xfe}), 0xfeu);
  EXPECT_EQ(loaded(ScalarType::i8, {0xfe}), 0xfffffffeu);
  EXPECT_EQ(loaded(ScalarType::u16, {0x01, 0x80}), 0x8001u);
  EXPECT_EQ(loaded(ScalarType::i16, {0x01, 0x80}), 0xffff8001u);
  EXPECT_EQ(loaded(ScalarType::half, {0x00, 0x3c}), 0x3f800000u);  // 1.0
  EXPECT_EQ(loaded(ScalarType::f16, {0x00, 0x3c}), 0x3c00u);
  EXPECT_EQ(loaded(ScalarType::boolean, {0, 0, 0, 2}), 1u);
  EXPECT_EQ(loaded(ScalarType::u64, {1, 0, 0, 0, 0, 0, 0, 0x80}), 0x8000000000000001u);
}

TEST(InterpreterMemory, StoresKeepTheLowBitsAndRoundHalves) {
  using Bytes = std::vector<unsigned>;
  EXPECT_EQ(stored(ScalarType::u8, 0x1ff), (Bytes{0xff}));
  EXPECT_EQ(stored(ScalarType::i16, 0xffff8001u), (Bytes{0x01, 0x80}));
  EXPECT_EQ(stored(ScalarType::half, 0x477ff000u), (Bytes{0x00, 0x7c}));  // 65520 is infinite
  EXPECT_EQ(stored(ScalarType::boolean, 1), (Bytes{1, 0, 0, 0}));
}

TEST(InterpreterMemory, EachAtomicKeepsItsMeaning) {
  const auto by = [](AtomicOp op, ScalarType type, std::uint64_t old, std::uint64_t value) {
    return updated_word(op, type, old, value, 5);
  };
  EXPECT_EQ(by(AtomicOp::add, ScalarType::u32, 0xffffffffu, 2), 1u);
  EXPECT_EQ(by(AtomicOp::sub, ScalarType::u32, 1, 2), 0xffffffffu);
  EXPECT_EQ(by(AtomicOp::min, ScalarType::i32, 0xffffffffu, 1), 0xffffffffu);
  EXPECT_EQ(by(AtomicOp::min, ScalarType::u32, 0xffffffffu, 1), 1u);
  EXPECT_EQ(by(AtomicOp::max, ScalarType::i32, 0xffffffffu, 1), 1u);
  EXPECT_EQ(by(AtomicOp::exchange, ScalarType::u32, 3, 4), 4u);
  EXPECT_EQ(by(AtomicOp::compare_exchange, ScalarType::u32, 5, 9), 9u);
  EXPECT_EQ(by(AtomicOp::compare_exchange, ScalarType::u32, 6, 9), 6u);
  EXPECT_EQ(by(AtomicOp::load, ScalarType::u32, 6, 0), 6u);
}

TEST(InterpreterMemory, OutOfBoundsLoadsGiveZeroAndStoresDoNothing) {
  for (const std::uint32_t at : {4u, 5u, 0xffffffffu}) {
    Kernel k;
    const ExprId seen = k.load(Kernel::at(k.in, k.u32(at)));
    k.store(Kernel::at(k.out, k.u32(0)), k.op(Op::add, {seen, k.u32(1)}));
    k.store(Kernel::at(k.out, k.u32(at)), k.u32(99));
    const Ran ran = run(std::move(k), {.in = {5, 6, 7, 8}, .out_words = 4});
    EXPECT_EQ(ran.out, (Words{1, 0, 0, 0})) << at;
  }
}

TEST(InterpreterMemory, EachLevelHasItsOwnBound) {
  Kernel k;
  const BufferId grid = k.buffer({.name = "grid",
                                  .space = Space::local,
                                  .layout = k.array(k.array(k.scalar(ScalarType::u32), 2), 2)});
  const auto at = [&](std::uint32_t row, std::uint32_t column) {
    MemoryRef ref = Kernel::at(grid, k.u32(row));
    ref.path.push_back({.kind = Step::Kind::index, .index = k.u32(column)});
    return ref;
  };
  k.store(at(0, 2), k.u32(1));  // would be (1, 0) if only the whole were tested
  k.store(at(1, 1), k.u32(2));
  k.store(Kernel::at(k.out, k.u32(0)), k.load(at(1, 0)));
  k.store(Kernel::at(k.out, k.u32(1)), k.load(at(1, 1)));
  EXPECT_EQ(run(std::move(k), {.out_words = 2}).out, (Words{0, 2}));
}

TEST(InterpreterMemory, WorkgroupAndLocalMemoryStartAsZeros) {
  Kernel k;
  const BufferId mine = k.buffer({.name = "mine", .space = Space::local, .layout = words(k, 4)});
  for (const BufferId buffer : {mine, k.tile}) {
    const MemoryRef first = Kernel::at(buffer, buffer == mine ? k.u32(1) : k.lid());
    const ExprId seen = k.load(first);
    k.store(first, k.op(Op::add, {seen, k.u32(1)}));
    k.store(Kernel::at(k.out, k.gid()), k.load(first));
  }
  for (const std::uint32_t word : run(std::move(k), {.grid = {3, 1, 1}, .out_words = 192}).out)
    EXPECT_EQ(word, 1u);
}

}  // namespace
}  // namespace vyre::interpreter
