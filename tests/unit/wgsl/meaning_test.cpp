// SPDX-License-Identifier: MIT OR Apache-2.0
#include <bit>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "vyre/wgsl.h"

#include "backend/cpu/machine.h"

// What programs written in WGSL compute.  The expectations are worked out by hand from the WGSL
// specification and docs of the language.
namespace vyre {
namespace {

using Words = std::vector<std::uint32_t>;

std::uint32_t bits(float value) {
  return std::bit_cast<std::uint32_t>(value);
}

/// Runs one workgroup; `data` is the content of the buffer `data`, which comes back.
Words run_module(const std::string& source, Words data) {
  const auto program = parse_wgsl(source);
  if (!program) {
    ADD_FAILURE() << source << "\n" << program.error().diagnostics().to_string();
    return {};
  }
  const cpu::Machine machine = cpu::Machine::compile(program->program());
  std::vector<cpu::Memory> memories(program->program().buffers.size());
  for (std::size_t i = 0; i < memories.size(); ++i)
    if (program->program().buffers[i].name == "data")
      memories[i] = {std::as_writable_bytes(std::span(data)), data.size()};
  const auto done = machine.run({.buffers = memories, .threads = 1});
  EXPECT_TRUE(done.has_value());
  return data;
}

/// Runs statements with `i` as the invocation's index in a workgroup of `lanes`, over eight words.
Words run(const std::string& body,
          const std::string& module = "",
          Words data = Words(8),
          int lanes = 1) {
  return run_module("@group(0) @binding(0) var<storage, read_write> data: array<u32>;\n" + module +
                        "\n@compute @workgroup_size(" + std::to_string(lanes) +
                        ") fn main(@builtin(local_invocation_index) i: u32) {\n" + body + "\n}",
                    std::move(data));
}

TEST(Meaning, EvaluatesOperatorsAtRunTime) {
  EXPECT_EQ(run(R"(
    var a = 7u; var b = 3u; var s = -7;
    data[0] = a / b; data[1] = a % b; data[2] = u32(s / 2); data[3] = u32(s % 2);
    data[4] = a << b; data[5] = u32(s >> 1u); data[6] = (a & b) | (a ^ b); data[7] = ~a;)"),
            (Words{2, 1, 0xfffffffdU, 0xffffffffU, 56, 0xfffffffcU, 7, 0xfffffff8U}));
}

TEST(Meaning, TakesVectorsApart) {
  EXPECT_EQ(run(R"(
    var v = vec4<u32>(1, 2, 3, 4);
    v.y = 9; v[2] += 10;
    let w = v.wzyx * 2;
    data[0] = w.x; data[1] = w.y; data[2] = w.z; data[3] = w.w;
    let d = dot(v, vec4u(1)); data[4] = d;
    let k = vec3f(1.5, vec2f(2, 3)); data[5] = u32(k.z); data[6] = u32(k.xx.y * 2);
    v = vec4u(vec2u(7), v.xy); data[7] = v.x + v.z;)"),
            (Words{8, 26, 18, 2, 27, 3, 3, 8}));
}

/// A loop over `n` from 0 to 7 whose body declares a pointer that its continuing block uses.
std::string pointer_loop(const std::string& pointer, const std::string& update, bool breaks_last) {
  return "var n = 0u; loop { " + std::string(breaks_last ? "" : "if n >= 8 { break; } ") +
         "let p = " + pointer + "; let w = n + 1; if n == 3 { continue; } continuing { " + update +
         " n = w; " + (breaks_last ? "break if n == 8; " : "") + "} }\n";
}

TEST(Meaning, AContinuingBlockUsesThePointersOfItsLoop) {
  struct Row {
    std::string module;
    std::string before;
    std::string pointer;
    std::string update;
    std::string after;
  };
  const std::string in = "for (var k = 0; k < 8; k++) { a[k] = data[k]; }\n";
  const std::string out = "for (var k = 0; k < 8; k++) { data[k] = a[k]; }";
  const Row rows[] = {
      {"", "", "&data[n]", "*p = *p * 2;", ""},
      {"", "", "&data[n]", "let q = p; *q *= 2;", ""},
      {"", "let all = &data;", "&(*all)[n]", "*p *= 2;", ""},
      {"", "let all = &data;", "&all[7 - (7 - n)]", "*p *= 2;", ""},
      {"var<private> a: array<u32, 8>;", in, "&a[n]", "*p *= 2;", out},
      {"var<workgroup> a: array<u32, 8>;", in, "&a[n]", "*p *= 2;", out},
      {"", "var a: array<u32, 8>;" + in, "&a[n]", "*p *= 2;", out},
      {"struct S { x: array<vec4u, 2> }",
       "var a: S; for (var k = 0; k < 8; k++) { a.x[k / 4][k % 4] = data[k]; }", "&a.x[n / 4]",
       "(*p)[n % 4] *= 2;", "for (var k = 0; k < 8; k++) { data[k] = a.x[k / 4][k % 4]; }"},
      {"", "var m: mat2x4f; for (var k = 0; k < 8; k++) { m[k / 4][k % 4] = f32(data[k]); }",
       "&m[n / 4]", "p[n % 4] *= 2;",
       "for (var k = 0; k < 8; k++) { data[k] = u32(m[k / 4][k % 4]); }"},
      {"",
       "var a: array<array<u32, 4>, 2>; for (var k = 0; k < 8; k++) { a[k / 4][k % 4] = data[k]; }",
       "&a[n / 4]", "(*p)[n % 4] *= 2;",
       "for (var k = 0; k < 8; k++) { data[k] = a[k / 4][k % 4]; }"},
  };
  const Words twice = {2, 4, 6, 8, 10, 12, 14, 16};
  for (const Row& row : rows)
    for (const bool last : {false, true})
      EXPECT_EQ(run(row.before + pointer_loop(row.pointer, row.update, last) + row.after,
                    row.module, {1, 2, 3, 4, 5, 6, 7, 8}),
                twice)
          << row.pointer;
}

TEST(Meaning, AContinuingBlockUsesPointersIntoParameters) {
  const Words data = {1, 2, 3, 4, 5, 6, 7, 8};
  const Words twice = {2, 4, 6, 8, 10, 12, 14, 16};
  for (const bool last : {false, true}) {
    const std::string loop = pointer_loop("&(*a)[n]", "*p *= 2;", last);
    EXPECT_EQ(
        run("f(&data);", "fn f(a: ptr<storage, array<u32>, read_write>) { " + loop + "}", data),
        twice);
    // The same function twice, each time with a pointer of its own.
    EXPECT_EQ(run("var r: array<array<u32, 8>, 2>; var k = 1u - i;\n"
                  "for (var j = 0; j < 8; j++) { r[0][j] = 1; r[1][j] = data[j]; }\n"
                  "f(&r[k - 1]); f(&r[k]);\n"
                  "for (var j = 0; j < 8; j++) { data[j] = r[1][j] * r[0][j] / 2; }",
                  "fn f(a: ptr<function, array<u32, 8>>) { " + loop + "}", data),
              twice);
  }
}

TEST(Meaning, AContinuingBlockUsesTheTexturesOfItsLoop) {
  EXPECT_EQ(run("var n = 0u; loop { let t = pixels; if n == 4 { break; } continuing { "
                "data[n] = textureDimensions(t).x + textureLoad(t, vec2u(n), 0).x; n++; } }",
                "@group(0) @binding(1) var pixels: texture_2d<u32>;"),
            Words(8));
}

TEST(Meaning, AContinuingBlockThatNothingReachesIsLeftOut) {
  EXPECT_EQ(run("loop { data[0] = 1; break; let p = &data[i]; let k = i; continuing { *p = k; } }\n"
                "loop { data[1] = 2; if i == 0 { break; } else { return; } continuing { data[2] = "
                "3; } }\n"
                "for (var n = 0; n < 2; n++) { data[3] += 1; continue; }"),
            (Words{1, 2, 0, 2, 0, 0, 0, 0}));
}

TEST(Meaning, AnAbstractNumberIsDroppedWhatEverItsSize) {
  EXPECT_EQ(
      run("_ = 5000000000; _ = -5000000000; _ = vec2(5000000000, 1); _ = array(1e300, 2);\n"
          "const k = 1e300; _ = k; _ = k * 2 > 1; _ = frexp(1e300); _ = mat2x2(1e300, 1, 2, 3);\n"
          "data[0] = 7;")[0],
      7U);
}

/// What only an override or a run-time value decides has the precision of its type.
TEST(Meaning, AnIndexThatIsKnownLateKeepsNoAbstractPrecision) {
  for (const std::string index : {"O", "(O + 0)", "n", "select(0, 0, B)"})
    for (const std::string value :
         {"vec2(16777217.0, 0)[I]", "array(16777217.0, 1)[I]",
          "array(vec2(16777217.0), vec2(1))[I].x", "array(vec2(16777217.0))[0][I]",
          "mat2x2(16777217.0, 1, 1, 1)[I][0]", "mat2x2(16777217.0, 1, 1, 1)[I].x",
          "mat2x2(16777217.0, 1, 1, 1)[0][I]", "vec4(16777217.0).zw[I]",
          "modf(vec2(16777217.5)).whole[I]", "transpose(mat2x2(16777217.0, 1, 1, 1))[I][0]", "K[I]",
          "L[0][I]", "select(16777217.0, 1.0, I != 0)", "ldexp(16777217.0, I)",
          "(16777217 << u32(I))", "array(array(16777217.0, 2), array(3, 4))[I][0]",
          "-vec2(-16777217.0)[I]", "(vec2(8388608.5)[I] + vec2(8388608.5)[I])"}) {
      if (value.starts_with("(16777217 <<")) {
        std::string shift = value;
        shift.replace(shift.find('I'), 1, index);
        EXPECT_EQ(run("var n = 0; data[0] = bitcast<u32>(" + shift + ");",
                      "override O = 0; override B = false;")[0],
                  16777217U);
        continue;
      }
      std::string late = value;
      for (std::size_t at = 0; (at = late.find('I', at)) != std::string::npos;)
        late.replace(at, 1, index);
      EXPECT_EQ(run("var n = 0; data[0] = u32(" + late + " - 16777216.0);",
                    "override O = 0; override B = false;\n"
                    "const K = vec2(16777217.0); const L = array(K, K);")[0],
                0U)
          << late;
    }
  EXPECT_EQ(run("data[0] = u32(vec2(16777217.0)[0] - 16777216.0);")[0], 1U);
}

TEST(Meaning, AssignsToSeveralComponents) {
  EXPECT_EQ(run(R"(
    var v = vec4u(1, 2, 3, 4);
    v.zx = vec2u(8, 9);
    data[0] = v.x; data[1] = v.y; data[2] = v.z;
    v.xy = v.yx; data[3] = v.x; data[4] = v.y;
    v.wy *= vec2u(10, 100); data[5] = v.w; data[6] = v.y;
    v.xyzw += 1u; data[7] = v.w;)"),
            (Words{9, 2, 8, 2, 9, 40, 900, 41}));
  EXPECT_EQ(run(R"(
    var v = vec4u(1, 2, 3, 4); var k = 1u;
    v.zyx.xy = vec2u(30, 20); data[0] = v.z; data[1] = v.y;
    v.xw[1] = 40; data[2] = v.w;
    v.zyx.zy *= vec2u(10, 5); data[3] = v.x * 1000 + v.y;
    v.wz[k] += 5; data[4] = v.z;
    v.xx[k] = 7; v.xy[k + 1] = 99; data[5] = v.x * 1000 + v.y;
    let p = &v; p.xyz.yz[k - 1] = 8; (*p).wx.x -= 1; data[6] = v.y * 100 + v.w;
    (v.wzy).yx = v.xw; data[7] = v.z * 100 + v.w;)"),
            (Words{30, 20, 40, 10100, 35, 7100, 839, 739}));
}

TEST(Meaning, AssignsToSeveralComponentsInMemory) {
  EXPECT_EQ(run(R"(
    for (var k = 0u; k < 2; k++) { all[k].v.zy = vec2u(k + 5, k + 7); }
    let p = &all[1].v; p.xz += vec2u(3); (*p).xy = (*p).yx;
    data[0] = all[0].v.x; data[1] = all[0].v.y; data[2] = all[0].v.z;
    data[3] = all[1].v.x; data[4] = all[1].v.y; data[5] = all[1].v.z;
    var m = mat2x3f(); m[i].zy = vec2f(2, 3); m[1 - i].x = 4;
    data[6] = u32(m[0].z * 10 + m[0].y); data[7] = u32(m[1].x);)",
                "struct S { a: u32, v: vec3u } var<workgroup> all: array<S, 2>;"),
            (Words{0, 7, 5, 8, 3, 9, 23, 4}));
}

TEST(Meaning, IndexesVectorsAtRunTime) {
  EXPECT_EQ(run(R"(
    var v = vec3u(10, 20, 30);
    var n = 1u;
    data[0] = v[n]; v[n] = 25; data[1] = v.y; v[n + 1] += 5; data[2] = v.z; data[3] = v.x;
    n = 7u; v[n] = 99; data[4] = v[n]; data[5] = v.x + v.y + v.z;
    let w = vec2u(3, 4) + n; data[6] = w[n - 6]; data[7] = w[n];)"),
            (Words{20, 25, 35, 10, 0, 70, 11, 0}));
}

TEST(Meaning, KeepsArraysAndStructures) {
  EXPECT_EQ(run(R"(
    var a: array<u32, 4>;
    for (var k = 0u; k < 4; k++) { a[k] = k * k; }
    var s = S(vec2u(1, 2), array<P, 2>(P(3, true), P(4, false)));
    s.list[1].n = a[3]; s.v.x += 4;
    var copy = s;
    copy.list[0].n = 77;
    let t = copy.list;
    var j = 1u;
    data[0] = s.list[0].n; data[1] = t[0].n; data[2] = t[j].n; data[3] = s.v.x;
    data[4] = select(0u, 1u, t[j - 1].b); data[5] = a[j + 1]; data[6] = a[j + 9];
    a = array(5u, 6u, 7u, 8u); data[7] = a[j];)",
                "struct P { n: u32, b: bool }\nstruct S { v: vec2u, list: array<P, 2> }"),
            (Words{3, 77, 9, 5, 1, 4, 0, 6}));
}

TEST(Meaning, ZeroesLocalArraysEachTimeTheyAreDeclared) {
  EXPECT_EQ(
      run(R"(
    for (var k = 0u; k < 3; k++) { var a: array<u32, 20>; a[k] += 5; data[k] = a[0] + a[1] + a[2]; }
    data[3] = f(1); data[4] = f(2);)",
          "fn f(n: u32) -> u32 { var a: array<u32, 3>; a[n] += 1; return a[0] + a[1] + a[2]; }"),
      (Words{5, 5, 5, 1, 1, 0, 0, 0}));
}

TEST(Meaning, ReadsConstantTables) {
  EXPECT_EQ(run(R"(
    var k = 2u;
    data[0] = kTable[k]; data[1] = kTable[k + 7]; data[2] = kTable[1];
    let local = array(10u, 20u, 30u); data[3] = local[k];
    data[4] = array(4u, 5u, 6u)[k - 1];
    data[5] = kVectors[k - 1].z; data[6] = kVectors[0][k];
    data[7] = u32(kFloats[k] * 4);)",
                "const kTable = array<u32, 4>(3, 1, 4, 1);\n"
                "const kVectors = array(vec3u(1, 2, 3), vec3u(4, 5, 6));\n"
                "const kFloats = array(0.25, 0.5, 0.75);"),
            (Words{4, 0, 1, 30, 5, 6, 3, 3}));
}

TEST(Meaning, InlinesFunctionsWithEarlyReturns) {
  EXPECT_EQ(run(R"(
    for (var k = 0u; k < 8; k++) { data[k] = classify(k) + twice(k); })",
                R"(
fn classify(n: u32) -> u32 {
  if n < 2 { return 100; }
  for (var j = 2u; j < n; j++) { if n % j == 0 { return j; } }
  switch n { case 7 { return 70; } default { } }
  return n;
}
fn twice(n: u32) -> u32 { return n * 2; })"),
            (Words{100, 102, 6, 9, 10, 15, 14, 84}));
}

TEST(Meaning, PassesPointers) {
  EXPECT_EQ(run(R"(
    var a = 1u; var v = vec3u(1, 2, 3); var l: array<u32, 3>; var s = S(5, vec2f(1, 2));
    bump(&a); bump(&l[1]); bump(&s.n); scale(&v, 3); twist(&s);
    let p = &l; (*p)[2] = 8; p[0] = 9;
    data[0] = a; data[1] = l[1]; data[2] = s.n; data[3] = v.z; data[4] = u32(s.f.y); data[5] = l[2] + l[0];
    var k = 1u; let q = &l[k]; k = 2; *q = 40; data[6] = l[1];)",
                "struct S { n: u32, f: vec2f }\n"
                "fn bump(p: ptr<function, u32>) { *p += 10; }\n"
                "fn scale(p: ptr<function, vec3u>, by: u32) { *p *= by; }\n"
                "fn twist(p: ptr<function, S>) { p.f = (*p).f.yx * 3.0; bump(&p.n); }"),
            (Words{11, 10, 25, 9, 3, 17, 40, 0}));
}

TEST(Meaning, EvaluatesArgumentsBeforeTheCall) {
  EXPECT_EQ(run(R"(
    let a = array(1u, 2u, 3u); let b = array(10u, 20u, 30u); var k = 1u;
    data[0] = at(a, at(b, 5) + k) + at(a, at(a, 0));
    data[1] = add(k, add(k, 2));)",
                "fn at(list: array<u32, 3>, k: u32) -> u32 { return list[k]; }\n"
                "fn add(a: u32, b: u32) -> u32 { return a * 10 + b; }"),
            (Words{4, 22, 0, 0, 0, 0, 0, 0}));
}

TEST(Meaning, ShortCircuitsWhereMemoryIsTouched) {
  EXPECT_EQ(run(R"(
    var k = 0u;
    if k == 1 && next(&k) { data[0] = 1; }
    data[1] = k;
    if k == 0 || next(&k) { data[2] = k; }
    if k == 0 && next(&k) { data[3] = k; }
    let b = k == 1 && data[3] == 1 && (k == 5 || data[2] == 0); data[4] = u32(b);
    data[5] = u32(false && data[0] == 0);)",
                "fn next(p: ptr<function, u32>) -> bool { *p += 1; return true; }"),
            (Words{0, 0, 0, 1, 1, 0, 0, 0}));
}

TEST(Meaning, RunsLoopsOfEveryForm) {
  EXPECT_EQ(run(R"(
    var n = 0u;
    loop { if n == 5 { break; } let d = n + 1; continuing { n = d; } }
    data[0] = n;
    n = 0; var sum = 0u;
    loop { var step = 2u; if n == 4 { n += 3; continue; } sum += n; continuing { n += step; break if n > 10; } }
    data[1] = sum; data[2] = n;
    n = 0; while n < 10 { n += 3; if n == 6 { continue; } data[3] += n; }
    for (var k = 0u; k < 10; k++) {
      switch k { case 2 { continue; } case 3, 4 { break; } case 7 { data[5] = k; } default { data[4] += k; } }
      if k == 8 { break; }
      data[6] += 1;
    }
    for (;;) { if n > 20 { break; } n++; }
    data[7] = n;)"),
            (Words{5, 11, 11, 24, 20, 7, 7, 21}));
}

TEST(Meaning, SwitchesWithDefaultAmongCases) {
  EXPECT_EQ(run(R"(
    for (var k = 0u; k < 8; k++) {
      switch k { case 1, default { data[k] = 10; } case 2, 3 { data[k] = 20; if k == 3 { break; } data[k] += 1; }
                 case 4 { } }
    })"),
            (Words{10, 10, 21, 20, 0, 10, 10, 10}));
}

TEST(Meaning, EvaluatesCompoundTargetsOnce) {
  EXPECT_EQ(run(R"(
    var k = 0u;
    data[next(&k)] += 5; data[next(&k)]++; data[next(&k)] <<= 2;
    data[7] = k;)",
                "fn next(p: ptr<function, u32>) -> u32 { *p += 1; return *p; }",
                {0, 1, 2, 3, 4, 5, 6, 7}),
            (Words{0, 6, 3, 12, 4, 5, 6, 3}));
}

TEST(Meaning, RunsAtomicsAndBarriers) {
  EXPECT_EQ(run(R"(
    atomicAdd(&sum, i); atomicMax(&hist[i % 2], i);
    workgroupBarrier();
    if i == 0 {
      data[0] = atomicLoad(&sum); data[1] = atomicLoad(&hist[0]); data[2] = atomicLoad(&hist[1]);
      let r = atomicCompareExchangeWeak(&sum, 28, 5); data[3] = r.old_value; data[4] = u32(r.exchanged);
      let q = atomicCompareExchangeWeak(&sum, 28, 6); data[5] = q.old_value; data[6] = u32(q.exchanged);
      data[7] = atomicExchange(&sum, 1);
    })",
                "var<workgroup> sum: atomic<u32>; var<workgroup> hist: array<atomic<u32>, 2>;",
                Words(8), 8),
            (Words{28, 6, 7, 28, 1, 5, 0, 5}));
}

TEST(Meaning, LoadsWorkgroupValuesUniformly) {
  EXPECT_EQ(run(R"(
    if i == 3 { shared_ = S(i, vec2u(4, 5)); }
    let s = workgroupUniformLoad(&shared_);
    data[i] = s.a + s.b.y;)",
                "struct S { a: u32, b: vec2u }\nvar<workgroup> shared_: S;", Words(4), 4),
            (Words{8, 8, 8, 8}));
}

TEST(Meaning, KeepsPrivateVariables) {
  EXPECT_EQ(run("bump(); bump(); data[i] = counter + table[1] + i;",
                "var<private> counter = 5u; var<private> table = array(1u, 2u);\n"
                "fn bump() { counter += 1; table[1] += 10; }",
                Words(2), 2),
            (Words{29, 30}));
}

TEST(Meaning, FollowsTheLayoutOfMemory) {
  const std::string module = R"(
struct Inner { v: vec3f, w: u32 }
struct Outer { a: u32, @align(32) b: Inner, @size(20) c: u32, d: array<vec3u, 2>, e: array<u32> }
@group(0) @binding(0) var<storage, read_write> data: Outer;
@compute @workgroup_size(1) fn main() {
  data.a = 1; data.b.v = vec3f(2, 3, 4); data.b.w = 5; data.c = 6;
  data.d[1] = vec3u(7, 8, 9); data.d[0].y = 10; data.e[1] = arrayLength(&data.e);
})";
  // a @0; b @32: v @32, w @44; c @48, 20 bytes; d @80, stride 16; e @112
  Words expected(30);
  expected[0] = 1;
  expected[8] = bits(2);
  expected[9] = bits(3);
  expected[10] = bits(4);
  expected[11] = 5;
  expected[12] = 6;
  expected[21] = 10;
  expected[24] = 7;
  expected[25] = 8;
  expected[26] = 9;
  const auto program = parse_wgsl(module);
  ASSERT_TRUE(program.has_value()) << program.error().diagnostics().to_string();
  const cpu::Machine machine = cpu::Machine::compile(program->program());
  Words data(30);
  std::vector<cpu::Memory> memories = {{std::as_writable_bytes(std::span(data)), 2}};
  ASSERT_TRUE(machine.run({.buffers = memories, .threads = 1}).has_value());
  expected[29] = 2;
  EXPECT_EQ(data, expected);
}

TEST(Meaning, ExpandsFunctionsOnVectors) {
  EXPECT_EQ(run(R"(
    var v = vec3f(1, 2, 3); var w = vec3f(4, 5, 6); var n = 3.5;
    data[0] = u32(dot(v, w)); data[1] = u32(cross(v, w).y + 100); data[2] = u32(length(vec2f(3, 4) * v.x));
    data[3] = u32(max(v, vec3f(2)).x); data[4] = u32(modf(n).fract * 2); data[5] = u32(frexp(n).exp);
    data[6] = u32(select(v, w, v > vec3f(2)).z); data[7] = u32(any(v > w)) + 2 * u32(all(w > v));)"),
            (Words{32, 106, 5, 2, 1, 2, 6, 2}));
}

TEST(Meaning, ExpandsBitFunctions) {
  EXPECT_EQ(
      run(R"(
    var x = 0xabcd1234u; var o = 8u; var c = 8u;
    data[0] = extractBits(x, o, c); data[1] = insertBits(0u, x, o, c); data[2] = insertBits(x, 0u, 0u, 32u);
    data[3] = pack4x8unorm(vec4f(f32(o) / 8)); data[4] = dot4U8Packed(x, 0x01010101u);
    data[5] = countOneBits(x); data[6] = u32(unpack4xI8(x).w); data[7] = bitcast<u32>(unpack2x16float(0x3c00u * (o / 8)).x);)"),
      (Words{0x12, 0x3400, 0, 0xffffffffU, 0xab + 0xcd + 0x12 + 0x34, 15, 0xffffffabU, bits(1)}));
}

TEST(Meaning, ConvertsBetweenTypes) {
  EXPECT_EQ(run(R"(
    var f = -1.5; var big = 3e9; var n = -1; var b = true;
    data[0] = u32(f); data[1] = u32(i32(f)); data[2] = u32(i32(big)); data[3] = u32(n); data[4] = u32(b);
    data[5] = bitcast<u32>(f32(b)); data[6] = u32(bool(f)); data[7] = bitcast<u32>(f32(4294967295u * data[4]));)"),
            (Words{0, 0xffffffffU, 2147483520, 0xffffffffU, 1, bits(1), 1, bits(4294967296.0F)}));
}

TEST(Meaning, ShadowsAndScopes) {
  EXPECT_EQ(run(R"(
    let x = 1u; var y = x;
    { let x = 10u; y += x; { var y = 100u; y += x; data[0] = y; } data[1] = y; }
    for (var x = 5u; x < 6; x++) { data[2] = x; }
    data[3] = x + y;)"),
            (Words{110, 11, 5, 12, 0, 0, 0, 0}));
}

TEST(Meaning, ReadsTheInputsOfAStructure) {
  EXPECT_EQ(run_module(R"(
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
struct In { @builtin(local_invocation_id) l: vec3u, @builtin(local_invocation_index) n: u32 }
@compute @workgroup_size(2, 2) fn main(in: In, @builtin(num_workgroups) g: vec3u) {
  data[in.n] = in.l.x * 10 + in.l.y + g.x * 100;
})",
                       Words(4)),
            (Words{100, 110, 101, 111}));
}

TEST(Meaning, UsesOverrides) {
  const auto program = parse_wgsl(
      "override n = 3u; override f: f32; @group(0) @binding(0) var<storage, read_write> data: "
      "u32;\n"
      "@compute @workgroup_size(n) fn main() { data = u32(f * 2) + n; }",
      {.constants = {{"f", 2.5}, {"n", 4}}});
  ASSERT_TRUE(program.has_value());
  EXPECT_EQ(program->program().workgroup[0], 4U);
  EXPECT_EQ(dump(program->program()).find("9u") == std::string::npos, false);
}

TEST(Meaning, LeavesBehindNothingUnreached) {
  const auto program = parse_wgsl(
      "@group(0) @binding(0) var<storage> unused: u32; @group(0) @binding(1) var<storage, "
      "read_write> used: u32;\n"
      "@compute @workgroup_size(1) fn main() { used = 1; }");
  ASSERT_TRUE(program.has_value());
  ASSERT_EQ(program->program().buffers.size(), 1U);
  EXPECT_EQ(program->program().buffers[0].name, "used");
  EXPECT_EQ(program->program().buffers[0].binding, 1U);
}

TEST(Meaning, GivesTheSameProgramForEqualTexts) {
  const char* text =
      "@group(0) @binding(0) var<storage, read_write> d: array<u32>;\n"
      "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) g: vec3u) { d[g.x] += "
      "g.x; }";
  EXPECT_EQ(parse_wgsl(text)->hash(), parse_wgsl("// moved\n" + std::string(text))->hash());
}

}  // namespace
}  // namespace vyre
