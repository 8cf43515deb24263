// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Scalar types, and the layout of memory.
///
/// Values are scalars; memory keeps its declared type as a tree of struct, array, vector, scalar
/// and atomic with byte offsets and strides.  Plain values, no ownership, no threads involved.
namespace vyre {

enum class ScalarType : std::uint8_t {
#define SCALAR(name, ...) name,
#include "vyre/types.def"
};

enum class ScalarKind : std::uint8_t { boolean, unsigned_integer, signed_integer, floating };

struct ScalarInfo {
  std::string_view name;
  ScalarKind kind;
  std::uint8_t bytes;  ///< size of an element in memory
  ScalarType widened;  ///< the value type that a load yields
};
const ScalarInfo& info(ScalarType type);
std::string_view to_string(ScalarType type);

/// True for the types an expression can have; false for the narrow element types.
[[nodiscard]] constexpr bool is_value_type(ScalarType type) {
  return type <= ScalarType::i64;
}
[[nodiscard]] inline bool is_integer(ScalarType type) {
  return info(type).kind == ScalarKind::unsigned_integer ||
         info(type).kind == ScalarKind::signed_integer;
}
[[nodiscard]] inline bool is_float(ScalarType type) {
  return info(type).kind == ScalarKind::floating;
}

/// What a program may need beyond the types and operations that every device has.
enum class Capability : std::uint8_t { f16, int64, subgroups };
std::string_view to_string(Capability capability);
/// The capability that values of this type need, if any.
std::optional<Capability> capability_of(ScalarType type);

/// The element type that a C++ type stands for in the builder; `vyre::half` has no C++ twin.
template <typename T>
struct ScalarOf;
template <>
struct ScalarOf<bool> {
  static constexpr auto value = ScalarType::boolean;
};
template <>
struct ScalarOf<std::uint32_t> {
  static constexpr auto value = ScalarType::u32;
};
template <>
struct ScalarOf<std::int32_t> {
  static constexpr auto value = ScalarType::i32;
};
template <>
struct ScalarOf<float> {
  static constexpr auto value = ScalarType::f32;
};
template <>
struct ScalarOf<std::uint64_t> {
  static constexpr auto value = ScalarType::u64;
};
template <>
struct ScalarOf<std::int64_t> {
  static constexpr auto value = ScalarType::i64;
};
template <>
struct ScalarOf<std::uint8_t> {
  static constexpr auto value = ScalarType::u8;
};
template <>
struct ScalarOf<std::int8_t> {
  static constexpr auto value = ScalarType::i8;
};
template <>
struct ScalarOf<std::uint16_t> {
  static constexpr auto value = ScalarType::u16;
};
template <>
struct ScalarOf<std::int16_t> {
  static constexpr auto value = ScalarType::i16;
};

/// Index of a node in `Program::layouts`.
enum class LayoutId : std::uint32_t {};

enum class LayoutKind : std::uint8_t { scalar, atomic, vector, array, structure };

/// One node of a layout tree.  Sizes, offsets, alignments and strides are bytes.
struct Layout {
  struct Member {
    std::string name;
    LayoutId layout;
    std::uint32_t offset;
    friend bool operator==(const Member&, const Member&) = default;
  };

  LayoutKind kind = LayoutKind::scalar;
  ScalarType scalar = ScalarType::u32;  ///< scalar, atomic, vector: the component type
  std::uint8_t width = 1;               ///< vector: 2, 3 or 4 components
  bool matrix = false;                  ///< array: the columns of a matrix
  std::uint32_t align = 4;
  std::uint64_t size =
      4;  ///< of a runtime-sized array: 0; of a struct that ends in one: its fixed part
  LayoutId element = {};     ///< array
  std::uint32_t count = 0;   ///< array: elements; 0 = runtime-sized (root or last member only)
  std::uint32_t stride = 0;  ///< array
  std::string name = {};     ///< structure: its declared name
  std::vector<Member> members = {};  ///< structure
  friend bool operator==(const Layout&, const Layout&) = default;
};

}  // namespace vyre
