// SPDX-License-Identifier: MIT OR Apache-2.0
#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "vyre/wgsl.h"

#include "support/check_result.h"
#include "support/devices.h"
#include "support/kernels.h"

// What a lane reads of another one: zero where that one is inactive or does not exist.
namespace vyre::test {
namespace {

using Words = std::vector<std::uint32_t>;

/// An operation as WGSL says it, and the lane it reads; `a` is the argument of the run.
struct Fetch {
  std::string_view text;
  std::function<std::uint64_t(std::uint64_t lane, std::uint64_t a)> from;
};

const std::array<Fetch, 14>& fetches() {
  static const std::array<Fetch, 14> all = {{
      {"subgroupShuffle(v, a[0])", [](auto, auto a) { return a; }},
      {"subgroupShuffle(v, lane + a[0])", [](auto lane, auto a) { return lane + a; }},
      {"subgroupShuffleXor(v, a[0])", [](auto lane, auto a) { return lane ^ a; }},
      {"subgroupShuffleUp(v, a[0])", [](auto lane, auto a) { return lane - a; }},
      {"subgroupShuffleDown(v, a[0])", [](auto lane, auto a) { return lane + a; }},
      {"subgroupBroadcast(v, 0u)", [](auto, auto) { return 0; }},
      {"subgroupBroadcast(v, 5u)", [](auto, auto) { return 5; }},
      {"subgroupBroadcast(v, 127u)", [](auto, auto) { return 127; }},
      {"quadBroadcast(v, 0u)", [](auto lane, auto) { return lane / 4 * 4; }},
      {"quadBroadcast(v, 1u)", [](auto lane, auto) { return lane / 4 * 4 + 1; }},
      {"quadBroadcast(v, 3u)", [](auto lane, auto) { return lane / 4 * 4 + 3; }},
      {"quadSwapX(v)", [](auto lane, auto) { return lane ^ 1; }},
      {"quadSwapY(v)", [](auto lane, auto) { return lane ^ 2; }},
      {"quadSwapDiagonal(v)", [](auto lane, auto) { return lane ^ 3; }},
  }};
  return all;
}

/// Which invocations take part.
struct Part {
  std::string_view text;
  std::function<bool(std::uint32_t index)> here;
};

const std::array<Part, 4>& parts() {
  static const std::array<Part, 4> all = {{
      {"true", [](auto) { return true; }},
      {"i % 3u != 1u", [](auto i) { return i % 3 != 1; }},
      {"i == 2u", [](auto i) { return i == 2; }},
      {"i >= 5u", [](auto i) { return i >= 5; }},
  }};
  return all;
}

class DispatchLanes : public DeviceTest {
 protected:
  /// Words 0, 1 of an invocation's row are the size of the subgroup and the lane.
  static constexpr std::size_t kRow = 16;

  [[nodiscard]] static std::string kernel(std::string_view type,
                                          std::string_view size,
                                          const Part& part) {
    const bool half = type == "f16";
    const bool vector = type.starts_with("vec");
    std::string text = half ? "enable f16;\n" : "";
    text += R"(enable subgroups;
      diagnostic(off, subgroup_uniformity);
      @group(0) @binding(0) var<storage, read> a: array<u32>;
      @group(0) @binding(1) var<storage, read_write> out: array<u32>;
      @compute @workgroup_size()";
    text += std::string(size) + R"()
      fn main(@builtin(local_invocation_index) i: u32, @builtin(subgroup_size) lanes: u32,
              @builtin(subgroup_invocation_id) lane: u32) {
        out[i * 16u] = lanes;
        out[i * 16u + 1u] = lane;
        let v = )";
    text += std::string(type) + "(i + 1u)" + ";\n if (" + std::string(part.text) + ") {\n";
    for (std::size_t k = 0; k < fetches().size(); ++k)
      text += "out[i * 16u + " + std::to_string(k + 2) + "u] = u32((" +
              std::string(fetches()[k].text) + ")" + (vector ? ".y" : "") + ");\n";
    return text + "} }\n";
  }

  void check(std::string_view type, std::string_view size, std::uint32_t count) const {
    for (const Part& part : parts()) {
      const auto program = parse_wgsl(kernel(type, size, part));
      ASSERT_OK(program);
      for (const std::uint32_t argument : {0u, 1u, 3u, 6u, 31u, 33u, 127u}) {
        const auto outputs = device().dispatch(
            *program, {{"a", Words{argument}}},
            {.grid = std::array<std::uint32_t, 3>{1, 1, 1}, .counts = {{"out", count * kRow}}});
        if (!device().info().has(Capability::subgroups)) {
          EXPECT_REFUSED(outputs, ErrorKind::unsupported, "needs-capability", "subgroups");
          continue;
        }
        ASSERT_OK(outputs);
        const std::span<const std::uint32_t> got = *outputs->as<std::uint32_t>("out");
        for (std::uint32_t i = 0; i < count; ++i)
          check_row(got.subspan(i * kRow, kRow), {part, argument, count, i},
                    std::string(type) + ", workgroup of " + std::string(size));
      }
    }
  }

 private:
  struct Row {
    const Part& part;
    std::uint32_t argument;
    std::uint32_t count;
    std::uint32_t at;
  };

  static void check_row(std::span<const std::uint32_t> got,
                        const Row& row,
                        const std::string& what) {
    const std::uint64_t lanes = got[0];
    const std::uint64_t lane = got[1];
    ASSERT_EQ(lane, row.at % lanes) << what;
    for (std::size_t k = 0; k < fetches().size(); ++k) {
      const std::uint64_t from = fetches()[k].from(lane, row.argument);
      const std::uint64_t source = row.at - lane + from;
      const bool there =
          from < lanes && source < row.count && row.part.here(static_cast<std::uint32_t>(source));
      const std::uint64_t wanted = row.part.here(row.at) && there ? source + 1 : 0;
      EXPECT_EQ(got[k + 2], wanted)
          << fetches()[k].text << " of " << what << ", invocation " << row.at
          << ", a = " << row.argument << ", where " << row.part.text;
    }
  }
};

TEST_P(DispatchLanes, ThatAreNotThereReadAsZero) {
  check("u32", "1", 1);
  check("u32", "3", 3);
  check("u32", "13", 13);
  check("u32", "40", 40);
}

TEST_P(DispatchLanes, ThatAreNotThereReadAsZeroInEveryType) {
  for (const std::string_view type : {"i32", "f32", "vec2u", "vec4u"})
    check(type, "13", 13);
  if (device().info().has(Capability::f16)) check("f16", "13", 13);
}

TEST_P(DispatchLanes, ThatAreNotThereReadAsZeroInWorkgroupsOfMoreDimensions) {
  check("u32", "3, 2, 2", 12);
}

INSTANTIATE_ON_DEVICES(DispatchLanes);

}  // namespace
}  // namespace vyre::test
