// SPDX-License-Identifier: MIT OR Apache-2.0
#include "lower/loop_budget.h"

#include <algorithm>

#include "analysis/divergence.h"
#include "ir/visit.h"

namespace vyre {
namespace {

constexpr std::uint64_t kEndless = ~std::uint64_t{0};
constexpr std::uint64_t kSmallPart = 128;  // of the limit: a loop that is not worth counting
constexpr std::uint64_t kWidest = 16;      // lanes of a vector

std::uint64_t sum(std::uint64_t a, std::uint64_t b) {
  return a > kEndless - b ? kEndless : a + b;
}
std::uint64_t product(std::uint64_t a, std::uint64_t b) {
  return a != 0 && b > kEndless / a ? kEndless : a * b;
}

StmtId stmt_at(std::size_t i) {
  return static_cast<StmtId>(static_cast<std::uint32_t>(i));
}

/// The turns of all loops, in one run of each loop and of the program.
struct Totals {
  const Program& program;
  const LoopTurns& turns;
  std::vector<std::uint64_t> total;            ///< by statement: of the loop and those in it
  std::vector<StmtId> outer;                   ///< by statement: the loop around
  std::vector<std::uint64_t> open_sums = {0};  ///< the first: of the program
  std::vector<StmtId> open = {kNone<StmtId>};

  Totals(const Program& p, const LoopTurns& t)
      : program(p), turns(t), total(p.stmts.size()), outer(p.stmts.size(), kNone<StmtId>) {
    walk(p, *this);
  }
  void statement(StmtId id) {
    if (!std::holds_alternative<Loop>(program[id])) return;
    outer[index(id)] = open.back();
    open.push_back(id);
    open_sums.push_back(0);
  }
  void after(StmtId id) {
    if (!std::holds_alternative<Loop>(program[id])) return;
    const std::uint64_t inner = open_sums.back();
    open_sums.pop_back();
    open.pop_back();
    total[index(id)] = product(turns.turns(id).value_or(kEndless), sum(1, inner));
    open_sums.back() = sum(open_sums.back(), total[index(id)]);
  }
};

/// The turns of loops that zero workgroup memory, at most.
std::uint64_t turns_of_zeroing(const Program& program) {
  const std::uint64_t lanes =
      std::uint64_t{program.workgroup[0]} * program.workgroup[1] * program.workgroup[2];
  std::uint64_t turns = 0;
  for (const BufferDecl& buffer : program.buffers)
    if (buffer.space == Space::workgroup) turns += program.layout(buffer).size / 4 / lanes + 2;
  return turns;
}

}  // namespace

LoopBudget::LoopBudget(const Program& program, const Target& target)
    : counts_(program.stmts.size()), allowed_(target.endless_turns) {
  const auto is_loop = [](const Stmt& stmt) { return std::holds_alternative<Loop>(stmt); };
  if (std::none_of(program.stmts.begin(), program.stmts.end(), is_loop)) return;
  const std::uint64_t grid = target.fold != Fold::none ? ~std::uint64_t{0} : target.max_grid;
  const LoopTurns turns(program, {.grid = grid, .buffer_bytes = target.max_buffer_bytes});
  if (target.loop_turns < target.endless_turns)
    share_out(program, turns, target.loop_turns);
  else
    count_open_ones(program, turns);
}

void LoopBudget::count_open_ones(const Program& program, const LoopTurns& turns) {
  for (std::size_t i = 0; i < program.stmts.size(); ++i) {
    if (!std::holds_alternative<Loop>(program.stmts[i]) || turns.ends(stmt_at(i))) continue;
    counts_[i] = LoopCount{.turns = allowed_};
    any_ = true;
  }
}

void LoopBudget::share_out(const Program& program, const LoopTurns& turns, std::uint64_t limit) {
  allowed_ = static_cast<std::uint32_t>(limit);
  const Totals totals(program, turns);
  const std::uint64_t zeroing = turns_of_zeroing(program);
  if (sum(totals.open_sums.front(), zeroing) <= limit) return;

  // What small loops may take is set aside; where that is too much, all loops count.
  std::uint64_t small = limit / kSmallPart;
  std::uint64_t aside = 0;
  for (std::size_t i = 0; i < program.stmts.size(); ++i)
    if (totals.outer[i] == kNone<StmtId> && totals.total[i] <= small) aside += totals.total[i];
  if (aside > limit / 4) small = aside = 0;
  // The driver may end a loop in the turn that uses its limit up.
  aside += zeroing + 1;
  const std::uint64_t budget = aside < limit ? limit - aside : 0;
  const auto counts = [&](std::size_t i) { return totals.total[i] > small; };

  const Divergence divergence(program);
  std::uint64_t together = 0;
  std::uint64_t apart = 0;
  std::vector<std::uint64_t> weights(program.stmts.size(), 1);
  for (std::size_t i = 0; i < program.stmts.size(); ++i) {
    const StmtId outer = totals.outer[i];
    if (counts(i))
      ++(divergence.is_divergent(stmt_at(i)) ? apart : together);
    else if (outer != kNone<StmtId>)
      weights[index(outer)] = sum(weights[index(outer)], totals.total[i]);
  }
  const std::uint64_t shared = apart == 0 ? budget : together == 0 ? 0 : budget / 2;
  for (std::size_t i = 0; i < program.stmts.size(); ++i) {
    if (!counts(i)) continue;
    LoopCount count;
    count.shared = !divergence.is_divergent(stmt_at(i));
    count.once = totals.outer[i] == kNone<StmtId>;
    std::uint64_t own = count.shared ? shared : (budget - shared) / apart;
    if (!count.shared && !count.once) own /= kWidest;
    count.turns = static_cast<std::uint32_t>(own);
    count.weight = static_cast<std::uint32_t>(std::min(weights[i], limit));
    counts_[i] = count;
    any_ = true;
  }
}

}  // namespace vyre
