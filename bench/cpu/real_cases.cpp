// SPDX-License-Identifier: MIT OR Apache-2.0
#include <cmath>
#include <cstring>
#include <numbers>
#include <string>

#include "case.h"
#include "plain.h"

namespace vyre::bench {
namespace {

constexpr std::uint32_t kKeys = 1u << 22;
constexpr std::uint32_t kEdge = 2048;

Case bitonic_case() {
  constexpr std::uint32_t kStride = 1u << 8;
  constexpr std::uint32_t kBlock = 1u << 12;
  return {"bench/kernels/bitonic_step",
          "",
          {kKeys / 512, 1, 1},
          {{"params", block(kStride, kBlock)}, {"keys", random_words(kKeys)}},
          1,
          Alike::exactly,
          kKeys,
          [](Case& c) { bitonic_step(kStride, kBlock, c.span(1)); }};
}

Case sha256_case() {
  constexpr std::uint32_t kMessages = 1u << 15;
  return {"bench/kernels/sha256",
          "",
          {kMessages / 64, 1, 1},
          {{"messages", random_words(kMessages * 16)}, {"digests", zeros(kMessages * 8)}},
          1,
          Alike::exactly,
          kMessages,
          [](Case& c) { sha256(c.span(0), c.span(1)); }};
}

Bytes roots_of_one(std::uint32_t points) {
  std::vector<float> roots;
  for (std::uint32_t k = 0; k < points / 2; ++k) {
    const double angle = -2 * std::numbers::pi * k / points;
    roots.push_back(static_cast<float>(std::cos(angle)));
    roots.push_back(static_cast<float>(std::sin(angle)));
  }
  return bytes_of(roots);
}

Case fft_case() {
  constexpr std::uint32_t kPoints = 1u << 20;
  constexpr std::uint32_t kHalf = 1u << 10;
  return {"bench/kernels/fft_stage",
          "",
          {kPoints / 512, 1, 1},
          {{"params", block(kHalf)},
           {"src", random_floats(2 * kPoints)},
           {"roots", roots_of_one(kPoints)},
           {"dst", zeros(2 * kPoints)}},
          3,
          Alike::nearly,
          kPoints,
          [](Case& c) { fft_stage(kHalf, c.span<float>(1), c.span<float>(2), c.span<float>(3)); }};
}

Case nbody_case() {
  constexpr std::uint32_t kBodies = 4096;
  return {"bench/kernels/nbody",
          "",
          {kBodies / 256, 1, 1},
          {{"bodies", random_floats(4 * kBodies)}, {"pulls", zeros(4 * kBodies)}},
          1,
          Alike::nearly,
          double{kBodies} * kBodies,
          [](Case& c) { nbody(c.span<float>(0), c.span<float>(1)); }};
}

Case matmul_q8_case() {
  constexpr std::uint32_t kOrder = 512;
  constexpr std::uint32_t kDepth = kOrder / 4;
  return {"bench/kernels/matmul_q8",
          "",
          {kOrder / 16, kOrder / 16, 1},
          {{"dims", block(kOrder, kOrder, kDepth)},
           {"a", random_words(kOrder * kDepth)},
           {"b", random_words(kOrder * kDepth)},
           {"c", zeros(kOrder * kOrder)}},
          3,
          Alike::exactly,
          double{kOrder} * kOrder * kOrder,
          [](Case& c) { matmul_q8(kOrder, kOrder, kDepth, c.span(1), c.span(2), c.span(3)); }};
}

Case resize_case() {
  constexpr std::uint32_t kFrom = 1024;
  constexpr std::uint32_t kTo = 1536;
  return {"bench/kernels/resize",
          "",
          {kTo / 16, kTo / 16, 1},
          {{"params", block(kFrom, kFrom, kTo, kTo)},
           {"src", random_words(kFrom * kFrom)},
           {"dst", zeros(kTo * kTo)}},
          2,
          Alike::in_pixels,
          kTo * kTo,
          [](Case& c) { resize(kFrom, kFrom, kTo, kTo, c.span(1), c.span(2)); }};
}

/// Letters of which one in four words repeats.
Bytes text_of_words(std::size_t count) {
  const std::vector<std::string> words = {"the ", "of ", "lane ", "group ", "a ", "buffer ", "to "};
  const Bytes picks = random_words(count, static_cast<std::uint32_t>(words.size()));
  std::string text;
  for (std::size_t i = 0; text.size() < count; ++i) {
    std::uint32_t pick = 0;
    std::memcpy(&pick, picks.data() + 4 * i, 4);
    text += words[pick];
  }
  const auto raw = std::as_bytes(std::span(text).first(count));
  return {raw.begin(), raw.end()};
}

Case lz_case() {
  constexpr std::uint32_t kBytes = 1u << 18;
  return {"bench/kernels/lz_match",
          "",
          {kBytes / 256, 1, 1},
          {{"text", text_of_words(kBytes)}, {"matches", zeros(kBytes)}},
          1,
          Alike::exactly,
          kBytes,
          [](Case& c) { lz_match(c.span<std::uint8_t>(0), c.span(1)); }};
}

Case life_case() {
  return {"bench/kernels/life",
          "",
          {kEdge / 16, kEdge / 16, 1},
          {{"params", block(kEdge, kEdge)},
           {"cells", random_words(kEdge * kEdge, 2)},
           {"next", zeros(kEdge * kEdge)}},
          2,
          Alike::exactly,
          kEdge * kEdge,
          [](Case& c) { life(kEdge, kEdge, c.span(1), c.span(2)); }};
}

Case softmax_case() {
  constexpr std::uint32_t kRows = 1024;
  constexpr std::uint32_t kColumns = 2048;
  return {"bench/kernels/softmax",
          "",
          {kRows, 1, 1},
          {{"params", block(kColumns)},
           {"src", random_floats(kRows * kColumns)},
           {"dst", zeros(kRows * kColumns)}},
          2,
          Alike::nearly,
          kRows * kColumns,
          [](Case& c) { softmax(kColumns, c.span<float>(1), c.span<float>(2)); }};
}

Case transpose_case() {
  return {"bench/kernels/transpose",
          "",
          {kEdge / 16, kEdge / 16, 1},
          {{"params", block(kEdge, kEdge)},
           {"src", random_floats(kEdge * kEdge)},
           {"dst", zeros(kEdge * kEdge)}},
          2,
          Alike::exactly,
          kEdge * kEdge,
          [](Case& c) { transpose(kEdge, kEdge, c.span<float>(1), c.span<float>(2)); }};
}

Case compact_case() {
  constexpr std::uint32_t kBound = 1u << 30;
  return {"bench/kernels/compact",
          "",
          {kKeys / 256, 1, 1},
          {{"params", block(kBound)},
           {"src", random_words(kKeys)},
           {"dst", zeros(kKeys)},
           {"counts", zeros(kKeys / 256)}},
          2,
          Alike::exactly,
          kKeys,
          [](Case& c) { compact(kBound, c.span(1), c.span(2), c.span(3)); }};
}

Case sobel_case() {
  return {"bench/kernels/sobel",
          "",
          {kEdge / 16, kEdge / 16, 1},
          {{"params", block(kEdge, kEdge)},
           {"src", random_words(kEdge * kEdge)},
           {"dst", zeros(kEdge * kEdge)}},
          2,
          Alike::exactly,
          kEdge * kEdge,
          [](Case& c) { sobel(kEdge, kEdge, c.span(1), c.span(2)); }};
}

Case monte_carlo_case() {
  constexpr std::uint32_t kInvocations = 1u << 17;
  return {"bench/kernels/monte_carlo",
          "",
          {kInvocations / 256, 1, 1},
          {{"hits", zeros(64)}},
          0,
          Alike::exactly,
          kInvocations * 64.0,
          [](Case& c) { monte_carlo(kInvocations, c.span(0)); }};
}

}  // namespace

std::vector<CaseMaker> real_cases() {
  return {{"bitonic_step", bitonic_case},
          {"sha256", sha256_case},
          {"fft_stage", fft_case},
          {"nbody", nbody_case},
          {"matmul_q8", matmul_q8_case},
          {"resize", resize_case},
          {"lz_match", lz_case},
          {"life", life_case},
          {"softmax", softmax_case},
          {"transpose", transpose_case},
          {"compact", compact_case},
          {"sobel", sobel_case},
          {"monte_carlo", monte_carlo_case}};
}

}  // namespace vyre::bench
