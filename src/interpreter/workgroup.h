// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "interpreter/invocation.h"

/// The invocations of one workgroup, and what they wait for.
namespace vyre::interpreter {

class Workgroup {
 public:
  explicit Workgroup(RunState& run);

  /// Runs the workgroup `id` to its end, or until the run's report says why it stopped.
  void run(const std::array<std::uint32_t, 3>& id);

 private:
  void start(const std::array<std::uint32_t, 3>& id);
  /// Each runs until it waits or ends; true if some are still running.
  bool run_all();
  /// Carries out the subgroup operations that all running lanes of a subgroup wait for; true if
  /// there was one.
  bool meet_in_subgroups();
  bool meet(std::span<Invocation> subgroup);
  void carry_out(const Subgroup& operation, std::span<Invocation* const> active);
  /// Lets all pass the barrier at which they wait; false if none waits.
  bool meet_at_barrier();
  void report_divergence(const Invocation& waiting, const Invocation& other);

  RunState& run_;
  SpaceBytes bytes_;
  std::vector<Invocation> invocations_;
  std::uint64_t linear_id_ = 0;
};

}  // namespace vyre::interpreter
