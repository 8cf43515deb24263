// SPDX-License-Identifier: MIT OR Apache-2.0
#include "base/json.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/source_text.h"

namespace vyre {
namespace {

/// What the first byte of a character says: how long it is, the bits it holds, and the least code
/// point that needs such a length.
struct Lead {
  std::size_t length;
  std::uint32_t bits;
  std::uint32_t least;
};

Lead lead_of(unsigned char byte) {
  if (byte < 0x80) return {1, byte, 0};
  if (byte >= 0xc0 && byte < 0xe0) return {2, byte & 0x1fU, 0x80};
  if (byte >= 0xe0 && byte < 0xf0) return {3, byte & 0x0fU, 0x800};
  if (byte >= 0xf0 && byte < 0xf8) return {4, byte & 0x07U, 0x10000};
  return {0, 0, 0};
}

/// Bytes of the character at the start of `text`; 0 if it is none.  REQUIRES: not empty.
std::size_t character_length(std::string_view text) {
  const Lead lead = lead_of(static_cast<unsigned char>(text[0]));
  if (lead.length == 0 || lead.length > text.size()) return 0;
  std::uint32_t point = lead.bits;
  for (std::size_t i = 1; i < lead.length; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xc0) != 0x80) return 0;
    point = point << 6 | (byte & 0x3fU);
  }
  const bool surrogate = point >= 0xd800 && point < 0xe000;
  return point < lead.least || point > 0x10ffff || surrogate ? 0 : lead.length;
}

void append_escape(std::string& json, char c) {
  constexpr char kDigits[] = "0123456789abcdef";
  switch (c) {
    case '"': json += "\\\""; return;
    case '\\': json += "\\\\"; return;
    case '\n': json += "\\n"; return;
    case '\t': json += "\\t"; return;
    default: break;
  }
  const auto byte = static_cast<unsigned char>(c);
  json += "\\u00";
  json += kDigits[byte >> 4];
  json += kDigits[byte & 0xf];
}

bool is_plain(char c) {
  return static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\';
}

}  // namespace

void append_json(std::string& json, std::string_view text) {
  json += '"';
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    if (length == 0)
      json += kReplacement;
    else if (is_plain(text[0]))
      json += text.substr(0, length);
    else
      append_escape(json, text[0]);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  json += '"';
}

}  // namespace vyre
