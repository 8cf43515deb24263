// SPDX-License-Identifier: MIT OR Apache-2.0
#include "plain.h"

#include <algorithm>
#include <cstddef>

namespace vyre::bench {

void saxpy(float alpha, Floats x, Floats y) {
  for (std::size_t i = 0; i < x.size(); ++i)
    y[i] = alpha * x[i] + y[i];
}

void add(Words a, Words b, Words c) {
  for (std::size_t i = 0; i < a.size(); ++i)
    c[i] = a[i] + b[i];
}

std::uint32_t sum(Words src) {
  std::uint32_t total = 0;
  for (const std::uint32_t word : src)
    total += word;
  return total;
}

void histogram(Words words, Words bins) {
  for (const std::uint32_t word : words)
    for (int shift = 0; shift < 32; shift += 8)
      ++bins[word >> shift & 0xff];
}

void scan_blocks(Words src, Words dst, Words sums) {
  constexpr std::size_t kBlock = 1024;
  for (std::size_t block = 0; block < sums.size(); ++block) {
    std::uint32_t running = 0;
    for (std::size_t i = block * kBlock; i < std::min((block + 1) * kBlock, src.size()); ++i)
      dst[i] = running += src[i];
    sums[block] = running;
  }
}

void stencil(std::uint32_t width, std::uint32_t height, Floats src, Floats dst) {
  const auto at = [=](std::size_t x, std::size_t y) { return src[y * width + x]; };
  for (std::size_t y = 0; y < height; ++y) {
    const std::size_t up = y == 0 ? 0 : y - 1;
    const std::size_t down = std::min<std::size_t>(y + 1, height - 1);
    for (std::size_t x = 0; x < width; ++x) {
      const std::size_t left = x == 0 ? 0 : x - 1;
      const std::size_t right = std::min<std::size_t>(x + 1, width - 1);
      const float corners = at(left, up) + at(right, up) + at(left, down) + at(right, down);
      const float edges = at(x, up) + at(left, y) + at(right, y) + at(x, down);
      dst[y * width + x] = (corners + 2.0F * edges + 4.0F * at(x, y)) * 0.0625F;
    }
  }
}

void matmul(std::uint32_t m, std::uint32_t n, std::uint32_t k, Floats a, Floats b, Floats c) {
  for (std::size_t row = 0; row < m; ++row)
    for (std::size_t col = 0; col < n; ++col) {
      float acc = 0;
      for (std::size_t i = 0; i < k; ++i)
        acc += a[row * k + i] * b[i * n + col];
      c[row * n + col] = acc;
    }
}

void mandelbrot(std::uint32_t width, std::uint32_t height, std::uint32_t max_iter, Words counts) {
  for (std::uint32_t y = 0; y < height; ++y)
    for (std::uint32_t x = 0; x < width; ++x) {
      const float re = -2.0F + 3.0F * static_cast<float>(x) / static_cast<float>(width);
      const float im = -1.5F + 3.0F * static_cast<float>(y) / static_cast<float>(height);
      float zr = 0;
      float zi = 0;
      std::uint32_t it = 0;
      for (; it < max_iter && zr * zr + zi * zi <= 4.0F; ++it) {
        const float next = zr * zr - zi * zi + re;
        zi = 2.0F * zr * zi + im;
        zr = next;
      }
      counts[std::size_t{y} * width + x] = it;
    }
}

}  // namespace vyre::bench
