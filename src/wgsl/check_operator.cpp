// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <string>

#include "wgsl/checker.h"
#include "wgsl/matrix.h"
#include "wgsl/operators.h"

namespace vyre::wgsl {
namespace {

bool is_integer_scalar(TypeId type) {
  return type == kAbstractInt || Types::is_integer(type);
}

}  // namespace

Op ir_op(BinaryOp op) {
  switch (op) {
    case BinaryOp::add: return Op::add;
    case BinaryOp::subtract: return Op::sub;
    case BinaryOp::multiply: return Op::mul;
    case BinaryOp::divide: return Op::div;
    case BinaryOp::remainder: return Op::rem;
    case BinaryOp::bit_and: return Op::bit_and;
    case BinaryOp::bit_or: return Op::bit_or;
    case BinaryOp::bit_xor: return Op::bit_xor;
    case BinaryOp::shift_left: return Op::shl;
    case BinaryOp::shift_right: return Op::shr;
    case BinaryOp::equal: return Op::eq;
    case BinaryOp::not_equal: return Op::ne;
    case BinaryOp::less: return Op::lt;
    case BinaryOp::less_equal: return Op::le;
    case BinaryOp::greater: return Op::gt;
    case BinaryOp::greater_equal: return Op::ge;
    case BinaryOp::logical_and: return Op::logical_and;
    case BinaryOp::logical_or: return Op::logical_or;
  }
  return Op::add;
}

Op ir_op(BinaryOp op, bool boolean) {
  if (boolean && op == BinaryOp::bit_and) return Op::logical_and;
  if (boolean && op == BinaryOp::bit_or) return Op::logical_or;
  return ir_op(op);
}

/// Left operands may chain to any length, so they are walked without recursion.
TypeId Checker::check_binary_chain(ExprId id) {
  std::vector<ExprId> chain;
  ExprId first = id;
  for (; expr(first).kind == ExprKind::binary; first = expr(first).left)
    chain.push_back(first);
  check_value(first);
  for (auto node = chain.rbegin(); node != chain.rend(); ++node) {
    if (*node != id && function_ != nullptr) ++function_->weight;
    info(*node).type = check_binary(*node);
  }
  return info(id).type;
}

/// REQUIRES: the left operand is checked.
TypeId Checker::check_binary(ExprId id) {
  const Expr& e = expr(id);
  if (e.binary == BinaryOp::logical_and || e.binary == BinaryOp::logical_or)
    return check_logical(id);
  const TypeId right = check_value(e.right);
  const TypeId left = value_type(e.left);
  ExprInfo& of = info(id);
  of.touches_memory = info(e.left).touches_memory || info(e.right).touches_memory;
  if (left == kFault || right == kFault) return kFault;
  switch (e.binary) {
    case BinaryOp::add:
    case BinaryOp::subtract:
    case BinaryOp::multiply:
    case BinaryOp::divide:
    case BinaryOp::remainder: return check_arithmetic(id, left, right);
    case BinaryOp::bit_and:
    case BinaryOp::bit_or:
    case BinaryOp::bit_xor: return check_bitwise(id, left, right);
    case BinaryOp::shift_left:
    case BinaryOp::shift_right: return check_shift(id, left, right);
    case BinaryOp::equal:
    case BinaryOp::not_equal:
    case BinaryOp::less:
    case BinaryOp::less_equal:
    case BinaryOp::greater:
    case BinaryOp::greater_equal: return check_comparison(id, left, right);
    case BinaryOp::logical_and:
    case BinaryOp::logical_or: break;
  }
  return kFault;
}

TypeId Checker::bad_operands(ExprId id, TypeId left, TypeId right) {
  const Expr& e = expr(id);
  const TypeId a = types_.scalar_of(left);
  const TypeId b = types_.scalar_of(right);
  std::string help;
  if (a != b && a != kFault && b != kFault && types_.width(left) == types_.width(right))
    help = "convert one of them, for example with " +
           types_.name(types_.with_scalar(right, types_.concrete(a))) + "(…)";
  return fail(Code::type_mismatch, e.span,
              "the operator `" + std::string(spelling(e.binary)) + "` does not take " +
                  type_name(left) + " and " + type_name(right),
              std::move(help));
}

/// A constant left side can decide the result; what it guards is then not evaluated.
TypeId Checker::check_logical(ExprId id) {
  const Expr& e = expr(id);
  const TypeId left = value_type(e.left);
  const bool is_and = e.binary == BinaryOp::logical_and;
  const bool decided = left == kBool && is_known(e.left) && !is_assumed(e.left) &&
                       (constants_[info(e.left).value] == 0) == is_and;
  if (decided) ++unevaluated_;
  const TypeId right = check_value(e.right);
  if (decided) --unevaluated_;
  ExprInfo& of = info(id);
  of.touches_memory = info(e.left).touches_memory || info(e.right).touches_memory;
  if (left == kFault || right == kFault) return kFault;
  if (left != kBool || right != kBool) return bad_operands(id, left, right);
  of.stage = std::max(info(e.left).stage, info(e.right).stage);
  if (of.stage == Stage::runtime) return kBool;
  of.value = info(decided ? e.left : e.right).value;
  return kBool;
}

/// Evaluates what is known; both operands have their final types.
TypeId Checker::finish_operator(ExprId id, TypeId type, Op op) {
  const Expr& e = expr(id);
  if (info(e.left).type == kFault || info(e.right).type == kFault) return kFault;
  ExprInfo& of = info(id);
  of.stage = std::max(info(e.left).stage, info(e.right).stage);
  if (of.stage != Stage::runtime)
    return is_product(types_, e.binary, info(e.left).type, info(e.right).type)
               ? evaluate_product(id, type)
               : evaluate_binary(id, type, op);
  check_constant_right(id);
  return type;
}

/// A known right side can be a fault whatever the left side turns out to be.
void Checker::check_constant_right(ExprId id) {
  const Expr& e = expr(id);
  if (!is_known(e.right) || !is_judged(e.right)) return;
  const bool divides = e.binary == BinaryOp::divide || e.binary == BinaryOp::remainder;
  const bool shifts = e.binary == BinaryOp::shift_left || e.binary == BinaryOp::shift_right;
  if (!divides && !shifts) return;
  const std::uint32_t width = Types::is_wide(types_.scalar_of(value_type(e.left))) ? 64 : 32;
  for (const Scalar& value : scalars(e.right)) {
    if (divides && is_integer_scalar(value.type) && value.bits == 0) {
      fail(Code::division_by_zero, expr(e.right).span, "this divides by zero");
      return;
    }
    if (shifts && value.bits >= width) {
      fail(Code::shift_out_of_range, expr(e.right).span,
           "the shift count " + to_text(value) + " is not below the width of the type, " +
               std::to_string(width));
      return;
    }
  }
}

TypeId Checker::check_arithmetic(ExprId id, TypeId left, TypeId right) {
  const Expr& e = expr(id);
  if (types_.is(left, TypeKind::matrix) || types_.is(right, TypeKind::matrix)) {
    const TypeId result = matrix_result(e.binary, left, right);
    if (result == kFault) return bad_operands(id, left, right);
    const TypeId component = types_.component_of(result);
    coerce(e.left, types_.with_scalar(left, component));
    coerce(e.right, types_.with_scalar(right, component));
    return finish_operator(id, result, ir_op(e.binary));
  }
  const TypeId scalar = types_.unify(types_.scalar_of(left), types_.scalar_of(right));
  const std::uint32_t left_width = types_.width(left);
  const std::uint32_t right_width = types_.width(right);
  const bool widths_fit = left_width == right_width || left_width == 1 || right_width == 1;
  if (!types_.is_numeric_scalar(scalar) || !widths_fit) return bad_operands(id, left, right);
  coerce(e.left, types_.with_scalar(left, scalar));
  coerce(e.right, types_.with_scalar(right, scalar));
  return finish_operator(id, types_.with_scalar(left_width > 1 ? left : right, scalar),
                         ir_op(e.binary));
}

TypeId Checker::check_bitwise(ExprId id, TypeId left, TypeId right) {
  const Expr& e = expr(id);
  const TypeId type = types_.unify(left, right);
  const TypeId scalar = types_.scalar_of(type);
  const bool logical = scalar == kBool && e.binary != BinaryOp::bit_xor;
  if (!logical && !is_integer_scalar(scalar)) return bad_operands(id, left, right);
  coerce(e.left, type);
  coerce(e.right, type);
  return finish_operator(id, type, ir_op(e.binary, logical));
}

TypeId Checker::check_shift(ExprId id, TypeId left, TypeId right) {
  const Expr& e = expr(id);
  const TypeId count = types_.with_scalar(left, kU32);
  if (!is_integer_scalar(types_.scalar_of(left)) || !types_.converts(right, count))
    return bad_operands(id, left, right);
  coerce(e.right, count);
  if (info(e.right).stage != Stage::constant) left = concretize(e.left);
  return finish_operator(id, left, ir_op(e.binary));
}

TypeId Checker::check_comparison(ExprId id, TypeId left, TypeId right) {
  const Expr& e = expr(id);
  const TypeId type = types_.unify(left, right);
  const TypeId scalar = types_.scalar_of(type);
  const bool equality = e.binary == BinaryOp::equal || e.binary == BinaryOp::not_equal;
  if (!types_.is_scalar(scalar) || (scalar == kBool && !equality))
    return bad_operands(id, left, right);
  coerce(e.left, type);
  coerce(e.right, type);
  return finish_operator(id, types_.with_scalar(type, kBool), ir_op(e.binary));
}

}  // namespace vyre::wgsl
