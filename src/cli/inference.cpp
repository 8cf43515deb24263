// SPDX-License-Identifier: MIT OR Apache-2.0
#include "cli/inference.h"

#include <algorithm>

#include "ir/visit.h"

namespace vyre::cli {
namespace {

bool reads(const Program& program, Builtin builtin) {
  return std::any_of(program.exprs.begin(), program.exprs.end(), [&](const Expr& expr) {
    return expr.kind == ExprKind::builtin && expr.builtin == builtin;
  });
}

/// Whether expressions come from the length of a buffer, through values and variables.
class Lengths {
 public:
  explicit Lengths(const Program& program) : program_(program) {
    for (bool more = true; more;) {
      more = false;
      for (const Stmt& stmt : program.stmts)
        more = note(stmt) || more;
    }
  }

  [[nodiscard]] bool has(ExprId id) const {
    if (id == kNone<ExprId>) return false;
    const Expr& expr = program_[id];
    if (expr.kind == ExprKind::length) return true;
    if (expr.kind == ExprKind::value) return values_[index(expr.value)];
    return expr.kind == ExprKind::operation &&
           std::any_of(expr.operands.begin(), expr.operands.end(),
                       [this](ExprId operand) { return has(operand); });
  }

 private:
  /// True if something new came to light.
  bool note(const Stmt& stmt) {
    const auto mark = [](std::vector<bool>& known, std::size_t i, bool now) {
      const bool is_new = now && !known[i];
      if (is_new) known[i] = true;
      return is_new;
    };
    return std::visit(
        overloaded{
            [&](const Let& s) { return mark(values_, index(s.result), has(s.value)); },
            [&](const Get& s) { return mark(values_, index(s.result), vars_[index(s.var)]); },
            [&](const Set& s) { return mark(vars_, index(s.var), has(s.value)); },
            [&](const Var& s) { return mark(vars_, index(s.var), has(s.init)); },
            [](const auto&) { return false; }},
        stmt);
  }

  const Program& program_;
  std::vector<bool> values_ = std::vector<bool>(program_.values.size());
  std::vector<bool> vars_ = std::vector<bool>(program_.vars.size());
};

/// Looks for a loop that ends when a buffer does.
struct LoopFinder {
  const Program& program;
  Lengths lengths{program};
  int loops = 0;
  bool any = false;
  bool found = false;

  void statement(StmtId id) {
    const Stmt& stmt = program[id];
    if (const auto* loop = std::get_if<Loop>(&stmt)) {
      ++loops;
      any = true;
      found = found || lengths.has(loop->break_if);
    }
    const auto* test = std::get_if<If>(&stmt);
    if (test == nullptr || loops == 0) return;
    const bool leaves = ends(test->then_block) || ends(test->else_block);
    found = found || (leaves && lengths.has(test->condition));
  }
  void after(StmtId id) {
    if (std::holds_alternative<Loop>(program[id])) --loops;
  }

  [[nodiscard]] bool ends(BlockId block) const {
    if (block == kNone<BlockId> || program[block].stmts.empty()) return false;
    const Stmt& last = program[program[block].stmts.back()];
    return std::holds_alternative<Break>(last) || std::holds_alternative<Return>(last) ||
           std::holds_alternative<Leave>(last);
  }
};

}  // namespace

BufferUse buffer_use(const Program& program) {
  BufferUse use{std::vector<bool>(program.buffers.size()),
                std::vector<bool>(program.buffers.size())};
  for (const Stmt& stmt : program.stmts) {
    const MemoryRef* const memory = memory_of(stmt);
    if (memory == nullptr) continue;
    const bool atomic = std::holds_alternative<Atomic>(stmt);
    const bool store = std::holds_alternative<Store>(stmt);
    if (store || atomic) use.written[index(memory->buffer)] = true;
    if (!store) use.read[index(memory->buffer)] = true;
  }
  return use;
}

bool reads_what_it_writes(const Program& program) {
  const BufferUse use = buffer_use(program);
  for (std::size_t i = 0; i < program.buffers.size(); ++i) {
    if (program.buffers[i].space == Space::storage && use.read[i] && use.written[i]) return true;
  }
  return false;
}

std::string against_inference(const Program& program) {
  const bool is_single = program.workgroup == std::array<std::uint32_t, 3>{1, 1, 1};
  if (!is_single) return {};
  if (reads(program, Builtin::workgroup_id)) return "reads workgroup_id";
  // Else what one workgroup does changes nothing for the others.
  if (!reads_what_it_writes(program)) return {};
  LoopFinder finder{program};
  walk(program, finder);
  if (finder.any && !reads(program, Builtin::global_id))
    return "loops and reads no global_invocation_id, so that each of them would do all of the work";
  return finder.found ? "loops over a whole buffer" : "";
}

}  // namespace vyre::cli
