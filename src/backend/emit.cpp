// SPDX-License-Identifier: MIT OR Apache-2.0
#include "vyre/emit.h"

#include "backend/text.h"
#include "base/guarded.h"
#include "ir/forms.h"
#include "runtime/resident.h"

// The texts that programs can be shown as; a row each.
namespace vyre {
namespace {

Result<std::string> emit_ir(const ValidProgram& program, const EmitOptions&) {
  return readable(program.program());
}

constexpr TextTarget kTargets[] = {
    {"ir", emit_ir},
    {"wgsl", wgpu::emit_wgsl},
};

std::string known_targets() {
  std::string names;
  for (const TextTarget& target : kTargets)
    names += (names.empty() ? "`" : ", `") + std::string(target.name) + "`";
  return names;
}

}  // namespace

std::vector<std::string_view> emit_targets() {
  return guarded(
      [] {
        std::vector<std::string_view> names;
        for (const TextTarget& target : kTargets)
          names.push_back(target.name);
        return names;
      },
      [] { return std::vector<std::string_view>(); });
}

Result<std::string> emit(const ValidProgram& program,
                         std::string_view target,
                         const EmitOptions& options) {
  return guarded([&]() -> Result<std::string> {
    if (program.empty()) return empty_handle("program");
    for (const TextTarget& row : kTargets)
      if (row.name == target) return row.emit(program, options);
    return Error(ErrorKind::invalid_argument, "unknown-target",
                 "there is no text target `" + std::string(target) + "`",
                 "choose one of " + known_targets());
  });
}

}  // namespace vyre
