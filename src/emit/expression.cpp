// SPDX-License-Identifier: MIT OR Apache-2.0
#include "emit/expression.h"

#include <array>

#include "base/check.h"

namespace vyre {
namespace {

std::string parenthesised(const std::string& text) {
  return "(" + text + ")";
}

/// True if `inner` may stand bare beside an operator of group `outer`.
bool stands_bare(Group inner, Group outer, bool chains) {
  if (inner == Group::primary) return true;
  switch (outer) {
    case Group::primary:
    case Group::unary: return false;
    case Group::multiply: return inner == Group::unary || (chains && inner == Group::multiply);
    case Group::add:
      return inner == Group::unary || inner == Group::multiply || (chains && inner == Group::add);
    case Group::shift: return inner == Group::unary;
    case Group::compare:
      return inner == Group::unary || inner == Group::multiply || inner == Group::add;
    case Group::bit_and:
    case Group::bit_or:
    case Group::bit_xor: return inner == Group::unary || (chains && inner == outer);
  }
  VYRE_UNREACHABLE();
}

std::string arguments(std::span<const Text> operands) {
  std::string text;
  for (const Text& operand : operands) {
    if (!text.empty()) text += ", ";
    text += as_argument(operand);
  }
  return text;
}

Text spell(const Dialect& dialect, const Expr& expr, std::span<const Text> operands) {
  const Spelling& row = dialect.spelling(expr.op);
  const auto name = std::string(row.text);
  const auto type = [&] { return std::string(dialect.type_name(expr.type)); };
  switch (row.form) {
    case Form::prefix: return {name + as_operand(operands[0], Group::unary, false), Group::unary};
    case Form::infix:
      return {as_operand(operands[0], row.group, true) + " " + name + " " +
                  as_operand(operands[1], row.group, false),
              row.group};
    case Form::call: return {name + parenthesised(arguments(operands))};
    case Form::cast: return {type() + parenthesised(operands[0].text)};
    case Form::bitcast: return {name + "<" + type() + ">" + parenthesised(operands[0].text)};
    case Form::own: break;
  }
  VYRE_UNREACHABLE();  // `own_form` answers for these rows
}

Text print_operation(const Program& program, const Dialect& dialect, const Expr& expr) {
  std::array<Text, 3> texts;
  const std::size_t arity = info(expr.op).arity;
  for (std::size_t i = 0; i < arity; ++i)
    texts[i] = print_expression(program, dialect, expr.operands[i]);
  const auto operands = std::span(texts).first(arity);
  if (auto own = dialect.own_form(program, expr, operands)) return *std::move(own);
  return spell(dialect, expr, operands);
}

}  // namespace

std::string as_operand(const Text& inner, Group outer, bool chains) {
  return stands_bare(inner.group, outer, chains) ? inner.text : parenthesised(inner.text);
}

std::string as_argument(const Text& text) {
  return text.group == Group::compare ? parenthesised(text.text) : text.text;
}

Text print_expression(const Program& program, const Dialect& dialect, ExprId id) {
  const Expr& expr = program[id];
  switch (expr.kind) {
    case ExprKind::constant: return dialect.constant(expr.type, expr.bits);
    case ExprKind::builtin:
    case ExprKind::length:
    case ExprKind::launch:
    case ExprKind::value: return dialect.leaf(expr);
    case ExprKind::operation: return print_operation(program, dialect, expr);
  }
  VYRE_UNREACHABLE();
}

std::string print_whole(const Program& program, const Dialect& dialect, ExprId id) {
  return print_expression(program, dialect, id).text;
}

std::string print_argument(const Program& program, const Dialect& dialect, ExprId id) {
  return as_argument(print_expression(program, dialect, id));
}

}  // namespace vyre
