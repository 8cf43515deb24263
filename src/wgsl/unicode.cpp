// SPDX-License-Identifier: MIT OR Apache-2.0
#include "wgsl/unicode.h"

#include <algorithm>
#include <iterator>

namespace vyre::wgsl {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

#include "wgsl/xid_ranges.inc"

template <std::size_t n>
bool contains(const Range (&ranges)[n], char32_t c) {
  const auto* after = std::upper_bound(std::begin(ranges), std::end(ranges), c,
                                       [](char32_t v, const Range& r) { return v < r.first; });
  return after != std::begin(ranges) && c <= std::prev(after)->last;
}

bool is_ascii_letter(char32_t c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

std::uint32_t sequence_length(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) return 2;
  if (lead >= 0xe0 && lead <= 0xef) return 3;
  if (lead >= 0xf0 && lead <= 0xf4) return 4;
  return 0;
}

bool is_scalar_value(char32_t c, std::uint32_t length) {
  constexpr char32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  return c >= kSmallest[length] && c <= 0x10ffff && (c < 0xd800 || c > 0xdfff);
}

}  // namespace

CodePoint decode_utf8(std::string_view text, std::size_t offset) {
  if (offset >= text.size()) return {};
  const auto lead = static_cast<unsigned char>(text[offset]);
  const std::uint32_t length = sequence_length(lead);
  if (length == 0 || offset + length > text.size()) return {};
  if (length == 1) return {lead, 1};
  char32_t value = lead & (0xffU >> (length + 1));
  for (std::uint32_t i = 1; i < length; ++i) {
    const auto byte = static_cast<unsigned char>(text[offset + i]);
    if ((byte & 0xc0U) != 0x80U) return {};
    value = (value << 6U) | (byte & 0x3fU);
  }
  return is_scalar_value(value, length) ? CodePoint{value, length} : CodePoint{};
}

bool is_identifier_start(char32_t c) {
  if (c < 0x80) return is_ascii_letter(c) || c == '_';
  return contains(kStart, c);
}

bool is_identifier_continue(char32_t c) {
  if (c < 0x80) return is_ascii_letter(c) || c == '_' || (c >= '0' && c <= '9');
  return contains(kStart, c) || contains(kContinueOnly, c);
}

bool is_blank(char32_t c) {
  return c == ' ' || c == '\t' || c == 0x200e || c == 0x200f || is_line_break(c);
}

bool is_line_break(char32_t c) {
  return (c >= 0x0a && c <= 0x0d) || c == 0x85 || c == 0x2028 || c == 0x2029;
}

}  // namespace vyre::wgsl
