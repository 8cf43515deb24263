// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <span>
#include <string_view>
#include <vector>

/// The words that WGSL gives a meaning, for those who read texts and for those who write them.
///
/// The rows are in `keywords.def`, `reserved.def`, `predeclared.cpp` and `builtins.def`; nothing
/// else lists them.  Static data; any thread.
namespace vyre::wgsl {

/// In the order of `Keyword`.
std::span<const std::string_view> keywords();

/// Words that no text may use as a name.
std::span<const std::string_view> reserved_words();

/// Types, type generators, address spaces, access modes and built-in functions.  A text may declare
/// such a name, and then loses its predeclared meaning.
std::vector<std::string_view> predeclared_words();

}  // namespace vyre::wgsl
