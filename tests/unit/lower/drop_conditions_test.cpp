// SPDX-License-Identifier: MIT OR Apache-2.0
#include <functional>

#include "lower/passes.h"
#include "unit/lower/run.h"

namespace vyre::test {
namespace {

struct Parts {
  Builder& b;
  Memory& in;
  Memory& shared;  ///< workgroup memory of 8 words
  Variable& sum;
};

/// Expects `left` conditions, and the same sums after every pass.
void expect_conditions(std::size_t left, const std::function<void(const Parts&)>& write) {
  for (const bool runs : {false, true}) {
    Builder b("sums", {.workgroup = 8});
    auto in = b.input<std::uint32_t>("in");
    auto out = b.output<std::uint32_t>("out");
    auto shared = b.workgroup<std::uint32_t>("shared", 8);
    shared[b.local_index()] = b.local_index() + 100u;
    b.workgroup_barrier();
    auto sum = b.var(b.global_id() * 1000u);
    write({b, in, shared, sum});
    out[b.global_id()] = sum;
    const std::vector<std::uint32_t> words = {3, 1, 4, 1, 5};
    if (runs)
      expect_same(b, {{host(in, words), host<std::uint32_t>(out, std::vector<std::uint32_t>(8))}},
                  cpu_target());
    else
      EXPECT_EQ(count_of<If>(drop_conditions(b.finish())), left);
  }
}

TEST(DropConditions, DropsTheLengthOfWhatIsLoaded) {
  using Combine = Value (*)(const Value&, const Value&);
  for (const Combine combine : {Combine([](const Value&x, const Value&y) { return x + y; }),
                                Combine([](const Value&x, const Value&y) { return x - y; }),
                                Combine([](const Value&x, const Value&y) { return x | y; }),
                                Combine([](const Value&x, const Value&y) { return x ^ y; })})
    expect_conditions(0, [&](const Parts& p) {
      const Value i = p.b.global_id();
      p.b.if_(i < p.in.length(), [&] { p.sum = combine(p.sum, p.in[i]); });
    });
}

TEST(DropConditions, DropsWhatKeepsADifferenceFromWrapping) {
  expect_conditions(0, [](const Parts& p) {
    const Value i = p.b.local_index();
    p.b.if_(i >= 2u, [&] { p.sum = Value(p.shared[i - 2u]) + Value(p.sum); });
  });
}

TEST(DropConditions, KeepsWhatIsInBoundsAnyway) {
  // Where it fails, 8 + 2 - i is in bounds or not, but i is.
  expect_conditions(1, [](const Parts& p) {
    const Value i = p.b.local_index();
    p.b.if_(i >= 2u, [&] { p.sum += p.shared[i]; });
  });
  expect_conditions(1, [](const Parts& p) {
    const Value i = p.b.global_id();
    p.b.if_(i < p.in.length() && i != 3u, [&] { p.sum += p.in[i]; });
  });
  // The length of another buffer.
  expect_conditions(1, [](const Parts& p) {
    const Value i = p.b.global_id();
    p.b.if_(i < p.in.length(), [&] { p.sum += p.shared[i]; });
  });
}

TEST(DropConditions, KeepsWhatIsNotKeptByZero) {
  expect_conditions(1, [](const Parts& p) {
    const Value i = p.b.global_id();
    p.b.if_(i < p.in.length(), [&] { p.sum = Value(p.sum) * Value(p.in[i]); });
  });
  expect_conditions(1, [](const Parts& p) {
    const Value i = p.b.global_id();
    p.b.if_(i < p.in.length(), [&] { p.sum = Value(p.in[i]) - Value(p.sum); });
  });
  expect_conditions(1, [](const Parts& p) {
    const Value i = p.b.global_id();
    p.b.if_(i < p.in.length(), [&] { p.sum = Value(p.sum) + Value(p.in[i]) + 1u; });
  });
  expect_conditions(1, [](const Parts& p) {
    const Value i = p.b.global_id();
    const Value old = p.sum;
    p.sum += 1u;
    p.b.if_(i < p.in.length(), [&] { p.sum = old + Value(p.in[i]); });
  });
  // -0 + 0 is 0.
  expect_conditions(1, [](const Parts& p) {
    const Value i = p.b.global_id();
    auto f = p.b.var(bitcast<float>(p.b.global_id() << 31u));
    p.b.if_(i < p.in.length(), [&] { f = Value(f) + bitcast<float>(Value(p.in[i])); });
    p.sum = bitcast<std::uint32_t>(Value(f));
  });
}

TEST(DropConditions, KeepsOtherEffects) {
  expect_conditions(1, [](const Parts& p) {
    const Value i = p.b.global_id();
    p.b.if_(i < p.in.length(), [&] {
      p.sum += p.in[i];
      p.shared[0u] = 5u;
    });
  });
  expect_conditions(1, [](const Parts& p) {
    const Value i = p.b.global_id();
    p.b.if_(
        i < p.in.length(), [&] { p.sum += p.in[i]; }, [&] { p.sum += 7u; });
  });
}

}  // namespace
}  // namespace vyre::test
