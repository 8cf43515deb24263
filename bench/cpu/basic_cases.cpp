// SPDX-License-Identifier: MIT OR Apache-2.0
#include <string>

#include "case.h"
#include "plain.h"

namespace vyre::bench {
namespace {

constexpr std::uint32_t kCount = 1u << 24;
constexpr std::uint32_t kSide = 2048;
constexpr std::uint32_t kMatrix = 512;
constexpr std::uint32_t kImage = 1024;

Case saxpy_case() {
  return {
      "examples/kernels/saxpy",
      "",
      {1024, 1, 1},
      {{"params", block(kCount, 0.5F)}, {"x", random_floats(kCount)}, {"y", random_floats(kCount)}},
      2,
      Alike::nearly,
      kCount,
      [](Case& c) { saxpy(0.5F, c.span<float>(1), c.span<float>(2)); }};
}

Case add_case() {
  constexpr std::uint32_t kGroups = 65535;  // as many as the bare API takes
  constexpr std::uint32_t kWords = kGroups * 256;
  return {"examples/kernels/add",
          "",
          {kGroups, 1, 1},
          {{"a", random_words(kWords)}, {"b", random_words(kWords)}, {"c", zeros(kWords)}},
          2,
          Alike::exactly,
          kWords,
          [](Case& c) { add(c.span(0), c.span(1), c.span(2)); }};
}

Case sum_case() {
  return {"examples/kernels/reduce_sum",
          "",
          {256, 1, 1},
          {{"src", random_words(kCount)}, {"dst", zeros(256)}},
          1,
          Alike::in_total,
          kCount,
          [](Case& c) { c.span(1)[0] = sum(c.span(0)); }};
}

Case histogram_case() {
  return {"examples/kernels/histogram",
          "",
          {256, 1, 1},
          {{"words", random_words(kCount / 4)}, {"bins", zeros(256)}},
          1,
          Alike::exactly,
          kCount / 4,
          [](Case& c) { histogram(c.span(0), c.span(1)); }};
}

Case scan_case() {
  return {"examples/kernels/scan",
          "scan_blocks",
          {kCount / 1024, 1, 1},
          {{"src", random_words(kCount)}, {"dst", zeros(kCount)}, {"sums", zeros(kCount / 1024)}},
          1,
          Alike::exactly,
          kCount,
          [](Case& c) { scan_blocks(c.span(0), c.span(1), c.span(2)); }};
}

Case stencil_case() {
  return {"examples/kernels/stencil3x3",
          "",
          {kSide / 16, kSide / 16, 1},
          {{"params", block(kSide, kSide)},
           {"src", random_floats(kSide * kSide)},
           {"dst", zeros(kSide * kSide)}},
          2,
          Alike::nearly,
          kSide * kSide,
          [](Case& c) { stencil(kSide, kSide, c.span<float>(1), c.span<float>(2)); }};
}

Case matrix_case(const std::string& name) {
  return {"examples/kernels/" + name,
          "",
          {kMatrix / 16, kMatrix / 16, 1},
          {{"dims", block(kMatrix, kMatrix, kMatrix)},
           {"a", random_floats(kMatrix * kMatrix)},
           {"b", random_floats(kMatrix * kMatrix)},
           {"c", zeros(kMatrix * kMatrix)}},
          3,
          Alike::nearly,
          double{kMatrix} * kMatrix * kMatrix,
          [](Case& c) {
            matmul(kMatrix, kMatrix, kMatrix, c.span<float>(1), c.span<float>(2), c.span<float>(3));
          }};
}

Case mandelbrot_case() {
  return {"examples/kernels/mandelbrot",
          "",
          {kImage / 16, kImage / 16, 1},
          {{"params", block(kImage, kImage, 256u)}, {"counts", zeros(kImage * kImage)}},
          1,
          Alike::mostly,
          kImage * kImage,
          [](Case& c) { mandelbrot(kImage, kImage, 256, c.span(1)); }};
}

}  // namespace

std::vector<CaseMaker> basic_cases() {
  return {{"saxpy", saxpy_case},
          {"add", add_case},
          {"sum", sum_case},
          {"histogram", histogram_case},
          {"scan", scan_case},
          {"stencil", stencil_case},
          {"matmul", [] { return matrix_case("matmul"); }},
          {"matmul_tiled", [] { return matrix_case("matmul_tiled"); }},
          {"mandelbrot", mandelbrot_case}};
}

}  // namespace vyre::bench
