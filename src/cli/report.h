// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "vyre/device.h"
#include "vyre/diagnostic.h"

#include "bench/result.h"
#include "cli/job.h"
#include "cli/summary.h"

/// What the commands say under `--json`: one indented document, a line feed at its end.
namespace vyre::cli {

/// The workgroups of a dispatch.
struct Grid {
  std::array<std::uint32_t, 3> groups = {1, 1, 1};
  bool inferred = false;
};

std::string run_report(const Program& program,
                       const DeviceInfo& device,
                       const Job& job,
                       const Grid& grid,
                       std::span<const Summary> outputs,
                       const Timing& timing);

/// What `vyre check` found: one of the two is empty.
struct CheckedEntry {
  std::string name;
  std::array<std::uint32_t, 3> workgroup = {1, 1, 1};
  std::vector<std::pair<std::string, std::string>> buffers;  ///< names and types
};
std::string check_report(const Diagnostics& faults, std::span<const CheckedEntry> entries);

/// `chosen` is the index of what `auto` takes, or past the end.
std::string devices_report(std::span<const DeviceEntry> entries, std::size_t chosen);

std::string bench_report(const bench::BenchReport& report);

}  // namespace vyre::cli
