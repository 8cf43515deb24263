// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "vyre/program.h"

#include "backend/cpu/isa.h"
#include "backend/cpu/kernels.h"
#include "backend/cpu/shapes.h"
#include "base/half.h"

/// Flat code: what `Machine::compile` makes and `run` interprets.
///
/// A strip of lanes runs it with a file of registers, a mask of active lanes and an array of
/// slots, which are masks too.  Pure instructions compute all lanes, active or not: a value is read
/// only by lanes that were active where it was bound, and within a block lanes only leave, so what
/// the others hold is never seen.  Only variables, memory and control flow look at the mask.
///
/// A value whose lanes follow from the first ones is held as a seed: the words of the first
/// `kLaneStep` lanes.  Lane i of a register that is expanded from it holds seed[0] + i × step.
///
/// Control flow needs no stack: each construct owns slots, in which lanes wait for the place where
/// they continue.  An instruction that leaves no lane active jumps to the end of its block.
namespace vyre::cpu {

/// A register, or a seed: the position of its first word in the file.
using Reg = std::uint32_t;

enum class Opcode : std::uint8_t {
  pure,          ///< d = kernel(a, b, c)
  pure_from,     ///< the same, with operands that are windows
  pure_to,       ///< the same to memory: d is an access, which stores `scratch`
  pure_set,      ///< the same for active lanes only; `scratch` is a register for the rest
  set_from,      ///< as pure_set, with operands that are windows
  pure_seed,     ///< the same for seeds
  copy,          ///< d = a
  copy_seed,     ///< the same for seeds
  set,           ///< d = a for active lanes
  splat,         ///< d = bits `a` in all lanes
  splat_seed,    ///< the same for a seed
  expand,        ///< d = what follows from seed a with step c
  pick,          ///< seed d = a of any active lane
  load,          ///< access
  load_window,   ///< access; window b shows its result, wherever that is
  store,         ///< access
  atomic,        ///< access
  load_seed,     ///< access, for all lanes at once; its indices and results are seeds
  subgroup,      ///< of `subgroups`
  barrier,       ///< the strip waits until all strips of its workgroup are here
  branch,        ///< slot = active lanes where the condition fails; target: nobody stays
  swap,          ///< active lanes and slot change places; target: nobody is active
  join,          ///< slot becomes active too; target: nobody is active
  clear,         ///< slot = no lane
  leave,         ///< active lanes go to slot; jumps to target
  take,          ///< active lanes and slot become active, slot is emptied; target: nobody is active
  leave_if,      ///< active lanes where the condition holds go to slot; target: nobody stays
  stop_if,       ///< active lanes where the condition holds end; target: nobody stays
  break_if,      ///< active lanes where the condition holds go to slot
  repeat,        ///< jumps to target if any lane is active, else slot becomes active
  repeat_part,   ///< as repeat, but few lanes may go first while the others wait in slot + 2;
                 ///< the first a of `kept` from b on begin anew for each of them
  stop,          ///< active lanes end; jumps to target
  trap,          ///< as stop, and records tag d, value a
  skip,          ///< jumps to target if no lane is active
  switch_enter,  ///< d = each lane's case (of table c) for selector a, a seed if b is 1;
                 ///< slot = active lanes; slot+1 = none
  switch_next,  ///< picks the lanes of the next case; slot+1 becomes active at target, when none is
                ///< left
  case_end,     ///< active lanes go to slot + 1; jumps to target
  end,          ///< the strip is done
};

/// A constant as a register holds it.  An f16 is held as the f32 of its value.
inline Lane word_of(ScalarType type, std::uint64_t bits) {
  if (type == ScalarType::boolean) return bits != 0 ? ~Lane{0} : 0;
  if (type == ScalarType::f16)
    return std::bit_cast<Lane>(half_to_float(static_cast<std::uint16_t>(bits)));
  return static_cast<Lane>(bits);
}
/// True for elements that memory and registers hold in the same 32 bits.
constexpr bool is_word(ScalarType type) {
  return type == ScalarType::u32 || type == ScalarType::i32 || type == ScalarType::f32;
}

inline constexpr std::uint32_t kNowhere = ~std::uint32_t{0};

/// How a condition may be decided for all lanes by few of them.
struct Spread {
  enum class Kind : std::uint8_t {
    each,  ///< not at all
    same,  ///< by any active lane
    ends,  ///< by the first and the last, if all lanes are active and the
           ///< operand with a step does not wrap
  };
  Kind kind = Kind::each;
  bool of_seeds = false;  ///< the operands, or the condition itself, are seeds
  bool needs_line = false;
  bool of_b = false;       ///< the operand with a step, which is not 0, is b
  bool is_signed = false;  ///< how it is compared
  bool is_above = false;   ///< the condition holds where it is not below the other operand
  bool is_equal = false;   ///< below means below or equal
  std::int32_t step = 0;
};

struct Instr {
  Opcode op = Opcode::end;
  bool negated = false;      ///< a condition: it holds where it does not
  std::uint8_t windows = 0;  ///< bits of a, b and c: it is not a register, but a window
  Spread spread = {};        ///< of a condition
  Kernel kernel = nullptr;
  Test test = nullptr;  ///< a condition is test(a, b), or a if this is null
  std::uint32_t d = 0;
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::uint32_t c = 0;
  std::uint32_t scratch = 0;
  std::uint32_t slot = 0;
  std::uint32_t target = kNowhere;
};

/// One tested index of an access; `count` 0: the buffer's run-time count.
struct IndexLevel {
  Reg index = 0;  ///< a register, or a seed with this step
  Reg plus = 0;   ///< a seed whose first word is added
  bool is_seed = false;
  std::int32_t step = 0;
  std::uint32_t stride = 0;
  std::uint32_t count = 0;
};

/// Everything about one load, store or atomic.
struct AccessInfo {
  std::uint32_t buffer = 0;
  Space space = Space::storage;
  ScalarType scalar = ScalarType::u32;
  std::uint8_t components = 1;
  bool is_word = false;      ///< an element is 32 bits, held as they are
  bool consecutive = false;  ///< components are elements, each tested by the last level
  std::uint32_t step = 4;    ///< bytes from one component to the next
  Shape shape = {};          ///< of the only index
  std::uint64_t offset = 0;
  std::uint32_t first_level = 0;
  std::uint32_t levels = 0;
  std::array<Reg, 4> data = {};  ///< results of a load, values of a store; of an atomic: old value
  bool is_unused = false;        ///< nobody reads the result of this atomic
  AtomicOp op = AtomicOp::load;
  Reg value = 0;
  Reg comparand = 0;

  /// One word a lane, through one index, in memory that lanes share.
  [[nodiscard]] bool is_plain() const {
    return is_word && step == sizeof(Lane) && components == 1 && levels == 1 && !consecutive &&
           space != Space::local;
  }
};

/// Everything about one subgroup operation.
struct SubgroupInfo {
  SubgroupOp op = SubgroupOp::elect;
  ScalarType type = ScalarType::u32;  ///< of the value
  std::array<Reg, 4> results = {};    ///< ballot has four
  Reg value = 0;
  Reg argument = 0;
};

/// Lanes of a subgroup.  Strips are whole multiples of it, or less than one workgroup.
inline constexpr std::uint32_t kSubgroupLanes = 32;

/// Case values in ascending order, each with the position of its block.
struct SwitchTable {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> cases;  ///< value, number of its block
  std::vector<std::uint32_t> targets;  ///< by number; the default is the last
};

/// A register that holds the same words for a whole run, or for a strip.
struct Preset {
  enum class Kind : std::uint8_t { constant, launch, length, word, builtin, computed, expanded };
  Kind kind = Kind::constant;
  bool is_seed = false;
  std::uint8_t component = 0;
  Builtin builtin = Builtin::global_id;
  LaunchField launch = LaunchField::zero;
  std::uint32_t value = 0;   ///< constant: the word; launch, length and word: the buffer
  std::uint32_t offset = 0;  ///< word: where it lies in the buffer
  Reg reg = 0;
  Kernel kernel = nullptr;     ///< computed: a seed, from seeds that are presets
  std::array<Reg, 3> of = {};  ///< its operands; or the seed that is expanded
  /// What it holds, for finding it again; not for words and what is computed.
  [[nodiscard]] std::uint64_t key() const {
    const auto what = static_cast<std::uint64_t>(kind) << 8 | static_cast<std::uint64_t>(component);
    const auto which = kind == Kind::builtin ? static_cast<std::uint64_t>(builtin)
                                             : static_cast<std::uint64_t>(launch);
    return std::uint64_t{is_seed} << 63 | what << 48 | which << 32 | value;
  }
};

/// Where a buffer of the machine's own lies: in the workgroup's or the lane's private memory.
struct Placed {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

/// A seed that a loop changes, and where it is kept for lanes that go through the loop later.
struct Kept {
  Reg seed = 0;
  Reg copy = 0;
};

struct Code {
  Program declarations;  ///< name, workgroup, layouts, buffers; no statements
  std::vector<Instr> instrs;
  std::vector<AccessInfo> accesses;
  std::vector<SubgroupInfo> subgroups;
  std::vector<IndexLevel> levels;
  std::vector<SwitchTable> tables;
  std::vector<Kept> kept;
  std::vector<Preset> presets;    ///< written once, before the first strip
  std::vector<Preset> per_strip;  ///< written at the start of each strip
  std::vector<Placed> placed;     ///< by BufferId; workgroup and local buffers
  std::uint64_t workgroup_bytes = 0;
  std::uint64_t local_bytes = 0;          ///< of one lane, a multiple of 4
  std::uint32_t group_lanes = 1;          ///< invocations of a workgroup
  std::uint32_t strip_lanes = kLaneStep;  ///< words in a register
  std::uint64_t file_words = 0;
  std::uint32_t slots = 0;
  std::uint32_t windows = 0;
  /// The local id of each invocation of a workgroup, axis by axis.
  std::array<std::vector<std::uint32_t>, 3> local_ids;
  bool has_barriers = false;
  const Isa* isa = nullptr;  ///< whose kernels the instructions call
  /// Strips may span workgroups: nothing in the program can tell.
  bool mixes_groups = false;
};

}  // namespace vyre::cpu
