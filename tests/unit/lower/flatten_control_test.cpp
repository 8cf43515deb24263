// SPDX-License-Identifier: MIT OR Apache-2.0
#include "lower/passes.h"
#include "unit/lower/run.h"

namespace vyre::test {
namespace {

template <typename T>
bool has(const Program& program) {
  for (const Stmt& stmt : program.stmts)
    if (std::holds_alternative<T>(stmt)) return true;
  return false;
}

/// Each of 64 lanes takes the path of its number; what it meets is recorded in base 10.
struct Paths {
  Builder b{"paths", {.workgroup = 64}};
  Memory out = b.output<std::uint32_t>("out", 64);
  Variable met = b.var(Value(0u));
  Value lane = b.let(b.local_index());

  void meet(std::uint32_t digit) { met = met.get() * 10u + digit; }

  void expect_flat() {
    out[lane] = met;
    const auto valid = b.build();
    ASSERT_TRUE(valid) << valid.error().to_string();
    const Program flat = flatten_control(valid->program());
    EXPECT_FALSE(has<Switch>(flat) || has<Scope>(flat) || has<Leave>(flat)) << dump(flat);
    const PassInputs inputs = {{host(out, std::vector<std::uint32_t>(64))}, {1, 1, 1}};
    EXPECT_EQ(check_passes(*valid, inputs, everything_target()), "");
  }
};

TEST(FlattenControl, WritesSwitchesAsIfs) {
  Paths p;
  p.b.switch_(p.lane,
              {{{1, 2, 3}, [&] { p.meet(1); }},
               {{5}, [&] { p.b.if_(p.lane > 4u, [&] { p.b.break_(); }), p.meet(2); }},
               {{7}, [&] { p.meet(3); }}},
              [&] { p.meet(4); });
  p.meet(5);
  p.expect_flat();
}

TEST(FlattenControl, BreaksOutOfASwitchInTheMiddle) {
  Paths p;
  p.b.switch_(p.lane % 4u,
              {{{1},
                [&] {
                  p.meet(1);
                  p.b.if_(p.lane > 30u, [&] {
                    p.meet(2);
                    p.b.break_();
                  });
                  p.meet(3);
                }}},
              [&] { p.meet(4); });
  p.meet(5);
  p.expect_flat();
}

TEST(FlattenControl, LeavesNestedScopes) {
  Paths p;
  p.b.scope([&](BlockId outer) {
    p.b.scope([&](BlockId inner) {
      p.b.if_(p.lane % 3u == 0u, [&] { p.b.leave(outer); });
      p.meet(1);
      p.b.if_(p.lane % 3u == 1u, [&] { p.b.leave(inner); });
      p.meet(2);
    });
    p.meet(3);
  });
  p.meet(4);
  p.expect_flat();
}

TEST(FlattenControl, LeavesThroughLoops) {
  Paths p;
  p.b.scope([&](BlockId out) {
    p.b.for_(0u, 3u, [&](Value i) {
      p.b.for_(0u, 2u, [&](Value k) {
        p.b.if_(i * 2u + k == p.lane, [&] { p.b.leave(out); });
        p.meet(1);
      });
      p.meet(2);
    });
    p.meet(3);
  });
  p.meet(4);
  p.expect_flat();
}

TEST(FlattenControl, KeepsContinueAndBreakOfLoopsAroundASwitch) {
  Paths p;
  p.b.for_(0u, 4u, [&](Value i) {
    p.b.switch_((p.lane + i) % 4u, {{{0}, [&] { p.b.continue_(); }}, {{1}, [&] { p.b.break_(); }}},
                [&] { p.meet(1); });
    p.meet(2);
    p.b.scope([&](BlockId here) {
      p.b.if_(p.lane % 5u == i, [&] { p.b.leave(here); });
      p.b.if_(p.lane % 7u == i, [&] { p.b.break_(); });
      p.meet(3);
    });
    p.meet(4);
  });
  p.expect_flat();
}

TEST(FlattenControl, ReturnsFromEverywhere) {
  Paths p;
  p.b.scope([&](BlockId here) {
    p.b.if_(p.lane == 3u, [&] { p.b.return_(); });
    p.b.switch_(p.lane, {{{4}, [&] { p.b.return_(); }}, {{5}, [&] { p.b.leave(here); }}});
    p.meet(1);
  });
  p.expect_flat();
}

TEST(CheckLimits, RefusesWhatIsTooDeepOrTooLong) {
  Builder b("deep", {.workgroup = 1});
  auto out = b.output<std::uint32_t>("out", 1);
  std::function<void(int)> nest = [&](int depth) {
    b.if_(b.global_id() != 77u, [&] {
      out[0u] = Value(out[0u]) + 1u;
      if (depth > 1) nest(depth - 1);
    });
  };
  nest(100);
  const auto valid = b.build();
  ASSERT_TRUE(valid) << valid.error().to_string();
  Target target = wgsl_target();
  const auto deep = lower(*valid, target);
  ASSERT_FALSE(deep);
  EXPECT_EQ(deep.error().kind(), ErrorKind::unsupported);
  EXPECT_EQ(deep.error().code(), "too-deeply-nested");
  EXPECT_NE(deep.error().message().find("64"), std::string::npos);
  target.max_nesting = 1000;
  target.max_statements = 100;
  const auto large = lower(*valid, target);
  ASSERT_FALSE(large);
  EXPECT_EQ(large.error().code(), "too-many-statements");
  EXPECT_NE(large.error().message().find("100"), std::string::npos);
}

}  // namespace
}  // namespace vyre::test
