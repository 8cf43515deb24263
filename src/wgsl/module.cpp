// SPDX-License-Identifier: MIT OR Apache-2.0
#include "wgsl/module.h"

#include <memory>
#include <set>
#include <tuple>
#include <unordered_set>
#include <utility>
#include <vector>

#include "validate/validate.h"
#include "wgsl/check.h"
#include "wgsl/faults.h"
#include "wgsl/flow.h"
#include "wgsl/parser.h"
#include "wgsl/to_ir.h"

namespace vyre::wgsl {
namespace {

/// Not faults of the text, but of what is there to run it.
bool is_ours(Code code) {
  return code == Code::not_supported || code == Code::internal_limit;
}

/// A text on its way, and the faults that are found in it.
struct Judged {
  explicit Judged(std::vector<Source> sources)
      : map(std::make_shared<const std::vector<Source>>(std::move(sources))),
        faults(diagnostics, map) {
    diagnostics.set_sources(map.sources());
    tree = parse(map, names, faults);
  }

  SourceMap map;
  Diagnostics diagnostics;
  Faults faults;
  Names names;
  Tree tree;
};

/// The functions that no other calls: what they call is judged within them.
std::vector<std::uint32_t> outermost(const Checked& module) {
  std::unordered_set<std::uint32_t> called;
  for (const auto& [function, of] : module.functions)
    for (const Call& call : of.calls)
      called.insert(call.callee);
  std::vector<std::uint32_t> result;
  for (const std::uint32_t global : module.tree.globals)
    if (module.tree.declarations[global].kind == DeclarationKind::function &&
        !called.contains(global))
      result.push_back(global);
  return result;
}

/// The faults of every declaration; overrides need no value.
struct Declarations {
  Diagnostics faults;
  Diagnostics flows;  ///< those of uniformity
};

Declarations check_declarations(Judged& text, const std::vector<std::string>& refused) {
  Declarations found;
  Faults faults(found.faults, text.map);
  const CheckOptions everything = {
      .everything = true, .assume_overrides = true, .refused = refused};
  const Checked module = check(text.tree, text.names, everything, faults);
  if (text.tree.whole)
    found.flows = check_flow(module, text.names, text.map, found.faults, outermost(module));
  return found;
}

/// Faults on the way to the programs, by who found them.
struct Programs {
  Diagnostics checked;
  Diagnostics lowered;
  Diagnostics validated;
};

Programs make_programs(Judged& text,
                       const CheckOptions& options,
                       const Declarations& declared,
                       const std::function<void(const ValidProgram&)>& taken) {
  Programs found;
  Faults check_faults(found.checked, text.map);
  Faults faults(found.lowered, text.map);
  ToIr to_ir(text.names, faults);
  check_each(std::move(text.tree), text.names, options, check_faults, [&](Checked& module) {
    const std::size_t errors = faults.errors();
    Program program = to_ir(module);
    if (faults.errors() != errors) return;
    auto valid = validate_judged(std::move(program));
    if (!valid) {
      for (const Diagnostic& fault : valid.error().diagnostics())
        found.validated.add(fault);
    } else if (declared.flows.empty() || check_flow(module, text.names, text.map, declared.faults,
                                                    {&module.entry.function, 1})
                                             .empty()) {
      taken(*valid);
    }
  });
  return found;
}

/// Adds what is not there yet: one code at one place is one fault.
class Collected {
 public:
  explicit Collected(Diagnostics& into) : into_(into) {
    for (const Diagnostic& fault : into)
      known_.insert(key(fault));
  }
  void add(const Diagnostic& fault) {
    if (known_.insert(key(fault)).second) into_.add(fault);
  }

 private:
  using Key = std::tuple<Code, std::uint32_t, std::uint32_t, std::uint32_t>;
  static Key key(const Diagnostic& fault) {
    return {fault.code, fault.place.file, fault.place.line, fault.place.column};
  }
  Diagnostics& into_;
  std::set<Key> known_;
};

}  // namespace

Diagnostics check_module(std::string text, const std::vector<std::string>& refused) {
  Judged judged(std::vector<Source>{{"module.wgsl", std::move(text)}});
  Collected all(judged.diagnostics);
  const Declarations declared = check_declarations(judged, refused);
  for (const Diagnostics* found : {&declared.faults, &declared.flows})
    for (const Diagnostic& fault : *found)
      all.add(fault);
  if (!judged.diagnostics.has_errors() &&
      !compute_entry_points(judged.tree, judged.names).empty()) {
    Diagnostics reached;  // what is of several declarations together, as bindings
    Faults faults(reached, judged.map);
    const CheckOptions each = {.assume_overrides = true, .refused = refused};
    check_each(std::move(judged.tree), judged.names, each, faults, [](Checked&) {});
    for (const Diagnostic& fault : reached)
      all.add(fault);
  }
  judged.diagnostics.sort_by_place();
  return std::move(judged.diagnostics);
}

Result<Diagnostics> check_text(std::vector<Source> sources,
                               const WgslOptions& options,
                               const std::function<void(const ValidProgram&)>& taken) {
  VYRE_CHECK_OK(check_size(sources));
  Judged judged(std::move(sources));
  Collected all(judged.diagnostics);
  const Declarations declared = check_declarations(judged, {});
  const CheckOptions each = {options.entry, options.constants};
  const Programs programs = make_programs(judged, each, declared, taken);
  for (const Diagnostics* found : {&programs.checked, &programs.lowered, &programs.validated})
    for (const Diagnostic& fault : *found)
      all.add(fault);
  for (const Diagnostics* found : {&declared.faults, &declared.flows})
    for (const Diagnostic& fault : *found)
      if (!is_ours(fault.code)) all.add(fault);
  judged.diagnostics.sort_by_place();
  return std::move(judged.diagnostics);
}

}  // namespace vyre::wgsl
