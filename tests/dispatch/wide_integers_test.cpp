// SPDX-License-Identifier: MIT OR Apache-2.0
#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "vyre/wgsl.h"

#include "support/check_result.h"
#include "support/devices.h"
#include "support/kernels.h"

// Integers of 64 bits: the full value where the device has them, else the coded refusal.
namespace vyre::test {
namespace {

using Wide = std::vector<std::int64_t>;

constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

class DispatchWideIntegers : public DeviceTest {
 protected:
  /// Checks what `out` holds after `body`, which sees each `x` and `y` of the inputs as `p` and
  /// `q`.
  void expect(const std::string& body,
              std::size_t per_element,
              const Wide& x,
              const Wide& y,
              const Wide& expected) const {
    const std::string n = std::to_string(x.size());
    const std::string each = std::to_string(per_element);
    const auto program = parse_wgsl(
        "@group(0) @binding(0) var<storage, read> x: array<i64, " + n +
        ">;\n@group(0) @binding(1) var<storage, read> y: array<i64, " + n +
        ">;\n@group(0) @binding(2) var<storage, read_write> out: array<i64, " + n + " * " + each +
        R"(>;
          const table = array<i64, 3>(4294967301, -1, 7);
          @compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3u) {
            let p = x[id.x]; let q = y[id.x]; let at = id.x * )" +
        each + ";\n" + body + "}");
    ASSERT_OK(program);
    const auto groups = static_cast<std::uint32_t>(x.size());
    const DispatchOptions options = {.grid = std::array<std::uint32_t, 3>{groups, 1, 1}};
    const auto outputs = device().dispatch(*program, {{"x", x}, {"y", y}}, options);
    if (device().info().has(Capability::int64)) {
      ASSERT_OK(outputs);
      EXPECT_EQ(to_vector(outputs->as<std::int64_t>("out")), expected) << body;
    } else {
      EXPECT_REFUSED(outputs, ErrorKind::unsupported, "needs-capability", "int64");
    }
  }
};

TEST_P(DispatchWideIntegers, AnElementHoldsTheFullValue) {
  expect("out[at] = p; out[at + 1] = table[u32(q)]; out[at + 2] = 4294967301li;", 3,
         {4294967301, kMin}, {0, 1}, {4294967301, 4294967301, 4294967301, kMin, -1, 4294967301});
}

TEST_P(DispatchWideIntegers, ArithmeticWraps) {
  expect(
      "out[at] = p + q; out[at + 1] = p - q; out[at + 2] = p * q; out[at + 3] = -p;", 4,
      {kMax, 4294967301}, {1, -10000000000},
      {kMin, kMax - 1, kMax, -kMax, -5705032699, 14294967301, -6056184862580896768, -4294967301});
}

TEST_P(DispatchWideIntegers, DivisionIsTheDefinedTable) {
  expect("out[at] = p / q; out[at + 1] = p % q;", 2, {kMin, kMin, -7, 7, 10000000000, kMax},
         {-1, 0, 3, -3, 4294967301, 0}, {kMin, 0, kMin, 0, -2, -1, -2, 1, 2, 1410065398, kMax, 0});
}

TEST_P(DispatchWideIntegers, ShiftsTakeTheCountModuloTheWidth) {
  expect(
      "out[at] = p << u32(q); out[at + 1] = p >> u32(q); "
      "out[at + 2] = i64(u64(p) >> u32(q));",
      3, {-8, 5, 5}, {1, 33, 66}, {-16, -4, 9223372036854775804, 42949672960, 0, 0, 20, 1, 1});
}

TEST_P(DispatchWideIntegers, BitsAreCountedInBothHalves) {
  expect(
      "out[at] = countOneBits(p); out[at + 1] = countLeadingZeros(p); "
      "out[at + 2] = countTrailingZeros(p); out[at + 3] = reverseBits(p); "
      "out[at + 4] = firstLeadingBit(p); out[at + 5] = firstTrailingBit(p);",
      6, {1, 1099511627776, 0, -1}, {0, 0, 0, 0},
      {1, 63, 0,  kMin, 0,  0,  1,  23, 40, 8388608, 40, 40,
       0, 64, 64, 0,    -1, -1, 64, 0,  0,  -1,      -1, 0});
}

TEST_P(DispatchWideIntegers, ComparisonsAndConversions) {
  expect(
      "out[at] = select(0li, 1li, p < q); out[at + 1] = select(0li, 1li, u64(p) < u64(q)); "
      "out[at + 2] = max(p, q); out[at + 3] = i64(i32(p)); out[at + 4] = i64(f32(p)); "
      "out[at + 5] = i64(f32(p) * 1e30); out[at + 6] = abs(p); out[at + 7] = sign(p);",
      8, {-4294967301, 4294967296}, {1, 4294967297},
      {1, 0, 1, -5, -4294967296, kMin, 4294967301, -1, 1, 1, 4294967297, 0, 4294967296,
       0x7fffff8000000000, 4294967296, 1});
}

INSTANTIATE_ON_DEVICES(DispatchWideIntegers);

}  // namespace
}  // namespace vyre::test
