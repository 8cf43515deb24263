// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <span>

/// The kernels of examples/kernels as plain C++ on one thread, compiled with -O3 -march=native:
/// what a competent user writes first.
namespace vyre::bench {

using Floats = std::span<float>;
using Words = std::span<std::uint32_t>;

void saxpy(float alpha, Floats x, Floats y);
void add(Words a, Words b, Words c);
std::uint32_t sum(Words src);
void histogram(Words words, Words bins);
/// The sums within blocks of 1024, and the total of each block.
void scan_blocks(Words src, Words dst, Words sums);
void stencil(std::uint32_t width, std::uint32_t height, Floats src, Floats dst);
/// The loops over rows, columns and terms, in this order.
void matmul(std::uint32_t m, std::uint32_t n, std::uint32_t k, Floats a, Floats b, Floats c);
void mandelbrot(std::uint32_t width, std::uint32_t height, std::uint32_t max_iter, Words counts);

}  // namespace vyre::bench
