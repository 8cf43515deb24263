// SPDX-License-Identifier: MIT OR Apache-2.0
#include "base/source_text.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace vyre {
namespace {

struct CodePoint {
  std::uint32_t value = 0;
  std::size_t bytes = 0;  ///< 0: not UTF-8
};

std::size_t sequence_length(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead < 0xE0) return 2;
  if (lead >= 0xE0 && lead < 0xF0) return 3;
  if (lead >= 0xF0 && lead < 0xF5) return 4;
  return 0;
}

bool is_scalar_value(std::uint32_t value, std::size_t bytes) {
  constexpr std::array<std::uint32_t, 5> kSmallest = {0, 0, 0x80, 0x800, 0x10000};
  return value >= kSmallest[bytes] && value <= 0x10FFFF && (value < 0xD800 || value > 0xDFFF);
}

CodePoint decode(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t bytes = sequence_length(lead);
  if (bytes == 0 || bytes > text.size()) return {};
  std::uint32_t value = bytes == 1 ? lead : lead & (0x7FU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xC0) != 0x80) return {};
    value = value << 6 | (byte & 0x3FU);
  }
  if (!is_scalar_value(value, bytes)) return {};
  return {value, bytes};
}

struct Range {
  std::uint32_t first;
  std::uint32_t last;
};

template <std::size_t N>
bool contains(const std::array<Range, N>& ranges, std::uint32_t value) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [&](Range r) { return value >= r.first && value <= r.last; });
}

int width_of(std::uint32_t value) {
  constexpr std::array<Range, 6> kZero = {{{0x300, 0x36F},
                                           {0x200B, 0x200F},
                                           {0x202A, 0x202E},
                                           {0x2060, 0x2069},
                                           {0x20D0, 0x20FF},
                                           {0xFE00, 0xFE0F}}};
  constexpr std::array<Range, 8> kWide = {{{0x1100, 0x115F},
                                           {0x2E80, 0x303E},
                                           {0x3041, 0xA4CF},
                                           {0xAC00, 0xD7A3},
                                           {0xF900, 0xFAFF},
                                           {0xFE30, 0xFE6F},
                                           {0xFF00, 0xFF60},
                                           {0x1F300, 0x1FAFF}}};
  if (contains(kZero, value)) return 0;
  return contains(kWide, value) || (value >= 0x20000 && value <= 0x3FFFD) ? 2 : 1;
}

/// Includes the marks that reorder what follows them: a source must read as it is compiled.
bool is_control(std::uint32_t value) {
  return (value < 0x20 && value != '\t') || (value >= 0x7F && value < 0xA0) ||
         (value >= 0x202A && value <= 0x202E) || (value >= 0x2066 && value <= 0x2069);
}

Cell first_cell(std::string_view text) {
  const CodePoint point = decode(text);
  if (point.bytes == 0) return {kReplacement, 1, 1};
  if (is_control(point.value)) return {kReplacement, point.bytes, 1};
  return {text.substr(0, point.bytes), point.bytes, width_of(point.value)};
}

}  // namespace

std::size_t line_break_length(std::string_view text) {
  if (text.starts_with("\r\n")) return 2;
  if (!text.empty() && text[0] >= '\n' && text[0] <= '\r') return 1;
  if (text.starts_with("\xC2\x85")) return 2;
  if (text.starts_with("\xE2\x80\xA8") || text.starts_with("\xE2\x80\xA9")) return 3;
  return 0;
}

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  std::size_t start = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = line_break_length(text.substr(at));
    if (length == 0) {
      ++at;
      continue;
    }
    lines.push_back(text.substr(start, at - start));
    at += length;
    start = at;
  }
  lines.push_back(text.substr(start));
  return lines;
}

std::vector<Cell> to_cells(std::string_view line) {
  std::vector<Cell> cells;
  while (!line.empty()) {
    cells.push_back(first_cell(line));
    line.remove_prefix(cells.back().bytes);
  }
  return cells;
}

}  // namespace vyre
