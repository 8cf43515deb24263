// SPDX-License-Identifier: MIT OR Apache-2.0
#include "lower/lower.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "lower/find_covered.h"
#include "lower/passes.h"
#include "validate/validate.h"

namespace vyre {
namespace {

/// A row of the list: a name, whether a target needs it, and what it does.
struct Pass {
  std::string_view name;
  bool (*needed)(const Target&);
  Status (*run)(Lowered&);
};

template <Program (*kPass)(const Program&)>
Status apply(Lowered& lowered) {
  lowered.program = kPass(lowered.program);
  return Ok{};
}

template <Program (*kPass)(const Program&, const Target&)>
Status apply(Lowered& lowered) {
  lowered.program = kPass(lowered.program, lowered.target);
  return Ok{};
}

bool lacks_operators(const Target& t) {
  return !t.native_operators;
}
bool lacks_control(const Target& t) {
  return !t.native_control;
}
bool lacks_memory(const Target& t) {
  return !t.native_memory;
}
bool lacks_loops(const Target& t) {
  return !t.native_loops;
}
bool lacks_traps(const Target& t) {
  return !t.native_traps;
}
bool lacks_bounds(const Target& t) {
  return !t.native_bounds;
}
bool lacks_zeros(const Target& t) {
  return !t.zeroes_workgroup;
}
bool lacks_lanes(const Target& t) {
  return !t.native_lanes;
}
bool lacks_rounding(const Target& t) {
  return t.strict_float && !t.float_exact;
}
bool lacks_compiler(const Target& t) {
  return t.interprets;
}
bool lacks_launch(const Target& t) {
  return !t.native_launch;
}

/// The printed test must be one that no compiler sees through, so it reads the word that is zero.
void dismiss_idle_lanes(Lowered& lowered) {
  lowered.idle_lanes_leave = keeps_idle_lanes(lowered.program, lowered.target);
  if (!lowered.idle_lanes_leave) return;
  const LaunchWord zero = {LaunchField::zero, kNone<BufferId>};
  if (std::find(lowered.launch.begin(), lowered.launch.end(), zero) == lowered.launch.end())
    lowered.launch.push_back(zero);
}

/// The order matters: what a pass writes must be said by those behind it.
constexpr Pass kPasses[] = {
    {"unroll_loops", lacks_compiler, apply<unroll_loops>},
    {"promote_arrays", lacks_compiler, apply<promote_arrays>},
    {"share_arrays", lacks_memory, apply<share_arrays>},
    {"drop_conditions", lacks_compiler, apply<drop_conditions>},
    {"join_conditions", lacks_compiler, apply<join_conditions>},
    {"forward_variables", lacks_compiler, apply<forward_variables>},
    {"fold_constants", lacks_compiler, apply<fold_constants>},
    {"shift_fields", lacks_compiler, apply<shift_fields>},
    {"share_values", lacks_compiler, apply<share_values>},
    {"split_elements", lacks_memory, apply<split_elements>},
    {"bound_loops", lacks_loops, apply<bound_loops>},
    {"lower_traps", lacks_traps, lower_traps},
    {"guard_bounds", lacks_bounds, apply<guard_bounds>},
    {"zero_workgroup", lacks_zeros, apply<zero_workgroup>},
    {"zero_lanes", lacks_lanes, apply<zero_lanes>},
    {"bind_launch", lacks_launch, apply<bind_launch>},
    {"flatten_workgroup", lacks_launch, apply<flatten_workgroup>},
    {"pack_elements", lacks_memory, apply<pack_elements>},
    {"widen_halves", lacks_operators, apply<widen_halves>},
    {"expand_ops", lacks_operators, apply<expand_ops>},
    {"fold_constants", lacks_operators, apply<fold_constants>},
    {"pin_meaning", lacks_operators, apply<pin_meaning>},
    {"strict_float", lacks_rounding, apply<strict_float>},
    {"flatten_control", lacks_control, apply<flatten_control>},
    {"fold_constants", lacks_operators, apply<fold_constants>},
};

}  // namespace

Target cpu_target() {
  return {.name = "cpu",
          .native_memory = true,
          .native_bounds = true,
          .native_operators = true,
          .native_control = true,
          .native_loops = true,
          .native_traps = true,
          .native_lanes = true,
          .wide_atomics = true,
          .native_launch = true,
          .interprets = true,
          .zeroes_workgroup = true,
          .max_uniform_bytes = ~std::uint64_t{0},
          .max_constant_words = ~std::uint32_t{0},
          .max_nesting = ~std::uint32_t{0},
          .max_statements = ~std::uint32_t{0}};
}

Target wgsl_target() {
  return {.name = "wgsl"};
}

Result<Lowered> lower(const ValidProgram& valid,
                      const Target& target,
                      const PassObserver& observer) {
  Lowered lowered;
  lowered.program = valid.program();
  lowered.host_buffers = static_cast<std::uint32_t>(valid->buffers.size());
  lowered.covered = find_covered(valid.program());
  lowered.target = target;
  VYRE_CHECK_OK(check_nesting(lowered));
  VYRE_CHECK_OK(check_atomics(lowered));
  for (const Pass& pass : kPasses) {
    if (!pass.needed(target)) continue;
    VYRE_CHECK_OK(pass.run(lowered));
    lowered.launch = launch_words(lowered.program);
#ifndef NDEBUG
    VYRE_CHECK(!validate_lowered(lowered.program).has_errors());
#endif
    if (observer) observer(pass.name, lowered);
  }
  dismiss_idle_lanes(lowered);
  VYRE_CHECK_OK(check_limits(lowered));
  return lowered;
}

}  // namespace vyre
