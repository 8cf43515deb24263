// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <algorithm>
#include <cstring>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include "backend/cpu/kernels.h"

/// Sixteen lanes at a time: masks, and the loops that need no operator.
/// Compiled once per instruction set, in a namespace of its own: only isa/*.cpp include this.
namespace vyre::cpu::VYRE_CPU_ISA {

/// `kLaneStep` words; the compiler splits it where the machine's vectors are shorter.
using Block __attribute__((vector_size(64))) = Lane;
/// One bit a lane of a block.
using Bits = std::uint32_t;
inline constexpr Bits kAllBits = 0xffff;
inline constexpr Block kIota = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

#define VYRE_INLINE inline __attribute__((always_inline))

VYRE_INLINE Block read(const void* from) {
  Block block;
  std::memcpy(&block, from, sizeof block);
  return block;
}
VYRE_INLINE void write(void* to, const Block& block) {
  std::memcpy(to, &block, sizeof block);
}
VYRE_INLINE Block all(Lane value) {
  return Block{} + value;
}
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
/// Calls `f(lane)` for each lane of `bits`, in order.
template <typename F>
VYRE_INLINE void for_each_bit(Bits bits, F&& f) {
  for (; bits != 0; bits &= bits - 1)
    f(static_cast<std::uint32_t>(__builtin_ctz(bits)));
}

// ---- what the instruction sets do differently; a flag is all ones or zero
// Where lanes share a place, `scatter` leaves the word of the highest.
#if defined(__AVX512BW__)

VYRE_INLINE Bits bits_of(const Block& flags) {
  return _mm512_movepi32_mask(reinterpret_cast<__m512i>(flags));
}
VYRE_INLINE Bits less(const Block& a, const Block& b) {
  return _mm512_cmplt_epu32_mask(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b));
}
VYRE_INLINE Bits equal(const Block& a, const Block& b) {
  return _mm512_cmpeq_epi32_mask(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b));
}
VYRE_INLINE Block select(Bits bits, const Block& a, const Block& b) {
  return reinterpret_cast<Block>(_mm512_mask_mov_epi32(
      reinterpret_cast<__m512i>(b), static_cast<__mmask16>(bits), reinterpret_cast<__m512i>(a)));
}
VYRE_INLINE Block read_run(const std::byte* from, Bits bits) {
  return reinterpret_cast<Block>(_mm512_maskz_loadu_epi32(static_cast<__mmask16>(bits), from));
}
VYRE_INLINE void write_run(std::byte* to, const Block& block, Bits bits) {
  _mm512_mask_storeu_epi32(to, static_cast<__mmask16>(bits), reinterpret_cast<__m512i>(block));
}
VYRE_INLINE Block gather(const std::byte* base, const Block& offset, Bits bits) {
  return reinterpret_cast<Block>(
      _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), static_cast<__mmask16>(bits),
                                  reinterpret_cast<__m512i>(offset), base, 1));
}
VYRE_INLINE void scatter(std::byte* base, const Block& offset, const Block& block, Bits bits) {
  _mm512_mask_i32scatter_epi32(base, static_cast<__mmask16>(bits),
                               reinterpret_cast<__m512i>(offset), reinterpret_cast<__m512i>(block),
                               1);
}

#else

#if defined(__AVX2__)
VYRE_INLINE Bits bits_of(const Block& flags) {
  const auto* words = reinterpret_cast<const float*>(&flags);
  return static_cast<Bits>(_mm256_movemask_ps(_mm256_loadu_ps(words)) |
                           _mm256_movemask_ps(_mm256_loadu_ps(words + 8)) << 8);
}
#elif defined(__SSE2__)
VYRE_INLINE Bits bits_of(const Block& flags) {
  const auto* from = reinterpret_cast<const __m128i*>(&flags);
  const __m128i low = _mm_packs_epi32(_mm_loadu_si128(from), _mm_loadu_si128(from + 1));
  const __m128i high = _mm_packs_epi32(_mm_loadu_si128(from + 2), _mm_loadu_si128(from + 3));
  return static_cast<Bits>(_mm_movemask_epi8(_mm_packs_epi16(low, high)));
}
#else
VYRE_INLINE Bits bits_of(const Block& flags) {
  Bits bits = 0;
  for (std::uint32_t i = 0; i < kLaneStep; ++i)
    bits |= (flags[i] & 1) << i;
  return bits;
}
#endif

VYRE_INLINE Bits less(const Block& a, const Block& b) {
  return bits_of(reinterpret_cast<Block>(a < b));
}
VYRE_INLINE Bits equal(const Block& a, const Block& b) {
  return bits_of(reinterpret_cast<Block>(a == b));
}
VYRE_INLINE Block select(Bits bits, const Block& a, const Block& b) {
  constexpr Block kBit = {1,   2,   4,    8,    16,   32,   64,    128,
                          256, 512, 1024, 2048, 4096, 8192, 16384, 32768};
  return (all(bits) & kBit) != Block{} ? a : b;
}
VYRE_INLINE Block read_run(const std::byte* from, Bits bits) {
  if (bits == kAllBits) return read(from);
  Block block = {};
  for_each_bit(bits, [&](std::uint32_t i) {
    Lane word;
    std::memcpy(&word, from + i * sizeof word, sizeof word);
    block[i] = word;
  });
  return block;
}
VYRE_INLINE void write_run(std::byte* to, const Block& block, Bits bits) {
  if (bits == kAllBits) return write(to, block);
  for_each_bit(bits, [&](std::uint32_t i) {
    const Lane word = block[i];
    std::memcpy(to + i * sizeof word, &word, sizeof word);
  });
}
VYRE_INLINE Block gather(const std::byte* base, const Block& offset, Bits bits) {
  alignas(64) Lane words[kLaneStep] = {};
  alignas(64) std::int32_t at[kLaneStep];
  write(at, offset);
#if defined(__AVX2__)
  if (bits == kAllBits) {
    const auto* from = reinterpret_cast<const int*>(base);
    const auto* places = reinterpret_cast<const __m256i*>(at);
    auto* to = reinterpret_cast<__m256i*>(words);
    _mm256_store_si256(to, _mm256_i32gather_epi32(from, _mm256_load_si256(places), 1));
    _mm256_store_si256(to + 1, _mm256_i32gather_epi32(from, _mm256_load_si256(places + 1), 1));
    return read(words);
  }
#endif
  for_each_bit(bits, [&](std::uint32_t i) { std::memcpy(words + i, base + at[i], sizeof(Lane)); });
  return read(words);
}

VYRE_INLINE void scatter(std::byte* base, const Block& offset, const Block& block, Bits bits) {
  alignas(64) Lane words[kLaneStep];
  alignas(64) std::int32_t at[kLaneStep];
  write(at, offset);
  write(words, block);
  for_each_bit(bits, [&](std::uint32_t i) { std::memcpy(base + at[i], words + i, sizeof(Lane)); });
}

#endif

// ---- registers

inline void splat(Lane* d, Lane value, std::size_t lanes) {
  for (std::size_t i = 0; i < lanes; i += kLaneStep)
    write(d + i, all(value));
}
inline void count_up(Lane* d, Lane start, std::size_t lanes) {
  for (std::size_t i = 0; i < lanes; i += kLaneStep)
    write(d + i, kIota + (start + static_cast<Lane>(i)));
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
