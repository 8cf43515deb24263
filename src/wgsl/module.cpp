// SPDX-License-Identifier: MIT OR Apache-2.0
#include "wgsl/module.h"

#include <memory>
#include <utility>
#include <vector>

#include "vyre/validate.h"

#include "wgsl/check.h"
#include "wgsl/faults.h"
#include "wgsl/parser.h"
#include "wgsl/to_ir.h"

namespace vyre::wgsl {
namespace {

/// What only a body as a whole can show: the rules of uniformity.
bool is_flow(Code code) {
  return code == Code::divergent_barrier || code == Code::divergent_subgroup ||
         code == Code::divergent_operand;
}

void check_flow(const Tree& tree,
                Names& names,
                const std::string& entry,
                const SourceMap& map,
                Diagnostics& out) {
  Diagnostics local;
  Faults faults(local, map);
  const CheckOptions options = {.entry = entry, .assume_overrides = true};
  Checked checked = check(tree, names, options, faults);
  for (const Diagnostic& fault : local)  // of what it reaches together, as bindings
    out.add(fault);
  if (faults.any()) return;
  Program program = to_ir(checked, names, faults);
  if (faults.any()) return;
  const auto valid = validate(std::move(program));
  if (valid) return;
  for (const Diagnostic& fault : valid.error().diagnostics())
    if (is_flow(fault.code)) out.add(fault);
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
  check(tree, names, everything, faults);
  if (!faults.any())
    for (const Name& entry : compute_entry_points(tree, names))
      check_flow(tree, names, std::string(names.text(entry.symbol)), map, diagnostics);
  diagnostics.sort_by_place();
  return diagnostics;
}

}  // namespace vyre::wgsl
