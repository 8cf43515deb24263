// SPDX-License-Identifier: MIT OR Apache-2.0
#include "vyre/validate.h"

#include <gtest/gtest.h>

#include "support.h"

namespace vyre {
namespace {

/// out[i] = in[i] + 1.
Program increment() {
  Kernel k;
  const ExprId i = k.gid();
  const ExprId x = k.load(Kernel::at(k.in, i));
  k.store(Kernel::at(k.out, i), k.op(Op::add, {x, k.u32(1)}));
  return std::move(k).done();
}

TEST(ValidateTest, AcceptsAnOrdinaryProgramAndKeepsIt) {
  const auto valid = validate(increment());
  ASSERT_TRUE(valid.has_value()) << valid.error().to_string();
  EXPECT_EQ(valid->hash(), hash(increment()));
  EXPECT_EQ(dump(valid->program()), dump(increment()));
}

TEST(ValidateTest, AcceptsEmptyPrograms) {
  EXPECT_TRUE(validate(Program{}).has_value());
  EXPECT_TRUE(validate(Assembler("empty", {1, 1, 1}).finish()).has_value());
}

TEST(ValidateTest, ReportsFiveFaultsAtOnceInTheOrderOfTheirPlaces) {
  Kernel k;
  k.set_place({0, 5, 3, 1});
  k.let(k.op(Op::add, {k.f32(1), k.u32(1)}));
  k.set_place({0, 4, 3, 1});
  k.set(static_cast<VarId>(7), k.u32(1));
  k.set_place({0, 3, 3, 1});
  k.break_();
  k.set_place({0, 2, 3, 1});
  k.store(Kernel::at(k.in, k.u32(0)), k.u32(1));
  k.set_place({0, 1, 3, 1});
  k.store(Kernel::at(k.out, k.f32(0)), k.u32(1));
  Program program = std::move(k).done();
  program.vars = {ScalarType::u32};
  for (Stmt& stmt : program.stmts)
    if (auto* set = std::get_if<Set>(&stmt)) set->var = VarId{};
  const auto result = validate(program);
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(codes_of(result.error().diagnostics()),
            (Codes{"type-mismatch", "read-only-memory", "misplaced-jump", "out-of-scope",
                   "type-mismatch"}));
  for (std::uint32_t i = 0; i < 5; ++i)
    EXPECT_EQ(result.error().diagnostics()[i].place.line, i + 1);
}

}  // namespace
}  // namespace vyre
