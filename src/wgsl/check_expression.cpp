// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <string_view>

#include "wgsl/checker.h"

namespace vyre::wgsl {
namespace {

Stage later(Stage a, Stage b) {
  return std::max(a, b);
}

TypeId integer_type(Suffix suffix) {
  switch (suffix) {
    case Suffix::i: return kI32;
    case Suffix::u: return kU32;
    case Suffix::li: return kI64;
    case Suffix::lu: return kU64;
    case Suffix::none:
    case Suffix::f:
    case Suffix::h: break;
  }
  return kAbstractInt;
}

/// The components that a swizzle names, two bits each; nothing if it is none.
std::optional<std::uint32_t> swizzle(std::string_view name) {
  if (name.empty() || name.size() > 4) return std::nullopt;
  const std::string_view set =
      std::string_view("xyzw").find(name[0]) != std::string_view::npos ? "xyzw" : "rgba";
  std::uint32_t code = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const std::size_t component = set.find(name[i]);
    if (component == std::string_view::npos) return std::nullopt;
    code |= static_cast<std::uint32_t>(component) << (2 * i);
  }
  return code;
}

}  // namespace

TypeId Checker::check(ExprId id) {
  const Expr& e = expr(id);
  if (function_ != nullptr) ++function_->weight;
  TypeId type = kFault;
  switch (e.kind) {
    case ExprKind::fault: break;
    case ExprKind::int_literal:
    case ExprKind::float_literal:
    case ExprKind::bool_literal: type = check_literal(e, info(id)); break;
    case ExprKind::identifier: type = check_identifier(id); break;
    case ExprKind::call: type = check_call(id); break;
    case ExprKind::index: type = check_index(id); break;
    case ExprKind::member: type = check_member(id); break;
    case ExprKind::unary: type = check_unary(id); break;
    case ExprKind::binary: type = check_binary_chain(id); break;
  }
  return info(id).type = type;
}

/// Checks an expression whose value is used: memory is read.
TypeId Checker::check_value(ExprId id) {
  const TypeId type = check(id);
  if (type == kVoid) {
    info(id).type = kFault;
    return fail(Code::type_mismatch, expr(id).span, "this call yields no value");
  }
  if (!types_.is(type, TypeKind::reference)) return type;
  const Type reference = types_[type];
  note_read(id);
  if (reference.space == AddressSpace::storage || reference.space == AddressSpace::workgroup)
    info(id).touches_memory = true;
  if (types_.is_constructible(reference.element)) {
    if (types_.scalar_count(reference.element) <= 16 ||
        check_value_size(reference.element, expr(id).span))
      return reference.element;
    return info(id).type = kFault;
  }
  info(id).type = kFault;
  return fail(Code::type_mismatch, expr(id).span,
              "a value of type " + type_name(reference.element) + " cannot be read as a whole",
              types_.is(reference.element, TypeKind::atomic) ? "read it with atomicLoad" : "");
}

TypeId Checker::check_literal(const Expr& e, ExprInfo& of) {
  of.stage = Stage::constant;
  const auto put = [&](TypeId type, Cell bits) {
    const Cell cell[] = {bits};
    of.value = constants_.add(cell);
    return type;
  };
  if (e.kind == ExprKind::bool_literal) return put(kBool, e.integer);
  if (e.kind == ExprKind::int_literal) return put(integer_type(e.suffix), e.integer);
  if (e.suffix == Suffix::h && !allows_f16(e.span)) return kFault;
  const Scalar value = abstract_float(e.real);
  if (e.suffix == Suffix::none) return put(kAbstractFloat, value.bits);
  const TypeId type = e.suffix == Suffix::h ? kF16 : kF32;
  ScalarFault fault = ScalarFault::none;
  return put(type, convert(value, type, fault).bits);
}

TypeId Checker::check_identifier(ExprId id) {
  const Expr& e = expr(id);
  ExprInfo& of = info(id);
  const Binding binding = lookup(e.name.symbol);
  of.kind = binding.kind;
  of.target = binding.index;
  if (e.templated && binding.kind != Target::none)
    return fail(Code::type_mismatch, e.span, quoted(e.name.symbol) + " takes no template list");
  if (binding.kind == Target::parameter) return out_.fields[binding.index];
  if (binding.kind == Target::declaration) {
    const Declaration& d = out_.tree.declarations[binding.index];
    const DeclarationInfo& from = out_.declarations[binding.index];
    for (const Loop& loop : open_loops_)
      if (loop.in_continuing && binding.depth == loop.depth &&
          binding.span.begin > loop.first_continue)
        return fail(Code::invalid_flow, e.span,
                    "a `continue` of this loop skips the declaration of " + quoted(e.name.symbol));
    if (types_.is(from.type, TypeKind::texture)) return from.type;
    if (d.kind == DeclarationKind::var) return types_.reference(from.type, from.space, from.access);
    of.stage = from.stage;
    of.value = from.value;
    return from.type;
  }
  if (binding.kind == Target::function || binding.kind == Target::type)
    return fail(Code::type_mismatch, e.span,
                quoted(e.name.symbol) + " names a " +
                    (binding.kind == Target::type ? "type" : "function") + ", not a value");
  if (predeclared_[e.name.symbol] != nullptr)
    return fail(Code::type_mismatch, e.span, quoted(e.name.symbol) + " is not a value");
  return fail(Code::unknown_identifier, e.span,
              "nothing named " + quoted(e.name.symbol) + " is declared here",
              suggest(names_.text(e.name.symbol), Sought::value));
}

/// The reference that a pointer base stands for; other types stay.
TypeId Checker::through_pointer(ExprId base, TypeId type, ExprInfo& of) {
  if (!types_.is(type, TypeKind::pointer)) return type;
  const Type pointer = types_[type];
  of.through_pointer = true;
  of.touches_memory = info(base).touches_memory;
  return types_.reference(pointer.element, pointer.space, pointer.access);
}

bool Checker::check_index_bound(ExprId index, TypeId indexed) {
  const auto value = known_integer(index);
  if (!value.has_value() || !is_judged(index)) return true;
  const std::uint32_t count = types_[indexed].count;
  if (*value >= 0 && (count == 0 || *value < count)) return true;
  fail(Code::index_out_of_bounds, expr(index).span,
       "the index " + std::to_string(*value) + " is outside of " + type_name(indexed));
  return false;
}

/// Remembers the `let` or parameter whose array value is indexed at run time.
void Checker::note_indexed(ExprId id) {
  while (expr(id).kind == ExprKind::index || expr(id).kind == ExprKind::member)
    id = expr(id).left;
  if (expr(id).kind != ExprKind::identifier) return;
  const ExprInfo& of = info(id);
  if (of.kind == Target::declaration) out_.indexed_declarations.insert(of.target);
  if (of.kind == Target::parameter) out_.indexed_fields.insert(of.target);
}

TypeId Checker::check_index(ExprId id) {
  const Expr& e = expr(id);
  ExprInfo& of = info(id);
  const TypeId base = through_pointer(e.left, check(e.left), of);
  const TypeId index = check_value(e.right);
  of.touches_memory = info(e.left).touches_memory || info(e.right).touches_memory;
  if (base == kFault || index == kFault) return kFault;
  const TypeId indexed = types_.store_type(base);
  if (!types_.is(indexed, TypeKind::array) && !types_.is(indexed, TypeKind::matrix) &&
      !types_.is(indexed, TypeKind::vector))
    return fail(Code::type_mismatch, e.span, type_name(indexed) + " cannot be indexed");
  if (index != kAbstractInt && index != kI32 && index != kU32)
    return fail(Code::type_mismatch, expr(e.right).span,
                "an index must be `i32` or `u32`, not " + type_name(index));
  if (!check_index_bound(e.right, indexed)) return kFault;
  if (concretize(e.right) == kFault) return kFault;
  const Type of_indexed = types_[indexed];
  if (types_.is(base, TypeKind::reference)) {
    const Type reference = types_[base];
    if (!is_known(e.right) && of_indexed.kind == TypeKind::array) of.touches_memory = true;
    return types_.reference(of_indexed.element, reference.space, reference.access,
                            of_indexed.kind == TypeKind::vector);
  }
  of.stage = later(info(e.left).stage, info(e.right).stage);
  const TypeId whole = of.stage == Stage::constant ? indexed : concretize(e.left);
  if (whole == kFault) return kFault;
  if (of.stage == Stage::runtime) {
    if (!is_known(e.right) && of_indexed.kind == TypeKind::array) {
      of.touches_memory = true;
      note_indexed(e.left);
    }
    return types_[whole].element;
  }
  const std::uint64_t at =
      is_judged(e.right) ? static_cast<std::uint64_t>(*known_integer(e.right)) : 0;
  of.value =
      info(e.left).value + static_cast<ConstId>(at * types_.scalar_count(of_indexed.element));
  return types_[whole].element;
}

/// A member's name for one that there is not; of a small structure all of them.
std::string Checker::suggest_member(TypeId structure, std::string_view name) const {
  if (faults_.full()) return {};
  const std::vector<Member>& members = types_.structure(structure).members;
  Nearest nearest(name);
  std::string all;
  for (const Member& member : members) {
    nearest.offer(member.spelling);
    if (members.size() <= 8) all += (all.empty() ? "`" : ", `") + member.spelling + "`";
  }
  if (!nearest.name().empty()) return nearest.question();
  return all.empty() ? all : "its members are " + all;
}

TypeId Checker::check_member(ExprId id) {
  const Expr& e = expr(id);
  ExprInfo& of = info(id);
  const TypeId base = through_pointer(e.left, check(e.left), of);
  of.touches_memory = info(e.left).touches_memory;
  if (base == kFault) return kFault;
  const TypeId within = types_.store_type(base);
  if (types_.is(within, TypeKind::vector)) return check_swizzle(id, within, base);
  if (!types_.is(within, TypeKind::structure))
    return fail(Code::type_mismatch, e.span, type_name(within) + " has no members");
  const auto found = types_.find_member(within, names_.text(e.name.symbol));
  if (!found.has_value())
    return fail(Code::unknown_identifier, e.name.span,
                type_name(within) + " has no member " + quoted(e.name.symbol),
                suggest_member(within, names_.text(e.name.symbol)));
  of.kind = Target::member;
  of.target = *found;
  const TypeId type = types_.structure(within).members[*found].type;
  if (types_.is(base, TypeKind::reference)) {
    const Type reference = types_[base];
    return types_.reference(type, reference.space, reference.access);
  }
  of.stage = info(e.left).stage;
  if (of.stage != Stage::runtime)
    of.value = info(e.left).value + static_cast<ConstId>(types_.member_scalar(within, of.target));
  return type;
}

TypeId Checker::check_swizzle(ExprId id, TypeId vector, TypeId base) {
  const Expr& e = expr(id);
  ExprInfo& of = info(id);
  const std::string_view name = names_.text(e.name.symbol);
  const auto code = swizzle(name);
  const Type vec = types_[vector];
  const auto width = static_cast<std::uint32_t>(name.size());
  bool fits = code.has_value();
  for (std::uint32_t i = 0; fits && i < width; ++i)
    fits = (*code >> (2 * i) & 3U) < vec.count;
  if (!fits)
    return fail(Code::unknown_identifier, e.name.span,
                type_name(vector) + " has no components " + quoted(e.name.symbol),
                "name one to four of `" + std::string("xyzw").substr(0, vec.count) + "`, or of `" +
                    std::string("rgba").substr(0, vec.count) + "`");
  of.kind = Target::swizzle;
  of.target = *code;
  if (types_.is(base, TypeKind::reference)) {
    const Type reference = types_[base];
    if (width == 1) return types_.reference(vec.element, reference.space, reference.access, true);
    note_read(e.left);
    if (reference.space == AddressSpace::storage || reference.space == AddressSpace::workgroup)
      of.touches_memory = true;
    return types_.vector(vec.element, width);
  }
  const TypeId type = width == 1 ? vec.element : types_.vector(vec.element, width);
  of.stage = info(e.left).stage;
  if (of.stage == Stage::runtime) return type;
  std::vector<Scalar> values;
  const std::vector<Scalar> from = scalars(e.left);
  for (std::uint32_t i = 0; i < width; ++i)
    values.push_back(from[*code >> (2 * i) & 3U]);
  return set_value(id, type, values);
}

TypeId Checker::check_address_of(ExprId id) {
  const Expr& e = expr(id);
  const TypeId type = check(e.left);
  info(id).touches_memory = info(e.left).touches_memory;
  if (type == kFault) return kFault;
  const Type reference = types_[type];
  if (reference.kind != TypeKind::reference)
    return fail(Code::type_mismatch, e.span, "only variables and their parts have an address");
  if (reference.component)
    return fail(Code::type_mismatch, e.span, "a component of a vector has no address");
  return types_.pointer(reference.element, reference.space, reference.access);
}

TypeId Checker::check_indirection(ExprId id) {
  const Expr& e = expr(id);
  const TypeId type = check_value(e.left);
  info(id).touches_memory = info(e.left).touches_memory;
  if (type == kFault) return kFault;
  const Type pointer = types_[type];
  if (pointer.kind != TypeKind::pointer)
    return fail(Code::type_mismatch, e.span,
                "`*` follows pointers; " + type_name(type) + " is none");
  return types_.reference(pointer.element, pointer.space, pointer.access);
}

TypeId Checker::check_unary(ExprId id) {
  const Expr& e = expr(id);
  if (e.unary == UnaryOp::address_of) return check_address_of(id);
  if (e.unary == UnaryOp::indirection) return check_indirection(id);
  const TypeId type = check_value(e.left);
  if (type == kFault) return kFault;
  const TypeId scalar = types_.scalar_of(type);
  bool good = false;
  Op op = Op::neg;
  if (e.unary == UnaryOp::negate) {
    good = types_.is_numeric_scalar(scalar) && scalar != kU32 && scalar != kU64;
  } else if (e.unary == UnaryOp::bit_not) {
    op = Op::bit_not;
    good = scalar == kAbstractInt || Types::is_integer(scalar);
  } else {
    op = Op::logical_not;
    good = scalar == kBool;
  }
  if (!good)
    return fail(
        Code::type_mismatch, e.span,
        "the operator `" + std::string(spelling(e.unary)) + "` does not take " + type_name(type));
  ExprInfo& of = info(id);
  of.touches_memory = info(e.left).touches_memory;
  of.stage = info(e.left).stage;
  return of.stage == Stage::runtime ? type : evaluate_unary(id, type, op);
}

}  // namespace vyre::wgsl
