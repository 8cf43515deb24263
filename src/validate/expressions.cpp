// SPDX-License-Identifier: MIT OR Apache-2.0
#include "validate/expressions.h"

#include <span>

#include "ir/layout.h"

namespace vyre {
namespace {

std::string list(std::span<const ScalarType> types) {
  std::string result;
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (i != 0) result += i + 1 == types.size() ? " and " : ", ";
    result += to_string(types[i]);
  }
  return result;
}

bool has_components(Builtin builtin) {
  return builtin <= Builtin::num_workgroups;
}

bool fits(ScalarType type, std::uint64_t bits) {
  if (type == ScalarType::boolean) return bits <= 1;
  const unsigned width = 8u * info(type).bytes;
  return width >= 64 || bits >> width == 0;
}

}  // namespace

void ExpressionChecker::fault(Code code, StmtId at, std::string message) {
  inspection_.faults.add(code, at, std::move(message));
}

// Recursion is bounded by kMaxExprDepth.
void ExpressionChecker::check(StmtId at, ExprId id) {
  const Expr& expr = inspection_.program[id];
  if (!is_value_type(expr.type))
    return fault(Code::type_mismatch, at,
                 text("an expression has the type ", expr.type, ", which exists only in memory"));
  if (expr.kind != ExprKind::operation) return check_leaf(at, expr);
  for (std::size_t i = 0; i < info(expr.op).arity; ++i)
    check(at, expr.operands[i]);
  check_operation(at, expr);
}

void ExpressionChecker::expect(StmtId at, ExprId id, ScalarType type, std::string_view what) {
  if (id == kNone<ExprId>) return fault(Code::bad_operand, at, text("the ", what, " is missing"));
  const ScalarType found = inspection_.program[id].type;
  if (found != type)
    fault(Code::type_mismatch, at, text("the ", what, " must be ", type, ", but is ", found));
}

void ExpressionChecker::check_leaf(StmtId at, const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::constant: return check_constant(at, expr);
    case ExprKind::builtin: return check_builtin(at, expr);
    case ExprKind::length: return check_length(at, expr);
    case ExprKind::launch: return check_launch(at, expr);
    case ExprKind::value: return check_value(at, expr);
    case ExprKind::operation: return;
  }
}

void ExpressionChecker::check_constant(StmtId at, const Expr& expr) {
  if (!fits(expr.type, expr.bits))
    fault(Code::bad_constant, at, text("no ", expr.type, " has the bits ", expr.bits));
}

void ExpressionChecker::check_builtin(StmtId at, const Expr& expr) {
  if (expr.type != ScalarType::u32)
    fault(Code::type_mismatch, at, text(named_builtin(expr), " is u32, not ", expr.type));
  const unsigned components = has_components(expr.builtin) ? 3 : 1;
  if (expr.component >= components)
    fault(Code::bad_operand, at,
          text(named_builtin(expr), " has ", components, " component(s); component ",
               expr.component, " is read"));
}

void ExpressionChecker::check_length(StmtId at, const Expr& expr) {
  const Program& program = inspection_.program;
  if (expr.type != ScalarType::u32)
    fault(Code::type_mismatch, at, text("a length is u32, not ", expr.type));
  if (index(expr.buffer) >= program.buffers.size())
    return fault(Code::bad_operand, at, "a length is asked of no buffer");
  if (!runtime_array(program, program[expr.buffer]))
    fault(Code::bad_operand, at,
          text("the length of ", named(program, expr.buffer),
               " is asked, which has no runtime-sized array"));
}

void ExpressionChecker::check_launch(StmtId at, const Expr& expr) {
  const Program& program = inspection_.program;
  if (!inspection_.lowered)
    return fault(
        Code::bad_operand, at,
        text("launch word `", to_string(expr.launch), "` is read, which only lowering may do"));
  if (expr.type != ScalarType::u32)
    fault(Code::type_mismatch, at, text("a launch word is u32, not ", expr.type));
  const bool counts = expr.launch == LaunchField::count;
  if (counts && (index(expr.buffer) >= program.buffers.size() ||
                 !runtime_array(program, program[expr.buffer])))
    fault(Code::bad_operand, at, "the launch word `count` is read of no runtime-sized buffer");
}

void ExpressionChecker::check_value(StmtId at, const Expr& expr) {
  const Program& program = inspection_.program;
  if (index(expr.value) >= program.values.size() || !visible_[index(expr.value)]) {
    lost_ = true;
    return fault(Code::out_of_scope, at,
                 text(named(expr.value), " is used where it is not visible"));
  }
  const ScalarType bound = program.values[index(expr.value)];
  if (bound != expr.type)
    fault(Code::type_mismatch, at, text(named(expr.value), " is ", bound, ", not ", expr.type));
}

void ExpressionChecker::check_operation(StmtId at, const Expr& expr) {
  std::array<ScalarType, 3> types = {};
  const std::size_t arity = info(expr.op).arity;
  for (std::size_t i = 0; i < arity; ++i)
    types[i] = inspection_.program[expr.operands[i]].type;
  const std::span<const ScalarType> operands(types.data(), arity);
  const auto result = result_type(expr.op, operands, expr.type);
  if (!result)
    fault(Code::type_mismatch, at,
          text("`", to_string(expr.op), "` does not take ", list(operands)));
  else if (*result != expr.type)
    fault(Code::type_mismatch, at,
          text("`", to_string(expr.op), "` of ", list(operands), " is ", *result, ", not ",
               expr.type));
}

}  // namespace vyre
