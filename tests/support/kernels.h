// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <ranges>
#include <span>
#include <string>
#include <vector>

#include "vyre/builder.h"

/// Small kernels that several suites run.
namespace vyre::test {

/// out[i] = in[i] for every element of `out`, which is as long as `in`.
template <typename T>
Result<ValidProgram> copy_kernel(std::uint32_t workgroup = 64) {
  Builder b("copy", {.workgroup = workgroup});
  auto in = b.input<T>("in");
  auto out = b.output<T>("out");
  out.same_length_as(in);
  const Value i = b.global_id();
  out[i] = in[i];
  return b.build();
}

/// x[i] += by, `x` being read and written and `by` a uniform.
Result<ValidProgram> add_kernel();

/// sum[0] = the sum of the words of `x`.
Result<ValidProgram> sum_kernel();

/// Buffers `a`, `out`, `b`, `c` in this order, of every kind: out[i] = a[i] + 10 c + 100 b[i], and
/// b[i] is one more; `out` has three elements.
Result<ValidProgram> ordered_kernel();

/// Enough work in a few thousand workgroups that no device is done at once: many workgroups, not
/// long loops, so that it can be stopped between them.  Its output `out` is 64 zeros.
Result<ValidProgram> busy_kernel();

/// Takes `x` and `y`, runtime-sized arrays of large elements; `out` is the length of each, and 4 if
/// `x` has no elements.
Result<ValidProgram> lengths_kernel();

/// 0, 1, 2, …
template <typename T>
std::vector<T> counting(std::size_t count) {
  std::vector<T> values(count);
  std::iota(values.begin(), values.end(), T{0});
  return values;
}

template <std::ranges::contiguous_range R>
std::vector<std::ranges::range_value_t<R>> to_vector(const R& view) {
  return {view.begin(), view.end()};
}

/// The bytes of values that are the bits of what a buffer holds.
template <std::ranges::contiguous_range R>
std::span<const std::byte> bits_of(const R& values) {
  return std::as_bytes(std::span(values));
}
/// And an output's bytes as words.
inline std::vector<std::uint32_t> words_of(std::span<const std::byte> bytes) {
  std::vector<std::uint32_t> words(bytes.size() / sizeof(std::uint32_t));
  if (!words.empty()) std::memcpy(words.data(), bytes.data(), words.size() * sizeof words[0]);
  return words;
}

}  // namespace vyre::test
