// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>

#include "wgsl/checker.h"
#include "wgsl/expand.h"
#include "wgsl/matrix.h"

namespace vyre::wgsl {
namespace {

/// Evaluates the operators of an expansion at compile time.
class ConstantEmitter {
 public:
  using Value = Scalar;

  Scalar op(Op op, std::initializer_list<Scalar> operands) {
    return keep(evaluate(op, {operands.begin(), operands.size()}, latest_));
  }
  Scalar number(Scalar like, double value) {
    if (like.type == kF32 || like.type == kF16)
      return convert_explicitly(abstract_float(value), like.type, latest_);
    if (like.type == kAbstractFloat) return abstract_float(value);
    return convert_explicitly(abstract_int(static_cast<std::int64_t>(value)), like.type, latest_);
  }
  Scalar u32(std::uint32_t value) { return {kU32, value}; }
  Scalar convert(Scalar value, TypeId to) { return keep(convert_explicitly(value, to, latest_)); }
  Scalar bitcast(Scalar value, TypeId to) { return keep(wgsl::bitcast(value, to, latest_)); }
  TypeId type(Scalar value) { return value.type; }
  static bool is_true(Scalar value) { return value.bits != 0; }
  Scalar like(Scalar value, Scalar other) { return bitcast(value, other.type); }

  [[nodiscard]] ScalarFault fault() const { return fault_; }

 private:
  /// The first fault is the one told.
  Scalar keep(Scalar value) {
    if (fault_ == ScalarFault::none) fault_ = latest_;
    latest_ = ScalarFault::none;
    return value;
  }

  ScalarFault latest_ = ScalarFault::none;
  ScalarFault fault_ = ScalarFault::none;
};

/// frexp of a double: the operators of the expansion work on the bits of f32.
std::vector<Scalar> frexp_abstract(const std::vector<Scalar>& values) {
  std::vector<Scalar> result;
  std::vector<Scalar> exponents;
  for (const Scalar& value : values) {
    int exponent = 0;
    result.push_back(abstract_float(std::frexp(as_double(value), &exponent)));
    exponents.push_back(abstract_int(exponent));
  }
  result.insert(result.end(), exponents.begin(), exponents.end());
  return result;
}

std::string_view describe(ScalarFault fault) {
  switch (fault) {
    case ScalarFault::none: return "";
    case ScalarFault::division_by_zero: return "divides by zero";
    case ScalarFault::overflow: return "overflows";
    case ScalarFault::not_finite: return "is not finite";
    case ScalarFault::shift_too_far: return "shifts by the width of the type or more";
    case ScalarFault::not_representable: return "does not fit its type";
  }
  return {};
}

Code code_of(ScalarFault fault) {
  switch (fault) {
    case ScalarFault::division_by_zero: return Code::division_by_zero;
    case ScalarFault::shift_too_far: return Code::shift_out_of_range;
    default: return Code::value_out_of_range;
  }
}

}  // namespace

/// The scalars of a known value.
std::vector<Scalar> Checker::scalars(ExprId id) const {
  const ExprInfo& of = info(id);
  std::vector<TypeId> types;
  types_.flatten(of.type, types);
  std::vector<Scalar> result;
  result.reserve(types.size());
  for (std::size_t i = 0; i < types.size(); ++i)
    result.push_back({types[i], constants_[of.value + i]});
  return result;
}

TypeId Checker::set_value(ExprId id, TypeId type, std::span<const Scalar> scalars) {
  std::vector<Cell> cells;
  cells.reserve(scalars.size());
  for (const Scalar& scalar : scalars)
    cells.push_back(scalar.bits);
  info(id).value = constants_.add(cells);
  return type;
}

std::string Checker::value_text(ExprId id) const {
  if (!is_known(id) || types_.scalar_count(info(id).type) > 4) return {};
  std::string text;
  for (const Scalar& scalar : scalars(id))
    text += (text.empty() ? "" : ", ") + to_text(scalar);
  return types_.is_scalar(info(id).type) ? text : "(" + text + ")";
}

/// False after telling of a fault.
bool Checker::report(ScalarFault fault, ExprId id, std::string_view detail) {
  if (fault == ScalarFault::none || is_assumed(id)) return true;
  fail(code_of(fault), expr(id).span,
       "this constant expression " + std::string(describe(fault)) +
           (detail.empty() ? "" : ": " + std::string(detail)));
  return false;
}

/// Converts automatically, in place.  False if the type does not convert (nothing is told) or a
/// value does not fit (which is told, and the expression becomes a fault).
bool Checker::coerce(ExprId id, TypeId to) {
  ExprInfo& of = info(id);
  const TypeId from = types_.store_type(of.type);
  if (types_.is(of.type, TypeKind::pointer)) return of.type == to || to == kFault;
  if (from == to || from == kFault || to == kFault) return true;
  if (!types_.converts(from, to)) return false;
  std::vector<Scalar> values = scalars(id);
  std::vector<TypeId> targets;
  types_.flatten(to, targets);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string text = to_text(values[i]);
    ScalarFault fault = ScalarFault::none;
    values[i] = convert(values[i], targets[i], fault);
    if (fault != ScalarFault::none && is_judged(id)) {
      fail(Code::value_out_of_range, expr(id).span,
           "the value " + text + " does not fit " + type_name(targets[i]));
      of.type = kFault;
      return true;
    }
  }
  of.type = set_value(id, to, values);
  return true;
}

bool Checker::coerce_or_report(ExprId id, TypeId to, std::string_view what) {
  const TypeId from = value_type(id);
  if (coerce(id, to)) return info(id).type != kFault;
  const bool converts = types_.width(from) == types_.width(to) && types_.width(to) != 0;
  fail(Code::type_mismatch, expr(id).span,
       std::string(what) + " must be " + type_name(to) + ", not " + type_name(from),
       converts ? "convert it with `" + types_.name(to) + "(…)`"
                : "give a value of type " + type_name(to));
  return false;
}

/// Gives an abstract value the concrete type that it has by default.
TypeId Checker::concretize(ExprId id) {
  const TypeId type = value_type(id);
  if (!types_.is_abstract(type)) return type;
  coerce(id, types_.concrete(type));
  return info(id).type;
}

std::optional<std::int64_t> Checker::known_integer(ExprId id) const {
  if (!is_known(id)) return std::nullopt;
  const TypeId type = info(id).type;
  if (type != kAbstractInt && type != kI32 && type != kU32) return std::nullopt;
  return as_int({type, constants_[info(id).value]});
}

/// The type if the expression is known by `stage`; a fault is told otherwise.
TypeId Checker::require_stage(ExprId id, Stage stage, std::string_view what) {
  if (info(id).type == kFault) return kFault;
  if (info(id).stage <= stage) return info(id).type;
  return fail(Code::not_constant, expr(id).span,
              std::string(what) + (stage == Stage::constant
                                       ? " must be a constant expression"
                                       : " must be a constant or override expression"));
}

TypeId Checker::evaluate_unary(ExprId id, TypeId type, Op op) {
  const ExprId operand = expr(id).left;
  std::vector<Scalar> values = scalars(operand);
  for (Scalar& value : values) {
    ScalarFault fault = ScalarFault::none;
    const std::string text = to_text(value);
    value = evaluate(op, {&value, 1}, fault);
    if (unevaluated_ == 0 && !report(fault, id, text)) return kFault;
  }
  return set_value(id, type, values);
}

TypeId Checker::evaluate_binary(ExprId id, TypeId type, Op op) {
  const std::vector<Scalar> left = scalars(expr(id).left);
  const std::vector<Scalar> right = scalars(expr(id).right);
  std::vector<Scalar> values(std::max(left.size(), right.size()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::array<Scalar, 2> operands = {left[left.size() == 1 ? 0 : i],
                                            right[right.size() == 1 ? 0 : i]};
    ScalarFault fault = ScalarFault::none;
    values[i] = evaluate(op, operands, fault);
    if (fault == ScalarFault::none || !is_judged(id)) continue;
    const std::string operation = to_text(operands[0]) + " " +
                                  std::string(spelling(expr(id).binary)) + " " +
                                  to_text(operands[1]);
    report(fault, id, "`" + operation + "` in " + type_name(operands[0].type));
    return kFault;
  }
  return set_value(id, type, values);
}

TypeId Checker::evaluate_product(ExprId id, TypeId type) {
  const Expr& e = expr(id);
  ConstantEmitter emitter;
  const auto values = MatrixOps<ConstantEmitter>(emitter).product(
      types_, info(e.left).type, scalars(e.left), info(e.right).type, scalars(e.right));
  if (unevaluated_ == 0 && !report(emitter.fault(), id, "a product of matrices")) return kFault;
  return set_value(id, type, values);
}

TypeId Checker::evaluate_matrix(ExprId id, const Builtin& row, TypeId type) {
  const ExprId matrix = item(expr(id).list, 0);
  ConstantEmitter emitter;
  const auto values = MatrixOps<ConstantEmitter>(emitter).call(row.function, types_,
                                                               info(matrix).type, scalars(matrix));
  if (unevaluated_ == 0 && !report(emitter.fault(), id, "`" + std::string(row.name) + "`"))
    return kFault;
  return set_value(id, type, values);
}

TypeId Checker::evaluate_builtin(ExprId id, const Builtin& row, TypeId type) {
  std::vector<std::vector<Scalar>> args;
  const Range list = expr(id).list;
  for (std::uint32_t i = 0; i < list.count; ++i)
    args.push_back(scalars(item(list, i)));
  std::vector<Scalar> values;
  ScalarFault fault = ScalarFault::none;
  if (row.how == How::elementwise) {
    for (std::size_t i = 0; i < args[0].size() && fault == ScalarFault::none; ++i) {
      std::array<Scalar, 3> operands = {};
      for (std::size_t a = 0; a < args.size(); ++a)
        operands[a] = args[a][args[a].size() == 1 ? 0 : i];
      const bool half = row.op == Op::ldexp && operands[0].type == kF16;
      if (half) operands[0] = convert_explicitly(operands[0], kF32, fault);
      values.push_back(evaluate(row.op, {operands.data(), args.size()}, fault));
      if (half) values.back() = convert_explicitly(values.back(), kF16, fault);
    }
  } else if (row.function == Function::frexp && args[0][0].type == kAbstractFloat) {
    values = frexp_abstract(args[0]);
  } else {
    ConstantEmitter emitter;
    values = Expansion<ConstantEmitter>(emitter)(row.function, args);
    fault = emitter.fault();
  }
  values.resize(types_.scalar_count(type));
  if (unevaluated_ == 0 && !report(fault, id, "`" + std::string(row.name) + "`")) return kFault;
  return set_value(id, type, values);
}

}  // namespace vyre::wgsl
