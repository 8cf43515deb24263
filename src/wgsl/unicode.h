// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

/// The little of Unicode that WGSL's lexical rules need.  Pure functions.
namespace vyre::wgsl {

/// A decoded code point and the bytes it took; `length` 0 means malformed UTF-8 or the end.
struct CodePoint {
  char32_t value = 0;
  std::uint32_t length = 0;
};

/// Decodes strictly: no overlong forms, surrogates or values beyond U+10FFFF.
CodePoint decode_utf8(std::string_view text, std::size_t offset);

bool is_identifier_start(char32_t c);
bool is_identifier_continue(char32_t c);
/// Blankspace, line breaks included.
bool is_blank(char32_t c);
/// Code points that end a line; CR followed by LF is one line break, which the caller joins.
bool is_line_break(char32_t c);

}  // namespace vyre::wgsl
