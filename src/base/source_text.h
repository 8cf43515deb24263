// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// Source text as lines and as cells on a terminal.  Values only.
namespace vyre {

/// What stands for bytes that are no text, U+FFFD.
inline constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

/// The length in bytes of the line break at the head of `text`, or 0.  WGSL has seven: line feed,
/// vertical tab, form feed, carriage return (with a line feed after it or not), next line, line
/// separator, paragraph separator.
std::size_t line_break_length(std::string_view text);

/// Every line of `text` in order, without its line break; at least one.
std::vector<std::string_view> split_lines(std::string_view text);

/// One code point as it is shown: its glyph and how many columns of a terminal it fills.
struct Cell {
  std::string_view glyph = {};
  std::size_t bytes = 0;  ///< how many bytes of the line it stands for
  int width = 0;
};

/// The cells of one line.  Control characters but tab, and bytes that are not UTF-8, show as
/// U+FFFD.  The glyphs point into `line` or at constants.
std::vector<Cell> to_cells(std::string_view line);

}  // namespace vyre
