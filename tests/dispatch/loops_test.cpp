// SPDX-License-Identifier: MIT OR Apache-2.0
#include <chrono>
#include <string>

#include <gtest/gtest.h>

#include "vyre/wgsl.h"

#include "support/check_result.h"
#include "support/devices.h"

// Loops end with the same results on every device, or the dispatch is an error.
namespace vyre::test {
namespace {

using namespace std::chrono_literals;
using Words = std::vector<std::uint32_t>;

/// Four words of `o` are the invocation's own; all bounds lie in memory.
struct Shape {
  const char* statements;
  Words wanted;
};
const Shape kShapes[] = {
    {"while (o[l] < 5u) { o[l] += 1u; } while (o[l + 1u] < 5u) { o[l + 1u] += 1u; }", {5, 5, 0, 0}},
    {"while (o[l] < 5u) { o[l + 1u] = 0u; while (o[l + 1u] < 3u) { o[l + 1u] += 1u; "
     "o[l + 2u] += 1u; } o[l] += 1u; }",
     {5, 3, 15, 0}},
    {"loop { if (o[l] >= 5u) { break; } o[l] += 1u; } loop { o[l + 1u] += 1u; "
     "if (o[l + 1u] >= 5u) { break; } }",
     {5, 5, 0, 0}},
    {"loop { o[l] += 1u; continuing { break if o[l] >= 5u; } } loop { o[l + 1u] += 1u; "
     "continuing { break if o[l + 1u] >= 6u; } }",
     {5, 6, 0, 0}},
    {"for (var i = 0u; i < q[0]; i++) { for (var j = 0u; j < q[1]; j++) { o[l] += 1u; } "
     "o[l + 1u] += 1u; }",
     {12, 3, 0, 0}},
    {"s = q[0]; workgroupBarrier(); while (o[l] < s) { o[l] += 1u; } "
     "while (o[l + 1u] < s) { o[l + 1u] += 1u; } workgroupBarrier(); o[l + 2u] = s;",
     {3, 3, 3, 0}},
};

std::string kernel_of(const std::string& statements, const std::string& size) {
  return "@group(0) @binding(0) var<storage, read_write> o: array<u32>;\n"
         "@group(0) @binding(1) var<storage, read> q: array<u32>;\n"
         "var<workgroup> s: u32;\n@compute @workgroup_size(" +
         size +
         ") fn main(@builtin(local_invocation_index) li: u32) {\n  let l = li * 4u;\n"
         "  if (q[2] == 9u) { o[l] = 7u; }\n  " +
         statements + "\n}\n";
}

class Loops : public DeviceTest {};

TEST_P(Loops, OneAfterTheOtherAndOneInTheOtherInWorkgroupsOfAnySize) {
  struct Size {
    const char* text;
    std::size_t lanes;
  };
  const Size sizes[] = {{"1", 1},    {"2", 2},     {"3", 3},   {"4", 4},       {"5", 5},
                        {"6", 6},    {"7", 7},     {"8", 8},   {"9", 9},       {"12", 12},
                        {"1, 3", 3}, {"4, 4", 16}, {"16", 16}, {"2, 2, 3", 12}};
  for (const Shape& shape : kShapes) {
    for (const Size& size : sizes) {
      const auto program = parse_wgsl(kernel_of(shape.statements, size.text));
      ASSERT_OK(program);
      Words wanted;
      for (std::size_t i = 0; i < size.lanes; ++i)
        wanted.insert(wanted.end(), shape.wanted.begin(), shape.wanted.end());
      SCOPED_TRACE(std::string(size.text) + ": " + shape.statements);
      expect_words(device().dispatch(*program, {{"o", Words(wanted.size())}, {"q", Words{3, 4, 5}}},
                                     {.grid = {{1, 1, 1}}}),
                   "o", wanted);
    }
  }
}

/// More turns than some drivers allow: the right answer or an error, never other bytes.
TEST_P(Loops, OfManyTurnsGiveTheAnswerOrAnError) {
  for (const std::uint32_t turns : {1000u, 40000u, 65533u, 65536u, 131072u, 300000u}) {
    for (const char* statements : {
             "for (var i = 0u; i < q[0]; i++) { o[l] += 1u; }",
             "for (var i = 0u; i < q[0] / 500u; i++) { for (var j = 0u; j < 500u; j++) { "
             "o[l] += 1u; } } o[l] += q[0] % 500u;",
             "if (li < 2u) { for (var i = 0u; i < q[0]; i++) { o[l] += 1u; } } else { "
             "for (var i = 0u; i < q[0]; i++) { o[l] += 1u; } }",
         }) {
      const auto program = parse_wgsl(kernel_of(statements, "4"));
      ASSERT_OK(program);
      const auto outputs =
          device().dispatch(*program, {{"o", Words(16)}, {"q", Words{turns, 0, 0}}},
                            {.grid = {{1, 1, 1}}, .timeout = 120s});
      const bool limited = device().info().limits.loop_turns < 4 * std::uint64_t{turns};
      if (!outputs && limited) {
        EXPECT_EQ(outputs.error().kind(), ErrorKind::trapped) << outputs.error().to_string();
        continue;
      }
      SCOPED_TRACE(std::to_string(turns) + ": " + statements);
      expect_words(outputs, "o", {turns, 0, 0, 0, turns, 0, 0, 0, turns, 0, 0, 0, turns, 0, 0, 0});
    }
  }
}

INSTANTIATE_ON_DEVICES(Loops);

}  // namespace
}  // namespace vyre::test
