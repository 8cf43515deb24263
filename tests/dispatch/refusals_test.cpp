// SPDX-License-Identifier: MIT OR Apache-2.0
#include <cstdint>

#include <gtest/gtest.h>

#include "vyre/wgsl.h"

#include "support/check_result.h"
#include "support/devices.h"
#include "support/kernels.h"

// Calls that are wrong: each is refused with a code, and the message names the thing.
namespace vyre::test {
namespace {

using Bytes = std::vector<std::uint8_t>;
using Words = std::vector<std::uint32_t>;

class Refusals : public DeviceTest {};

TEST_P(Refusals, NameTheInput) {
  const auto program = ordered_kernel();
  ASSERT_OK(program);
  const Words three = {1, 2, 3};
  const auto kind = ErrorKind::invalid_argument;
  EXPECT_REFUSED(device().dispatch(*program, {Input(three), Input(three)}), kind, "input-count",
                 "`a`, `b`, `c`");
  EXPECT_REFUSED(device().dispatch(*program, {Input(three), Input("b", three), Input("c", 7u)}),
                 kind, "mixed-inputs", "name");
  EXPECT_REFUSED(device().dispatch(*program, {Input("a", three), Input("b", three)}), kind,
                 "missing-input", "`c`");
  EXPECT_REFUSED(device().dispatch(*program, {Input("a", three), Input("c", 7u)}), kind,
                 "missing-count", "`b`");
  EXPECT_REFUSED(device().dispatch(*program, {Input("zz", three)}), kind, "unknown-buffer", "`zz`");
  EXPECT_REFUSED(device().dispatch(*program, {Input("out", three)}), kind, "output-supplied",
                 "`out`");
  EXPECT_REFUSED(device().dispatch(*program, {Input("a", three), Input("a", three)}), kind,
                 "input-twice", "`a`");
  EXPECT_REFUSED(device().dispatch(
                     *program, {Input("a", bits_of(Bytes(7))), Input("b", three), Input("c", 7u)}),
                 kind, "partial-element", "7");
  EXPECT_REFUSED(
      device().dispatch(*program, {Input("a", three), Input("b", three), Input("c", Words(2))}),
      kind, "input-too-long", "`c`");
  EXPECT_REFUSED(device().dispatch(*program, {Input("a", three), Input("b", three), Input("c", 7u)},
                                   {.counts = {{"zz", 1}}}),
                 kind, "unknown-buffer", "`zz`");
}

TEST_P(Refusals, NameTheOption) {
  const auto program = ordered_kernel();
  ASSERT_OK(program);
  const Words one = {1};
  const auto run = [&](DispatchOptions options) {
    return device().dispatch(*program, {Input("a", one), Input("b", one), Input("c", 7u)}, options);
  };
  const auto kind = ErrorKind::invalid_argument;
  EXPECT_REFUSED(run({.repeat = 0}), kind, "repeat-zero", "0");
  EXPECT_REFUSED(run({.repeat = 4000000000}), kind, "repeat-too-large", "4000000000");
  EXPECT_REFUSED(run({.max_output_bytes = 15}), kind, "output-budget", "15");
  EXPECT_OK(run({.max_output_bytes = 16}));
  EXPECT_REFUSED(run({.grid = {{1, 0, 1}}}), kind, "grid-zero", "y");
  EXPECT_REFUSED(run({.grid = {{0xffffffffu, 1, 1}}}), kind, "grid-too-large", "64");
}

/// A kernel that needs the type or operation.
Result<ValidProgram> needing(Capability capability) {
  switch (capability) {
    case Capability::f16:
      return parse_wgsl(
          "enable f16;\n@group(0) @binding(0) var<storage, read_write> x: array<f16>;\n"
          "@compute @workgroup_size(1) fn main() { x[0] += 1h; }");
    case Capability::int64:
      return parse_wgsl(
          "@group(0) @binding(0) var<storage, read_write> x: array<i64>;\n"
          "@compute @workgroup_size(1) fn main() { x[0] += 1li; }");
    case Capability::subgroups:
      return parse_wgsl(
          "@group(0) @binding(0) var<storage, read_write> x: array<u32>;\n"
          "@compute @workgroup_size(1) fn main() { x[0] = subgroupAdd(x[0]); }");
  }
  return Error(ErrorKind::unsupported, "no-such-capability", "no such capability");
}

TEST_P(Refusals, NameTheCapability) {
  for (const Capability capability : {Capability::f16, Capability::int64, Capability::subgroups}) {
    const auto program = needing(capability);
    ASSERT_OK(program);
    const auto outputs =
        device().dispatch(*program, {Input("x", bits_of(std::vector<std::uint64_t>{7}))});
    if (device().info().has(capability)) {
      EXPECT_OK(outputs);
    } else {
      EXPECT_REFUSED(outputs, ErrorKind::unsupported, "needs-capability", to_string(capability));
    }
  }
}

TEST_P(Refusals, NameTheOutputWithoutACount) {
  Builder b("no_count");
  auto out = b.output<std::uint32_t>("out");
  out[b.global_id()] = 1u;
  const auto program = b.build();
  ASSERT_OK(program);
  EXPECT_REFUSED(device().dispatch(*program, {}), ErrorKind::invalid_argument, "missing-count",
                 "`out`");
}

TEST_P(Refusals, NameTheWindowBeyondTheSize) {
  Builder b("wide_window");
  auto out = b.output<std::uint32_t>("out");
  out.window(4, 40);
  out[b.global_id()] = 1u;
  const auto program = b.build();
  ASSERT_OK(program);
  EXPECT_REFUSED(device().dispatch(*program, {}, {.counts = {{"out", 9}}}),
                 ErrorKind::invalid_argument, "window-outside", "36");
}

TEST_P(Refusals, NameTheMissingGrid) {
  Builder b("square", {.workgroup = {4, 4}});
  auto out = b.output<std::uint32_t>("out", 64);
  out[b.global_id()] = 1u;
  const auto program = b.build();
  ASSERT_OK(program);
  const auto refused = device().dispatch(*program, {});
  EXPECT_REFUSED(refused, ErrorKind::invalid_argument, "grid-missing", "4 x 4 x 1");
  EXPECT_EQ(refused.error().help(),
            "set DispatchOptions::grid, which counts workgroups, or threads, which counts "
            "invocations");
}

TEST_P(Refusals, NameTheOutputsBeyondTheBudget) {
  const auto program = copy_kernel<std::uint32_t>();
  ASSERT_OK(program);
  const auto refused = device().dispatch(*program, {{"in", Words(100)}}, {.max_output_bytes = 399});
  EXPECT_REFUSED(refused, ErrorKind::invalid_argument, "output-budget", "400");
  EXPECT_NE(refused.error().message().find("399"), std::string::npos);
}

TEST_P(Refusals, NameTheCountThatDisagrees) {
  const auto program = copy_kernel<std::uint32_t>();
  ASSERT_OK(program);
  EXPECT_REFUSED(device().dispatch(*program, {{"in", Words(3)}}, {.counts = {{"in", 4}}}),
                 ErrorKind::invalid_argument, "count-disagrees", "`in`");
}

INSTANTIATE_ON_ALL_DEVICES(Refusals);

}  // namespace
}  // namespace vyre::test
