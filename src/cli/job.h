// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "vyre/program.h"
#include "vyre/result.h"

#include "cli/sink.h"

/// From the words of a `run` command to a dispatch.
///
/// Everything that can be known without a device is found here: names, lengths, counts, shapes,
/// the grid and the memory that all of it takes.  Faults of different arguments are all reported,
/// not only the first.
namespace vyre::cli {

/// The arguments as they were typed.
struct JobWords {
  std::vector<std::string> inputs;   ///< NAME=SOURCE
  std::vector<std::string> outputs;  ///< NAME=FILE
  std::vector<std::string> counts;   ///< NAME=COUNT
  std::vector<std::string> members;  ///< PATH=VALUE
  std::vector<std::string> shapes;   ///< NAME=H,W
  std::string grid;                  ///< X[,Y[,Z]]
  std::string threads;               ///< X[,Y[,Z]]
  bool pad = false;
  std::vector<std::string> kernels;  ///< files that no output may replace
};

/// One host buffer in this dispatch.
struct JobBuffer {
  const BufferDecl* buffer = nullptr;
  bool supplied = false;
  std::vector<std::byte> bytes;  ///< if supplied
  std::uint64_t padded = 0;      ///< zero bytes that --pad added
  std::uint64_t count = 0;       ///< elements of the root or trailing array, 1 if there is none
  std::vector<std::uint64_t> rows = {};  ///< of an option that gave the count as a shape
};

struct Job {
  std::vector<JobBuffer> buffers;  ///< in declaration order
  std::vector<Sink> sinks;         ///< in the order of the options
  std::optional<std::array<std::uint32_t, 3>> grid;

  [[nodiscard]] const JobBuffer& of(const BufferDecl& buffer) const;
};

/// The faults, in the order of the options; without any, the job is complete.  `job` points into
/// `program`.
std::vector<Error> prepare_job(const Program& program, const JobWords& words, Job& job);

}  // namespace vyre::cli
