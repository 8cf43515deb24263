// SPDX-License-Identifier: MIT OR Apache-2.0
#include "wgsl/types.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/align.h"
#include "base/check.h"
#include "wgsl/texel_formats.h"

namespace vyre::wgsl {
namespace {

constexpr std::uint64_t kHuge = std::uint64_t{1} << 48U;

/// a * b, kept below a bound that no memory has.
std::uint64_t multiply(std::uint64_t a, std::uint64_t b) {
  return a != 0 && b > kHuge / a ? kHuge : a * b;
}

std::uint64_t round_up(std::uint64_t value, std::uint64_t align) {
  return align == 0 ? value : align_to(value, align);
}

}  // namespace

std::string_view to_string(AddressSpace space) {
  switch (space) {
    case AddressSpace::function: return "function";
    case AddressSpace::private_: return "private";
    case AddressSpace::workgroup: return "workgroup";
    case AddressSpace::uniform: return "uniform";
    case AddressSpace::storage: return "storage";
    case AddressSpace::handle: return "handle";
  }
  return {};
}

std::string_view to_string(AccessMode access) {
  switch (access) {
    case AccessMode::read: return "read";
    case AccessMode::write: return "write";
    case AccessMode::read_write: return "read_write";
  }
  return {};
}

std::size_t Types::Hash::operator()(const Type& type) const {
  std::uint64_t hash = static_cast<std::uint64_t>(type.kind) << 16U |
                       static_cast<std::uint64_t>(type.space) << 8U |
                       static_cast<std::uint64_t>(type.access) << 4U | (type.component ? 2U : 0U) |
                       (type.by_override ? 1U : 0U);
  for (const std::uint64_t part : {type.element, type.count, type.structure, type.format})
    hash = (hash ^ part) * 0x9e3779b97f4a7c15ULL;
  return static_cast<std::size_t>(hash ^ (hash >> 32U));
}

Types::Types() {
  for (int kind = 0; kind <= static_cast<int>(TypeKind::u64); ++kind)
    intern({.kind = static_cast<TypeKind>(kind)});
}

TypeId Types::intern(const Type& type) {
  const auto [entry, added] = ids_.try_emplace(type, static_cast<TypeId>(types_.size()));
  if (added) {
    types_.push_back(type);
    facts_.push_back(measure(type));
  }
  return entry->second;
}

TypeId Types::vector(TypeId element, std::uint32_t width) {
  if (element == kFault) return kFault;
  return intern({.kind = TypeKind::vector, .element = element, .count = width});
}

TypeId Types::matrix(TypeId scalar, std::uint32_t columns, std::uint32_t rows) {
  if (scalar == kFault) return kFault;
  return intern({.kind = TypeKind::matrix, .element = vector(scalar, rows), .count = columns});
}

TypeId Types::texture(std::uint32_t format, AccessMode access) {
  return intern({.kind = TypeKind::texture, .access = access, .format = format});
}

TypeId Types::array(TypeId element, std::uint32_t count, bool by_override) {
  if (element == kFault) return kFault;
  return intern(
      {.kind = TypeKind::array, .by_override = by_override, .element = element, .count = count});
}

TypeId Types::atomic(TypeId element) {
  return intern({.kind = TypeKind::atomic, .element = element});
}

TypeId Types::pointer(TypeId to, AddressSpace space, AccessMode access) {
  if (to == kFault) return kFault;
  return intern({.kind = TypeKind::pointer, .space = space, .access = access, .element = to});
}

TypeId Types::reference(TypeId to, AddressSpace space, AccessMode access, bool component) {
  if (to == kFault) return kFault;
  return intern({.kind = TypeKind::reference,
                 .space = space,
                 .access = access,
                 .component = component,
                 .element = to});
}

TypeId Types::structure(Structure structure) {
  std::uint64_t scalars = 0;
  for (Member& member : structure.members) {
    structure.indices.emplace(member.spelling,
                              static_cast<std::uint32_t>(structure.indices.size()));
    member.first_scalar = scalars;
    scalars = std::min(kHuge, scalars + scalar_count(member.type));
    const std::uint32_t align_of = member.align != 0 ? member.align : align(member.type);
    member.offset = round_up(structure.size, align_of);
    structure.size = member.offset + (member.size != 0 ? member.size : size(member.type));
    structure.align = std::max(structure.align, align_of);
  }
  structure.size = round_up(structure.size, structure.align);
  structures_.push_back(std::move(structure));
  return intern({.kind = TypeKind::structure,
                 .structure = static_cast<std::uint32_t>(structures_.size() - 1)});
}

TypeId Types::predeclared(Predeclared which, TypeId operand) {
  if (operand == kFault) return kFault;
  const std::string scalar = is_abstract(operand) ? "abstract" : name(scalar_of(operand));
  const std::string shape =
      is(operand, TypeKind::vector) ? "vec" + std::to_string(width(operand)) + "_" : "";
  Structure of;
  of.predeclared = which;
  switch (which) {
    case Predeclared::none: return kFault;
    case Predeclared::modf:
      of.name = "__modf_result_" + shape + scalar;
      of.members = {{.spelling = "fract", .type = operand}, {.spelling = "whole", .type = operand}};
      break;
    case Predeclared::frexp:
      of.name = "__frexp_result_" + shape + scalar;
      of.members = {{.spelling = "fract", .type = operand},
                    {.spelling = "exp",
                     .type = with_scalar(operand, is_abstract(operand) ? kAbstractInt : kI32)}};
      break;
    case Predeclared::compare_exchange:
      of.name = "__atomic_compare_exchange_result_" + scalar;
      of.members = {{.spelling = "old_value", .type = operand},
                    {.spelling = "exchanged", .type = kBool}};
      break;
  }
  const auto found = predeclared_.find(of.name);
  if (found != predeclared_.end()) return found->second;
  const std::string key = of.name;
  return predeclared_[key] = structure(std::move(of));
}

Types::Facts Types::measure_structure(const Structure& of) const {
  Facts facts{.size = of.size, .scalars = 0, .align = of.align};
  for (const Member& member : of.members) {
    const Facts& part = facts_[member.type];
    facts.scalars = std::min(kHuge, facts.scalars + part.scalars);
    facts.depth = std::max(facts.depth, part.depth + 1);
    facts.constructible = facts.constructible && part.constructible;
    facts.fixed_footprint = facts.fixed_footprint && part.fixed_footprint;
    facts.host_shareable = facts.host_shareable && part.host_shareable;
    facts.atomic = facts.atomic || part.atomic;
    facts.array = facts.array || part.array;
  }
  return facts;
}

Types::Facts Types::measure(const Type& type) const {
  if (type.kind == TypeKind::structure) return measure_structure(structures_[type.structure]);
  Facts facts = {};
  if (type.element != kFault) facts = facts_[type.element];
  switch (type.kind) {
    case TypeKind::boolean:
    case TypeKind::abstract_int:
    case TypeKind::abstract_float: facts.host_shareable = false; break;
    case TypeKind::f16:
      facts.size = 2;
      facts.align = 2;
      break;
    case TypeKind::i64:
    case TypeKind::u64:
      facts.size = 8;
      facts.align = 8;
      break;
    case TypeKind::vector:
      facts.size *= type.count;
      facts.align *= type.count == 2 ? 2 : 4;
      facts.scalars = type.count;
      ++facts.depth;
      break;
    case TypeKind::matrix:
    case TypeKind::array:
      facts.size = multiply(round_up(facts.size, facts.align), type.count);
      facts.scalars = multiply(facts.scalars, type.count);
      facts.fixed_footprint = facts.fixed_footprint && type.count != 0;
      facts.constructible = facts.constructible && type.count != 0 && !type.by_override;
      facts.array = facts.array || type.kind == TypeKind::array;
      ++facts.depth;
      break;
    case TypeKind::atomic:
      facts.constructible = false;
      facts.atomic = true;
      break;
    case TypeKind::void_:
    case TypeKind::pointer:
    case TypeKind::texture:
    case TypeKind::reference:
      facts.constructible = facts.fixed_footprint = facts.host_shareable = false;
      break;
    case TypeKind::fault:
    case TypeKind::i32:
    case TypeKind::u32:
    case TypeKind::f32:
    case TypeKind::structure: break;
  }
  return facts;
}

std::string Types::name(TypeId id) const {
  static constexpr std::string_view kScalars[] = {
      "<fault>", "no value", "AbstractInt", "AbstractFloat", "bool", "i32",
      "u32",     "f32",      "f16",         "i64",           "u64"};
  const Type& type = types_[id];
  switch (type.kind) {
    case TypeKind::vector:
      return "vec" + std::to_string(type.count) + "<" + name(type.element) + ">";
    case TypeKind::matrix:
      return "mat" + std::to_string(type.count) + "x" + std::to_string(width(type.element)) + "<" +
             name(scalar_of(type.element)) + ">";
    case TypeKind::array:
      return "array<" + name(type.element) +
             (type.count == 0 ? "" : ", " + std::to_string(type.count)) + ">";
    case TypeKind::structure: return structures_[type.structure].name;
    case TypeKind::atomic: return "atomic<" + name(type.element) + ">";
    case TypeKind::pointer:
    case TypeKind::reference: {
      std::string text = type.kind == TypeKind::pointer ? "ptr<" : "ref<";
      text += std::string(to_string(type.space)) + ", " + name(type.element);
      if (type.space == AddressSpace::storage) text += ", " + std::string(to_string(type.access));
      return text + ">";
    }
    case TypeKind::texture: {
      const std::string format(texel_formats()[type.format].name);
      if (type.format < 3) return "texture_2d<" + format + ">";
      return "texture_storage_2d<" + format + ", " + std::string(to_string(type.access)) + ">";
    }
    default: return std::string(kScalars[id]);
  }
}

TypeId Types::scalar_of(TypeId id) const {
  if (is_scalar(id)) return id;
  return is(id, TypeKind::vector) ? types_[id].element : kFault;
}

std::uint32_t Types::width(TypeId id) const {
  if (is_scalar(id)) return 1;
  return is(id, TypeKind::vector) ? types_[id].count : 0;
}

TypeId Types::with_scalar(TypeId shape, TypeId scalar) {
  if (is(shape, TypeKind::matrix)) return matrix(scalar, types_[shape].count, rows(shape));
  return is(shape, TypeKind::vector) ? vector(scalar, types_[shape].count) : scalar;
}

TypeId Types::store_type(TypeId id) const {
  return is(id, TypeKind::reference) || is(id, TypeKind::pointer) ? types_[id].element : id;
}

bool Types::is_abstract(TypeId id) const {
  while (is(id, TypeKind::vector) || is(id, TypeKind::matrix) || is(id, TypeKind::array))
    id = types_[id].element;
  if (is(id, TypeKind::structure) && structure(id).predeclared != Predeclared::none)
    return is_abstract(structure(id).members[0].type);
  return id == kAbstractInt || id == kAbstractFloat;
}

std::uint64_t Types::member_scalar(TypeId id, std::uint32_t member) const {
  if (is(id, TypeKind::vector)) return member;
  if (is(id, TypeKind::array) || is(id, TypeKind::matrix))
    return member * scalar_count(types_[id].element);
  return structure(id).members[member].first_scalar;
}

std::optional<std::uint32_t> Types::find_member(TypeId id, std::string_view name) const {
  const auto& indices = structure(id).indices;
  const auto found = indices.find(std::string(name));
  return found == indices.end() ? std::nullopt : std::optional(found->second);
}

void Types::flatten(TypeId id, std::vector<TypeId>& scalars) const {
  const Type& type = types_[id];
  if (type.kind == TypeKind::vector || type.kind == TypeKind::matrix ||
      type.kind == TypeKind::array) {
    for (std::uint32_t i = 0; i < type.count; ++i)
      flatten(type.element, scalars);
  } else if (type.kind == TypeKind::structure) {
    for (const Member& member : structure(id).members)
      flatten(member.type, scalars);
  } else {
    scalars.push_back(id);
  }
}

bool Types::converts(TypeId from, TypeId to) const {
  if (from == to || from == kFault || to == kFault) return true;
  const Type& a = types_[from];
  const Type& b = types_[to];
  if (a.kind == TypeKind::vector || a.kind == TypeKind::matrix || a.kind == TypeKind::array)
    return a.kind == b.kind && a.count == b.count && is_abstract(from) &&
           converts(a.element, b.element);
  if (a.kind == TypeKind::structure)
    return b.kind == a.kind && is_abstract(from) &&
           structure(from).predeclared == structure(to).predeclared &&
           converts(structure(from).members[0].type, structure(to).members[0].type);
  if (from == kAbstractInt)
    return is_integer(to) || to == kAbstractFloat || to == kF32 || to == kF16;
  return from == kAbstractFloat && (to == kF32 || to == kF16);
}

TypeId Types::unify(TypeId a, TypeId b) {
  if (converts(a, b)) return a == kFault ? a : b;
  return converts(b, a) ? a : kFault;
}

TypeId Types::concrete(TypeId id) {
  const Type type = types_[id];
  switch (type.kind) {
    case TypeKind::abstract_int: return kI32;
    case TypeKind::abstract_float: return kF32;
    case TypeKind::vector: return vector(concrete(type.element), type.count);
    case TypeKind::matrix: return matrix(concrete(component_of(id)), type.count, rows(id));
    case TypeKind::array: return array(concrete(type.element), type.count, type.by_override);
    case TypeKind::structure:
      return is_abstract(id)
                 ? predeclared(structure(id).predeclared, concrete(structure(id).members[0].type))
                 : id;
    default: return id;
  }
}

std::uint64_t Types::stride(TypeId array) const {
  const TypeId element = types_[array].element;
  return round_up(size(element), align(element));
}

ScalarType ir_scalar(TypeId id) {
  switch (id) {
    case kBool: return ScalarType::boolean;
    case kI32: return ScalarType::i32;
    case kU32: return ScalarType::u32;
    case kF16: return ScalarType::f16;
    case kI64: return ScalarType::i64;
    case kU64: return ScalarType::u64;
    default: break;
  }
  VYRE_CHECK(id == kF32);
  return ScalarType::f32;
}

}  // namespace vyre::wgsl
