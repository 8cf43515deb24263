// SPDX-License-Identifier: MIT OR Apache-2.0
#include <vector>

#include "ir/visit.h"
#include "lower/passes.h"
#include "lower/rewrite.h"

// Where a device's compiler may fuse, reorder or simplify + - *, each result that another
// operation may see is hidden from it: an exclusive-or of the bits with a word that is zero, which
// no compiler knows.  So are zero constants, since x + 0 is not x for −0, and zeros and ones that a
// choice is between: compilers turn one between 0 and −1 into the negated condition, which is −0
// where it fails, and they may know a zero that the program does not tell.
namespace vyre {
namespace {

bool is_arithmetic(const Expr& expr) {
  return expr.kind == ExprKind::operation && expr.type == kF32 &&
         (expr.op == Op::add || expr.op == Op::sub || expr.op == Op::mul);
}

/// True for operators that a compiler merges with none of their operands.
bool is_opaque(Op op) {
  return op == Op::bitcast || op == Op::convert;
}

class Hider : public Rewriter {
 public:
  explicit Hider(const Program& from) : Rewriter(from), t_(to_), exposed_(from.exprs.size(), true) {
    for (const Expr& expr : from.exprs)
      if (expr.kind == ExprKind::operation && is_opaque(expr.op))
        exposed_[index(expr.operands[0])] = false;
    for (const Stmt& stmt : from.stmts)
      if (const auto* store = std::get_if<Store>(&stmt))
        for (std::uint32_t i = 0; i < store->to.count; ++i)
          exposed_[index(store->values[i])] = false;
  }

 private:
  ExprId operation(ExprId id, const Expr& expr) override {
    if (expr.op == Op::select && expr.type == kF32) return chosen(expr);
    if (!is_arithmetic(expr)) return to_.expr(expr);
    Expr copy = expr;
    for (std::size_t i = 0; i < 2; ++i)
      if (is_zero(copy.operands[i])) copy.operands[i] = hidden(copy.operands[i]);
    if (expr.op == Op::sub && is_same_value(copy.operands[0], copy.operands[1]))
      copy.operands[1] = hidden(copy.operands[1]);
    const ExprId result = to_.expr(copy);
    return exposed_[index(id)] ? hidden(result) : result;
  }

  ExprId chosen(Expr expr) {
    for (std::size_t i = 1; i < 3; ++i)
      if (is_zero(expr.operands[i]) || is_one(expr.operands[i]))
        expr.operands[i] = hidden(expr.operands[i]);
    return to_.expr(expr);
  }
  [[nodiscard]] bool is_constant(ExprId id, std::uint32_t magnitude) const {
    return to_[id].kind == ExprKind::constant && (to_[id].bits & 0x7fffffffu) == magnitude;
  }
  [[nodiscard]] bool is_zero(ExprId id) const { return is_constant(id, 0); }
  [[nodiscard]] bool is_one(ExprId id) const { return is_constant(id, 0x3f800000u); }
  [[nodiscard]] bool is_same_value(ExprId a, ExprId b) const {
    return to_[a].kind == ExprKind::value && to_[b].kind == ExprKind::value &&
           to_[a].value == to_[b].value;
  }

  ExprId hidden(ExprId value) {
    return t_.bitcast(kF32, t_.bit_xor(t_.bits(value), to_.launch(LaunchField::zero)));
  }

  Terms t_;
  std::vector<bool> exposed_;  ///< another operation may see the result
};

}  // namespace

Program strict_float(const Program& program) {
  return Hider(program).run();
}

}  // namespace vyre
