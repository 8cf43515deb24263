// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

/// Sets of lanes of one strip.  Plain values.
namespace vyre::cpu {

/// The most lanes that run in lockstep: registers of so many words stay in the nearest cache while
/// the cost of decoding an instruction is spread over many lanes.
inline constexpr std::uint32_t kStripLanes = 256;
/// Registers are whole multiples of this many lanes, so that loops over them have no tail.
inline constexpr std::uint32_t kLaneStep = 16;

/// One bit a lane.
///
/// Everything goes word by word, copies too: a vector register that takes what was just written in
/// words waits for it to arrive in the cache.
struct Mask {
  static constexpr std::size_t kWords = kStripLanes / 64;
  static_assert(kWords == 4);
  std::array<std::uint64_t, kWords> word = {};

  Mask() = default;
  Mask(std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t d) : word{a, b, c, d} {}
  Mask(const Mask& other) : Mask(other.word[0], other.word[1], other.word[2], other.word[3]) {}
  Mask& operator=(const Mask& other) {
    word[0] = other.word[0];
    word[1] = other.word[1];
    word[2] = other.word[2];
    word[3] = other.word[3];
    return *this;
  }

  /// Lanes 0 … count-1.
  static Mask first(std::uint32_t count) {
    Mask mask;
    for (std::size_t i = 0; i < kWords; ++i) {
      const std::uint32_t from = static_cast<std::uint32_t>(i) * 64;
      const std::uint32_t here = count > from ? count - from : 0;
      mask.word[i] = here >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << here) - 1;
    }
    return mask;
  }

  [[nodiscard]] bool none() const { return (word[0] | word[1] | word[2] | word[3]) == 0; }
  [[nodiscard]] std::uint32_t count() const {
    return static_cast<std::uint32_t>(std::popcount(word[0]) + std::popcount(word[1]) +
                                      std::popcount(word[2]) + std::popcount(word[3]));
  }
  [[nodiscard]] bool has(std::uint32_t lane) const {
    return (word[lane / 64] >> lane % 64 & 1) != 0;
  }
  /// The lowest lane.  REQUIRES: !none().
  [[nodiscard]] std::uint32_t lowest() const {
    std::size_t i = 0;
    while (word[i] == 0)
      ++i;
    return static_cast<std::uint32_t>(i) * 64 +
           static_cast<std::uint32_t>(std::countr_zero(word[i]));
  }
  /// The highest lane.  REQUIRES: !none().
  [[nodiscard]] std::uint32_t highest() const {
    std::size_t i = kWords - 1;
    while (word[i] == 0)
      --i;
    return static_cast<std::uint32_t>(i) * 64 + 63 -
           static_cast<std::uint32_t>(std::countl_zero(word[i]));
  }
  /// Calls `f(lane)` for each lane, in order.
  template <typename F>
  void for_each(F&& f) const {
    for (std::size_t i = 0; i < kWords; ++i)
      for (std::uint64_t rest = word[i]; rest != 0; rest &= rest - 1)
        f(static_cast<std::uint32_t>(i) * 64 + static_cast<std::uint32_t>(std::countr_zero(rest)));
  }

  friend bool operator==(const Mask& a, const Mask& b) {
    return ((a.word[0] ^ b.word[0]) | (a.word[1] ^ b.word[1]) | (a.word[2] ^ b.word[2]) |
            (a.word[3] ^ b.word[3])) == 0;
  }
  Mask& operator&=(const Mask& other) { return *this = *this & other; }
  Mask& operator|=(const Mask& other) { return *this = *this | other; }
  friend Mask operator&(const Mask& a, const Mask& b) {
    return {a.word[0] & b.word[0], a.word[1] & b.word[1], a.word[2] & b.word[2],
            a.word[3] & b.word[3]};
  }
  friend Mask operator|(const Mask& a, const Mask& b) {
    return {a.word[0] | b.word[0], a.word[1] | b.word[1], a.word[2] | b.word[2],
            a.word[3] | b.word[3]};
  }
  /// The lanes of `a` that are not in `b`.
  friend Mask without(const Mask& a, const Mask& b) {
    return {a.word[0] & ~b.word[0], a.word[1] & ~b.word[1], a.word[2] & ~b.word[2],
            a.word[3] & ~b.word[3]};
  }
};

}  // namespace vyre::cpu
