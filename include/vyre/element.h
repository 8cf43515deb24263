// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <string_view>
#include <type_traits>

#include "vyre/result.h"

/// C++ types where they meet memory of a kernel, and checked views of that memory.
///
/// Every call that takes or gives elements of a C++ type compares the type with what the buffer
/// holds, and refuses with `element-type` what does not fit:
///
/// * a number by its kind and size.  Signed and unsigned integers of one size fit each other; a
///   `char` fits both; a 16-bit unsigned integer fits a half float, whose bits it is;
/// * a `std::array` or C array of numbers by its numbers, and by its size where elements of the
///   buffer have padding: an `array<vec3<f32>>` takes `std::array<float, 4>`, no `float`;
/// * any other class by its size: laid out as the kernel's type is.  One that is aligned to 8 bytes
///   where the kernel's type is not holds a double, a 64-bit integer or a pointer, and fits not;
/// * `std::byte` fits all: `std::as_bytes(std::span(values))` gives bytes as they are.
namespace vyre {

enum class ElementKind : std::uint8_t {
  raw,  ///< bytes that stand for anything
  boolean,
  character,
  unsigned_integer,
  signed_integer,
  floating,
  structure,
};

/// What is known of a C++ type.  Sizes are bytes.
struct ElementType {
  ElementKind kind;
  std::size_t scalar;  ///< of one number; of a structure, all
  std::size_t size;
  std::size_t align;
  std::string_view name;  ///< as the compiler spells it
};

namespace detail {

template <typename T>
constexpr std::string_view signature() {
  return __PRETTY_FUNCTION__;
}

/// The name in the signature: what lies around it is the same for every type.
template <typename T>
constexpr std::string_view type_name() {
  constexpr std::string_view kKnown = signature<double>();
  constexpr std::size_t kBefore = kKnown.find("double");
  constexpr std::size_t kAround = kKnown.size() - std::string_view("double").size();
  constexpr std::string_view kText = signature<T>();
  return kText.substr(kBefore, kText.size() - kAround);
}

/// What nested arrays are made of.
template <typename T>
struct ScalarIn {
  using Type = T;
};
template <typename T, std::size_t N>
struct ScalarIn<std::array<T, N>> : ScalarIn<std::remove_cv_t<std::remove_all_extents_t<T>>> {};
template <typename T>
using Scalar = typename ScalarIn<std::remove_cv_t<std::remove_all_extents_t<T>>>::Type;

template <typename T>
constexpr ElementKind kind_of() {
  if constexpr (std::is_same_v<T, std::byte>) {
    return ElementKind::raw;
  } else if constexpr (std::is_enum_v<T>) {
    return kind_of<std::underlying_type_t<T>>();
  } else if constexpr (std::is_same_v<T, bool>) {
    return ElementKind::boolean;
  } else if constexpr (std::is_same_v<T, char> || std::is_same_v<T, char8_t>) {
    return ElementKind::character;
  } else if constexpr (std::is_integral_v<T>) {
    return std::is_signed_v<T> ? ElementKind::signed_integer : ElementKind::unsigned_integer;
  } else {
    // Half floats of compilers are neither classes nor floating to the library.
    constexpr bool kHalf = !std::is_class_v<T> && !std::is_union_v<T> && sizeof(T) == 2;
    return std::is_floating_point_v<T> || kHalf ? ElementKind::floating : ElementKind::structure;
  }
}

template <typename T>
inline constexpr ElementType kElementType = {kind_of<Scalar<T>>(), sizeof(Scalar<T>), sizeof(T),
                                             alignof(T), type_name<T>()};

}  // namespace detail

/// A type whose values a buffer can hold: plain data, and nothing that points elsewhere.
template <typename T>
concept HostElement =
    std::is_object_v<T> && std::is_trivially_copyable_v<T> &&
    !std::is_pointer_v<detail::Scalar<T>> &&
    !std::is_member_pointer_v<detail::Scalar<T>> && !std::is_null_pointer_v<detail::Scalar<T>> &&
    !std::ranges::view<detail::Scalar<T>>;

/// A view of elements, or why there is none: a `Result` that can be read as the range it holds.
/// What is read without a look at an error ends the program with the error's text, as `*` does.
template <typename T>
class [[nodiscard]] Elements : public Result<std::span<const T>> {
 public:
  using Result<std::span<const T>>::Result;

  [[nodiscard]] auto begin() const { return this->value().begin(); }
  [[nodiscard]] auto end() const { return this->value().end(); }
  [[nodiscard]] const T* data() const { return this->value().data(); }
  [[nodiscard]] std::size_t size() const { return this->value().size(); }
  [[nodiscard]] bool empty() const { return this->value().empty(); }
  [[nodiscard]] const T& operator[](std::size_t i) const { return this->value()[i]; }
  [[nodiscard]] const T& front() const { return this->value().front(); }
  [[nodiscard]] const T& back() const { return this->value().back(); }
};

}  // namespace vyre
