// SPDX-License-Identifier: MIT OR Apache-2.0
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "vyre/emit.h"
#include "vyre/wgsl.h"

#include "support/check_result.h"
#include "support/devices.h"

// Layouts in uniform memory: which stay there, and that each is read right.
namespace vyre::test {
namespace {

/// A type of a uniform buffer, an expression of it, and the word that the expression reads.
struct UniformCase {
  std::string name;
  std::string declarations;  ///< of `T`
  std::string read;          ///< an f32 in `u`
  std::uint32_t word;        ///< by WGSL's rules of size and alignment
  std::uint32_t words;       ///< of the whole
  bool uniform;  ///< printed as uniform memory: WGSL allows it, and no driver fails on it
};

const std::vector<UniformCase> kCases = {
    {"Matrix2x2AndScalar", "struct T { m: mat2x2f, k: f32 }", "u.k", 4, 6, true},
    {"Matrix2x2Column", "struct T { k: f32, m: mat2x2f }", "u.m[1].y", 5, 6, true},
    {"Matrix3x2", "struct T { k: f32, m: mat3x2f }", "u.m[2].x", 6, 8, true},
    {"Matrix4x2", "alias T = mat4x2f;", "u[3].y", 7, 8, true},
    {"Matrix2x3", "struct T { k: f32, m: mat2x3f, l: f32 }", "u.m[1].z", 10, 16, true},
    {"Matrix4x4", "struct T { k: f32, m: mat4x4f }", "u.m[3].w", 19, 20, true},
    {"ArrayOfMatrix2x2", "alias T = array<mat2x2f, 3>;", "u[2][1].x", 10, 12, true},
    {"ArrayOfMatrix3x2", "alias T = array<mat3x2f, 3>;", "u[1][2].y", 11, 18, false},
    {"StructInStruct",
     "struct S { v: vec2f } struct T { a: f32, @align(16) s: S, @align(16) b: f32 }", "u.s.v.y", 5,
     12, true},
    {"Matrix3x3InStruct", "struct S { m: mat3x3f } struct T { a: f32, s: S, b: f32 }", "u.b", 16,
     20, true},
    {"Matrix2x2InStruct",
     "struct S { m: mat2x2f } struct T { a: f32, @align(16) s: S, @align(16) b: f32 }",
     "u.s.m[1].x", 6, 12, false},
    {"Matrix4x2InArrayOfStructs", "struct S { m: mat4x2f } alias T = array<S, 2>;", "u[1].m[3].y",
     15, 16, false},
    {"ArrayOfMatricesInStruct", "struct T { a: vec4f, m: array<mat4x2f, 2> }", "u.m[1][0].x", 12,
     20, true},
    {"StructNotAligned", "struct S { a: f32 } struct T { a: f32, s: S }", "u.s.a", 1, 2, false},
    {"ArrayOfVectors", "alias T = array<vec4f, 3>;", "u[2].w", 11, 12, true},
    {"ArrayOfScalars", "alias T = array<f32, 5>;", "u[4]", 4, 5, false},
    {"Vector3AndScalar", "struct T { v: vec3f, k: f32 }", "u.k", 3, 4, true},
};

ValidProgram program_of(const UniformCase& c) {
  return *parse_wgsl("requires uniform_buffer_standard_layout;\n" + c.declarations +
                     "\n@group(0) @binding(0) var<uniform> u: T;"
                     "\n@group(0) @binding(1) var<storage, read_write> out: array<f32, 1>;"
                     "\n@compute @workgroup_size(1) fn main() { out[0] = " +
                     c.read + "; }");
}

TEST(UniformLayouts, StayUniformWhereTheyCan) {
  for (const UniformCase& c : kCases) {
    const auto text = emit(program_of(c), "wgsl");
    ASSERT_OK(text);
    EXPECT_EQ(text->find("var<uniform> u:") != std::string::npos, c.uniform) << c.name << *text;
  }
}

class Uniforms : public DeviceTest {};

TEST_P(Uniforms, AreReadAtTheirPlaces) {
  for (const UniformCase& c : kCases) {
    std::vector<float> words(c.words);
    for (std::uint32_t i = 0; i < c.words; ++i)
      words[i] = static_cast<float>(100 + i);
    const auto outputs = device().dispatch(program_of(c), {{"u", std::as_bytes(std::span(words))}});
    ASSERT_TRUE(outputs) << c.name << ": " << outputs.error().to_string();
    float got = 0;
    ASSERT_OK(outputs->copy_to("out", std::as_writable_bytes(std::span(&got, 1))));
    EXPECT_EQ(got, static_cast<float>(100 + c.word)) << c.name;
  }
}

INSTANTIATE_ON_DEVICES(Uniforms);

}  // namespace
}  // namespace vyre::test
