// SPDX-License-Identifier: MIT OR Apache-2.0
#include "cli/texture.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "base/file.h"
#include "cli/memory.h"
#include "cli/npy.h"
#include "cli/png.h"
#include "cli/types.h"
#include "cli/words.h"

namespace vyre::cli {
namespace {

constexpr std::string_view kPrefix = "texture_";

/// How a .png's bytes are a texel's.
struct Channels {
  std::uint32_t count = 0;  ///< words, or bytes of a packed word
  ScalarType scalar = ScalarType::u8;
  bool swaps = false;  ///< blue lies lowest
};

std::optional<Channels> channels_of(const Program& program, const Texels& texels) {
  const bool bytes = texels.format == "rgba8unorm" || texels.format == "rgba8uint";
  if (bytes || texels.format == "bgra8unorm") return Channels{4, ScalarType::u8, !bytes};
  const Layout& texel = program[texels.layout];
  const std::uint32_t count = texel.kind == LayoutKind::vector ? texel.width : 1;
  const bool packed =
      texels.format.find("16") != std::string::npos || texels.format.find('8') != std::string::npos;
  if (packed || count == 2) return std::nullopt;
  return Channels{count, texel.scalar, false};
}

Error no_picture(const Program& program, const BufferDecl& buffer, const std::string& file) {
  return wrong("wrong-type",
               described(program, buffer) + " has texels that " + ticked(file) + " cannot hold",
               "use a .npy");
}

Result<std::vector<std::byte>> from_npy(const Program& program,
                                        const BufferDecl& buffer,
                                        const Texels& texels,
                                        const std::string& file) {
  VYRE_TRY(auto content, read_file(file, readable_bytes(has_size(file))));
  VYRE_TRY(const Npy npy, parse_npy(std::move(content), file));
  const Layout& texel = program[texels.layout];
  const bool vector = texel.kind == LayoutKind::vector;
  const bool as_bytes = !vector && npy.dtype == "uint8" && npy.shape.size() == 3;
  const std::uint64_t axis = as_bytes ? 4 : texel.width;
  const std::size_t axes = vector || as_bytes ? 3 : 2;
  if (npy.shape.size() != axes || (axes == 3 && npy.shape[2] != axis)) {
    return wrong("wrong-shape", described(program, buffer) + " takes shape (H, W" +
                                    (vector ? ", " + std::to_string(axis) : "") + "), but " +
                                    ticked(file) + " has " + shape_text(npy.shape));
  }
  if (!as_bytes && npy.dtype != dtype_of(texel.scalar)) {
    return wrong("wrong-type", described(program, buffer) + " takes dtype " +
                                   dtype_of(texel.scalar) + ", but " + ticked(file) + " has " +
                                   npy.dtype);
  }
  VYRE_TRY(auto bytes, make_texture(program, buffer, std::span(npy.shape).first(2)));
  std::copy(npy.data.begin(), npy.data.end(),
            bytes.begin() + static_cast<std::ptrdiff_t>(texels.offset));
  return bytes;
}

/// One channel as a word: a float from 0 to 1, or the number.
void put_channel(ScalarType scalar, std::uint32_t number, std::uint32_t most, std::byte* to) {
  const float part = static_cast<float>(number) / static_cast<float>(most);
  if (scalar == ScalarType::f32)
    std::memcpy(to, &part, sizeof part);
  else
    std::memcpy(to, &number, sizeof number);
}

std::uint32_t channel_of(const Pixels& pixels, std::uint64_t index) {
  if (pixels.bytes_per_channel == 1) return std::to_integer<std::uint32_t>(pixels.rgba[index]);
  std::uint16_t deep = 0;
  std::memcpy(&deep, pixels.rgba.data() + 2 * index, sizeof deep);
  return deep;
}

std::byte take_channel(ScalarType scalar, const std::byte* from) {
  float part = 0;
  std::int32_t number = 0;
  std::memcpy(&part, from, sizeof part);
  std::memcpy(&number, from, sizeof number);
  if (scalar == ScalarType::u32)
    number =
        static_cast<std::int32_t>(std::min(static_cast<std::uint32_t>(number), std::uint32_t{255}));
  if (scalar == ScalarType::f32)
    number =
        static_cast<std::int32_t>(std::lround(part > 0 ? std::min(part, 1.0f) * 255.0f : 0.0f));
  return static_cast<std::byte>(std::clamp(number, 0, 255));
}

Result<std::vector<std::byte>> from_png(const Program& program,
                                        const BufferDecl& buffer,
                                        const Texels& texels,
                                        const std::string& file) {
  const auto channels = channels_of(program, texels);
  if (!channels) return no_picture(program, buffer, file);
  VYRE_TRY(const auto content, read_file(file, readable_bytes(has_size(file))));
  VYRE_TRY(const Pixels pixels, decode_png(content, file));
  if (pixels.bytes_per_channel != 1 && channels->scalar == ScalarType::u8)
    return deep_picture(described(program, buffer), file);
  const std::uint64_t rows[] = {pixels.height, pixels.width};
  VYRE_TRY(auto bytes, make_texture(program, buffer, rows));
  const std::uint32_t most = pixels.bytes_per_channel == 1 ? 0xffU : 0xffffU;
  for (std::uint64_t i = 0; i < pixels.width * pixels.height; ++i) {
    std::byte* const to = bytes.data() + texels.offset + i * texels.stride;
    for (std::uint32_t c = 0; c < channels->count; ++c) {
      const std::uint32_t at = channels->swaps && c < 3 ? 2 - c : c;
      if (channels->scalar == ScalarType::u8)
        to[c] = pixels.rgba[4 * i + at];
      else
        put_channel(channels->scalar, channel_of(pixels, 4 * i + at), most,
                    to + std::size_t{4} * c);
    }
  }
  return bytes;
}

Result<std::vector<std::byte>> to_png(const Program& program,
                                      const BufferDecl& buffer,
                                      const Texels& texels,
                                      const std::string& file,
                                      std::span<const std::uint32_t> size,
                                      std::span<const std::byte> bytes) {
  const auto channels = channels_of(program, texels);
  if (!channels) return no_picture(program, buffer, file);
  std::vector<std::byte> pixels;
  for (std::uint64_t i = 0; i < std::uint64_t{size[0]} * size[1]; ++i) {
    const std::byte* const texel = bytes.data() + texels.offset + i * texels.stride;
    for (std::uint32_t c = 0; c < channels->count; ++c) {
      const std::uint32_t at = channels->swaps && c < 3 ? 2 - c : c;
      pixels.push_back(channels->scalar == ScalarType::u8
                           ? texel[at]
                           : take_channel(channels->scalar, texel + std::size_t{4} * at));
    }
  }
  return encode_png({size[0], size[1], channels->count, pixels});
}

}  // namespace

std::optional<Texels> texels_of(const Program& program, const BufferDecl& buffer) {
  const Layout& layout = program.layout(buffer);
  if (layout.kind != LayoutKind::structure || !layout.name.starts_with(kPrefix) ||
      layout.members.size() != 2 || layout.members[1].name != "texels")
    return std::nullopt;
  const Layout& texels = program[layout.members[1].layout];
  if (texels.kind != LayoutKind::array || texels.count != 0) return std::nullopt;
  return Texels{texels.element, layout.members[1].offset, texels.stride,
                layout.name.substr(kPrefix.size())};
}

std::vector<std::uint64_t> texture_rows(const Program& program,
                                        const BufferDecl& buffer,
                                        std::span<const std::byte> bytes) {
  std::uint32_t size[2] = {};
  if (!texels_of(program, buffer) || bytes.size() < sizeof size) return {};
  std::memcpy(size, bytes.data(), sizeof size);
  return {size[1], size[0]};
}

Result<std::vector<std::byte>> make_texture(const Program& program,
                                            const BufferDecl& buffer,
                                            std::span<const std::uint64_t> rows) {
  const Texels texels = *texels_of(program, buffer);
  constexpr std::uint64_t kMost = 0xffffffffU;
  const std::uint64_t height = rows[0];
  const std::uint64_t width = rows[1];
  if (width > kMost || height > kMost || (width != 0 && height > kMost / width)) {
    return wrong("wrong-length", described(program, buffer) + " holds no " + std::to_string(width) +
                                     " by " + std::to_string(height) + " texels");
  }
  VYRE_TRY(auto bytes, allocate_zeros(texels.offset + width * height * texels.stride,
                                      described(program, buffer)));
  const std::uint32_t size[] = {static_cast<std::uint32_t>(width),
                                static_cast<std::uint32_t>(height)};
  std::memcpy(bytes.data(), size, sizeof size);
  return bytes;
}

Status check_texture(const Program& program,
                     const BufferDecl& buffer,
                     std::span<const std::byte> bytes) {
  const Texels texels = *texels_of(program, buffer);
  const std::vector<std::uint64_t> rows = texture_rows(program, buffer, bytes);
  if (rows.empty() || rows[0] == 0 || rows[1] == 0) {
    return wrong(
        "missing-count",
        described(program, buffer) + " has no size, so that nothing can be stored in it",
        "add --shape " + buffer.name + "=HEIGHT,WIDTH or -n " + buffer.name + "=WIDTHxHEIGHT");
  }
  const std::uint64_t there = bytes.size() - std::min<std::uint64_t>(bytes.size(), texels.offset);
  if (there / texels.stride >= rows[0] * rows[1]) return Ok{};
  return wrong("wrong-shape", described(program, buffer) + " says it is " +
                                  std::to_string(rows[1]) + " by " + std::to_string(rows[0]) +
                                  ", more than its texels");
}

Result<std::vector<std::byte>> read_texture(const Program& program,
                                            const BufferDecl& buffer,
                                            const std::string& file) {
  const Texels texels = *texels_of(program, buffer);
  return has_ending(file, ".png") ? from_png(program, buffer, texels, file)
                                  : from_npy(program, buffer, texels, file);
}

Result<std::vector<std::byte>> format_texture(const Program& program,
                                              const BufferDecl& buffer,
                                              const std::string& file,
                                              std::span<const std::byte> bytes) {
  const Texels texels = *texels_of(program, buffer);
  VYRE_CHECK_OK(check_texture(program, buffer, bytes));
  std::uint32_t size[2] = {};
  std::memcpy(size, bytes.data(), sizeof size);
  if (has_ending(file, ".png")) return to_png(program, buffer, texels, file, size, bytes);
  const Layout& texel = program[texels.layout];
  std::vector<std::uint64_t> shape = {size[1], size[0]};
  if (texel.kind == LayoutKind::vector) shape.push_back(texel.width);
  return format_npy(texel.scalar, shape,
                    bytes.subspan(texels.offset, std::uint64_t{size[0]} * size[1] * texels.stride));
}

}  // namespace vyre::cli
