// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// What `vyre bench` measured, and how it is shown.
namespace vyre::bench {

/// One piece of work, by the library and by a baseline.  Times are seconds of one run, a number a
/// round.
struct BenchResult {
  std::string name;
  std::string work;    ///< what one run is
  double bytes = 0;    ///< moved by one run; 0: a latency
  std::string beside;  ///< what the baseline is
  std::vector<double> vyre = {};
  std::vector<double> baseline = {};  ///< empty: nothing to compare with
  std::vector<double> floor = {};     ///< raw Vulkan; empty: not measured
};

/// Of what a dispatch costs apart from time, in the steady state.
struct BenchCounts {
  std::uint64_t dispatches = 0;
  std::uint64_t driver_allocations = 0;
  std::uint64_t heap_allocations = 0;
  std::uint64_t pool_hits = 0;
  std::uint64_t binding_hits = 0;
  std::uint64_t binding_misses = 0;
};

struct BenchReport {
  std::string device;  ///< "wgpu:0"
  std::string name;    ///< as the driver gives it
  std::string driver;
  std::string date;  ///< "2026-01-31"
  std::vector<BenchResult> results = {};
  std::optional<BenchCounts> counts = {};
};

/// The middle one; of an even number the mean of the two.  REQUIRES: not empty.
double median(std::vector<double> numbers);

/// A time in the unit of its row: microseconds of a latency, GB/s of a transfer.
double figure(const BenchResult& result, const std::vector<double>& rounds);
/// "µs" or "GB/s"
std::string unit_of(const BenchResult& result);
/// The figure of the library over that of `other`: below 1 is better for a latency, above 1 for a
/// transfer.  Empty if there is no other.
std::optional<double> ratio(const BenchResult& result, const std::vector<double>& other);

/// Markdown, aligned, so that it reads in a terminal and in a document.
std::string to_table(const BenchReport& report);

}  // namespace vyre::bench
