// SPDX-License-Identifier: MIT OR Apache-2.0
#include "wgsl/predeclared.h"

namespace vyre::wgsl {
namespace {

using Kind = PredeclareKind;

constexpr Predeclare kNames[] = {
    {"bool", Kind::scalar, kBool},
    {"i32", Kind::scalar, kI32},
    {"u32", Kind::scalar, kU32},
    {"f32", Kind::scalar, kF32},
    {"f16", Kind::scalar, kF16},
    {"i64", Kind::scalar, kI64},
    {"u64", Kind::scalar, kU64},
    {"vec2", Kind::vector, kFault, 2},
    {"vec3", Kind::vector, kFault, 3},
    {"vec4", Kind::vector, kFault, 4},
    {"vec2i", Kind::vector, kI32, 2},
    {"vec3i", Kind::vector, kI32, 3},
    {"vec4i", Kind::vector, kI32, 4},
    {"vec2u", Kind::vector, kU32, 2},
    {"vec3u", Kind::vector, kU32, 3},
    {"vec4u", Kind::vector, kU32, 4},
    {"vec2f", Kind::vector, kF32, 2},
    {"vec3f", Kind::vector, kF32, 3},
    {"vec4f", Kind::vector, kF32, 4},
    {"vec2h", Kind::vector, kF16, 2},
    {"vec3h", Kind::vector, kF16, 3},
    {"vec4h", Kind::vector, kF16, 4},
    {"array", Kind::array},
    {"atomic", Kind::atomic},
    {"ptr", Kind::pointer},
    {"bitcast", Kind::bitcast},
#define MATRIX(c, r)                                                        \
  {"mat" #c "x" #r, Kind::matrix, kFault, c, r}, /* of any floating type */ \
      {"mat" #c "x" #r "f", Kind::matrix, kF32, c, r},                      \
      {"mat" #c "x" #r "h", Kind::matrix, kF16, c, r},
    MATRIX(2, 2) MATRIX(2, 3) MATRIX(2, 4) MATRIX(3, 2) MATRIX(3, 3) MATRIX(3, 4) MATRIX(4, 2)
        MATRIX(4, 3) MATRIX(4, 4)
#undef MATRIX
            {"sampler", Kind::unsupported},
    {"sampler_comparison", Kind::unsupported},
    {"texture_1d", Kind::unsupported},
    {"texture_2d", Kind::sampled_texture},
    {"texture_2d_array", Kind::unsupported},
    {"texture_3d", Kind::unsupported},
    {"texture_cube", Kind::unsupported},
    {"texture_cube_array", Kind::unsupported},
    {"texture_multisampled_2d", Kind::unsupported},
    {"texture_depth_2d", Kind::unsupported},
    {"texture_depth_2d_array", Kind::unsupported},
    {"texture_depth_cube", Kind::unsupported},
    {"texture_depth_cube_array", Kind::unsupported},
    {"texture_depth_multisampled_2d", Kind::unsupported},
    {"texture_external", Kind::unsupported},
    {"texture_storage_1d", Kind::unsupported},
    {"texture_storage_2d", Kind::storage_texture},
    {"texture_storage_2d_array", Kind::unsupported},
    {"texture_storage_3d", Kind::unsupported},
    {"function", Kind::enumerant},
    {"private", Kind::enumerant},
    {"workgroup", Kind::enumerant},
    {"uniform", Kind::enumerant},
    {"storage", Kind::enumerant},
    {"read", Kind::enumerant},
    {"write", Kind::enumerant},
    {"read_write", Kind::enumerant},
};

}  // namespace

std::span<const Predeclare> predeclared_names() {
  return kNames;
}

}  // namespace vyre::wgsl
