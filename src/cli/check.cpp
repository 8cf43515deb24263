// SPDX-License-Identifier: MIT OR Apache-2.0
#include "cli/check.h"

#include <algorithm>
#include <optional>

#include "vyre/diagnostic.h"

#include "cli/report.h"
#include "cli/types.h"
#include "cli/words.h"

namespace vyre::cli {
namespace {

CheckedEntry entry_of(const std::string& name, const Program& program) {
  CheckedEntry entry{name, program.workgroup, {}};
  for (const BufferDecl* buffer : host_buffers(program))
    entry.buffers.emplace_back(buffer->name, type_name(program, buffer->layout));
  return entry;
}

std::string describe(const CheckedEntry& entry) {
  std::string text = entry.name + ": no faults; workgroup " + std::to_string(entry.workgroup[0]);
  for (const std::size_t axis : {1U, 2U})
    text += "×" + std::to_string(entry.workgroup[axis]);
  for (const auto& [name, type] : entry.buffers)
    text += ", " + name + ": " + type;
  return text + "\n";
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
  Diagnostics take() {
    all_.set_sources(std::make_shared<const std::vector<Source>>(std::move(sources_)));
    all_.sort_by_place();
    return std::move(all_);
  }

 private:
  Diagnostics all_;
  std::vector<Source> sources_;
};

/// Where the text has no entry point no option would help: it is at fault, and not the command.
Failure failure_of(Diagnostics faults, bool has_entries) {
  if (!has_entries) return Failure(Exit::faulty_kernel, {Error(std::move(faults))});
  return Failure(Error(std::move(faults)));
}

}  // namespace

void check(const CheckWords& words) {
  const std::vector<Source> sources = read_sources(words.kernel);
  const auto constants = read_constants(words.kernel);
  std::vector<std::string> names = {words.kernel.entry};
  if (words.kernel.entry.empty())
    if (auto found = wgsl_entry_points(sources); found && !found->empty())
      names = *std::move(found);
  std::vector<CheckedEntry> entries;
  Faults found;
  for (const std::string& name : names) {
    const auto program = parse_wgsl(sources, {name, constants});
    if (program)
      entries.push_back(entry_of(name, program->program()));
    else
      found.add(program.error());
  }
  Diagnostics faults = found.take();
  if (words.json) print(check_report(faults, entries));
  if (!faults.empty()) {
    Failure failure = failure_of(std::move(faults), !names.front().empty());
    throw words.json ? Failure(failure.status(), {}) : failure;
  }
  for (const CheckedEntry& entry : entries)
    if (!words.json) print(describe(entry));
}

}  // namespace vyre::cli
