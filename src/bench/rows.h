// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "bench/work.h"

/// The rows of `vyre bench`: what the library does.
namespace vyre::bench {

struct BenchRow {
  const char* name;
  const char* does;    ///< what one run is
  Work work;           ///< what a baseline does for comparison
  const char* beside;  ///< in words, where the device is a GPU
  bool moves;          ///< the bytes of one run are counted
  Result<Run> (*make)(const Device& device, std::size_t bytes);
  /// Instead of a baseline: another way to use the library, which `beside` names.
  Result<Run> (*alternative)(const Device& device, std::size_t bytes) = nullptr;
  std::size_t bytes = 0;  ///< of one run, if every device is asked for as many
};

std::span<const BenchRow> bench_rows();
/// The row whose steady state is counted: a round trip.
const BenchRow& steady_row();

}  // namespace vyre::bench
