// SPDX-License-Identifier: MIT OR Apache-2.0
#include "validate/validate.h"

#include "validate/checks.h"

namespace vyre {
namespace {

Diagnostics inspect(const Program& program, bool lowered) {
  Inspection inspection{program, lowered, Faults(program)};
  check_references(inspection);
  if (inspection.faults.empty()) {
    check_declarations(inspection);
    if (check_statements(inspection)) check_uniformity(inspection);
  }
  Diagnostics faults = inspection.faults.take();
  faults.set_sources(program.sources);
  faults.sort_by_place();
  return faults;
}

}  // namespace

Result<ValidProgram> validate(Program program) {
  Diagnostics faults = inspect(program, false);
  if (faults.has_errors()) return Error(std::move(faults));
  const Hash identity = hash(program);
  return ValidProgram(std::make_shared<const Program>(std::move(program)), identity);
}

Diagnostics validate_lowered(const Program& program) {
  return inspect(program, true);
}

}  // namespace vyre
