// SPDX-License-Identifier: MIT OR Apache-2.0
#include "fuzz/choices.h"

#include <algorithm>
#include <cstddef>

namespace vyre::test {
namespace {

using List = std::vector<std::uint32_t>;

/// One attempt after the other, each kept if the program still fails.
class Shrinker {
 public:
  Shrinker(List best, const std::function<bool(const List&)>& fails, int budget)
      : best_(std::move(best)), fails_(fails), budget_(budget) {}

  List run() {
    for (bool progress = true; progress && budget_ > 0;) {
      const List before = best_;
      for (std::size_t size = std::max<std::size_t>(best_.size() / 2, 1); size > 0; size /= 2)
        drop(size);
      for (std::size_t size = 16; size > 0; size /= 2)
        clear(size);
      lower();
      progress = best_ != before;
    }
    return best_;
  }

 private:
  bool keep(List candidate) {
    if (budget_-- <= 0 || !fails_(candidate)) return false;
    best_ = std::move(candidate);
    return true;
  }

  void drop(std::size_t size) {
    for (std::size_t end = best_.size(); end >= size && budget_ > 0;) {
      List shorter = best_;
      const auto from = shorter.begin() + static_cast<std::ptrdiff_t>(end - size);
      shorter.erase(from, from + static_cast<std::ptrdiff_t>(size));
      keep(std::move(shorter));
      if (end < size + 1) break;
      end = std::min(end - std::max<std::size_t>(size / 2, 1), best_.size());
    }
  }

  void clear(std::size_t size) {
    for (std::size_t at = 0; at + size <= best_.size() && budget_ > 0; at += size) {
      const auto first = best_.begin() + static_cast<std::ptrdiff_t>(at);
      const auto last = first + static_cast<std::ptrdiff_t>(size);
      if (std::all_of(first, last, [](std::uint32_t v) { return v == 0; })) continue;
      List zeroed = best_;
      std::fill_n(zeroed.begin() + static_cast<std::ptrdiff_t>(at), size, 0u);
      keep(std::move(zeroed));
    }
  }

  void lower() {
    for (std::size_t at = 0; at < best_.size() && budget_ > 0; ++at)
      while (best_[at] > 1 && budget_ > 0) {
        List smaller = best_;
        smaller[at] /= 2;
        if (!keep(std::move(smaller)) || at >= best_.size()) break;
      }
  }

  List best_;
  const std::function<bool(const List&)>& fails_;
  int budget_;
};

}  // namespace

std::uint32_t Choices::below(std::uint32_t limit) {
  std::uint32_t value = 0;
  if (replays_) {
    if (record_.size() < recorded_.size()) value = recorded_[record_.size()] % limit;
  } else {
    state_ += 0x9e3779b97f4a7c15u;
    std::uint64_t mixed = (state_ ^ (state_ >> 30)) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
    value = static_cast<std::uint32_t>(((mixed ^ (mixed >> 31)) >> 32) % limit);
  }
  record_.push_back(value);
  return value;
}

List shrink(List choices, const std::function<bool(const List&)>& fails, int budget) {
  return Shrinker(std::move(choices), fails, budget).run();
}

}  // namespace vyre::test
