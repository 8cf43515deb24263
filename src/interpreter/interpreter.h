// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "vyre/program.h"

/// The reference interpreter: what a program means, plain enough to be checked by eye.
///
/// It runs one invocation at a time, statement by statement, on `eval` and the layout tree alone.
/// Invocations of a workgroup run in the order of their local index, each until it ends or waits:
/// at a barrier for all invocations of the workgroup, at a subgroup operation for the lanes of its
/// subgroup.  Workgroups run one after another, x fastest.  Nothing here is optimised, and nothing
/// recurses over statements, so any nesting is handled.
///
/// Tests use it to judge the CPU machine, every pass of lowering and the random programs.  It runs
/// any valid program and any program that lowering makes of one.
///
/// A lane that trapped ends.  An invocation that runs long gives way to the others now and then, so
/// a loop that waits for another invocation of its workgroup ends when that one does its part.
///
/// Owns nothing of the caller's; `interpret` may run on several threads at once on different bytes.
namespace vyre::interpreter {

/// The bytes of one storage or uniform buffer, and the elements of its root or trailing array.
/// REQUIRES: bytes.size() ≥ the buffer's logical size.
struct BufferBytes {
  std::span<std::byte> bytes = {};
  std::uint64_t count = 0;
};

struct RunInputs {
  std::array<std::uint32_t, 3> grid = {1, 1, 1};          ///< workgroups to run
  std::array<std::uint32_t, 3> logical_grid = {1, 1, 1};  ///< what LaunchField::grid_* read
  std::array<std::uint32_t, 3> base = {0, 0, 0};          ///< what LaunchField::base_* read
  std::span<const BufferBytes> buffers = {};              ///< by BufferId; other spaces are ignored
  std::uint32_t subgroup_size = 32;                       ///< 1 to 128
  /// Statements and loop iterations of all invocations together; then the run stops.
  std::uint64_t max_steps = ~std::uint64_t{0};
};

/// The first trap in the order of the run, and how many invocations trapped.
struct TrapSummary {
  std::uint64_t count = 0;
  TrapId tag = kNone<TrapId>;
  std::uint32_t value = 0;
  std::uint64_t invocation = 0;  ///< its global id, linear over the grid, x fastest
};

/// Two invocations of a workgroup, of which one waits at a barrier that the other cannot reach.
struct DivergentBarrier {
  std::uint64_t workgroup = 0;      ///< linear, x fastest
  std::uint32_t waiting = 0;        ///< local index of the one that waits …
  StmtId at = kNone<StmtId>;        ///< … at this barrier
  std::uint32_t other = 0;          ///< local index of the other one …
  StmtId other_at = kNone<StmtId>;  ///< … which waits here, or has ended if absent
};

struct RunReport {
  TrapSummary trap;
  std::optional<DivergentBarrier> divergence;  ///< the run stopped there
  bool out_of_steps = false;                   ///< the run stopped early; memory is unspecified
};

/// Runs the whole grid.  A divergent barrier ends the run: what it means is undefined.
RunReport interpret(const Program& program, const RunInputs& inputs);

}  // namespace vyre::interpreter
