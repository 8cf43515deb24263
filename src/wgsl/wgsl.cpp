// SPDX-License-Identifier: MIT OR Apache-2.0
#include "vyre/wgsl.h"

#include <memory>
#include <utility>

#include "base/guarded.h"
#include "validate/validate.h"
#include "wgsl/check.h"
#include "wgsl/faults.h"
#include "wgsl/flow.h"
#include "wgsl/parser.h"
#include "wgsl/to_ir.h"

namespace vyre {
namespace {

/// A text on its way through the front end.
struct Frontend {
  explicit Frontend(std::vector<Source> sources)
      : map(std::make_shared<const std::vector<Source>>(std::move(sources))),
        faults(diagnostics, map) {
    diagnostics.set_sources(map.sources());
  }

  Error error() {
    diagnostics.sort_by_place();
    return Error(std::move(diagnostics));
  }

  wgsl::SourceMap map;
  Diagnostics diagnostics;
  wgsl::Faults faults;
  wgsl::Names names;
};

Result<ValidProgram> parse(std::vector<Source> sources, const WgslOptions& options) {
  VYRE_CHECK_OK(wgsl::check_size(sources));
  Frontend front(std::move(sources));
  wgsl::Tree tree = wgsl::parse(front.map, front.names, front.faults);
  const wgsl::CheckOptions wanted = {options.entry, options.constants};
  wgsl::Checked checked = wgsl::check(std::move(tree), front.names, wanted, front.faults);
  const std::uint32_t entry = checked.entry.function;
  if (checked.tree.whole && entry != wgsl::kNone)
    front.diagnostics.append(
        wgsl::check_flow(checked, front.names, front.map, front.diagnostics, {&entry, 1}));
  if (front.faults.any()) return front.error();
  Program program = wgsl::ToIr(front.names, front.faults)(checked);
  if (front.diagnostics.has_errors()) return front.error();
  return validate_judged(std::move(program));
}

Result<std::vector<std::string>> entry_points(std::vector<Source> sources) {
  VYRE_CHECK_OK(wgsl::check_size(sources));
  Frontend front(std::move(sources));
  const wgsl::Tree tree = wgsl::parse(front.map, front.names, front.faults);
  std::vector<std::string> names;
  for (const wgsl::Name& name : wgsl::compute_entry_points(tree, front.names))
    names.emplace_back(front.names.text(name.symbol));
  return names;
}

}  // namespace

Result<ValidProgram> parse_wgsl(std::vector<Source> sources, const WgslOptions& options) {
  return guarded([&] { return parse(std::move(sources), options); });
}

Result<ValidProgram> parse_wgsl(std::string_view text, const WgslOptions& options) {
  return guarded([&] {
    return parse(std::vector<Source>{{"kernel.wgsl", std::string(text)}}, options);
  });
}

Result<std::vector<std::string>> wgsl_entry_points(std::vector<Source> sources) {
  return guarded([&] { return entry_points(std::move(sources)); });
}

}  // namespace vyre
