// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "vyre/program.h"
#include "vyre/result.h"

/// Pictures as textures: a texture's buffer holds its width and height, then its texels.
namespace vyre::cli {

/// The texels of a buffer that stands for a texture; nothing for other buffers.
struct Texels {
  LayoutId layout = {};      ///< of one texel
  std::uint64_t offset = 0;  ///< of the first one
  std::uint32_t stride = 0;
  std::string format;  ///< "rgba8unorm"; "f32", "i32", "u32" of sampled textures
};
std::optional<Texels> texels_of(const Program& program, const BufferDecl& buffer);

/// The height and the width that a texture's bytes say; empty for other buffers, and where there
/// are no bytes.
std::vector<std::uint64_t> texture_rows(const Program& program,
                                        const BufferDecl& buffer,
                                        std::span<const std::byte> bytes);
/// A texture of zeros that is so large; `rows` are its height and its width.
Result<std::vector<std::byte>> make_texture(const Program& program,
                                            const BufferDecl& buffer,
                                            std::span<const std::uint64_t> rows);
/// Says whether a texture's size is that of a picture within its texels.
Status check_texture(const Program& program,
                     const BufferDecl& buffer,
                     std::span<const std::byte> bytes);

/// The bytes of a texture from a .png, or a .npy of shape (H, W) or (H, W, channels).
Result<std::vector<std::byte>> read_texture(const Program& program,
                                            const BufferDecl& buffer,
                                            const std::string& file);

/// The file of a texture's bytes, by its name: a .npy, or a .png of eight bits a channel.
Result<std::vector<std::byte>> format_texture(const Program& program,
                                              const BufferDecl& buffer,
                                              const std::string& file,
                                              std::span<const std::byte> bytes);

}  // namespace vyre::cli
