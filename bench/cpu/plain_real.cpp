// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <utility>

#include "plain.h"

namespace vyre::bench {

void bitonic_step(std::uint32_t stride, std::uint32_t block, Words keys) {
  for (std::size_t start = 0; start < keys.size(); start += 2 * std::size_t{stride}) {
    const bool ascending = (start & block) == 0;
    for (std::size_t low = start; low < start + stride; ++low)
      if ((keys[low] > keys[low + stride]) == ascending) std::swap(keys[low], keys[low + stride]);
  }
}

namespace {

constexpr std::array<std::uint32_t, 64> kRoundWords = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
constexpr std::array<std::uint32_t, 8> kFirstState = {
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

void sha256_block(std::span<const std::uint32_t> message, Words digest) {
  std::array<std::uint32_t, 64> w{};
  std::copy(message.begin(), message.end(), w.begin());
  for (std::size_t i = 16; i < 64; ++i) {
    const std::uint32_t s0 = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ (w[i - 15] >> 3);
    const std::uint32_t s1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ (w[i - 2] >> 10);
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = kFirstState;
  for (std::size_t i = 0; i < 64; ++i) {
    const std::uint32_t s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const std::uint32_t t1 = h + s1 + ((e & f) ^ (~e & g)) + kRoundWords[i] + w[i];
    const std::uint32_t s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const std::uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + t1;
    d = c, c = b, b = a, a = t1 + t2;
  }
  const std::array<std::uint32_t, 8> last = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < 8; ++i)
    digest[i] = kFirstState[i] + last[i];
}

}  // namespace

void sha256(Words messages, Words digests) {
  for (std::size_t i = 0; i < messages.size() / 16; ++i)
    sha256_block(messages.subspan(16 * i, 16), digests.subspan(8 * i, 8));
}

void fft_stage(std::uint32_t half, Floats src, Floats roots, Floats dst) {
  const std::size_t pairs = src.size() / 4;
  for (std::size_t i = 0; i < pairs; ++i) {
    const std::size_t k = i & (half - 1);
    const std::size_t root = k * (pairs / half);
    const float cosine = roots[2 * root];
    const float sine = roots[2 * root + 1];
    const float x = src[2 * (i + pairs)];
    const float y = src[2 * (i + pairs) + 1];
    const float re = x * cosine - y * sine;
    const float im = x * sine + y * cosine;
    const std::size_t out = 2 * ((i - k) * 2 + k);
    dst[out] = src[2 * i] + re;
    dst[out + 1] = src[2 * i + 1] + im;
    dst[out + 2 * half] = src[2 * i] - re;
    dst[out + 2 * half + 1] = src[2 * i + 1] - im;
  }
}

void nbody(Floats bodies, Floats pulls) {
  for (std::size_t i = 0; i < bodies.size(); i += 4) {
    std::array<float, 3> pull{};
    for (std::size_t j = 0; j < bodies.size(); j += 4) {
      const float x = bodies[j] - bodies[i];
      const float y = bodies[j + 1] - bodies[i + 1];
      const float z = bodies[j + 2] - bodies[i + 2];
      const float inverse = 1.0F / std::sqrt(x * x + y * y + z * z + 1e-3F);
      const float weight = bodies[j + 3] * inverse * inverse * inverse;
      pull[0] += x * weight;
      pull[1] += y * weight;
      pull[2] += z * weight;
    }
    std::copy(pull.begin(), pull.end(), pulls.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

void matmul_q8(std::uint32_t m, std::uint32_t n, std::uint32_t words, Words a, Words b, Words c) {
  const std::size_t depth = std::size_t{words} * 4;
  const auto* left = reinterpret_cast<const std::int8_t*>(a.data());
  const auto* right = reinterpret_cast<const std::int8_t*>(b.data());
  for (std::size_t row = 0; row < m; ++row)
    for (std::size_t col = 0; col < n; ++col) {
      std::int32_t acc = 0;
      for (std::size_t i = 0; i < depth; ++i)
        acc += left[row * depth + i] * right[col * depth + i];
      c[row * n + col] = static_cast<std::uint32_t>(acc);
    }
}

void resize(std::uint32_t from_width,
            std::uint32_t from_height,
            std::uint32_t width,
            std::uint32_t height,
            Words src,
            Words dst) {
  const auto place = [](std::uint32_t i, std::uint32_t from, std::uint32_t size) {
    const float scale = static_cast<float>(from) / static_cast<float>(size);
    const float at = (static_cast<float>(i) + 0.5F) * scale - 0.5F;
    return std::clamp(at, 0.0F, static_cast<float>(from - 1));
  };
  for (std::uint32_t y = 0; y < height; ++y) {
    const float row = place(y, from_height, height);
    const auto top = static_cast<std::size_t>(row);
    const std::size_t bottom = std::min<std::size_t>(top + 1, from_height - 1);
    for (std::uint32_t x = 0; x < width; ++x) {
      const float column = place(x, from_width, width);
      const auto left = static_cast<std::size_t>(column);
      const std::size_t right = std::min<std::size_t>(left + 1, from_width - 1);
      std::uint32_t pixel = 0;
      for (int shift = 0; shift < 32; shift += 8) {
        const auto channel = [&](std::size_t i, std::size_t j) {
          return static_cast<float>(src[i * from_width + j] >> shift & 0xff);
        };
        const auto mix = [](float a, float b, float part) { return a + (b - a) * part; };
        const float u = column - static_cast<float>(left);
        const float value = mix(mix(channel(top, left), channel(top, right), u),
                                mix(channel(bottom, left), channel(bottom, right), u),
                                row - static_cast<float>(top));
        pixel |= static_cast<std::uint32_t>(value + 0.5F) << shift;
      }
      dst[std::size_t{y} * width + x] = pixel;
    }
  }
}

void lz_match(std::span<const std::uint8_t> text, Words matches) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t limit = std::min<std::size_t>(16, text.size() - i);
    std::size_t best = 0;
    std::size_t best_back = 0;
    for (std::size_t back = 1; back <= std::min<std::size_t>(32, i); ++back) {
      std::size_t length = 0;
      while (length < limit && text[i + length] == text[i + length - back])
        ++length;
      if (length > best) best = length, best_back = back;
    }
    matches[i] = static_cast<std::uint32_t>(best << 16 | best_back);
  }
}

void life(std::uint32_t width, std::uint32_t height, Words cells, Words next) {
  for (std::size_t y = 0; y < height; ++y) {
    const std::size_t rows[] = {(y + height - 1) % height, y, (y + 1) % height};
    for (std::size_t x = 0; x < width; ++x) {
      const std::size_t columns[] = {x == 0 ? width - 1 : x - 1, x, x + 1 == width ? 0 : x + 1};
      std::uint32_t all = 0;
      for (const std::size_t row : rows)
        for (const std::size_t column : columns)
          all += cells[row * width + column];
      const std::uint32_t self = cells[y * width + x];
      next[y * width + x] = all - self == 3 || (all - self == 2 && self == 1) ? 1 : 0;
    }
  }
}

void softmax(std::uint32_t columns, Floats src, Floats dst) {
  for (std::size_t row = 0; row < src.size(); row += columns) {
    const Floats from = src.subspan(row, columns);
    const float largest = *std::max_element(from.begin(), from.end());
    float sum = 0;
    for (std::size_t i = 0; i < columns; ++i)
      sum += dst[row + i] = std::exp(from[i] - largest);
    for (std::size_t i = 0; i < columns; ++i)
      dst[row + i] /= sum;
  }
}

void transpose(std::uint32_t width, std::uint32_t height, Floats src, Floats dst) {
  constexpr std::size_t kTile = 16;
  for (std::size_t top = 0; top < height; top += kTile)
    for (std::size_t left = 0; left < width; left += kTile)
      for (std::size_t y = top; y < std::min<std::size_t>(top + kTile, height); ++y)
        for (std::size_t x = left; x < std::min<std::size_t>(left + kTile, width); ++x)
          dst[x * height + y] = src[y * width + x];
}

void compact(std::uint32_t bound, Words src, Words dst, Words counts) {
  constexpr std::size_t kBlock = 256;
  for (std::size_t start = 0; start < src.size(); start += kBlock) {
    std::size_t kept = 0;
    for (std::size_t i = start; i < std::min(start + kBlock, src.size()); ++i)
      if (src[i] < bound) dst[start + kept++] = src[i];
    counts[start / kBlock] = static_cast<std::uint32_t>(kept);
  }
}

void sobel(std::uint32_t width, std::uint32_t height, Words src, Words dst) {
  const auto grey = [=](std::size_t x, std::size_t y) {
    const std::uint32_t rgba = src[y * width + x];
    return static_cast<int>(
        ((rgba & 0xff) * 77 + (rgba >> 8 & 0xff) * 150 + (rgba >> 16 & 0xff) * 29) >> 8);
  };
  for (std::size_t y = 0; y < height; ++y) {
    const std::size_t up = y == 0 ? 0 : y - 1;
    const std::size_t low = std::min<std::size_t>(y + 1, height - 1);
    for (std::size_t x = 0; x < width; ++x) {
      const std::size_t left = x == 0 ? 0 : x - 1;
      const std::size_t right = std::min<std::size_t>(x + 1, width - 1);
      const int across = grey(right, up) + 2 * grey(right, y) + grey(right, low) - grey(left, up) -
                         2 * grey(left, y) - grey(left, low);
      const int down = grey(left, low) + 2 * grey(x, low) + grey(right, low) - grey(left, up) -
                       2 * grey(x, up) - grey(right, up);
      dst[y * width + x] =
          static_cast<std::uint32_t>(std::min(std::abs(across) + std::abs(down), 255));
    }
  }
}

void monte_carlo(std::uint32_t invocations, Words hits) {
  const auto pcg = [](std::uint32_t& state) {
    const std::uint32_t old = state;
    state = old * 747796405u + 2891336453u;
    const std::uint32_t word = ((old >> ((old >> 28) + 4)) ^ old) * 277803737u;
    return (word >> 22) ^ word;
  };
  for (std::uint32_t id = 0; id < invocations; ++id) {
    std::uint32_t state = id;
    std::uint32_t inside = 0;
    for (int i = 0; i < 64; ++i) {
      const std::uint32_t x = pcg(state) >> 17;
      const std::uint32_t y = pcg(state) >> 17;
      inside += x * x + y * y < 1u << 30 ? 1u : 0u;
    }
    hits[id & 63] += inside;
  }
}

}  // namespace vyre::bench
