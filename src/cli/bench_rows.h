// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "cli/bench_work.h"

/// The rows of `vyre bench`: what the library does.
namespace vyre::cli {

struct BenchRow {
  const char* name;
  const char* does;    ///< what one go is
  Work work;           ///< what a hand does beside it
  const char* beside;  ///< in words, where the device is a GPU
  bool moves;          ///< the bytes of one go are counted
  Result<Go> (*make)(const Device& device, std::size_t bytes);
  /// Instead of a hand: the library in another way, which `beside` names.
  Result<Go> (*rival)(const Device& device, std::size_t bytes) = nullptr;
  std::size_t bytes = 0;  ///< of one go, if every device is asked for as many
};

std::span<const BenchRow> bench_rows();
/// The row whose steady state is counted: a round trip.
const BenchRow& steady_row();

}  // namespace vyre::cli
