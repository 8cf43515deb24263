// SPDX-License-Identifier: MIT OR Apache-2.0
#include "wgsl/checker.h"

namespace vyre::wgsl {
namespace {

constexpr std::uint32_t kMaxTypeDepth = 15;
constexpr std::uint64_t kMaxTypeBytes = 0xfffffff0;  ///< layouts count bytes in 32 bits

}  // namespace

/// The type that an expression in a type's place names.
TypeId Checker::type_of(ExprId id) {
  if (id == kNone || expr(id).kind == ExprKind::fault) return kFault;
  const TypeId type = named_type(id, true);
  if (type == kFault || types_.depth(type) <= kMaxTypeDepth) return type;
  return fail(Code::internal_limit, expr(id).span,
              "this type is nested deeper than the limit of " + std::to_string(kMaxTypeDepth));
}

TypeId Checker::sized(TypeId type, Span span) {
  if (type == kFault || types_.size(type) <= kMaxTypeBytes) return type;
  return fail(Code::internal_limit, span,
              "this type takes more than the limit of " + std::to_string(kMaxTypeBytes) + " bytes");
}

TypeId Checker::named_type(ExprId id, bool report) {
  const Expr& e = expr(id);
  if (e.kind != ExprKind::identifier) {
    return report ? fail(Code::invalid_type, e.span, "expected a type, found an expression")
                  : kFault;
  }
  const Binding binding = lookup(e.name.symbol);
  if (binding.kind == Target::type) {
    if (e.templated)
      return fail(Code::invalid_type, e.span, quoted(e.name.symbol) + " takes no template list");
    return out_.declarations[binding.index].type;
  }
  if (binding.kind == Target::none) {
    const Predeclare* row = predeclared_[e.name.symbol];
    if (row != nullptr && row->kind != PredeclareKind::builtin &&
        row->kind != PredeclareKind::bitcast && row->kind != PredeclareKind::enumerant)
      return predeclared_type(e, *row);
    if (row == nullptr) {
      return report ? fail(Code::unknown_identifier, e.span,
                           "there is no type " + quoted(e.name.symbol),
                           suggest(names_.text(e.name.symbol), Sought::type))
                    : kFault;
    }
  }
  return report ? fail(Code::invalid_type, e.span, quoted(e.name.symbol) + " is not a type")
                : kFault;
}

bool Checker::check_template_count(const Expr& e, std::uint32_t least, std::uint32_t most) {
  if (e.list.count >= least && e.list.count <= most) return true;
  const std::string limits =
      least == most ? std::to_string(least) : std::to_string(least) + " to " + std::to_string(most);
  fail(Code::invalid_type, e.span,
       quoted(e.name.symbol) + " takes " + (most == 0 ? "no" : limits) +
           " template arguments, not " + std::to_string(e.list.count));
  return false;
}

TypeId Checker::template_type(const Expr& e, std::uint32_t index) {
  return type_of(item(e.list, index));
}

/// False, after telling it, where `f16` is used and not enabled.
bool Checker::allows_f16(Span span) {
  if (f16_enabled_) return true;
  fail(Code::invalid_type, span, "`f16` is used, but not enabled",
       "begin the text with `enable f16;`");
  return false;
}

TypeId Checker::predeclared_type(const Expr& e, const Predeclare& row) {
  if (row.type == kF16 && !allows_f16(e.span)) return kFault;
  switch (row.kind) {
    case PredeclareKind::scalar: return check_template_count(e, 0, 0) ? row.type : kFault;
    case PredeclareKind::vector: {
      if (row.type != kFault)
        return check_template_count(e, 0, 0) ? types_.vector(row.type, row.width) : kFault;
      if (!check_template_count(e, 1, 1)) return kFault;
      const TypeId element = template_type(e, 0);
      if (element != kFault && !types_.is_scalar(element))
        return fail(Code::invalid_type, e.span,
                    "the components of a vector must be scalars, not " + type_name(element));
      return types_.vector(element, row.width);
    }
    case PredeclareKind::matrix: return matrix_type(e, row);
    case PredeclareKind::array: return array_type(e);
    case PredeclareKind::sampled_texture:
    case PredeclareKind::storage_texture: return texture_type(e, row);
    case PredeclareKind::atomic: {
      if (!check_template_count(e, 1, 1)) return kFault;
      const TypeId element = template_type(e, 0);
      if (element == kFault) return kFault;
      if (Types::is_integer(element)) return types_.atomic(element);
      return fail(Code::invalid_type, e.span,
                  "an atomic must be of an integer, not " + type_name(element));
    }
    case PredeclareKind::pointer: return pointer_type(e);
    case PredeclareKind::unsupported:
      return unsupported(e.span, "the type " + quoted(e.name.symbol) + " is");
    case PredeclareKind::bitcast:
    case PredeclareKind::builtin:
    case PredeclareKind::enumerant: break;
  }
  return kFault;
}

TypeId Checker::matrix_type(const Expr& e, const Predeclare& row) {
  if (row.type != kFault)
    return check_template_count(e, 0, 0) ? types_.matrix(row.type, row.width, row.rows) : kFault;
  if (!check_template_count(e, 1, 1)) return kFault;
  const TypeId scalar = template_type(e, 0);
  if (scalar != kFault && scalar != kF32 && scalar != kF16)
    return fail(Code::invalid_type, e.span,
                "the components of a matrix must be floats, not " + type_name(scalar));
  return types_.matrix(scalar, row.width, row.rows);
}

TypeId Checker::array_type(const Expr& e) {
  if (!check_template_count(e, 1, 2)) return kFault;
  const TypeId element = template_type(e, 0);
  bool by_override = false;
  std::optional<std::uint32_t> count = 0;
  if (e.list.count == 2) count = array_count(item(e.list, 1), by_override);
  if (element == kFault || !count.has_value()) return kFault;
  if (!types_.has_fixed_footprint(element) || types_[element].by_override)
    return fail(Code::invalid_type, expr(item(e.list, 0)).span,
                "the elements of an array cannot be of type " + type_name(element));
  return sized(types_.array(element, *count, by_override), e.span);
}

/// A positive count that is known before the kernel runs.
std::optional<std::uint32_t> Checker::array_count(ExprId id, bool& by_override) {
  const std::uint32_t unevaluated = std::exchange(unevaluated_, 0);
  const TypeId type = check_value(id);
  unevaluated_ = unevaluated;
  if (require_stage(id, Stage::override_, "the element count of an array") == kFault)
    return std::nullopt;
  by_override = info(id).stage == Stage::override_;
  const auto count = known_integer(id);
  if (!count.has_value()) {
    fail(Code::type_mismatch, expr(id).span,
         "the element count of an array must be an integer, not " + type_name(type));
    return std::nullopt;
  }
  if (is_assumed(id)) return 1;
  if (*count < 1 || *count > 0x7fffffff) {
    fail(Code::value_out_of_range, expr(id).span,
         "the element count of an array must be from 1 to 2147483647, not " +
             std::to_string(*count));
    return std::nullopt;
  }
  return static_cast<std::uint32_t>(*count);
}

TypeId Checker::pointer_type(const Expr& e) {
  if (!check_template_count(e, 2, 3)) return kFault;
  const auto space = address_space(item(e.list, 0));
  const TypeId to = template_type(e, 1);
  if (!space.has_value() || to == kFault) return kFault;
  if (*space == AddressSpace::handle)
    return fail(Code::invalid_type, e.span, "a pointer cannot lead to the handle address space");
  AccessMode access = *space == AddressSpace::storage || *space == AddressSpace::uniform
                          ? AccessMode::read
                          : AccessMode::read_write;
  if (e.list.count == 3) {
    if (*space != AddressSpace::storage)
      return fail(Code::invalid_type, expr(item(e.list, 2)).span,
                  "only pointers to storage have an access mode");
    const auto mode = access_mode(item(e.list, 2));
    if (!mode.has_value()) return kFault;
    access = *mode;
  }
  const bool atomic = types_.contains_atomic(to);
  const bool good =
      access == AccessMode::write ? false
      : *space == AddressSpace::storage
          ? types_.is_host_shareable(to) && (!atomic || access == AccessMode::read_write)
      : *space == AddressSpace::uniform
          ? types_.is_host_shareable(to) && types_.is_constructible(to)
      : *space == AddressSpace::workgroup ? types_.has_fixed_footprint(to)
                                          : types_.is_constructible(to);
  if (!good)
    return fail(Code::invalid_type, e.span,
                "a pointer to " + std::string(to_string(*space)) + " cannot lead to " +
                    type_name(to) + " with access " + std::string(to_string(access)));
  return types_.pointer(to, *space, access);
}

std::optional<AddressSpace> Checker::address_space(ExprId id) {
  const Expr& e = expr(id);
  if (e.kind == ExprKind::identifier && !e.templated &&
      lookup(e.name.symbol).kind == Target::none) {
    for (const AddressSpace space :
         {AddressSpace::function, AddressSpace::private_, AddressSpace::workgroup,
          AddressSpace::uniform, AddressSpace::storage})
      if (names_.text(e.name.symbol) == to_string(space)) return space;
  }
  fail(Code::invalid_type, e.span, "expected an address space",
       "write function, private, workgroup, uniform or storage");
  return std::nullopt;
}

std::optional<AccessMode> Checker::access_mode(ExprId id) {
  const Expr& e = expr(id);
  if (e.kind == ExprKind::identifier && !e.templated &&
      lookup(e.name.symbol).kind == Target::none) {
    for (const AccessMode mode : {AccessMode::read, AccessMode::write, AccessMode::read_write})
      if (names_.text(e.name.symbol) == to_string(mode)) return mode;
  }
  fail(Code::invalid_type, e.span, "expected an access mode", "write read, write or read_write");
  return std::nullopt;
}

}  // namespace vyre::wgsl
