// SPDX-License-Identifier: MIT OR Apache-2.0
#include "emit/statements.h"

#include "base/check.h"
#include "emit/expression.h"
#include "ir/visit.h"

namespace vyre {
namespace {

bool is_jump(const Stmt& stmt) {
  return std::holds_alternative<Break>(stmt) || std::holds_alternative<Continue>(stmt) ||
         std::holds_alternative<Return>(stmt) || std::holds_alternative<Leave>(stmt);
}

/// The visitor of `walk`.
class Body {
 public:
  Body(const Program& program, Dialect& dialect, TextWriter& out)
      : program_(program), dialect_(dialect), out_(out) {}

  void enter(BlockId block, StmtId parent) {
    if (dead_ > 0) {
      ++dead_;
      return;
    }
    if (parent == kNone<StmtId>) return;
    if (const auto* branch = std::get_if<If>(&program_[parent])) {
      if (block == branch->else_block) out_.line("} else {");
    } else if (block == std::get<Loop>(program_[parent]).continuing) {
      out_.line(dialect_.continuing_head());
    }
    out_.indent();
  }

  void statement(StmtId id) {
    if (dead_ > 0) return;
    const Stmt& stmt = program_[id];
    if (const auto* branch = std::get_if<If>(&stmt)) {
      out_.line("if (", whole(branch->condition), ") {");
    } else if (std::holds_alternative<Loop>(stmt)) {
      out_.line(dialect_.loop_head());
    } else {
      dialect_.statement(stmt, out_);
    }
    if (is_jump(stmt)) dead_ = 1;
  }

  void exit(BlockId block, StmtId parent) {
    if (dead_ > 0 && --dead_ > 0) return;
    if (parent == kNone<StmtId>) return;
    if (const auto* loop = std::get_if<Loop>(&program_[parent]))
      exit_loop_block(*loop, block);
    else
      out_.dedent();
  }

  void after(StmtId id) {
    if (dead_ > 0) return;
    if (std::holds_alternative<If>(program_[id])) out_.line("}");
  }

 private:
  /// The continuing part stands inside the loop's braces, after the body.
  void exit_loop_block(const Loop& loop, BlockId block) {
    const bool has_continuing = loop.continuing != kNone<BlockId>;
    const bool exits = loop.break_if != kNone<ExprId>;
    if (block == loop.body && has_continuing) return;
    if (!has_continuing && exits) {
      out_.line(dialect_.continuing_head());
      out_.indent();
    }
    if (exits) out_.line(dialect_.break_if(whole(loop.break_if)));
    if (has_continuing || exits) {
      out_.dedent();
      out_.line("}");
    }
    out_.dedent();
    out_.line("}");
  }

  [[nodiscard]] std::string whole(ExprId id) const { return print_whole(program_, dialect_, id); }

  const Program& program_;
  Dialect& dialect_;
  TextWriter& out_;
  std::size_t dead_ = 0;  ///< blocks that are open since the jump, the jump's own included
};

}  // namespace

void print_body(const Program& program, Dialect& dialect, TextWriter& out) {
  walk(program, Body(program, dialect, out));
}

}  // namespace vyre
