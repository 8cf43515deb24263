// SPDX-License-Identifier: MIT OR Apache-2.0
#include "wgsl/check.h"

#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "unit/wgsl/faults_of.h"

namespace vyre::wgsl {
namespace {

TEST(Check, EvaluatesConstantExpressions) {
  for (const char* claim : {"7 / 2 == 3",
                            "-7 / 2 == -3",
                            "-7 % 3 == -1",
                            "7.5 % 2.0 == 1.5",
                            "-7.5 % 2.0 == -1.5",
                            "1 + 2.5 == 3.5",
                            "0x1ffffffff / 8 == 0x3fffffff",
                            "-2147483648 == i32(-2147483648)",
                            "2147483647i + 1i == i32(-2147483648)",
                            "4294967295u + 1u == 0u",
                            "0u - 1u == 4294967295u",
                            "2147483647i * 2i == -2i",
                            "1 << 40u == 1099511627776",
                            "1u << 31u == 2147483648u",
                            "-1 >> 1u == -1",
                            "(0xf0 & 0x3c) == 0x30",
                            "(5 | 10) == 15",
                            "(6 ^ 3) == 5",
                            "~0 == -1",
                            "~0u == 4294967295u",
                            "!false",
                            "3 < 4 && 4 <= 4 && 5 > 4 && 5 >= 5 && 1 != 2",
                            "f32(3) == 3.0f",
                            "i32(3.9) == 3",
                            "i32(-3.9) == -3",
                            "u32(-1.0f) == 0u",
                            "u32(1e20f) == 4294967040u",
                            "u32(-1i) == 4294967295u",
                            "bool(2)",
                            "!bool(0.0)",
                            "u32(true) == 1u",
                            "f32(true) == 1.0",
                            "i32(4294967295u) == -1i",
                            "u32(4 * 1000 * 1000 * 1000) == 4000000000u",
                            "all(vec3(1, 2, 3) == vec3(1, 2, 3))",
                            "vec3(1, 2, 3).zx.y == 1",
                            "vec4(vec2(1, 2), 3, 4).w == 4",
                            "vec2(5).y == 5",
                            "vec3<f32>(vec3<i32>(1, 2, 3)).z == 3.0",
                            "array(1, 2, 3)[1] == 2",
                            "array<vec2u, 2>(vec2u(1, 2), vec2u(3, 4))[1].x == 3u",
                            "array<u32, 3>()[2] == 0u",
                            "3--7 == 10 && 2*3--1 == 7",
                            "all(refract(vec2(1.7e308), vec2(0.0), -8.9e102) == vec2(0.0))",
                            "vec3().z == 0",
                            "vec3<bool>(true, false, true).x",
                            "(vec2(1, 2) * 3).y == 6",
                            "(10 - vec2(1, 2)).x == 9",
                            "abs(-5) == 5",
                            "abs(-5.5) == 5.5",
                            "min(3, 2.5) == 2.5",
                            "max(3u, 7) == 7u",
                            "clamp(9, 1, 5) == 5",
                            "sign(-3) == -1",
                            "floor(-1.5) == -2.0",
                            "ceil(1.2) == 2.0",
                            "trunc(-1.7) == -1.0",
                            "round(2.5) == 2.0",
                            "round(3.5) == 4.0",
                            "fract(1.25) == 0.25",
                            "sqrt(16) == 4.0",
                            "sqrt(16.0f) == 4.0f",
                            "step(1.0, 2.0) == 1.0",
                            "mix(2.0, 4.0, 0.5) == 3.0",
                            "all(mix(vec2(0.0), vec2(2.0), 0.5) == vec2(1.0))",
                            "smoothstep(0.0, 2.0, 1.0) == 0.5",
                            "saturate(1.5) == 1.0",
                            "fma(2.0, 3.0, 4.0) == 10.0",
                            "dot(vec3(1, 2, 3), vec3(4, 5, 6)) == 32",
                            "cross(vec3(1.0, 0, 0), vec3(0, 1.0, 0)).z == 1",
                            "length(vec2(3.0, 4.0)) == 5.0",
                            "length(-2.0) == 2.0",
                            "distance(1.0, 4.0) == 3.0",
                            "normalize(vec2(0.0, 2.0)).y == 1.0",
                            "reflect(vec2(1.0, -1.0), vec2(0.0, 1.0)).y == 1.0",
                            "faceForward(vec2(1.0), vec2(1.0), vec2(1.0)).x == -1.0",
                            "select(1, 2, true) == 2",
                            "select(vec2(1, 2), vec2(3, 4), vec2(true, false)).y == 2",
                            "any(vec2(false, true))",
                            "all(true)",
                            "countOneBits(255) == 8",
                            "countLeadingZeros(1u) == 31u",
                            "countTrailingZeros(8u) == 3u",
                            "firstLeadingBit(0u) == 0xffffffffu",
                            "firstLeadingBit(-1) == -1",
                            "firstTrailingBit(12u) == 2u",
                            "reverseBits(1u) == 0x80000000u",
                            "extractBits(0xabcdu, 4, 8) == 0xbcu",
                            "extractBits(-1i, 3, 4) == -1i",
                            "insertBits(0u, 0xffu, 8u, 4u) == 0xf00u",
                            "insertBits(5u, 9u, 0u, 32u) == 9u",
                            "ldexp(1.5, 3) == 12.0",
                            "degrees(0.0) == 0.0",
                            "modf(2.75).whole == 2.0",
                            "modf(-2.75).fract == -0.75",
                            "frexp(8.0).fract == 0.5",
                            "frexp(8.0).exp == 4",
                            "frexp(8.0f).exp == 4i",
                            "frexp(vec2(3.0f, -0.5f)).fract.x == 0.75f",
                            "bitcast<u32>(1.0f) == 0x3f800000u",
                            "bitcast<f32>(0x40000000) == 2.0",
                            "bitcast<u32>(4294967295) == 4294967295u",
                            "bitcast<u32>(-1) == 4294967295u",
                            "bitcast<u32>(-2147483648) == 2147483648u",
                            "bitcast<u32>(2 - 7) == 4294967291u",
                            "bitcast<vec2u>(vec2(-1, 4294967295)).x == 4294967295u",
                            "bitcast<vec3<u32>>(vec3(3, -3, 0)).y == 4294967293u",
                            "bitcast<i32>(-1) == -1",
                            "bitcast<f32>(-1073741824) == -2.0",
                            "--1 == 1 && ---1 == -1 && 3---1 == 2 && 2*--3 == 6",
                            "bitcast<i32>(4294967295u) == -1",
                            "pack4x8unorm(vec4(1.0, 0.0, 0.0, 1.0)) == 0xff0000ffu",
                            "pack4x8snorm(vec4(-1.0, 1.0, 0.0, 0.0)) == 0x7f81u",
                            "pack2x16unorm(vec2(1.0, 0.0)) == 0xffffu",
                            "pack2x16float(vec2(1.0, -2.0)) == 0xc0003c00u",
                            "unpack2x16float(0xc0003c00).y == -2.0",
                            "unpack4x8unorm(0xff).x == 1.0",
                            "unpack4x8snorm(0x81).x == -1.0",
                            "quantizeToF16(1.0009765625f) == 1.0009765625f",
                            "dot4U8Packed(0x01020304, 0x01010101) == 10u",
                            "dot4I8Packed(0xff, 0x02) == -2",
                            "pack4xU8(vec4(1u, 2u, 3u, 4u)) == 0x04030201u",
                            "unpack4xI8(0xff).x == -1",
                            "pack4xI8Clamp(vec4(200, -200, 0, 0)) == 0x807fu",
                            "unpack4xU8(0x0201).y == 2u",
                            "acos(1.0) == 0.0",
                            "exp(0.0) == 1.0",
                            "log2(8.0f) == 3.0f",
                            "pow(2.0, 3.0) == 8.0",
                            "!(false && (1 / 0 == 1))",
                            "true || i32(5000000000) == 1",
                            "atan2(0.0, 1.0) == 0.0",
                            "abs(asinh(-1e200) + 461.2101657793691) < 1e-9",
                            "cosh(710.0) > 1.1e308",
                            "abs(sin(1e22) + 0.8522008497671888) < 1e-12",
                            "abs(exp(100.0) / 2.6881171418161356e43 - 1) < 1e-12",
                            "0x1p-2 == 0.25",
                            "1e2 == 100",
                            "S(1, vec3f(2), array(1, 2, 3, 4)).b.y == 2.0"}) {
    EXPECT_EQ(code_of("const_assert " + std::string(claim) + ";"), "none") << claim;
  }
}

TEST(Check, TellsFalseAssertions) {
  EXPECT_EQ(code_of("const_assert 1 > 2;"), "assertion-failed");
  EXPECT_EQ(code_of("const_assert 1;"), "type-mismatch");
  EXPECT_EQ(code_of("var x = 1; const_assert x == 1;"), "not-constant");
  EXPECT_EQ(faults("const_assert false; fn f() { }"), Lines{"1 assertion-failed"});
}

TEST(Check, TellsConstantsThatOverflow) {
  for (const char* body : {"let x: i32 = 2147483648;",
                           "let x: u32 = -1;",
                           "let x: f32 = 1e39;",
                           "let x = 9223372036854775807 + 1;",
                           "let x = (1 - 2) + 1u;",
                           "let x = -9223372036854775807 - 2;",
                           "let x = 0x1ffffffff / 8u;",
                           "let x = 3e38f * 10.0f;",
                           "let x = 1e300 * 1e300;",
                           "let x = sqrt(-1.0);",
                           "let x = log(0.0);",
                           "let x = 1.0 / 0.0;",
                           "let x = 0.0f / 0.0f;",
                           "let x = i32(5000000000);",
                           "let x = u32(-1);",
                           "let x = 3u << 31u;",
                           "let x = 1i << 31u;",
                           "let x = 1 << 63u;",
                           "let x = bitcast<f32>(0x7f800000);",
                           "let x = clamp(1, 3, 2);",
                           "var y = 1; let x = clamp(y, 3, 2);",
                           "let x = extractBits(1u, 30, 4);",
                           "let x = quantizeToF16(1e6);",
                           "let x = i32(-2147483648) / -1i;",
                           "let x = pow(10.0f, 40.0f);",
                           "let x = normalize(vec2(0.0));",
                           "let x = vec2<i32>(3000000000, 1);",
                           "let x = exp(100.0f);"})
    EXPECT_EQ(code_of(body), "value-out-of-range") << body;
  EXPECT_EQ(code_of("let x = 1u << 31u;"), "none");
}

TEST(Check, TellsDivisionsByZeroAndWideShifts) {
  for (const char* body : {"let x = 1 / 0;", "let x = 1u % 0u;", "var y = 1; let x = y / 0;",
                           "var y = vec2(1, 2); let x = y % vec2(1, 0);", "var y = 1u; y /= 0u;"})
    EXPECT_EQ(code_of(body), "division-by-zero") << body;
  for (const char* body :
       {"let x = 1u << 32u;", "var y = 1; let x = y >> 33u;", "var y = 1u; y <<= 32u;",
        "var y = vec2u(); let x = y << vec2(1u, 40u);"})
    EXPECT_EQ(code_of(body), "shift-out-of-range") << body;
  EXPECT_EQ(code_of("let z = 0; let x = 1 / z;"), "none");
  EXPECT_EQ(code_of("var y = 1.0; let x = y / 0.0;"), "none");
}

TEST(Check, TellsIndicesOutOfBounds) {
  for (const char* body :
       {"let x = ro[8];", "let x = ro[-1];", "let x = data[-1];", "let x = vec2(1, 2)[2];",
        "var v = vec3f(); v[3] = 1.0;", "let x = array(1, 2)[2];", "let x = S().c[4];"})
    EXPECT_EQ(code_of(body), "index-out-of-bounds") << body;
  EXPECT_EQ(code_of("let x = data[100000];"), "none");
}

TEST(Check, TypesOperators) {
  for (const char* body : {"let x = 1u + 1i;",
                           "let x = 1u + 1.0;",
                           "let x = true + true;",
                           "let x = 1.0 & 2.0;",
                           "let x = vec2(1.0) + vec3(1.0);",
                           "let x = 1u && true;",
                           "let x = !1;",
                           "let x = -1u;",
                           "let x = ~1.0;",
                           "let x = 1u == 1i;",
                           "let x = true < false;",
                           "let x = 1 << 1i;",
                           "var i = 1i; let x = 1u << i;",
                           "let x = vec2(1) << 1u;",
                           "let x = 1 << vec2(1u);",
                           "let x = vec2(true) && vec2(true);",
                           "let x = true ^ false;",
                           "let x = data + 1;",
                           "let x = vec2(1, 2) == 1;",
                           "var i = 1; i += 1u;",
                           "var b = true; b += true;",
                           "var v = vec2f(); v += vec3f();",
                           "var f = 1.0; f++;",
                           "var f = 1.0; f <<= 1u;",
                           "let x = ro + 1.0;",
                           "let x = two;",
                           "let x = u32;",
                           "let x = &1;",
                           "let x = *1;",
                           "var v = vec2f(); let p = &v.x;",
                           "if 1 { }",
                           "while 1u { }",
                           "switch 1.0 { default { } }",
                           "let x: u32 = 1i;",
                           "let x: i32 = 1.5;",
                           "let x: bool = 1;",
                           "var x: f32 = true;",
                           "let x = data;",
                           "let x = count;",
                           "let x = S().a.b;",
                           "let x = 1[0];",
                           "let x = ro[1.0];",
                           "let x = u32(vec2(1));"})
    EXPECT_EQ(code_of(body), "type-mismatch") << body;
  for (const char* body : {"let x = true & false | true;"})
    EXPECT_EQ(code_of(body), "syntax-error") << body;
  for (const char* body : {"let x = (true & false) | true;", "let x = vec2(true) & vec2(false);",
                           "let x = 2.0 * vec3f(1);", "var i = 1u; let x = 1 << i;",
                           "let x = vec2(1, 2) << vec2(1, 2);", "let x = true != false;",
                           "var v = vec2f(); v *= 2.0; v += 1; v /= vec2f(2);",
                           "let x = 1 + 1u + 1;", "let x = ro[0] + 1;", "let x = min(ro[0], 1);",
                           "var i = 3; i <<= 2; i >>= 1u; i |= 4; i ^= 1;",
                           "let x: vec2f = vec2(1, 2);", "let x: array<f32, 2> = array(1, 2);"})
    EXPECT_EQ(code_of(body), "none") << body;
}

TEST(Check, TypesCalls) {
  for (const char* body :
       {"let x = max(1u, 1i);", "let x = sqrt(1u);", "let x = abs(true);", "let x = dot(1.0, 2.0);",
        "let x = cross(vec2f(), vec2f());", "let x = countOneBits(1.0);",
        "let x = select(1, 2u, 3);", "let x = all(1);", "let x = clamp(1, 2);", "let x = sin();",
        "let x = arrayLength(&ro);", "atomicAdd(&data[0], 1u);", "atomicAdd(&count, 1i);",
        "let x = sign(1u);", "let x = ldexp(1.0, 2.0);", "let x = bitcast<f32>(true);",
        "let x = bitcast<vec2f>(1u);", "let x = workgroupUniformLoad(&data[0]);",
        "let x = pack4x8unorm(vec3f());"})
    EXPECT_EQ(code_of(body), "no-overload") << body;
  for (const char* body :
       {"let x = two(1);", "let x = two(1, 2, 3);", "let x = vec2(1, 2, 3);",
        "let x = vec3f(vec2f(), vec2f());", "let x = array<u32, 2>(1);", "let x = S(1);",
        "let x = u32(1, 2);", "main();", "needed();", "u32(1);", "max(1, 2);", "ro();",
        "let x = bitcast<u32>(1, 2);", "let x = sin<f32>(1.0);", "workgroupBarrier(1);",
        "let x = array();", "let x = 1; x();"})
    EXPECT_EQ(code_of(body), "invalid-call") << body;
  for (const char* body :
       {"let x = two(1i, 2.0);", "let x = vec2<u32>(1.0, 2);",
        "let x = S(1.0, vec3f(), array<i32, 4>());", "let x = array(1, true);",
        "let x = vec2(1, true);", "let x = vec2(1u, 1i);", "let x = array<f32, 1>(1i);",
        "let x = workgroupBarrier();", "let x = two(data[0], 1u);"})
    EXPECT_EQ(code_of(body), "type-mismatch") << body;
  for (const char* body :
       {"two(1, 2);", "_ = two(1, 2);", "let x = two(data[0], ro[1]);", "atomicAdd(&count, 1);",
        "let n = arrayLength(&data);", "let x = atomicLoad(&count) + 1;",
        "let p = &data; let n = arrayLength(p);",
        "let r = atomicCompareExchangeWeak(&count, 1, 2); if r.exchanged { data[0] = r.old_value; "
        "}",
        "let x = vec4(vec2f(), 1, 2).xy;", "storageBarrier(); workgroupBarrier();"})
    EXPECT_EQ(code_of(body), "none") << body;
}

/// Each operation of its definition has a value of 16 bits.
TEST(Check, AMixOfHalvesOverflowsWithinItself) {
  const auto mixed = [](const std::string& by) {
    return faults("enable f16;\nconst_assert mix(65504h, 65504h, " + by +
                  ") == 65504h;\nfn f() {}");
  };
  EXPECT_EQ(mixed("0.5h"), Lines{});
  EXPECT_EQ(mixed("-0.0625h"), Lines{"2 value-out-of-range"});
  EXPECT_EQ(mixed("2h"), Lines{"2 value-out-of-range"});
}

TEST(Check, TellsWhatCannotBeAssigned) {
  for (const char* body :
       {"let x = 1; x = 2;", "const x = 1; x = 2;", "ro[0] = 1.0;", "data = 1;", "count = 1u;",
        "two(1, 2) = 3;", "let v = vec3f(); v.xy = vec2f();", "var v = vec3f(); v.xx = vec2f();",
        "vec3f().xy = vec2f();", "var v = vec3f(); v.xyz.xx = vec2f();",
        "var v = vec3f(); v.xxy.xy = vec2f();", "var v = vec3f(); v.xy.yy += 1;",
        "let v = vec3f(); v.xy[0] = 1;", "ro2[0].xy.x = 1;", "ro2[0].xy[1] += 1;",
        "var v = vec3i(); v.xy.x++;", "var v = vec3i(); v.xy[1]--;",
        "var a = 1; let p = &a; p = &a;", "ro[0] += 1.0;"})
    EXPECT_EQ(code_of(body), "invalid-assignment") << body;
  EXPECT_EQ(code_of("var v = vec3f(); v.x = 1; v[1] = 2; let p = &v; (*p).z = 3; p.z = 4;"),
            "none");
  EXPECT_EQ(code_of("var v = vec3f(); v.zx = vec2f(); let p = &v; p.bg *= 2; (*p).xyz += v;"),
            "none");
  for (const char* body :
       {"v.xyz.xy = vec2f();", "v.xxy.xz = vec2f();", "v.xxyy.xzw.xz *= vec2f();", "v.xy[0] = 1;",
        "v.zyx.zy[1] -= 2;", "v.xx[1] = 1;", "v.zyx.x = 4;", "var i = 1; v.xx[i] = 1;",
        "var i = 1u; v.zy.yx[i] += 1;", "(v.xyz).yx = v.xy;", "let p = &v; p.xyz.x = 1;",
        "let p = &v; (*p).xy[0] /= 2; p.yzx.yx = v.zz;", "v.bgr.rg[0] = 1;"})
    EXPECT_EQ(code_of("var v = vec3f(); " + std::string(body)), "none") << body;
  EXPECT_EQ(code_of("var v = vec3f(); v.xy[2] = 1;"), "index-out-of-bounds");
  EXPECT_EQ(code_of("var v = vec3f(); v.xy.z = 1;"), "unknown-identifier");
  EXPECT_EQ(code_of("var v = vec3f(); v.xyz.xy = vec3f();"), "type-mismatch");
  EXPECT_EQ(code_of("var v = vec3f(); v.xy[0] = 1u;"), "type-mismatch");
  EXPECT_EQ(code_of("var v = vec3f(); v.xy = vec3f();"), "type-mismatch");
  EXPECT_EQ(code_of("var v = vec3f(); v.xy = vec2i(1);"), "type-mismatch");
  EXPECT_EQ(code_of("var v = vec3f(); v.xyzw = vec4f();"), "unknown-identifier");
}

TEST(Check, TellsMisplacedControl) {
  for (const char* body :
       {"break;", "continue;", "switch 1 { case 1 { } }", "switch 1 { default { } default { } }",
        "switch 1 { case 1 { } case 1 { } default { } }", "loop { }", "for (;;) { }",
        "loop { break; continuing { return; } }", "discard;", "switch 1 { default { continue; } }",
        "loop { if true { continue; } let x = 1; continuing { let y = x; break if true; } }"})
    EXPECT_EQ(code_of(body).substr(0, 12), "invalid-flow") << body;
  EXPECT_EQ(faults("fn f() -> u32 { if true { return 1; } }"), Lines{"1 invalid-flow"});
  EXPECT_EQ(faults("fn g() -> u32 { } fn f() { _ = g(); }"), Lines{"1 invalid-flow"});
  EXPECT_EQ(faults("fn g() -> u32 { loop { return 1; } } fn f() { _ = g(); }"), Lines{});
  EXPECT_EQ(
      faults("fn g(x: u32) -> u32 { switch x { case 1 { return 1; } default { return 2; } } }\n"
             "fn f() { _ = g(1); }"),
      Lines{});
  EXPECT_EQ(faults("fn g() -> u32 { return; } fn f() { _ = g(); }"), Lines{"1 type-mismatch"});
  EXPECT_EQ(code_of("return 1;"), "type-mismatch");
  EXPECT_EQ(code_of("return; data[0] = 1;"), "none");
}

TEST(Check, ResolvesNamesInAnyOrderAndByScope) {
  EXPECT_EQ(
      faults("fn f() { var x: T = a; } alias T = array<u32, N>; const a = T(); const N = M + 1; "
             "const M = 2;"),
      Lines{});
  EXPECT_EQ(code_of("let x = 1u; { let x = f32(x); let y = x + 1.5; } let y = x + 1u;"), "none");
  EXPECT_EQ(code_of("for (var i = 0; i < 2; i++) { let i = 1.0; let j = i * 2.0; }"), "none");
  EXPECT_EQ(code_of("{ let x = 1; } let y = x;"), "unknown-identifier");
  EXPECT_EQ(code_of("let y = y;"), "unknown-identifier");
  EXPECT_EQ(code_of("let x = 1; let x = 2;"), "redeclaration");
  EXPECT_EQ(code_of("let x = nothing(1);"), "unknown-identifier");
  EXPECT_EQ(code_of("let x: nothing = 1;"), "unknown-identifier");
  EXPECT_EQ(code_of("let x = S().nothing;"), "unknown-identifier");
  EXPECT_EQ(code_of("let x = vec2f().z;"), "unknown-identifier");
  EXPECT_EQ(code_of("let x = vec2f().xr;"), "unknown-identifier");
  EXPECT_EQ(faults("fn f(a: u32) { let a = 1; } fn f2() { }"),
            (Lines{"1 redeclaration", "2 invalid-call"}));
  EXPECT_EQ(faults("const a = 1;\nconst a = 2;\nfn f() { }"), Lines{"2 redeclaration"});
  EXPECT_EQ(faults("struct S { a: u32, a: u32 } fn f() { var s: S; }"), Lines{"1 redeclaration"});
}

TEST(Check, LetsDeclarationsShadowPredeclaredNames) {
  EXPECT_EQ(faults("fn max(a: u32) -> u32 { return a; } fn f() { let x = max(1); }"), Lines{});
  EXPECT_EQ(faults("alias vec3 = u32; fn f() { let x: vec3 = 1u; }"), Lines{});
  EXPECT_EQ(code_of("let u32 = 1; let x = u32 + 1;"), "none");
  EXPECT_EQ(code_of("let min = 1; let x = min(1, 2);"), "invalid-call");
}

TEST(Check, TellsCycles) {
  EXPECT_EQ(faults("const a = b;\nconst b = a;\nfn f() { let x = a; }"),
            Lines{"1 cyclic-declaration"});
  EXPECT_EQ(faults("struct S { s: S } fn f() { var s: S; }"), Lines{"1 cyclic-declaration"});
  EXPECT_EQ(faults("alias A = array<A, 2>; fn f() { var s: A; }"), Lines{"1 cyclic-declaration"});
  EXPECT_EQ(faults("fn g() { f(); } fn f() { g(); }"), Lines{"1 cyclic-declaration"});
  EXPECT_EQ(faults("fn f() { f(); }"), Lines{"1 cyclic-declaration"});
}

TEST(Check, TellsTypesThatDoNotFitTheirPlace) {
  for (const char* module :
       {"fn f() { var a: array<u32>; }", "fn f() { var a: atomic<u32>; }",
        "var<workgroup> w: array<u32>; fn f() { w[0] = 1; }",
        "var<uniform> u: bool; fn f() { _ = u; }",
        "struct S { a: array<u32>, b: u32 } @group(0) @binding(0) var<storage> s: S; fn f() { _ = "
        "s.b; }",
        "@group(0) @binding(0) var<storage> s: array<atomic<u32>>; fn f() { _ = atomicLoad(&s[0]); "
        "}",
        "@group(0) @binding(0) var<uniform> u: array<atomic<u32>, 4>; fn f() { _ = &u; }",
        "fn f() { var v: vec2<vec2f>; }", "fn f() { var a: array<u32, 2, 3>; }",
        "fn f() { var p: ptr<function>; }", "fn g(a: atomic<u32>) { } fn f() { g(1); }",
        "fn f() { var<workgroup> x: u32; }", "fn f() { var x: vec2; }",
        "fn f() { var x: u32<f32>; }", "var x: u32; fn f() { x = 1; }", "fn f() { var a: f; }",
        "fn f() { var x; }"})
    EXPECT_EQ(faults(module).size(), 1U) << module;
}

TEST(Check, TellsAttributesThatAreMissingOrWrong) {
  for (const char* module :
       {"var<storage> s: u32; fn f() { _ = s; }",
        "@group(0) var<storage> s: u32; fn f() { _ = s; }",
        "@group(0) @group(0) @binding(0) var<storage> s: u32; fn f() { _ = s; }",
        "@group(-1) @binding(0) var<storage> s: u32; fn f() { _ = s; }",
        "struct S { @align(3) a: u32 } fn f() { var s: S; }",
        "struct S { @size(2) a: u32 } fn f() { var s: S; }",
        "@group(0) @binding(0) var<workgroup> s: u32; fn f() { s = 1; }"})
    EXPECT_FALSE(faults(module).empty()) << module;
  EXPECT_EQ(faults_of("@compute fn main() { }"), Lines{"1 invalid-attribute"});
  EXPECT_EQ(faults_of("@compute @workgroup_size(0) fn main() { }"), Lines{"1 value-out-of-range"});
  EXPECT_EQ(faults_of("@compute @workgroup_size(1.5) fn main() { }"), Lines{"1 type-mismatch"});
  EXPECT_EQ(faults_of("@compute @workgroup_size(1, 2u, 3u) fn main() { }"), Lines{});
  EXPECT_EQ(faults_of("@compute @workgroup_size(1i, 2u) fn main() { }"), Lines{"1 type-mismatch"});
  EXPECT_EQ(faults_of("@compute @workgroup_size(1) fn main(a: u32) { }"),
            Lines{"1 invalid-attribute"});
  EXPECT_EQ(faults_of("@compute @workgroup_size(1) fn main(@builtin(position) a: vec4f) { }"),
            Lines{"1 invalid-attribute"});
  EXPECT_EQ(faults_of("@compute @workgroup_size(1) fn main(@builtin(workgroup_id) a: vec3i) { }"),
            Lines{"1 type-mismatch"});
  EXPECT_EQ(faults_of("@compute @workgroup_size(1) fn main() -> u32 { return 1; }"),
            Lines{"1 invalid-type"});
}

TEST(Check, TellsTwoVariablesWithOneBinding) {
  EXPECT_EQ(
      faults(
          "@group(0) @binding(0) var<storage> a: u32;\n@group(0) @binding(0) var<storage> b: u32;\n"
          "fn f() { _ = a + b; }"),
      Lines{"2 redeclaration"});
  EXPECT_EQ(
      faults(
          "@group(0) @binding(0) var<storage> a: u32;\n@group(0) @binding(0) var<storage> b: u32;\n"
          "fn f() { _ = a; }"),
      Lines{});
}

TEST(Check, GivesOverridesOnlyWhatTheirTypesHold) {
  const auto faults_with = [](const std::string& type, ConstantValue value) {
    return faults_of("override a: " + type + ";\n@compute @workgroup_size(1) fn main() { _ = a; }",
                     {.constants = {{"a", value}}});
  };
  const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  for (const std::string type : {"u64", "f32", "bool"})
    EXPECT_EQ(faults_with(type, most), Lines{}) << type;
  for (const std::string type : {"i64", "u32", "i32"})
    EXPECT_EQ(faults_with(type, most), Lines{"1 invalid-override"}) << type;
  EXPECT_EQ(faults_with("i64", std::numeric_limits<std::int64_t>::min()), Lines{});
  EXPECT_EQ(faults_with("i64", -0x1p63), Lines{});
  EXPECT_EQ(faults_with("u64", 0x1p63), Lines{});
  EXPECT_EQ(faults_with("u64", -1), Lines{"1 invalid-override"});
  EXPECT_EQ(faults_with("i64", 0x1p63), Lines{"1 invalid-override"});
  EXPECT_EQ(faults_with("u64", 0x1p64), Lines{"1 invalid-override"});
  EXPECT_EQ(faults_with("u64", 0.5), Lines{"1 invalid-override"});
  for (const std::string type : {"u32", "i32", "u64", "i64"})
    EXPECT_EQ(faults_with(type, 1e300), Lines{"1 invalid-override"}) << type;
}

TEST(Check, GivesOverridesTheirValues) {
  const std::string module =
      "@id(7) override a: u32;\noverride b = 2u;\noverride c: f32 = f32(b) * 2;\n"
      "@compute @workgroup_size(a, b) fn main() { let x = c; }";
  EXPECT_EQ(faults_of(module), Lines{"1 invalid-override"});
  EXPECT_EQ(faults_of(module, {.constants = {{"7", 3}}}), Lines{});
  EXPECT_EQ(faults_of(module, {.constants = {{"a", 3}}}), Lines{});
  EXPECT_EQ(faults_of(module, {.constants = {{"7", 0}}}), Lines{"4 value-out-of-range"});
  EXPECT_EQ(faults_of(module, {.constants = {{"7", 1.5}}}), Lines{"1 invalid-override"});
  EXPECT_EQ(faults_of(module, {.constants = {{"7", -1}}}), Lines{"1 invalid-override"});
  EXPECT_EQ(faults_of(module, {.constants = {{"7", 1}, {"nope", 1}}}), Lines{"1 invalid-override"});
  EXPECT_EQ(faults("override o = 1; const c = o; fn f() { _ = c; }"), Lines{"1 not-constant"});
  EXPECT_EQ(faults("override o = 4; var<workgroup> w: array<u32, o>; fn f() { w[0] = 1; }"),
            Lines{});
  EXPECT_EQ(faults("override o = 4; fn f() { var a: array<u32, o>; }"), Lines{"1 invalid-type"});
}

TEST(Check, ChoosesTheEntryPoint) {
  const std::string two =
      "@compute @workgroup_size(1) fn a() { }\n@compute @workgroup_size(1) fn b() { }";
  EXPECT_EQ(faults_of(two), Lines{"1 unknown-entry-point"});
  EXPECT_EQ(faults_of(two, {.entry = "b"}), Lines{});
  EXPECT_EQ(faults_of(two, {.entry = "c"}), Lines{"1 unknown-entry-point"});
  EXPECT_EQ(faults_of("fn a() { }"), Lines{"1 unknown-entry-point"});
}

TEST(Check, LeavesAloneWhatIsNotReached) {
  EXPECT_EQ(
      faults("@group(0) @binding(0) var t: texture_2d<f32>; @group(0) @binding(0) var s: sampler;\n"
             "@fragment fn frag() -> @location(0) vec4f { return textureSample(t, s, vec2f()); }\n"
             "@vertex fn vert() -> @builtin(position) vec4f { return mat4x4f() * vec4f(); }\n"
             "fn f() { }"),
      Lines{});
}

TEST(Check, TellsWhatIsNotSupported) {
  for (const char* module :
       {"@group(0) @binding(0) var t: texture_3d<f32>; fn f() { let x = textureLoad(t, vec3(0), "
        "0); }"})
    EXPECT_NE(faults(module), Lines{}) << module;
  EXPECT_EQ(faults("fn f() { let x = dpdx(1.0); }"), Lines{"1 invalid-flow"});
}

TEST(Check, TellsAliases) {
  const std::string two = "fn g(a: ptr<function, u32>, b: ptr<function, u32>) { *a = *b; }\n";
  EXPECT_EQ(faults(two + "fn f() { var x = 1u; g(&x, &x); }"), Lines{"2 aliased-memory"});
  EXPECT_EQ(faults(two + "fn f() { var x = 1u; let p = &x; g(p, &x); }"),
            Lines{"2 aliased-memory"});
  EXPECT_EQ(faults(two + "fn f() { var x = 1u; var y = 2u; g(&x, &y); }"), Lines{});
  EXPECT_EQ(faults("fn g(a: ptr<function, u32>, b: ptr<function, u32>) -> u32 { return *a + *b; }\n"
                   "fn f() { var x = 1u; _ = g(&x, &x); }"),
            Lines{});
  EXPECT_EQ(faults("var<private> v = 1u; fn h(p: ptr<private, u32>) { *p += 1; }\n"
                   "fn g(p: ptr<private, u32>) -> u32 { h(p); return v; }\n"
                   "fn f() { _ = g(&v); }"),
            Lines{"3 aliased-memory"});
}

TEST(Check, TellsMisplacedAttributes) {
  for (const char* module :
       {"@const fn f() { }", "@align(4) var<private> p: u32; fn f() { }",
        "fn g(@builtin(position) a: u32) { } fn f() { }", "@id(1) const c = 1; fn f() { }",
        "struct S { @group(0) a: u32 } fn f() { }", "@must_use fn f() { }",
        "@compute struct S { a: u32 } fn f() { }", "fn f() { @must_use if true { } }"})
    EXPECT_NE(faults(module), Lines{}) << module;
}

TEST(Check, TellsEachFaultOnce) {
  EXPECT_EQ(body_faults("let a = 1u + 1i;\nlet b = a * 2;\nlet c: u32 = b;\ndata[a] = c;\nlet d = "
                        "nope;\nlet e = d.x;"),
            (Lines{"1 type-mismatch", "5 unknown-identifier"}));
}

TEST(Check, TellsFiveFaultsInFiveLines) {
  EXPECT_EQ(body_faults("\nlet a: u32 = 1.5;\nlet b = nope;\ndata[0] = 1.0f;\nlet c = max(1u, "
                        "true);\nlet d = 1 / 0;"),
            (Lines{"2 type-mismatch", "3 unknown-identifier", "4 type-mismatch", "5 no-overload",
                   "6 division-by-zero"}));
}

TEST(Check, ReportsSyntaxAndTypesTogether) {
  EXPECT_EQ(body_faults("\nlet a = ;\nlet b = a + 1u;\nlet c: u32 = 1i;"),
            (Lines{"2 syntax-error", "4 type-mismatch"}));
}

TEST(Check, HandlesLongChains) {
  std::string sum = "let x = data[0]";
  for (int i = 0; i < 20000; ++i)
    sum += " + data[1]";
  EXPECT_EQ(code_of(sum + ";"), "none");
  std::string constants = "const c0 = 1;";
  for (int i = 1; i < 20000; ++i)
    constants = "const c" + std::to_string(i) + " = c" + std::to_string(i - 1) + ";\n" + constants;
  EXPECT_EQ(faults(constants + " fn f() { let x = c19999; }"), Lines{});
}

TEST(Check, BoundsWhatCallsAmountTo) {
  std::string module =
      "@group(0) @binding(0) var<storage, read_write> d: u32; fn f0() { d += 1; }\n";
  for (int i = 1; i < 40; ++i) {
    const std::string callee = "f" + std::to_string(i - 1) + "();";
    module += "fn f" + std::to_string(i) + "() { " + callee + callee + callee + " }\n";
  }
  EXPECT_EQ(faults(module + "fn f() { f39(); }"), Lines{"42 internal-limit"});
}

}  // namespace
}  // namespace vyre::wgsl
