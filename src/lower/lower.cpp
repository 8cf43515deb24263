// SPDX-License-Identifier: MIT OR Apache-2.0
#include "lower/lower.h"

#include <utility>

#include "lower/passes.h"

namespace vyre {
namespace {

/// A row of the list: a name, when it is needed, and what it does.
struct Pass {
  std::string_view name;
  bool (*needed)(const Target&);
  Status (*run)(Lowered&);
};

constexpr Pass kPasses[] = {
    {"number_launch", [](const Target&) { return true; }, number_launch},
};

}  // namespace

Target cpu_target() {
  return {.name = "cpu",
          .native_memory = true,
          .native_bounds = true,
          .native_operators = true,
          .native_control = true,
          .native_traps = true,
          .native_launch = true,
          .zeroes_workgroup = true,
          .max_uniform_bytes = ~std::uint64_t{0},
          .max_constant_words = ~std::uint32_t{0},
          .max_nesting = ~std::uint32_t{0},
          .max_statements = ~std::uint32_t{0}};
}

Target wgsl_target() { return {.name = "wgsl"}; }

Result<Lowered> lower(const ValidProgram& valid, const Target& target,
                      const PassObserver& observer) {
  Lowered lowered;
  lowered.program = valid.program();
  lowered.host_buffers = static_cast<std::uint32_t>(valid->buffers.size());
  lowered.target = target;
  for (const Pass& pass : kPasses) {
    if (!pass.needed(target)) continue;
    VYRE_CHECK_OK(pass.run(lowered));
    if (observer) observer(pass.name, lowered);
  }
  return lowered;
}

}  // namespace vyre
