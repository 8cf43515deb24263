// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "backend/wgpu/job.h"
#include "backend/wgpu/timestamps.h"

/// The one block that everything comes back in: the trap record first, then the windows of the
/// outputs, then the timestamps; one map, one wait.
namespace vyre::wgpu {

/// A copy into the block, and which of its bytes are asked for.
struct Piece {
  std::size_t slot = 0;
  std::uint64_t from = 0;    ///< in the slot's buffer; a multiple of 4
  std::uint64_t size = 0;    ///< copied bytes; a multiple of 4, may be 0
  std::uint64_t offset = 0;  ///< in the block
  std::uint64_t skip = 0;    ///< bytes before the window
  std::uint64_t length = 0;  ///< of the window
};

struct StagingPlan {
  std::optional<Piece> trap;
  std::vector<Piece> outputs;    ///< the slots that come back, in order
  std::uint64_t timestamps = 0;  ///< their offset
  std::uint64_t size = 0;        ///< of the block, never 0
};

/// Lays the block out.  `timed` keeps room for timestamps.
StagingPlan plan_staging(const std::vector<Slot>& slots,
                         std::optional<std::size_t> trap,
                         bool timed);

struct Staging {
  StagingPlan plan;
  BufferHandle block;
};

Result<Staging> make_staging(const Gpu& gpu, const Job& job, bool timed);

/// Records the copies, so that the block is in use until the dispatch is done.
void record_copies(WGPUCommandEncoder encoder,
                   const Staging& staging,
                   const std::vector<Bound>& bound,
                   const Timestamps* timestamps);

}  // namespace vyre::wgpu
