// SPDX-License-Identifier: MIT OR Apache-2.0
#include <gtest/gtest.h>

#include "support/check_result.h"
#include "support/devices.h"
#include "support/kernels.h"

// Indices that lead nowhere, in every memory; and flow that is refused.
namespace vyre::test {
namespace {

using Words = std::vector<std::uint32_t>;

class DispatchBounds : public DeviceTest {};

/// Reads `from[at[i]]` for the indices of interest of an array of `length` elements.
Words indices(std::uint32_t length) {
  return {0, length - 1, length, length + 1, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff};
}

Words reads(const Words& array) {
  Words result;
  for (const std::uint32_t i : indices(static_cast<std::uint32_t>(array.size())))
    result.push_back(i < array.size() ? array[i] : 0);
  return result;
}

/// A kernel that reads `declare`'s array of five at run-time indices.
template <typename F>
void check_reads(const Device& device, F&& declare, std::vector<Input> inputs) {
  Builder b("read", {.workgroup = 1});
  const Memory array = declare(b);
  auto at = b.input<std::uint32_t>("at");
  auto out = b.output<std::uint32_t>("out");
  out.same_length_as(at);
  const Value i = b.global_id();
  out[i] = array[at[i]];
  const auto program = b.build();
  ASSERT_OK(program);
  const Words places = indices(5);
  inputs.emplace_back("at", places);
  const auto outputs = device.dispatch(*program, inputs, {.grid = {{8, 1, 1}}});
  ASSERT_OK(outputs);
  EXPECT_EQ(to_vector(outputs->as<std::uint32_t>("out")), reads({11, 22, 33, 44, 55}));
}

const Words kFive = {11, 22, 33, 44, 55};

TEST_P(DispatchBounds, ReadsOutsideGiveZeroInStorage) {
  check_reads(device(), [](Builder& b) { return b.input<std::uint32_t>("x"); },
              {Input("x", kFive)});
  check_reads(device(), [](Builder& b) { return b.input<std::uint32_t>("x", 5); },
              {Input("x", kFive)});
  const std::vector<std::uint8_t> bytes = {11, 22, 33, 44, 55};
  check_reads(device(), [](Builder& b) { return b.input<std::uint8_t>("x"); }, {Input("x", bytes)});
  check_reads(device(), [](Builder& b) { return b.input<std::uint8_t>("x", 5); },
              {Input("x", bytes)});
}

TEST_P(DispatchBounds, ReadsOutsideGiveZeroInConstantLocalAndWorkgroupMemory) {
  const auto fill = [](Builder& b, Memory array) {
    for (std::uint32_t n = 0; n < 5; ++n)
      array[n] = kFive[n];
    (void)b;
    return array;
  };
  check_reads(device(), [](Builder& b) { return b.constant("x", ScalarType::u32, kFive); }, {});
  check_reads(device(), [&](Builder& b) { return fill(b, b.local<std::uint32_t>("x", 5)); }, {});
  check_reads(device(), [&](Builder& b) { return fill(b, b.workgroup<std::uint32_t>("x", 5)); },
              {});
}

TEST_P(DispatchBounds, ReadsOfANestedLevelAreTestedByItsOwnCount) {
  Builder b("nested", {.workgroup = 1});
  auto table = b.structure("table", Space::uniform, Access::input,
                           {{"rows", ScalarType::u32, 4, 2}, {"after", ScalarType::u32}});
  auto out = b.output<std::uint32_t>("out", 4);
  const Value one = b.global_id() + 1u;
  out[0] = table.member("rows")[one][one];
  out[1] = table.member("rows")[one][one + 3u];       // would be in the next row
  out[2] = table.member("rows")[one + 1u][one - 1u];  // would be `after`
  out[3] = table.member("after");
  const auto program = b.build();
  ASSERT_OK(program);
  const Words input = {1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 0};
  const auto outputs = device().dispatch(*program, {Input("table", input)}, {.grid = {{1, 1, 1}}});
  ASSERT_OK(outputs);
  EXPECT_EQ(to_vector(outputs->as<std::uint32_t>("out")), (Words{6, 0, 0, 9}));
}

TEST_P(DispatchBounds, ConstantIndicesOutsideDoNothing) {
  for (const std::uint32_t at : {5u, 1000u, 0x40000000u, 0x80000000u, 0xfffffffeu, 0xffffffffu}) {
    Builder b("constant_index", {.workgroup = 1});
    auto open = b.in_out<std::uint32_t>("open");
    auto fixed = b.in_out<std::uint32_t>("fixed", 5);
    auto counters = b.atomics("counters", Access::in_out, ScalarType::u32);
    open[0] = open[0] + open[at] + fixed[at];
    open[at] = 1u;
    fixed[at] = 1u;
    counters[0].atomic_store(counters[at].atomic_add(1u) + 3u);
    const auto program = b.build();
    ASSERT_OK(program);
    const auto outputs = device().dispatch(
        *program, {Input("open", kFive), Input("fixed", kFive), Input("counters", kFive)},
        {.grid = {{1, 1, 1}}});
    ASSERT_OK(outputs);
    EXPECT_EQ(to_vector(outputs->as<std::uint32_t>("open")), kFive);
    EXPECT_EQ(to_vector(outputs->as<std::uint32_t>("fixed")), kFive);
    EXPECT_EQ(to_vector(outputs->as<std::uint32_t>("counters")), (Words{3, 22, 33, 44, 55}));
  }
}

TEST_P(DispatchBounds, WritesOutsideDoNothing) {
  for (const std::uint32_t count : {0u, 5u}) {
    Builder b("write", {.workgroup = 8});
    auto x = b.in_out<std::uint32_t>("x", count);
    auto narrow = b.in_out<std::uint8_t>("narrow", count);
    auto at = b.input<std::uint32_t>("at", 8);
    const Value i = b.global_id();
    x[at[i]] = i + 100u;
    narrow[at[i]] = i + 100u;
    const auto program = b.build();
    ASSERT_OK(program);
    const std::vector<std::uint8_t> bytes = {1, 2, 3, 4, 5};
    const auto outputs = device().dispatch(
        *program, {Input("x", kFive), Input("narrow", bytes), Input("at", indices(5))});
    ASSERT_OK(outputs);
    EXPECT_EQ(to_vector(outputs->as<std::uint32_t>("x")), (Words{100, 22, 33, 44, 101}));
    EXPECT_EQ(to_vector(outputs->as<std::uint8_t>("narrow")),
              (std::vector<std::uint8_t>{100, 2, 3, 4, 101}));
  }
}

TEST_P(DispatchBounds, AtomicsOutsideDoNothingAndGiveZero) {
  Builder b("atomics", {.workgroup = 8});
  auto x = b.atomics("x", Access::in_out, ScalarType::u32);
  auto at = b.input<std::uint32_t>("at", 8);
  auto old = b.output<std::uint32_t>("old", 8);
  const Value i = b.global_id();
  old[i] = x[at[i]].atomic_add(1000u);
  const auto program = b.build();
  ASSERT_OK(program);
  const auto outputs = device().dispatch(*program, {Input("x", kFive), Input("at", indices(5))});
  ASSERT_OK(outputs);
  EXPECT_EQ(to_vector(outputs->as<std::uint32_t>("x")), (Words{1011, 22, 33, 44, 1055}));
  EXPECT_EQ(to_vector(outputs->as<std::uint32_t>("old")), (Words{11, 55, 0, 0, 0, 0, 0, 0}));
}

INSTANTIATE_ON_DEVICES(DispatchBounds);

// ------------------------------------------------------------------------------- refused flow

void expect_divergent(Builder& b) {
  const auto program = b.build();
  ASSERT_FALSE(program);
  bool found = false;
  for (const Diagnostic& fault : program.error().diagnostics())
    found |= fault.code == Code::divergent_barrier;
  EXPECT_TRUE(found) << program.error().to_string();
}

TEST(DispatchFlow, ABarrierUnderADivergentConditionIsRefused) {
  Builder b("under_if");
  auto k = b.uniform<std::uint32_t>("k");
  b.if_(b.global_id() < k, [&] { b.workgroup_barrier(); });
  expect_divergent(b);
}

TEST(DispatchFlow, ABarrierAfterADivergentReturnIsRefused) {
  Builder b("after_return");
  auto k = b.uniform<std::uint32_t>("k");
  b.if_(b.global_id() >= k, [&] { b.return_(); });
  b.storage_barrier();
  expect_divergent(b);
}

TEST(DispatchFlow, ABarrierInALoopThatLanesLeaveAloneIsRefused) {
  Builder b("lane_loop");
  auto i = b.var(Value(0u));
  b.while_([&] { return i.get() < b.local_index(); },
           [&] {
             b.workgroup_barrier();
             i += 1u;
           });
  expect_divergent(b);
}

TEST(DispatchFlow, BarriersUnderUniformConditionsAreAccepted) {
  Builder b("uniform_flow");
  auto k = b.uniform<std::uint32_t>("k");
  auto i = b.var(Value(0u));
  b.if_(Value(k) < b.num_workgroups(), [&] { b.workgroup_barrier(); });
  b.while_([&] { return i.get() < Value(k); },
           [&] {
             b.workgroup_barrier();
             i += 1u;
           });
  b.if_(b.workgroup_id() == 3u, [&] { b.return_(); });
  b.storage_barrier();
  EXPECT_OK(b.build());
}

}  // namespace
}  // namespace vyre::test
