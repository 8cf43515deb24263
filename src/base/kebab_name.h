// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

/// The text form of an identifier in a table: '-' for '_', made at compile time.
namespace vyre {

template <std::size_t N>
struct KebabName {
  std::array<char, N> text = {};
  constexpr explicit KebabName(const char (&name)[N]) {
    std::transform(name, name + N, text.begin(), [](char c) { return c == '_' ? '-' : c; });
  }
  [[nodiscard]] constexpr std::string_view view() const { return {text.data(), N - 1}; }
};

}  // namespace vyre
