// SPDX-License-Identifier: MIT OR Apache-2.0
#include <gtest/gtest.h>

#include "support/check_result.h"
#include "support/devices.h"
#include "support/kernels.h"

// Work that piles up, contended memory, and answers that are the same each time.
namespace vyre::test {
namespace {

using Words = std::vector<std::uint32_t>;

class Order : public DeviceTest {};

TEST_P(Order, FourHundredInputsInFlightKeepTheirBytes) {
  const auto program = sum_kernel();
  ASSERT_OK(program);
  constexpr std::uint32_t kInputs = 400;
  constexpr std::uint32_t kWords = 16384;  // 64 KiB
  std::vector<Pending> pending;
  Words expected;
  for (std::uint32_t n = 0; n < kInputs; ++n) {
    Words words(kWords);
    std::uint32_t sum = 0;
    for (std::uint32_t i = 0; i < kWords; ++i)
      sum += words[i] = (n + 1) * 2654435761u ^ i * 40503u;
    auto one = device().submit(*program, {{"x", words}});
    ASSERT_OK(one);
    pending.push_back(*std::move(one));
    expected.push_back(sum);
  }
  for (std::uint32_t n = 0; n < kInputs; ++n)
    expect_words(pending[n].wait(), "sum", {expected[n]});
}

TEST_P(Order, ADispatchIsTheSameEachTime) {
  Builder b("mix");
  auto x = b.in_out<float>("x");
  auto shared = b.workgroup<float>("shared", 64);
  const Value i = b.global_id();
  shared[b.local_index()] = x[i];
  b.workgroup_barrier();
  x[i] = shared[63u - b.local_index()] * 1.25f + ops::sin(x[i]);
  const auto program = b.build();
  ASSERT_OK(program);
  std::vector<float> input(1000);
  for (std::size_t n = 0; n < input.size(); ++n)
    input[n] = static_cast<float>(n) * 0.01f - 3;
  const auto first = device().dispatch(*program, {{"x", input}}, {.repeat = 3});
  ASSERT_OK(first);
  for (int round = 0; round < 20; ++round) {
    const auto again = device().dispatch(*program, {{"x", input}}, {.repeat = 3});
    ASSERT_OK(again);
    ASSERT_EQ(to_vector(again->bytes("x")), to_vector(first->bytes("x")));
  }
}

INSTANTIATE_ON_ALL_DEVICES(Order);

class Contention : public DeviceTest {};

TEST_P(Contention, SixteenMillionAdditionsOfOneCellAllCount) {
  Builder b("count", {.workgroup = 256});
  auto cell = b.atomics("cell", Access::output, ScalarType::u32, 1);
  cell[0].atomic_add(1u);
  const auto program = b.build();
  ASSERT_OK(program);
  constexpr std::uint32_t kGroups = (16u << 20) / 256;
  expect_words(device().dispatch(*program, {}, {.grid = {{kGroups / 8, 8, 1}}}), "cell",
               {16u << 20});
}

TEST_P(Contention, WhatAKernelDoesNotWriteKeepsItsBytes) {
  Builder b("even");
  auto x = b.in_out<std::uint32_t>("x");
  const Value i = b.global_id();
  b.if_(i % 2u == 0u, [&] { x[i] = x[i] + 1000u; });
  const auto program = b.build();
  ASSERT_OK(program);
  const auto words = counting<std::uint32_t>(999);
  Words expected = words;
  for (std::size_t n = 0; n < expected.size(); n += 2)
    expected[n] += 1000;
  expect_words(device().dispatch(*program, {{"x", words}}), "x", expected);
}

TEST_P(Contention, AnEmptyBodyGivesZeros) {
  Builder b("empty", {.workgroup = 1});
  b.output<std::uint32_t>("out", 1);
  const auto program = b.build();
  ASSERT_OK(program);
  expect_words(device().dispatch(*program, {}), "out", {0});
}

INSTANTIATE_ON_DEVICES(Contention);

}  // namespace
}  // namespace vyre::test
