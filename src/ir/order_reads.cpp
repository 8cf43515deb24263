// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <limits>
#include <vector>

#include "ir/assembler.h"
#include "ir/visit.h"

namespace vyre {
namespace {

constexpr std::uint32_t kUnused = std::numeric_limits<std::uint32_t>::max();

bool is_read(const Stmt& stmt) {
  return std::holds_alternative<Let>(stmt) || std::holds_alternative<Get>(stmt) ||
         std::holds_alternative<Load>(stmt);
}

/// Ranks the reads by first use, each after the reads that it uses itself.
class Ranks {
 public:
  explicit Ranks(const Program& program)
      : program_(program),
        rank_(program.stmts.size(), kUnused),
        seen_(program.exprs.size()),
        reader_(program.values.size(), kNone<StmtId>) {
    for (std::size_t i = 0; i < program.stmts.size(); ++i)
      if (is_read(program.stmts[i]))
        for_each_result(program.stmts[i], [&](ValueId first, std::uint32_t count) {
          for (std::uint32_t k = 0; k < count; ++k)
            reader_[index(first) + k] = static_cast<StmtId>(static_cast<std::uint32_t>(i));
        });
    walk(program, *this);
  }

  void statement(StmtId id) {
    if (is_read(program_[id])) return;
    for_each_operand(program_[id], [&](ExprId e) { reach(e); });
  }
  [[nodiscard]] std::uint32_t operator[](StmtId id) const { return rank_[index(id)]; }

 private:
  struct Frame {
    std::vector<ExprId> operands;
    StmtId read;  ///< ranked once its operands are
    std::size_t next = 0;
  };

  /// Depth first over operands and the reads behind values, without recursion.
  void reach(ExprId root) {
    std::vector<Frame> stack;
    push(root, stack);
    while (!stack.empty()) {
      Frame& top = stack.back();
      if (top.next < top.operands.size()) {
        push(top.operands[top.next++], stack);
        continue;
      }
      if (top.read != kNone<StmtId>) rank_[index(top.read)] = next_rank_++;
      stack.pop_back();
    }
  }

  void push(ExprId id, std::vector<Frame>& stack) {
    if (seen_[index(id)]) return;
    seen_[index(id)] = true;
    const Expr& expr = program_[id];
    Frame frame{{}, kNone<StmtId>};
    if (expr.kind == ExprKind::operation) {
      for (const ExprId operand : expr.operands)
        if (operand != kNone<ExprId>) frame.operands.push_back(operand);
    } else if (expr.kind == ExprKind::value && index(expr.value) < reader_.size()) {
      const StmtId read = reader_[index(expr.value)];
      if (read == kNone<StmtId> || rank_[index(read)] != kUnused) return;
      frame.read = read;
      for_each_operand(program_[read], [&](ExprId e) { frame.operands.push_back(e); });
    }
    stack.push_back(std::move(frame));
  }

  const Program& program_;
  std::vector<std::uint32_t> rank_;
  std::vector<bool> seen_;
  std::vector<StmtId> reader_;  ///< of each value
  std::uint32_t next_rank_ = 0;
};

void order_block(const Program& program, const Ranks& ranks, std::vector<StmtId>& stmts) {
  const auto reads = [&](StmtId id) { return is_read(program[id]); };
  for (auto run = stmts.begin(); run != stmts.end();) {
    const auto end = std::find_if_not(run, stmts.end(), reads);
    std::sort(run, end, [&](StmtId a, StmtId b) {
      return ranks[a] != ranks[b] ? ranks[a] < ranks[b] : a < b;
    });
    run = end == stmts.end() ? end : end + 1;
  }
  std::erase_if(stmts, [&](StmtId id) { return reads(id) && ranks[id] == kUnused; });
}

}  // namespace

Program order_reads(Program program) {
  const Ranks ranks(program);
  for (Block& block : program.blocks)
    order_block(program, ranks, block.stmts);
  return program;
}

}  // namespace vyre
