// SPDX-License-Identifier: MIT OR Apache-2.0
#include "cli/words.h"

#include <algorithm>
#include <charconv>

namespace vyre::cli {
Error wrong(std::string_view code, std::string message, std::string help) {
  return {ErrorKind::invalid_argument, code, std::move(message), std::move(help)};
}

std::string ticked(std::string_view text) {
  return "`" + std::string(text) + "`";
}

std::string listed(std::span<const std::string> names, std::string_view last) {
  if (names.empty()) return "none";
  std::string text = ticked(names.front());
  for (std::size_t i = 1; i < names.size(); ++i) {
    text += i + 1 == names.size() ? " " + std::string(last) + " " : ", ";
    text += ticked(names[i]);
  }
  return text;
}

Error unknown(std::string_view what, std::string_view name, std::span<const std::string> names) {
  return wrong("unknown-name",
               "there is no " + std::string(what) + " " + ticked(name) + "; there " +
                   (names.size() > 1 ? "are " : "is ") + listed(names),
               did_you_mean(name, names));
}

Result<Pair> split_pair(std::string_view text, std::string_view option) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    return wrong("usage", ticked(text) + " is not of the form " + std::string(option));
  }
  return Pair{std::string(text.substr(0, equals)), std::string(text.substr(equals + 1))};
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  while (true) {
    const std::size_t end = text.find(separator);
    pieces.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return pieces;
    text.remove_prefix(end + 1);
  }
}

std::optional<std::uint64_t> parse_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool has_ending(std::string_view file, std::string_view ending) {
  if (file.size() < ending.size()) return false;
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; };
  return std::equal(ending.begin(), ending.end(),
                    file.end() - static_cast<std::ptrdiff_t>(ending.size()),
                    [&](char wanted, char here) { return wanted == lower(here); });
}

std::string printable(std::string text) {
  const auto steers = [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7f;
  };
  std::replace_if(text.begin(), text.end(), steers, '?');
  return text;
}

std::string counted(std::uint64_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

}  // namespace vyre::cli
