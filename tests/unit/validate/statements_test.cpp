// SPDX-License-Identifier: MIT OR Apache-2.0
#include <functional>

#include <gtest/gtest.h>

#include "support.h"
#include "validate/validate.h"

namespace vyre {
namespace {

// ------------------------------------------------------------------------------------- scopes

TEST(ScopeTest, ValuesAreVisibleInNestedBlocksAndNotOutside) {
  EXPECT_TRUE(is_valid(made([](Kernel& k) {
    const ExprId x = k.load(Kernel::at(k.in, k.gid()));
    k.when(k.less(k.gid(), 3), [&] { k.let(x); });
  })));
  EXPECT_TRUE(has_only(made([](Kernel& k) {
                         ExprId x = {};
                         k.when(k.less(k.gid(), 3), [&] { x = k.load(Kernel::at(k.in, k.gid())); });
                         k.let(x);
                       }),
                       "out-of-scope", "value %0 is used where it is not visible"));
}

TEST(ScopeTest, OneArmDoesNotSeeTheOther) {
  EXPECT_TRUE(has_only(made([](Kernel& k) {
                         ExprId x = {};
                         const BlockId a = k.block([&] { x = k.load(Kernel::at(k.in, k.gid())); });
                         const BlockId b = k.block([&] { k.let(x); });
                         k.if_(k.less(k.gid(), 3), a, b);
                       }),
                       "out-of-scope", "value %0"));
}

TEST(ScopeTest, VariablesAreVisibleInNestedBlocksAndNotOutside) {
  EXPECT_TRUE(is_valid(made([](Kernel& k) {
    const VarId x = k.var(ScalarType::u32);
    k.when(k.less(k.gid(), 3), [&] { k.set(x, k.get(x)); });
  })));
  EXPECT_TRUE(has_only(made([](Kernel& k) {
                         VarId x = {};
                         k.when(k.less(k.gid(), 3), [&] { x = k.var(ScalarType::u32); });
                         k.set(x, k.u32(1));
                       }),
                       "out-of-scope", "variable $0 is used where it is not visible"));
}

TEST(ScopeTest, ContinuingDoesNotSeeTheBodyButBreakIfSeesContinuing) {
  EXPECT_TRUE(has_only(made([](Kernel& k) {
                         ExprId x = {};
                         const BlockId body =
                             k.block([&] { x = k.load(Kernel::at(k.in, k.gid())); });
                         const BlockId next = k.block([&] { k.let(x); });
                         k.loop(body, next, k.boolean(true));
                       }),
                       "out-of-scope", "value %0"));
  EXPECT_TRUE(is_valid(made([](Kernel& k) {
    ExprId x = {};
    const BlockId body = k.block([] {});
    const BlockId next = k.block([&] { x = k.load(Kernel::at(k.in, k.gid())); });
    k.loop(body, next, k.less(x, 3));
  })));
  EXPECT_TRUE(has_only(made([](Kernel& k) {
                         ExprId x = {};
                         const BlockId body =
                             k.block([&] { x = k.load(Kernel::at(k.in, k.gid())); });
                         const BlockId next = k.block([] {});
                         k.loop(body, next, k.less(x, 3));
                       }),
                       "out-of-scope", "value %0"));
}

// -------------------------------------------------------------------------------------- jumps

TEST(JumpTest, BreakNeedsALoopOrSwitch) {
  EXPECT_TRUE(is_valid(made([](Kernel& k) {
    k.loop(k.block([&] { k.when(k.less(k.gid(), 3), [&] { k.break_(); }); }));
    k.switch_(k.gid(), {}, k.block([&] { k.break_(); }));
  })));
  EXPECT_TRUE(has_only(made([](Kernel& k) { k.break_(); }), "misplaced-jump",
                       "a break is in no loop or switch"));
}

TEST(JumpTest, ContinueNeedsALoop) {
  EXPECT_TRUE(is_valid(made([](Kernel& k) {
    k.loop(k.block([&] { k.switch_(k.gid(), {}, k.block([&] { k.continue_(); })); }));
  })));
  EXPECT_TRUE(
      has_only(made([](Kernel& k) { k.switch_(k.gid(), {}, k.block([&] { k.continue_(); })); }),
               "misplaced-jump", "a continue is in no loop"));
}

TEST(JumpTest, LeaveNeedsItsScope) {
  EXPECT_TRUE(is_valid(made([](Kernel& k) {
    const BlockId scope = k.open();
    k.loop(k.block([&] { k.leave(scope); }));
    k.close();
    k.scope(scope);
  })));
  EXPECT_TRUE(has_only(made([](Kernel& k) {
                         const BlockId scope = k.block([] {});
                         k.scope(scope);
                         k.leave(scope);
                       }),
                       "misplaced-jump", "no scope around it"));
  EXPECT_TRUE(has_only(made([](Kernel& k) {
                         const BlockId body = k.open();
                         k.leave(body);
                         k.close();
                         k.loop(body);
                       }),
                       "misplaced-jump", "no scope around it"));
}

/// The faults of a jump in a continuing block.
Program in_continuing(const Fill& jump) {
  return made([&](Kernel& k) {
    const BlockId scope = k.open();
    const BlockId body = k.block([] {});
    const BlockId next = k.block([&] { jump(k); });
    k.loop(body, next, k.boolean(true));
    k.close();
    k.scope(scope);
  });
}

TEST(JumpTest, NothingJumpsOutOfContinuing) {
  EXPECT_TRUE(has_only(in_continuing([](Kernel& k) { k.break_(); }), "misplaced-jump",
                       "a break would exit the continuing block"));
  EXPECT_TRUE(has_only(in_continuing([](Kernel& k) { k.continue_(); }), "misplaced-jump",
                       "a continue is in the continuing block of its loop"));
  EXPECT_TRUE(
      has_only(in_continuing([](Kernel& k) { k.when(k.less(k.gid(), 3), [&] { k.return_(); }); }),
               "misplaced-jump", "a return would exit the continuing block"));
  EXPECT_TRUE(has_only(in_continuing([](Kernel& k) { k.leave(BlockId{1}); }), "misplaced-jump",
                       "a leave would exit the continuing block"));
}

TEST(JumpTest, JumpsWithinContinuingAreFine) {
  EXPECT_TRUE(is_valid(in_continuing([](Kernel& k) {
    k.loop(k.block([&] {
      k.when(k.less(k.gid(), 3), [&] { k.continue_(); });
      k.break_();
    }));
    const BlockId scope = k.open();
    k.leave(scope);
    k.close();
    k.scope(scope);
  })));
  EXPECT_TRUE(has_only(in_continuing([](Kernel& k) { k.loop(k.block([&] { k.return_(); })); }),
                       "misplaced-jump", "a return"));
}

// -------------------------------------------------------------------------------------- types

TEST(TypeTest, OperatorsTakeWhatTheCatalogueSays) {
  EXPECT_TRUE(has_only(made([](Kernel& k) {
                         k.let(k.op(Op::add, {k.f32(1), k.u32(1)}));
                       }),
                       "type-mismatch", "`add` does not take f32 and u32"));
  EXPECT_TRUE(has_only(made([](Kernel& k) {
                         k.let(k.op(Op::select, {k.u32(1), k.u32(1), k.u32(1)}));
                       }),
                       "type-mismatch", "`select` does not take u32, u32 and u32"));
  EXPECT_TRUE(is_valid(made([](Kernel& k) {
    k.let(k.op(Op::select, {k.boolean(true), k.f32(1), k.f32(2)}));
    k.let(k.op(Op::shl, {k.i32(1), k.u32(2)}));
  })));
}

TEST(TypeTest, AnOperationHasTheTypeOfItsResult) {
  EXPECT_TRUE(has_only(made([](Kernel& k) {
                         Expr wrong = k[k.op(Op::lt, {k.u32(1), k.u32(2)})];
                         wrong.type = ScalarType::u32;
                         k.let(k.expr(wrong));
                       }),
                       "type-mismatch", "`lt` of u32 and u32 is boolean, not u32"));
}

TEST(TypeTest, NarrowTypesExistOnlyInMemory) {
  Program program = made([](Kernel& k) { k.let(k.u32(1)); });
  program.exprs[0].type = ScalarType::u8;
  EXPECT_NE(report_of(program).find("an expression has the type u8, which exists only in memory"),
            std::string::npos);
}

TEST(TypeTest, ConstantsFitTheirTypes) {
  const auto constant = [](ScalarType type, std::uint64_t bits) {
    return made([&](Kernel& k) { k.let(k.constant(type, bits)); });
  };
  EXPECT_TRUE(is_valid(constant(ScalarType::boolean, 1)));
  EXPECT_TRUE(is_valid(constant(ScalarType::u32, 0xffffffff)));
  EXPECT_TRUE(is_valid(constant(ScalarType::f16, 0xffff)));
  EXPECT_TRUE(is_valid(constant(ScalarType::i64, ~std::uint64_t{0})));
  EXPECT_TRUE(
      has_only(constant(ScalarType::boolean, 2), "bad-constant", "no boolean has the bits 2"));
  EXPECT_TRUE(has_only(constant(ScalarType::u32, 0x100000000), "bad-constant", "no u32"));
  EXPECT_TRUE(has_only(constant(ScalarType::i32, ~std::uint64_t{0}), "bad-constant", "no i32"));
  EXPECT_TRUE(has_only(constant(ScalarType::f16, 0x10000), "bad-constant", "no f16"));
}

TEST(TypeTest, BuiltinsHaveThreeComponentsOrOne) {
  const auto builtin = [](Builtin b, std::uint8_t component) {
    return made([&](Kernel& k) { k.let(k.builtin(b, component)); });
  };
  EXPECT_TRUE(is_valid(builtin(Builtin::global_id, 2)));
  EXPECT_TRUE(has_only(builtin(Builtin::global_id, 3), "bad-operand", "has 3 component(s)"));
  EXPECT_TRUE(has_only(builtin(Builtin::local_index, 1), "bad-operand", "has 1 component(s)"));
}

TEST(TypeTest, LengthsAreOfRuntimeSizedBuffers) {
  EXPECT_TRUE(is_valid(made([](Kernel& k) { k.let(k.length(k.in)); })));
  EXPECT_TRUE(has_only(made([](Kernel& k) { k.let(k.length(k.tile)); }), "bad-operand",
                       "the length of buffer `tile`"));
  EXPECT_TRUE(has_only(made([](Kernel& k) { k.let(k.length(BufferId{77})); }), "bad-operand",
                       "a length is asked of no buffer"));
}

TEST(TypeTest, LaunchWordsAreForLoweredPrograms) {
  const Program program = made([](Kernel& k) {
    k.let(k.launch(LaunchField::zero));
    k.let(k.launch(LaunchField::count, k.in));
  });
  EXPECT_EQ(faults_of(program), (Codes{"bad-operand", "bad-operand"}));
  EXPECT_TRUE(validate_lowered(program).empty());
  const Program of_tile = made([](Kernel& k) { k.let(k.launch(LaunchField::count, k.tile)); });
  EXPECT_EQ(codes_of(validate_lowered(of_tile)), (Codes{"bad-operand"}));
}

TEST(TypeTest, ValuesKeepTheTypeTheyWereBoundWith) {
  Program program = made([](Kernel& k) { k.let(k.load(Kernel::at(k.in, k.gid()))); });
  program.values[0] = ScalarType::f32;
  const std::string text = report_of(program);
  EXPECT_NE(text.find("value %0 is f32, but what it is bound to is u32"), std::string::npos)
      << text;
  EXPECT_NE(text.find("value %0 is f32, not u32"), std::string::npos) << text;
}

TEST(TypeTest, VariablesTakeTheirType) {
  EXPECT_TRUE(has_only(made([](Kernel& k) { k.var(ScalarType::u32, k.f32(1)); }), "type-mismatch",
                       "the initial value of variable $0 must be u32, but is f32"));
  EXPECT_TRUE(has_only(made([](Kernel& k) { k.set(k.var(ScalarType::u32), k.boolean(true)); }),
                       "type-mismatch",
                       "the new value of variable $0 must be u32, but is boolean"));
  Program program = made([](Kernel& k) { k.get(k.var(ScalarType::u32)); });
  program.values[0] = ScalarType::i32;
  EXPECT_TRUE(
      has_only(program, "type-mismatch", "value %0 is i32, but what it is bound to is u32"));
}

TEST(TypeTest, ConditionsAreBoolean) {
  EXPECT_TRUE(has_only(made([](Kernel& k) { k.when(k.u32(1), [] {}); }), "type-mismatch",
                       "the condition must be boolean, but is u32"));
  EXPECT_TRUE(has_only(made([](Kernel& k) {
                         const BlockId body = k.block([] {});
                         k.loop(body, kNone<BlockId>, k.u32(1));
                       }),
                       "type-mismatch", "the condition of break_if must be boolean"));
}

TEST(SwitchTest, SelectorsAreIntegersAndCasesDistinct) {
  const auto chosen = [](ExprId (*selector)(Kernel&),
                         std::vector<std::vector<std::uint32_t>> values) {
    return made([&](Kernel& k) {
      std::vector<Case> cases;
      for (auto& v : values)
        cases.push_back({v, k.block([] {})});
      k.switch_(selector(k), cases, k.block([] {}));
    });
  };
  const auto word = [](Kernel& k) { return k.gid(); };
  EXPECT_TRUE(is_valid(chosen(word, {{1, 2}, {3}})));
  EXPECT_TRUE(is_valid(chosen([](Kernel& k) { return k.i32(-1); }, {{0xffffffff}})));
  EXPECT_TRUE(has_only(chosen(word, {{1, 2}, {3, 1}, {1}}), "bad-case",
                       "the value 1 has more than one case"));
  EXPECT_TRUE(has_only(chosen(word, {{}}), "bad-case", "a case has no value"));
  EXPECT_TRUE(has_only(chosen([](Kernel& k) { return k.f32(1); }, {{1}}), "type-mismatch",
                       "the selector must be u32 or i32, but is f32"));
}

// ------------------------------------------------------------------------- other statements

TEST(BarrierTest, NamesAMemory) {
  EXPECT_TRUE(is_valid(made([](Kernel& k) { k.barrier(false, true); })));
  EXPECT_TRUE(has_only(made([](Kernel& k) { k.barrier(false, false); }), "bad-operand",
                       "a barrier names no memory"));
}

TEST(TrapTest, TakesAWord) {
  EXPECT_TRUE(is_valid(made([](Kernel& k) { k.trap(k.trap_tag("t"), k.u32(1)); })));
  EXPECT_TRUE(has_only(made([](Kernel& k) { k.trap(k.trap_tag("t"), k.f32(1)); }), "type-mismatch",
                       "the value of a trap must be u32"));
}

Program subgroup(SubgroupOp op,
                 ScalarType type,
                 const std::function<ExprId(Kernel&)>& value,
                 const std::function<ExprId(Kernel&)>& argument = {}) {
  return made([&](Kernel& k) {
    k.subgroup(op, type, value ? value(k) : kNone<ExprId>, argument ? argument(k) : kNone<ExprId>);
  });
}

TEST(SubgroupTest, TakesWhatEachOperationNeeds) {
  const auto word = [](Kernel& k) { return k.u32(1); };
  const auto flag = [](Kernel& k) { return k.boolean(true); };
  const auto real = [](Kernel& k) { return k.f32(1); };
  const auto wide = [](Kernel& k) { return k.constant(ScalarType::i64, 5); };
  EXPECT_TRUE(is_valid(subgroup(SubgroupOp::ballot, ScalarType::u32, flag)));
  EXPECT_TRUE(is_valid(subgroup(SubgroupOp::shuffle, ScalarType::f32, real, word)));
  EXPECT_TRUE(is_valid(subgroup(SubgroupOp::add, ScalarType::f32, real)));
  EXPECT_TRUE(is_valid(subgroup(SubgroupOp::bit_or, ScalarType::u32, word)));
  EXPECT_TRUE(is_valid(subgroup(SubgroupOp::bit_or, ScalarType::i64, wide)));
  EXPECT_TRUE(is_valid(subgroup(SubgroupOp::elect, ScalarType::boolean, {})));
  EXPECT_TRUE(is_valid(subgroup(SubgroupOp::all, ScalarType::boolean, flag)));
  EXPECT_TRUE(has_only(subgroup(SubgroupOp::ballot, ScalarType::u32, word), "type-mismatch",
                       "subgroup `ballot` does not take u32"));
  EXPECT_TRUE(has_only(subgroup(SubgroupOp::bit_or, ScalarType::f32, real), "type-mismatch",
                       "subgroup `bit_or` does not take f32"));
  EXPECT_TRUE(has_only(subgroup(SubgroupOp::elect, ScalarType::boolean, flag), "bad-operand",
                       "subgroup `elect` takes no value"));
  EXPECT_TRUE(has_only(subgroup(SubgroupOp::add, ScalarType::u32, {}), "bad-operand",
                       "subgroup `add` takes a value"));
  EXPECT_TRUE(has_only(subgroup(SubgroupOp::shuffle, ScalarType::u32, word), "bad-operand",
                       "the argument of subgroup `shuffle` is missing"));
  EXPECT_TRUE(has_only(subgroup(SubgroupOp::shuffle, ScalarType::u32, word, real), "type-mismatch",
                       "the argument of subgroup `shuffle` must be u32, but is f32"));
  EXPECT_TRUE(has_only(subgroup(SubgroupOp::add, ScalarType::u32, word, word), "bad-operand",
                       "subgroup `add` takes no argument"));
  EXPECT_TRUE(has_only(subgroup(SubgroupOp::any, ScalarType::u32, flag), "type-mismatch",
                       "value %0 is u32, but what it is bound to is boolean"));
}

TEST(CapabilityTest, AreCollectedFromTypesMemoryAndStatements) {
  const auto needs = [](const Fill& fill) {
    std::vector<std::string> names;
    for (const Capability c : needed_capabilities(made(fill)))
      names.emplace_back(to_string(c));
    return names;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(needs([](Kernel& k) { k.store(Kernel::at(k.out, k.gid()), k.u32(1)); }), Names{});
  EXPECT_EQ(needs([](Kernel& k) { k.let(k.convert(ScalarType::f16, k.f32(1))); }), Names{"f16"});
  EXPECT_EQ(needs([](Kernel& k) {
              k.store(Kernel::at(k.out, k.gid()),
                      k.convert(ScalarType::u32, k.convert(ScalarType::i64, k.u32(1))));
            }),
            Names{"int64"});
  EXPECT_EQ(needs([](Kernel& k) { k.let(k.builtin(Builtin::lane)); }), Names{"subgroups"});
  EXPECT_EQ(needs([](Kernel& k) {
              k.subgroup(SubgroupOp::elect, ScalarType::boolean, kNone<ExprId>, kNone<ExprId>);
            }),
            Names{"subgroups"});
  EXPECT_EQ(
      needs([](Kernel& k) {
        k.buffer(
            {.name = "wide", .binding = 9, .layout = k.array(k.vector(ScalarType::u64, 2), 0)});
        k.var(ScalarType::f16);
      }),
      (Names{"f16", "int64"}));
  EXPECT_EQ(
      needs([](Kernel& k) {
        k.buffer(
            {.name = "halves", .binding = 9, .layout = k.array(k.scalar(ScalarType::half), 0)});
      }),
      Names{});
}

}  // namespace
}  // namespace vyre
