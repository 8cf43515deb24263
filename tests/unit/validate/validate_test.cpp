// SPDX-License-Identifier: MIT OR Apache-2.0
#include "vyre/validate.h"

#include <cstdint>
#include <functional>

#include <gtest/gtest.h>

#include "vyre/builder.h"

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

TEST(ValidateTest, RefusesValuesOfAnotherBuilder) {
  Builder other("other");
  auto z = other.in_out<std::uint32_t>("z");
  Value theirs = other.global_id();
  for (int i = 0; i < 1000; ++i)  // its number is far beyond those of the other kernels
    theirs = theirs + Value(z[theirs]);
  using Use = std::function<void(Builder&, Memory&)>;
  const Use uses[] = {
      [&](Builder&, Memory& y) { y[0u] = theirs; },
      [&](Builder&, Memory& y) { y[theirs] = 1u; },
      [&](Builder& b, Memory& y) { y[0u] = b.global_id() + theirs; },
      [&](Builder& b, Memory& y) { b.if_(b.global_id() < theirs, [&] { y[0u] = 1u; }); },
      [&](Builder& b, Memory& y) { y[0u] = b.let(theirs); },
      [&](Builder& b, Memory& y) { y[0u] = Value(b.var(theirs)); },
      [&](Builder& b, Memory& y) { b.for_(0u, theirs, [&](Value i) { y[i] = 1u; }); },
      [&](Builder& b, Memory&) { b.assert_(b.global_id() == theirs, "equal"); },
  };
  for (const Use& use : uses) {
    Builder b("kernel");
    auto y = b.in_out<std::uint32_t>("y");
    use(b, y);
    const auto built = b.build();
    ASSERT_FALSE(built.has_value());
    EXPECT_EQ(built.error().diagnostics()[0].code, Code::bad_constant);
  }
}

}  // namespace
}  // namespace vyre
