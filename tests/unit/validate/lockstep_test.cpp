// SPDX-License-Identifier: MIT OR Apache-2.0
#include <array>
#include <random>
#include <span>

#include <gtest/gtest.h>

#include "interpreter/interpreter.h"
#include "support.h"

// The uniformity analysis against brute force: random programs are interpreted.  Where invocations
// of a workgroup wait at different barriers, the program must have been refused.
namespace vyre {
namespace {

/// Makes a random program of ifs, loops, switches, scopes, jumps, variables and barriers.
class Author {
 public:
  explicit Author(std::uint32_t seed) : random_(seed) {
    mine_ = k_.buffer(
        {.name = "mine", .space = Space::local, .layout = k_.array(k_.scalar(ScalarType::u32), 4)});
  }

  Program write() && {
    fill(4);
    return std::move(k_).done();
  }

 private:
  bool chance(unsigned percent) { return random_() % 100 < percent; }
  template <typename T>
  const T& any(const std::vector<T>& list) {
    return list[random_() % list.size()];
  }

  ExprId word(unsigned depth = 2) {
    switch (random_() % (depth == 0 ? 6 : 9)) {
      case 0: return k_.u32(static_cast<std::uint32_t>(random_() % 4));
      case 1: return chance(30) ? k_.lid() : k_.wid();
      case 2: return k_.wid();
      case 3: return k_.u32(1);
      case 4:
      case 5: return values_.empty() ? k_.u32(2) : any(values_);
      case 6: return k_.op(Op::add, {word(depth - 1), word(depth - 1)});
      case 7: return k_.op(Op::bit_and, {word(depth - 1), k_.u32(1)});
      default: return k_.op(Op::select, {flag(depth - 1), word(depth - 1), word(depth - 1)});
    }
  }
  ExprId flag(unsigned depth = 1) {
    const Op ops[] = {Op::lt, Op::eq, Op::ne};
    return k_.op(ops[random_() % 3], {word(depth), word(depth)});
  }

  void fill(unsigned depth) {
    const std::size_t values = values_.size();
    const std::size_t vars = vars_.size();
    const unsigned count = 1 + static_cast<unsigned>(random_() % 5);
    for (unsigned i = 0; i < count; ++i)
      statement(depth);
    values_.resize(values);
    vars_.resize(vars);
  }
  BlockId block(unsigned depth) {
    return k_.block([&] { fill(depth); });
  }

  void statement(unsigned depth) {
    switch (random_() % (depth == 0 ? 10 : 16)) {
      case 0:
      case 1: return k_.sync();
      case 2: vars_.push_back(k_.var(ScalarType::u32, word())); return;
      case 3:
      case 4:
        if (!vars_.empty()) k_.set(any(vars_), word());
        return;
      case 5:
      case 6:
        if (!vars_.empty()) values_.push_back(k_.get(any(vars_)));
        return;
      case 7: return memory();
      case 8: values_.push_back(k_.let(word())); return;
      case 9: return jump();
      case 10:
      case 11: {
        const BlockId then = block(depth - 1);
        const BlockId other = chance(50) ? block(depth - 1) : kNone<BlockId>;
        return k_.if_(flag(), then, other);
      }
      case 12:
      case 13: return loop(depth);
      case 14: return scope(depth);
      default: return choose(depth);
    }
  }

  void memory() {
    switch (random_() % 4) {
      case 0: values_.push_back(k_.load(Kernel::at(k_.in, word()))); return;
      case 1: values_.push_back(k_.load(Kernel::member(k_.params, 0))); return;
      case 2: values_.push_back(k_.load(Kernel::at(mine_, word()))); return;
      default: return k_.store(Kernel::at(mine_, word()), word());
    }
  }

  void jump() {
    if (chance(30)) return;
    const BlockId skipped = k_.block([&] {
      switch (random_() % 4) {
        case 0:
          if (breakable_) return k_.break_();
          break;
        case 1:
          if (repeatable_) return k_.continue_();
          break;
        case 2:
          if (!scopes_.empty()) return k_.leave(any(scopes_));
          break;
        default: break;
      }
      if (!continuing_) k_.return_();
    });
    k_.if_(flag(), skipped);
  }

  void loop(unsigned depth) {
    const auto outer = std::tuple(breakable_, repeatable_, continuing_, scopes_);
    const VarId i = k_.var(ScalarType::u32);
    breakable_ = repeatable_ = true;
    const BlockId body = k_.block([&] {
      if (chance(70)) k_.when(k_.op(Op::ge, {k_.get(i), word()}), [&] { k_.break_(); });
      fill(depth - 1);
    });
    breakable_ = repeatable_ = false;
    continuing_ = true;
    scopes_.clear();
    ExprId leaves = kNone<ExprId>;
    const BlockId next = k_.block([&] {
      k_.set(i, k_.op(Op::add, {k_.get(i), k_.u32(1)}));
      if (chance(30)) fill(depth - 1);
      if (chance(50)) leaves = k_.op(Op::ge, {k_.get(i), word()});
    });
    std::tie(breakable_, repeatable_, continuing_, scopes_) = outer;
    k_.loop(body, next, leaves);
  }

  void scope(unsigned depth) {
    const BlockId id = k_.open();
    scopes_.push_back(id);
    fill(depth - 1);
    scopes_.pop_back();
    k_.close();
    k_.scope(id);
  }

  void choose(unsigned depth) {
    const bool outer = breakable_;
    breakable_ = true;
    const BlockId one = block(depth - 1);
    const BlockId other = block(depth - 1);
    breakable_ = outer;
    k_.switch_(word(), {{{0, 2}, one}}, other);
  }

  std::mt19937 random_;
  Kernel k_;
  BufferId mine_ = {};
  std::vector<ExprId> values_;
  std::vector<VarId> vars_;
  std::vector<BlockId> scopes_;
  bool breakable_ = false;
  bool repeatable_ = false;
  bool continuing_ = false;
};

/// Steps of a run, after which it is of no use.
constexpr std::uint64_t kMaxSteps = 20'000;

/// True if the interpreter sees a barrier that some invocation of a workgroup does not reach.
bool diverges(Program program) {
  program.workgroup = {5, 1, 1};
  std::array<std::uint32_t, 4> in = {1, 0, 3, 2};
  std::array<std::uint32_t, 2> params = {1, 0};
  std::vector<interpreter::BufferBytes> buffers(program.buffers.size());
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    if (program.buffers[i].name == "in")
      buffers[i] = {std::as_writable_bytes(std::span(in)), in.size()};
    if (program.buffers[i].name == "params")
      buffers[i] = {std::as_writable_bytes(std::span(params)), 1};
  }
  interpreter::RunInputs inputs;
  inputs.grid = inputs.logical_grid = {3, 1, 1};
  inputs.buffers = buffers;
  inputs.max_steps = kMaxSteps;
  return interpreter::interpret(program, inputs).divergence.has_value();
}

TEST(LockstepTest, NoDivergentBarrierIsEverAccepted) {
  unsigned accepted = 0;
  unsigned divergent = 0;
  for (std::uint32_t seed = 0; seed < 4000; ++seed) {
    const Program program = Author(seed).write();
    const Codes faults = faults_of(program);
    for (const std::string& code : faults)
      ASSERT_EQ(code, "divergent-barrier") << "seed " << seed;
    const bool diverged = diverges(program);
    ASSERT_FALSE(diverged && faults.empty()) << "seed " << seed << "\n" << dump(program);
    accepted += faults.empty() ? 1u : 0u;
    divergent += diverged ? 1u : 0u;
  }
  EXPECT_GT(accepted, 400u);
  EXPECT_GT(divergent, 400u);
  RecordProperty("accepted", static_cast<int>(accepted));
  RecordProperty("divergent", static_cast<int>(divergent));
}

}  // namespace
}  // namespace vyre
