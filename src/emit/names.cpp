// SPDX-License-Identifier: MIT OR Apache-2.0
#include "emit/names.h"

namespace vyre {
namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// "v12", "x3": what the printers call values and variables.
bool looks_generated(std::string_view name) {
  if (name.size() < 2 || (name[0] != 'v' && name[0] != 'x')) return false;
  for (const char c : name.substr(1))
    if (!is_digit(c)) return false;
  return true;
}

}  // namespace

std::string to_identifier(std::string_view wanted) {
  std::string name;
  for (const char c : wanted) {
    const bool plain = is_letter(c) || is_digit(c);
    if (plain || name.empty() || name.back() != '_') name += plain ? c : '_';
  }
  if (name.empty() || name == "_") return "unnamed";
  if (!is_letter(name[0])) name.insert(0, name[0] == '_' ? "n" : "n_");
  return name;
}

Names::Names(std::span<const std::string_view> reserved) {
  for (const std::string_view word : reserved)
    reserve(word);
}

std::string Names::claim(std::string_view wanted) {
  const std::string base = to_identifier(wanted);
  std::string name = base;
  const bool ends_in_bar = base.back() == '_';
  for (unsigned n = 2; looks_generated(name) || taken_.contains(name); ++n)
    name = base + (ends_in_bar ? "" : "_") + std::to_string(n);
  taken_.insert(name);
  return name;
}

}  // namespace vyre
