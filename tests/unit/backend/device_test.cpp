// SPDX-License-Identifier: MIT OR Apache-2.0
#include "vyre/device.h"

#include <numeric>

#include <gtest/gtest.h>

#include "vyre/builder.h"

namespace vyre {
namespace {

ValidProgram saxpy() {
  Builder b("saxpy", {.workgroup = 256});
  auto x = b.input<float>("x");
  auto y = b.in_out<float>("y");
  auto a = b.uniform<float>("a");
  auto i = b.global_id();
  b.if_(i < y.length(), [&] { y[i] = a * x[i] + y[i]; });
  auto program = b.build();
  EXPECT_TRUE(program) << program.error().to_string();
  return *program;
}

TEST(Device, CpuRunsSaxpyOnViews) {
  const auto device = open("cpu");
  ASSERT_TRUE(device) << device.error().to_string();
  std::vector<float> x(1000);
  std::iota(x.begin(), x.end(), 0.0f);
  const std::vector<float> y(1000, 1.0f);
  const auto out = device->dispatch(saxpy(), {{"x", x}, {"y", y}, {"a", 2.0f}});
  ASSERT_TRUE(out) << out.error().to_string();
  const auto result = out->as<float>("y");
  ASSERT_EQ(result.size(), 1000u);
  for (std::size_t i = 0; i < 1000; ++i)
    ASSERT_EQ(result[i], 2.0f * static_cast<float>(i) + 1.0f);
}

TEST(Device, PositionalInputsFollowDeclarationOrder) {
  const auto device = open("cpu");
  const std::vector<float> x = {1, 2, 3};
  const std::vector<float> y = {10, 20, 30};
  const std::vector<float> a = {0.5f};
  const auto out = device->dispatch(saxpy(), {Input(x), Input(y), Input(a)});
  ASSERT_TRUE(out) << out.error().to_string();
  EXPECT_EQ(out->as<float>("y")[2], 31.5f);
}

TEST(Device, ResidentBuffersStayOnTheDevice) {
  const auto device = open("cpu");
  const auto x = device->allocate(12);
  const auto y = device->allocate(12);
  const std::vector<float> ones = {1, 1, 1};
  ASSERT_TRUE(x->upload(std::as_bytes(std::span(ones))));
  for (int i = 0; i < 5; ++i) {
    const auto out = device->dispatch(saxpy(), {{"x", *x}, {"y", *y}, {"a", 1.0f}});
    ASSERT_TRUE(out) << out.error().to_string();
    EXPECT_EQ(out->size(), 0u);
  }
  std::vector<float> back(3);
  ASSERT_TRUE(y->download(std::as_writable_bytes(std::span(back))));
  EXPECT_EQ(back, std::vector<float>({5, 5, 5}));
}

TEST(Device, StagedMemoryIsConsumedOnce) {
  const auto device = open("cpu");
  auto x = device->stage<float>(3);
  ASSERT_TRUE(x);
  for (std::size_t i = 0; i < 3; ++i)
    (*x)[i] = 1.0f;
  const std::vector<float> y = {1, 2, 3};
  const auto out = device->dispatch(saxpy(), {{"x", *x}, {"y", y}, {"a", 4.0f}});
  ASSERT_TRUE(out) << out.error().to_string();
  EXPECT_EQ(out->as<float>("y")[0], 5.0f);
  const auto again = device->dispatch(saxpy(), {{"x", *x}, {"y", y}, {"a", 4.0f}});
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code(), "staged-consumed");
}

TEST(Device, NullDeviceGivesBackWhatWentIn) {
  const Device device = *open("null");
  const std::vector<float> x(100, 1.0f);
  const std::vector<float> y(100, 7.0f);
  for (int i = 0; i < 100; ++i) {
    const auto out = device.dispatch(saxpy(), {{"x", x}, {"y", y}, {"a", 2.0f}});
    ASSERT_TRUE(out) << out.error().to_string();
    EXPECT_EQ(out->as<float>("y")[99], 7.0f);
  }
  EXPECT_LE(device.stats().allocations, 10u);
  EXPECT_GE(device.stats().binding_hits, 95u);
}

TEST(Device, BatchKeepsBadJobsApart) {
  const Device device = *open("null");
  const std::vector<float> x(4, 1.0f);
  const float a = 2.0f;
  const ValidProgram program = saxpy();
  const BatchJob jobs[] = {{program, {{"x", x}, {"y", x}, {"a", a}}},
                           {program, {{"x", x}, {"y", x}}},
                           {program, {{"x", x}, {"y", x}, {"a", a}}}};
  const auto pending = device.submit_batch(jobs);
  ASSERT_EQ(pending.size(), 3u);
  ASSERT_FALSE(pending[1]);
  EXPECT_EQ(pending[1].error().code(), "missing-input");
  EXPECT_EQ(device.stats().submissions, 1u);
  for (const std::size_t i : {std::size_t{0}, std::size_t{2}}) {
    const auto out = pending[i]->wait();
    ASSERT_TRUE(out) << out.error().to_string();
    EXPECT_EQ(out->as<float>("y").size(), 4u);
  }
}

TEST(Device, TrapIsAnErrorWithItsTextAndInvocation) {
  Builder b("checked", {.workgroup = 4});
  auto x = b.in_out<std::uint32_t>("x");
  auto i = b.global_id();
  b.if_(i < x.length(), [&] {
    b.assert_(x[i] != 0u, "zero found", i);
    x[i] = 1;
  });
  const auto program = b.build();
  ASSERT_TRUE(program) << program.error().to_string();
  const auto device = open("cpu");
  const std::vector<std::uint32_t> data = {1, 1, 1, 1, 1, 0, 1, 1};
  const auto out = device->dispatch(*program, {{"x", data}});
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error().kind(), ErrorKind::trapped);
  EXPECT_NE(out.error().message().find("zero found (value 5, invocation (5, 0, 0))"),
            std::string::npos)
      << out.error().message();
}

}  // namespace
}  // namespace vyre
