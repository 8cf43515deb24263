// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <map>
#include <set>
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

std::string suggest_override(std::string_view name, const std::vector<std::string>& names) {
  constexpr std::size_t kNamed = 8;
  if (const std::string question = did_you_mean(name, names); !question.empty()) return question;
  if (names.empty()) return "leave it out: the text has no override constants";
  std::string text = "the override constants are: ";
  for (std::size_t i = 0; i < std::min(names.size(), kNamed); ++i)
    text += (i == 0 ? "" : ", ") + names[i];
  return text + (names.size() > kNamed ? ", …" : "");
}

/// The declarations of the compute entry points, in order.
std::vector<std::uint32_t> compute_entries(const Tree& tree, const Names& names) {
  std::vector<std::uint32_t> found;
  for (const std::uint32_t global : tree.globals) {
    const Declaration& d = tree.declarations[global];
    if (d.kind == DeclarationKind::function && has_attribute(tree, names, d.attributes, "compute"))
      found.push_back(global);
  }
  return found;
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
  positions_.resize(out_.tree.declarations.size());
  states_.resize(out_.tree.declarations.size());
  checked_.resize(out_.tree.declarations.size());
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
  for (const auto& [name, value] : options_.constants)
    given_.emplace(name, value);
  predeclared_.resize(names_.size());
  globals_.resize(names_.size(), kNone);
  locals_.resize(names_.size());
}

void Checker::check_module_scope() {
  check_directives();
  index_globals();
  for (const std::uint32_t global : out_.tree.globals)
    if (out_.tree.declarations[global].kind == DeclarationKind::const_assert) require(global);
}

Checked Checker::run() {
  check_module_scope();
  if (options_.everything) {
    check_everything();
    return std::move(out_);
  }
  const auto entry = find_entry();
  if (!entry.has_value()) return std::move(out_);
  reach(*entry);
  check_overrides_known();
  return std::move(out_);
}

void Checker::run_each(const std::function<void(Checked&)>& taken) {
  check_module_scope();
  std::vector<std::uint32_t> entries = compute_entries(out_.tree, names_);
  if (!options_.entry.empty() || entries.empty()) {
    const auto entry = find_entry();
    entries.clear();
    if (entry.has_value()) entries.push_back(*entry);
  }
  check_overrides_known();
  for (const std::uint32_t entry : entries)
    if (reach(entry) && out_.tree.whole) taken(out_);
}

/// Checks the entry point and what it reaches; false where a fault hinders its program.
bool Checker::reach(std::uint32_t entry) {
  require(entry);
  const std::size_t before = faults_.errors() - module_errors_;
  out_.entry = {.function = entry};
  check_entry(entry);
  const std::size_t of_entry = faults_.errors() - module_errors_ - before;
  reached_.push_back(entry);
  check_reached();
  const std::size_t errors = faults_.errors();
  const std::vector<std::uint32_t> functions = check_recursion();
  std::set<std::uint32_t> variables;
  bool good = of_entry == 0 && !out_.declarations[entry].faulty;
  for (const std::uint32_t function : functions) {
    const FunctionInfo& of = out_.functions[function];
    good = good && !of.faulty;
    variables.insert(of.variables.begin(), of.variables.end());
  }
  out_.variables.assign(variables.begin(), variables.end());
  check_bindings();
  return good && faults_.errors() == errors;
}

void Checker::check_reached() {
  for (std::size_t i = 0; i < reached_.size(); ++i) {
    const std::uint32_t function = reached_[i];
    if (checked_[function]) continue;
    checked_[function] = true;
    const std::size_t before = faults_.errors() - module_errors_;
    check_function(function);
    FunctionInfo& of = out_.functions[function];
    of.faulty = of.faulty || faults_.errors() - module_errors_ != before;
  }
  reached_.clear();
}

void Checker::check_everything() {
  std::vector<std::uint32_t> functions;
  for (const std::uint32_t global : out_.tree.globals) {
    require(global);
    const Declaration& d = out_.tree.declarations[global];
    if (d.kind != DeclarationKind::function) continue;
    if (find_attribute(d.attributes, "compute") != nullptr) check_entry(global);
    functions.push_back(global);
  }
  reached_ = functions;
  check_reached();
  const Growth growth = measure_growth(out_, functions);
  report_cycles(growth);
  if (growth.cycles.empty()) check_aliases(growth);
  for (const std::uint32_t function : growth.order)
    if (growth.cycles.empty()) inherit_needs(out_.functions[function]);
  for (const std::uint32_t function : functions)
    check_stages(function);
}

/// What the functions that are called need, their callers need.
void Checker::inherit_needs(FunctionInfo& caller) {
  for (const Call& call : caller.calls) {
    const FunctionInfo& of = out_.functions[call.callee];
    caller.for_compute = caller.for_compute || of.for_compute;
    caller.has_atomics = caller.has_atomics || of.has_atomics;
    caller.has_subgroups = caller.has_subgroups || of.has_subgroups;
    caller.for_fragment = caller.for_fragment || of.for_fragment;
  }
}

/// What a function's stage forbids, also in the functions that it calls.
void Checker::check_stages(std::uint32_t function) {
  const Declaration& d = out_.tree.declarations[function];
  const bool compute = find_attribute(d.attributes, "compute") != nullptr;
  const bool vertex = find_attribute(d.attributes, "vertex") != nullptr;
  const bool fragment = find_attribute(d.attributes, "fragment") != nullptr;
  const auto told = [&](const std::string& what) {
    fail(Code::invalid_attribute, d.name.span, quoted(d.name.symbol) + " " + what);
  };
  if (int{compute} + int{vertex} + int{fragment} > 1) told("has two stages");
  if (!compute && find_attribute(d.attributes, "workgroup_size") != nullptr)
    told("has a workgroup size, but is no compute entry point");
  if (!compute && !vertex && !fragment) return;
  const FunctionInfo& of = out_.functions[function];
  if (!compute && of.for_compute)
    told("uses barriers or workgroup memory, but is no compute shader");
  if (vertex && of.has_atomics) told("uses atomics in a vertex shader");
  if (vertex && of.has_subgroups) told("uses subgroup operations in a vertex shader");
  if (!fragment && of.for_fragment)
    told("uses `discard` or derivatives, but is no fragment shader");
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
      Nearest nearest(spelled);
      for (const Extension& extension : kExtensions)
        if (enable) nearest.offer(extension.name);
      for (const std::string_view feature : kLanguageFeatures)
        if (!enable) nearest.offer(feature);
      fail(Code::not_supported, name.span,
           std::string("there is no ") + (enable ? "extension " : "language feature ") +
               quoted(name.symbol),
           refused ? "" : nearest.question());
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
  constexpr std::size_t kNamed = 20;
  const std::vector<std::uint32_t> found = compute_entries(out_.tree, names_);
  std::string names;
  std::size_t named = 0;
  for (const std::uint32_t entry : found) {
    const Declaration& d = out_.tree.declarations[entry];
    if (!options_.entry.empty() && text(d.name.symbol) == options_.entry) return entry;
    if (++named <= kNamed) names += (names.empty() ? "" : ", ") + text(d.name.symbol);
  }
  if (named > kNamed) names += " and " + std::to_string(named - kNamed) + " more";
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
    Nearest nearest(spelled);
    for (const Input& input : kInputs)
      nearest.offer(input.name);
    fail(Code::invalid_attribute, attribute->span,
         "a compute entry point has no built-in value `" +
             std::string(faults_.map().text(name.span)) + "`",
         nearest.name().empty() ? "some are global_invocation_id, local_invocation_id, "
                                  "local_invocation_index and workgroup_id"
                                : nearest.question());
    return;
  }
  const TypeId wanted = row->vector ? types_.vector(kU32, 3) : kU32;
  if (type != wanted)
    fail(Code::type_mismatch, span,
         "the built-in value `" + std::string(spelled) + "` is of type " + type_name(wanted) +
             ", not " + type_name(type));
}

void Checker::report_cycles(const Growth& growth) {
  for (const Call& call : growth.cycles)
    fail(Code::cyclic_declaration, call.span,
         "the function " + quoted(out_.tree.declarations[call.callee].name.symbol) +
             " calls itself");
}

/// Functions may not call themselves, and what they come to when all calls are replaced by bodies
/// is bounded.  Gives the functions that the entry point reaches.
std::vector<std::uint32_t> Checker::check_recursion() {
  Growth growth = measure_growth(out_, out_.entry.function);
  report_cycles(growth);
  const Span place = out_.tree.declarations[out_.entry.function].name.span;
  if (growth.cycles.empty()) check_aliases(growth);
  if (growth.depth > kMaxCallDepth)
    fail(Code::internal_limit, place,
         "calls are nested " + std::to_string(growth.depth) + " deep, beyond the limit of " +
             std::to_string(kMaxCallDepth));
  if (growth.weight > kMaxWeight) report_growth(growth.weight, out_, names_, faults_);
  return std::move(growth.order);
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
                            out_.tree.declarations[first->second].name.span, "the first is here",
                            "give one of them another binding");
  }
}

/// A value that is given for no override is a mistake of the caller.
void Checker::check_overrides_known() {
  if (options_.constants.empty()) return;
  std::unordered_map<std::string, std::uint32_t> overrides;  // by name and by id
  std::vector<std::string> names;
  for (const std::uint32_t global : out_.tree.globals) {
    const Declaration& d = out_.tree.declarations[global];
    if (d.kind != DeclarationKind::override_) continue;
    names.push_back(text(d.name.symbol));
    overrides.emplace(names.back(), global);
    if (const auto id = attribute_value(d.attributes, "id", 65535))
      overrides.emplace(std::to_string(*id), global);
  }
  std::unordered_set<std::uint32_t> given;
  for (const auto& [name, value] : options_.constants) {
    const auto found = overrides.find(name);
    if (found == overrides.end()) {
      fail(Code::invalid_override, {0, 0},
           "a value is given for `" + name + "`, but the text has no such override",
           suggest_override(name, names));
    } else if (!given.insert(found->second).second) {
      const Declaration& d = out_.tree.declarations[found->second];
      fail(Code::invalid_override, {0, 0},
           quoted(d.name.symbol) + " is given two values, the second as `" + name + "`",
           "leave one of them out");
    }
  }
}

Checked check(Tree tree, Names& names, const CheckOptions& options, Faults& faults) {
  return Checker(std::move(tree), names, options, faults).run();
}

void check_each(Tree tree,
                Names& names,
                const CheckOptions& options,
                Faults& faults,
                const std::function<void(Checked&)>& taken) {
  Checker(std::move(tree), names, options, faults).run_each(taken);
}

std::vector<Name> compute_entry_points(const Tree& tree, Names& names) {
  std::vector<Name> found;
  for (const std::uint32_t entry : compute_entries(tree, names))
    found.push_back(tree.declarations[entry].name);
  return found;
}

}  // namespace vyre::wgsl
