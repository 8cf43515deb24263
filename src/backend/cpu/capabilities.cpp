// SPDX-License-Identifier: MIT OR Apache-2.0
#include "backend/cpu/capabilities.h"

#include <optional>
#include <string>

namespace vyre::cpu {
namespace {

Error lacks(const Program& program, Capability capability) {
  return {ErrorKind::unsupported, "needs-capability",
          "kernel `" + program.name + "` needs the capability " +
              std::string(to_string(capability)) + ", which the cpu does not have",
          "choose a device that has it, or another type or operation"};
}

/// The machine has the others.
std::optional<Capability> missing(ScalarType type) {
  const auto needed = capability_of(type);
  return needed == Capability::int64 ? needed : std::nullopt;
}

std::optional<Capability> missing_capability(const Program& program) {
  for (const Expr& expr : program.exprs)
    if (const auto needed = missing(expr.type)) return needed;
  for (const ScalarType type : program.values)
    if (const auto needed = missing(type)) return needed;
  for (const ScalarType type : program.vars)
    if (const auto needed = missing(type)) return needed;
  return std::nullopt;
}

}  // namespace

Status check_capabilities(const Program& program) {
  if (const auto lacking = missing_capability(program)) return lacks(program, *lacking);
  return Ok{};
}

}  // namespace vyre::cpu
