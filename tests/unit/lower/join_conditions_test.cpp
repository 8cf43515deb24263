// SPDX-License-Identifier: MIT OR Apache-2.0
#include <functional>

#include "lower/passes.h"
#include "unit/lower/run.h"

namespace vyre::test {
namespace {

struct Sides {
  Builder& b;
  Memory& in;
  Memory& out;
  Memory& shared;  ///< workgroup memory of 8 words
};

/// Expects `left` branches, and the same bytes after every pass.
void expect_branches(std::size_t left, const std::function<void(const Sides&)>& write) {
  for (const bool runs : {false, true}) {
    Builder b("conditions", {.workgroup = 8});
    auto in = b.input<std::uint32_t>("in");
    auto out = b.in_out<std::uint32_t>("out");
    auto shared = b.workgroup<std::uint32_t>("shared", 8);
    shared[b.local_index()] = b.local_index() * 3u;
    b.workgroup_barrier();
    write({b, in, out, shared});
    const std::vector<std::uint32_t> words = {3, 1, 4, 1, 5};
    if (runs)
      expect_same(b,
                  {{host(in, words), host<std::uint32_t>(out, std::vector<std::uint32_t>(16, 4))}},
                  cpu_target());
    else
      EXPECT_EQ(count_of<If>(join_conditions(b.finish())), left);
  }
}

/// What a front end makes of `left && right`, or of `left || right`.
Value join(Builder& b, bool is_or, const Value& left, const std::function<Value()>& right) {
  const Value first = b.let(left);
  auto both = b.var(first);
  b.if_(is_or ? !first : first, [&] { both = right(); });
  return both;
}

Value word(const Value& condition) {
  return ops::select(condition, Value(1u), Value(0u));
}

TEST(JoinConditions, JoinsReadsOfWhatNobodyElseWrites) {
  for (const bool is_or : {false, true}) {
    expect_branches(0, [&](const Sides& s) {
      const Value i = s.b.global_id();
      s.out[i] =
          word(join(s.b, is_or, i < s.in.length(), [&] { return Value(s.in[i * 2u]) == 4u; }));
    });
    expect_branches(0, [&](const Sides& s) {
      const Value i = s.b.global_id();
      s.out[i] = word(join(s.b, is_or, i < 5u, [&] { return Value(s.shared[i + 2u]) % 2u == 0u; }));
    });
  }
}

TEST(JoinConditions, JoinsWhatStandsOnTheRightToo) {
  for (const bool outer : {false, true})
    for (const bool inner : {false, true})
      expect_branches(0, [&](const Sides& s) {
        const Value i = s.b.global_id();
        s.out[i] = word(join(s.b, outer, i > 1u, [&] {
          return join(s.b, inner, Value(s.shared[i]) > 9u,
                      [&] { return Value(s.in[i]) + Value(s.shared[7u - i]) == 16u; });
        }));
      });
}

TEST(JoinConditions, JoinsTheConditionsOfLoops) {
  expect_branches(1, [](const Sides& s) {
    auto k = s.b.var(s.b.global_id());
    s.b.while_(
        [&] {
          return join(s.b, false, Value(k) < s.in.length(), [&] { return Value(s.in[k]) != 5u; });
        },
        [&] { k += 1u; });
    s.out[s.b.global_id()] = k;
  });
}

TEST(JoinConditions, LeavesWhatOthersMayWrite) {
  expect_branches(1, [](const Sides& s) {
    const Value i = s.b.global_id();
    s.out[i + 8u] = word(join(s.b, false, i < 5u, [&] { return Value(s.out[i]) == 4u; }));
  });
}

TEST(JoinConditions, LeavesOtherEffects) {
  expect_branches(1, [](const Sides& s) {
    const Value i = s.b.global_id();
    s.out[i] = word(join(s.b, false, i < 5u, [&] {
      s.shared[i] = 100u;
      return Value(s.in[i]) == 4u;
    }));
    s.out[i + 8u] = s.shared[i];
  });
  auto counter = [](const Sides& s, bool after) {
    const Value i = s.b.global_id();
    auto n = s.b.var(Value(0u));
    const Value first = s.b.let(i < 5u);
    auto both = s.b.var(first);
    s.b.if_(first, [&] {
      if (!after) n = s.in[i];
      both = Value(s.in[i]) == 4u;
      if (after) n = s.in[i];
    });
    s.out[i] = Value(n) + word(both);
  };
  expect_branches(1, [&](const Sides& s) { counter(s, false); });
  expect_branches(1, [&](const Sides& s) { counter(s, true); });
}

TEST(JoinConditions, LeavesOtherLeftSides) {
  // The variable holds something else than the condition.
  expect_branches(1, [](const Sides& s) {
    const Value i = s.b.global_id();
    const Value first = s.b.let(i < 5u);
    auto both = s.b.var(s.b.let(i > 2u));
    s.b.if_(first, [&] { both = Value(s.in[i]) == 4u; });
    s.out[i] = word(both);
  });
  // There is an else.
  expect_branches(1, [](const Sides& s) {
    const Value i = s.b.global_id();
    const Value first = s.b.let(i < 3u);
    auto both = s.b.var(first);
    s.b.if_(
        first, [&] { both = Value(s.in[i]) == 4u; }, [&] { both = Value(s.in[i]) == 5u; });
    s.out[i] = word(both);
  });
}

}  // namespace
}  // namespace vyre::test
