// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <functional>

#include "lower/passes.h"
#include "unit/lower/run.h"

namespace vyre::test {
namespace {

/// Statements that declare, read or write variables.
std::size_t of_variables(const Program& program) {
  return static_cast<std::size_t>(
      std::count_if(program.stmts.begin(), program.stmts.end(), [](const Stmt& s) {
        return std::holds_alternative<Var>(s) || std::holds_alternative<Get>(s) ||
               std::holds_alternative<Set>(s);
      }));
}

/// Expects the body, which makes a word of `x`, to need variables, or not, and to keep its meaning.
void expect_variables(bool some, const std::function<Value(Builder&, Variable&)>& write) {
  for (const bool runs : {false, true}) {
    Builder b("variables", {.workgroup = 8});
    auto out = b.output<std::uint32_t>("out");
    auto x = b.var(b.global_id() * 3u);
    out[b.global_id()] = write(b, x);
    if (runs)
      expect_same(b, {{host<std::uint32_t>(out, std::vector<std::uint32_t>(8))}}, cpu_target());
    else
      EXPECT_EQ(of_variables(forward_variables(b.finish())) != 0, some);
  }
}

TEST(ForwardVariables, FollowsStraightLines) {
  expect_variables(false, [](Builder& b, Variable& x) {
    x += 1u;
    x = Value(x) * Value(x);
    b.workgroup_barrier();
    return Value(x) + 2u;
  });
}

TEST(ForwardVariables, SeesBlocksFromWithin) {
  expect_variables(false, [](Builder& b, Variable& x) {
    auto scratch = b.workgroup<std::uint32_t>("scratch", 8);
    x += 5u;
    b.if_(b.global_id() < 4u, [&] { scratch[b.local_index()] = Value(x) * 2u; });
    return Value(scratch[b.local_index()]);
  });
}

/// In the loop the value from before it is a name, not computed again and again.
TEST(ForwardVariables, SeesLoopsFromWithin) {
  expect_variables(false, [](Builder& b, Variable& x) {
    auto scratch = b.workgroup<std::uint32_t>("scratch", 8);
    x += 5u;
    b.loop([&] {
      scratch[b.local_index()] = Value(scratch[b.local_index()]) + Value(x) * 2u;
      b.if_(Value(scratch[b.local_index()]) > 50u, [&] { b.break_(); });
    });
    return Value(scratch[b.local_index()]);
  });
}

TEST(ForwardVariables, KeepsWhatBranchesWrite) {
  expect_variables(true, [](Builder& b, Variable& x) {
    b.if_(b.global_id() < 4u, [&] { x += 1u; });
    return Value(x);
  });
  expect_variables(true, [](Builder& b, Variable& x) {
    b.if_(
        b.global_id() < 4u, [&] { x = 1u; }, [&] { x = 2u; });
    return Value(x);
  });
  expect_variables(true, [](Builder& b, Variable& x) {
    b.switch_(b.global_id(), {{{1u, 5u}, [&] { x = 1u; }}}, [&] { x = 2u; });
    return Value(x);
  });
}

TEST(ForwardVariables, KeepsWhatLoopsWrite) {
  expect_variables(true, [](Builder& b, Variable& x) {
    auto sum = b.var(Value(0u));
    b.loop([&] {
      b.if_(Value(x) > 100u, [&] { b.break_(); });
      sum += x;
      x += 7u;
      b.if_(Value(x) % 2u == 0u, [&] { b.continue_(); });
      x += 1u;
    });
    return Value(sum) + Value(x);
  });
  // Read before it is written, textually.
  expect_variables(true, [](Builder& b, Variable& x) {
    auto last = b.var(Value(1u));
    auto sum = b.var(Value(0u));
    b.for_(0u, b.global_id() + 1u, [&](Value k) {
      sum += Value(last) * 3u;
      last = k + 10u;
    });
    return Value(sum) + Value(x);
  });
}

TEST(ForwardVariables, KeepsWhatScopesWrite) {
  expect_variables(true, [](Builder& b, Variable& x) {
    b.scope([&](BlockId scope) {
      b.if_(b.global_id() < 4u, [&] { b.leave(scope); });
      x = 9u;
    });
    return Value(x);
  });
}

/// Expects so many reads of what a loop has left in `x` to be left, and the same meaning.
void expect_gets(std::size_t left, const std::function<Value(Builder&, Variable&)>& write) {
  for (const bool runs : {false, true}) {
    Builder b("reads", {.workgroup = 8});
    auto out = b.output<std::uint32_t>("out");
    auto x = b.var(b.global_id() * 3u);
    b.loop([&] {
      x += 7u;  // one read
      b.if_(b.global_id() < 20u, [&] { b.break_(); });
    });
    out[b.global_id()] = write(b, x);
    if (runs)
      expect_same(b, {{host<std::uint32_t>(out, std::vector<std::uint32_t>(8))}}, cpu_target());
    else
      EXPECT_EQ(count_of<Get>(forward_variables(b.finish())), left + 1);
  }
}

TEST(ForwardVariables, ReadsOnceWhatDoesNotChange) {
  expect_gets(1, [](Builder& b, Variable& x) {
    const Value first = x;
    auto sum = b.var(first * 2u);
    return Value(sum) + Value(x) * Value(x);
  });
  // In a branch, and in a loop that does not write it.
  expect_gets(1, [](Builder& b, Variable& x) {
    auto scratch = b.workgroup<std::uint32_t>("scratch", 8);
    const Value i = b.local_index();
    scratch[i] = x;
    b.if_(i < 3u, [&] { scratch[i] = Value(x) * 2u; });
    b.loop([&] {
      scratch[i] = Value(scratch[i]) + Value(x);
      b.if_(Value(scratch[i]) > 50u, [&] { b.break_(); });
    });
    return Value(scratch[i]);
  });
}

TEST(ForwardVariables, ReadsAgainWhatMayHaveChanged) {
  expect_gets(2, [](Builder& b, Variable& x) {
    const Value first = b.let(Value(x) * 2u);
    b.if_(b.global_id() < 3u, [&] { x = 5u; });
    return first + Value(x);
  });
  // A read in one branch is not one in the other.
  expect_gets(3, [](Builder& b, Variable& x) {
    auto scratch = b.workgroup<std::uint32_t>("scratch", 8);
    const Value i = b.local_index();
    b.if_(
        i < 3u, [&] { scratch[i] = Value(x) * 2u; }, [&] { scratch[i] = Value(x) * 3u; });
    return Value(scratch[i]) + Value(x);
  });
  // Before a loop that writes it later, in it and behind it; the loop reads its counter twice.
  expect_gets(5, [](Builder& b, Variable& x) {
    auto scratch = b.workgroup<std::uint32_t>("scratch", 8);
    const Value i = b.local_index();
    scratch[i] = x;
    b.for_(0u, 20u, [&](Value) {
      scratch[i] = Value(scratch[i]) * 3u + Value(x);
      x = Value(scratch[i]) + 1u;
    });
    return Value(scratch[i]) + Value(x);
  });
}

/// A declaration without a value is zero each time it is run.
TEST(ForwardVariables, KnowsFreshVariables) {
  expect_variables(true, [](Builder& b, Variable& x) {
    b.for_(0u, 3u, [&](Value) {
      auto fresh = b.var(ScalarType::u32);
      const Value before = fresh;
      fresh = b.global_id();
      x += before + Value(fresh);
    });
    return Value(x);
  });
}

}  // namespace
}  // namespace vyre::test
