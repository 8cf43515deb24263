// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "vyre/type.h"

#include "wgsl/names.h"
#include "wgsl/source_map.h"

/// The types of a module, one `TypeId` each: equal ids mean equal types.
///
/// `Types` owns them and answers questions about shape, conversion and layout.  The first ids are
/// fixed.  `kFault` is the type of what was reported already: it converts to and from everything,
/// so that one fault is told once.  Single-threaded.
namespace vyre::wgsl {

using TypeId = std::uint32_t;

enum class TypeKind : std::uint8_t {
  fault,
  void_,
  abstract_int,
  abstract_float,
  boolean,
  i32,
  u32,
  f32,
  f16,
  i64,
  u64,
  vector,
  matrix,
  array,
  structure,
  atomic,
  pointer,
  reference,
  texture,
};

inline constexpr TypeId kFault = 0;
inline constexpr TypeId kVoid = 1;
inline constexpr TypeId kAbstractInt = 2;
inline constexpr TypeId kAbstractFloat = 3;
inline constexpr TypeId kBool = 4;
inline constexpr TypeId kI32 = 5;
inline constexpr TypeId kU32 = 6;
inline constexpr TypeId kF32 = 7;
inline constexpr TypeId kF16 = 8;
inline constexpr TypeId kI64 = 9;
inline constexpr TypeId kU64 = 10;

enum class AddressSpace : std::uint8_t { function, private_, workgroup, uniform, storage, handle };
enum class AccessMode : std::uint8_t { read, write, read_write };
std::string_view to_string(AddressSpace space);
std::string_view to_string(AccessMode access);

struct Type {
  TypeKind kind = TypeKind::fault;
  AddressSpace space = AddressSpace::function;  ///< pointer, reference
  AccessMode access = AccessMode::read_write;   ///< pointer, reference
  bool component = false;                       ///< reference: to a component of a vector
  bool by_override = false;                     ///< array: its count came from an override
  TypeId element = kFault;  ///< vector, matrix (a column), array, atomic, pointer, reference
  std::uint32_t count = 0;  ///< vector: width; matrix: columns; array: elements, 0 is runtime-sized
  std::uint32_t structure = 0;  ///< index into `Types::structures`
  std::uint32_t format = 0;     ///< texture: a row of `texel_formats`
  friend bool operator==(const Type&, const Type&) = default;
};

struct Member {
  Symbol name = 0;
  std::string spelling = {};
  TypeId type = kFault;
  std::uint32_t align = 0;  ///< by attribute; 0: the type's own
  std::uint32_t size = 0;   ///< by attribute; 0: the type's own
  std::uint64_t offset = 0;
  std::uint64_t first_scalar = 0;  ///< where it begins among the scalars of the structure
};

/// Structures that only built-in functions return; they cannot be spelled.
enum class Predeclared : std::uint8_t { none, modf, frexp, compare_exchange };

struct Structure {
  std::string name = {};
  Predeclared predeclared = Predeclared::none;
  std::vector<Member> members = {};
  std::unordered_map<std::string, std::uint32_t> indices = {};  ///< of members, by spelling
  std::uint32_t align = 1;
  std::uint64_t size = 0;
};

class Types {
 public:
  Types();

  const Type& operator[](TypeId id) const { return types_[id]; }
  [[nodiscard]] const Structure& structure(TypeId id) const {
    return structures_[types_[id].structure];
  }
  [[nodiscard]] std::string name(TypeId id) const;

  TypeId vector(TypeId element, std::uint32_t width);
  TypeId matrix(TypeId scalar, std::uint32_t columns, std::uint32_t rows);
  /// `format`: a row of `texel_formats`; the first three are sampled.
  TypeId texture(std::uint32_t format, AccessMode access);
  TypeId array(TypeId element, std::uint32_t count, bool by_override = false);
  TypeId atomic(TypeId element);
  TypeId pointer(TypeId to, AddressSpace space, AccessMode access);
  TypeId reference(TypeId to, AddressSpace space, AccessMode access, bool component = false);
  /// A new type; the members' offsets and the structure's size are computed here.
  TypeId structure(Structure structure);
  /// The result of a built-in function on `operand`.
  TypeId predeclared(Predeclared which, TypeId operand);

  // Shape.
  [[nodiscard]] TypeKind kind(TypeId id) const { return types_[id].kind; }
  [[nodiscard]] bool is(TypeId id, TypeKind kind) const { return types_[id].kind == kind; }
  /// True for pointers and textures: what has such a type names memory, and has no value to load.
  [[nodiscard]] bool names_memory(TypeId id) const {
    return is(id, TypeKind::pointer) || is(id, TypeKind::texture);
  }
  [[nodiscard]] bool is_scalar(TypeId id) const { return id >= kAbstractInt && id <= kU64; }
  [[nodiscard]] bool is_numeric_scalar(TypeId id) const { return is_scalar(id) && id != kBool; }
  /// The concrete integers.
  [[nodiscard]] static bool is_integer(TypeId id) {
    return id == kI32 || id == kU32 || is_wide(id);
  }
  /// Integers of 64 bits, which not every device has.
  [[nodiscard]] static bool is_wide(TypeId id) { return id == kI64 || id == kU64; }
  /// The scalar of a scalar or vector; `kFault` for others.
  [[nodiscard]] TypeId scalar_of(TypeId id) const;
  /// The scalar of a scalar, vector or matrix; `kFault` for others.
  [[nodiscard]] TypeId component_of(TypeId id) const {
    return scalar_of(is(id, TypeKind::matrix) ? types_[id].element : id);
  }
  /// Rows of a matrix.
  [[nodiscard]] std::uint32_t rows(TypeId matrix) const { return width(types_[matrix].element); }
  /// 1 for scalars, the width of vectors, 0 for others.
  [[nodiscard]] std::uint32_t width(TypeId id) const;
  /// A scalar, vector or matrix with another scalar.
  TypeId with_scalar(TypeId shape, TypeId scalar);
  /// What a reference or pointer leads to; other types themselves.
  [[nodiscard]] TypeId store_type(TypeId id) const;
  [[nodiscard]] bool is_abstract(TypeId id) const;
  [[nodiscard]] bool is_constructible(TypeId id) const { return facts_[id].constructible; }
  [[nodiscard]] bool has_fixed_footprint(TypeId id) const { return facts_[id].fixed_footprint; }
  [[nodiscard]] bool contains_atomic(TypeId id) const { return facts_[id].atomic; }
  [[nodiscard]] bool contains_array(TypeId id) const { return facts_[id].array; }
  [[nodiscard]] bool is_host_shareable(TypeId id) const { return facts_[id].host_shareable; }
  /// Composite types within each other: 0 for scalars, 1 for a vector.
  [[nodiscard]] std::uint32_t depth(TypeId id) const { return facts_[id].depth; }
  [[nodiscard]] bool is_runtime_array(TypeId id) const {
    return is(id, TypeKind::array) && types_[id].count == 0;
  }
  /// Scalars in a value of a constructible type.
  [[nodiscard]] std::uint64_t scalar_count(TypeId id) const { return facts_[id].scalars; }
  /// The member of a structure; nothing if it has none of that name.
  [[nodiscard]] std::optional<std::uint32_t> find_member(TypeId id, std::string_view name) const;
  /// Where an element or member begins among the scalars.
  [[nodiscard]] std::uint64_t member_scalar(TypeId id, std::uint32_t member) const;
  /// The scalar types of a constructible type, in order.
  void flatten(TypeId id, std::vector<TypeId>& scalars) const;

  // Conversion.
  [[nodiscard]] bool converts(TypeId from, TypeId to) const;
  /// The type that both convert to with the least rank, or `kFault` where there is none.
  TypeId unify(TypeId a, TypeId b);
  /// The concrete type that an abstract one becomes when nothing else is asked for.
  TypeId concrete(TypeId id);

  // Memory layout; REQUIRES: host-shareable or of fixed footprint.
  [[nodiscard]] std::uint32_t align(TypeId id) const { return facts_[id].align; }
  [[nodiscard]] std::uint64_t size(TypeId id) const { return facts_[id].size; }
  [[nodiscard]] std::uint64_t stride(TypeId array) const;

 private:
  struct Hash {
    std::size_t operator()(const Type& type) const;
  };
  /// What follows from a type's parts, found once.
  struct Facts {
    std::uint64_t size = 4;
    std::uint64_t scalars = 1;
    std::uint32_t align = 4;
    std::uint32_t depth = 0;
    bool constructible = true;
    bool fixed_footprint = true;
    bool host_shareable = true;
    bool atomic = false;
    bool array = false;
  };
  TypeId intern(const Type& type);
  [[nodiscard]] Facts measure(const Type& type) const;
  [[nodiscard]] Facts measure_structure(const Structure& of) const;

  std::vector<Type> types_;
  std::unordered_map<Type, TypeId, Hash> ids_;
  std::vector<Structure> structures_;
  std::unordered_map<std::string, TypeId> predeclared_;
  std::vector<Facts> facts_;
};

/// The IR's type of a concrete scalar.
ScalarType ir_scalar(TypeId id);

}  // namespace vyre::wgsl
