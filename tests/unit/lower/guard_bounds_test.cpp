// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>

#include <gtest/gtest.h>

#include "vyre/builder.h"

#include "lower/passes.h"

namespace vyre {
namespace {

/// Conditions that the pass has added.
std::size_t guards(Program program) {
  const auto count = [](const Program& p) {
    return std::count_if(p.stmts.begin(), p.stmts.end(),
                         [](const Stmt& s) { return std::holds_alternative<If>(s); });
  };
  const Program guarded = guard_bounds(program);
  return static_cast<std::size_t>(count(guarded) - count(program));
}

TEST(GuardBounds, GuardsWhatNothingProves) {
  Builder b("copy", {.workgroup = 64});
  auto in = b.input<std::uint32_t>("in");
  auto out = b.output<std::uint32_t>("out");
  const Value i = b.global_id();
  out[i] = in[i];
  EXPECT_EQ(guards(b.finish()), 2u);
}

TEST(GuardBounds, TrustsADominatingCondition) {
  Builder b("add", {.workgroup = 64});
  auto x = b.input<float>("x");
  auto y = b.in_out<float>("y");
  const Value i = b.global_id();
  b.if_(i < x.length() && i < y.length(), [&] { y[i] = Value(x[i]) + Value(y[i]); });
  EXPECT_EQ(guards(b.finish()), 0u);
}

TEST(GuardBounds, TrustsAnEarlyReturn) {
  Builder b("add", {.workgroup = 64});
  auto y = b.in_out<float>("y");
  const Value i = b.global_id();
  b.if_(i >= y.length(), [&] { b.return_(); });
  y[i] = Value(y[i]) + 1.0f;
  EXPECT_EQ(guards(b.finish()), 0u);
}

TEST(GuardBounds, KnowsNothingBehindABranchThatGoesOn) {
  Builder b("add", {.workgroup = 64});
  auto y = b.in_out<float>("y");
  const Value i = b.global_id();
  b.if_(i < y.length(), [&] { y[0u] = 1.0f; });
  y[i] = 2.0f;
  // y[0] is below the length, since something is; y[i] afterwards is not.
  EXPECT_EQ(guards(b.finish()), 1u);
}

TEST(GuardBounds, KnowsNothingWhereConditionsContradictEachOther) {
  using Operator = Value (*)(const Value&, const Value&);
  const Operator operators[] = {
      [](const Value& x, const Value& i) { return x / i; },
      [](const Value& x, const Value& i) { return x % i; },
      [](const Value& x, const Value& i) { return x * i; },
      [](const Value& x, const Value& i) { return x + i; },
      [](const Value& x, const Value& i) { return x - i; },
      [](const Value& x, const Value& i) { return x & i; },
      [](const Value& x, const Value& i) { return x | i; },
      [](const Value& x, const Value& i) { return x ^ i; },
      [](const Value& x, const Value& i) { return x << i; },
      [](const Value& x, const Value& i) { return i >> x; },
      [](const Value& x, const Value& i) { return i / x; },
  };
  for (const Operator apply : operators) {
    for (const std::uint32_t low : {0u, 1u, 7u}) {
      Builder b("never", {.workgroup = 64});
      auto y = b.in_out<float>("y");
      const Value i = b.global_id();
      const Value x = b.global_id(1);
      // Above `low` and below or at it: where `low` is 0, a greatest divisor of 0.
      b.if_(i > low, [&] { b.if_(i <= low, [&] { y[apply(x, i)] = 1.0f; }); });
      EXPECT_EQ(guards(b.finish()), 1u);
    }
  }
}

TEST(GuardBounds, TrustsTheConditionOfALoop) {
  Builder b("saxpy", {.workgroup = 256});
  auto x = b.input<float>("x");
  auto y = b.in_out<float>("y");
  const Value stride = b.num_workgroups() * 256u;
  const Value n = ops::min(x.length(), y.length());
  b.for_(
      b.global_id(), n, [&](Value i) { y[i] = 2.0f * Value(x[i]) + Value(y[i]); }, stride);
  EXPECT_EQ(guards(b.finish()), 0u);
}

TEST(GuardBounds, KnowsTheConditionOfOneLengthOnly) {
  Builder b("two", {.workgroup = 64});
  auto x = b.input<float>("x");
  auto y = b.in_out<float>("y");
  const Value i = b.global_id();
  b.if_(i < y.length(), [&] { y[i] = x[i]; });
  EXPECT_EQ(guards(b.finish()), 1u);
}

TEST(GuardBounds, ForgetsAVariableThatChanges) {
  Builder b("walk", {.workgroup = 64});
  auto y = b.in_out<float>("y");
  auto i = b.var(b.global_id());
  b.if_(Value(i) < y.length(), [&] {
    y[i] = 1.0f;
    i += 1u;
    y[i] = 2.0f;
  });
  EXPECT_EQ(guards(b.finish()), 1u);
}

TEST(GuardBounds, KnowsRanges) {
  Builder b("histogram", {.workgroup = 256});
  auto words = b.input<std::uint32_t>("words");
  auto bins = b.atomics("bins", Access::in_out, ScalarType::u32, 256);
  auto local = b.workgroup_atomics("local", ScalarType::u32, 256);
  const Value lid = b.local_index();
  local[lid].atomic_store(0u);
  b.workgroup_barrier();
  b.for_(
      b.global_id(), words.length(),
      [&](Value i) {
        const Value w = words[i];
        local[w & 0xffu].atomic_add(1u);
        local[(w >> 8u) & 0xffu].atomic_add(1u);
        local[w % 256u].atomic_add(1u);
        local[w >> 24u].atomic_add(1u);
      },
      b.num_workgroups() * 256u);
  b.workgroup_barrier();
  const Value mine = local[lid].atomic_load();
  b.if_(mine != 0u, [&] { bins[lid].atomic_add(mine); });
  EXPECT_EQ(guards(b.finish()), 0u);
}

TEST(GuardBounds, GuardsAnIndexThatIsOneTooLarge) {
  Builder b("mask", {.workgroup = 64});
  auto y = b.output<std::uint32_t>("y", 255);
  y[b.global_id() & 0xffu] = 1u;
  EXPECT_EQ(guards(b.finish()), 1u);
}

TEST(GuardBounds, KnowsThatASmallerNumberIsTakenAway) {
  Builder b("scan", {.workgroup = 256});
  auto totals = b.workgroup<std::uint32_t>("totals", 256);
  auto y = b.output<std::uint32_t>("y", 256);
  auto offset = b.input<std::uint32_t>("offset", 1);
  const Value lid = b.local_index();
  const Value by = offset[0u];
  b.if_(
      lid >= by, [&] { y[lid] = totals[lid - by]; }, [&] { y[lid] = totals[by - lid]; });
  EXPECT_EQ(guards(b.finish()), 1u);  // by - lid may be anything
}

TEST(GuardBounds, LeavesOutWhatIsSurelyOutside) {
  Builder b("outside", {.workgroup = 64});
  auto y = b.output<std::uint32_t>("y", 4);
  y[4u] = 1u;
  const Program program = guard_bounds(b.finish());
  EXPECT_TRUE(program.stmts.empty()) << dump(program);
}

TEST(GuardBounds, DoesNotBelieveASignedComparisonOfANegativeIndex) {
  Builder b("negative", {.workgroup = 64});
  auto y = b.output<std::uint32_t>("y", 16);
  auto from = b.input<std::int32_t>("from", 1);
  const Value i = from[0u];
  b.if_(i < 16, [&] { y[convert<std::uint32_t>(i)] = 1u; });
  EXPECT_EQ(guards(b.finish()), 1u);
  Builder c("both", {.workgroup = 64});
  auto z = c.output<std::uint32_t>("z", 16);
  auto start = c.input<std::int32_t>("start", 1);
  const Value k = start[0u];
  c.if_(k >= 0 && k < 16, [&] { z[convert<std::uint32_t>(k)] = 1u; });
  EXPECT_EQ(guards(c.finish()), 0u);
}

}  // namespace
}  // namespace vyre
