// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>

#include "backend/cpu/code.h"
#include "backend/cpu/machine.h"
#include "backend/cpu/memory.h"

/// Running flat code on one strip of lanes.
namespace vyre::cpu {

/// What all workers of one launch share.
struct RunState {
  const Code& code;
  const Launch& launch;
  std::span<const View> views;  ///< by BufferId; workgroup buffers are each worker's own
  bool concurrent = false;
  std::atomic<std::uint64_t> traps{0};
  TrapRecord first_trap = {};  ///< written by the one who raised `traps` from 0
  std::atomic<bool> stopped{false};

  /// True once the launch shall end early.
  bool must_stop() {
    if (launch.stop != nullptr && launch.stop->load(std::memory_order_relaxed))
      stopped.store(true, std::memory_order_relaxed);
    return stopped.load(std::memory_order_relaxed);
  }
  /// The same, and looks at the clock.
  bool is_late() {
    if (launch.deadline != std::chrono::steady_clock::time_point::max() &&
        std::chrono::steady_clock::now() >= launch.deadline)
      stopped.store(true, std::memory_order_relaxed);
    return must_stop();
  }
};

/// A strip's state.  Its memory belongs to the worker.
struct Strip {
  Lane* file = nullptr;
  Mask* slots = nullptr;
  std::byte* local = nullptr;
  const View* views = nullptr;
  const std::byte** last = nullptr;  ///< by access: where it was the last time
  const Lane** windows = nullptr;    ///< where the results of loads are
  Mask active;
  std::uint32_t count = 0;  ///< lanes 0 … count-1 exist
  std::uint32_t lanes = 0;  ///< count, rounded up to whole steps
  std::uint32_t pc = 0;
  std::uint32_t repeated = 0;     ///< instructions repeated since the last look at the clock
  std::uint64_t group = 0;        ///< linear workgroup of lane 0
  std::uint32_t local_index = 0;  ///< of lane 0
  bool is_line = false;           ///< lanes are neighbours in x, or in one workgroup
  bool done = false;
};

/// One subgroup operation for the active lanes of a strip of `count` lanes.
void run_subgroup(const SubgroupInfo& info, Lane* file, const Mask& active, std::uint32_t count);
/// True if the strip's lanes are neighbours in x, or in one workgroup.
bool is_line(const RunState& state, const Strip& strip);
/// Writes the registers that hold builtins for this strip's lanes.
void write_builtins(const RunState& state, Strip& strip);
/// Writes the registers that hold the same for a whole launch.
void write_presets(const RunState& state, Lane* file);

/// The place of a lane's global id in the whole grid, x fastest.
std::uint64_t linear_invocation(const RunState& state, const Strip& strip, std::uint32_t lane);

}  // namespace vyre::cpu
