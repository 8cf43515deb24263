// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <span>

/// The kernels of the benchmark as plain C++ on one thread, compiled with -O3 -march=native: what
/// a competent user writes first.
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

void bitonic_step(std::uint32_t stride, std::uint32_t block, Words keys);
/// 16 words a message, 8 a digest.
void sha256(Words messages, Words digests);
/// Complex numbers are pairs of floats.
void fft_stage(std::uint32_t half, Floats src, Floats roots, Floats dst);
/// Four floats a body: the place and the mass.
void nbody(Floats bodies, Floats pulls);
/// Four signed bytes a word; b by columns.
void matmul_q8(std::uint32_t m, std::uint32_t n, std::uint32_t words, Words a, Words b, Words c);
void resize(std::uint32_t from_width,
            std::uint32_t from_height,
            std::uint32_t width,
            std::uint32_t height,
            Words src,
            Words dst);
void lz_match(std::span<const std::uint8_t> text, Words matches);
void life(std::uint32_t width, std::uint32_t height, Words cells, Words next);
void softmax(std::uint32_t columns, Floats src, Floats dst);
void transpose(std::uint32_t width, std::uint32_t height, Floats src, Floats dst);
void compact(std::uint32_t bound, Words src, Words dst, Words counts);
void sobel(std::uint32_t width, std::uint32_t height, Words src, Words dst);
void monte_carlo(std::uint32_t invocations, Words hits);

}  // namespace vyre::bench
