// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>

#include "vyre/program.h"
#include "vyre/result.h"

/// The CPU machine: the reference meaning of a program.
///
/// It runs any valid program and any program that lowering makes of one.  A workgroup runs in
/// lockstep, each operation over arrays of lanes under a mask; barrier-free regions run strip by
/// strip of lanes; workgroups are spread over a thread pool.  With one thread workgroups run in
/// linear order (x fastest).
namespace vyre::cpu {

/// The bytes of one storage or uniform buffer.  `count`: elements of its root or trailing array.
/// REQUIRES: bytes.size() ≥ the buffer's logical size; plain bytes may be unaligned.
struct Memory {
  std::span<std::byte> bytes = {};
  std::uint64_t count = 0;
};

struct Launch {
  std::array<std::uint32_t, 3> grid = {1, 1, 1};          ///< workgroups to run
  std::array<std::uint32_t, 3> logical_grid = {1, 1, 1};  ///< what LaunchField::grid_* read
  std::array<std::uint32_t, 3> base = {0, 0, 0};          ///< what LaunchField::base_* read
  std::span<const Memory> buffers = {};     ///< by BufferId; entries of other spaces are ignored
  unsigned threads = 0;                     ///< 0: as many as the machine has
  const std::atomic<bool>* stop = nullptr;  ///< tested at back-edges and between workgroups
  /// The same happens some time after this.
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
};

struct TrapRecord {
  std::uint64_t count = 0;  ///< 0: no trap
  TrapId tag = kNone<TrapId>;
  std::uint32_t value = 0;
  std::uint64_t invocation = 0;  ///< its global id, linear over the grid, x fastest
};

struct RunResult {
  TrapRecord trap;
  bool stopped = false;  ///< early, by `stop` or the deadline; the memory is unspecified
};

struct Code;

/// A compiled program.  Immutable; may run on several threads at once on different memory.
class Machine {
 public:
  static Machine compile(const Program& program);

  /// Runs the whole grid.  Fails only with `out_of_memory`.
  Result<RunResult> run(const Launch& launch) const;

 private:
  explicit Machine(std::shared_ptr<const Code> code) : code_(std::move(code)) {}
  std::shared_ptr<const Code> code_;
};

}  // namespace vyre::cpu
