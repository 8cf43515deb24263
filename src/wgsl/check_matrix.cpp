// SPDX-License-Identifier: MIT OR Apache-2.0
#include "wgsl/checker.h"

namespace vyre::wgsl {

/// From one matrix of the same shape, from its columns, or from its components.
TypeId Checker::construct_matrix(ExprId id,
                                 TypeId scalar,
                                 std::uint32_t columns,
                                 std::uint32_t rows) {
  const Expr& e = expr(id);
  const TypeId type = types_.matrix(scalar, columns, rows);
  const TypeId first = value_type(item(e.list, 0));
  const bool converts = e.list.count == 1 && types_.is(first, TypeKind::matrix);
  const bool by_column = types_.is(first, TypeKind::vector);
  const std::uint32_t wanted = converts ? 1 : by_column ? columns : columns * rows;
  if (converts && types_.with_scalar(first, scalar) != type)
    return fail(Code::type_mismatch, e.span,
                type_name(first) + " does not convert to " + type_name(type));
  if (e.list.count != wanted)
    return fail(Code::invalid_call, e.span,
                type_name(type) + " takes " + std::to_string(columns) + " columns or " +
                    std::to_string(columns * rows) + " components, but " +
                    std::to_string(e.list.count) + " values are given");
  const TypeId part = by_column ? types_.vector(scalar, rows) : scalar;
  bool good = true;
  for (std::uint32_t i = 0; !converts && i < e.list.count; ++i)
    good = coerce_or_report(item(e.list, i), part, "this part of the matrix") && good;
  if (!good || finish_call(id, type) == kFault) return kFault;
  if (info(id).stage == Stage::runtime) return type;
  std::vector<Scalar> values;
  for (std::uint32_t i = 0; i < e.list.count; ++i)
    for (const Scalar& value : scalars(item(e.list, i))) {
      ScalarFault fault = ScalarFault::none;
      values.push_back(convert_explicitly(value, scalar, fault));
      if (unevaluated_ == 0 && !report(fault, id, "a component of a matrix")) return kFault;
    }
  return set_value(id, type, values);
}

/// `mat2x2(…)`: the component type follows from the arguments.
TypeId Checker::infer_matrix(ExprId id, const Predeclare& row) {
  const Expr& e = expr(id);
  if (e.list.empty())
    return fail(Code::invalid_call, e.span, "a matrix without a type needs components");
  TypeId common = kAbstractFloat;
  bool late = false;
  for (std::uint32_t i = 0; i < e.list.count; ++i) {
    const ExprId argument = item(e.list, i);
    const TypeId whole = value_type(argument);
    const TypeId component = types_.component_of(whole);
    late = late || info(argument).stage != Stage::constant;
    const TypeId both = component == kFault ? kFault : types_.unify(common, component);
    if (both == kFault)
      return fail(Code::type_mismatch, expr(argument).span,
                  type_name(whole) + " is not part of a matrix of " + type_name(common));
    common = both;
  }
  if (late) common = types_.concrete(common);
  return construct_matrix(id, common, row.width, row.rows);
}

/// The type of an arithmetic operator with a matrix, or `kFault` where there is none.
TypeId Checker::matrix_result(BinaryOp op, TypeId left, TypeId right) {
  const TypeId scalar = types_.unify(types_.component_of(left), types_.component_of(right));
  if (scalar != kAbstractFloat && scalar != kF32 && scalar != kF16) return kFault;
  const Type a = types_[left];
  const Type b = types_[right];
  const bool both = a.kind == TypeKind::matrix && b.kind == TypeKind::matrix;
  const bool sums = op == BinaryOp::add || op == BinaryOp::subtract;
  if (sums && both)
    return types_.with_scalar(left, scalar) == types_.with_scalar(right, scalar)
               ? types_.with_scalar(left, scalar)
               : kFault;
  if (op != BinaryOp::multiply) return kFault;
  if (types_.is_scalar(right)) return types_.with_scalar(left, scalar);
  if (types_.is_scalar(left)) return types_.with_scalar(right, scalar);
  if (both)
    return a.count == types_.rows(right) ? types_.matrix(scalar, b.count, types_.rows(left))
                                         : kFault;
  if (a.kind == TypeKind::matrix)
    return a.count == b.count ? types_.vector(scalar, types_.rows(left)) : kFault;
  return a.count == types_.rows(right) ? types_.vector(scalar, b.count) : kFault;
}

TypeId Checker::check_matrix_builtin(ExprId id, const Builtin& row) {
  const Expr& e = expr(id);
  if (e.list.count != 1)
    return fail(
        Code::invalid_call, e.span,
        "`" + std::string(row.name) + "` takes 1 argument, not " + std::to_string(e.list.count));
  const TypeId given = value_type(item(e.list, 0));
  if (!types_.is(given, TypeKind::matrix)) return no_overload(id, row.name, "it takes a matrix");
  const Type matrix = types_[given];
  const std::uint32_t rows = types_.rows(given);
  const bool transposes = row.function == Function::transpose;
  if (!transposes && matrix.count != rows)
    return no_overload(id, row.name, "it takes a square matrix");
  const TypeId scalar = types_.component_of(given);
  const TypeId result = transposes ? types_.matrix(scalar, rows, matrix.count) : scalar;
  const TypeId type = finish_call(id, result);
  return info(id).stage == Stage::runtime ? type : evaluate_matrix(id, row, type);
}

}  // namespace vyre::wgsl
