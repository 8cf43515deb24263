// SPDX-License-Identifier: MIT OR Apache-2.0
#include "lower/passes.h"
#include "lower/rewrite.h"

// An f16 is evaluated as an f32 and rounded, so that the answer is the same whatever a device makes
// of f16 arithmetic.
namespace vyre {
namespace {

constexpr auto kF16 = ScalarType::f16;
constexpr auto kF32 = ScalarType::f32;

class Widener : public Rewriter {
 public:
  explicit Widener(const Program& from) : Rewriter(from), t_(to_) {}

 private:
  ExprId operation(ExprId, const Expr& expr) override {
    if (expr.op == Op::select || expr.op == Op::bitcast) return to_.expr(expr);
    if (expr.op == Op::convert) return conversion(expr);
    Expr wide = expr;
    bool halves = expr.type == kF16;
    for (std::size_t i = 0; i < info(expr.op).arity; ++i) {
      if (to_.type(expr.operands[i]) != kF16) continue;
      halves = true;
      wide.operands[i] = t_.convert(kF32, expr.operands[i]);
    }
    if (!halves) return to_.expr(expr);
    if (expr.type != kF16) return to_.expr(wide);
    wide.type = kF32;
    return t_.convert(kF16, to_.expr(wide));
  }

  ExprId conversion(const Expr& expr) {
    const ExprId x = expr.operands[0];
    const ScalarType from = to_.type(x);
    if (from == kF16 && is_integer(expr.type)) return to_integer(expr.type, x);
    if (from == kF16 && expr.type == ScalarType::boolean)
      return t_.convert(expr.type, t_.convert(kF32, x));
    if (expr.type == kF16 && from != kF16 && from != kF32)
      return t_.convert(kF16, t_.convert(kF32, x));
    return to_.expr(expr);
  }

  /// An infinity becomes the greatest number.
  ExprId to_integer(ScalarType type, ExprId x) {
    constexpr std::uint32_t kMost = 65504;
    const bool is_signed = type == ScalarType::i32;
    const ExprId number = t_.convert(type, t_.convert(kF32, x));
    const ExprId below = t_.op(Op::min, number, to_.constant(type, kMost));
    return is_signed ? t_.op(Op::max, below, to_.constant(type, 0 - kMost)) : below;
  }

  Terms t_;
};

}  // namespace

Program widen_halves(const Program& program) {
  for (const Expr& expr : program.exprs)
    if (expr.type == kF16) return Widener(program).run();
  return program;
}

}  // namespace vyre
