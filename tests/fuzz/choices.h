// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

/// The random choices that make a program, recorded so that a failing program can be made smaller.
///
/// A generator asks for numbers and makes something valid of whatever it gets, so every list of
/// numbers is a program: dropping or lowering numbers gives a simpler one.  0 is always the
/// simplest answer.  Same seed, same choices, on every platform.
namespace vyre::test {

class Choices {
 public:
  explicit Choices(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 1) {}
  /// Replays these, then answers 0.
  explicit Choices(std::vector<std::uint32_t> recorded)
      : recorded_(std::move(recorded)), replays_(true) {}

  /// A number below `limit`.  REQUIRES: limit > 0.
  std::uint32_t below(std::uint32_t limit);
  /// True in `percent` of 100 cases.
  bool chance(std::uint32_t percent) { return below(100) >= 100 - percent; }
  template <typename T>
  const T& pick(std::span<const T> from) {
    return from[below(static_cast<std::uint32_t>(from.size()))];
  }
  template <typename T>
  const T& pick(const std::vector<T>& from) {
    return pick(std::span<const T>(from));
  }

  [[nodiscard]] const std::vector<std::uint32_t>& record() const { return record_; }

 private:
  std::uint64_t state_ = 0;
  std::vector<std::uint32_t> recorded_;
  std::vector<std::uint32_t> record_;
  bool replays_ = false;
};

/// The smallest list found for which `fails` still holds, after at most `budget` calls of it.
/// REQUIRES: fails(choices).
std::vector<std::uint32_t> shrink(
    std::vector<std::uint32_t> choices,
    const std::function<bool(const std::vector<std::uint32_t>&)>& fails,
    int budget);

}  // namespace vyre::test
