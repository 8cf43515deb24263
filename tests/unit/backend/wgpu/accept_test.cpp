// SPDX-License-Identifier: MIT OR Apache-2.0
#include <chrono>
#include <cstring>

#include <gtest/gtest.h>

#include "backend/wgpu/driver.h"
#include "ir/assembler.h"
#include "support/required.h"
#include "unit/backend/wgpu/first_gpu.h"

// What the printer writes is taken by the library and does what it says.
namespace vyre::wgpu {
namespace {

using Words = std::vector<std::uint32_t>;

Step member(std::uint32_t i) {
  return {.kind = Step::Kind::member, .member = i};
}
Step element(ExprId i) {
  return {.kind = Step::Kind::index, .index = i};
}

/// A program with an output of words, `store` by `store`, and further buffers of zeros.
struct Kernel {
  Assembler a{"accept", {1, 1, 1}};
  std::uint32_t stored = 0;
  BufferId out = a.buffer(
      {.name = "out", .access = Access::in_out, .layout = a.array(a.scalar(ScalarType::u32), 0)});

  void store(ExprId value) {
    const ExprId bits = a.type(value) == ScalarType::boolean ? a.convert(ScalarType::u32, value)
                        : a.type(value) == ScalarType::u32   ? value
                                                             : a.bitcast(ScalarType::u32, value);
    a.store({.buffer = out, .path = {element(a.u32(stored++))}}, bits);
  }
  /// A value that the library's compiler does not know: `out` is zero where nothing was stored.
  ExprId zero() { return a.load({.buffer = out, .path = {element(a.u32(63))}}); }
  BufferId memory(Space space, LayoutId layout, Words words = {}) {
    return a.buffer({.name = "memory",
                     .binding = 1,
                     .space = space,
                     .access = space == Space::storage ? Access::in_out : Access::input,
                     .layout = layout,
                     .words = std::move(words)});
  }
};

class AcceptTest : public testing::Test {
 protected:
  void SetUp() override {
    auto gpu = open_first_gpu();
    if (!gpu) SKIP_WITHOUT_DEVICE("wgpu", gpu.error());
    driver_ = std::make_unique<WgpuDriver>(*std::move(gpu));
  }

  /// Runs the kernel once and gives the words that it stored.
  Words run(Kernel&& kernel) {
    Lowered lowered;
    lowered.program = std::move(kernel.a).finish();
    auto compiled = driver_->compile(lowered, "accept");
    if (!compiled) {
      ADD_FAILURE() << compiled.error().to_string() << print_wgsl(lowered).text;
      return {};
    }
    std::vector<std::unique_ptr<DriverBlock>> blocks;
    std::vector<BlockRange> ranges;
    for (std::size_t i = 0; i < print_wgsl(lowered).bindings.size(); ++i) {
      blocks.push_back(*driver_->allocate(BlockUse::device, 256));
      ranges.push_back({blocks.back().get(), 0, 256});
    }
    const auto back = *driver_->allocate(BlockUse::readback, 256);
    const auto bindings = driver_->bind(**compiled, ranges);
    EXPECT_TRUE(bindings) << bindings.error().to_string();
    const LaunchCommand launch = {.kernel = compiled->get(), .bindings = bindings->get()};
    const BlockCopy down = {ranges[0], back.get(), 0};
    const CommandList list = {.launches = std::span(&launch, 1), .downloads = std::span(&down, 1)};
    EXPECT_TRUE(driver_->submit(std::span(&list, 1), {}));
    driver_->map(*back);
    while (back->mapping.is(Signal::State::pending))
      driver_->poll();
    Words words(kernel.stored);
    std::memcpy(words.data(), back->data(), words.size() * 4);
    return words;
  }

  std::unique_ptr<WgpuDriver> driver_;
};

TEST_F(AcceptTest, LiteralsKeepTheirBits) {
  const Words integers = {0, 1, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff};
  const Words floats = {0x00000000, 0x80000000, 0x00000001, 0x807fffff, 0x00800000, 0x3dcccccd,
                        0x3f800000, 0xbf800001, 0x4b7fffff, 0x4f000000, 0x7f7fffff, 0xff7fffff};
  Kernel k;
  Words wanted;
  for (const ScalarType type : {ScalarType::u32, ScalarType::i32})
    for (const std::uint32_t bits : integers) {
      k.store(k.a.constant(type, bits));
      wanted.push_back(bits);
    }
  for (const std::uint32_t bits : floats) {
    k.store(k.a.constant(ScalarType::f32, bits));
    wanted.push_back(bits);
  }
  k.store(k.a.boolean(true));
  wanted.push_back(1);
  EXPECT_EQ(run(std::move(k)), wanted);
}

TEST_F(AcceptTest, ConstantTablesAreIndexed) {
  Kernel k;
  const LayoutId pairs = k.a.array(k.a.vector(ScalarType::f32, 2), 2);
  const BufferId table =
      k.memory(Space::constant, pairs, {0x3f800000, 0x40000000, 0xc0400000, 0x00000001});
  const ExprId i = k.zero();
  for (const std::uint32_t n : {0u, 1u})
    for (const ExprId component : k.a.load_all(
             {.buffer = table, .path = {element(k.a.op(Op::add, {i, k.a.u32(n)}))}, .count = 2}))
      k.store(component);
  EXPECT_EQ(run(std::move(k)), (Words{0x3f800000, 0x40000000, 0xc0400000, 0x00000001}));
}

LayoutId particles(Assembler& a) {
  const LayoutId vec3 = a.vector(ScalarType::f32, 3);
  const Assembler::MemberDecl inner[] = {{.name = "place", .layout = vec3},
                                         {.name = "mass", .layout = a.scalar(ScalarType::f32)},
                                         {.name = "pad", .layout = vec3, .align = 32}};
  const Assembler::MemberDecl outer[] = {
      {.name = "n", .layout = a.atomic(ScalarType::i32)},
      {.name = "odd", .layout = a.scalar(ScalarType::u32), .size = 20},
      {.name = "all", .layout = a.array(a.structure("Particle", inner), 2)}};
  return a.structure("Particles", outer);
}

TEST_F(AcceptTest, NestedStructsAreWrittenAndRead) {
  Kernel k;
  const BufferId world = k.memory(Space::storage, particles(k.a));
  const ExprId i = k.zero();
  const MemoryRef place = {.buffer = world, .path = {member(2), element(i), member(0)}, .count = 3};
  k.a.store_all(place, std::vector<ExprId>{k.a.f32(1), k.a.f32(2), k.a.f32(3)});
  MemoryRef two = place;
  two.first = 1;
  two.count = 2;
  k.a.store_all(two, std::vector<ExprId>{k.a.f32(4), k.a.f32(5)});
  k.a.store({.buffer = world, .path = {member(2), element(i), member(0), element(i)}}, k.a.f32(6));
  k.a.store({.buffer = world, .path = {member(2), element(k.a.u32(1)), member(1)}}, k.a.f32(7));
  for (const ExprId value : k.a.load_all(place))
    k.store(value);
  k.store(k.a.load_all(two)[1]);
  k.store(k.a.load({.buffer = world, .path = {member(2), element(k.a.u32(1)), member(1)}}));
  k.a.atomic(AtomicOp::sub, {.buffer = world, .path = {member(0)}}, k.a.i32(3));
  k.store(k.a.atomic(AtomicOp::load, {.buffer = world, .path = {member(0)}}));
  EXPECT_EQ(run(std::move(k)),
            (Words{0x40c00000, 0x40800000, 0x40a00000, 0x40a00000, 0x40e00000, 0xfffffffd}));
}

TEST_F(AcceptTest, SparseArraysAndMatrices) {
  Kernel k;
  Layout sparse;
  sparse.kind = LayoutKind::array;
  sparse.element = k.a.scalar(ScalarType::u32);
  sparse.count = 3;
  sparse.stride = 16;
  sparse.size = 48;
  const BufferId wide = k.memory(Space::storage, k.a.layout(sparse));
  const BufferId matrix = k.memory(Space::workgroup, k.a.matrix(ScalarType::f32, 2, 3));
  const ExprId i = k.zero();
  k.a.store({.buffer = wide, .path = {element(i)}}, k.a.u32(8));
  k.a.store({.buffer = matrix, .path = {element(i), element(k.a.u32(2))}}, k.a.f32(1));
  k.store(k.a.load({.buffer = wide, .path = {element(k.a.u32(0))}}));
  k.store(k.a.load({.buffer = matrix, .path = {element(k.a.u32(0))}, .first = 2}));
  EXPECT_EQ(run(std::move(k)), (Words{8, 0x3f800000}));
}

TEST_F(AcceptTest, AtomicsOfEveryKind) {
  Kernel k;
  const BufferId n = k.memory(Space::workgroup, k.a.array(k.a.atomic(ScalarType::u32), 2));
  const MemoryRef at = {.buffer = n, .path = {element(k.zero())}};
  const auto step = [&](AtomicOp op, std::uint32_t value) {
    k.store(k.a.atomic(op, at, k.a.u32(value)));
  };
  k.a.atomic(AtomicOp::store, at, k.a.u32(10));
  step(AtomicOp::add, 5);                                                       // 10 → 15
  step(AtomicOp::sub, 3);                                                       // → 12
  step(AtomicOp::bit_and, 13);                                                  // → 12
  step(AtomicOp::bit_or, 3);                                                    // → 15
  step(AtomicOp::bit_xor, 1);                                                   // → 14
  step(AtomicOp::min, 9);                                                       // → 9
  step(AtomicOp::max, 11);                                                      // → 11
  step(AtomicOp::exchange, 7);                                                  // → 7
  k.store(k.a.atomic(AtomicOp::compare_exchange, at, k.a.u32(1), k.a.u32(6)));  // stays
  k.store(k.a.atomic(AtomicOp::compare_exchange, at, k.a.u32(1), k.a.u32(7)));  // → 1
  step(AtomicOp::store, 2);                                                     // → 2
  k.store(k.a.atomic(AtomicOp::load, at));
  EXPECT_EQ(run(std::move(k)), (Words{10, 15, 12, 12, 15, 14, 9, 11, 7, 7, 1, 2}));
}

TEST_F(AcceptTest, UniformLoadsOfEveryLeaf) {
  Kernel k;
  const LayoutId u = k.a.scalar(ScalarType::u32);
  const Assembler::MemberDecl members[] = {{.name = "scalar", .layout = u},
                                           {.name = "count", .layout = k.a.atomic(ScalarType::u32)},
                                           {.name = "v", .layout = k.a.vector(ScalarType::u32, 4)}};
  const BufferId shared = k.memory(Space::workgroup, k.a.structure("Shared", members));
  const auto one = k.zero();
  k.a.store({.buffer = shared, .path = {member(0)}}, k.a.op(Op::add, {one, k.a.u32(1)}));
  k.a.atomic(AtomicOp::store, {.buffer = shared, .path = {member(1)}}, k.a.u32(2));
  k.a.store_all({.buffer = shared, .path = {member(2)}, .count = 4},
                std::vector<ExprId>{k.a.u32(3), k.a.u32(4), k.a.u32(5), k.a.u32(6)});
  const auto load = [&](MemoryRef ref) {
    for (const ExprId value : k.a.uniform_load(std::move(ref)))
      k.store(value);
  };
  load({.buffer = shared, .path = {member(0)}});
  load({.buffer = shared, .path = {member(1)}});
  load({.buffer = shared, .path = {member(2)}, .count = 4});
  load({.buffer = shared, .path = {member(2)}, .first = 1, .count = 2});
  load({.buffer = shared, .path = {member(2)}, .first = 3});
  load({.buffer = shared, .path = {member(2), element(k.a.u32(2))}});
  EXPECT_EQ(run(std::move(k)), (Words{1, 2, 3, 4, 5, 6, 4, 5, 6, 5}));
}

TEST_F(AcceptTest, LoopsVariablesAndJumps) {
  Kernel k;
  const VarId sum = k.a.var(ScalarType::u32);
  const VarId i = k.a.var(ScalarType::u32, k.zero());
  const BlockId body = k.a.open();
  const VarId fresh = k.a.var(ScalarType::u32);  // zero each time
  const ExprId turn = k.a.get(i);
  const BlockId skip = k.a.open();
  k.a.continue_();
  k.a.close();
  k.a.if_(k.a.op(Op::eq, {turn, k.a.u32(2)}), skip);
  k.a.set(fresh, k.a.op(Op::add, {k.a.get(fresh), turn}));
  k.a.set(sum, k.a.op(Op::add, {k.a.get(sum), k.a.get(fresh)}));
  k.a.close();
  const BlockId next = k.a.open();
  const ExprId after = k.a.let(k.a.op(Op::add, {k.a.get(i), k.a.u32(1)}));
  k.a.set(i, after);
  k.a.close();
  k.a.loop(body, next, k.a.op(Op::ge, {after, k.a.u32(5)}));
  k.store(k.a.get(sum));  // 0 + 1 + 3 + 4
  k.store(k.a.get(i));
  k.a.return_();
  EXPECT_EQ(run(std::move(k)), (Words{8, 5}));
}

TEST_F(AcceptTest, OperatorsBindAsTheTreeSays) {
  Kernel k;
  Assembler& a = k.a;
  const auto u = [&](std::uint32_t n) { return a.op(Op::add, {k.zero(), a.u32(n)}); };
  k.store(a.op(Op::sub, {u(10), a.op(Op::sub, {u(5), u(2)})}));
  k.store(a.op(Op::mul, {a.op(Op::add, {u(2), u(3)}), u(4)}));
  k.store(a.op(Op::shl, {a.op(Op::shl, {u(1), u(2)}), u(3)}));
  k.store(a.op(Op::bit_or, {a.op(Op::bit_and, {u(6), u(3)}), a.op(Op::bit_xor, {u(8), u(1)})}));
  k.store(a.op(Op::logical_and,
               {a.op(Op::lt, {u(1), u(2)}), a.op(Op::logical_not, {a.op(Op::gt, {u(1), u(2)})})}));
  k.store(a.op(Op::select, {a.op(Op::lt, {u(1), u(2)}), u(7), u(9)}));
  k.store(a.op(Op::min, {a.op(Op::select, {a.op(Op::lt, {u(1), u(2)}), u(7), u(9)}), u(8)}));
  k.store(a.op(Op::neg, {u(1)}));
  k.store(a.op(Op::neg, {a.op(Op::neg, {a.bitcast(ScalarType::i32, u(5))})}));
  EXPECT_EQ(run(std::move(k)), (Words{7, 20, 32, 11, 1, 7, 7, 0xffffffff, 5}));
}

}  // namespace
}  // namespace vyre::wgpu
