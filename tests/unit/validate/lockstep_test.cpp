// SPDX-License-Identifier: MIT OR Apache-2.0
#include <array>
#include <optional>
#include <random>

#include <gtest/gtest.h>

#include "ir/eval.h"
#include "ir/visit.h"
#include "support.h"

// The uniformity analysis against brute force: random programs are run lane by lane, each lane
// noting the barriers it meets.  Where the lanes of a workgroup meet different ones, the program
// must have been refused.
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

/// One invocation, run by itself: no memory is shared that anything writes.
class Lane {
 public:
  Lane(const Program& program, std::uint32_t lane, std::uint32_t group)
      : program_(program),
        lane_(lane),
        group_(group),
        values_(program.values.size()),
        vars_(program.vars.size()) {
    run(program.body);
  }

  [[nodiscard]] const std::vector<StmtId>& barriers() const { return barriers_; }
  [[nodiscard]] bool finished() const { return fuel_ > 0; }

 private:
  /// Where control goes after a statement.
  enum class Way : std::uint8_t { on, leave, break_, continue_, end };

  std::uint64_t eval(ExprId id) {
    const Expr& e = program_[id];
    switch (e.kind) {
      case ExprKind::constant: return e.bits;
      case ExprKind::builtin: return e.builtin == Builtin::workgroup_id ? group_ : lane_;
      case ExprKind::value: return values_[index(e.value)];
      case ExprKind::length:
      case ExprKind::launch: return 0;
      case ExprKind::operation: break;
    }
    std::array<std::uint64_t, 3> operands = {};
    std::array<ScalarType, 3> types = {};
    const std::size_t arity = info(e.op).arity;
    for (std::size_t i = 0; i < arity; ++i) {
      operands[i] = eval(e.operands[i]);
      types[i] = program_[e.operands[i]].type;
    }
    return vyre::eval(e.op, e.type, {types.data(), arity}, {operands.data(), arity});
  }

  Way run(BlockId block) {
    for (const StmtId id : program_[block].stmts) {
      if (fuel_ == 0 || --fuel_ == 0) return Way::end;
      const Way way = std::visit([&](const auto& s) { return run(id, s); }, program_[id]);
      if (way != Way::on) return way;
    }
    return Way::on;
  }

  Way bind(ValueId id, std::uint64_t value) {
    values_[index(id)] = value;
    return Way::on;
  }
  std::optional<std::uint64_t> element(const MemoryRef& ref) {
    const Step& step = ref.path.front();
    const std::uint64_t i = step.kind == Step::Kind::index ? eval(step.index) : step.member;
    return i < 4 ? std::optional(i) : std::nullopt;
  }

  Way run(StmtId, const Let& s) { return bind(s.result, eval(s.value)); }
  Way run(StmtId, const Get& s) { return bind(s.result, vars_[index(s.var)]); }
  Way run(StmtId, const Var& s) {
    vars_[index(s.var)] = s.init == kNone<ExprId> ? 0 : eval(s.init);
    return Way::on;
  }
  Way run(StmtId, const Set& s) {
    vars_[index(s.var)] = eval(s.value);
    return Way::on;
  }
  Way run(StmtId, const Load& s) {
    const auto i = element(s.from);
    if (!i) return bind(s.first, 0);
    if (program_[s.from.buffer].space == Space::local) return bind(s.first, mine_[*i]);
    return bind(s.first, (*i * 3 + 1) % 4);
  }
  Way run(StmtId, const Store& s) {
    if (const auto i = element(s.to)) mine_[*i] = eval(s.values[0]);
    return Way::on;
  }
  Way run(StmtId id, const Barrier&) {
    barriers_.push_back(id);
    return Way::on;
  }
  Way run(StmtId, const If& s) {
    if (eval(s.condition) != 0) return run(s.then_block);
    return s.else_block == kNone<BlockId> ? Way::on : run(s.else_block);
  }
  Way run(StmtId, const Switch& s) {
    BlockId chosen = s.default_block;
    for (const Case& c : s.cases)
      for (const std::uint32_t v : c.values)
        if (v == eval(s.selector)) chosen = c.block;
    const Way way = run(chosen);
    return way == Way::break_ ? Way::on : way;
  }
  Way run(StmtId, const Loop& s) {
    while (fuel_ > 0) {
      const Way body = run(s.body);
      if (body == Way::break_) return Way::on;
      if (body == Way::leave || body == Way::end) return body;
      if (s.continuing != kNone<BlockId>) run(s.continuing);
      if (s.break_if != kNone<ExprId> && eval(s.break_if) != 0) return Way::on;
      if (fuel_ > 0) --fuel_;
    }
    return Way::end;
  }
  Way run(StmtId, const Scope& s) {
    const Way way = run(s.body);
    return way == Way::leave && target_ == s.body ? Way::on : way;
  }
  Way run(StmtId, const Leave& s) {
    target_ = s.target;
    return Way::leave;
  }
  Way run(StmtId, const Break&) { return Way::break_; }
  Way run(StmtId, const Continue&) { return Way::continue_; }
  Way run(StmtId, const Return&) { return Way::end; }
  // Programs of `Author` have none of these.
  Way run(StmtId, const Atomic&) { return Way::end; }
  Way run(StmtId, const UniformLoad&) { return Way::end; }
  Way run(StmtId, const Subgroup&) { return Way::end; }
  Way run(StmtId, const Trap&) { return Way::end; }

  const Program& program_;
  std::uint32_t lane_;
  std::uint32_t group_;
  std::vector<std::uint64_t> values_;
  std::vector<std::uint64_t> vars_;
  std::array<std::uint64_t, 4> mine_ = {};
  std::vector<StmtId> barriers_;
  BlockId target_ = {};
  unsigned fuel_ = 2000;
};

/// True if the lanes met different barriers.  A lane whose fuel ran out might have met more.
bool disagree(const Lane& a, const Lane& b) {
  const std::size_t common = std::min(a.barriers().size(), b.barriers().size());
  if (!std::equal(a.barriers().begin(), a.barriers().begin() + static_cast<std::ptrdiff_t>(common),
                  b.barriers().begin()))
    return true;
  return (a.finished() && b.barriers().size() > common) ||
         (b.finished() && a.barriers().size() > common);
}

bool diverges(const Program& program) {
  for (std::uint32_t group = 0; group < 3; ++group) {
    const Lane first(program, 0, group);
    for (std::uint32_t lane = 1; lane < 5; ++lane)
      if (disagree(first, Lane(program, lane, group))) return true;
  }
  return false;
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
