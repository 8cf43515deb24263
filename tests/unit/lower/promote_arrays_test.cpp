// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <functional>

#include "ir/assembler.h"
#include "ir/visit.h"
#include "lower/passes.h"
#include "unit/lower/run.h"

namespace vyre::test {
namespace {

/// Accesses to private memory.
std::size_t private_accesses(const Program& program) {
  return static_cast<std::size_t>(
      std::count_if(program.stmts.begin(), program.stmts.end(), [&](const Stmt& s) {
        const MemoryRef* ref = memory_of(s);
        return ref != nullptr && program[ref->buffer].space == Space::local;
      }));
}

using WriteArray = std::function<void(Builder&, Memory&, Memory&)>;

/// Expects `left` accesses to an array of four words, and the same bytes after every pass.
void expect_accesses(std::size_t left, ScalarType type, const WriteArray& write) {
  for (const bool runs : {false, true}) {
    Builder b("private", {.workgroup = 8});
    auto out = b.in_out<std::uint32_t>("out");
    auto array = b.local("array", type, 4);
    write(b, out, array);
    if (runs)
      expect_same(b, {{host<std::uint32_t>(out, std::vector<std::uint32_t>(64, 7))}}, cpu_target());
    else
      EXPECT_EQ(private_accesses(promote_arrays(b.finish())), left);
  }
}

TEST(PromoteArrays, WordsAtConstantIndicesBecomeVariables) {
  expect_accesses(0, ScalarType::u32, [](Builder& b, Memory& out, Memory& array) {
    array[1u] = b.global_id();
    b.if_(b.global_id() < 3u, [&] { array[2u] = Value(array[1u]) + 5u; });
    const Value i = b.global_id() * 3u;
    out[i] = array[0u];
    out[i + 1u] = array[1u];
    out[i + 2u] = array[2u];
  });
}

TEST(PromoteArrays, KeepsFloatsAndSigns) {
  expect_accesses(0, ScalarType::f32, [](Builder& b, Memory& out, Memory& array) {
    array[3u] = -convert<float>(b.global_id());
    out[b.global_id()] = bitcast<std::uint32_t>(Value(array[3u]));
  });
  expect_accesses(0, ScalarType::i32, [](Builder& b, Memory& out, Memory& array) {
    array[3u] = -convert<std::int32_t>(b.global_id());
    out[b.global_id()] = bitcast<std::uint32_t>(Value(array[3u]) >> 1u);
  });
}

TEST(PromoteArrays, ZeroesOnceAnInvocation) {
  expect_accesses(0, ScalarType::u32, [](Builder& b, Memory& out, Memory& array) {
    b.for_(0u, b.global_id(), [&](Value) { array[0u] = Value(array[0u]) + 1u; });
    out[b.global_id()] = array[0u];
  });
}

TEST(PromoteArrays, TakesNeighboursTogether) {
  expect_accesses(0, ScalarType::u32, [](Builder& b, Memory& out, Memory& array) {
    const std::vector<Value> values = {b.global_id(), b.global_id() + 1u, b.global_id() + 2u};
    array[1u].store_many(values);
    out[b.global_id()] = Value(array[3u]) - Value(array[1u]);
  });
}

TEST(PromoteArrays, LeavesOtherIndices) {
  expect_accesses(2, ScalarType::u32, [](Builder& b, Memory& out, Memory& array) {
    array[b.global_id()] = 5u;
    out[b.global_id()] = array[1u];
  });
  // Out of bounds: nothing is stored, zero is loaded.
  expect_accesses(2, ScalarType::u32, [](Builder& b, Memory& out, Memory& array) {
    array[4u] = 5u;
    out[b.global_id()] = array[4u];
  });
}

/// Vectors and matrices of private memory, by component.
TEST(PromoteArrays, KnowsVectors) {
  Builder b("vectors", {.workgroup = 8});
  auto out = b.in_out<std::uint32_t>("out");
  Assembler& to = b.assembler();
  const LayoutId vector = to.vector(ScalarType::u32, 3);
  const BufferId id =
      to.buffer({.name = "v", .space = Space::local, .layout = to.array(vector, 2)});
  const MemoryRef second{id, {{.index = to.u32(1)}}, 0, 3};
  to.store_all(second, std::vector<ExprId>{to.u32(1), to.builtin(Builtin::local_index), to.u32(3)});
  const MemoryRef last{id, {{.index = to.u32(1)}}, 1, 2};
  const auto loaded = to.load_all(last);
  out[b.local_index()] = Value(&b, to.op(Op::add, {loaded[0], loaded[1]}), ScalarType::u32);
  expect_same(b, {{host<std::uint32_t>(out, std::vector<std::uint32_t>(8, 7))}}, cpu_target());
}

}  // namespace
}  // namespace vyre::test
