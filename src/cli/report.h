// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "vyre/device.h"

#include "bench/result.h"
#include "cli/job.h"
#include "cli/summary.h"

/// What the commands say under `--json`: one indented document, a line feed at its end.
namespace vyre::cli {

std::string run_report(const Program& program,
                       const DeviceInfo& device,
                       const Job& job,
                       std::span<const Summary> outputs,
                       const Timing& timing);

/// `chosen` is the index of what `auto` takes, or past the end.
std::string devices_report(std::span<const DeviceEntry> entries, std::size_t chosen);

std::string bench_report(const bench::BenchReport& report);

}  // namespace vyre::cli
