// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "wgsl/checker.h"
#include "wgsl/growth.h"
#include "wgsl/module.h"

namespace vyre::wgsl {
namespace {

constexpr std::uint32_t kMaxCallDepth = 250;

bool is_extension(std::string_view name) {
  return std::any_of(std::begin(kExtensions), std::end(kExtensions),
                     [&](const Extension& extension) { return extension.name == name; });
}

struct Input {
  std::string_view name;
  bool vector;
};
/// What a compute entry point can be given.
constexpr Input kInputs[] = {{"local_invocation_id", true},     {"local_invocation_index", false},
                             {"global_invocation_id", true},    {"workgroup_id", true},
                             {"num_workgroups", true},          {"subgroup_invocation_id", false},
                             {"subgroup_size", false},          {"subgroup_id", false},
                             {"num_subgroups", false},          {"workgroup_index", false},
                             {"global_invocation_index", false}};

template <typename List, typename Value>
bool contains(const List& list, const Value& value) {
  return std::find(std::begin(list), std::end(list), value) != std::end(list);
}

bool has_attribute(const Tree& tree, const Names& names, Range attributes, std::string_view name) {
  for (std::uint32_t i = 0; i < attributes.count; ++i)
    if (names.text(tree.attributes[attributes.first + i].name.symbol) == name) return true;
  return false;
}

}  // namespace

Checker::Checker(Tree tree, Names& names, const CheckOptions& options, Faults& faults)
    : names_(names),
      options_(options),
      faults_(faults),
      types_(out_.types),
      constants_(out_.constants) {
  out_.tree = std::move(tree);
  out_.exprs.resize(out_.tree.exprs.size());
  out_.declarations.resize(out_.tree.declarations.size());
  out_.fields.resize(out_.tree.fields.size());
  states_.resize(out_.tree.declarations.size());
  const auto predeclare = [&](const Predeclare* row) {
    const Symbol symbol = names_.intern(row->name);
    if (predeclared_.size() <= symbol) predeclared_.resize(symbol + 1);
    if (predeclared_[symbol] == nullptr) predeclared_[symbol] = row;
  };
  for (const Predeclare& row : predeclared_names())
    predeclare(&row);
  const auto builtins = all_builtins();
  builtin_names_.reserve(builtins.size());
  for (std::uint32_t i = 0; i < builtins.size(); ++i) {
    builtin_names_.push_back({builtins[i].name, PredeclareKind::builtin, kFault, i});
    predeclare(&builtin_names_.back());
  }
  predeclared_.resize(names_.size());
  globals_.resize(names_.size(), kNone);
  locals_.resize(names_.size());
}

Checked Checker::run() {
  check_directives();
  index_globals();
  for (const std::uint32_t global : out_.tree.globals)
    if (out_.tree.declarations[global].kind == DeclarationKind::const_assert) require(global);
  if (options_.everything) {
    check_everything();
    return std::move(out_);
  }
  const auto entry = find_entry();
  if (!entry.has_value()) return std::move(out_);
  require(*entry);
  out_.entry.function = *entry;
  check_entry(*entry);
  reached_.push_back(*entry);
  check_reached();
  check_recursion();
  check_bindings();
  check_overrides_known();
  return std::move(out_);
}

void Checker::check_reached() {
  std::vector<bool> checked(out_.tree.declarations.size());
  for (std::size_t i = 0; i < reached_.size(); ++i) {
    const std::uint32_t function = reached_[i];
    if (checked[function]) continue;
    checked[function] = true;
    check_function(function);
  }
}

void Checker::check_everything() {
  for (const std::uint32_t global : out_.tree.globals) {
    require(global);
    const Declaration& d = out_.tree.declarations[global];
    if (d.kind != DeclarationKind::function) continue;
    if (find_attribute(d.attributes, "compute") != nullptr) check_entry(global);
    reached_.push_back(global);
  }
  check_reached();
  for (const std::uint32_t global : out_.tree.globals)
    if (out_.tree.declarations[global].kind == DeclarationKind::function) check_stages(global);
  for (const std::uint32_t function : std::vector(reached_)) {
    out_.entry.function = function;
    check_recursion();
  }
}

/// What a function's stage forbids, also in the functions that it calls.
void Checker::check_stages(std::uint32_t function) {
  const Declaration& d = out_.tree.declarations[function];
  const bool compute = find_attribute(d.attributes, "compute") != nullptr;
  const bool vertex = find_attribute(d.attributes, "vertex") != nullptr;
  const bool fragment = find_attribute(d.attributes, "fragment") != nullptr;
  const std::string name = quoted(d.name.symbol);
  const auto told = [&](const std::string& what) {
    fail(Code::invalid_attribute, d.name.span, name + " " + what);
  };
  if (int{compute} + int{vertex} + int{fragment} > 1) told("has two stages");
  if (!compute && find_attribute(d.attributes, "workgroup_size") != nullptr)
    told("has a workgroup size, but is no compute entry point");
  if (!compute && !vertex && !fragment) return;
  out_.entry.function = function;
  const Growth growth = measure_growth(out_);
  if (!growth.cycles.empty()) return;
  bool for_compute = false;
  bool atomics = false;
  bool subgroups = false;
  bool for_fragment = false;
  for (const std::uint32_t called : growth.order) {
    const FunctionInfo& of = out_.functions[called];
    for_compute = for_compute || of.for_compute;
    atomics = atomics || of.has_atomics;
    subgroups = subgroups || of.has_subgroups;
    for_fragment = for_fragment || of.for_fragment;
  }
  if (!compute && for_compute) told("uses barriers or workgroup memory, but is no compute shader");
  if (vertex && atomics) told("uses atomics in a vertex shader");
  if (vertex && subgroups) told("uses subgroup operations in a vertex shader");
  if (!fragment && for_fragment) told("uses `discard` or derivatives, but is no fragment shader");
}

void Checker::check_directives() {
  std::map<std::string, Symbol> severities;
  for (const Directive& directive : out_.tree.directives) {
    if (directive.kind == DirectiveKind::diagnostic) {
      std::string rule;
      for (std::size_t i = 1; i < directive.names.size(); ++i)
        rule += "." + text(directive.names[i].symbol);
      const auto [first, added] = severities.try_emplace(rule, directive.names[0].symbol);
      if (!added && first->second != directive.names[0].symbol)
        fail(Code::redeclaration, directive.span,
             "the rule `" + rule.substr(1) + "` is given two severities");
      continue;
    }
    const bool enable = directive.kind == DirectiveKind::enable;
    for (const Name& name : directive.names) {
      const std::string_view spelled = names_.text(name.symbol);
      f16_enabled_ = f16_enabled_ || (enable && spelled == "f16");
      const bool refused = enable && contains(options_.refused, spelled);
      if (!refused && (enable ? is_extension(spelled) : contains(kLanguageFeatures, spelled)))
        continue;
      fail(Code::not_supported, name.span,
           std::string("there is no ") + (enable ? "extension " : "language feature ") +
               quoted(name.symbol));
    }
  }
}

void Checker::index_globals() {
  for (const std::uint32_t global : out_.tree.globals) {
    const Declaration& d = out_.tree.declarations[global];
    if (d.kind == DeclarationKind::const_assert) continue;
    std::uint32_t& slot = globals_[d.name.symbol];
    if (slot == kNone) {
      slot = global;
      continue;
    }
    faults_.error_with_note(Code::redeclaration, d.name.span,
                            quoted(d.name.symbol) + " is declared twice in the module",
                            out_.tree.declarations[slot].name.span, "the first is here");
  }
}

std::optional<std::uint32_t> Checker::find_entry() {
  std::vector<std::uint32_t> found;
  std::string names;
  for (const std::uint32_t global : out_.tree.globals) {
    const Declaration& d = out_.tree.declarations[global];
    if (d.kind != DeclarationKind::function || find_attribute(d.attributes, "compute") == nullptr)
      continue;
    if (!options_.entry.empty() && text(d.name.symbol) == options_.entry) return global;
    found.push_back(global);
    names += (names.empty() ? "" : ", ") + text(d.name.symbol);
  }
  if (options_.entry.empty() && found.size() == 1) return found[0];
  if (!out_.tree.whole) return std::nullopt;
  const Span start = {0, 0};
  const std::string help = found.empty() ? "" : "the compute entry points are: " + names;
  if (!options_.entry.empty()) {
    fail(Code::unknown_entry_point, start,
         "there is no compute entry point `" + options_.entry + "`", help);
  } else if (found.empty()) {
    fail(Code::unknown_entry_point, start, "the text has no compute entry point",
         "give a function @compute and @workgroup_size");
  } else {
    fail(Code::unknown_entry_point, start,
         "the text has " + std::to_string(found.size()) +
             " compute entry points, and none was chosen",
         help);
  }
  return std::nullopt;
}

void Checker::check_entry(std::uint32_t function) {
  const Declaration& d = out_.tree.declarations[function];
  if (d.type != kNone && !d.faulty)
    fail(Code::invalid_type, expr(d.type).span, "a compute entry point returns nothing");
  check_workgroup_size(d);
  check_entry_inputs(d);
}

void Checker::check_workgroup_size(const Declaration& function) {
  const Attribute* attribute = find_attribute(function.attributes, "workgroup_size");
  if (attribute == nullptr) {
    fail(Code::invalid_attribute, function.name.span,
         "the entry point " + quoted(function.name.symbol) + " needs `@workgroup_size`");
    return;
  }
  TypeId common = kAbstractInt;
  for (std::uint32_t i = 0; i < attribute->arguments.count && i < 3; ++i) {
    const ExprId argument = item(attribute->arguments, i);
    const TypeId type = check_value(argument);
    if (require_stage(argument, Stage::override_, "a workgroup size") == kFault) continue;
    const auto value = known_integer(argument);
    common = types_.unify(common, type);
    if (!value.has_value() || common == kFault) {
      fail(Code::type_mismatch, expr(argument).span,
           "the workgroup sizes must be of one integer type, not " + type_name(type));
    } else if (is_assumed(argument)) {
      continue;
    } else if (*value < 1 || *value > 0x7fffffff) {
      fail(Code::value_out_of_range, expr(argument).span,
           "a workgroup size must be from 1 to 2147483647, not " + std::to_string(*value));
    } else {
      out_.entry.workgroup[i] = static_cast<std::uint32_t>(*value);
    }
  }
}

void Checker::check_entry_inputs(const Declaration& function) {
  for (std::uint32_t i = 0; i < function.fields.count; ++i) {
    const Field& field = out_.tree.fields[function.fields.first + i];
    const TypeId type = out_.fields[function.fields.first + i];
    if (type == kFault) continue;
    if (!types_.is(type, TypeKind::structure) ||
        find_attribute(field.attributes, "builtin") != nullptr) {
      check_input(field.attributes, type, field.span);
      continue;
    }
    const std::uint32_t declaration = structure_of(field.type);
    if (declaration == kNone) continue;
    out_.input_structures[function.fields.first + i] = declaration;
    const Declaration& structure = out_.tree.declarations[declaration];
    const std::vector<Member> members = types_.structure(type).members;
    for (std::uint32_t m = 0; m < structure.fields.count; ++m) {
      const Field& member = out_.tree.fields[structure.fields.first + m];
      check_input(member.attributes, members[m].type, member.span);
      out_.fields[structure.fields.first + m] = members[m].type;
    }
  }
}

/// The declaration of the structure that a type expression names, through aliases.
std::uint32_t Checker::structure_of(ExprId type) const {
  while (type != kNone && expr(type).kind == ExprKind::identifier) {
    const std::uint32_t global = globals_[expr(type).name.symbol];
    if (global == kNone) return kNone;
    const Declaration& d = out_.tree.declarations[global];
    if (d.kind == DeclarationKind::structure) return global;
    if (d.kind != DeclarationKind::alias) return kNone;
    type = d.type;
  }
  return kNone;
}

void Checker::check_input(Range attributes, TypeId type, Span span) {
  const Attribute* attribute = find_attribute(attributes, "builtin");
  if (attribute == nullptr || attribute->arguments.count != 1) {
    fail(Code::invalid_attribute, span, "an input of a compute entry point needs `@builtin`");
    return;
  }
  const Expr& name = expr(item(attribute->arguments, 0));
  const std::string_view spelled =
      name.kind == ExprKind::identifier ? names_.text(name.name.symbol) : std::string_view();
  const auto* row = std::find_if(std::begin(kInputs), std::end(kInputs),
                                 [&](const Input& input) { return input.name == spelled; });
  if (row == std::end(kInputs)) {
    fail(Code::invalid_attribute, attribute->span,
         "a compute entry point has no built-in value `" +
             std::string(faults_.map().text(name.span)) + "`");
    return;
  }
  const TypeId wanted = row->vector ? types_.vector(kU32, 3) : kU32;
  if (type != wanted)
    fail(Code::type_mismatch, span,
         "the built-in value `" + std::string(spelled) + "` is of type " + type_name(wanted) +
             ", not " + type_name(type));
}

/// Functions may not call themselves, and what they come to when all calls are replaced by bodies
/// is bounded.
void Checker::check_recursion() {
  const Growth growth = measure_growth(out_);
  for (const Call& call : growth.cycles)
    fail(Code::cyclic_declaration, call.span,
         "the function " + quoted(out_.tree.declarations[call.callee].name.symbol) +
             " calls itself");
  const Span place = out_.tree.declarations[out_.entry.function].name.span;
  if (growth.cycles.empty()) check_aliases();
  if (growth.depth > kMaxCallDepth)
    fail(Code::internal_limit, place,
         "calls are nested " + std::to_string(growth.depth) + " deep, beyond the limit of " +
             std::to_string(kMaxCallDepth));
  if (growth.weight > kMaxWeight) report_growth(growth.weight, out_, names_, faults_);
}

void Checker::check_bindings() {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> seen;
  for (const std::uint32_t variable : out_.variables) {
    const DeclarationInfo& of = out_.declarations[variable];
    if (of.type == kFault) continue;
    if (of.space != AddressSpace::storage && of.space != AddressSpace::uniform &&
        of.space != AddressSpace::handle)
      continue;
    const Declaration& d = out_.tree.declarations[variable];
    const auto [first, added] = seen.try_emplace({of.group, of.binding}, variable);
    if (added) continue;
    faults_.error_with_note(Code::redeclaration, d.name.span,
                            "the binding " + std::to_string(of.binding) + " of group " +
                                std::to_string(of.group) + " is used twice",
                            out_.tree.declarations[first->second].name.span, "the first is here");
  }
}

/// A value that is given for no override is a mistake of the caller.
void Checker::check_overrides_known() {
  std::vector<std::uint32_t> given;
  for (const auto& [name, value] : options_.constants) {
    bool known = false;
    for (const std::uint32_t global : out_.tree.globals) {
      const Declaration& d = out_.tree.declarations[global];
      if (d.kind != DeclarationKind::override_) continue;
      const auto id = attribute_value(d.attributes, "id", 65535);
      if (text(d.name.symbol) != name && !(id && std::to_string(*id) == name)) continue;
      known = true;
      if (std::find(given.begin(), given.end(), global) != given.end())
        fail(Code::invalid_override, {0, 0},
             quoted(d.name.symbol) + " is given two values, the second as `" + name + "`");
      given.push_back(global);
    }
    if (!known)
      fail(Code::invalid_override, {0, 0},
           "a value is given for `" + name + "`, but the text has no such override");
  }
}

Checked check(Tree tree, Names& names, const CheckOptions& options, Faults& faults) {
  return Checker(std::move(tree), names, options, faults).run();
}

std::vector<Name> compute_entry_points(const Tree& tree, Names& names) {
  std::vector<Name> found;
  for (const std::uint32_t global : tree.globals) {
    const Declaration& d = tree.declarations[global];
    if (d.kind == DeclarationKind::function && has_attribute(tree, names, d.attributes, "compute"))
      found.push_back(d.name);
  }
  return found;
}

}  // namespace vyre::wgsl
