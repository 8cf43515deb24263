// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "vyre/program.h"
#include "vyre/result.h"

/// Where a buffer's bytes come from: the SOURCE of `-i NAME=SOURCE`.
///
///     x.npy             checked against the WGSL type; a structured array fills structures
///     x.png             a texture, or array<u32> as packed RGBA, red lowest; a .npy of (H, W) or
///                       (H, W, channels) is a texture too
///     1,2,3             a list, which fills scalars, vectors, arrays and members in order
///     zeros:N  range:N  N elements of zeros; of 0, 1, 2, …, counted scalar by scalar
///     random:N[:SEED]   N elements: integers of all bits, floats in [0, 1)
///     -                 standard input, raw
///     anything else     a file of raw bytes, laid out as WGSL does
namespace vyre::cli {

struct Supplied {
  std::vector<std::byte> bytes;  ///< as the buffer's layout has them; whole elements
  std::uint64_t padded = 0;      ///< zero bytes that were added at the end
};

/// Every error names the buffer, its type and what the source has instead.  `pad` lets raw bytes
/// end within an element.
Result<Supplied> load_source(const Program& program,
                             const BufferDecl& buffer,
                             std::string_view source,
                             bool pad);

}  // namespace vyre::cli
