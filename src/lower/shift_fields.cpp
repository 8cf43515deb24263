// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <optional>

#include "lower/passes.h"
#include "lower/rewrite.h"

// Bits taken out of a known place are two shifts: the general operation looks at its bounds first.
namespace vyre {
namespace {

constexpr std::uint64_t kWordBits = 32;

struct Field {
  std::uint32_t left = 0;   ///< shifts out what lies above the field
  std::uint32_t right = 0;  ///< then what lies below
};

std::optional<Field> fixed_field(const Expr& expr, const Expr& offset, const Expr& count) {
  if (expr.op != Op::extract_bits || info(expr.type).bytes != 4) return std::nullopt;
  if (offset.kind != ExprKind::constant || count.kind != ExprKind::constant) return std::nullopt;
  if (count.bits == 0 || count.bits > kWordBits || offset.bits > kWordBits - count.bits)
    return std::nullopt;
  return Field{static_cast<std::uint32_t>(kWordBits - offset.bits - count.bits),
               static_cast<std::uint32_t>(kWordBits - count.bits)};
}

class FieldShifter : public Rewriter {
 public:
  explicit FieldShifter(const Program& from) : Rewriter(from), t_(to_) {}

 private:
  ExprId operation(ExprId, const Expr& expr) override {
    if (expr.op != Op::extract_bits) return to_.expr(expr);
    const auto field = fixed_field(expr, to_[expr.operands[1]], to_[expr.operands[2]]);
    if (!field) return to_.expr(expr);
    ExprId bits = expr.operands[0];
    if (field->left != 0) bits = t_.shl(bits, t_.u32(field->left));
    return field->right != 0 ? t_.shr(bits, t_.u32(field->right)) : bits;
  }

  Terms t_;
};

}  // namespace

Program shift_fields(const Program& program) {
  const bool any = std::any_of(program.exprs.begin(), program.exprs.end(), [](const Expr& expr) {
    return expr.kind == ExprKind::operation && expr.op == Op::extract_bits;
  });
  return any ? FieldShifter(program).run() : program;
}

}  // namespace vyre
