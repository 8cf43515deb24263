// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>

#include "wgsl/checker.h"

namespace vyre::wgsl {
namespace {

/// The type that makes a scalar fit a domain, or `kFault`.
TypeId fit(TypeId scalar, Domain domain) {
  const bool abstract = scalar == kAbstractInt || scalar == kAbstractFloat;
  switch (domain) {
    case Domain::none: return scalar;
    case Domain::numeric: return scalar == kBool ? kFault : scalar;
    case Domain::signed_:
      return scalar == kBool || scalar == kU32 || scalar == kU64 ? kFault : scalar;
    case Domain::floating:
      if (scalar == kAbstractInt) return kAbstractFloat;
      return scalar == kF32 || scalar == kF16 || scalar == kAbstractFloat ? scalar : kFault;
    case Domain::integer:
      if (scalar == kAbstractInt) return kI32;
      return Types::is_integer(scalar) ? scalar : kFault;
    case Domain::word:
      if (scalar == kAbstractInt) return kI32;
      return scalar == kI32 || scalar == kU32 ? scalar : kFault;
    case Domain::boolean: return scalar == kBool ? kBool : kFault;
    case Domain::scalar: return scalar;
    case Domain::f32: return abstract || scalar == kF32 ? kF32 : kFault;
    case Domain::i32: return scalar == kAbstractInt || scalar == kI32 ? kI32 : kFault;
    case Domain::u32: return scalar == kAbstractInt || scalar == kU32 ? kU32 : kFault;
  }
  return kFault;
}

bool fits_shape(std::uint32_t width, Shape shape) {
  switch (shape) {
    case Shape::any: return width >= 1;
    case Shape::vector: return width >= 2;
    case Shape::two: return width == 2;
    case Shape::three: return width == 3;
    case Shape::four: return width == 4;
  }
  return false;
}

AccessMode needed_access(Function function) {
  return function == Function::atomicLoad || function == Function::arrayLength
             ? AccessMode::read
             : AccessMode::read_write;
}

}  // namespace

TypeId Checker::no_overload(ExprId id, std::string_view name, std::string help) {
  const Expr& e = expr(id);
  constexpr std::uint32_t kNamed = 12;
  std::string types;
  for (std::uint32_t i = 0; i < std::min(e.list.count, kNamed); ++i)
    types += (i == 0 ? "" : ", ") + types_.name(value_type(item(e.list, i)));
  if (e.list.count > kNamed) types += " and " + std::to_string(e.list.count - kNamed) + " more";
  return fail(Code::no_overload, e.span,
              "no form of `" + std::string(name) + "` takes (" + types + ")", std::move(help));
}

TypeId Checker::check_builtin_call(ExprId id, std::uint32_t first) {
  const Expr& e = expr(id);
  const auto rows = all_builtins();
  const Builtin& named = rows[first];
  if (named.how == How::unsupported) {
    for (std::uint32_t i = 0; i < e.list.count; ++i)
      check(item(e.list, i));
    return unsupported(e.span, "the function `" + std::string(named.name) + "` is");
  }
  info(id).kind = Target::builtin;
  if (expr(e.left).templated)
    return fail(Code::invalid_call, expr(e.left).span,
                "`" + std::string(named.name) + "` takes no template list");
  if (!check_arguments(e)) return kFault;
  if (named.how == How::statement) {
    info(id).target = first;
    return check_statement_builtin(id, named);
  }
  if (named.how == How::derivative) {
    info(id).target = first;
    return check_derivative(id, named);
  }
  if (named.how == How::matrix) {
    info(id).target = first;
    return check_matrix_builtin(id, named);
  }
  if (named.how == How::texture) {
    info(id).target = first;
    return check_texture(id, named);
  }
  if (named.how == How::subgroup) {
    info(id).target = first;
    if (function_ != nullptr) function_->has_subgroups = true;
    return check_subgroup(id, named);
  }
  std::string forms;
  for (std::uint32_t row = first; row < rows.size() && rows[row].name == named.name; ++row) {
    info(id).target = row;
    if (const auto type = match_builtin(id, rows[row])) return *type;
    forms += (forms.empty() ? "its forms: " : "; ") + describe(rows[row]);
  }
  return no_overload(id, named.name, std::move(forms));
}

TypeId Checker::param_type(char param, TypeId family) {
  switch (param) {
    case 'T': return family;
    case 'S': return types_.scalar_of(family);
    case 'B': return types_.with_scalar(family, kBool);
    case 'b': return kBool;
    case 'u': return kU32;
    case 'U': return types_.with_scalar(family, kU32);
    case 'i': return types_.with_scalar(family, types_.is_abstract(family) ? kAbstractInt : kI32);
    default: return kFault;
  }
}

/// The type that an argument is converted to: an i32 exponent goes with an abstract value.
TypeId Checker::argument_type(char param, TypeId family, ExprId argument) {
  const TypeId given = value_type(argument);
  return param == 'i' && types_.scalar_of(given) == kI32 ? types_.with_scalar(family, kI32)
                                                         : param_type(param, family);
}

TypeId Checker::result_type(char result, TypeId family) {
  switch (result) {
    case 's': return kI32;
    case 'f': return types_.vector(kF32, 2);
    case 'F': return types_.vector(kF32, 4);
    case 'I': return types_.vector(kI32, 4);
    case 'W': return types_.vector(kU32, 4);
    case 'm': return types_.predeclared(Predeclared::modf, family);
    case 'x': return types_.predeclared(Predeclared::frexp, family);
    default: return param_type(result, family);
  }
}

/// The type that T stands for in this call, or `kFault` if there is none.
TypeId Checker::family_type(ExprId id, const Builtin& row) {
  const Expr& e = expr(id);
  TypeId family = kFault;
  TypeId scalar = kFault;
  bool late = false;
  for (std::uint32_t i = 0; i < e.list.count; ++i) {
    const ExprId argument = item(e.list, i);
    const TypeId type = value_type(argument);
    late = late || info(argument).stage != Stage::constant;
    if (row.params[i] == 'T') {
      family = family == kFault ? type : types_.unify(family, type);
      if (types_.width(family) == 0) return kFault;
    } else if (row.params[i] == 'S') {
      scalar = type;
    }
  }
  TypeId of = types_.scalar_of(family);
  if (scalar != kFault) of = types_.unify(of, scalar);
  if (of == kFault) return kFault;
  of = fit(of, row.domain);
  if (of == kFault || !fits_shape(types_.width(family), row.shape)) return kFault;
  return types_.with_scalar(family, late ? types_.concrete(of) : of);
}

/// The result type if the row takes these arguments.
std::optional<TypeId> Checker::match_builtin(ExprId id, const Builtin& row) {
  const Expr& e = expr(id);
  if (row.params.size() != e.list.count) return std::nullopt;
  const TypeId family = row.domain == Domain::none ? kU32 : family_type(id, row);
  if (family == kFault) return std::nullopt;
  for (std::uint32_t i = 0; i < e.list.count; ++i)
    if (!types_.converts(value_type(item(e.list, i)),
                         argument_type(row.params[i], family, item(e.list, i))))
      return std::nullopt;
  for (std::uint32_t i = 0; i < e.list.count; ++i)
    coerce(item(e.list, i), argument_type(row.params[i], family, item(e.list, i)));
  const TypeId type = finish_call(id, result_type(row.result, family));
  if (type == kFault || builtin_faults(id, row, family)) return kFault;
  return info(id).stage == Stage::runtime ? type : evaluate_builtin(id, row, type);
}

/// What single functions forbid of constant arguments, whatever the others are.
bool Checker::builtin_faults(ExprId id, const Builtin& row, TypeId family) {
  const Expr& e = expr(id);
  if (unevaluated_ != 0) return false;
  const auto known = [&](std::uint32_t i) {
    return is_known(item(e.list, i)) && !is_assumed(item(e.list, i));
  };
  const auto both = [&](std::uint32_t i, std::uint32_t j, auto&& good) {
    if (!known(i) || !known(j)) return true;
    const auto a = scalars(item(e.list, i));
    const auto b = scalars(item(e.list, j));
    for (std::size_t n = 0; n < a.size(); ++n)
      if (!good(as_double(a[n]), as_double(b[n]))) return false;
    return true;
  };
  const auto told = [&](std::string_view what) {
    fail(Code::value_out_of_range, e.span, std::string(what));
    return true;
  };
  if (row.name == "clamp" && !both(1, 2, [](double low, double high) { return low <= high; }))
    return told("`clamp` has a low limit above its high limit");
  if (row.name == "smoothstep" && !both(0, 1, [](double a, double b) { return a != b; }))
    return told("`smoothstep` has two equal edges");
  const auto has_power = [](double x, double y) { return x > 0 || (x == 0 && y > 0); };
  if (row.name == "pow" && !both(0, 1, has_power))
    return told("`pow` is not defined for a negative base, or 0 without a positive exponent");
  const auto in_word = [](double offset, double count) { return offset + count <= 32; };
  if (row.name == "extractBits" && !both(1, 2, in_word))
    return told("`extractBits` reaches beyond the 32 bits of its value");
  if (row.name == "insertBits" && !both(2, 3, in_word))
    return told("`insertBits` reaches beyond the 32 bits of its value");
  if (row.name == "ldexp" && known(1)) {
    const double most = types_.is_abstract(family)         ? 1024
                        : types_.scalar_of(family) == kF16 ? 16
                                                           : 128;
    for (const Scalar& exponent : scalars(item(e.list, 1)))
      if (as_double(exponent) > most) return told("the exponent of `ldexp` is too large");
  }
  const bool halves = row.name == "quantizeToF16" || row.name == "pack2x16float";
  if (halves && known(0)) {
    for (const Scalar& value : scalars(item(e.list, 0)))
      if (as_double(value) > 65504 || as_double(value) < -65504)
        return told("the value " + to_text(value) + " does not fit a 16-bit float");
  }
  return false;
}

TypeId Checker::check_derivative(ExprId id, const Builtin& row) {
  const Expr& e = expr(id);
  if (function_ == nullptr)
    return fail(Code::not_constant, e.span, "a derivative cannot be taken here");
  note_fragment(e.span, row.name);
  const TypeId given = e.list.count == 1 ? value_type(item(e.list, 0)) : kFault;
  const TypeId type = types_.width(given) == 0 ? kFault : types_.with_scalar(given, kF32);
  if (type == kFault || !coerce(item(e.list, 0), type))
    return no_overload(id, row.name, "it takes a scalar or vector of `f32`");
  info(id).touches_memory = true;
  return type;
}

void Checker::note_fragment(Span span, std::string_view what) {
  function_->for_fragment = true;
  if (!options_.everything)
    fail(Code::invalid_flow, span, "`" + std::string(what) + "` is for fragment shaders");
}

TypeId Checker::check_subgroup(ExprId id, const Builtin& row) {
  const Expr& e = expr(id);
  info(id).touches_memory = true;
  const bool elects = row.function == Function::subgroupElect;
  const bool votes = row.domain == Domain::boolean;
  const std::uint32_t count = elects ? 0 : row.argument == LaneArgument::none ? 1 : 2;
  if (e.list.count != count)
    return fail(Code::invalid_call, e.span,
                "`" + std::string(row.name) + "` takes " + std::to_string(count) +
                    " arguments, not " + std::to_string(e.list.count));
  if (function_ == nullptr)
    return fail(Code::not_constant, e.span, "a subgroup function cannot be called here");
  if (elects) return kBool;
  const TypeId type = concretize(item(e.list, 0));
  if (type == kFault) return kFault;
  const TypeId scalar = types_.scalar_of(type);
  if (scalar == kFault || fit(scalar, row.domain) != scalar || (votes && type != kBool))
    return no_overload(id, row.name,
                       votes                           ? "it takes a `bool`"
                       : row.domain == Domain::integer ? "it takes an integer scalar or vector"
                                                       : "it takes a numeric scalar or vector");
  if (count == 2 && !check_lane(item(e.list, 1), row)) return kFault;
  if (row.function == Function::subgroupBallot) return types_.vector(kU32, 4);
  return type;
}

/// The second argument: which lane, or how far away.
bool Checker::check_lane(ExprId id, const Builtin& row) {
  const bool is_quad = row.function == Function::quadBroadcast;
  if (row.argument == LaneArgument::word) coerce(id, kU32);
  const TypeId type = concretize(id);
  if (type == kFault) return false;
  if (type != kU32 && (type != kI32 || row.argument == LaneArgument::word)) {
    fail(Code::no_overload, expr(id).span,
         "the second argument of `" + std::string(row.name) + "` must be " +
             (row.argument == LaneArgument::word ? "`u32`" : "`i32` or `u32`") + ", not " +
             type_name(type));
    return false;
  }
  const std::string what = "the second argument of `" + std::string(row.name) + "`";
  if (row.argument == LaneArgument::lane && require_stage(id, Stage::constant, what) == kFault)
    return false;
  const auto value = known_integer(id);
  const std::int64_t limit = is_quad ? 4 : 128;
  if (!value.has_value() || !is_judged(id) || (*value >= 0 && *value < limit)) return true;
  fail(
      Code::value_out_of_range, expr(id).span,
      what + " must be from 0 to " + std::to_string(limit - 1) + ", not " + std::to_string(*value));
  return false;
}

TypeId Checker::check_statement_builtin(ExprId id, const Builtin& row) {
  const Expr& e = expr(id);
  const std::string name = "`" + std::string(row.name) + "`";
  ExprInfo& of = info(id);
  of.touches_memory = true;
  const bool is_atomic = row.name.starts_with("atomic");
  if (function_ != nullptr) {
    function_->has_atomics = function_->has_atomics || is_atomic;
    function_->for_compute =
        function_->for_compute || (!is_atomic && row.function != Function::arrayLength);
  }
  const auto argument_type = [&](std::uint32_t i) { return info(item(e.list, i)).type; };
  const auto takes = [&](std::uint32_t count) {
    if (e.list.count == count) return true;
    fail(Code::invalid_call, e.span,
         name + " takes " + std::to_string(count) + " arguments, not " +
             std::to_string(e.list.count));
    return false;
  };
  switch (row.function) {
    case Function::storageBarrier:
    case Function::textureBarrier:
    case Function::workgroupBarrier: return takes(0) ? kVoid : kFault;
    default: break;
  }
  const std::uint32_t count = row.function == Function::atomicCompareExchangeWeak ? 3
                              : is_atomic && row.function != Function::atomicLoad ? 2
                                                                                  : 1;
  if (!takes(count)) return kFault;
  const Type pointer = types_[argument_type(0)];
  if (pointer.kind != TypeKind::pointer)
    return no_overload(id, row.name, "its first argument is a pointer; take one with `&`");
  if (is_atomic) return check_atomic(id, row, argument_type(0));
  if (row.function == Function::arrayLength) {
    of.touches_memory = false;
    if (pointer.space == AddressSpace::storage && types_.is_runtime_array(pointer.element))
      return kU32;
    return no_overload(id, row.name, "it takes a pointer to a runtime-sized array in storage");
  }
  if (pointer.space != AddressSpace::workgroup)
    return no_overload(id, row.name, "it takes a pointer to workgroup memory");
  note_read(item(e.list, 0));
  if (types_.is(pointer.element, TypeKind::atomic)) return types_[pointer.element].element;
  if (types_.is_constructible(pointer.element)) return pointer.element;
  return no_overload(id, row.name, "it takes a pointer to a value without atomics");
}

TypeId Checker::check_atomic(ExprId id, const Builtin& row, TypeId type) {
  const Expr& e = expr(id);
  const Type pointer = types_[type];
  if (!types_.is(pointer.element, TypeKind::atomic))
    return no_overload(id, row.name, "it takes a pointer to an atomic");
  if (pointer.space == AddressSpace::storage && pointer.access != AccessMode::read_write &&
      needed_access(row.function) != AccessMode::read)
    return no_overload(id, row.name, "the variable is read-only");
  if (pointer.space == AddressSpace::storage && pointer.access == AccessMode::read)
    return no_overload(id, row.name, "atomics need `read_write` storage");
  const TypeId element = types_[pointer.element].element;
  note_read(item(e.list, 0));
  if (row.function != Function::atomicLoad) note_write(item(e.list, 0));
  for (std::uint32_t i = 1; i < e.list.count; ++i) {
    if (!coerce(item(e.list, i), element))
      return no_overload(id, row.name, "the atomic is of " + type_name(element));
    if (info(item(e.list, i)).type == kFault) return kFault;
  }
  if (row.function == Function::atomicStore) return kVoid;
  if (row.function == Function::atomicCompareExchangeWeak)
    return types_.predeclared(Predeclared::compare_exchange, element);
  return element;
}

}  // namespace vyre::wgsl
