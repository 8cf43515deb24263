// SPDX-License-Identifier: MIT OR Apache-2.0
#include <random>

#include <gtest/gtest.h>

#include "ir/visit.h"
#include "support.h"
#include "validate/validate.h"

// Damaged programs: whatever is in the arenas, validation ends, and what it accepts keeps the
// invariants that everything after it relies on.
namespace vyre {
namespace {

/// A program with a bit of everything.
Program rich() {
  Kernel k;
  const LayoutId word = k.scalar(ScalarType::u32);
  const Assembler::MemberDecl members[] = {{"hits", k.atomic(ScalarType::u32)},
                                           {"center", k.vector(ScalarType::f32, 3)},
                                           {"tail", k.array(word, 0)}};
  const BufferId state = k.buffer({.name = "state",
                                   .binding = 3,
                                   .access = Access::in_out,
                                   .layout = k.structure("State", members)});
  const BufferId table = k.buffer(
      {.name = "table", .space = Space::constant, .layout = k.array(word, 2), .words = {4, 5}});
  k.edit(k.out).same_length_as = k.in;
  const ExprId n = k.load(Kernel::member(k.params, 0));
  const VarId sum = k.var(ScalarType::u32, k.u32(1));
  const BlockId scope = k.open();
  k.count(k.u32(0), n, k.u32(1), [&](VarId i) {
    k.set(sum, k.op(Op::add, {k.get(sum), k.load(Kernel::at(table, k.get(i)))}));
    k.store(Kernel::at(k.tile, k.lid()), k.get(sum));
    k.sync();
    k.when(k.less(k.length(k.in), 3), [&] { k.leave(scope); });
  });
  k.close();
  k.scope(scope);
  const BlockId one = k.block([&] { k.atomic(AtomicOp::add, Kernel::member(state, 0), k.u32(1)); });
  const BlockId other = k.block([&] { k.trap(k.trap_tag("odd"), k.gid()); });
  k.switch_(k.gid(), {{{1, 3}, one}}, other);
  MemoryRef center = Kernel::member(state, 1);
  center.count = 3;
  const auto xyz = k.load_all(center);
  k.store_all(center, std::vector<ExprId>{xyz[1], xyz[2], k.op(Op::sqrt, {xyz[0]})});
  k.store(Kernel::at(k.out, k.gid()), k.uniform_load(Kernel::at(k.tile, n)).front());
  return std::move(k).done();
}

class Vandal {
 public:
  Vandal(Program program, std::uint32_t seed) : program_(std::move(program)), random_(seed) {}

  Program run() && {
    const unsigned hits = 1 + static_cast<unsigned>(random_() % 3);
    for (unsigned i = 0; i < hits; ++i)
      hit();
    return std::move(program_);
  }

 private:
  std::uint32_t number() {
    static constexpr std::uint32_t kOdd[] = {0, 1,   2,          3,          7,
                                             8, 255, 0x7fffffff, 0xfffffffe, 0xffffffff};
    return random_() % 4 == 0 ? kOdd[random_() % std::size(kOdd)]
                              : static_cast<std::uint32_t>(random_() % 60);
  }
  template <typename Id>
  void damage(Id& id) {
    id = static_cast<Id>(number());
  }
  template <typename T>
  T& any(std::vector<T>& list) {
    return list[random_() % list.size()];
  }

  void hit() {
    switch (random_() % 8) {
      case 0: return damage_expr(any(program_.exprs));
      case 1: return damage_layout(any(program_.layouts));
      case 2: return damage_buffer(any(program_.buffers));
      case 3: return damage_block(any(program_.blocks));
      case 4: std::swap(any(program_.stmts), any(program_.stmts)); return;
      case 5: damage(any(program_.values)); return;
      default: return damage_stmt(any(program_.stmts));
    }
  }
  void damage_expr(Expr& e) {
    switch (random_() % 7) {
      case 0: return damage(e.kind);
      case 1: return damage(e.type);
      case 2: return damage(e.op);
      case 3: return damage(e.builtin);
      case 4: return damage(e.value);
      case 5: return damage(e.buffer);
      default: return damage(e.operands[random_() % 3]);
    }
  }
  void damage_layout(Layout& l) {
    switch (random_() % 9) {
      case 0: return damage(l.kind);
      case 1: return damage(l.scalar);
      case 2: return damage(l.width);
      case 3: return damage(l.align);
      case 4: return damage(l.size);
      case 5: return damage(l.element);
      case 6: return damage(l.count);
      case 7: return damage(l.stride);
      default:
        if (!l.members.empty()) damage(any(l.members).layout);
        if (!l.members.empty()) damage(any(l.members).offset);
    }
  }
  void damage_buffer(BufferDecl& b) {
    switch (random_() % 6) {
      case 0: return damage(b.space);
      case 1: return damage(b.access);
      case 2: return damage(b.layout);
      case 3: return damage(b.same_length_as);
      case 4: return damage(b.window.end);
      default: return damage(b.binding);
    }
  }
  void damage_block(Block& b) {
    if (b.stmts.empty() || random_() % 3 == 0) return b.stmts.push_back(StmtId{number()});
    if (random_() % 2 == 0) return damage(any(b.stmts));
    b.stmts.pop_back();
  }
  void damage_stmt(Stmt& stmt) {
    switch (random_() % 4) {
      case 0: for_each_operand(stmt, [&](ExprId& e) { maybe(e); }); break;
      case 1: for_each_block(stmt, [&](BlockId& b) { maybe(b); }); break;
      case 2: for_each_result(stmt, [&](ValueId& v, std::uint32_t) { maybe(v); }); break;
      default:
        if (MemoryRef* ref = memory_of(stmt)) damage_memory(*ref);
    }
  }
  template <typename Id>
  void maybe(Id& id) {
    if (random_() % 2 == 0) damage(id);
  }
  void damage_memory(MemoryRef& ref) {
    switch (random_() % 5) {
      case 0: return damage(ref.buffer);
      case 1: return damage(ref.first);
      case 2: return damage(ref.count);
      case 3:
        if (!ref.path.empty()) ref.path.pop_back();
        return;
      default:
        if (!ref.path.empty()) damage(any(ref.path).member);
    }
  }

  Program program_;
  std::mt19937 random_;
};

TEST(MutationTest, TheProgramIsGoodBeforeItIsDamaged) {
  EXPECT_TRUE(is_valid(rich()));
}

TEST(MutationTest, WhateverIsAcceptedKeepsTheInvariants) {
  const Program good = rich();
  unsigned accepted = 0;
  unsigned refused = 0;
  for (std::uint32_t seed = 0; seed < 20000; ++seed) {
    const Program damaged = Vandal(good, seed).run();
    const auto result = validate(damaged);
    if (!result) {
      EXPECT_FALSE(result.error().diagnostics().empty());
      EXPECT_FALSE(result.error().to_string().empty());
      ++refused;
      continue;
    }
    ++accepted;
    // Writing it anew changes nothing but what nothing reaches, and stays valid.
    const Program again = normalize(damaged);
    ASSERT_EQ(hash(again), result->hash()) << "seed " << seed << "\n"
                                           << dump(damaged) << dump(again);
    ASSERT_TRUE(is_valid(again)) << "seed " << seed;
    ASSERT_TRUE(validate_lowered(damaged).empty()) << "seed " << seed;
    (void)needed_capabilities(damaged);
  }
  EXPECT_GT(accepted, 200u);
  EXPECT_GT(refused, 10000u);
}

}  // namespace
}  // namespace vyre
