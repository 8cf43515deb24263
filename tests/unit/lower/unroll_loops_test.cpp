// SPDX-License-Identifier: MIT OR Apache-2.0
#include <functional>

#include "lower/passes.h"
#include "unit/lower/run.h"

namespace vyre::test {
namespace {

/// A kernel that fills `out`, of 128 words, in loops.
using WriteLoops = std::function<void(Builder&, Memory&)>;

/// Expects `left` loops of `write` to be left, and the bytes to be the same after each pass.
void expect_loops(std::size_t left, const WriteLoops& write) {
  for (const bool runs : {false, true}) {
    Builder b("loops", {.workgroup = 8});
    auto out = b.in_out<std::uint32_t>("out");
    write(b, out);
    if (runs)
      expect_same(b, {{host<std::uint32_t>(out, std::vector<std::uint32_t>(128, 7))}},
                  cpu_target());
    else
      EXPECT_EQ(count_of<Loop>(unroll_loops(b.finish())), left);
  }
}

TEST(UnrollLoops, CountsUpByOne) {
  expect_loops(0, [](Builder& b, Memory& out) {
    b.for_(0u, 4u, [&](Value k) { out[b.global_id() * 4u + k] = k * k; });
  });
}

TEST(UnrollLoops, CountsInOtherSteps) {
  const auto count = [](auto begin, auto&& more, auto&& next) {
    return [=](Builder& b, Memory& out) {
      auto k = b.var(Value(begin));
      auto at = b.var(b.global_id() * 16u);
      b.loop(
          [&] {
            b.if_(!more(Value(k)), [&] { b.break_(); });
            out[at] = bitcast<std::uint32_t>(Value(k));
            at += 1u;
          },
          [&] { k = next(Value(k)); });
      out[at] = bitcast<std::uint32_t>(Value(k));  // one more than the last
    };
  };
  expect_loops(0, count(
                      1u, [](Value k) { return k < 100u; }, [](Value k) { return k * 3u; }));
  expect_loops(0, count(
                      5, [](Value k) { return k >= -1; }, [](Value k) { return k - 2; }));
  expect_loops(0, count(
                      128u, [](Value k) { return k != 0u; }, [](Value k) { return k >> 1u; }));
  expect_loops(0, count(
                      0xfffffffdu, [](Value k) { return k > 5u; }, [](Value k) { return k + 1u; }));
  expect_loops(0, count(
                      0.5f, [](Value k) { return k < 2.0f; }, [](Value k) { return k + 0.5f; }));
}

TEST(UnrollLoops, LeavesOutALoopWithoutTurns) {
  expect_loops(
      0, [](Builder& b, Memory& out) { b.for_(4u, 4u, [&](Value k) { out[b.global_id()] = k; }); });
}

TEST(UnrollLoops, UnrollsSixteenTurnsAndNoMore) {
  for (const std::uint32_t turns : {16u, 17u})
    expect_loops(turns == 16 ? 0 : 1, [&](Builder& b, Memory& out) {
      auto sum = b.var(Value(0u));
      b.for_(0u, turns, [&](Value k) { sum += k * b.global_id(); });
      out[b.global_id()] = sum;
    });
}

TEST(UnrollLoops, UnrollsLoopsInLoops) {
  expect_loops(0, [](Builder& b, Memory& out) {
    b.for_(0u, 3u, [&](Value i) {
      b.for_(0u, 2u, [&](Value j) { out[b.global_id() * 6u + i * 2u + j] = i * 10u + j; });
    });
  });
}

/// 16 × 16 × 16 turns would be too many statements.
TEST(UnrollLoops, KeepsOuterLoopsWhereTheWholeWouldBeTooLong) {
  expect_loops(2, [](Builder& b, Memory& out) {
    auto sum = b.var(b.global_id());
    b.for_(0u, 16u, [&](Value i) {
      b.for_(0u, 16u, [&](Value j) { b.for_(0u, 16u, [&](Value k) { sum += i * j + k; }); });
    });
    out[b.global_id()] = sum;
  });
}

/// However many loops there are, a program grows by a few thousand statements at most.
TEST(UnrollLoops, KeepsProgramsFromGrowing) {
  Builder b("many", {.workgroup = 8});
  auto out = b.in_out<std::uint32_t>("out");
  for (int i = 0; i < 1000; ++i)
    b.for_(0u, 16u, [&](Value k) { out[k] = k; });
  const Program program = b.finish();
  EXPECT_LT(unroll_loops(program).stmts.size(), program.stmts.size() + 5000);
}

/// The inner loop, which is not counted, stands in each of the four turns.
TEST(UnrollLoops, TakesReturnsBarriersAndInnerJumpsAlong) {
  expect_loops(4, [](Builder& b, Memory& out) {
    const Value i = b.global_id();
    b.for_(0u, 4u, [&](Value k) {
      b.workgroup_barrier();
      b.switch_(k, {{{1u}, [&] { b.break_(); }}, {{2u}, [&] { out[i + 8u] = 1u; }}},
                [&] { out[i + 16u] = k; });
      auto n = b.var(i);
      b.loop([&] {
        b.if_(Value(n) > 5u, [&] { b.break_(); });
        n += k + 1u;
        b.if_(Value(n) == 4u, [&] { b.continue_(); });
        out[i + 24u] = Value(out[i + 24u]) + 1u;
      });
    });
    b.for_(0u, 4u, [&](Value k) {
      b.if_(k == i, [&] { b.return_(); });
      out[i] = k;
    });
  });
}

TEST(UnrollLoops, LeavesLoopsThatAreNotCounted) {
  const auto alone = [](const std::function<void(Builder&, Memory&, Variable&)>& body) {
    expect_loops(1, [&](Builder& b, Memory& out) {
      auto k = b.var(Value(0u));
      b.loop(
          [&] {
            b.if_(!(Value(k) < 4u), [&] { b.break_(); });
            body(b, out, k);
          },
          [&] { k += 1u; });
      out[b.global_id() + 8u] = k;
    });
  };
  alone([](Builder& b, Memory& out, Variable& k) {
    b.if_(Value(k) == b.global_id(), [&] { b.break_(); });
    out[b.global_id()] = k;
  });
  alone([](Builder& b, Memory& out, Variable& k) {
    b.if_(Value(k) == b.global_id(), [&] { b.continue_(); });
    out[b.global_id()] = k;
  });
  alone([](Builder& b, Memory& out, Variable& k) {
    out[b.global_id()] = k;
    b.if_(b.global_id() == 1u, [&] { k += 1u; });
  });
}

TEST(UnrollLoops, LeavesLoopsOfUnknownStartOrEnd) {
  expect_loops(1, [](Builder& b, Memory& out) {
    b.for_(b.global_id(), 4u, [&](Value k) { out[b.global_id() * 4u + k] = k; });
  });
  expect_loops(1, [](Builder& b, Memory& out) {
    b.for_(0u, b.global_id(), [&](Value k) { out[b.global_id() * 8u + k] = k; });
  });
  // The start is set in a branch.
  expect_loops(1, [](Builder& b, Memory& out) {
    auto k = b.var(Value(0u));
    b.if_(b.global_id() == 3u, [&] { k = 2u; });
    b.loop(
        [&] {
          b.if_(!(Value(k) < 4u), [&] { b.break_(); });
          out[b.global_id() * 4u + k] = k;
        },
        [&] { k += 1u; });
  });
  // The end is what the counter was before the loop.
  expect_loops(1, [](Builder& b, Memory& out) {
    auto k = b.var(Value(0u));
    const Value before = b.let(Value(k) + b.global_id());
    b.loop(
        [&] {
          b.if_(!(Value(k) < before), [&] { b.break_(); });
          out[b.global_id() * 8u + k] = k;
        },
        [&] { k += 1u; });
  });
}

/// The value that a counter had before the loop is not the counter.
TEST(UnrollLoops, KnowsOldValuesOfTheCounter) {
  expect_loops(1, [](Builder& b, Memory& out) {
    auto k = b.var(b.global_id());
    const Value old = k;
    k = 0u;
    b.loop(
        [&] {
          b.if_(!(Value(k) < old), [&] { b.break_(); });
          out[b.global_id() * 8u + k] = k;
        },
        [&] { k += 1u; });
  });
}

}  // namespace
}  // namespace vyre::test
