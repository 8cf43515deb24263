// SPDX-License-Identifier: MIT OR Apache-2.0
#include "case.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <random>

namespace vyre::bench {
namespace {

template <typename T>
std::vector<T> values_of(const Bytes& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

template <typename T, typename F>
std::size_t count_unlike(const Bytes& a, const Bytes& b, F&& alike) {
  const std::vector<T> left = values_of<T>(a);
  const std::vector<T> right = values_of<T>(b);
  std::size_t unlike = 0;
  for (std::size_t i = 0; i < left.size(); ++i)
    unlike += alike(left[i], right[i]) ? 0u : 1u;
  return unlike;
}

std::uint32_t total(const Bytes& bytes) {
  const auto words = values_of<std::uint32_t>(bytes);
  return std::accumulate(words.begin(), words.end(), std::uint32_t{0});
}

bool near(float a, float b) {
  return std::abs(a - b) <= 1e-3F * std::max({1.0F, std::abs(a), std::abs(b)});
}

bool near_bytes(std::uint8_t a, std::uint8_t b) {
  return std::abs(a - b) <= 1;
}

}  // namespace

Bytes zeros(std::size_t words) {
  return Bytes(words * 4);
}

Bytes random_words(std::size_t count) {
  return random_words(count, 0);
}

Bytes random_words(std::size_t count, std::uint32_t bound) {
  std::mt19937 random(1);
  std::vector<std::uint32_t> words(count);
  for (auto& word : words) {
    const auto any = static_cast<std::uint32_t>(random());
    word = bound == 0 ? any : any % bound;
  }
  return bytes_of(words);
}

Bytes random_floats(std::size_t count) {
  std::mt19937 random(2);
  std::vector<float> values(count);
  for (auto& value : values)
    value = static_cast<float>(random() >> 8) * 0x1p-24F;
  return bytes_of(values);
}

bool agrees(Case& work, const Bytes& answer) {
  const Bytes& expected = work.buffers[work.answer].bytes;
  if (answer.size() != expected.size()) return false;
  switch (work.alike) {
    case Alike::exactly: return answer == expected;
    case Alike::in_total: return total(answer) == total(expected);
    case Alike::nearly: return count_unlike<float>(answer, expected, near) == 0;
    case Alike::in_pixels: return count_unlike<std::uint8_t>(answer, expected, near_bytes) == 0;
    case Alike::mostly:
      return count_unlike<std::uint32_t>(answer, expected, std::equal_to<>()) * 100 <=
             expected.size() / sizeof(std::uint32_t);
  }
  return false;
}

}  // namespace vyre::bench
