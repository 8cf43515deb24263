// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "backend/cpu/isa/block.h"
#include "backend/cpu/kernels.h"

/// Masks, and the loops over lanes that need no operator.
/// Compiled once per instruction set, in a namespace of its own: only isa/*.cpp include this.
namespace vyre::cpu::VYRE_CPU_ISA {

/// The lanes of `mask` from `lane` on, a multiple of kLaneStep.
VYRE_INLINE Bits bits_at(const Mask& mask, std::size_t lane) {
  return static_cast<Bits>(mask.word[lane / 64] >> lane % 64) & kAllBits;
}
/// The lanes from `begin` up to `end` as `bits(lane)` gives them for each block.
template <typename F>
VYRE_INLINE Mask gather_bits(std::size_t begin, std::size_t end, F&& bits) {
  Mask mask;
  for (std::size_t i = begin; i < end;) {
    const std::size_t stop = std::min(end, (i / 64 + 1) * 64);
    std::uint64_t& word = mask.word[i / 64];
    std::uint64_t here = 0;
    for (; i < stop; i += kLaneStep)
      here |= std::uint64_t{bits(i)} << i % 64;
    word = here;
  }
  return mask;
}
// ---- registers

inline void splat(Lane* d, Lane value, std::size_t lanes) {
  for (std::size_t i = 0; i < lanes; i += kLaneStep)
    write(d + i, all(value));
}
inline void count_up(Lane* d, Lane start, std::size_t lanes) {
  for (std::size_t i = 0; i < lanes; i += kLaneStep)
    write(d + i, iota() + (start + static_cast<Lane>(i)));
}
/// d = a + value for exactly `count` lanes
inline void shift_by(Lane* d, const Lane* a, Lane value, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    d[i] = a[i] + value;
}
inline void copy(Lane* d, const Lane* a, std::size_t lanes) {
  for (std::size_t i = 0; i < lanes; i += kLaneStep)
    write(d + i, read(a + i));
}
/// What follows from a seed, in the lanes from `begin` up to `end`.
inline void expand(Lane* d, const Lane* seed, Lane step, std::size_t begin, std::size_t end) {
  Block block = read(seed) + step * static_cast<Lane>(begin);
  for (std::size_t i = begin; i < end; i += kLaneStep, block += step * kLaneStep)
    write(d + i, block);
}
/// The lanes of `mask` take the value of `a`.
inline void blend(Lane* d, const Lane* a, const Mask& mask, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; i += kLaneStep)
    write(d + i, select(bits_at(mask, i), read(a + i), read(d + i)));
}
/// The lanes whose word is not zero; words are zero or all ones.
inline Mask to_mask(const Lane* a, std::size_t begin, std::size_t end) {
  return gather_bits(begin, end, [=](std::size_t i) { return bits_of(read(a + i)); });
}
inline Mask equal_to(const Lane* a, Lane value, std::size_t lanes) {
  return gather_bits(0, lanes, [=](std::size_t i) { return equal(read(a + i), all(value)); });
}
inline Mask below(const Lane* a, Lane bound, std::size_t lanes) {
  return gather_bits(0, lanes, [=](std::size_t i) { return less(read(a + i), all(bound)); });
}
/// True if a[i] = a[0] + i for i < count.
inline bool counts_up(const Lane* a, std::size_t count) {
  Lane wrong = 0;
  for (std::size_t i = 0; i < count; ++i)
    wrong |= a[i] - a[0] - static_cast<Lane>(i);
  return wrong == 0;
}

}  // namespace vyre::cpu::VYRE_CPU_ISA
