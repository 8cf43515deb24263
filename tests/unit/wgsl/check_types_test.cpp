// SPDX-License-Identifier: MIT OR Apache-2.0
#include <string>

#include <gtest/gtest.h>

#include "unit/wgsl/faults_of.h"

namespace vyre::wgsl {
namespace {

TEST(CheckTypes, TakesHalfFloatsWhereTheyAreEnabled) {
  EXPECT_EQ(faults("fn f() { var x: f16; }"), Lines{"1 invalid-type"});
  EXPECT_EQ(faults("fn f() { let x = 1h; }"), Lines{"1 invalid-type"});
  EXPECT_EQ(faults("fn f() { var x: mat2x2h; }"), Lines{"1 invalid-type"});
  for (const char* good :
       {"let x: f16 = 1; let y = x * 2h + vec2h(1, 2).y;", "const_assert 1h / 3h == 0.33325h;",
        "const_assert f16(0.1) == 0.1h && f32(0.1h) == 0.0999755859375;",
        "const_assert 65504h + 1h == 65504h;", "const_assert f16(1.00048828125) == 1h;",
        "const_assert f16(1.000488281250000001) == 1h;", "const_assert f16(1.0004883) != 1h;",
        "const_assert bitcast<u32>(vec2h(1, -2)) == 0xc0003c00;",
        "const_assert bitcast<vec2h>(0x3c00c000).y == 1h;",
        "const_assert frexp(6h).fract == 0.75h && frexp(6h).exp == 3;",
        "const_assert ldexp(3h, -2) == 0.75h;", "const_assert i32(-2.5h) == -2;",
        "const_assert determinant(mat2x2h(1, 2, 3, 4)) == -2h;",
        "var m: mat3x2h; m *= 2h; let v: vec2h = m * vec3h();"})
    EXPECT_EQ(faults(std::string("enable f16; fn f() { ") + good + " }"), Lines{}) << good;
  for (const char* bad :
       {"let x: f16 = 1f;", "let x = 1h + 1f;", "let x: f32 = 1h;", "let x = 65504h * 2h;",
        "let x = f16(65520);", "let x: f16 = 1e6;", "let x = f16(1e6f);", "let x = 1h / 0h;",
        "let x = bitcast<f32>(1h);", "let x = bitcast<vec2h>(vec2u());", "let x = ldexp(1h, 17);"})
    EXPECT_NE(faults(std::string("enable f16; fn f() { ") + bad + " }"), Lines{}) << bad;
}

TEST(CheckTypes, KnowsTheShapesOfMatrices) {
  const std::string given = "let a = mat2x3f(); let b = mat3x2f(); var m = mat2x2f(); ";
  for (const char* good :
       {"let x: mat3x3f = a * b;", "let x: mat2x2f = b * a;", "let x: vec3f = a * vec2f();",
        "let x: vec2f = vec3f() * a;", "let x: mat2x3f = a + a - a;", "let x: mat2x3f = 2 * a * 3;",
        "m *= m; m *= 2; m += m; var v = vec2f(); v *= m;", "m[1] = vec2f(); m[0][1] = 1;",
        "m[0].x = m[1].y; let p = &m[1]; *p = vec2f(1);", "let x: mat3x2f = transpose(a);",
        "let x: f32 = determinant(m);", "let x: mat2x2f = mat2x2(1, 2, 3, 4);",
        "let x = mat2x2(vec2f(), vec2(1, 2)); m = x;", "m = mat2x2f(mat2x2(1, 2, 3, 4));",
        "const c = mat2x2(1, 2, 3, 4) * vec2(1, 2); const_assert c.x == 7 && c.y == 10;",
        "const_assert determinant(mat2x2(1, 2, 3, 4)) == -2;",
        "const_assert transpose(mat2x3(1, 2, 3, 4, 5, 6))[2][1] == 6;",
        "const_assert mat3x3(2, 0, 0, 0, 3, 0, 0, 0, 4)[1].y == 3;",
        "const_assert determinant(mat4x4(2, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0)) == -6;"})
    EXPECT_EQ(code_of(given + good), "none") << good;
  for (const char* bad :
       {"let x = a * a;", "let x = a + b;", "let x = a * vec3f();", "let x = vec2f() * a;",
        "let x = a / 2;", "let x = a == a;", "let x = -a;", "let x = a * 1i;", "m *= vec2f();",
        "m *= 1u;", "let x: mat2x2f = a;", "let x = mat2x2(1i, 2i, 3i, 4i);", "m = mat2x2f(a);",
        "m = mat2x2<i32>();"})
    EXPECT_NE(code_of(given + bad), "none") << bad;
  EXPECT_EQ(code_of(given + "let x = mat2x2f(1, 2, 3);"), "invalid-call");
  EXPECT_EQ(code_of(given + "let x = mat2x2f(vec2f());"), "invalid-call");
  EXPECT_EQ(code_of(given + "let x = a[2];"), "index-out-of-bounds");
  EXPECT_EQ(code_of(given + "let x = a[1][3];"), "index-out-of-bounds");
  EXPECT_EQ(code_of(given + "let x = determinant(a);"), "no-overload");
  EXPECT_EQ(code_of(given + "let x = transpose(vec2f());"), "no-overload");
  EXPECT_EQ(code_of("const x = mat2x2f(3e38, 0, 0, 1) * mat2x2f(2, 0, 0, 1);"),
            "value-out-of-range");
}

TEST(CheckTypes, TakesSubgroupOperationsInBothDialects) {
  for (const char* enable : {"", "enable subgroups; "}) {
    for (const char* good :
         {"let x: u32 = subgroupAdd(1u);", "let x: vec3f = subgroupMul(vec3f());",
          "let x: i32 = subgroupExclusiveAdd(1);", "let x: f32 = subgroupMax(1.5);",
          "let x: vec4u = subgroupBallot(true);", "let x: bool = subgroupElect();",
          "let x: bool = subgroupAll(true) || subgroupAny(false);",
          "let x: u32 = subgroupBroadcast(7u, 3);",
          "let x: vec2i = subgroupBroadcastFirst(vec2i());",
          "let x: f32 = subgroupShuffle(1f, 2u) + subgroupShuffleXor(1f, 1u);",
          "let x: f32 = subgroupShuffleUp(1f, 2u) + subgroupShuffleDown(1f, 1);",
          "let x: u32 = subgroupAnd(1u) | subgroupOr(2u) | subgroupXor(3u);",
          "let x: f32 = quadBroadcast(1f, 2u) + quadSwapX(1f) + quadSwapY(1f);",
          "let x: vec2u = quadSwapDiagonal(vec2u());"})
      EXPECT_EQ(faults(std::string(enable) + "fn f() { " + good + " }"), Lines{}) << good;
  }
  for (const char* bad :
       {"let x = subgroupAdd(true);", "let x = subgroupAnd(1f);", "let x = subgroupBallot(1u);",
        "let x = subgroupElect(1);", "let x = subgroupAll(vec2(true));", "let x = subgroupAdd();",
        "let x = subgroupShuffle(1f);", "let x = subgroupShuffleXor(1f, 1i);",
        "let x = subgroupShuffle(1f, 128u);", "let x = quadBroadcast(1f, 4u);",
        "var i = 1u; let x = subgroupBroadcast(1f, i);", "subgroupAdd(1u);",
        "let x = subgroupAdd(mat2x2f());"})
    EXPECT_NE(faults(std::string("fn f() { ") + bad + " }"), Lines{}) << bad;
}

TEST(CheckTypes, KeepsStagesApart) {
  const CheckOptions everything = {.everything = true};
  const std::string given =
      "var<workgroup> w: u32; fn b() { workgroupBarrier(); }\n"
      "@group(0) @binding(0) var<storage, read_write> a: atomic<u32>;\n";
  for (const char* good :
       {"@compute @workgroup_size(1) fn f() { b(); w = 1; atomicAdd(&a, 1); }",
        "@fragment fn f() { discard; }", "@fragment fn f() { atomicAdd(&a, 1); }"})
    EXPECT_EQ(faults_of(given + good, everything), Lines{}) << good;
  for (const char* bad :
       {"@fragment fn f() { b(); }", "@fragment fn f() { w = 1; }",
        "@vertex fn f() -> @builtin(position) vec4f { atomicAdd(&a, 1); return vec4f(); }",
        "@compute @workgroup_size(1) fn f() { g(); } fn g() { discard; }",
        "@compute @fragment @workgroup_size(1) fn f() { }", "@workgroup_size(1) fn f() { }"})
    EXPECT_EQ(faults_of(given + bad, everything), Lines{"3 invalid-attribute"}) << bad;
}

TEST(CheckTypes, GivesARuleOneSeverity) {
  const std::string twice =
      "@diagnostic(off, derivative_uniformity) @diagnostic(off, derivative_uniformity) ";
  EXPECT_EQ(faults("fn f() { " + twice + "if true { } }"), Lines{"1 invalid-attribute"});
  EXPECT_EQ(faults(twice + "fn f() { }"), Lines{"1 invalid-attribute"});
  EXPECT_EQ(faults("fn f() { while true " + twice + "{ break; } }"), Lines{"1 invalid-attribute"});
  EXPECT_EQ(faults("diagnostic(off, x.y); fn f() { @diagnostic(off, a.b) if true { } }"), Lines{});
}

TEST(CheckTypes, TakesNoPointerForAValue) {
  const std::string given =
      "@group(0) @binding(0) var t: texture_2d<f32>;\n"
      "fn f() { var x = 1f; var m = mat2x2f(); var v = vec3f(); var i = 1u; var b = true; "
      "var at = vec2u(); let y = ";
  for (const char* bad : {"abs(&x)",
                          "&x + 1",
                          "1 + &x",
                          "-(&x)",
                          "vec2f(&x)",
                          "f32(&x)",
                          "mat2x2f(&m)",
                          "mat2x2(&m)",
                          "transpose(&m)",
                          "determinant(&m)",
                          "subgroupAdd(&x)",
                          "&m * 2",
                          "m * &m",
                          "vec3f(&v)",
                          "vec3(&v)",
                          "bitcast<u32>(&x)",
                          "array(&x)",
                          "array<f32, 1>(&x)",
                          "select(1f, &x, true)",
                          "select(1f, 2f, &b)",
                          "v[&i]",
                          "&x == 1",
                          "v[0] < &x",
                          "1u << &i",
                          "&i << 1u",
                          "&i & 1",
                          "subgroupShuffle(x, &i)",
                          "textureLoad(t, &at, 0)",
                          "textureLoad(t, at, &i)",
                          "!(&b)",
                          "&b && true",
                          "true || &b",
                          "dot(&v, v)",
                          "ldexp(x, &i)",
                          "pack4xU8(&at)"})
    EXPECT_NE(faults(given + bad + "; }"), Lines{}) << bad;
  EXPECT_NE(faults("fn f() { var i = 1u; switch (&i) { default { } } }"), Lines{});
  EXPECT_NE(faults("fn f() { var i = 1u; var j = 1u; j += &i; }"), Lines{});
  EXPECT_NE(faults("fn f() { var i = 1u; var j = &i; }"), Lines{});
  EXPECT_NE(faults("fn f() { var i = 1u; let j: u32 = &i; }"), Lines{});
  EXPECT_EQ(faults("fn f() { var i = 1u; let j = &i; let k: ptr<function, u32> = j; _ = &i; }"),
            Lines{});
}

TEST(CheckTypes, TakesTexturesOfTwoDimensions) {
  const std::string given =
      "@group(0) @binding(0) var t: texture_2d<u32>;\n"
      "@group(0) @binding(1) var w: texture_storage_2d<rgba8unorm, write>;\n"
      "@group(0) @binding(2) var r: texture_storage_2d<r32float, read_write>;\n"
      "fn g(t: texture_2d<u32>) -> vec4u { return textureLoad(t, vec2(0, 1), 0); }\n";
  for (const char* good :
       {"let x: vec4u = textureLoad(t, vec2i(), 0u);", "let x: vec2u = textureDimensions(w);",
        "let x: vec2u = textureDimensions(t, 0);", "textureStore(w, vec2u(), vec4f());",
        "textureStore(r, vec2i(1, 2), vec4f(1)); textureBarrier();", "let x = g(t).x;",
        "let x: vec4f = textureLoad(r, vec2u());", "let x: u32 = textureNumLevels(t);", "_ = t;",
        "let s = t; let x = g(s).x;", "let s: texture_2d<u32> = t; _ = textureDimensions(s);"})
    EXPECT_EQ(faults(given + "fn f() { " + good + " }"), Lines{}) << good;
  for (const char* bad :
       {"let x = textureLoad(w, vec2u());", "textureStore(t, vec2u(), vec4u());",
        "let x = textureLoad(t, vec2f(), 0);", "let x = textureLoad(t, vec3u(), 0);",
        "let x = textureLoad(t, vec2u());", "textureStore(w, vec2u(), vec4u());",
        "let x = textureLoad(t, vec2u(), 1.0);", "var x = t;", "let x: texture_2d<f32> = t;",
        "t = t;", "let x = g(w);", "textureDimensions(t);",
        "let x = textureSample(t, 1, vec2f());"})
    EXPECT_NE(faults(given + "fn f() { " + bad + " }"), Lines{}) << bad;
  for (const char* bad :
       {"var t: texture_2d<f32>;", "@group(0) @binding(0) var t: texture_2d<bool>;",
        "@group(0) @binding(0) var t: texture_storage_2d<rgba8unorm, read_write>;",
        "@group(0) @binding(0) var t: texture_storage_2d<rgb8, write>;",
        "@group(0) @binding(0) var<storage> t: texture_2d<f32>;",
        "var<private> t: texture_2d<f32>;"})
    EXPECT_NE(faults(std::string(bad) + " fn f() { _ = textureDimensions(t); }"), Lines{}) << bad;
}

}  // namespace
}  // namespace vyre::wgsl
