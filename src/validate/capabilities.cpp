// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <array>

#include "ir/visit.h"
#include "validate/validate.h"

namespace vyre {
namespace {

class Needs {
 public:
  explicit Needs(const Program& program) : program_(program) {}

  std::vector<Capability> run() && {
    layouts();
    for (const ScalarType type : program_.values)
      need(type);
    for (const ScalarType type : program_.vars)
      need(type);
    walk(program_, *this);
    std::vector<Capability> result;
    for (std::size_t i = 0; i < needed_.size(); ++i)
      if (needed_[i]) result.push_back(static_cast<Capability>(i));
    return result;
  }

  void statement(StmtId id) {
    const Stmt& stmt = program_[id];
    if (std::holds_alternative<Subgroup>(stmt)) need(Capability::subgroups);
    for_each_operand(stmt, [&](ExprId e) { expression(e); });
  }

 private:
  void need(Capability capability) { needed_[static_cast<std::size_t>(capability)] = true; }
  void need(ScalarType type) {
    if (const auto capability = capability_of(type)) need(*capability);
  }

  /// The layouts that buffers have; whole ones come after their parts.
  void layouts() {
    std::vector<bool> used(program_.layouts.size());
    for (const BufferDecl& buffer : program_.buffers)
      used[index(buffer.layout)] = true;
    for (std::size_t i = used.size(); i-- > 0;) {
      const Layout& layout = program_.layouts[i];
      if (!used[i]) continue;
      if (layout.kind <= LayoutKind::vector) need(layout.scalar);
      if (layout.kind == LayoutKind::array) used[index(layout.element)] = true;
      for (const Layout::Member& member : layout.members)
        used[index(member.layout)] = true;
    }
  }

  /// Recursion is bounded by kMaxExprDepth.
  void expression(ExprId id) {
    const Expr& expr = program_[id];
    need(expr.type);
    if (expr.kind == ExprKind::builtin && expr.builtin >= Builtin::lane)
      need(Capability::subgroups);
    if (expr.kind != ExprKind::operation) return;
    for (std::size_t i = 0; i < info(expr.op).arity; ++i)
      expression(expr.operands[i]);
  }

  const Program& program_;
  std::array<bool, 3> needed_ = {};
};

}  // namespace

std::vector<Capability> needed_capabilities(const Program& program) {
  return Needs(program).run();
}

}  // namespace vyre
