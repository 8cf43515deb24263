// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <unordered_set>
#include <variant>

#include "validate/validate.h"
#include "wgsl/checker.h"

namespace vyre::wgsl {
namespace {

/// A value from outside the text; whole numbers are integers, those beyond an i64 are u64.
Scalar scalar_of(const ConstantValue& given) {
  const auto whole = [](std::uint64_t bits) {
    const bool fits = bits <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    return fits ? abstract_int(static_cast<std::int64_t>(bits)) : Scalar{kU64, bits};
  };
  if (const auto* bits = std::get_if<std::uint64_t>(&given.value)) return whole(*bits);
  if (const auto* number = std::get_if<std::int64_t>(&given.value)) return abstract_int(*number);
  const double real = std::get<double>(given.value);
  if (real != std::trunc(real) || real < -0x1p63 || real >= 0x1p64) return abstract_float(real);
  return real < 0 ? abstract_int(static_cast<std::int64_t>(real))
                  : whole(static_cast<std::uint64_t>(real));
}

/// The same as a `type`, if that can hold it.
std::optional<Scalar> given_as(Scalar given, TypeId type) {
  if (!Types::is_integer(type)) {
    given = abstract_float(given.type == kU64 ? static_cast<double>(given.bits) : as_double(given));
  } else if (given.type == kU64) {
    return type == kU64 ? std::optional(given) : std::nullopt;
  } else if (given.type == kAbstractFloat) {
    return std::nullopt;
  }
  ScalarFault fault = ScalarFault::none;
  const Scalar converted = convert_explicitly(given, type, fault);
  return fault == ScalarFault::none ? std::optional(converted) : std::nullopt;
}

}  // namespace

/// Resolves a declaration of the module after all that it needs, in an order found by an explicit
/// depth-first search: chains of declarations may be of any length.
void Checker::require(std::uint32_t declaration) {
  if (states_[declaration] == 2) return;
  struct Frame {
    std::uint32_t declaration;
    std::vector<std::uint32_t> needs;
    std::size_t next = 0;
  };
  std::vector<Frame> stack;
  std::vector<std::uint32_t> path;
  const auto enter = [&](std::uint32_t d) {
    states_[d] = 1;
    positions_[d] = static_cast<std::uint32_t>(path.size());
    path.push_back(d);
    stack.push_back({d, {}});
    dependencies(d, stack.back().needs);
  };
  enter(declaration);
  while (!stack.empty()) {
    Frame& top = stack.back();
    if (top.next == top.needs.size()) {
      if (states_[top.declaration] != 2) resolve(top.declaration);
      for (const std::uint32_t needed : top.needs)
        if (out_.declarations[needed].faulty) out_.declarations[top.declaration].faulty = true;
      states_[top.declaration] = 2;
      path.pop_back();
      stack.pop_back();
      continue;
    }
    const std::uint32_t needed = top.needs[top.next++];
    if (states_[needed] == 0) {
      enter(needed);
    } else if (states_[needed] == 1 && states_[top.declaration] == 1) {
      report_cycle(path, needed);
    }
  }
}

/// Each declaration is told of once: those of the path whose state is 2 have been already, and all
/// that follow them.
void Checker::report_cycle(const std::vector<std::uint32_t>& path, std::uint32_t again) {
  const auto give_up = [&](std::uint32_t d) {
    states_[d] = 2;  // its type stays a fault
    out_.declarations[d].faulty = true;
    if (out_.tree.declarations[d].kind == DeclarationKind::function)
      out_.functions[d].result = kFault;
  };
  constexpr std::size_t kNamed = 10;
  const auto name = [&](std::uint32_t d) { return quoted(out_.tree.declarations[d].name.symbol); };
  const std::size_t first = positions_[again];
  std::string chain;
  for (std::size_t i = first; i < std::min(path.size(), first + kNamed); ++i)
    chain += name(path[i]) + " → ";
  if (path.size() - first > kNamed) chain += "… → ";
  for (std::size_t i = first; i < path.size() && states_[path[i]] == 1; ++i)
    give_up(path[i]);
  give_up(path.back());
  fail(Code::cyclic_declaration, out_.tree.declarations[again].name.span,
       name(again) + " needs itself: " + chain + name(again));
}

/// The declarations of the module that must be resolved before this one.
void Checker::dependencies(std::uint32_t index, std::vector<std::uint32_t>& out) const {
  const Declaration& d = out_.tree.declarations[index];
  std::vector<ExprId> pending = {d.type, d.value};
  const auto add_list = [&](Range list) {
    for (std::uint32_t i = 0; i < list.count; ++i)
      pending.push_back(item(list, i));
  };
  const auto add_attributes = [&](Range attributes) {
    for (std::uint32_t i = 0; i < attributes.count; ++i) {
      const Attribute& attribute = out_.tree.attributes[attributes.first + i];
      const std::string_view name = names_.text(attribute.name.symbol);
      if (name != "builtin" && name != "interpolate" && name != "diagnostic")
        add_list(attribute.arguments);
    }
  };
  add_list(d.templates);
  add_attributes(d.attributes);
  for (std::uint32_t i = 0; i < d.fields.count; ++i) {
    pending.push_back(out_.tree.fields[d.fields.first + i].type);
    add_attributes(out_.tree.fields[d.fields.first + i].attributes);
  }
  while (!pending.empty()) {
    const ExprId id = pending.back();
    pending.pop_back();
    if (id == kNone) continue;
    const Expr& e = expr(id);
    if (e.kind == ExprKind::identifier && globals_[e.name.symbol] != kNone)
      out.push_back(globals_[e.name.symbol]);
    pending.push_back(e.left);
    pending.push_back(e.right);
    add_list(e.list);
  }
}

void Checker::resolve(std::uint32_t index) {
  const Declaration& d = out_.tree.declarations[index];
  DeclarationInfo& of = out_.declarations[index];
  // The names of an enclosing function are not visible here.
  const bool module_scope = std::exchange(module_scope_, true);
  FunctionInfo* const function = std::exchange(function_, nullptr);
  const std::uint32_t unevaluated = std::exchange(unevaluated_, 0);
  const std::size_t errors = faults_.errors();
  ++resolving_;
  reject_repeated_attributes(d.attributes);
  if (!d.faulty || d.kind == DeclarationKind::function) {
    switch (d.kind) {
      case DeclarationKind::alias: of.type = type_of(d.type); break;
      case DeclarationKind::structure: resolve_structure(d, of); break;
      case DeclarationKind::const_: resolve_value(d, of); break;
      case DeclarationKind::override_: resolve_override(d, of); break;
      case DeclarationKind::var: resolve_global_var(d, of); break;
      case DeclarationKind::function: resolve_signature(index, d); break;
      case DeclarationKind::const_assert: check_const_assert(d.value, d.span); break;
      case DeclarationKind::let: break;
    }
  }
  of.faulty = of.faulty || d.faulty || faults_.errors() != errors;
  if (--resolving_ == 0) module_errors_ += faults_.errors() - errors;
  module_scope_ = module_scope;
  function_ = function;
  unevaluated_ = unevaluated;
}

void Checker::check_const_assert(ExprId condition, Span span) {
  const TypeId type = check_value(condition);
  if (require_stage(condition, Stage::constant, "the condition of `const_assert`") == kFault)
    return;
  if (type != kBool) {
    fail(Code::type_mismatch, expr(condition).span,
         "the condition of `const_assert` must be `bool`, not " + type_name(type));
  } else if (constants_[info(condition).value] == 0) {
    fail(Code::assertion_failed, span, "this assertion is false");
  }
}

const Attribute* Checker::find_attribute(Range attributes, std::string_view name) const {
  for (std::uint32_t i = 0; i < attributes.count; ++i) {
    const Attribute& attribute = out_.tree.attributes[attributes.first + i];
    if (names_.text(attribute.name.symbol) == name) return &attribute;
  }
  return nullptr;
}

void Checker::reject_repeated_attributes(Range attributes) {
  std::unordered_set<Symbol> seen;
  for (std::uint32_t i = 0; i < attributes.count; ++i) {
    const Attribute& attribute = out_.tree.attributes[attributes.first + i];
    const std::string_view name = names_.text(attribute.name.symbol);
    if (name != "diagnostic" && !seen.insert(attribute.name.symbol).second)
      fail(Code::invalid_attribute, attribute.span,
           "the attribute `@" + std::string(name) + "` is repeated");
  }
}

/// The value of an integer attribute from 0 to `limit`; nothing if it is absent or faulty.
std::optional<std::uint32_t> Checker::attribute_value(Range attributes,
                                                      std::string_view name,
                                                      std::uint64_t limit) {
  const Attribute* attribute = find_attribute(attributes, name);
  if (attribute == nullptr || attribute->arguments.count != 1) return std::nullopt;
  const ExprId argument = item(attribute->arguments, 0);
  const std::string what = "the argument of `@" + std::string(name) + "`";
  check_value(argument);
  if (require_stage(argument, Stage::constant, what) == kFault) return std::nullopt;
  const auto value = known_integer(argument);
  if (value.has_value() && *value >= 0 && static_cast<std::uint64_t>(*value) <= limit)
    return static_cast<std::uint32_t>(*value);
  fail(Code::invalid_attribute, expr(argument).span,
       what + " must be an integer from 0 to " + std::to_string(limit));
  return std::nullopt;
}

void Checker::resolve_structure(const Declaration& d, DeclarationInfo& of) {
  Structure structure;
  structure.name = text(d.name.symbol);
  std::unordered_set<Symbol> seen;
  bool good = true;
  for (std::uint32_t i = 0; i < d.fields.count; ++i) {
    const Field& field = out_.tree.fields[d.fields.first + i];
    Member member;
    member.name = field.name.symbol;
    member.spelling = text(field.name.symbol);
    member.type = type_of(field.type);
    if (!seen.insert(field.name.symbol).second) {
      fail(Code::redeclaration, field.name.span,
           "the member " + quoted(field.name.symbol) + " is declared twice");
      good = false;
    }
    good = good && member.type != kFault;
    if (member.type == kFault) continue;
    const bool last = i + 1 == d.fields.count;
    const bool storable =
        types_.has_fixed_footprint(member.type) || (last && types_.is_runtime_array(member.type));
    if (!storable || types_[member.type].by_override) {
      fail(Code::invalid_type, field.span,
           "a member cannot be of type " + type_name(member.type) +
               (types_.is_runtime_array(member.type)
                    ? ": only the last member can be a runtime-sized array"
                    : ""));
      good = false;
      continue;
    }
    reject_repeated_attributes(field.attributes);
    if (const auto align = attribute_value(field.attributes, "align", 0x7fffffff)) {
      member.align = *align;
      if (!std::has_single_bit(*align) || *align % types_.align(member.type) != 0) {
        fail(Code::invalid_attribute, field.span,
             "`@align` must be a power of two and a multiple of " +
                 std::to_string(types_.align(member.type)) + ", not " + std::to_string(*align));
        good = false;
      }
    }
    if (const auto size = attribute_value(field.attributes, "size", 0x7fffffff)) {
      member.size = *size;
      if (*size < types_.size(member.type) || !types_.has_fixed_footprint(member.type)) {
        fail(Code::invalid_attribute, field.span,
             "`@size` must be at least the size of the member, " +
                 std::to_string(types_.size(member.type)) + ", not " + std::to_string(*size));
        good = false;
      }
    }
    structure.members.push_back(std::move(member));
  }
  if (good && !structure.members.empty())
    of.type = sized(types_.structure(std::move(structure)), d.name.span);
}

/// `const` or `let`.
void Checker::resolve_value(const Declaration& d, DeclarationInfo& of) {
  const TypeId wanted = d.type == kNone ? kFault : type_of(d.type);
  check_value(d.value);
  if (info(d.value).type == kFault || (d.type != kNone && wanted == kFault)) {
    of.type = wanted;
    if (d.kind == DeclarationKind::const_) of.type = kFault;
    return;
  }
  const std::string what = "the value of " + quoted(d.name.symbol);
  if (d.kind == DeclarationKind::const_ && require_stage(d.value, Stage::constant, what) == kFault)
    return;
  if (d.type != kNone && !coerce_or_report(d.value, wanted, what)) {
    of.type = d.kind == DeclarationKind::const_ ? kFault : wanted;
    return;
  }
  if (d.kind == DeclarationKind::let) concretize(d.value);
  of.type =
      types_.is(info(d.value).type, TypeKind::reference) ? value_type(d.value) : info(d.value).type;
  if (types_.is(of.type, TypeKind::pointer)) of.root = root_of(d.value);
  if (d.kind == DeclarationKind::const_) {
    of.stage = Stage::constant;
    of.value = info(d.value).value;
  }
}

void Checker::resolve_override(const Declaration& d, DeclarationInfo& of) {
  of.stage = Stage::override_;
  const std::string what = "the value of " + quoted(d.name.symbol);
  const TypeId wanted = d.type == kNone ? kFault : type_of(d.type);
  if (d.type != kNone && wanted == kFault) return;
  if (d.value != kNone) {
    check_value(d.value);
    if (require_stage(d.value, Stage::override_, what) == kFault) return;
    if (d.type != kNone && !coerce_or_report(d.value, wanted, what)) return;
    concretize(d.value);
    of.value = info(d.value).value;
  }
  const TypeId type = d.type != kNone ? wanted : d.value != kNone ? info(d.value).type : kFault;
  if (type == kFault && d.value == kNone) {
    fail(Code::invalid_type, d.span, quoted(d.name.symbol) + " needs a type or a value");
    return;
  }
  if (type == kFault) return;
  if (!types_.is_scalar(type)) {
    fail(Code::invalid_type, d.span, "an override must be a scalar, not " + type_name(type));
    return;
  }
  const auto id = attribute_value(d.attributes, "id", 65535);
  if (id.has_value() && !override_ids_.insert(*id).second)
    fail(Code::redeclaration, d.span,
         "the id " + std::to_string(*id) + " is given to two override constants");
  const std::string key = id.has_value() ? std::to_string(*id) : text(d.name.symbol);
  for (const std::string& name : {text(d.name.symbol), key}) {
    const auto found = given_.find(name);
    if (found == given_.end()) continue;
    const ConstantValue& value = found->second;
    const Scalar given = scalar_of(value);
    const auto converted = given_as(given, type);
    if (!converted) {
      fail(Code::invalid_override, d.span,
           "the value " + to_text(given) + " given for " + quoted(d.name.symbol) +
               " does not fit " + type_name(type));
      return;
    }
    of.value = set_cell(*converted);
  }
  if (of.value == kNone && options_.assume_overrides) of.value = set_cell({type, 0});
  if (of.value == kNone) {
    fail(Code::invalid_override, d.span, "the override " + quoted(d.name.symbol) + " has no value",
         "give one for `" + key + "`");
    return;
  }
  of.type = type;
}

/// Reads `<space, access>`; false after a fault.
bool Checker::read_var_templates(const Declaration& d, DeclarationInfo& of) {
  if (d.templates.count > 2) {
    fail(Code::invalid_type, d.span, "`var` takes an address space and an access mode");
    return false;
  }
  if (d.templates.empty()) return true;
  const auto space = address_space(item(d.templates, 0));
  if (!space.has_value()) return false;
  of.space = *space;
  if (*space == AddressSpace::storage || *space == AddressSpace::uniform)
    of.access = AccessMode::read;
  if (d.templates.count < 2) return true;
  const auto access = access_mode(item(d.templates, 1));
  if (!access.has_value()) return false;
  if (*space != AddressSpace::storage || *access == AccessMode::write) {
    fail(Code::invalid_type, expr(item(d.templates, 1)).span,
         "a variable in " + std::string(to_string(*space)) + " cannot be `" +
             std::string(to_string(*access)) + "` here");
    return false;
  }
  of.access = *access;
  return true;
}

void Checker::resolve_global_var(const Declaration& d, DeclarationInfo& of) {
  of.space = AddressSpace::handle;
  const bool has_templates = read_var_templates(d, of);
  TypeId type = d.type == kNone ? kFault : type_of(d.type);
  if (!has_templates) return;
  if (of.space == AddressSpace::function) {
    fail(Code::invalid_type, d.span,
         "the variable " + quoted(d.name.symbol) +
             " is outside of functions, so it cannot be in "
             "the address space `function`");
    return;
  }
  if (d.value != kNone) {
    check_value(d.value);
    const std::string what = "the initial value of " + quoted(d.name.symbol);
    if (of.space != AddressSpace::private_) {
      fail(Code::invalid_assignment, expr(d.value).span,
           "a variable in " + std::string(to_string(of.space)) + " cannot have an initial value");
      return;
    }
    if (require_stage(d.value, Stage::override_, what) == kFault) return;
    if (d.type == kNone) type = concretize(d.value);
    if (type == kFault || !coerce_or_report(d.value, type, what)) return;
  } else if (d.type == kNone) {
    fail(Code::invalid_type, d.span, "the variable " + quoted(d.name.symbol) + " needs a type");
    return;
  }
  of.type = type;
  if (type != kFault) check_store_type(d, of);
}

/// Of a variable that each invocation has for itself.
void Checker::check_private_size(const Declaration& d, TypeId type) {
  if (!types_.contains_array(type) || types_.size(type) <= kMaxLocalBytes) return;
  fail(Code::local_too_large, d.name.span,
       quoted(d.name.symbol) + " takes " + std::to_string(types_.size(type)) +
           " bytes of each invocation; the limit is " + std::to_string(kMaxLocalBytes));
}

void Checker::check_store_type(const Declaration& d, DeclarationInfo& of) {
  const TypeId type = of.type;
  const auto bad = [&](std::string_view why) {
    fail(Code::invalid_type, d.span,
         "a variable in " + std::string(to_string(of.space)) + " cannot be of type " +
             type_name(type) + std::string(why));
    of.type = kFault;
  };
  const bool is_texture = of.space == AddressSpace::handle && types_.is(type, TypeKind::texture);
  const bool is_resource =
      of.space == AddressSpace::storage || of.space == AddressSpace::uniform || is_texture;
  const bool is_array = types_[of.type].by_override;
  if (is_array && of.space != AddressSpace::workgroup)
    return bad(": the size of its array comes from an override");
  switch (of.space) {
    case AddressSpace::handle:
      if (is_texture) break;
      fail(Code::invalid_type, d.span,
           "the variable " + quoted(d.name.symbol) + " needs an address space",
           "write var<private>, var<workgroup>, var<storage> or var<uniform>");
      return;
    case AddressSpace::storage:
      if (!types_.is_host_shareable(of.type)) return bad(": the host cannot share it");
      if (types_.contains_atomic(of.type) && of.access != AccessMode::read_write)
        return bad(": atomics need `read_write`");
      break;
    case AddressSpace::uniform:
      if (!types_.is_host_shareable(of.type) || !types_.is_constructible(of.type)) return bad("");
      break;
    case AddressSpace::workgroup:
      if (!types_.has_fixed_footprint(of.type)) return bad("");
      break;
    case AddressSpace::private_:
    case AddressSpace::function:
      if (!types_.is_constructible(of.type)) return bad("");
      check_private_size(d, of.type);
      break;
  }
  const bool bound = find_attribute(d.attributes, "group") != nullptr ||
                     find_attribute(d.attributes, "binding") != nullptr;
  if (bound && !is_resource)
    fail(Code::invalid_attribute, d.span,
         "only storage and uniform variables and textures have a binding");
  if (!is_resource) return;
  for (const std::string_view name : {"group", "binding"}) {
    if (find_attribute(d.attributes, name) == nullptr) {
      fail(Code::invalid_attribute, d.span,
           "the variable " + quoted(d.name.symbol) + " needs `@" + std::string(name) + "`");
      continue;
    }
    const auto value = attribute_value(d.attributes, name, 0x7fffffff);
    (name == "group" ? of.group : of.binding) = value.value_or(0);
  }
}

void Checker::resolve_signature(std::uint32_t index, const Declaration& d) {
  FunctionInfo& function = out_.functions[index];
  for (std::uint32_t i = 0; i < d.fields.count; ++i) {
    const Field& field = out_.tree.fields[d.fields.first + i];
    const TypeId type = type_of(field.type);
    out_.fields[d.fields.first + i] = type;
    if (type != kFault && types_.is_constructible(type) && !check_value_size(type, field.span))
      out_.fields[d.fields.first + i] = kFault;
    if (type != kFault && !types_.is_constructible(type) && !types_.names_memory(type)) {
      fail(Code::invalid_type, field.span, "a parameter cannot be of type " + type_name(type));
      out_.fields[d.fields.first + i] = kFault;
    }
  }
  if (d.type == kNone) {
    if (const Attribute* attribute = find_attribute(d.attributes, "must_use"))
      fail(Code::invalid_attribute, attribute->span, "`@must_use` needs a function with a result");
    function.result = d.faulty ? kFault : kVoid;
    return;
  }
  function.result = type_of(d.type);
  if (function.result != kFault && !check_value_size(function.result, expr(d.type).span))
    function.result = kFault;
  if (function.result != kFault && !types_.is_constructible(function.result)) {
    function.result = fail(Code::invalid_type, expr(d.type).span,
                           "a function cannot return " + type_name(function.result));
  }
}

}  // namespace vyre::wgsl
