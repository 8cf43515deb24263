// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <vector>

#include "backend/wgpu/job.h"

/// Host bytes on their way in: packed in a mapped block, copied from there on the device.
namespace vyre::wgpu {

struct Upload {
  std::size_t slot = 0;
  std::size_t block = 0;
  std::uint64_t offset = 0;  ///< in the block
  std::uint64_t size = 0;    ///< padded to whole words with zeros
};

struct Uploads {
  std::vector<BufferHandle> blocks;  ///< one, unless the bytes exceed the largest buffer
  std::vector<Upload> copies;
};

/// Where the supplied bytes of each slot go; `sizes` gets the bytes of each block.
std::vector<Upload> pack_uploads(const std::vector<Slot>& slots,
                                 std::uint64_t max_block,
                                 std::vector<std::uint64_t>& sizes);

/// Packs the supplied bytes; they are not needed after it.
Result<Uploads> place_uploads(const Gpu& gpu, const Job& job);

void record_uploads(WGPUCommandEncoder encoder,
                    const Uploads& uploads,
                    const std::vector<Bound>& bound);

}  // namespace vyre::wgpu
