// SPDX-License-Identifier: MIT OR Apache-2.0
#include "backend/cpu/forms.h"

#include <cstddef>
#include <variant>

#include "vyre/op.h"

#include "backend/cpu/hoists.h"
#include "ir/visit.h"

namespace vyre::cpu {

/// One walk that finds what is wanted in all lanes.
class FormScan {
 public:
  explicit FormScan(Forms& forms) : program_(forms.program_), forms_(forms) {
    walk(program_, *this);
    for (const Get* get : gets_)
      if (forms.is_full(get->result)) forms.full_vars_[index(get->var)] = true;
  }

  void statement(StmtId id) {
    std::visit([&](const auto& s) { look_at(s); }, program_[id]);
  }

 private:
  void look_at(const Let& s) { keep(s.value); }
  void look_at(const Get& s) { gets_.push_back(&s); }
  void look_at(const Var& s) {
    if (s.init != kNone<ExprId>) bind(s.var, s.init);
  }
  void look_at(const Set& s) { bind(s.var, s.value); }
  void look_at(const Load& s) { path(s.from); }
  void look_at(const UniformLoad& s) { path(s.from); }
  void look_at(const Store& s) {
    path(s.to);
    for (const ExprId value : s.values)
      fill(value);
  }
  void look_at(const Atomic& s) {
    path(s.on);
    fill(s.value);
    fill(s.comparand);
  }
  void look_at(const If& s) { decide(s.condition); }
  void look_at(const Loop& s) { decide(s.break_if); }
  void look_at(const Switch& s) { keep(s.selector); }
  void look_at(const Subgroup& s) {
    fill(s.value);
    fill(s.argument);
  }
  void look_at(const Trap& s) { fill(s.value); }
  template <typename S>
  void look_at(const S&) {}

  void path(const MemoryRef& ref) {
    for (const Step& step : ref.path)
      if (step.kind == Step::Kind::index) locate(step.index);
  }
  /// A register and a seed are added where the access is.
  void locate(ExprId id) {
    const Expr& expr = program_[id];
    if (expr.kind != ExprKind::operation || expr.op != Op::add) return keep(id);
    keep(expr.operands[0]);
    keep(expr.operands[1]);
  }
  void bind(VarId var, ExprId value) { forms_.is_seed(var) ? keep(value) : fill(value); }
  /// As a seed, if it is one.
  void keep(ExprId id) {
    if (!forms_.is_seed(id)) fill(id);
  }
  void decide(ExprId id) {
    if (id == kNone<ExprId> || forms_.compares_seeds(id)) return;
    const Expr& expr = program_[id];
    if (expr.kind != ExprKind::operation ||
        (expr.op != Op::logical_not && expr.op != Op::logical_or && expr.op != Op::logical_and))
      return keep(id);
    for (const ExprId operand : expr.operands)
      decide(operand);
  }
  /// In all lanes.  Recursion is bounded by kMaxExprDepth, here and in `decide`.
  void fill(ExprId id) {
    if (id == kNone<ExprId>) return;
    const Expr& expr = program_[id];
    if (expr.kind == ExprKind::value) forms_.full_values_[index(expr.value)] = true;
    if (expr.kind != ExprKind::operation) return;
    forms_.full_exprs_[index(id)] = true;
    if (forms_.is_seed(id) && !keeps_word(expr, program_[expr.operands[0]].type)) return;
    for (const ExprId operand : expr.operands)
      fill(operand);
  }

  const Program& program_;
  Forms& forms_;
  std::vector<const Get*> gets_;
};

Forms::Forms(const Program& program, const Shapes& shapes)
    : program_(program),
      shapes_(shapes),
      full_exprs_(program.exprs.size()),
      full_values_(program.values.size()),
      full_vars_(program.vars.size()) {
  FormScan(*this);
}

bool Forms::compares_seeds(ExprId id) const {
  const Expr& expr = program_[id];
  return expr.kind == ExprKind::operation && info(expr.op).typing == Typing::ordering &&
         program_[expr.operands[0]].type != ScalarType::f32 && !is_seed(id) &&
         is_seed(expr.operands[0]) && is_seed(expr.operands[1]);
}

}  // namespace vyre::cpu
