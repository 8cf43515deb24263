// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "vyre/program.h"

/// What a kernel says about how it is meant to be launched.
namespace vyre::cli {

/// Why a grid of one workgroup an element may not be what is meant: a reason that follows "the
/// kernel"; empty where nothing speaks against it.  Workgroups of several invocations tell by their
/// size that elements are shared out among them.
std::string against_inference(const Program& program);

/// False where launches one after the other, or workgroups side by side, do not meet in memory.
bool reads_what_it_writes(const Program& program);

/// Host buffers that some statement reads, and those that some statement writes; atomics do both.
struct BufferUse {
  std::vector<bool> read;  ///< by BufferId
  std::vector<bool> written;
};
BufferUse buffer_use(const Program& program);

}  // namespace vyre::cli
