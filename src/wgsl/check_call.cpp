// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>

#include "wgsl/checker.h"

namespace vyre::wgsl {
namespace {

bool is_numeric_concrete(TypeId scalar) {
  return Types::is_integer(scalar) || scalar == kF32 || scalar == kF16;
}

/// Bits of a scalar or vector.
std::uint32_t word_bits(const Types& types, TypeId id) {
  const TypeId scalar = types.scalar_of(id);
  return types.width(id) * (scalar == kF16 ? 16 : Types::is_wide(scalar) ? 64 : 32);
}

/// Two 16-bit patterns for each word, or the other way round, as `to` wants it.
std::vector<Scalar> repacked(std::vector<Scalar> values, TypeId to) {
  const bool halves = values[0].type == kF16;
  if (halves == (to == kF16)) return values;
  std::vector<Scalar> result;
  for (std::size_t i = 0; i < values.size(); i += halves ? 2 : 1) {
    if (halves) {
      result.push_back({kU32, values[i].bits | values[i + 1].bits << 16U});
    } else {
      result.push_back({kF16, values[i].bits & 0xffffU});
      result.push_back({kF16, values[i].bits >> 16U});
    }
  }
  return result;
}

}  // namespace

/// Checks all arguments as values; false if one of them is a fault.
bool Checker::check_arguments(const Expr& e) {
  bool good = true;
  for (std::uint32_t i = 0; i < e.list.count; ++i)
    good = check_value(item(e.list, i)) != kFault && good;
  return good;
}

/// Values are taken apart into scalars, so their number is bounded.
bool Checker::check_value_size(TypeId type, Span span) {
  const std::uint64_t count = types_.scalar_count(type);
  if (count > kMaxValueScalars) {
    fail(Code::internal_limit, span,
         "a value of " + std::to_string(count) + " scalars is beyond the limit of " +
             std::to_string(kMaxValueScalars),
         "work on its elements one by one");
    return false;
  }
  if (constants_.size() + count > kMaxConstantCells) {
    fail(Code::internal_limit, span,
         "the constants of the text have more than " + std::to_string(kMaxConstantCells) +
             " scalars");
    return false;
  }
  return true;
}

/// Joins what the arguments tell about the call.
TypeId Checker::finish_call(ExprId id, TypeId type) {
  const Expr& e = expr(id);
  ExprInfo& of = info(id);
  of.stage = Stage::constant;
  for (std::uint32_t i = 0; i < e.list.count; ++i) {
    const ExprInfo& argument = info(item(e.list, i));
    if (argument.type == kFault) return kFault;
    of.stage = std::max(of.stage, argument.stage);
    of.touches_memory = of.touches_memory || argument.touches_memory;
  }
  return type;
}

TypeId Checker::check_call(ExprId id) {
  const Expr& e = expr(id);
  const Binding binding = lookup(e.name.symbol);
  if (binding.kind == Target::function) return check_user_call(id, binding.index);
  if (binding.kind == Target::type) {
    const TypeId type = type_of(e.left);
    return check_arguments(e) ? check_construction(id, type) : kFault;
  }
  if (binding.kind != Target::none) {
    check_arguments(e);
    return fail(Code::invalid_call, expr(e.left).span,
                quoted(e.name.symbol) + " is not a function");
  }
  const Predeclare* row = predeclared_[e.name.symbol];
  if (row == nullptr || row->kind == PredeclareKind::enumerant) {
    check_arguments(e);
    return fail(Code::unknown_identifier, expr(e.left).span,
                "there is no function " + quoted(e.name.symbol),
                suggest(names_.text(e.name.symbol), Sought::function));
  }
  if (row->kind == PredeclareKind::bitcast) return check_bitcast(id);
  if (row->kind == PredeclareKind::builtin) return check_builtin_call(id, row->width);
  const bool inferred = !expr(e.left).templated && row->type == kFault &&
                        (row->kind == PredeclareKind::vector ||
                         row->kind == PredeclareKind::matrix || row->kind == PredeclareKind::array);
  if (inferred) return check_arguments(e) ? check_inferred_construction(id, *row) : kFault;
  const TypeId type = type_of(e.left);
  return check_arguments(e) ? check_construction(id, type) : kFault;
}

TypeId Checker::check_user_call(ExprId id, std::uint32_t function) {
  const Expr& e = expr(id);
  ExprInfo& of = info(id);
  const Declaration& d = out_.tree.declarations[function];
  check_arguments(e);
  of.kind = Target::function;
  of.target = function;
  of.touches_memory = true;
  if (expr(e.left).templated)
    return fail(Code::invalid_call, expr(e.left).span,
                quoted(e.name.symbol) + " takes no template list");
  if (function_ == nullptr)
    return fail(Code::not_constant, e.span, "a function of the program cannot be called here");
  for (const std::string_view stage : {"compute", "vertex", "fragment"})
    if (find_attribute(d.attributes, stage) != nullptr)
      return fail(Code::invalid_call, e.span,
                  "the entry point " + quoted(e.name.symbol) + " cannot be called");
  Call call = {function, e.span, {}};
  for (std::uint32_t i = 0; i < e.list.count; ++i) {
    const ExprId argument = item(e.list, i);
    call.roots.push_back(types_.is(info(argument).type, TypeKind::pointer) ? root_of(argument)
                                                                           : kNone);
  }
  function_->calls.push_back(std::move(call));
  reached_.push_back(function);
  if (d.faulty && d.fields.count != e.list.count) return kFault;
  if (d.fields.count != e.list.count)
    return fail(Code::invalid_call, e.span,
                quoted(e.name.symbol) + " takes " + std::to_string(d.fields.count) +
                    " arguments, not " + std::to_string(e.list.count));
  for (std::uint32_t i = 0; i < e.list.count; ++i) {
    const Field& field = out_.tree.fields[d.fields.first + i];
    coerce_or_report(item(e.list, i), out_.fields[d.fields.first + i],
                     "the argument for " + quoted(field.name.symbol));
  }
  return out_.functions[function].result;
}

TypeId Checker::check_construction(ExprId id, TypeId type) {
  const Expr& e = expr(id);
  if (type == kFault) return kFault;
  info(id).kind = Target::type;
  if (!types_.is_constructible(type))
    return fail(Code::invalid_type, e.span,
                "a value of type " + type_name(type) + " cannot be constructed");
  if (!check_value_size(type, e.span)) return kFault;
  if (e.list.empty()) {
    info(id).stage = Stage::constant;
    info(id).value = constants_.zero(types_.scalar_count(type));
    return type;
  }
  const Type of = types_[type];
  if (types_.is_scalar(type)) return construct_scalar(id, type);
  if (of.kind == TypeKind::vector) return construct_vector(id, of.element, of.count);
  if (of.kind == TypeKind::matrix)
    return construct_matrix(id, types_.component_of(type), of.count, types_.rows(type));
  if (of.kind == TypeKind::array) return construct_array(id, of.element, of.count);
  const std::vector<Member> members = types_.structure(type).members;
  if (e.list.count != members.size())
    return fail(Code::invalid_call, e.span,
                type_name(type) + " has " + std::to_string(members.size()) + " members, but " +
                    std::to_string(e.list.count) + " values are given");
  std::vector<Scalar> values;
  bool good = true;
  for (std::uint32_t i = 0; i < e.list.count; ++i)
    good = coerce_or_report(item(e.list, i), members[i].type,
                            "the value of `" + members[i].spelling + "`") &&
           good;
  if (!good || finish_call(id, type) == kFault) return kFault;
  if (info(id).stage == Stage::runtime) return type;
  for (std::uint32_t i = 0; i < e.list.count; ++i)
    for (const Scalar& scalar : scalars(item(e.list, i)))
      values.push_back(scalar);
  return set_value(id, type, values);
}

TypeId Checker::construct_scalar(ExprId id, TypeId type) {
  const Expr& e = expr(id);
  if (e.list.count != 1)
    return fail(Code::invalid_call, e.span,
                type_name(type) + " takes one value, not " + std::to_string(e.list.count));
  const ExprId argument = item(e.list, 0);
  const TypeId from = value_type(argument);
  if (!types_.is_scalar(from))
    return fail(Code::type_mismatch, e.span,
                type_name(from) + " does not convert to " + type_name(type));
  finish_call(id, type);
  if (info(id).stage == Stage::runtime) return type;
  const Scalar value = scalars(argument)[0];
  ScalarFault fault = ScalarFault::none;
  const Scalar converted = convert_explicitly(value, type, fault);
  if (fault != ScalarFault::none && is_judged(id))
    return fail(Code::value_out_of_range, e.span,
                "the value " + to_text(value) + " does not fit " + type_name(type));
  return set_value(id, type, {&converted, 1});
}

/// From one scalar, one vector of the same width, or scalars and vectors that fill it.
TypeId Checker::construct_vector(ExprId id, TypeId scalar, std::uint32_t width) {
  const Expr& e = expr(id);
  const TypeId type = types_.vector(scalar, width);
  const TypeId first = value_type(item(e.list, 0));
  const bool converts = e.list.count == 1 && types_.width(first) == width;
  std::uint32_t total = 0;
  for (std::uint32_t i = 0; i < e.list.count; ++i) {
    const ExprId argument = item(e.list, i);
    const TypeId from = value_type(argument);
    const std::uint32_t components = types_.width(from);
    if (components == 0)
      return fail(Code::type_mismatch, expr(argument).span,
                  type_name(from) + " is not part of a vector");
    total += components;
    if (!converts &&
        !coerce_or_report(argument, types_.with_scalar(from, scalar), "this part of the vector"))
      return kFault;
  }
  const bool splats = e.list.count == 1 && total == 1;
  if (!splats && total != width)
    return fail(Code::invalid_call, e.span,
                type_name(type) + " has " + std::to_string(width) + " components, but " +
                    std::to_string(total) + " are given");
  finish_call(id, type);
  if (info(id).stage == Stage::runtime) return type;
  std::vector<Scalar> values;
  for (std::uint32_t i = 0; i < e.list.count; ++i)
    for (const Scalar& value : scalars(item(e.list, i)))
      values.push_back(value);
  if (splats) values.resize(width, values[0]);
  for (Scalar& value : values) {
    const std::string text = to_text(value);
    ScalarFault fault = ScalarFault::none;
    value = convert_explicitly(value, scalar, fault);
    if (fault != ScalarFault::none && is_judged(id))
      return fail(Code::value_out_of_range, e.span,
                  "the value " + text + " does not fit " + type_name(scalar));
  }
  return set_value(id, type, values);
}

TypeId Checker::construct_array(ExprId id, TypeId element, std::uint32_t count) {
  const Expr& e = expr(id);
  if (e.list.count != count)
    return fail(Code::invalid_call, e.span,
                "the array has " + std::to_string(count) + " elements, but " +
                    std::to_string(e.list.count) + " are given");
  bool good = true;
  for (std::uint32_t i = 0; i < e.list.count; ++i)
    good = coerce_or_report(item(e.list, i), element, "the element") && good;
  const TypeId type = types_.array(element, count);
  if (!check_value_size(type, e.span)) return kFault;
  if (!good || finish_call(id, type) == kFault) return kFault;
  if (info(id).stage == Stage::runtime) return type;
  std::vector<Scalar> values;
  for (std::uint32_t i = 0; i < e.list.count; ++i)
    for (const Scalar& scalar : scalars(item(e.list, i)))
      values.push_back(scalar);
  return set_value(id, type, values);
}

/// `vec3(…)` and `array(…)`: the component type follows from the arguments.
TypeId Checker::check_inferred_construction(ExprId id, const Predeclare& row) {
  const Expr& e = expr(id);
  const bool is_vector = row.kind == PredeclareKind::vector;
  info(id).kind = Target::type;
  if (row.kind == PredeclareKind::matrix) return infer_matrix(id, row);
  if (e.list.empty()) {
    if (!is_vector)
      return fail(Code::invalid_call, e.span, "an array without a type needs elements");
    info(id).stage = Stage::constant;
    info(id).value = constants_.zero(row.width);
    return types_.vector(kAbstractInt, row.width);
  }
  TypeId common = kFault;
  bool late = false;
  for (std::uint32_t i = 0; i < e.list.count; ++i) {
    const ExprId argument = item(e.list, i);
    const TypeId whole = value_type(argument);
    const TypeId type = is_vector ? types_.scalar_of(whole) : whole;
    late = late || info(argument).stage != Stage::constant;
    const TypeId both = i == 0 ? type : types_.unify(common, type);
    if (both == kFault)
      return fail(Code::type_mismatch, expr(argument).span,
                  i == 0 ? type_name(whole) + " is not part of a vector"
                         : type_name(whole) + " does not go together with " + type_name(common));
    common = both;
  }
  if (late) common = types_.concrete(common);
  if (is_vector) return construct_vector(id, common, row.width);
  if (!types_.is_constructible(common))
    return fail(Code::invalid_type, e.span,
                "an array value cannot have elements of type " + type_name(common));
  return construct_array(id, common, e.list.count);
}

/// Abstract integers as the words that `bitcast` makes of them: a negative one is an `i32`.
void Checker::to_words(ExprId id) {
  const TypeId to = types_.with_scalar(info(id).type, kU32);
  std::vector<Scalar> values = scalars(id);
  for (Scalar& value : values) {
    const std::string text = to_text(value);
    ScalarFault fault = ScalarFault::none;
    value = convert(value, as_int(value) < 0 ? kI32 : kU32, fault);
    value = bitcast(value, kU32, fault);
    if (fault == ScalarFault::none || !is_judged(id)) continue;
    info(id).type = fail(Code::value_out_of_range, expr(id).span,
                         "the value " + text + " has more than the 32 bits that are reinterpreted");
    return;
  }
  info(id).type = set_value(id, to, values);
}

TypeId Checker::check_bitcast(ExprId id) {
  const Expr& e = expr(id);
  const Expr& callee = expr(e.left);
  const bool has_type = check_template_count(callee, 1, 1);
  const TypeId to = has_type ? template_type(callee, 0) : kFault;
  if (!check_arguments(e) || to == kFault) return kFault;
  if (e.list.count != 1)
    return fail(Code::invalid_call, e.span,
                "bitcast takes one value, not " + std::to_string(e.list.count));
  info(id).kind = Target::bitcast;
  const ExprId argument = item(e.list, 0);
  const TypeId scalar = types_.scalar_of(to);
  if (types_.scalar_of(info(argument).type) == kAbstractInt && scalar == kU32) to_words(argument);
  const TypeId from = concretize(argument);
  if (from == kFault) return kFault;
  if (!is_numeric_concrete(types_.scalar_of(from)) || !is_numeric_concrete(scalar) ||
      Types::is_wide(types_.scalar_of(from)) != Types::is_wide(scalar) ||
      word_bits(types_, from) != word_bits(types_, to))
    return fail(Code::no_overload, e.span,
                "bitcast from " + type_name(from) + " to " + type_name(to) + " is not possible");
  finish_call(id, to);
  if (info(id).stage == Stage::runtime) return to;
  std::vector<Scalar> values = repacked(scalars(argument), scalar);
  for (Scalar& value : values) {
    ScalarFault fault = ScalarFault::none;
    value = bitcast(value, scalar, fault);
    if (unevaluated_ == 0 && !report(fault, id, "`bitcast`")) return kFault;
  }
  return set_value(id, to, values);
}

}  // namespace vyre::wgsl
