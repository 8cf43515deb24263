// SPDX-License-Identifier: MIT OR Apache-2.0
#include "validate/validate.h"

#include "base/guarded.h"
#include "ir/forms.h"
#include "validate/checks.h"

namespace vyre {
namespace {

/// What is inspected: a user's program, one whose uniformity is known, or what passes made of it.
enum class Extent : std::uint8_t { all, judged, lowered };

Diagnostics finish(Inspection& inspection) {
  Diagnostics faults = inspection.faults.take();
  faults.set_sources(inspection.program.sources);
  faults.sort_by_place();
  return faults;
}

Diagnostics inspect(const Program& program, Extent extent) {
  Inspection inspection{program, extent == Extent::lowered, Faults(program)};
  check_references(inspection);
  if (inspection.faults.empty()) {
    check_declarations(inspection);
    const bool sound = check_statements(inspection);
    if (sound && extent == Extent::all) check_uniformity(inspection);
  }
  return finish(inspection);
}

Result<std::shared_ptr<const Program>> sound(Program program, Extent extent) {
  Diagnostics faults = inspect(program, extent);
  if (faults.has_errors()) return Error(std::move(faults));
  return std::make_shared<const Program>(std::move(program));
}

}  // namespace

const Program& ValidProgram::none() {
  static const Program kNone;
  return kNone;
}

Result<ValidProgram> validate(Program program) {
  return guarded([&]() -> Result<ValidProgram> {
    VYRE_TRY(auto valid, sound(std::move(program), Extent::all));
    const Hash hash = identity(*valid);
    return ValidProgram(std::move(valid), hash);
  });
}

Result<ValidProgram> validate_judged(Program program) {
  return guarded([&]() -> Result<ValidProgram> {
    VYRE_TRY(auto valid, sound(std::move(program), Extent::judged));
    const Hash hash = identity(*valid);
    return ValidProgram(std::move(valid), hash);
  });
}

Diagnostics validate_lowered(const Program& program) {
  return inspect(program, Extent::lowered);
}

Diagnostics check_uniformity(const Program& program) {
  Inspection inspection{program, false, Faults(program)};
  check_uniformity(inspection);
  return finish(inspection);
}

}  // namespace vyre
