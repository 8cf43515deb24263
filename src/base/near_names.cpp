// SPDX-License-Identifier: MIT OR Apache-2.0
#include "base/near_names.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

namespace vyre {
namespace {

/// Names that are longer are nobody's typing mistake.
constexpr std::size_t kLongest = 80;

/// Letters to insert, delete or replace, and neighbours to swap, to get from one word to the other.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before;
  std::vector<std::size_t> last;
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before = std::exchange(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, last[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

/// The distance of a misspelt name; nothing if it is none.
std::optional<std::size_t> misspelt(std::string_view name, std::string_view candidate) {
  const std::size_t limit = name.size() / 3 + 2;
  const std::size_t most = std::max(name.size(), candidate.size());
  const std::size_t least = std::min(name.size(), candidate.size());
  if (most > kLongest || most - least >= limit) return std::nullopt;
  const std::size_t here = distance(name, candidate);
  return here < limit && here < candidate.size() ? std::optional(here) : std::nullopt;
}

}  // namespace

void Nearest::offer(std::string_view candidate) {
  const auto here = misspelt(name_, candidate);
  if (!here.has_value() || *here >= least_) return;
  least_ = *here;
  best_ = candidate;
}

std::string Nearest::question() const {
  return best_.empty() ? "" : "did you mean `" + best_ + "`?";
}

std::string nearest(std::string_view name, std::span<const std::string> names) {
  Nearest found(name);
  for (const std::string& candidate : names)
    found.offer(candidate);
  return found.name();
}

std::string did_you_mean(std::string_view name, std::span<const std::string> names) {
  const std::string near = nearest(name, names);
  return near.empty() ? "" : "did you mean `" + near + "`?";
}

std::vector<std::string> near_names(std::string_view name, std::span<const std::string> names) {
  constexpr std::size_t kMost = 5;
  std::vector<std::pair<std::size_t, std::string>> found;
  for (const std::string& candidate : names) {
    const auto here = misspelt(name, candidate);
    const bool part = name.size() > 2 && candidate.find(name) != std::string::npos;
    if (here.has_value() || part)
      found.emplace_back(here.value_or(candidate.size() - name.size()), candidate);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> near;
  for (std::size_t i = 0; i < std::min(found.size(), kMost); ++i)
    near.push_back(std::move(found[i].second));
  return near;
}

}  // namespace vyre
