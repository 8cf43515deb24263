// SPDX-License-Identifier: MIT OR Apache-2.0
#include "backend/cpu/kernels.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace vyre::cpu {
namespace {

/// Packs sixteen words, each zero or all ones, into sixteen bits.
std::uint64_t sixteen_bits(const Lane* words) {
#if defined(__SSE2__)
  const auto* from = reinterpret_cast<const __m128i*>(words);
  const __m128i low = _mm_packs_epi32(_mm_loadu_si128(from), _mm_loadu_si128(from + 1));
  const __m128i high = _mm_packs_epi32(_mm_loadu_si128(from + 2), _mm_loadu_si128(from + 3));
  return static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_packs_epi16(low, high)));
#else
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < kLaneStep; ++i)
    bits |= std::uint64_t{words[i] & 1} << i;
  return bits;
#endif
}

/// The lanes for which `test` holds, sixteen at a time.
template <typename Test>
Mask lanes_where(std::size_t lanes, Test&& test) {
  Mask mask;
  for (std::size_t i = 0; i < lanes; i += kLaneStep) {
    alignas(16) Lane words[kLaneStep];
    for (std::size_t k = 0; k < kLaneStep; ++k)
      words[k] = test(i + k) ? ~Lane{0} : 0;
    mask.word[i / 64] |= sixteen_bits(words) << i % 64;
  }
  return mask;
}

constexpr Lane kBit[kLaneStep] = {1,   2,   4,    8,    16,   32,   64,    128,
                                  256, 512, 1024, 2048, 4096, 8192, 16384, 32768};

}  // namespace

void splat(Lane* d, Lane value, std::size_t lanes) {
  for (std::size_t i = 0; i < lanes; ++i)
    d[i] = value;
}

void count_up(Lane* d, Lane start, std::size_t lanes) {
  for (std::size_t i = 0; i < lanes; ++i)
    d[i] = start + static_cast<Lane>(i);
}

void blend(Lane* d, const Lane* a, const Mask& mask, std::size_t lanes) {
  for (std::size_t i = 0; i < lanes; i += kLaneStep) {
    const Lane bits = static_cast<Lane>(mask.word[i / 64] >> i % 64);
    Lane* to = d + i;
    const Lane* from = a + i;
#pragma GCC ivdep
    for (std::size_t k = 0; k < kLaneStep; ++k)
      to[k] = (bits & kBit[k]) != 0 ? from[k] : to[k];
  }
}

Mask to_mask(const Lane* a, std::size_t lanes) {
  Mask mask;
  for (std::size_t i = 0; i < lanes; i += kLaneStep)
    mask.word[i / 64] |= sixteen_bits(a + i) << i % 64;
  return mask;
}

Mask equal_to(const Lane* a, Lane value, std::size_t lanes) {
  return lanes_where(lanes, [=](std::size_t i) { return a[i] == value; });
}

Mask below(const Lane* a, Lane bound, std::size_t lanes) {
  return lanes_where(lanes, [=](std::size_t i) { return a[i] < bound; });
}

bool counts_up(const Lane* a, std::size_t count) {
  Lane wrong = 0;
  for (std::size_t i = 0; i < count; ++i)
    wrong |= a[i] - a[0] - static_cast<Lane>(i);
  return wrong == 0;
}

}  // namespace vyre::cpu
