// SPDX-License-Identifier: MIT OR Apache-2.0
#include "wgsl/module.h"

#include <memory>
#include <unordered_set>
#include <utility>
#include <vector>

#include "wgsl/check.h"
#include "wgsl/faults.h"
#include "wgsl/flow.h"
#include "wgsl/parser.h"

namespace vyre::wgsl {
namespace {

/// What an entry point reaches together, as bindings.
void check_reach(const Tree& tree,
                 Names& names,
                 const std::string& entry,
                 const SourceMap& map,
                 Diagnostics& out) {
  Faults faults(out, map);
  const CheckOptions options = {.entry = entry, .assume_overrides = true};
  check(tree, names, options, faults);
}

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

}  // namespace

Diagnostics check_module(std::string text, const std::vector<std::string>& refused) {
  Diagnostics diagnostics;
  std::vector<Source> sources;
  sources.push_back({"module.wgsl", std::move(text)});
  const SourceMap map(std::make_shared<const std::vector<Source>>(std::move(sources)));
  diagnostics.set_sources(map.sources());
  Faults faults(diagnostics, map);
  Names names;
  const Tree tree = parse(map, names, faults);
  const CheckOptions everything = {
      .everything = true, .assume_overrides = true, .refused = refused};
  const Checked module = check(tree, names, everything, faults);
  if (tree.whole)
    diagnostics.append(check_flow(module, names, map, diagnostics, outermost(module)));
  if (!diagnostics.has_errors())
    for (const Name& entry : compute_entry_points(tree, names))
      check_reach(tree, names, std::string(names.text(entry.symbol)), map, diagnostics);
  diagnostics.sort_by_place();
  return diagnostics;
}

}  // namespace vyre::wgsl
