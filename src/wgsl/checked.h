// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "wgsl/ast.h"
#include "wgsl/builtins.h"
#include "wgsl/names.h"
#include "wgsl/scalar_eval.h"
#include "wgsl/types.h"

/// What the checker finds out about a module, and lowering reads: the type, stage and value of
/// every expression that the entry point reaches, and what every name means.
///
/// Automatic conversions of constants are already applied: a constant expression has its final
/// type and value, and an abstract type never reaches run time.  Values; owned by `Checked`.
namespace vyre::wgsl {

/// When an expression's value is known.  What is no constant expression has a concrete type, and
/// so have the operands that it is made of.
enum class Stage : std::uint8_t { constant, override_, runtime };

/// What a name or a call leads to.
enum class Target : std::uint8_t {
  none,
  declaration,  ///< index into `Tree::declarations`: var, let, const, override
  parameter,    ///< index into `Tree::fields`
  function,     ///< index into `Tree::declarations`
  type,         ///< calls: construction of the expression's type
  bitcast,
  builtin,  ///< index into `all_builtins()`
  member,   ///< index of a structure's member
  swizzle,  ///< two bits a component, the first one lowest
};

/// Scalars in one value, and in all constants together.
inline constexpr std::uint64_t kMaxValueScalars = 65536;
inline constexpr std::uint64_t kMaxConstantCells = 1U << 24U;

/// Cells of constants; a value of n scalars is n cells from its id on.
using ConstId = std::uint32_t;
class Constants {
 public:
  ConstId add(std::span<const Cell> cells) {
    const auto id = static_cast<ConstId>(cells_.size());
    cells_.insert(cells_.end(), cells.begin(), cells.end());
    return id;
  }
  ConstId zero(std::uint64_t count) {
    const auto id = static_cast<ConstId>(cells_.size());
    cells_.resize(cells_.size() + count);
    return id;
  }
  Cell& operator[](std::uint64_t cell) { return cells_[cell]; }
  Cell operator[](std::uint64_t cell) const { return cells_[cell]; }
  [[nodiscard]] std::size_t size() const { return cells_.size(); }

 private:
  std::vector<Cell> cells_;
};

struct ExprInfo {
  TypeId type = kFault;   ///< a reference where the expression names memory
  ConstId value = kNone;  ///< where stage is not runtime
  std::uint32_t target = kNone;
  Stage stage = Stage::runtime;
  Target kind = Target::none;
  bool touches_memory = false;   ///< evaluating it reads or writes memory, or may
  bool through_pointer = false;  ///< index, member: the base is a pointer, followed implicitly
};

/// The variable or pointer parameter through which a function first reaches memory: an index
/// into `Tree::declarations`, or one into `Tree::fields` with `kParameterRoot` added.
using Root = std::uint32_t;
inline constexpr Root kParameterRoot = 0x80000000;

struct DeclarationInfo {
  TypeId type = kFault;  ///< of the value, or stored by the variable; the named type
  ConstId value = kNone;
  Stage stage = Stage::runtime;
  AddressSpace space = AddressSpace::function;
  AccessMode access = AccessMode::read_write;
  std::uint32_t group = 0;
  std::uint32_t binding = 0;
  Root root = kNone;    ///< of a pointer
  bool faulty = false;  ///< of the module: a fault of it, or of what it needs, was told
};

struct Call {
  std::uint32_t callee = kNone;  ///< of `Tree::declarations`
  Span span = {};
  std::vector<Root> roots = {};  ///< of the arguments; `kNone` where they are no pointers
};

struct FunctionInfo {
  TypeId result = kVoid;
  std::vector<Call> calls = {};
  std::unordered_set<std::uint32_t> variables = {};  ///< of the module, named in its body
  std::unordered_set<Root> reads = {};  ///< variables of the module and pointer parameters
  std::unordered_set<Root> writes = {};
  std::uint32_t weight = 0;  ///< statements and expressions of its own
  bool for_compute = false;  ///< has barriers or reaches workgroup memory
  bool has_atomics = false;
  bool has_subgroups = false;
  bool for_fragment = false;   ///< has `discard` or derivatives
  bool returns_early = false;  ///< a return that is not the last statement of its body
  bool faulty = false;         ///< a fault of its body was told
};

struct EntryPoint {
  std::uint32_t function = kNone;
  std::array<std::uint32_t, 3> workgroup = {1, 1, 1};
};

struct Checked {
  Tree tree;
  Types types;
  Constants constants;
  std::vector<ExprInfo> exprs;                ///< parallel to `Tree::exprs`
  std::vector<DeclarationInfo> declarations;  ///< parallel to `Tree::declarations`
  std::vector<TypeId> fields;                 ///< parallel to `Tree::fields`
  std::unordered_map<std::uint32_t, FunctionInfo> functions;
  /// Declarations of the module's memory that the entry point reaches, in order.
  std::vector<std::uint32_t> variables;
  /// Array values that are indexed at run time: `let` declarations and parameters.
  std::unordered_set<std::uint32_t> indexed_declarations;
  std::unordered_set<std::uint32_t> indexed_fields;
  /// Entry point parameters of structure type: the structure's declaration.
  std::unordered_map<std::uint32_t, std::uint32_t> input_structures;
  EntryPoint entry;
};

/// A target of an assignment that names components of a vector in memory through swizzles and
/// indices: `v.zyx.xy`, `v.xy[i]`.
struct Swizzled {
  ExprId root = kNone;  ///< the swizzle of what is in memory; `kNone`: the target is none of these
  std::vector<std::uint32_t> components = {};  ///< of that vector, in the order of the target
  ExprId index = kNone;  ///< known at run time only: which one of `components`
};
Swizzled swizzled(const Checked& module, ExprId target);

}  // namespace vyre::wgsl
