// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "wgsl/types.h"

/// How the texels of a texture lie in its buffer.
///
/// A texture is a structure of its size, `size: vec2<u32>` as width and height, and of its texels,
/// row by row.  Formats of 8 and 16 bits a channel are packed in words, red lowest.
namespace vyre::wgsl {

enum class Packing : std::uint8_t {
  none,  ///< channels as they are
  unorm8,
  bgra8,
  snorm8,
  uint8,
  sint8,
  uint16,
  sint16,
  float16,
};

struct TexelFormat {
  std::string_view name;
  TypeId scalar;           ///< of a channel in the kernel
  std::uint32_t channels;  ///< 1, 2 or 4
  Packing packing;
};

/// The first three are those of `texture_2d<f32>`, `<i32>` and `<u32>`.
std::span<const TexelFormat> texel_formats();

/// Words of a texel.
std::uint32_t texel_words(const TexelFormat& format);

}  // namespace vyre::wgsl
