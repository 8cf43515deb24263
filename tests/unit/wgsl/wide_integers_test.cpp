// SPDX-License-Identifier: MIT OR Apache-2.0
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "vyre/wgsl.h"

#include "unit/wgsl/faults_of.h"
#include "validate/validate.h"

// The 64-bit integers `i64` and `u64`, as the native dialect of WGSL has them.
namespace vyre::wgsl {
namespace {

TEST(WideIntegers, EvaluatesConstantExpressions) {
  for (const char* claim : {"4294967301li == i64(4294967296) + 5li",
                            "18446744073709551615lu == ~0lu",
                            "0xfedcba9876543210lu >> 4u == 0xfedcba987654321lu",
                            "9223372036854775807li + 1li == i64(-9223372036854775807) - 1li",
                            "0lu - 1lu == 18446744073709551615lu",
                            "-7li / 2li == -3li",
                            "-7li % 3li == -1li",
                            "18446744073709551615lu / 2lu == 9223372036854775807lu",
                            "1li << 62u == 4611686018427387904li",
                            "1lu << 63u == 9223372036854775808lu",
                            "-1li >> 63u == -1li",
                            "18446744073709551615lu > 9223372036854775807lu",
                            "-1li < 0li",
                            "i32(4294967301li) == 5i",
                            "u32(-1li) == 4294967295u",
                            "i64(-1i) == -1li",
                            "u64(-1i) == 18446744073709551615lu",
                            "u64(4294967295u) == 4294967295lu",
                            "f32(4294967296li) == 4294967296.0f",
                            "f32(18446744073709551615lu) == 18446744073709551616.0f",
                            "i64(-3.9f) == -3li",
                            "u64(-1.0f) == 0lu",
                            "i64(2.5) == 2li",
                            "i64(true) == 1li",
                            "bool(4294967296li)",
                            "bitcast<u64>(-1li) == 18446744073709551615lu",
                            "countOneBits(-1li) == 64li",
                            "countLeadingZeros(1lu) == 63lu",
                            "max(-5li, 3li) == 3li",
                            "abs(-4294967296li) == 4294967296li",
                            "select(1lu, 2lu, true) == 2lu",
                            "dot(vec2<i64>(4294967296, 1), vec2<i64>(2, 3)) == 8589934595li",
                            "all(vec3<u64>(1, 2, 3) + 1lu == vec3<u64>(2, 3, 4))",
                            "array<i64, 2>(1, 2)[1] == 2li"})
    EXPECT_EQ(faults("const_assert " + std::string(claim) + "; fn f() {}"), Lines{}) << claim;
}

TEST(WideIntegers, FaultsOfConstantExpressions) {
  EXPECT_EQ(code_of("let a = 1lu / 0lu;"), "division-by-zero");
  EXPECT_EQ(code_of("let a = 1lu << 64u;"), "shift-out-of-range");
  EXPECT_EQ(code_of("var a = 1lu; a = a << 64u;"), "shift-out-of-range");
  EXPECT_EQ(code_of("var a = 1lu; a <<= 63u;"), "none");
  EXPECT_EQ(code_of("let a = 2lu << 63u;"), "value-out-of-range");
  EXPECT_EQ(code_of("let a = 1li << 63u;"), "value-out-of-range");
  EXPECT_EQ(code_of("let a = u64(-1);"), "value-out-of-range");
  EXPECT_EQ(code_of("let a = 18446744073709551616lu;"), "invalid-literal");
  EXPECT_EQ(code_of("let a = 9223372036854775808li;"), "invalid-literal");
}

TEST(WideIntegers, TypesDoNotMix) {
  EXPECT_EQ(code_of("let a = 1li + 1lu;"), "type-mismatch");
  EXPECT_EQ(code_of("let a = 1li + 1i;"), "type-mismatch");
  EXPECT_EQ(code_of("let a = 1li + 1;"), "none");
  EXPECT_EQ(code_of("let a = -1lu;"), "type-mismatch");
  EXPECT_EQ(code_of("let a = sin(1li);"), "no-overload");
  EXPECT_EQ(code_of("let a = insertBits(1lu, 2lu, 0, 1);"), "no-overload");
  EXPECT_EQ(code_of("var v = 1li; let a = extractBits(v, 0, 1);"), "no-overload");
  EXPECT_EQ(code_of("let a = bitcast<u64>(vec2u(1, 2));"), "no-overload");
  EXPECT_EQ(code_of("var a: atomic<u64>;"), code_of("var a: atomic<u32>;"));
  EXPECT_EQ(code_of("var a = 1lu; a++; a -= 2; a &= 4lu;"), "none");
}

/// What a kernel with this body needs beyond what every device has.
std::vector<Capability> needs(const std::string& body) {
  const auto program = parse_wgsl(
      "@group(0) @binding(0) var<storage, read_write> y: array<i64>;\n"
      "const table = array<i64, 3>(4294967301, -1, 7);\n"
      "@compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3u) {" +
      body + "}");
  if (!program) {
    ADD_FAILURE() << body << program.error().diagnostics().to_string();
    return {};
  }
  return needed_capabilities(program->program());
}

TEST(WideIntegers, AreACapability) {
  EXPECT_EQ(needs("y[id.x] = 4294967301li;"), std::vector{Capability::int64});
  EXPECT_EQ(needs("y[id.x] += table[id.y];"), std::vector{Capability::int64});
}

}  // namespace
}  // namespace vyre::wgsl
