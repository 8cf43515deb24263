// SPDX-License-Identifier: MIT OR Apache-2.0
#include "ir/assembler.h"

#include <map>

#include <gtest/gtest.h>

#include "ir/layout.h"
#include "ir/visit.h"

namespace vyre {
namespace {

MemoryRef at(BufferId buffer, ExprId index) {
  return {.buffer = buffer, .path = {{.index = index}}};
}

BufferId u32_array(Assembler& a, std::string name, Access access = Access::in_out) {
  const LayoutId layout = a.array(a.scalar(ScalarType::u32), 0);
  return a.buffer({.name = std::move(name), .access = access, .layout = layout});
}

/// How many places use each operation; the invariant says one.
std::map<std::uint32_t, int> operation_uses(const Program& program) {
  std::map<std::uint32_t, int> uses;
  const auto count = [&](ExprId id) {
    if (program[id].kind == ExprKind::operation) ++uses[index(id)];
  };
  for (const Stmt& stmt : program.stmts)
    for_each_operand(stmt, count);
  for (const Expr& expr : program.exprs)
    for (const ExprId operand : expr.operands)
      if (operand != kNone<ExprId>) count(operand);
  return uses;
}

std::uint32_t depth(const Program& program, ExprId id) {
  std::uint32_t deepest = 0;
  for (const ExprId operand : program[id].operands)
    if (operand != kNone<ExprId>) deepest = std::max(deepest, depth(program, operand));
  return program[id].kind == ExprKind::operation ? deepest + 1 : 0;
}

void expect_trees(const Program& program) {
  for (const auto& [id, uses] : operation_uses(program))
    EXPECT_EQ(uses, 1) << "operation " << id;
  for (const Stmt& stmt : program.stmts)
    for_each_operand(stmt, [&](ExprId e) { EXPECT_LE(depth(program, e), kMaxExprDepth); });
}

TEST(Assembler, SharedOperationIsBoundOnceBeforeItsFirstUse) {
  Assembler a("k", {1, 1, 1});
  const BufferId b = u32_array(a, "b");
  const ExprId sum = a.op(Op::add, {a.builtin(Builtin::global_id), a.u32(1)});
  a.store(at(b, a.u32(0)), sum);
  a.store(at(b, a.u32(1)), sum);
  const Program program = std::move(a).finish();
  expect_trees(program);
  EXPECT_EQ(dump(program),
            "kernel k workgroup(1, 1, 1)\n"
            "storage b @group(0) @binding(0) in_out: array<u32>\n"
            "{\n"
            "  %0 = add(global_id.x, 1u)\n"
            "  store b[0u] = %0\n"
            "  store b[1u] = %0\n"
            "}\n");
}

TEST(Assembler, BindsAtTheInnermostBlockThatCoversAllUses) {
  Assembler a("k", {1, 1, 1});
  const BufferId b = u32_array(a, "b");
  const ExprId sum = a.op(Op::add, {a.builtin(Builtin::global_id), a.u32(1)});
  const ExprId yes = a.op(Op::lt, {a.builtin(Builtin::local_index), a.u32(3)});
  const BlockId then_block = a.open();
  a.store(at(b, a.u32(0)), sum);
  a.close();
  const BlockId else_block = a.open();
  a.store(at(b, a.u32(1)), sum);
  a.close();
  a.if_(yes, then_block, else_block);
  const BlockId body = a.open();
  const ExprId twice = a.op(Op::mul, {a.builtin(Builtin::local_index), a.u32(2)});
  a.store(at(b, twice), twice);
  a.break_();
  a.close();
  a.loop(body);
  const Program program = std::move(a).finish();
  expect_trees(program);
  EXPECT_EQ(dump(program),
            "kernel k workgroup(1, 1, 1)\n"
            "storage b @group(0) @binding(0) in_out: array<u32>\n"
            "{\n"
            "  %0 = add(global_id.x, 1u)\n"
            "  if lt(local_index, 3u)\n"
            "  then {\n"
            "    store b[0u] = %0\n"
            "  }\n"
            "  else {\n"
            "    store b[1u] = %0\n"
            "  }\n"
            "  loop\n"
            "  body {\n"
            "    %1 = mul(local_index, 2u)\n"
            "    store b[%1] = %1\n"
            "    break\n"
            "  }\n"
            "}\n");
}

TEST(Assembler, BreakIfIsEvaluatedAtTheEndOfContinuing) {
  Assembler a("k", {1, 1, 1});
  const VarId i = a.var(ScalarType::u32);
  const BlockId body = a.open();
  a.close();
  const BlockId continuing = a.open();
  const ExprId next = a.op(Op::add, {a.get(i), a.u32(1)});
  a.set(i, next);
  a.close();
  a.loop(body, continuing, a.op(Op::ge, {next, a.u32(10)}));
  const Program program = std::move(a).finish();
  expect_trees(program);
  EXPECT_EQ(dump(program),
            "kernel k workgroup(1, 1, 1)\n"
            "{\n"
            "  var $0: u32\n"
            "  loop\n"
            "  body {\n"
            "  }\n"
            "  continuing {\n"
            "    %0 = $0\n"
            "    %1 = add(%0, 1u)\n"
            "    $0 = %1\n"
            "    break_if ge(%1, 10u)\n"
            "  }\n"
            "}\n");
}

TEST(Assembler, DeepExpressionsBecomeShallowTrees) {
  Assembler a("k", {1, 1, 1});
  const BufferId b = u32_array(a, "b");
  ExprId chain = a.builtin(Builtin::local_index);
  for (int i = 0; i < 100000; ++i)
    chain = a.op(Op::add, {chain, a.u32(1)});
  a.store(at(b, a.u32(0)), chain);
  const Program program = std::move(a).finish();
  expect_trees(program);
  EXPECT_LE(program.stmts.size(), 100000 / (kMaxExprDepth - 1) + 2);
}

TEST(Assembler, SquaringChainsStayLinear) {
  Assembler a("k", {1, 1, 1});
  const BufferId b = u32_array(a, "b");
  ExprId x = a.builtin(Builtin::local_index);
  for (int i = 0; i < 1000; ++i)
    x = a.op(Op::mul, {x, x});
  a.store(at(b, a.u32(0)), x);
  const Program program = std::move(a).finish();
  expect_trees(program);
  EXPECT_LE(program.exprs.size(), 4000u);
}

TEST(Assembler, DeepNestingWithASharedOperationIsQuick) {
  Assembler a("k", {1, 1, 1});
  const BufferId b = u32_array(a, "b");
  const ExprId shared = a.op(Op::add, {a.builtin(Builtin::global_id), a.u32(1)});
  const int depth = 100000;
  std::vector<BlockId> blocks;
  for (int i = 0; i < depth; ++i) {
    blocks.push_back(a.open());
    a.store(at(b, a.u32(0)), shared);
  }
  for (int i = depth; i-- > 0;) {
    a.close();
    a.if_(a.op(Op::lt, {shared, a.u32(3)}), blocks[static_cast<std::size_t>(i)]);
  }
  const Program program = std::move(a).finish();
  expect_trees(program);
  EXPECT_EQ(program.stmts.size(), 2u * depth + 1);
  EXPECT_TRUE(std::holds_alternative<Let>(program.stmts[0]));
}

TEST(Assembler, EqualProgramsHaveEqualBytesWhateverTheOrderOfCreation) {
  const auto make = [](bool swapped) {
    Assembler a(swapped ? "p" : "q", {4, 1, 1});
    const BufferId b = u32_array(a, "b");
    ExprId x = kNone<ExprId>;
    ExprId y = kNone<ExprId>;
    if (swapped) {
      y = a.op(Op::sub, {a.builtin(Builtin::local_index), a.u32(1)});
      x = a.op(Op::add, {a.builtin(Builtin::local_index), a.u32(1)});
    } else {
      x = a.op(Op::add, {a.builtin(Builtin::local_index), a.u32(1)});
      y = a.op(Op::sub, {a.builtin(Builtin::local_index), a.u32(1)});
    }
    a.store(at(b, a.u32(0)), a.op(Op::mul, {x, y}));
    return std::move(a).finish();
  };
  EXPECT_EQ(encode(make(false)), encode(make(true)));
  EXPECT_EQ(hash(make(false)), hash(make(true)));
}

TEST(Assembler, HashSeesEveryPartOfAProgram) {
  const auto make = [](std::uint32_t size, std::string name, std::uint32_t constant, Op op) {
    Assembler a("k", {size, 1, 1});
    const BufferId b = u32_array(a, std::move(name));
    a.store(at(b, a.u32(0)), a.op(op, {a.builtin(Builtin::local_index), a.u32(constant)}));
    return hash(std::move(a).finish());
  };
  const Hash base = make(1, "b", 1, Op::add);
  EXPECT_EQ(base, make(1, "b", 1, Op::add));
  EXPECT_NE(base, make(2, "b", 1, Op::add));
  EXPECT_NE(base, make(1, "c", 1, Op::add));
  EXPECT_NE(base, make(1, "b", 2, Op::add));
  EXPECT_NE(base, make(1, "b", 1, Op::sub));
}

// WGSL specification, "Memory Layout": vec3<f32> has size 12 and alignment 16; an array's stride is
// the element's size rounded up to its alignment; a member starts at the next multiple of its
// alignment; a struct's size is rounded up to its alignment.
TEST(Layout, FollowsWgslRules) {
  Assembler a("k", {1, 1, 1});
  const LayoutId vec3 = a.vector(ScalarType::f32, 3);
  EXPECT_EQ(a[vec3].size, 12u);
  EXPECT_EQ(a[vec3].align, 16u);
  EXPECT_EQ(a[a.array(vec3, 10)].stride, 16u);
  EXPECT_EQ(a[a.array(vec3, 10)].size, 160u);
  const Assembler::MemberDecl members[] = {{"a", a.scalar(ScalarType::f32)},
                                           {"b", vec3},
                                           {"c", a.scalar(ScalarType::u32)},
                                           {"d", a.vector(ScalarType::f32, 2)}};
  const Layout& s = a[a.structure("s", members)];
  ASSERT_EQ(s.members.size(), 4u);
  EXPECT_EQ(s.members[1].offset, 16u);
  EXPECT_EQ(s.members[2].offset, 28u);
  EXPECT_EQ(s.members[3].offset, 32u);
  EXPECT_EQ(s.size, 48u);
  EXPECT_EQ(s.align, 16u);
}

TEST(Layout, ResolvesMembersIndicesAndComponents) {
  Assembler a("k", {1, 1, 1});
  const LayoutId vec3 = a.vector(ScalarType::f32, 3);
  const Assembler::MemberDecl inner[] = {{"n", a.scalar(ScalarType::u32)}, {"v", a.array(vec3, 5)}};
  const LayoutId element = a.structure("element", inner);
  const Assembler::MemberDecl outer[] = {{"head", a.scalar(ScalarType::u32)},
                                         {"rest", a.array(element, 0)}};
  const BufferId b = a.buffer({.name = "b", .layout = a.structure("root", outer)});
  const Step rest = {.kind = Step::Kind::member, .member = 1};
  const MemoryRef ref = {.buffer = b,
                         .path = {rest, {.index = a.u32(7)}, rest, {.index = a.u32(2)}},
                         .first = 1,
                         .count = 2};
  const Program program = std::move(a).finish();
  const auto address = resolve(program, ref);
  ASSERT_TRUE(address);
  EXPECT_EQ(address->offset, 16u + 16u + 4u);  // rest, v, component y
  ASSERT_EQ(address->levels.size(), 2u);
  EXPECT_EQ(address->levels[0].stride, 96u);
  EXPECT_EQ(address->levels[0].count, 0u);
  EXPECT_EQ(address->levels[1].stride, 16u);
  EXPECT_EQ(address->levels[1].count, 5u);
  EXPECT_EQ(address->kind, LayoutKind::vector);
  EXPECT_EQ(byte_size(program, program[b], 3), 16u + 3 * 96u);
}

}  // namespace
}  // namespace vyre
