// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "vyre/diagnostic.h"
#include "vyre/op.h"
#include "vyre/type.h"

/// A `Program`: one kernel as plain values in arenas, addressed by 32-bit ids.
///
/// **Meaning.**  A program is a set of buffers, a workgroup size and a structured body that each
/// invocation runs once.  Values are scalars.  *Expressions are pure*: they read no memory and no
/// mutable variable, so they can be shared, moved and folded freely.  *Everything that touches
/// memory, a variable or other lanes is a statement*, and statements run in order.
///
/// Integers wrap; shift counts are taken modulo the width; `x / 0` is x and `x % 0` is 0;
/// `MIN / -1` is MIN.  f32 is IEEE binary32, round to nearest even, never contracted unless asked.
/// A load out of bounds yields zero, a store out of bounds does nothing, an atomic out of bounds
/// does nothing and yields 0; each index is tested against its own level of the layout.  Indices
/// are u32.  Within a workgroup a barrier orders the memories it names; across workgroups only
/// atomics do.  The operators' meanings are the functions of `src/ir/meaning.h`.
///
/// **Scopes.**  A value is visible after the statement that binds it, to the end of its block and
/// in the blocks nested there; so is a variable.  A loop's `continuing` block is *not* nested in
/// its body; `break_if` is evaluated at the end of `continuing` and sees its values.
///
/// **Invariants** of a finished program, which the builders establish and the validator checks:
/// expressions are trees (an operation is the operand of one place only; leaves may be shared),
/// no deeper than `kMaxExprDepth`, so they may be walked by recursion; statements may nest to any
/// depth and may not; ids are dense and ordered by first use, so equal programs have equal bytes.
///
/// A `Program` is a value and may be read from any thread.  Faulty ones can be made; only
/// `validate` makes a `ValidProgram`.
namespace vyre {

enum class ExprId : std::uint32_t {};
enum class ValueId : std::uint32_t {};  ///< a single-assignment value, bound by a statement
enum class VarId : std::uint32_t {};    ///< a mutable scalar local
enum class StmtId : std::uint32_t {};
enum class BlockId : std::uint32_t {};
enum class BufferId : std::uint32_t {};  ///< any memory: host buffers, workgroup and local arrays
enum class TrapId : std::uint32_t {};

/// The absent id of any kind.
template <typename Id>
inline constexpr Id kNone = static_cast<Id>(0xffffffffu);
template <typename Id>
[[nodiscard]] constexpr std::uint32_t index(Id id) {
  return static_cast<std::uint32_t>(id);
}

inline constexpr std::uint32_t kMaxExprDepth = 24;
inline constexpr std::uint32_t kMaxStatements = 200000;

// ---------------------------------------------------------------------------------- expressions

enum class ExprKind : std::uint8_t {
  constant,   ///< `bits`: the value's bit pattern, zero-extended (a boolean is 0 or 1)
  builtin,    ///< `builtin`, `component`
  length,     ///< `buffer`: exact element count of the root or trailing array, u32
  launch,     ///< `launch` (and `buffer`): a word of the launch block; only in lowered programs
  value,      ///< `value`: bound by a statement
  operation,  ///< `op` on `operands`
};

enum class Builtin : std::uint8_t {
  global_id,
  local_id,
  workgroup_id,
  num_workgroups,  ///< components 0, 1, 2
  local_index,
  lane,
  subgroup_size,  ///< with the capability `subgroups`
};
std::string_view to_string(Builtin builtin);

/// What a lowered program may read of its launch.  Every word is a u32.
enum class LaunchField : std::uint8_t {
  grid_x,
  grid_y,
  grid_z,  ///< the logical grid in workgroups
  base_x,
  base_y,
  base_z,  ///< the first workgroup of this launch
  count,   ///< element count of `buffer`'s runtime-sized array
  zero,    ///< always 0, and no compiler knows it
};
std::string_view to_string(LaunchField field);

struct Expr {
  ExprKind kind = ExprKind::constant;
  ScalarType type = ScalarType::u32;
  Op op = Op::add;
  Builtin builtin = Builtin::global_id;
  LaunchField launch = LaunchField::zero;
  std::uint8_t component = 0;
  BufferId buffer = kNone<BufferId>;
  ValueId value = kNone<ValueId>;
  std::uint64_t bits = 0;
  std::array<ExprId, 3> operands = {kNone<ExprId>, kNone<ExprId>, kNone<ExprId>};
};

// ------------------------------------------------------------------------------------- memory

enum class Space : std::uint8_t {
  storage,    ///< host-visible
  uniform,    ///< static size, read-only
  constant,   ///< words that are part of the program, read-only
  workgroup,  ///< zero at the start of the workgroup
  local,      ///< private to an invocation, zero at its start
};
std::string_view to_string(Space space);

/// How a storage buffer meets the host.  Uniform buffers are `input`; the other spaces ignore it.
enum class Access : std::uint8_t {
  input,    ///< read-only; the host's bytes
  in_out,   ///< starts with the host's bytes, or zeros; comes back
  output,   ///< starts as zeros; comes back
  scratch,  ///< starts as zeros; does not come back
};
std::string_view to_string(Access access);

/// The byte range of an output that is copied back; `end` is exclusive.
struct Window {
  std::uint64_t begin = 0;
  std::uint64_t end = ~std::uint64_t{0};  ///< all
  friend bool operator==(const Window&, const Window&) = default;
};

struct BufferDecl {
  std::string name;
  std::uint32_t group = 0;
  std::uint32_t binding = 0;
  Space space = Space::storage;
  Access access = Access::input;
  LayoutId layout = {};
  Window window = {};
  BufferId same_length_as = kNone<BufferId>;  ///< runtime-sized pure outputs of the builder
  std::vector<std::uint32_t> words = {};      ///< constant: the contents
};

/// One step from a buffer's root towards a leaf.
struct Step {
  enum class Kind : std::uint8_t { member, index };
  Kind kind = Kind::index;
  std::uint32_t member = 0;      ///< index into `Layout::members`
  ExprId index = kNone<ExprId>;  ///< u32; into an array or the components of a vector
};

/// A place in memory: a path through the layout to a scalar, an atomic or a vector.
/// `count` > 1 or `first` > 0: components first … first+count-1 of the vector at the path's end;
/// at a scalar that is an array's element: `count` consecutive elements, each tested by itself.
struct MemoryRef {
  BufferId buffer = kNone<BufferId>;
  std::vector<Step> path = {};
  std::uint8_t first = 0;
  std::uint8_t count = 1;
};

// --------------------------------------------------------------------------------- statements

struct Let {
  ValueId result;
  ExprId value;
};
struct Var {
  VarId var;
  ExprId init = kNone<ExprId>;
};  ///< no `init`: zero, each time it is run
struct Get {
  ValueId result;
  VarId var;
};
struct Set {
  VarId var;
  ExprId value;
};
/// Binds the values first … first+from.count-1.
struct Load {
  ValueId first;
  MemoryRef from;
};
struct Store {
  MemoryRef to;
  std::array<ExprId, 4> values = {kNone<ExprId>, kNone<ExprId>, kNone<ExprId>, kNone<ExprId>};
};
/// Binds the old value.  `value`: none for load.  `comparand`: compare_exchange only.
struct Atomic {
  AtomicOp op;
  ValueId result;
  MemoryRef on;
  ExprId value = kNone<ExprId>;
  ExprId comparand = kNone<ExprId>;
};
struct If {
  ExprId condition;
  BlockId then_block;
  BlockId else_block = kNone<BlockId>;
};
struct Case {
  std::vector<std::uint32_t> values;
  BlockId block;
};  ///< bit patterns
struct Switch {
  ExprId selector;
  std::vector<Case> cases;
  BlockId default_block;
};  ///< no fall-through
/// body, continuing, then leaves if `break_if` holds; both may be absent.
struct Loop {
  BlockId body;
  BlockId continuing = kNone<BlockId>;
  ExprId break_if = kNone<ExprId>;
};
struct Scope {
  BlockId body;
};  ///< a named block, which `Leave` exits forward
struct Leave {
  BlockId target;
};                   ///< `target` is the body of an enclosing Scope
struct Break {};     ///< of the innermost loop or switch
struct Continue {};  ///< of the innermost loop; not from its continuing block
struct Return {};    ///< ends the invocation
struct Barrier {
  bool workgroup = true;
  bool storage = false;
};
/// Barrier, load, barrier; the values are uniform.
struct UniformLoad {
  ValueId first;
  MemoryRef from;
};
/// `value`: none for elect; `argument`: the lane, mask or delta of broadcast and shuffles.
/// `ballot` binds four values, the others one.
struct Subgroup {
  SubgroupOp op;
  ValueId first;
  ExprId value = kNone<ExprId>;
  ExprId argument = kNone<ExprId>;
  bool divergent = false;  ///< need not be reached by all lanes, nor be given one argument
};
/// Records the dispatch's first trap and counts the rest; the lane has no further effect.
struct Trap {
  TrapId tag;
  ExprId value;
};

using Stmt = std::variant<Let,
                          Var,
                          Get,
                          Set,
                          Load,
                          Store,
                          Atomic,
                          If,
                          Switch,
                          Loop,
                          Scope,
                          Leave,
                          Break,
                          Continue,
                          Return,
                          Barrier,
                          UniformLoad,
                          Subgroup,
                          Trap>;

struct Block {
  std::vector<StmtId> stmts;
};

// ------------------------------------------------------------------------------------ program

struct Program {
  std::string name;
  std::array<std::uint32_t, 3> workgroup = {1, 1, 1};
  std::vector<Layout> layouts;
  std::vector<BufferDecl> buffers;  ///< in declaration order
  std::vector<std::string> traps;
  std::vector<Expr> exprs;
  std::vector<ScalarType> values;  ///< type of each ValueId
  std::vector<ScalarType> vars;    ///< type of each VarId
  std::vector<Stmt> stmts;
  std::vector<Block> blocks;
  BlockId body = kNone<BlockId>;

  // Outside the identity:
  std::vector<Place> places;  ///< of each StmtId; empty or as long as `stmts`
  std::shared_ptr<const std::vector<Source>> sources;

  const Expr& operator[](ExprId id) const { return exprs[index(id)]; }
  const Stmt& operator[](StmtId id) const { return stmts[index(id)]; }
  const Block& operator[](BlockId id) const { return blocks[index(id)]; }
  const BufferDecl& operator[](BufferId id) const { return buffers[index(id)]; }
  const Layout& operator[](LayoutId id) const { return layouts[index(id)]; }
  [[nodiscard]] const Layout& layout(const BufferDecl& buffer) const {
    return (*this)[buffer.layout];
  }
  [[nodiscard]] Place place(StmtId id) const {
    return index(id) < places.size() ? places[index(id)] : Place{};
  }
};

/// 128 bits that identify a program: equal programs have equal hashes on every platform.
struct Hash {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  friend bool operator==(const Hash&, const Hash&) = default;
};
std::string to_string(const Hash& hash);

/// The canonical bytes of a program (its identity), and their hash.  Where the host has no memory:
/// no bytes, and a hash of zeros.
std::vector<std::byte> encode(const Program& program);
Hash hash(const Program& program);

/// A readable text form, for people and for tests.  Not parsed back.  Where the host has no memory
/// for it, "out of memory"; so too the text of a hash.
std::string dump(const Program& program);

}  // namespace vyre
