// SPDX-License-Identifier: MIT OR Apache-2.0
#include "analysis/loops.h"

#include <string>

#include <gtest/gtest.h>

#include "vyre/wgsl.h"

namespace vyre {
namespace {

/// A kernel around statements, with memory of every kind to take bounds from.
std::string kernel_of(const std::string& statements) {
  return R"(
struct Params { n: u32, m: i32, s: u32, f: f32 }
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@group(0) @binding(1) var<uniform> p: Params;
@group(0) @binding(2) var<storage, read> q: array<u32>;
@group(0) @binding(3) var<storage, read_write> flag: array<atomic<u32>>;
var<private> shared_index: u32;
fn bump(at: ptr<function, u32>) { *at += 1u; }
fn undo(at: ptr<function, u32>) { if (q[0] > 3u) { *at -= 1u; } }
fn find(x: u32) -> u32 {
  for (var i = 0u; i < p.n; i++) { if (q[i] == x) { return i; } }
  return 0u;
}
fn stuck(x: u32) -> u32 { var i = x; while (i != q[0]) { i += 2u; if (q[i] == x) { return i; } } return i; }
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) gid: vec3<u32>, @builtin(local_invocation_index) li: u32,
        @builtin(num_workgroups) groups: vec3<u32>) {
)" + statements +
         "\n}\n";
}

struct Proved {
  std::size_t loops = 0;
  std::size_t proved = 0;
  std::uint64_t most = 0;  ///< turns of the first one; 0: it is not proved
};

Proved prove(const std::string& statements, const LaunchRanges& launch = {}) {
  Proved result;
  const auto valid = parse_wgsl({{.name = "test.wgsl", .text = kernel_of(statements)}});
  EXPECT_TRUE(valid) << statements << "\n" << (valid ? "" : valid.error().to_string());
  if (!valid) return result;
  const Program& program = valid->program();
  const LoopTurns turns(program, launch);
  for (std::size_t i = 0; i < program.stmts.size(); ++i) {
    if (!std::holds_alternative<Loop>(program.stmts[i])) continue;
    const auto most = turns.turns(static_cast<StmtId>(static_cast<std::uint32_t>(i)));
    if (result.loops++ == 0) result.most = most.value_or(0);
    if (most) ++result.proved;
  }
  return result;
}

/// All loops in the statements are proved.
void expect_ends(const std::string& statements, const LaunchRanges& launch = {}) {
  const Proved got = prove(statements, launch);
  EXPECT_GT(got.loops, 0u) << statements;
  EXPECT_EQ(got.proved, got.loops) << statements;
}

/// At least one is not.
void expect_open(const std::string& statements, const LaunchRanges& launch = {}) {
  const Proved got = prove(statements, launch);
  EXPECT_LT(got.proved, got.loops) << statements;
}

TEST(Loops, EndThatMoveByOneTowardsAnyBound) {
  for (const char* bound :
       {"16u", "0xffffffffu", "p.n", "arrayLength(&q)", "q[li]", "o[li]", "gid.x"}) {
    const std::string b = bound;
    expect_ends("for (var i = 0u; i < " + b + "; i++) { o[i] = 1u; }");
    expect_ends("for (var i = q[0]; i < " + b + "; i++) { o[i] = 1u; }");
    expect_ends("for (var i = gid.x; " + b + " > i; i += 1u) { o[i] = 1u; }");
    expect_ends("var i = 0u; while (i < " + b + ") { o[i] = 1u; i = 1u + i; }");
    expect_ends("var i = 0u; loop { if (i >= " + b + ") { break; } o[i] = 1u; i++; }");
    expect_ends("var i = 0u; loop { if (i < " + b + ") { o[i] = 1u; } else { break; } i++; }");
    expect_ends("var i = 0u; loop { if (i < " + b + ") { o[i] = 1u; i++; } else { break; } }");
    expect_ends("var i = 0u; loop { o[i] = 1u; continuing { i++; break if i >= " + b + "; } }");
    expect_ends("var i = 0u; loop { if (!(i < " + b + ")) { return; } continuing { i++; } }");
    expect_ends("var i = q[1]; loop { if (i <= " + b + ") { break; } i--; }");
    expect_ends("for (var i = q[1]; i > " + b + "; i--) { o[i] = 1u; }");
  }
  for (const char* bound : {"16", "p.m", "i32(q[li])", "2147483647", "-2147483648"}) {
    const std::string b = bound;
    expect_ends("for (var i = p.m; i < " + b + "; i++) { o[i] = 1u; }");
    expect_ends("for (var i = p.m; i > " + b + "; i--) { o[i] = 1u; }");
    expect_ends("for (var i = p.m; i < " + b + "; i -= -1) { o[i] = 1u; }");
  }
}

TEST(Loops, HaveBoundsAtTheEdgeOfTheType) {
  expect_ends("for (var i = 0u; i <= 0xfffffffeu; i++) { o[i] = 1u; }");
  expect_open("for (var i = 0u; i <= 0xffffffffu; i++) { o[i] = 1u; }");
  expect_open("for (var i = 0u; i <= p.n; i++) { o[i] = 1u; }");
  expect_ends("for (var i = 0u; i <= min(p.n, 99u); i++) { o[i] = 1u; }");
  expect_ends("for (var i = 0u; i <= (p.n & 0xffffu); i++) { o[i] = 1u; }");
  expect_open("for (var i = 9u; i >= 0u; i--) { o[i] = 1u; }");
  expect_ends("for (var i = 9u; i >= 1u; i--) { o[i] = 1u; }");
  expect_ends("for (var i = 9; i >= 0; i--) { o[i] = 1u; }");
  expect_open("for (var i = 0; i <= 2147483647; i++) { o[i] = 1u; }");
  expect_open("for (var i = 0; i >= -2147483648; i--) { o[i] = 1u; }");
  expect_open("for (var i = p.m; i <= p.m; i++) { o[i] = 1u; }");
  // The same bits, read with a sign and without.
  expect_open("for (var i = 0u; i32(i) >= -2147483648; i++) { o[i] = 1u; }");
  expect_ends("for (var i = 0; u32(i) < 7u; i++) { o[i] = 1u; }");
  expect_open("for (var i = 7u; i32(i) >= i32(p.n); i--) { o[i] = 1u; }");
}

TEST(Loops, MayJumpOverTheirBound) {
  expect_ends("for (var i = 0u; i < 100u; i += 7u) { o[i] = 1u; }");
  expect_open("for (var i = 0u; i < p.n; i += 7u) { o[i] = 1u; }");
  expect_open("for (var i = 0u; i < 0xffffffffu; i += 2u) { o[i] = 1u; }");
  expect_ends("for (var i = 0u; i < 0xfffffffeu; i += 2u) { o[i] = 1u; }");
  expect_open("for (var i = 0u; i <= 0xfffffffeu; i += 2u) { o[i] = 1u; }");
  expect_ends("for (var i = 0; i < 0x7ffffff0; i += 16) { o[i] = 1u; }");
  expect_open("for (var i = 0; i < 0x7ffffff1; i += 17) { o[i] = 1u; }");
  expect_ends("for (var i = 100; i > 3; i -= 7) { o[i] = 1u; }");
  expect_open("for (var i = 100u; i > 3u; i -= 7u) { o[i] = 1u; }");
  expect_ends("for (var i = 100u; i > 6u; i -= 7u) { o[i] = 1u; }");
  expect_open("for (var i = 0u; i < 100u; i += 0xffffff00u) { o[i] = 1u; }");
}

TEST(Loops, TakeStepsOfKnownRangeOnly) {
  expect_open("for (var i = 0u; i < 100u; i += p.s) { o[i] = 1u; }");
  expect_open("for (var i = 0u; i < 100u; i += 0u) { o[i] = 1u; }");
  expect_open("for (var i = 0u; i < 100u; i += min(p.s, 8u)) { o[i] = 1u; }");
  expect_ends("for (var i = 0u; i < 100u; i += clamp(p.s, 1u, 8u)) { o[i] = 1u; }");
  expect_ends("for (var i = 0u; i < 100u; i += 1u + (p.s & 7u)) { o[i] = 1u; }");
  expect_ends("for (var i = 0u; i < 100u; i += 1u + (o[i] & 7u)) { o[i] = 1u; }");
  expect_open("for (var i = 0u; i < 100u; i += 1u + p.s) { o[i] = 1u; }");
  expect_open("for (var i = 0u; i < 100u; i -= 1u + (p.s & 7u)) { o[i] = 1u; }");
  expect_ends("for (var i = 0u; i < 100u; i += 64u * (1u + li)) { o[i] = 1u; }");
  expect_ends(
      "if (p.s == 0u || p.s > 9u) { return; } for (var i = 0u; i < 100u; i += p.s) { o[i] = 1u; }");
  expect_ends("for (var i = 0u; i * 4u < 100u; i++) { o[i] = 1u; }");
  expect_open("for (var i = 0u; i * 4u < p.n; i++) { o[i] = 1u; }");
  expect_open("for (var i = 0u; i * i < p.n; i++) { o[i] = 1u; }");
  expect_ends("for (var i = 0u; gid.x + i < p.n; i++) { o[i] = 1u; }");
  expect_open("for (var i = 0u; q[i] + i < p.n; i++) { o[i] = 1u; }");
  expect_ends("for (var i = 0u; p.n - i > 4u; i++) { o[i] = 1u; }");
}

TEST(Loops, KnowLengthsAndTheGrid) {
  const std::string stride =
      "for (var i = gid.x; i < arrayLength(&q); i += groups.x * 64u) { o[i] = q[i]; }";
  expect_ends(stride, {.grid = 65535, .buffer_bytes = std::uint64_t{1} << 32});
  expect_open(stride, {.grid = ~std::uint64_t{0}, .buffer_bytes = std::uint64_t{1} << 32});
  expect_open("for (var i = gid.x; i < p.n; i += groups.x * 64u) { o[i] = q[i]; }",
              {.grid = 65535, .buffer_bytes = std::uint64_t{1} << 32});
  expect_ends(
      "for (var i = gid.x; i < min(p.n, arrayLength(&q)); i += groups.x * 64u) { o[i] = q[i]; }",
      {.grid = 65535, .buffer_bytes = std::uint64_t{1} << 32});
}

TEST(Loops, HalveAndDouble) {
  expect_ends("for (var i = 128u; i > 0u; i >>= 1u) { o[i] = 1u; }");
  expect_ends("for (var i = q[0]; i != 0u; i >>= 1u) { o[i] = 1u; }");
  expect_ends("for (var i = q[0]; i >= 1u; i /= 2u) { o[i] = 1u; }");
  expect_ends("for (var i = p.m; i > 0; i /= 2) { o[i] = 1u; }");
  expect_ends("for (var i = p.m; i > 0; i >>= 1u) { o[i] = 1u; }");
  expect_open("for (var i = p.m; i != 0; i >>= 1u) { o[i] = 1u; }");
  expect_open("for (var i = p.m; u32(i) > 0u; i >>= 1u) { o[i] = 1u; }");
  expect_open("for (var i = q[0]; i >= 0u; i >>= 1u) { o[i] = 1u; }");
  expect_open("for (var i = q[0]; i > 0u; i >>= 32u - 32u) { o[i] = 1u; }");
  expect_open("for (var i = q[0]; i > 0u; i >>= p.s) { o[i] = 1u; }");
  expect_open("for (var i = q[0]; i > 0u; i /= p.s) { o[i] = 1u; }");
  expect_ends("for (var i = q[0]; i != 0u; i &= i - 1u) { o[i] = 1u; }");
  expect_open("for (var i = q[0]; i != 0u; i &= i - 2u) { o[i] = 1u; }");
  expect_ends("for (var i = 1u; i < 256u; i *= 2u) { o[i] = 1u; }");
  expect_ends("for (var i = 1u; i < 256u; i <<= 1u) { o[i] = 1u; }");
  expect_ends("for (var i = 1u; i < 256u; i += i) { o[i] = 1u; }");
  expect_ends("for (var i = 1u; i <= 0x7fffffffu; i *= 2u) { o[i] = 1u; }");
  expect_open("for (var i = 1u; i <= 0x80000000u; i *= 2u) { o[i] = 1u; }");
  expect_open("for (var i = 1u; i < p.n; i *= 2u) { o[i] = 1u; }");
  expect_open("for (var i = 0u; i < 256u; i *= 2u) { o[i] = 1u; }");
  expect_open("for (var i = p.s; i < 256u; i *= 2u) { o[i] = 1u; }");
  expect_open("for (var i = 1; i < 0x60000000; i *= 2) { o[i] = 1u; }");
  expect_ends("for (var i = q[0]; i != 0u; i <<= 1u) { o[i] = 1u; }");
  expect_open("for (var i = q[0]; i != 0u; i *= 3u) { o[i] = 1u; }");
}

TEST(Loops, MeetTheirBound) {
  expect_ends("for (var i = 0u; i != 10u; i++) { o[i] = 1u; }");
  expect_ends("for (var i = 0u; i != p.n; i++) { o[i] = 1u; }");
  expect_ends("for (var i = 0u; i != 10u; i += 2u) { o[i] = 1u; }");
  expect_open("for (var i = 0u; i != 11u; i += 2u) { o[i] = 1u; }");
  expect_open("for (var i = 0u; i != p.n; i += 2u) { o[i] = 1u; }");
  expect_ends("for (var i = 0u; i != p.n; i += 3u) { o[i] = 1u; }");
  expect_open("for (var i = 0u; i != o[0]; i++) { o[i] = 1u; }");
  expect_open("for (var i = 0u; i != q[i]; i++) { o[i] = 1u; }");
  expect_ends("for (var i = 10u; i != 0u; i--) { o[i] = 1u; }");
  expect_ends("var i = 5u; loop { i++; if (i == 9u) { break; } }");
  expect_open("var i = 5u; loop { i += 3u; if (i == 9u) { break; } i += 3u; }");
}

TEST(Loops, AreMovedOncePerTurnOnAllWays) {
  // By `continue`, which passes a step in the continuing part and misses one in the body.
  expect_ends("for (var i = 0u; i < 9u; i++) { if (o[i] == 0u) { continue; } o[i] = 1u; }");
  expect_open("var i = 0u; while (i < 9u) { if (o[i] == 0u) { continue; } i++; }");
  expect_ends("var i = 0u; while (i < 9u) { i++; if (o[i] == 0u) { continue; } o[i] = 1u; }");
  expect_open(
      "var i = 0u; loop { if (o[i] == 0u) { continue; } if (i >= 9u) { break; } continuing { i++; "
      "} }");
  expect_open("var i = 0u; loop { if (i >= 9u) { if (o[i] == 0u) { continue; } break; } i++; }");
  expect_ends(
      "var i = 0u; loop { switch (o[i]) { case 1u: { continue; } default: { } } "
      "continuing { i++; break if i > 8u; } }");
  // Under a condition, elsewhere, in nested loops, through pointers and in functions.
  expect_open("var i = 0u; while (i < 9u) { if (q[i] == 0u) { i++; } }");
  expect_open("for (var i = 0u; i < 9u; i++) { if (q[i] == 0u) { i = 0u; } }");
  expect_open("for (var i = 0u; i < 9u; i++) { if (q[i] == 0u) { i--; } else { o[i] = 2u; } }");
  expect_open("for (var i = 0u; i < 9u; i++) { i--; }");
  expect_ends("for (var i = 0u; i < 9u; i++) { i++; }");
  expect_open("for (var i = 0u; i < 9u; i++) { for (var j = 0u; j < 9u; j++) { i--; } }");
  expect_open("var j = 0u; for (var i = 0u; i < 9u; i++) { for (j = 0u; j < 9u; j++) { } i = j; }");
  expect_open("for (var i = 0u; i < 9u; i++) { undo(&i); }");
  expect_ends("for (var i = 0u; i < 9u; ) { bump(&i); }");
  expect_open("for (var i = 0u; i < 9u; i++) { let at = &i; *at = 3u; }");
  expect_open(
      "for (shared_index = 0u; shared_index < 9u; shared_index++) { shared_index = q[1]; }");
  expect_ends(
      "for (shared_index = 0u; shared_index < 9u; shared_index++) { o[0] = shared_index; }");
  expect_open("var a = array<u32, 2>(); for (a[0] = 0u; a[0] < 9u; a[0]++) { a[p.n] = 0u; }");
  expect_open("var i = 0u; loop { if (q[0] > 4u) { if (i >= 9u) { break; } } i++; }");
  expect_open(
      "var i = 0u; loop { if (o[0] == 3u) { return; } switch (p.s) { case 1u: { if (i >= 9u) { "
      "break; } } default: { } } i++; "
      "}");
}

TEST(Loops, EndByOneOfSeveralTests) {
  expect_ends("for (var i = 0u; i < p.n && q[i] < 3u; i++) { o[i] = 1u; }");
  expect_ends("for (var i = 0u; q[i] < 3u && i < p.n; i++) { o[i] = 1u; }");
  expect_ends("var i = 0u; loop { if (i >= p.n || q[i] == 3u) { break; } i++; }");
  expect_ends("var i = 0u; loop { if (q[i] == 3u || i >= p.n) { break; } i++; }");
  expect_ends("var i = 0u; loop { if (f32(i) > p.f || i >= p.n || o[i] > 2u) { break; } i++; }");
  expect_ends("for (var i = 0u; i < p.n && (q[i] < 3u || o[i] > 3u); i++) { o[i] = 1u; }");
  expect_ends(
      "var z = 0.0; for (var i = 0u; i < p.n; i++) { z = z * z + p.f; if (z > 4.0) { break; } } "
      "o[0] = u32(z);");
  expect_open("for (var i = 0u; i < p.n || q[i] < 3u; i++) { o[i] = 1u; }");
  expect_open("for (var i = 0u; q[i] < 3u || i < p.n; i++) { o[i] = 1u; }");
  expect_open("var i = 0u; loop { if (i >= p.n && q[i] == 3u) { break; } i++; }");
  expect_open("var i = 0u; loop { if (q[i] == 3u && i >= p.n) { break; } i++; }");
}

TEST(Loops, WithoutAMovingIntegerAreOpen) {
  expect_open("while (o[0] < 5u) { o[0] += 1u; }");
  expect_open("while (atomicLoad(&flag[0]) == 0u) { }");
  expect_open("for (var x = 0.0; x < 4.0; x += 1.0) { o[0] = u32(x); }");
  expect_open("loop { if (p.n == 3u) { break; } }");
  expect_open(
      "var a = q[0]; var b = q[1]; while (b != 0u) { let t = a % b; a = b; b = t; } o[0] = a;");
  expect_open("var i = 0u; var j = 9u; while (i < j) { i++; j++; if (o[i] == 3u) { i = j; } }");
}

TEST(Loops, AreJudgedInsideFunctionsAndOtherLoops) {
  expect_ends("o[0] = find(3u);");
  expect_open("o[0] = stuck(3u);");
  expect_ends("for (var i = 0u; i < p.n; i++) { o[i] = find(i); }");
  const Proved both = prove("for (var i = 0u; i < p.n; i++) { o[i] = stuck(i); }");
  EXPECT_EQ(both.loops, 2u);
  EXPECT_EQ(both.proved, 1u);
  expect_ends(
      "for (var i = 0u; i < p.n; i++) { for (var j = i; j < p.n; j++) { if (q[j] == i) { break; } "
      "} }");
  expect_ends(
      "for (var i = 0u; i < 9u; i++) { var j = i; while (j > 0u) { j--; if (q[j] == 0u) { "
      "continue; } } }");
}

TEST(Loops, HaveNoMoreTurnsThanTheirRangesAllow) {
  const auto most = [](const char* statements) { return prove(statements).most; };
  EXPECT_EQ(most("for (var i = 0u; i < 16u; i++) { o[i] = 1u; }"), 17u);
  EXPECT_EQ(most("for (var i = 3u; i < 16u; i += 4u) { o[i] = 1u; }"), 5u);
  EXPECT_EQ(most("for (var i = 9; i >= 0; i--) { o[i] = 1u; }"), 11u);
  EXPECT_EQ(most("for (var i = 0u; i != 16u; i += 8u) { o[i] = 1u; }"), 3u);
  EXPECT_EQ(most("for (var i = 9u; i < 3u; i++) { o[i] = 1u; }"), 1u);
  EXPECT_EQ(most("for (var i = li; i < (p.n & 255u); i++) { o[i] = 1u; }"), 256u);
  EXPECT_LE(most("for (var i = 128u; i > 0u; i >>= 1u) { o[i] = 1u; }"), 34u);
  EXPECT_EQ(most("for (var i = p.n; i < 16u; i++) { o[i] = 1u; }"), 17u);
  // A first step that may wrap: what was above comes out below.
  EXPECT_GE(most("var i = p.n | 16u; loop { i++; if (i >= 100u) { break; } }"), 100u);
}

}  // namespace
}  // namespace vyre
