// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "vyre/result.h"

/// Pictures in and out of the command line.
namespace vyre::cli {

struct Picture {
  std::uint64_t width = 0;
  std::uint64_t height = 0;
  unsigned channels = 4;              ///< 1 grey, 2 grey and alpha, 3 RGB, 4 RGBA
  std::span<const std::byte> pixels;  ///< rows from the top, width · height · channels bytes
};

/// What a file holds, whatever its form: four channels a pixel.
struct Pixels {
  std::uint64_t width = 0;
  std::uint64_t height = 0;
  std::uint32_t bytes_per_channel = 1;  ///< 1 or 2, the lower byte first
  std::vector<std::byte> rgba;
};
/// The error for a picture of 16 bits a channel where 8 have room; `what` is the buffer.
Error deep_picture(const std::string& what, const std::string& name);
/// `name` is the file's, for messages.
Result<Pixels> decode_png(std::span<const std::byte> bytes, const std::string& name);

/// The bytes of a PNG file.
Result<std::vector<std::byte>> encode_png(const Picture& picture);

}  // namespace vyre::cli
