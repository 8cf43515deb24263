// SPDX-License-Identifier: MIT OR Apache-2.0
#include "backend/wgpu/wgsl.h"

#include <gtest/gtest.h>

#include "ir/assembler.h"

namespace vyre::wgpu {
namespace {

Lowered lowered(Assembler&& assembler) {
  Lowered result;
  result.program = std::move(assembler).finish();
  result.host_buffers = static_cast<std::uint32_t>(result.program.buffers.size());
  return result;
}

std::string text(Assembler&& assembler) {
  return print_wgsl(lowered(std::move(assembler))).text;
}

MemoryRef at(BufferId buffer, ExprId i) {
  return {.buffer = buffer, .path = {{.kind = Step::Kind::index, .index = i}}};
}

Step member(std::uint32_t i) {
  return {.kind = Step::Kind::member, .member = i};
}
Step element(ExprId i) {
  return {.kind = Step::Kind::index, .index = i};
}

/// A program with one in-out array of u32, whose body is one store of `value` to element 0.
std::string stored(const std::function<ExprId(Assembler&, BufferId)>& value,
                   ScalarType type = ScalarType::u32) {
  Assembler a("k", {1, 1, 1});
  const BufferId data =
      a.buffer({.name = "data", .access = Access::in_out, .layout = a.array(a.scalar(type), 0)});
  a.store(at(data, a.u32(0)), value(a, data));
  const std::string all = text(std::move(a));
  const std::string before = "data[0u] = ";
  const auto begin = all.find(before) + before.size();
  return all.substr(begin, all.find(';', begin) - begin);
}

TEST(WgslTest, AWholeKernel) {
  Assembler a("saxpy", {64, 1, 1});
  const LayoutId floats = a.array(a.scalar(ScalarType::f32), 0);
  const BufferId x = a.buffer({.name = "x", .binding = 4, .layout = floats});
  const BufferId y =
      a.buffer({.name = "y", .binding = 2, .access = Access::in_out, .layout = floats});
  const BufferId factor =
      a.buffer({.name = "factor", .space = Space::uniform, .layout = a.scalar(ScalarType::f32)});
  const ExprId i = a.builtin(Builtin::global_id, 0);
  const ExprId inside = a.op(Op::lt, {i, a.launch(LaunchField::count, y)});
  const BlockId then = a.open();
  const ExprId left = a.load(at(x, i));
  const ExprId scale = a.load({.buffer = factor});
  const ExprId right = a.load(at(y, i));
  a.store(at(y, i), a.op(Op::add, {a.op(Op::mul, {scale, left}), right}));
  a.close();
  a.if_(inside, then);
  Lowered all = lowered(std::move(a));
  all.launch = {{LaunchField::grid_x}, {LaunchField::count, y}};
  const KernelSource source = print_wgsl(all);
  EXPECT_EQ(source.text,
            "@group(0) @binding(0) var<storage, read> x: array<f32>;\n"
            "@group(0) @binding(1) var<storage, read_write> y: array<f32>;\n"
            "@group(0) @binding(2) var<uniform> factor: f32;\n"
            "// launch: grid_x, count of y\n"
            "@group(0) @binding(3) var<uniform> launch: array<vec4<u32>, 1>;\n"
            "\n"
            "@compute @workgroup_size(64, 1, 1)\n"
            "fn saxpy(@builtin(global_invocation_id) global_id: vec3<u32>) {\n"
            "  if (global_id.x < launch[0].y) {\n"
            "    let v0 = x[global_id.x];\n"
            "    let v1 = factor;\n"
            "    let v2 = y[global_id.x];\n"
            "    y[global_id.x] = v1 * v0 + v2;\n"
            "  }\n"
            "}\n");
  EXPECT_EQ(source.entry, "saxpy");
  EXPECT_EQ(source.launch_words, 2u);
  ASSERT_EQ(source.bindings.size(), 4u);
  EXPECT_EQ(source.bindings[0].kind, BindingKind::read_only_storage);
  EXPECT_EQ(source.bindings[1].kind, BindingKind::storage);
  EXPECT_EQ(source.bindings[2].kind, BindingKind::uniform);
  EXPECT_EQ(source.bindings[2].buffer, factor);
  EXPECT_EQ(source.bindings[3].buffer, kNone<BufferId>);
  EXPECT_EQ(source.bindings[3].min_bytes, 16u);
}

TEST(WgslTest, LaunchWordsFillVectors) {
  Assembler a("k", {1, 1, 1});
  const BufferId out =
      a.buffer({.name = "out", .access = Access::output, .layout = a.scalar(ScalarType::u32)});
  a.store({.buffer = out}, a.launch(LaunchField::zero));
  Lowered all = lowered(std::move(a));
  all.launch = {{LaunchField::grid_x}, {LaunchField::grid_y}, {LaunchField::grid_z},
                {LaunchField::base_x}, {LaunchField::base_y}, {LaunchField::zero}};
  const KernelSource source = print_wgsl(all);
  EXPECT_NE(source.text.find("launch: array<vec4<u32>, 2>;"), std::string::npos);
  EXPECT_NE(source.text.find("out = launch[1].y;"), std::string::npos);
  EXPECT_EQ(source.bindings.back().min_bytes, 32u);
}

// ------------------------------------------------------------------------------------- literals

std::string literal(ScalarType type, std::uint64_t bits) {
  return stored([&](Assembler& a, BufferId) { return a.constant(type, bits); }, type);
}

TEST(WgslTest, IntegerLiteralsHaveSuffixes) {
  EXPECT_EQ(literal(ScalarType::u32, 0), "0u");
  EXPECT_EQ(literal(ScalarType::u32, 0xffffffff), "4294967295u");
  EXPECT_EQ(literal(ScalarType::i32, 7), "7i");
  EXPECT_EQ(literal(ScalarType::i32, 0xffffffff), "-1i");
  EXPECT_EQ(literal(ScalarType::i32, 0x80000001), "-2147483647i");
  EXPECT_EQ(literal(ScalarType::i32, 0x80000000), "i32(-2147483648)");
  EXPECT_EQ(literal(ScalarType::u64, ~std::uint64_t{0}), "18446744073709551615lu");
  EXPECT_EQ(literal(ScalarType::i64, ~std::uint64_t{0}), "-1li");
  EXPECT_EQ(literal(ScalarType::i64, std::uint64_t{1} << 63), "(~9223372036854775807li)");
}

TEST(WgslTest, FloatLiteralsReadBackExactly) {
  EXPECT_EQ(literal(ScalarType::f32, 0x00000000), "0.0f");
  EXPECT_EQ(literal(ScalarType::f32, 0x80000000), "-0.0f");
  EXPECT_EQ(literal(ScalarType::f32, 0x3f800000), "1.0f");
  EXPECT_EQ(literal(ScalarType::f32, 0x3dcccccd), "0.1f");
  EXPECT_EQ(literal(ScalarType::f32, 0xc0200000), "-2.5f");
  EXPECT_EQ(literal(ScalarType::f32, 0x00000001), "1e-45f");
  EXPECT_EQ(literal(ScalarType::f32, 0x7f7fffff), "3.4028235e+38f");
  EXPECT_EQ(literal(ScalarType::f32, 0x4b800000), "16777216.0f");
}

TEST(WgslTest, WhatNoLiteralSaysIsABitPattern) {
  EXPECT_EQ(literal(ScalarType::f32, 0x7f800000), "bitcast<f32>(0x7f800000u)");
  EXPECT_EQ(literal(ScalarType::f32, 0xffc00000), "bitcast<f32>(0xffc00000u)");
}

// ------------------------------------------------------------------------------------ operators

struct Row {
  Op op;
  ScalarType operand;  ///< of all operands but a shift's count and a select's condition
  ScalarType result;
  std::string_view wanted;
};

constexpr auto kU = ScalarType::u32;
constexpr auto kI = ScalarType::i32;
constexpr auto kF = ScalarType::f32;
constexpr auto kB = ScalarType::boolean;

// From the WGSL specification: expressions, and the table of built-in functions.  The operands are
// v0, v1, v2.
constexpr Row kRows[] = {
    {Op::neg, kI, kI, "-v0"},
    {Op::neg, kF, kF, "-v0"},
    {Op::neg, kU, kU, "0u - v0"},
    {Op::add, kU, kU, "v0 + v1"},
    {Op::sub, kF, kF, "v0 - v1"},
    {Op::mul, kI, kI, "v0 * v1"},
    {Op::div, kU, kU, "v0 / v1"},
    {Op::rem, kI, kI, "v0 % v1"},
    {Op::abs, kI, kI, "abs(v0)"},
    {Op::min, kU, kU, "min(v0, v1)"},
    {Op::max, kF, kF, "max(v0, v1)"},
    {Op::bit_not, kU, kU, "~v0"},
    {Op::bit_and, kU, kU, "v0 & v1"},
    {Op::bit_or, kI, kI, "v0 | v1"},
    {Op::bit_xor, kU, kU, "v0 ^ v1"},
    {Op::shl, kU, kU, "v0 << v1"},
    {Op::shr, kU, kU, "v0 >> v1"},
    {Op::clz, kU, kU, "countLeadingZeros(v0)"},
    {Op::ctz, kU, kU, "countTrailingZeros(v0)"},
    {Op::popcount, kU, kU, "countOneBits(v0)"},
    {Op::reverse_bits, kU, kU, "reverseBits(v0)"},
    {Op::fma, kF, kF, "fma(v0, v1, v2)"},
    {Op::sqrt, kF, kF, "sqrt(v0)"},
    {Op::inverse_sqrt, kF, kF, "inverseSqrt(v0)"},
    {Op::floor, kF, kF, "floor(v0)"},
    {Op::ceil, kF, kF, "ceil(v0)"},
    {Op::trunc, kF, kF, "trunc(v0)"},
    {Op::round, kF, kF, "round(v0)"},
    {Op::exp, kF, kF, "exp(v0)"},
    {Op::exp2, kF, kF, "exp2(v0)"},
    {Op::log, kF, kF, "log(v0)"},
    {Op::log2, kF, kF, "log2(v0)"},
    {Op::pow, kF, kF, "pow(v0, v1)"},
    {Op::sin, kF, kF, "sin(v0)"},
    {Op::cos, kF, kF, "cos(v0)"},
    {Op::tan, kF, kF, "tan(v0)"},
    {Op::asin, kF, kF, "asin(v0)"},
    {Op::acos, kF, kF, "acos(v0)"},
    {Op::atan, kF, kF, "atan(v0)"},
    {Op::atan2, kF, kF, "atan2(v0, v1)"},
    {Op::sinh, kF, kF, "sinh(v0)"},
    {Op::cosh, kF, kF, "cosh(v0)"},
    {Op::tanh, kF, kF, "tanh(v0)"},
    {Op::asinh, kF, kF, "asinh(v0)"},
    {Op::acosh, kF, kF, "acosh(v0)"},
    {Op::atanh, kF, kF, "atanh(v0)"},
    {Op::convert, kU, kF, "f32(v0)"},
    {Op::convert, kF, kI, "i32(v0)"},
    {Op::bitcast, kF, kU, "bitcast<u32>(v0)"},
    {Op::bitcast, kI, kF, "bitcast<f32>(v0)"},
};

std::string applied(const Row& row) {
  Assembler a("k", {1, 1, 1});
  const auto memory = [&](std::string name, ScalarType type) {
    return a.buffer(
        {.name = std::move(name), .access = Access::in_out, .layout = a.array(a.scalar(type), 0)});
  };
  const BufferId in = memory("in", row.operand);
  const BufferId out = memory("out", row.result);
  std::vector<ExprId> operands;
  for (std::uint32_t i = 0; i < info(row.op).arity; ++i)
    operands.push_back(a.load(at(in, a.u32(i))));
  a.store(at(out, a.u32(0)), a.op(row.op, operands, row.result));
  const std::string all = text(std::move(a));
  const auto begin = all.find("out[0u] = ") + 10;
  return all.substr(begin, all.find(';', begin) - begin);
}

TEST(WgslTest, OperatorsOnValues) {
  for (const Row& row : kRows)
    EXPECT_EQ(applied(row), row.wanted) << to_string(row.op);
}

TEST(WgslTest, OperatorsOnBooleans) {
  const auto compared = [](Op op) {
    return stored([&](Assembler& a, BufferId data) {
      const ExprId x = a.load(at(data, a.u32(1)));
      const ExprId y = a.load(at(data, a.u32(2)));
      return a.op(Op::select, {a.op(op, {x, y}), x, y});
    });
  };
  EXPECT_EQ(compared(Op::eq), "select(v1, v0, (v0 == v1))");
  EXPECT_EQ(compared(Op::ne), "select(v1, v0, (v0 != v1))");
  EXPECT_EQ(compared(Op::lt), "select(v1, v0, (v0 < v1))");
  EXPECT_EQ(compared(Op::le), "select(v1, v0, (v0 <= v1))");
  EXPECT_EQ(compared(Op::gt), "select(v1, v0, (v0 > v1))");
  EXPECT_EQ(compared(Op::ge), "select(v1, v0, (v0 >= v1))");
  const auto joined = [](Op op) {
    return stored([&](Assembler& a, BufferId data) {
      const ExprId x = a.load(at(data, a.u32(1)));
      const ExprId y = a.load(at(data, a.u32(2)));
      const ExprId left = a.op(Op::lt, {x, a.u32(3)});
      const ExprId right = a.op(Op::logical_not, {a.op(Op::eq, {y, a.u32(4)})});
      return a.convert(ScalarType::u32, a.op(op, {left, right}));
    });
  };
  EXPECT_EQ(joined(Op::logical_and), "u32((v0 < 3u) & !(v1 == 4u))");
  EXPECT_EQ(joined(Op::logical_or), "u32((v0 < 3u) | !(v1 == 4u))");
}

TEST(WgslTest, EveryCoreOperatorIsTried) {
  std::vector<bool> tried(all_ops().size());
  for (const Row& row : kRows)
    tried[static_cast<std::size_t>(row.op)] = true;
  for (const Op op : {Op::eq, Op::ne, Op::lt, Op::le, Op::gt, Op::ge, Op::select, Op::logical_not,
                      Op::logical_and, Op::logical_or})
    tried[static_cast<std::size_t>(op)] = true;
  for (std::size_t i = 0; i < tried.size(); ++i)
    EXPECT_TRUE(tried[i] || all_ops()[i].tier == Tier::composite) << all_ops()[i].name;
}

// ------------------------------------------------------------------------------ types and memory

TEST(WgslTest, StructsKeepTheirOffsets) {
  Assembler a("k", {1, 1, 1});
  const LayoutId f = a.scalar(ScalarType::f32);
  const LayoutId vec3 = a.vector(ScalarType::f32, 3);
  const Assembler::MemberDecl inner_members[] = {{.name = "position", .layout = vec3},
                                                 {.name = "mass", .layout = f, .size = 8}};
  const LayoutId inner = a.structure("Body", inner_members);  // 0, 12; 32 bytes
  const Assembler::MemberDecl members[] = {
      {.name = "count", .layout = a.atomic(ScalarType::u32), .align = 4, .size = 0},
      {.name = "at", .layout = f, .align = 8, .size = 0},  // 8, not 4
      {.name = "bodies", .layout = a.array(inner, 0)}};    // 16
  const LayoutId outer = a.structure("World", members);
  const BufferId world = a.buffer({.name = "world", .access = Access::in_out, .layout = outer});
  const ExprId i = a.builtin(Builtin::local_index);
  MemoryRef place = {.buffer = world, .path = {member(2), element(i), member(0)}, .count = 3};
  const auto all = a.load_all(place);
  place.first = 1;
  place.count = 2;
  const auto some = a.load_all(place);
  a.store_all({.buffer = world, .path = {member(2), element(a.u32(0)), member(0)}, .count = 3},
              std::vector<ExprId>{all[2], all[1], all[0]});
  a.store_all(place, std::vector<ExprId>{some[1], some[0]});
  a.atomic(AtomicOp::add, {.buffer = world, .path = {member(0)}}, a.u32(1));
  const KernelSource source = print_wgsl(lowered(std::move(a)));
  EXPECT_EQ(source.text,
            "struct Body {\n"
            "  position: vec3<f32>,\n"
            "  @size(20) mass: f32,\n"
            "}\n"
            "\n"
            "struct World {\n"
            "  @size(8) count: atomic<u32>,\n"
            "  at: f32,\n"
            "  bodies: array<Body>,\n"
            "}\n"
            "\n"
            "@group(0) @binding(0) var<storage, read_write> world: World;\n"
            "\n"
            "@compute @workgroup_size(1, 1, 1)\n"
            "fn k(@builtin(local_invocation_index) local_index: u32) {\n"
            "  let v0 = world.bodies[local_index].position;\n"
            "  let v3 = world.bodies[local_index].position.yz;\n"
            "  world.bodies[0u].position = vec3<f32>(v0.z, v0.y, v0.x);\n"
            "  world.bodies[local_index].position.y = v3.y;\n"
            "  world.bodies[local_index].position.z = v3.x;\n"
            "  let v5 = atomicAdd(&world.count, 1u);\n"
            "}\n");
  EXPECT_EQ(source.bindings[0].min_bytes, 48u);
}

TEST(WgslTest, StridesThatWgslWouldNotGiveAreWrapped) {
  Assembler a("k", {1, 1, 1});
  Layout sparse;
  sparse.kind = LayoutKind::array;
  sparse.element = a.scalar(ScalarType::u32);
  sparse.count = 3;
  sparse.stride = 16;
  sparse.size = 48;
  const BufferId data =
      a.buffer({.name = "data", .access = Access::in_out, .layout = a.layout(sparse)});
  a.store(at(data, a.u32(2)), a.u32(1));
  EXPECT_EQ(text(std::move(a)),
            "struct Element {\n"
            "  @size(16) element: u32,\n"
            "}\n"
            "\n"
            "@group(0) @binding(0) var<storage, read_write> data: array<Element, 3>;\n"
            "\n"
            "@compute @workgroup_size(1, 1, 1)\n"
            "fn k() {\n"
            "  data[2u].element = 1u;\n"
            "}\n");
}

TEST(WgslTest, MatricesAreIndexedByColumns) {
  Assembler a("k", {1, 1, 1});
  const BufferId m =
      a.buffer({.name = "m", .access = Access::in_out, .layout = a.matrix(ScalarType::f32, 4, 3)});
  const ExprId i = a.builtin(Builtin::local_id, 2);
  const ExprId x = a.load({.buffer = m, .path = {element(i), element(a.u32(2))}});
  a.store({.buffer = m, .path = {element(a.u32(1))}, .first = 1}, x);
  const std::string all = text(std::move(a));
  EXPECT_NE(all.find("m: mat4x3<f32>;"), std::string::npos) << all;
  EXPECT_NE(all.find("let v0 = m[local_id.z][2u];"), std::string::npos) << all;
  EXPECT_NE(all.find("m[1u].y = v0;"), std::string::npos) << all;
}

/// Lowering has made storage of what uniform memory refuses (tests/dispatch/uniforms_test.cpp).
TEST(WgslTest, UniformsAreUniform) {
  Assembler a("k", {1, 1, 1});
  const LayoutId vectors = a.array(a.vector(ScalarType::u32, 4), 4);
  a.buffer({.name = "vectors", .space = Space::uniform, .layout = vectors});
  const KernelSource source = print_wgsl(lowered(std::move(a)));
  EXPECT_NE(source.text.find("var<uniform> vectors: array<vec4<u32>, 4>;"), std::string::npos);
  EXPECT_EQ(source.bindings[0].kind, BindingKind::uniform);
}

TEST(WgslTest, OtherMemoriesHaveTheirPlaces) {
  Assembler a("k", {8, 1, 1});
  const LayoutId four = a.array(a.scalar(ScalarType::u32), 4);
  const LayoutId pair = a.array(a.vector(ScalarType::f32, 2), 1);
  const BufferId shared = a.buffer({.name = "shared", .space = Space::workgroup, .layout = four});
  const BufferId own = a.buffer({.name = "own", .space = Space::local, .layout = four});
  const BufferId table =
      a.buffer({.name = "table", .space = Space::constant, .layout = four, .words = {1, 2, 3, 4}});
  a.buffer({.name = "pair",
            .space = Space::constant,
            .layout = pair,
            .words = {0x3f800000, 0xbf000000}});
  a.buffer({.name = "wide",
            .space = Space::constant,
            .layout = a.array(a.scalar(ScalarType::u64), 2),
            .words = {5, 1, 7, 0}});
  const ExprId i = a.builtin(Builtin::local_id, 0);
  a.store(at(shared, i), a.load(at(table, i)));
  a.barrier(true, true);
  a.store(at(own, i), a.uniform_load(at(shared, a.u32(0)))[0]);
  EXPECT_EQ(text(std::move(a)),
            "var<workgroup> shared_2: array<u32, 4>;\n"
            "const table: array<u32, 4> = array<u32, 4>(1u, 2u, 3u, 4u);\n"
            "const pair: array<vec2<f32>, 1> = array<vec2<f32>, 1>(vec2<f32>(1.0f, -0.5f));\n"
            "const wide: array<u64, 2> = array<u64, 2>(4294967301lu, 7lu);\n"
            "\n"
            "@compute @workgroup_size(8, 1, 1)\n"
            "fn k(@builtin(local_invocation_id) local_id: vec3<u32>) {\n"
            "  var own: array<u32, 4>;\n"
            "  let v0 = table[local_id.x];\n"
            "  shared_2[local_id.x] = v0;\n"
            "  workgroupBarrier();\n"
            "  storageBarrier();\n"
            "  let v1 = workgroupUniformLoad(&shared_2[0u]);\n"
            "  own[local_id.x] = v1;\n"
            "}\n");
}

TEST(WgslTest, AtomicsYieldTheirOldValue) {
  const auto lines = [](AtomicOp op, bool used) {
    Assembler a("k", {1, 1, 1});
    const BufferId n = a.buffer(
        {.name = "n", .access = Access::in_out, .layout = a.array(a.atomic(ScalarType::i32), 2)});
    const MemoryRef place = at(n, a.u32(1));
    const ExprId value = op == AtomicOp::load ? kNone<ExprId> : a.i32(5);
    const ExprId comparand = op == AtomicOp::compare_exchange ? a.i32(4) : kNone<ExprId>;
    const ExprId old = a.atomic(op, place, value, comparand);
    if (used) a.atomic(AtomicOp::add, at(n, a.u32(0)), old);
    const std::string all = text(std::move(a));
    const auto begin = all.find("{\n") + 4;
    return all.substr(begin, all.find('\n', begin) - begin);
  };
  EXPECT_EQ(lines(AtomicOp::add, true), "let v0 = atomicAdd(&n[1u], 5i);");
  EXPECT_EQ(lines(AtomicOp::sub, true), "let v0 = atomicSub(&n[1u], 5i);");
  EXPECT_EQ(lines(AtomicOp::bit_and, true), "let v0 = atomicAnd(&n[1u], 5i);");
  EXPECT_EQ(lines(AtomicOp::bit_or, true), "let v0 = atomicOr(&n[1u], 5i);");
  EXPECT_EQ(lines(AtomicOp::bit_xor, true), "let v0 = atomicXor(&n[1u], 5i);");
  EXPECT_EQ(lines(AtomicOp::min, true), "let v0 = atomicMin(&n[1u], 5i);");
  EXPECT_EQ(lines(AtomicOp::max, true), "let v0 = atomicMax(&n[1u], 5i);");
  EXPECT_EQ(lines(AtomicOp::exchange, true), "let v0 = atomicExchange(&n[1u], 5i);");
  EXPECT_EQ(lines(AtomicOp::load, true), "let v0 = atomicLoad(&n[1u]);");
  EXPECT_EQ(lines(AtomicOp::compare_exchange, true),
            "let v0 = atomicCompareExchangeWeak(&n[1u], 4i, 5i).old_value;");
  EXPECT_EQ(lines(AtomicOp::store, true), "let v0 = atomicExchange(&n[1u], 5i);");
  EXPECT_EQ(lines(AtomicOp::store, false), "atomicStore(&n[1u], 5i);");
}

TEST(WgslTest, VariablesAndLoops) {
  Assembler a("k", {1, 1, 1});
  const BufferId data = a.buffer(
      {.name = "data", .access = Access::in_out, .layout = a.array(a.scalar(ScalarType::u32), 0)});
  const VarId i = a.var(ScalarType::u32);
  const VarId on = a.var(ScalarType::boolean, a.boolean(true));
  const BlockId body = a.open();
  const BlockId then = a.open();
  a.break_();
  a.close();
  a.if_(a.get(on), then);
  a.store(at(data, a.get(i)), a.u32(1));
  a.close();
  const BlockId next = a.open();
  const ExprId before = a.get(i);
  const ExprId after = a.op(Op::add, {before, a.u32(1)});
  a.set(i, after);
  a.close();
  a.loop(body, next, a.op(Op::ge, {before, a.u32(9)}));
  a.return_();
  EXPECT_EQ(text(std::move(a)),
            "@group(0) @binding(0) var<storage, read_write> data: array<u32>;\n"
            "\n"
            "@compute @workgroup_size(1, 1, 1)\n"
            "fn k() {\n"
            "  var x0: u32 = 0u;\n"
            "  var x1: bool = true;\n"
            "  loop {\n"
            "    let v0 = x1;\n"
            "    if (v0) {\n"
            "      break;\n"
            "    }\n"
            "    let v1 = x0;\n"
            "    data[v1] = 1u;\n"
            "    continuing {\n"
            "      let v2 = x0;\n"
            "      x0 = v2 + 1u;\n"
            "      break if v2 >= 9u;\n"
            "    }\n"
            "  }\n"
            "  return;\n"
            "}\n");
}

// ---------------------------------------------------------------------------------------- names

TEST(WgslTest, NamesAreMadeFit) {
  Assembler a(
      "gr\xc3\xb6\xc3\x9f"
      "e",
      {1, 1, 1});
  const LayoutId u = a.scalar(ScalarType::u32);
  const Assembler::MemberDecl members[] = {
      {.name = "array", .layout = u}, {.name = "a b", .layout = u}, {.name = "a_b", .layout = u}};
  const LayoutId odd = a.structure("struct", members);
  for (const char* name : {"fn", "fn", "min", "launch", "__x", "v0"})
    a.buffer({.name = name, .layout = odd});
  const KernelSource source = print_wgsl(lowered(std::move(a)));
  EXPECT_EQ(source.text,
            "struct struct_2 {\n"
            "  array_2: u32,\n"
            "  a_b: u32,\n"
            "  a_b_2: u32,\n"
            "}\n"
            "\n"
            "@group(0) @binding(0) var<storage, read> fn_2: struct_2;\n"
            "@group(0) @binding(1) var<storage, read> fn_3: struct_2;\n"
            "@group(0) @binding(2) var<storage, read> min_2: struct_2;\n"
            "@group(0) @binding(3) var<storage, read> launch_2: struct_2;\n"
            "@group(0) @binding(4) var<storage, read> n_x: struct_2;\n"
            "@group(0) @binding(5) var<storage, read> v0_2: struct_2;\n"
            "\n"
            "@compute @workgroup_size(1, 1, 1)\n"
            "fn gr_e() {\n"
            "}\n");
  EXPECT_EQ(source.entry, "gr_e");
}

}  // namespace
}  // namespace vyre::wgpu
