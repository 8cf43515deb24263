// SPDX-License-Identifier: MIT OR Apache-2.0
#include <cstdint>
#include <string>
#include <vector>

#include "vyre/wgsl.h"

#include "ir/visit.h"
#include "lower/passes.h"
#include "unit/lower/run.h"

namespace vyre::test {
namespace {

/// Three functions with an array of their own each, which they leave full of what is not zero.
constexpr std::string_view kFunctions = R"(
@group(0) @binding(0) var<storage, read_write> o: array<u32, 8>;
fn a(n: u32) -> u32 {
  var x: array<u32, 20>;
  for (var k = 0u; k < 20u; k++) { x[k] += 3u; }
  x[n] += n;
  return x[n] + x[n + 1u];
}
fn b(n: u32) -> u32 {
  var y: array<u32, 20>;
  for (var k = n; k < 20u; k++) { y[k] += k; }
  return y[n % 8u] + y[19u - n] * 7u;
}
fn c(n: u32) -> u32 {
  var z: array<u32, 20>;
  z[n + 2u] = 5u;
  return z[n] + z[n + 2u] * 11u + z[n + 1u] * 13u;
}
)";

std::size_t arrays_of(const Program& program) {
  const std::vector<bool> touched = touched_buffers(program);
  std::size_t count = 0;
  for (std::size_t i = 0; i < touched.size(); ++i)
    if (touched[i] && program.buffers[i].space == Space::local) ++count;
  return count;
}

/// Expects `left` arrays of a text's, and the same bytes after every pass.
void expect_arrays(std::size_t left, const std::string& text) {
  const auto valid = parse_wgsl(text);
  ASSERT_TRUE(valid) << valid.error().to_string();
  const Program shared = share_arrays(valid->program());
  EXPECT_EQ(arrays_of(shared), left) << text << dump(shared);
  PassInputs inputs;
  inputs.buffers = {{static_cast<BufferId>(0), std::vector<std::byte>(32), 8}};
  EXPECT_EQ(check_passes(*valid, inputs, everything_target()), "") << text;
  EXPECT_EQ(check_passes(*valid, inputs, wgsl_target()), "") << text;
}

void expect_arrays_in_body(std::size_t left, const std::string& body) {
  expect_arrays(left, std::string(kFunctions) + R"(@compute @workgroup_size(8)
    fn main(@builtin(local_invocation_index) i: u32) { )" +
                          body + " }");
}

TEST(ShareArrays, CallsBehindEachOther) {
  expect_arrays_in_body(1, "let p = a(i); let q = b(i); o[i] = p + q * 100u + c(i) * 10000u;");
  expect_arrays_in_body(1, "o[i] = a(i) + b(i) * 3u + c(i) * 5u + a(i + 1u) + b(3u) + c(i);");
}

TEST(ShareArrays, CallsInLoops) {
  expect_arrays_in_body(1, "for (var k = 0u; k < 3u; k++) { o[i] += a(k) + b(i) * c(k); }");
  expect_arrays_in_body(
      1, "for (var k = 0u; k < 3u; k++) { if (k == i) { continue; } o[i] += a(k) + b(i) * c(k); }");
  expect_arrays_in_body(1,
                        "o[i] = a(i); for (var k = 0u; k < 3u; k++) { o[i] += b(k); } "
                        "o[i] += c(i);");
  expect_arrays_in_body(1,
                        "for (var k = 0u; k < 3u; k++) { o[i] += c(k); "
                        "for (var l = 0u; l < k; l++) { o[i] += b(l); } } o[i] += a(i);");
}

TEST(ShareArrays, CallsUnderConditions) {
  expect_arrays_in_body(1, "if (i < 3u) { o[i] = a(i); } else { o[i] = b(i); } o[i] += c(i);");
  expect_arrays_in_body(1,
                        "switch i { case 1u: { o[i] = a(i); } case 2u: { o[i] = b(i); return; } "
                        "default: { o[i] = c(i); } } o[i] += c(i);");
}

TEST(ShareArrays, NotWhileTheOtherLives) {
  expect_arrays_in_body(2, "var m: array<u32, 20>; m[i] = 5u; o[i] = a(i) + b(i); o[i] += m[i];");
  expect_arrays_in_body(2,
                        "var m: array<u32, 20>; m[i] = 5u; o[i] = m[i + 1u]; "
                        "var n: array<u32, 20>; n[i] = 7u; o[i] += n[i] * 3u + m[i];");
  // What one turn leaves is seen by the next.
  expect_arrays_in_body(3,
                        "var m: array<u32, 20>; var n: array<u32, 20>; "
                        "for (var k = 0u; k < 3u; k++) { m[i] += k + 1u; o[i] += m[i]; "
                        "n[i] += m[i]; o[i] += n[i] * 9u + c(k); }");
}

TEST(ShareArrays, ThatStartAsValues) {
  const std::string values = "array<u32, 5>(1u, i, 3u, 4u, 5u)";
  expect_arrays_in_body(1, "for (var k = 0u; k < 5u; k++) { var m = " + values +
                               "; m[k] += 1u; o[i] += m[i % 5u]; var n = " + values +
                               "; n[k] += 2u; o[i] += n[4u - k]; }");
  expect_arrays_in_body(1, "var m = " + values +
                               "; m[i % 5u] = 9u; o[i] = m[(i + 1u) % 5u]; "
                               "var n = m_of(m[0], i); o[i] += n[i % 5u]; } "
                               "fn m_of(x: u32, i: u32) -> array<u32, 5> { return " +
                               values + ";");
}

/// Structures, vectors and arrays of arrays are zeroed to the last component.
TEST(ShareArrays, OfAnyLayout) {
  const std::string text = R"(
    struct S { n: u32, m: array<array<vec3<u32>, 17>, 18>, l: array<f32, 3> }
    @group(0) @binding(0) var<storage, read_write> o: array<u32, 8>;
    fn sum(s: ptr<function, S>, i: u32) -> u32 {
      var r = s.n + u32(s.l[i % 3u]);
      for (var k = 0u; k < 18u; k++) { let v = s.m[k][(k + i) % 17u]; r = r * 3u + v.x + v.y + v.z; }
      for (var k = 0u; k < 18u; k++) { s.m[k][(k + i) % 17u] += vec3(k, 1, i); }
      s.n += 3u;
      s.l[(i + 1u) % 3u] = 2.0;
      return r;
    }
    fn f(i: u32) -> u32 { var s: S; let r = sum(&s, i); return r + sum(&s, i + 1u); }
    fn g(i: u32) -> u32 { var t: S; let r = sum(&t, i + 1u); return r + sum(&t, i); }
    @compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: u32) {
      o[i] = f(i) * 5u + g(i);
      for (var k = 0u; k < i; k++) { o[i] += g(k) * 7u + f(k); }
    })";
  expect_arrays(1, text);
}

TEST(ShareArrays, NotOfDifferentLayouts) {
  expect_arrays_in_body(2,
                        "var m: array<u32, 21>; m[i] = 5u; o[i] = m[i + 1u] + m[i]; o[i] += a(i);");
}

/// Builds a loop that nearly stores to all of an array before it reads it.
void expect_kept(const std::string& start) {
  expect_arrays_in_body(2,
                        "var m: array<u32, 20>; var n: array<u32, 20>; "
                        "for (var k = 0u; k < 3u; k++) { " +
                            start +
                            " m[i] += 2u; o[i] += m[i] + m[i + 1u]; "
                            "for (var j = 0u; j < 20u; j++) { n[j] = 0u; } "
                            "n[i] += 2u; o[i] += n[i] + n[19u - i]; }");
}

TEST(ShareArrays, NotIfAnElementMayKeepItsValue) {
  expect_kept("for (var j = 0u; j < 19u; j++) { m[j] = 0u; }");
  expect_kept("for (var j = 1u; j < 20u; j++) { m[j] = 0u; }");
  expect_kept("for (var j = 0u; j < 20u; j += 2u) { m[j] = 0u; }");
  expect_kept("for (var j = 0u; j < 20u; j++) { m[k] = 0u; }");
  expect_kept("for (var j = 0u; j < 20u; j++) { if (j != i) { m[j] = 0u; } }");
  expect_kept("for (var j = 0u; j < 20u; j++) { if (j == i) { break; } m[j] = 0u; }");
  expect_kept("for (var j = 0u; j < 20u; j++) { m[j] = 0u; j += i & 1u; }");
  expect_kept(
      "var j = 0u; let z = j; loop { m[z] = 0u; j += 1u; continuing { break if j >= 20u; } }");
  expect_kept(
      "var j = 0u; loop { let z = j; m[z] = m[19u - z]; j = z + 1u; "
      "continuing { break if j >= 20u; } }");
  expect_kept(
      "var j = i; loop { let z = j; m[z] = 0u; j = z + 1u; "
      "continuing { break if j >= 20u; } }");
}

/// The sum after sharing is what a target's limit is compared with.
TEST(ShareArrays, CountAgainstTheLimitOnce) {
  const auto valid = parse_wgsl(std::string(kFunctions) + R"(@compute @workgroup_size(8)
    fn main(@builtin(local_invocation_index) i: u32) { o[i] = a(i) + b(i) + c(i); })");
  ASSERT_TRUE(valid) << valid.error().to_string();
  Target target = wgsl_target();
  target.max_local_bytes = 80;
  EXPECT_TRUE(lower(*valid, target));
  target.max_local_bytes = 79;
  const auto lowered = lower(*valid, target);
  ASSERT_FALSE(lowered);
  EXPECT_EQ(lowered.error().code(), "device-limit");
  EXPECT_EQ(lowered.error().kind(), ErrorKind::unsupported);
  EXPECT_NE(lowered.error().message().find("needs 80 bytes"), std::string::npos);
  EXPECT_NE(lowered.error().message().find("limit is 79"), std::string::npos);
}

}  // namespace
}  // namespace vyre::test
