// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "vyre/result.h"
#include "vyre/validate.h"

/// From a valid program to one that a target can say.
///
/// `lower` runs one ordered list of passes.  A pass is a verb, a function and a file:
/// Program → Program.  After every pass the program still means the same: the CPU machine runs it
/// and gives the same bytes, and in debug builds the validator accepts it.  Pure; any thread.
namespace vyre {

/// How the workgroups of a grid arrive when one of its axes is longer than the device's: that axis
/// as rows in x and y, the product of the others in z.
enum class Fold : std::uint8_t {
  none,
  x,    ///< x is long, z is 1
  y,    ///< y is long, z is 1
  z,    ///< z is long, y is 1
  any,  ///< the longest axis is folded, whichever it is
};
inline constexpr std::size_t kFolds = 5;

/// What a target does natively, so that lowering need not.
struct Target {
  std::string name;               ///< part of cache keys
  bool native_memory = false;     ///< narrow and boolean elements, consecutive elements, any layout
  bool native_bounds = false;     ///< out-of-bounds accesses mean what language.md says
  bool native_operators = false;  ///< every operator means what `ir/meaning.h` says
  bool native_control = false;    ///< switch, scopes with leave, any nesting
  bool native_loops = false;      ///< a loop without an end harms nothing
  bool native_traps = false;
  bool native_lanes = false;      ///< a lane that is inactive or absent reads as zero
  bool wide_atomics = false;      ///< atomics of 64 bits
  bool native_launch = false;     ///< exact `length`, any grid
  bool interprets = false;        ///< no compiler behind it makes programs better
  bool zeroes_workgroup = false;  ///< workgroup memory starts as zeros
  bool float_exact = true;        ///< + - * keep their roundings and signed zeros
  bool strict_float = false;      ///< asked for by the user
  Fold fold = Fold::none;         ///< how grids arrive
  /// A defect: lanes beyond the workgroup, which fill up its last vector, run as well, and keep
  /// loops turning.
  bool runs_idle_lanes = false;
  /// A defect: loops end in silence once those of an invocation took so many turns.
  std::uint64_t loop_turns = ~std::uint64_t{0};
  /// Turns of a loop whose end is not proved; then it traps.
  std::uint32_t endless_turns = ~std::uint32_t{0};
  std::uint64_t max_grid = ~std::uint64_t{0};          ///< workgroups on an axis that is not folded
  std::uint64_t max_buffer_bytes = ~std::uint64_t{0};  ///< of one that is bound
  std::uint64_t max_uniform_bytes = 65536;             ///< a larger uniform buffer becomes storage
  std::uint64_t max_local_bytes = ~std::uint64_t{0};   ///< of an invocation's private arrays
  std::uint32_t max_constant_words = 64;  ///< a larger constant buffer becomes a storage buffer
  std::uint32_t max_nesting = 64;
  std::uint32_t max_statements = 20000;
};

/// The target that needs nothing: the CPU machine.
Target cpu_target();
/// The target of WGSL text.
Target wgsl_target();

/// One word of the launch block.
struct LaunchWord {
  LaunchField field = LaunchField::zero;
  BufferId buffer = kNone<BufferId>;  ///< count
  friend bool operator==(const LaunchWord&, const LaunchWord&) = default;
};

/// The layout of the trap record, an internal scratch buffer of five words: the count of traps
/// (0: none), then of the first one its tag, its value and its linear invocation id (low, high).
inline constexpr std::uint32_t kTrapWords = 5;

/// The text of the trap that lowering adds; its value is the number of turns that were allowed. Its
/// tag follows those of the valid program.
inline constexpr std::string_view kLoopTrap = "loops took more turns than the device allows";

struct Lowered {
  Program program;
  /// Buffers 0 … host_buffers-1 are those of the valid program, in its order, with the same bytes
  /// (their layouts may be printed differently); later ones are internal (traps).  A constant
  /// buffer that the target cannot hold keeps its `words` and becomes read-only storage, which the
  /// backend fills with them.
  std::uint32_t host_buffers = 0;
  std::vector<LaunchWord> launch;          ///< the words the program reads, in order
  BufferId trap_buffer = kNone<BufferId>;  ///< present if the program can trap
  /// By host buffer: element global_id.x is stored by every invocation for which it exists, so a
  /// grid that reaches all elements writes every byte.  Empty: none is known to be.
  std::vector<bool> covered = {};
  /// Lanes whose local_index is not below the workgroup's size must leave first of all.  In the
  /// language there are none, so no statement says it.
  bool idle_lanes_leave = false;
  Target target;
};

/// Called after each pass with its name.
using PassObserver = std::function<void(std::string_view pass, const Lowered& so_far)>;

/// Fails with `unsupported` where the program exceeds what the target can hold.
Result<Lowered> lower(const ValidProgram& program,
                      const Target& target,
                      const PassObserver& observer = {});

}  // namespace vyre
