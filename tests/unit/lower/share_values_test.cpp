// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <functional>

#include "lower/passes.h"
#include "unit/lower/operators.h"
#include "unit/lower/run.h"

namespace vyre::test {
namespace {

TEST(ShareValues, KeepsTheMeaningOfEveryOperator) {
  expect_meaning_kept(share_values);
}

std::size_t count(const Program& program, Op op) {
  return static_cast<std::size_t>(
      std::count_if(program.exprs.begin(), program.exprs.end(),
                    [&](const Expr& e) { return e.kind == ExprKind::operation && e.op == op; }));
}

using WriteProducts = std::function<void(Builder&, Memory&)>;

/// Expects `left` multiplications, and the same bytes after every pass.
void expect_products(std::size_t left, const WriteProducts& write) {
  for (const bool runs : {false, true}) {
    Builder b("products", {.workgroup = 8});
    auto out = b.in_out<std::uint32_t>("out");
    write(b, out);
    if (runs)
      expect_same(b, {{host<std::uint32_t>(out, std::vector<std::uint32_t>(64, 7))}}, cpu_target());
    else
      EXPECT_EQ(count(share_values(b.finish()), Op::mul), left);
  }
}

TEST(ShareValues, SharesEqualOperations) {
  expect_products(1, [](Builder& b, Memory& out) {
    const Value i = b.global_id();
    out[i] = i * 5u + 1u;
    out[i + 8u] = 5u * i + 2u;
  });
  expect_products(2, [](Builder& b, Memory& out) {
    const Value i = b.global_id();
    out[i] = (i * 5u + 1u) * 3u;
    out[i + 8u] = (i * 5u + 1u) * 3u;
  });
}

TEST(ShareValues, TellsTypesAndOperandsApart) {
  expect_products(2, [](Builder& b, Memory& out) {
    const Value i = b.global_id();
    out[i] = i * 5u;
    out[i + 8u] = bitcast<std::uint32_t>(convert<float>(i) * 5.0f);
  });
  expect_products(2, [](Builder& b, Memory& out) {
    const Value i = b.global_id();
    out[i] = i * 5u;
    out[i + 8u] = b.local_id(1) * 5u;
  });
}

/// Through names, and through conversions that are computed twice.
TEST(ShareValues, LooksThroughNames) {
  expect_products(1, [](Builder& b, Memory& out) {
    const Value i = b.global_id();
    const Value a = b.let(convert<std::int32_t>(i + 1u) * 3);
    const Value c = b.let(convert<std::int32_t>(i + 1u) * 3);
    out[i] = bitcast<std::uint32_t>(a);
    out[i + 8u] = bitcast<std::uint32_t>(c);
  });
}

TEST(ShareValues, FindsWhatStandsAroundABlock) {
  expect_products(1, [](Builder& b, Memory& out) {
    const Value i = b.global_id();
    out[i] = i * 5u;
    b.for_(0u, 20u, [&](Value k) { out[i + 8u] = i * 5u + k; });
  });
}

/// What one branch computes, the other and what follows compute for themselves.
TEST(ShareValues, ComputesNothingBeforeABranch) {
  expect_products(3, [](Builder& b, Memory& out) {
    const Value i = b.global_id();
    b.if_(
        i < 3u, [&] { out[i] = i * 5u; }, [&] { out[i] = i * 5u + 1u; });
    out[i + 8u] = i * 5u + 2u;
  });
}

/// Expects `left` loads, and the same bytes after every pass.
void expect_loads(std::size_t left, const std::function<void(Builder&, Memory&, Memory&)>& write) {
  for (const bool runs : {false, true}) {
    Builder b("loads", {.workgroup = 8});
    auto in = b.input<std::uint32_t>("in");
    auto out = b.in_out<std::uint32_t>("out");
    write(b, in, out);
    const std::vector<std::uint32_t> words = {3, 1, 4, 1, 5, 9, 2, 6};
    if (runs)
      expect_same(b, {{host(in, words), host<std::uint32_t>(out, words)}}, cpu_target());
    else
      EXPECT_EQ(count_of<Load>(share_values(b.finish())), left);
  }
}

TEST(ShareValues, LoadsOnceWhatNothingWrites) {
  expect_loads(1, [](Builder& b, Memory& in, Memory& out) {
    const Value i = b.global_id();
    out[i] = Value(in[i + 1u]) * 3u;
    b.if_(i < 5u, [&] { out[i] = Value(in[1u + i]) + 7u; });
  });
  expect_loads(3, [](Builder& b, Memory& in, Memory& out) {
    const Value i = b.global_id();
    b.if_(
        i < 5u, [&] { out[i] = Value(in[i]) + 7u; }, [&] { out[i] = Value(in[i]) + 1u; });
    out[i] = Value(in[i + 1u]) * 3u;
  });
}

TEST(ShareValues, LoadsEachTimeWhatMayBeWritten) {
  expect_loads(2, [](Builder& b, Memory&, Memory& out) {
    const Value i = b.global_id();
    const Value first = b.let(out[i]);
    b.storage_barrier();
    out[7u - i] = 1u;
    b.storage_barrier();
    out[i] = first * 10u + Value(out[i]);
  });
}

TEST(ShareValues, ReadsMemoryEachTime) {
  expect_products(2, [](Builder& b, Memory& out) {
    const Value i = b.global_id();
    out[i + 8u] = Value(out[i]) * 5u;
    out[i] = Value(out[i]) * 5u;
  });
}

}  // namespace
}  // namespace vyre::test
