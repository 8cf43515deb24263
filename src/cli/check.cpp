// SPDX-License-Identifier: MIT OR Apache-2.0
#include "cli/check.h"

#include <algorithm>
#include <optional>

#include "vyre/diagnostic.h"

#include "cli/types.h"
#include "cli/words.h"

namespace vyre::cli {
namespace {

std::string describe(const Program& program) {
  std::string text = "workgroup " + std::to_string(program.workgroup[0]);
  for (const std::size_t axis : {1U, 2U})
    text += "×" + std::to_string(program.workgroup[axis]);
  for (const BufferDecl* buffer : host_buffers(program)) {
    text += ", " + buffer->name + ": " + type_name(program, buffer->layout);
  }
  return text;
}

bool contains(const Diagnostics& diagnostics, const Diagnostic& wanted) {
  return std::any_of(diagnostics.begin(), diagnostics.end(), [&](const Diagnostic& known) {
    return known.code == wanted.code && known.place == wanted.place &&
           known.message == wanted.message;
  });
}

/// The faults of several entry points together: what they share is said once.
class Faults {
 public:
  void add(const Error& error) {
    if (error.diagnostics().empty()) throw Failure(error);
    for (const Diagnostic& diagnostic : error.diagnostics()) {
      if (!contains(all_, diagnostic)) all_.add(diagnostic);
    }
    sources_ = error.diagnostics().sources();
  }
  void report() {
    if (all_.empty()) return;
    all_.set_sources(std::make_shared<const std::vector<Source>>(std::move(sources_)));
    all_.sort_by_place();
    throw Failure(Error(std::move(all_)));
  }

 private:
  Diagnostics all_;
  std::vector<Source> sources_;
};

}  // namespace

void check(const KernelWords& words) {
  const std::vector<Source> sources = read_sources(words);
  const auto constants = read_constants(words);
  std::vector<std::string> entries = {words.entry};
  if (words.entry.empty()) entries = must(wgsl_entry_points(sources));
  if (entries.empty()) {
    read_kernel(words);  // which says that there is none
    return;
  }
  std::string report;
  Faults faults;
  for (const std::string& entry : entries) {
    const auto program = parse_wgsl(sources, {entry, constants});
    if (program) {
      report += entry + ": no faults; " + describe(program->program()) + "\n";
    } else {
      faults.add(program.error());
    }
  }
  faults.report();
  print(report);
}

}  // namespace vyre::cli
