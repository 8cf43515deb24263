// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// What a name that is none may stand for: the names that few letters tell from it.  Pure.
namespace vyre {

/// Finds the nearest of the names that are offered; of equally near ones the first.
class Nearest {
 public:
  /// `name` must outlive it.
  explicit Nearest(std::string_view name) : name_(name) {}
  void offer(std::string_view candidate);
  /// Empty if none is near.
  [[nodiscard]] const std::string& name() const { return best_; }
  /// "did you mean `x`?", or nothing.
  [[nodiscard]] std::string question() const;

 private:
  std::string_view name_;
  std::string best_;
  std::size_t least_ = std::numeric_limits<std::size_t>::max();
};

/// The nearest of `names`; empty if none is near.
std::string nearest(std::string_view name, std::span<const std::string> names);
/// "did you mean `x`?" of the nearest of `names`, or nothing.
std::string did_you_mean(std::string_view name, std::span<const std::string> names);

/// Up to five of `names` that `name` may stand for: misspelt, or a part of them; the nearest first.
std::vector<std::string> near_names(std::string_view name, std::span<const std::string> names);

}  // namespace vyre
