// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "vyre/device.h"

#include "cli/job.h"

/// Two buffers that change places between the launches of `--repeat`, as the state before a step
/// and the state after it do.
namespace vyre::cli {

struct Swap {
  const JobBuffer* first = nullptr;
  const JobBuffer* second = nullptr;
};

/// Reads "a,b": two buffers of one type and size, of which the kernel writes at least one.
Result<Swap> parse_swap(const Program& program, const Job& job, const std::string& word);

/// What a kernel that is repeated should be told: it reads nothing that it writes, and two of its
/// buffers could be swapped; empty where it makes progress.
std::string repeat_note(const Program& program, const Job& job, std::uint32_t repeat);

/// Runs `options.repeat` launches.  Names mean in the outputs what they meant in the last launch.
Result<Outputs> dispatch_swapping(const Device& device,
                                  const ValidProgram& program,
                                  const Job& job,
                                  const Swap& swap,
                                  const DispatchOptions& options);

}  // namespace vyre::cli
