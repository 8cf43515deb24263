// SPDX-License-Identifier: MIT OR Apache-2.0
#include "cli/words.h"

#include <algorithm>
#include <charconv>
#include <numeric>

namespace vyre::cli {
namespace {

/// Letters to insert, delete or replace to get from one word to the other.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

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

std::string nearest(std::string_view name, std::span<const std::string> names) {
  std::string best;
  std::size_t least = name.size() / 3 + 2;
  for (const std::string& candidate : names) {
    const std::size_t here = distance(name, candidate);
    if (here >= least || here >= candidate.size()) continue;
    least = here;
    best = candidate;
  }
  return best;
}

std::vector<std::string> near_names(std::string_view name, std::span<const std::string> names) {
  constexpr std::size_t kMost = 5;
  std::vector<std::pair<std::size_t, std::string>> found;
  for (const std::string& candidate : names) {
    const std::size_t here = distance(name, candidate);
    const bool misspelt = here < name.size() / 3 + 2 && here < candidate.size();
    const bool part = name.size() > 2 && candidate.find(name) != std::string::npos;
    if (misspelt || part) found.emplace_back(here, candidate);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> near;
  for (std::size_t i = 0; i < std::min(found.size(), kMost); ++i)
    near.push_back(std::move(found[i].second));
  return near;
}

Error unknown(std::string_view what, std::string_view name, std::span<const std::string> names) {
  const std::string guess = nearest(name, names);
  return wrong("unknown-name",
               "there is no " + std::string(what) + " " + ticked(name) + "; there " +
                   (names.size() > 1 ? "are " : "is ") + listed(names),
               guess.empty() ? "" : "did you mean " + ticked(guess) + "?");
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
