// SPDX-License-Identifier: MIT OR Apache-2.0
#include "cli/png.h"

#include <limits>
#include <string>

#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#define STBI_WRITE_NO_STDIO
#include <stb/stb_image_write.h>

#include "cli/words.h"

namespace vyre::cli {
namespace {

/// The encoder counts bytes in int.
bool fits_encoder(const Picture& picture) {
  constexpr std::uint64_t kLargest = std::numeric_limits<int>::max() / 2;
  return picture.width <= kLargest && picture.height <= kLargest &&
         picture.pixels.size() + picture.height <= kLargest;
}

void append(void* context, void* data, int size) {
  auto& file = *static_cast<std::vector<std::byte>*>(context);
  const auto* bytes = static_cast<const std::byte*>(data);
  file.insert(file.end(), bytes, bytes + size);
}

}  // namespace

Result<std::vector<std::byte>> encode_png(const Picture& picture) {
  const std::string size = std::to_string(picture.width) + " by " + std::to_string(picture.height);
  if (picture.width == 0 || picture.height == 0) {
    return wrong("bad-picture", "a picture of " + size + " pixels is empty");
  }
  if (!fits_encoder(picture)) {
    return wrong("bad-picture", "a picture of " + size + " pixels is too large for a .png file",
                 "write it as .npy");
  }
  std::vector<std::byte> file;
  const int done = stbi_write_png_to_func(
      append, &file, static_cast<int>(picture.width), static_cast<int>(picture.height),
      static_cast<int>(picture.channels), picture.pixels.data(), 0);
  if (done == 0) return wrong("bad-picture", "a picture of " + size + " pixels cannot be encoded");
  return file;
}

}  // namespace vyre::cli
