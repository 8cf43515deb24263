// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "vyre/result.h"

/// Pictures out of the command line.
namespace vyre::cli {

struct Picture {
  std::uint64_t width = 0;
  std::uint64_t height = 0;
  unsigned channels = 4;              ///< 1 grey, 2 grey and alpha, 3 RGB, 4 RGBA
  std::span<const std::byte> pixels;  ///< rows from the top, width · height · channels bytes
};

/// The bytes of a PNG file.
Result<std::vector<std::byte>> encode_png(const Picture& picture);

}  // namespace vyre::cli
