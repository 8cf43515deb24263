// SPDX-License-Identifier: MIT OR Apache-2.0
#include "cli/png.h"

#include <limits>
#include <string>
#include <string_view>

#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#define STBI_WRITE_NO_STDIO
#include <stb/stb_image_write.h>

#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#define STBI_NO_STDIO
#define STBI_ONLY_PNG
#include <stb/stb_image.h>

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

/// What the decoder found, in words that say it; it says nothing of most texts that end early.
std::string reason() {
  const char* const words = stbi_failure_reason();
  const std::string_view found = words == nullptr ? "" : words;
  if (found == "unknown image type") return "it does not start as one";
  if (found.empty() || found == "outofdata" || found == "not enough pixels") {
    return "it is cut short";
  }
  return std::string(found);
}

}  // namespace

Result<Pixels> decode_png(std::span<const std::byte> bytes, const std::string& name) {
  int width = 0;
  int height = 0;
  int channels = 0;
  constexpr std::size_t kLargest = std::numeric_limits<int>::max();
  if (bytes.size() > kLargest) {
    return wrong("bad-picture", ticked(name) + " has " + counted(bytes.size(), "byte") +
                                    ", but a .png is read up to " + std::to_string(kLargest));
  }
  const auto* const file = reinterpret_cast<const stbi_uc*>(bytes.data());
  const auto size = static_cast<int>(bytes.size());
  const bool deep = stbi_is_16_bit_from_memory(file, size) != 0;
  void* const pixels =
      deep ? static_cast<void*>(stbi_load_16_from_memory(file, size, &width, &height, &channels, 4))
           : stbi_load_from_memory(file, size, &width, &height, &channels, 4);
  if (pixels == nullptr)
    return wrong("bad-picture", ticked(name) + " is no .png that can be read: " + reason());
  Pixels result{
      static_cast<std::uint64_t>(width), static_cast<std::uint64_t>(height), deep ? 2U : 1U, {}};
  const auto* const first = static_cast<const std::byte*>(pixels);
  result.rgba.assign(first, first + 4 * result.width * result.height * result.bytes_per_channel);
  stbi_image_free(pixels);
  return result;
}

Error deep_picture(const std::string& what, const std::string& name) {
  return wrong("wrong-type", what + " takes 8 bits a channel, but " + ticked(name) + " has 16",
               "save the picture with 8 bits, or use a format with a word for each channel");
}

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
