// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include "backend/cpu/kernels.h"

/// Sixteen lanes at a time, in as many vectors as the instruction set needs for them.
/// Compiled once per instruction set, in a namespace of its own: only isa/*.cpp include this.
namespace vyre::cpu::VYRE_CPU_ISA {

#define VYRE_INLINE inline __attribute__((always_inline))

#if defined(__AVX512BW__)
inline constexpr std::size_t kVectorBytes = 64;
#elif defined(__AVX2__)
inline constexpr std::size_t kVectorBytes = 32;
#else
inline constexpr std::size_t kVectorBytes = 16;
#endif

/// Calls `f(part)` for each vector of a block.  The compiler takes vectors that the machine does
/// not have apart lane by lane, so there are none.
template <typename F>
VYRE_INLINE void each_part(F&& f) {
#pragma GCC unroll 4
  for (std::size_t p = 0; p < kLaneStep * sizeof(Lane) / kVectorBytes; ++p)
    f(p);
}

/// `kLaneStep` words.
template <typename T>
struct BlockOf {
  using Vector __attribute__((vector_size(kVectorBytes))) = T;
  static constexpr std::size_t kParts = kLaneStep * sizeof(T) / kVectorBytes;
  Vector part[kParts];

  T operator[](std::size_t lane) const {
    T word;
    std::memcpy(&word, reinterpret_cast<const std::byte*>(part) + lane * sizeof word, sizeof word);
    return word;
  }

#define VYRE_OPERATOR(symbol)                                                      \
  friend VYRE_INLINE BlockOf operator symbol(const BlockOf& a, const BlockOf& b) { \
    BlockOf d;                                                                     \
    each_part([&](std::size_t p) { d.part[p] = a.part[p] symbol b.part[p]; });     \
    return d;                                                                      \
  }                                                                                \
  friend VYRE_INLINE BlockOf operator symbol(const BlockOf& a, T b) {              \
    BlockOf d;                                                                     \
    each_part([&](std::size_t p) { d.part[p] = a.part[p] symbol b; });             \
    return d;                                                                      \
  }                                                                                \
  VYRE_INLINE BlockOf& operator symbol##=(const BlockOf& b) {                      \
    return *this = *this symbol b;                                                 \
  }                                                                                \
  VYRE_INLINE BlockOf& operator symbol##=(T b) {                                   \
    return *this = *this symbol b;                                                 \
  }
  VYRE_OPERATOR(+)
  VYRE_OPERATOR(*)
  VYRE_OPERATOR(^)
  VYRE_OPERATOR(|)
  VYRE_OPERATOR(<<)
#undef VYRE_OPERATOR
};
using Block = BlockOf<Lane>;

/// One bit a lane of a block.
using Bits = std::uint32_t;
inline constexpr Bits kAllBits = 0xffff;

template <typename T = Lane>
VYRE_INLINE BlockOf<T> read(const void* from) {
  const auto* const bytes = static_cast<const std::byte*>(from);
  BlockOf<T> block;
  each_part(
      [&](std::size_t p) { std::memcpy(&block.part[p], bytes + p * kVectorBytes, kVectorBytes); });
  return block;
}
VYRE_INLINE void write(void* to, const Block& block) {
  auto* const bytes = static_cast<std::byte*>(to);
  each_part(
      [&](std::size_t p) { std::memcpy(bytes + p * kVectorBytes, &block.part[p], kVectorBytes); });
}
VYRE_INLINE Block all(Lane value) {
  Block block;
  each_part([&](std::size_t p) { block.part[p] = Block::Vector{} + value; });
  return block;
}
VYRE_INLINE Block zeros() {
  return all(0);
}
/// 0, 1, … 15
VYRE_INLINE Block iota() {
  alignas(64) static constexpr Lane kWords[kLaneStep] = {0, 1, 2,  3,  4,  5,  6,  7,
                                                         8, 9, 10, 11, 12, 13, 14, 15};
  return read(kWords);
}

/// One bit a lane of a vector whose words are zero or all ones.
template <typename V>
VYRE_INLINE Bits bits_of_part(const V& flags) {
#if defined(__AVX512BW__)
  return _mm512_movepi32_mask(reinterpret_cast<__m512i>(flags));
#elif defined(__AVX2__)
  return static_cast<Bits>(_mm256_movemask_ps(reinterpret_cast<__m256>(flags)));
#elif defined(__SSE2__)
  return static_cast<Bits>(_mm_movemask_ps(reinterpret_cast<__m128>(flags)));
#else
  Bits bits = 0;
  for (std::size_t i = 0; i < kVectorBytes / sizeof(Lane); ++i)
    bits |= (static_cast<Bits>(flags[i]) & 1) << i;
  return bits;
#endif
}
/// The lanes for which `holds`, of two vectors, is all ones.
template <typename T, typename F>
VYRE_INLINE Bits compare(const BlockOf<T>& a, const BlockOf<T>& b, F&& holds) {
  Bits bits = 0;
  each_part([&](std::size_t p) {
    bits |= bits_of_part(holds(a.part[p], b.part[p])) << p * (kVectorBytes / sizeof(Lane));
  });
  return bits;
}
VYRE_INLINE Bits bits_of(const Block& flags) {
  return compare(flags, flags, [](const auto& a, const auto&) { return a; });
}
VYRE_INLINE Bits less(const Block& a, const Block& b) {
  return compare(a, b, [](const auto& x, const auto& y) { return x < y; });
}
VYRE_INLINE Bits equal(const Block& a, const Block& b) {
  return compare(a, b, [](const auto& x, const auto& y) { return x == y; });
}

/// Calls `f(lane)` for each lane of `bits`, in order.
template <typename F>
VYRE_INLINE void for_each_bit(Bits bits, F&& f) {
  for (; bits != 0; bits &= bits - 1)
    f(static_cast<std::uint32_t>(__builtin_ctz(bits)));
}

/// Lanes 0, 2, … of `a`, then of `b`.
VYRE_INLINE Block::Vector even_lanes(const Block::Vector& a, const Block::Vector& b) {
#if defined(__AVX512BW__)
  return __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
#elif defined(__AVX2__)
  return __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14);
#else
  return __builtin_shufflevector(a, b, 0, 2, 4, 6);
#endif
}
VYRE_INLINE Block even_lanes(const Block& a, const Block& b) {
  constexpr std::size_t kHalf = Block::kParts / 2;
  Block d;
  if constexpr (kHalf == 0) {
    d.part[0] = even_lanes(a.part[0], b.part[0]);
  } else {
#pragma GCC unroll 2
    for (std::size_t p = 0; p < kHalf; ++p) {
      d.part[p] = even_lanes(a.part[2 * p], a.part[2 * p + 1]);
      d.part[kHalf + p] = even_lanes(b.part[2 * p], b.part[2 * p + 1]);
    }
  }
  return d;
}

// ---- what the instruction sets do differently
// Where lanes share a place, `scatter` leaves the word of the highest.
#if defined(__AVX512BW__)

VYRE_INLINE __m512i inner(const Block& block) {
  return reinterpret_cast<__m512i>(block.part[0]);
}
VYRE_INLINE Block block_of(__m512i vector) {
  return {{reinterpret_cast<Block::Vector>(vector)}};
}
VYRE_INLINE Block select(Bits bits, const Block& a, const Block& b) {
  return block_of(_mm512_mask_mov_epi32(inner(b), static_cast<__mmask16>(bits), inner(a)));
}
VYRE_INLINE Block read_run(const std::byte* from, Bits bits) {
  return block_of(_mm512_maskz_loadu_epi32(static_cast<__mmask16>(bits), from));
}
VYRE_INLINE void write_run(std::byte* to, const Block& block, Bits bits) {
  _mm512_mask_storeu_epi32(to, static_cast<__mmask16>(bits), inner(block));
}
VYRE_INLINE Block gather(const std::byte* base, const Block& offset, Bits bits) {
  return block_of(_mm512_mask_i32gather_epi32(_mm512_setzero_si512(), static_cast<__mmask16>(bits),
                                              inner(offset), base, 1));
}
/// Lane i goes to the word i × kWords of `to`.
template <int kWords>
VYRE_INLINE void write_apart(std::byte* to, const Block& block) {
#pragma GCC unroll 4
  for (int v = 0; v < kWords; ++v) {
    const Block word = iota() + static_cast<Lane>(v) * kLaneStep;
    const Block lane{{word.part[0] / Lane{kWords}}};
    const Bits here = equal(lane * Lane{kWords}, word);
    const Block moved =
        block_of(_mm512_maskz_permutexvar_epi32(kAllBits, inner(lane), inner(block)));
    write_run(to + v * static_cast<int>(sizeof(Block)), moved, here);
  }
}
VYRE_INLINE void scatter(std::byte* base, const Block& offset, const Block& block, Bits bits) {
  _mm512_mask_i32scatter_epi32(base, static_cast<__mmask16>(bits), inner(offset), inner(block), 1);
}

#else

/// All ones where a lane's bit is set.
VYRE_INLINE Block flags_of(Bits bits) {
  alignas(64) static constexpr Lane kBit[kLaneStep] = {
      1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768};
  const Block bit = read(kBit);
  Block flags;
  each_part([&](std::size_t p) {
    flags.part[p] = reinterpret_cast<Block::Vector>(((Block::Vector{} + bits) & bit.part[p]) != 0);
  });
  return flags;
}
VYRE_INLINE Block select(Bits bits, const Block& a, const Block& b) {
  const Block flags = flags_of(bits);
  Block d;
  each_part([&](std::size_t p) {
    d.part[p] = (flags.part[p] & a.part[p]) | (~flags.part[p] & b.part[p]);
  });
  return d;
}

#if defined(__AVX2__)

VYRE_INLINE __m256i inner(const Block& block, std::size_t p) {
  return reinterpret_cast<__m256i>(block.part[p]);
}
VYRE_INLINE Block read_run(const std::byte* from, Bits bits) {
  if (bits == kAllBits) return read(from);
  const Block flags = flags_of(bits);
  Block block;
  each_part([&](std::size_t p) {
    const auto* const words = reinterpret_cast<const int*>(from + p * kVectorBytes);
    block.part[p] = reinterpret_cast<Block::Vector>(_mm256_maskload_epi32(words, inner(flags, p)));
  });
  return block;
}
VYRE_INLINE void write_run(std::byte* to, const Block& block, Bits bits) {
  if (bits == kAllBits) return write(to, block);
  const Block flags = flags_of(bits);
  each_part([&](std::size_t p) {
    auto* const words = reinterpret_cast<int*>(to + p * kVectorBytes);
    _mm256_maskstore_epi32(words, inner(flags, p), inner(block, p));
  });
}
VYRE_INLINE Block gather(const std::byte* base, const Block& offset, Bits bits) {
  const Block flags = flags_of(bits);
  Block block;
  each_part([&](std::size_t p) {
    block.part[p] = reinterpret_cast<Block::Vector>(
        _mm256_mask_i32gather_epi32(_mm256_setzero_si256(), reinterpret_cast<const int*>(base),
                                    inner(offset, p), inner(flags, p), 1));
  });
  return block;
}

#else

VYRE_INLINE Block read_run(const std::byte* from, Bits bits) {
  if (bits == kAllBits) return read(from);
  alignas(64) Lane words[kLaneStep] = {};
  for_each_bit(bits, [&](std::uint32_t i) {
    std::memcpy(words + i, from + i * sizeof(Lane), sizeof(Lane));
  });
  return read(words);
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
  const auto one = [&](std::uint32_t i) { std::memcpy(words + i, base + at[i], sizeof(Lane)); };
  if (bits == kAllBits) {
    for (std::uint32_t i = 0; i < kLaneStep; ++i)
      one(i);
  } else {
    for_each_bit(bits, one);
  }
  return read(words);
}

#endif

VYRE_INLINE void scatter(std::byte* base, const Block& offset, const Block& block, Bits bits) {
  alignas(64) Lane words[kLaneStep];
  alignas(64) std::int32_t at[kLaneStep];
  write(at, offset);
  write(words, block);
  const auto one = [&](std::uint32_t i) { std::memcpy(base + at[i], words + i, sizeof(Lane)); };
  if (bits == kAllBits) {
    for (std::uint32_t i = 0; i < kLaneStep; ++i)
      one(i);
  } else {
    for_each_bit(bits, one);
  }
}

#endif

}  // namespace vyre::cpu::VYRE_CPU_ISA
