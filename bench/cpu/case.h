// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

// One kernel and its work: what every side of the benchmark is given, and how their answers are
// compared.  The makers of data give the same bytes on every call.
namespace vyre::bench {

using Bytes = std::vector<std::byte>;

struct Named {
  std::string name;
  Bytes bytes;
};

/// How alike two answers have to be.
enum class Alike {
  exactly,
  in_total,   ///< words of the same sum: partial results lie elsewhere
  nearly,     ///< floats within 1e-3 of the larger, or of one
  in_pixels,  ///< bytes that differ by one at most
  mostly,     ///< all but a hundredth of the words: orbits at a border
};

struct Case {
  std::string file;   ///< in the repository, without `.wgsl`
  std::string entry;  ///< empty: the only one
  std::array<std::uint32_t, 3> grid;
  std::vector<Named> buffers;
  std::size_t answer;  ///< the buffer that is compared
  Alike alike;
  double items;                      ///< for the figures per item
  std::function<void(Case&)> plain;  ///< the same in plain C++, on `buffers`

  template <typename T = std::uint32_t>
  std::span<T> span(std::size_t i) {
    return {reinterpret_cast<T*>(buffers[i].bytes.data()), buffers[i].bytes.size() / sizeof(T)};
  }
};

template <typename T>
Bytes bytes_of(const std::vector<T>& values) {
  const auto raw = std::as_bytes(std::span(values));
  return {raw.begin(), raw.end()};
}

/// The values, one after the other.
template <typename... T>
Bytes block(T... values) {
  Bytes bytes;
  const auto append = [&](auto value) {
    const auto raw = std::as_bytes(std::span(&value, 1));
    bytes.insert(bytes.end(), raw.begin(), raw.end());
  };
  (append(values), ...);
  return bytes;
}

Bytes zeros(std::size_t words);
Bytes random_words(std::size_t count);
/// Words below `bound`.
Bytes random_words(std::size_t count, std::uint32_t bound);
/// Multiples of 2^-24 in [0, 1).
Bytes random_floats(std::size_t count);

/// A case is made when its turn comes: all of them at once would take gigabytes.
struct CaseMaker {
  std::string name;
  std::function<Case()> make;
};

/// The kernels of examples/kernels: what the bars of docs/performance.md are about.
std::vector<CaseMaker> basic_cases();
/// The kernels of bench/kernels, such as people run.
std::vector<CaseMaker> real_cases();

/// Whether an answer is the one that plain C++ left in the case.
bool agrees(Case& work, const Bytes& answer);

}  // namespace vyre::bench
