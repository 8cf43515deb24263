// SPDX-License-Identifier: MIT OR Apache-2.0
#include "backend/cpu/shapes.h"

#include <algorithm>
#include <array>
#include <span>
#include <variant>

#include "backend/cpu/hoists.h"
#include "backend/cpu/kernels.h"
#include "ir/visit.h"

namespace vyre::cpu {
namespace {

/// Steps are so small that a strip cannot step over the whole range of a word.
constexpr std::int64_t kMaxStep = 1 << 16;

Shape with_step(bool needs_line, std::int64_t step) {
  if (step < -kMaxStep || step > kMaxStep) return {};
  return {.known = true, .needs_line = needs_line, .step = static_cast<std::int32_t>(step)};
}

constexpr Shape kFixed{.known = true, .is_fixed = true};

bool is_integer_word(ScalarType type) {
  return type == ScalarType::u32 || type == ScalarType::i32;
}

}  // namespace

/// One walk: values in order, variables as they were found before.
class ShapeScan {
 public:
  ShapeScan(const Program& program,
            const Lifetimes& lifetimes,
            const std::vector<bool>& fixed,
            Shapes& shapes,
            bool is_first)
      : program_(program),
        lifetimes_(lifetimes),
        fixed_(fixed),
        shapes_(shapes),
        is_first_(is_first) {
    walk(program, *this);
  }
  void statement(StmtId id) {
    std::visit([&](const auto& s) { look_at(s, id); }, program_[id]);
  }
  /// Something that was believed of a variable does not hold.
  [[nodiscard]] bool is_disproved() const { return disproved_; }

 private:
  void look_at(const Let& s, StmtId) { value(s.result) = shapes_.look_at(s.value); }
  void look_at(const Get& s, StmtId) { value(s.result) = shapes_.vars_[index(s.var)]; }
  void look_at(const UniformLoad& s, StmtId) { bind(s.first, s.from.count, {.known = true}); }
  /// Lanes that look at one place at one time see the same.
  void look_at(const Load& s, StmtId) {
    Shape shape{.known = program_[s.from.buffer].space != Space::local};
    for (const Step& step : s.from.path) {
      if (step.kind != Step::Kind::index) continue;
      const Shape at = shapes_.look_at(step.index);
      shape.known &= at.is_uniform();
      shape.needs_line |= at.needs_line;
    }
    bind(s.first, s.from.count, shape);
  }
  void look_at(const Var& s, StmtId) {
    const Shape init = s.init != kNone<ExprId>
                           ? shapes_.look_at(s.init)
                           : Shape{.known = !is_wide(program_.vars[index(s.var)])};
    if (is_first_)
      shapes_.vars_[index(s.var)] = {init.known, init.needs_line, false, init.step};
    else
      narrow(shapes_.vars_[index(s.var)], init);
  }
  /// Lanes that miss a set but not what comes after would hold something older.
  void look_at(const Set& s, StmtId id) {
    narrow(shapes_.vars_[index(s.var)],
           lifetimes_.may_overwrite(id) ? shapes_.look_at(s.value) : Shape{});
  }
  template <typename S>
  void look_at(const S&, StmtId) {}

  void bind(ValueId first, std::uint32_t count, const Shape& shape) {
    for (std::uint32_t i = index(first); i < index(first) + count; ++i)
      if (!fixed_[i]) shapes_.values_[i] = is_wide(program_.values[i]) ? Shape{} : shape;
  }
  Shape& value(ValueId id) { return shapes_.values_[index(id)]; }
  void narrow(Shape& believed, const Shape& found) {
    if (!believed.known) return;
    Shape next = believed;
    if (!found.known || found.step != believed.step) next = {};
    next.needs_line |= found.needs_line;
    disproved_ |= next.known != believed.known || next.needs_line != believed.needs_line;
    believed = next;
  }

  const Program& program_;
  const Lifetimes& lifetimes_;
  const std::vector<bool>& fixed_;
  Shapes& shapes_;
  const bool is_first_;
  bool disproved_ = false;
};

Shapes::Shapes(const Program& program,
               const Lifetimes& lifetimes,
               const std::vector<bool>& fixed,
               bool mixes_groups)
    : program_(program),
      mixes_groups_(mixes_groups),
      exprs_(program.exprs.size()),
      values_(program.values.size()),
      vars_(program.vars.size()) {
  constexpr int kMostWalks = 4;
  for (std::size_t i = 0; i < fixed.size(); ++i)
    if (fixed[i]) values_[i] = kFixed;
  // A variable is believed to keep the shape that it begins with, until a set says otherwise.
  bool disproved = true;
  for (int i = 0; i < kMostWalks && disproved; ++i)
    disproved = ShapeScan(program, lifetimes, fixed, *this, i == 0).is_disproved();
  if (disproved) {
    std::fill(vars_.begin(), vars_.end(), Shape{});
    ShapeScan(program, lifetimes, fixed, *this, false);
  }
  for (std::size_t i = 0; i < exprs_.size(); ++i)  // users come after their operands
    exprs_[i] = of(program.exprs[i]);
}

Shape Shapes::look_at(ExprId id) {
  const Expr& expr = program_[id];
  for (const ExprId operand : expr.operands)
    if (operand != kNone<ExprId>) look_at(operand);
  return exprs_[index(id)] = of(expr);
}

Shape Shapes::of(const Expr& expr) const {
  if (is_wide(expr.type)) return {};  // two registers, of which nothing is known
  switch (expr.kind) {
    case ExprKind::constant:
    case ExprKind::length:
    case ExprKind::launch: return kFixed;
    case ExprKind::builtin: return of_builtin(expr);
    case ExprKind::value: return values_[index(expr.value)];
    case ExprKind::operation: return of_operation(expr);
  }
  return {};
}

Shape Shapes::of_builtin(const Expr& expr) const {
  const auto& size = program_.workgroup;
  const bool is_row = size[1] == 1 && size[2] == 1;
  const Shape along{.known = true, .needs_line = mixes_groups_, .step = expr.component == 0};
  switch (expr.builtin) {
    case Builtin::num_workgroups:
    case Builtin::subgroup_size: return kFixed;
    case Builtin::workgroup_id: return {.known = !mixes_groups_};
    case Builtin::local_index: return {.known = !mixes_groups_, .step = 1};
    case Builtin::local_id: return is_row && !mixes_groups_ ? along : Shape{};
    case Builtin::global_id: return is_row ? along : Shape{};
    case Builtin::lane: return {};
  }
  return {};
}

Shape Shapes::of_operation(const Expr& expr) const {
  const std::span operands(expr.operands.data(), info(expr.op).arity);
  std::array<Shape, 3> in;
  bool is_uniform = true;
  bool is_fixed = expr.type != ScalarType::f16;
  bool needs_line = false;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    in[i] = of(operands[i]);
    if (!in[i].known) return {};
    is_uniform &= in[i].is_uniform();
    is_fixed &= in[i].is_fixed && program_[operands[i]].type != ScalarType::f16;
    needs_line |= in[i].needs_line;
  }
  if (is_fixed) return kFixed;
  if (is_uniform) return with_step(needs_line, 0);
  if (keeps_word(expr, program_[operands[0]].type)) return in[0];
  if (!is_integer_word(expr.type)) return {};
  const auto factor = [&](std::size_t side) -> std::int64_t {
    const Expr& by = program_[operands[side]];
    return by.kind == ExprKind::constant ? static_cast<std::int64_t>(by.bits & 0xffffffff)
                                         : kMaxStep + 1;
  };
  if (expr.op == Op::add) return with_step(needs_line, std::int64_t{in[0].step} + in[1].step);
  if (expr.op == Op::sub) return with_step(needs_line, std::int64_t{in[0].step} - in[1].step);
  if (expr.op == Op::mul && factor(1) <= kMaxStep)
    return with_step(needs_line, in[0].step * factor(1));
  if (expr.op == Op::mul && factor(0) <= kMaxStep)
    return with_step(needs_line, in[1].step * factor(0));
  if (expr.op == Op::shl && factor(1) <= 16)
    return with_step(needs_line, std::int64_t{in[0].step} << factor(1));
  return {};
}

}  // namespace vyre::cpu
