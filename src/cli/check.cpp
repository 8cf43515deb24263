// SPDX-License-Identifier: MIT OR Apache-2.0
#include "cli/check.h"

#include <string>
#include <utility>
#include <vector>

#include "vyre/diagnostic.h"

#include "cli/report.h"
#include "cli/types.h"
#include "cli/words.h"
#include "wgsl/module.h"

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

/// Where the text has no entry point no option would help: it is at fault, and not the command.
Failure failure_of(Diagnostics faults, bool names_entry) {
  const bool none = !names_entry && faults[0].code == Code::unknown_entry_point;
  if (none) return Failure(Exit::faulty_kernel, {Error(std::move(faults))});
  return Failure(Error(std::move(faults)));
}

}  // namespace

void check(const CheckWords& words) {
  const KernelWords& kernel = words.kernel;
  std::vector<CheckedEntry> entries;
  Diagnostics faults =
      must(wgsl::check_text(read_sources(kernel), {kernel.entry, read_constants(kernel)},
                            [&](const ValidProgram& program) {
                              entries.push_back(entry_of(program->name, program.program()));
                            }));
  if (!faults.has_errors()) faults = {};  // warnings do not make a kernel faulty
  if (words.json) print(check_report(faults, entries));
  if (!faults.empty()) {
    Failure failure = failure_of(std::move(faults), !kernel.entry.empty());
    throw words.json ? Failure(failure.status(), {}) : failure;
  }
  for (const CheckedEntry& entry : entries)
    if (!words.json) print(describe(entry));
}

}  // namespace vyre::cli
