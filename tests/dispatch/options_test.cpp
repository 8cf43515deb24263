// SPDX-License-Identifier: MIT OR Apache-2.0
#include <gtest/gtest.h>

#include "support/check_result.h"
#include "support/devices.h"
#include "support/kernels.h"

// Options that change how a kernel is run: carried out, or refused with a code.
namespace vyre::test {
namespace {

using Words = std::vector<std::uint32_t>;
using Size = std::array<std::uint32_t, 3>;

class Workgroups : public DeviceTest {};

TEST_P(Workgroups, OfAnotherSizeGiveTheSameResult) {
  const auto program = *copy_kernel<std::uint32_t>(64);
  const auto in = counting<std::uint32_t>(1000);
  for (const Size& size : {Size{1, 1, 1}, Size{7, 1, 1}, Size{64, 1, 1}, Size{256, 1, 1}}) {
    const auto outputs = device().dispatch(program, {{"in", in}}, {.workgroup = size});
    ASSERT_OK(outputs);
    EXPECT_EQ(to_vector(outputs->as<std::uint32_t>("out")), in) << size[0];
  }
}

TEST_P(Workgroups, CountTheGrid) {
  Builder b("count", {.workgroup = 64});
  auto runs = b.atomics("runs", Access::in_out, ScalarType::u32, 3);
  runs[0u].atomic_add(1u);
  runs[1u].atomic_add(b.global_id(0));
  runs[2u].atomic_add(b.global_id(1));
  const auto program = *b.build();
  const auto outputs =
      device().dispatch(program, {}, {.grid = {{3, 5, 1}}, .workgroup = Size{4, 2, 1}});
  ASSERT_OK(outputs);
  EXPECT_EQ(to_vector(outputs->as<std::uint32_t>("runs")),
            (Words{120, 12 * 11 / 2 * 10, 10 * 9 / 2 * 12}));
}

INSTANTIATE_ON_DEVICES(Workgroups);

class OptionRefusals : public DeviceTest {
 protected:
  /// A kernel that does `body` and then writes one word.
  template <typename F>
  static ValidProgram kernel(const F& body) {
    Builder b("fixed", {.workgroup = 64});
    auto out = b.in_out<std::uint32_t>("out", 1);
    const Value value = body(b);
    out[0u] = value;
    return *b.build();
  }

  void expect_fixed(const ValidProgram& program, const char* because) {
    EXPECT_REFUSED(device().dispatch(program, {}, {.workgroup = Size{32, 1, 1}}),
                   ErrorKind::invalid_argument, "workgroup-fixed", because);
    EXPECT_OK(device().dispatch(program, {}, {.workgroup = Size{64, 1, 1}}));
  }
};

TEST_P(OptionRefusals, WorkgroupsThatTheProgramSeesStay) {
  expect_fixed(kernel([](Builder& b) { return b.local_id(); }), "`local_id`");
  expect_fixed(kernel([](Builder& b) { return b.local_index(); }), "`local_index`");
  expect_fixed(kernel([](Builder& b) { return b.workgroup_id(1); }), "`workgroup_id`");
  expect_fixed(kernel([](Builder& b) { return b.num_workgroups(); }), "`num_workgroups`");
  expect_fixed(kernel([](Builder& b) {
                 b.workgroup_barrier();
                 return Value(1u);
               }),
               "a barrier");
  expect_fixed(kernel([](Builder& b) {
                 auto shared = b.workgroup<std::uint32_t>("shared", 4);
                 return shared[0u].load();
               }),
               "workgroup memory (`shared`)");
}

TEST_P(OptionRefusals, WorkgroupsOfImpossibleSizes) {
  const auto program = *copy_kernel<std::uint32_t>();
  const auto dispatch = [&](const Size& size) {
    return device().dispatch(program, {{"in", Words(4)}}, {.workgroup = size});
  };
  EXPECT_REFUSED(dispatch({64, 0, 1}), ErrorKind::invalid_argument, "workgroup-zero", "`copy`");
  EXPECT_FALSE(dispatch({1u << 20, 1, 1}));
  EXPECT_REFUSED(dispatch({8, 8, 1}), ErrorKind::invalid_argument, "grid-missing", "8 x 8 x 1");
}

TEST_P(OptionRefusals, WhatADeviceCannotCarryOutIsNotIgnored) {
  const auto program = *copy_kernel<std::uint32_t>();
  EXPECT_REFUSED(device().dispatch(program, {{"in", Words(4)}}, {.checks = true}),
                 ErrorKind::unsupported, "option-unsupported", "`checks`");
  EXPECT_REFUSED(device().dispatch(program, {{"in", Words(4)}}, {.fast_math = true}),
                 ErrorKind::unsupported, "option-unsupported", "`fast_math`");
}

INSTANTIATE_ON_ALL_DEVICES(OptionRefusals);

}  // namespace
}  // namespace vyre::test
