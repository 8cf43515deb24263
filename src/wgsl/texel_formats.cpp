// SPDX-License-Identifier: MIT OR Apache-2.0
#include "wgsl/texel_formats.h"

namespace vyre::wgsl {
namespace {

constexpr TexelFormat kFormats[] = {
    {"f32", kF32, 4, Packing::none},
    {"i32", kI32, 4, Packing::none},
    {"u32", kU32, 4, Packing::none},
    {"rgba8unorm", kF32, 4, Packing::unorm8},
    {"bgra8unorm", kF32, 4, Packing::bgra8},
    {"rgba8snorm", kF32, 4, Packing::snorm8},
    {"rgba8uint", kU32, 4, Packing::uint8},
    {"rgba8sint", kI32, 4, Packing::sint8},
    {"rgba16uint", kU32, 4, Packing::uint16},
    {"rgba16sint", kI32, 4, Packing::sint16},
    {"rgba16float", kF32, 4, Packing::float16},
    {"r32uint", kU32, 1, Packing::none},
    {"r32sint", kI32, 1, Packing::none},
    {"r32float", kF32, 1, Packing::none},
    {"rg32uint", kU32, 2, Packing::none},
    {"rg32sint", kI32, 2, Packing::none},
    {"rg32float", kF32, 2, Packing::none},
    {"rgba32uint", kU32, 4, Packing::none},
    {"rgba32sint", kI32, 4, Packing::none},
    {"rgba32float", kF32, 4, Packing::none},
};

}  // namespace

std::span<const TexelFormat> texel_formats() {
  return kFormats;
}

std::uint32_t texel_words(const TexelFormat& format) {
  switch (format.packing) {
    case Packing::none: return format.channels;
    case Packing::unorm8:
    case Packing::bgra8:
    case Packing::snorm8:
    case Packing::uint8:
    case Packing::sint8: return 1;
    case Packing::uint16:
    case Packing::sint16:
    case Packing::float16: return 2;
  }
  return 0;
}

}  // namespace vyre::wgsl
