// SPDX-License-Identifier: MIT OR Apache-2.0
#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include "support/check_result.h"
#include "support/devices.h"
#include "support/kernels.h"

// Work that takes longer than its caller allows.
namespace vyre::test {
namespace {

using namespace std::chrono_literals;
using Words = std::vector<std::uint32_t>;

class Deadlines : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    auto program = busy_kernel();
    ASSERT_OK(program);
    busy_ = *std::move(program);
    ASSERT_OK(device().prepare(*busy_));
  }
  [[nodiscard]] const ValidProgram& busy() const { return *busy_; }
  /// At least a tenth of a second of work, by a generous estimate of the device.
  [[nodiscard]] DispatchOptions long_work(std::chrono::nanoseconds timeout) const {
    const std::uint32_t rounds = device().info().kind == DeviceKind::discrete ? 2000 : 1;
    return {.grid = {{4000, 1, 1}}, .repeat = rounds, .timeout = timeout};
  }
  void expect_alive() const {
    const auto program = copy_kernel<std::uint32_t>();
    ASSERT_OK(program);
    expect_words(device().dispatch(*program, {{"in", Words{1, 2, 3}}}), "out", {1, 2, 3});
  }

 private:
  std::optional<ValidProgram> busy_;
};

TEST_P(Deadlines, ThatPassAreTimeoutsAndTheDeviceLivesOn) {
  const auto late = device().dispatch(busy(), {}, long_work(1ms));
  EXPECT_REFUSED(late, ErrorKind::timeout, "deadline", "1 ms");
  expect_alive();
}

TEST_P(Deadlines, AreNamedAsTheyWereGivenWithTheOption) {
  const auto late = device().dispatch(busy(), {}, long_work(1ns));
  EXPECT_REFUSED(late, ErrorKind::timeout, "deadline", "deadline of 1 ns");
  EXPECT_NE(late.error().help().find("timeout"), std::string::npos) << late.error().help();
  expect_alive();
}

TEST_P(Deadlines, OfAWaitEndTheWaitAndNotTheWork) {
  const auto pending = device().submit(busy(), {}, long_work(120s));
  ASSERT_OK(pending);
  const auto early = pending->wait(1us);
  EXPECT_REFUSED(early, ErrorKind::timeout, "deadline", "1 us");
  expect_words(pending->wait(), "out", Words(64));
}

/// They allow no time, whoever counted wrong; nothing is said of times below zero.
TEST_P(Deadlines, BelowZeroAreZero) {
  const auto pending = device().submit(busy(), {}, long_work(120s));
  ASSERT_OK(pending);
  for (const auto wrong : {std::chrono::nanoseconds(-5ms), std::chrono::nanoseconds::min(), 0ns}) {
    const auto early = pending->wait(wrong);
    EXPECT_REFUSED(early, ErrorKind::timeout, "deadline", "deadline of 0 ms");
    const auto all = wait_all(std::span(&*pending, 1), wrong);
    ASSERT_EQ(all.size(), 1u);
    EXPECT_REFUSED(all[0], ErrorKind::timeout, "deadline", "deadline of 0 ms");
  }
  expect_words(pending->wait(), "out", Words(64));
  EXPECT_REFUSED(device().dispatch(busy(), {}, long_work(-5ms)), ErrorKind::timeout, "deadline",
                 "deadline of 0 ms");
  expect_alive();
}

/// What a late job uses is given to nobody before the device is done with it.
TEST_P(Deadlines, ThatPassKeepTheMemoryUntilTheDeviceIsDone) {
  device().trim();
  const std::uint64_t lent = device().stats().live_bytes;
  ASSERT_FALSE(device().dispatch(busy(), {}, long_work(1ms)));
  const auto limit = std::chrono::steady_clock::now() + 60s;
  while (device().stats().live_bytes != lent && std::chrono::steady_clock::now() < limit) {
    expect_alive();
    device().trim();
  }
  EXPECT_EQ(device().stats().live_bytes, lent);
}

INSTANTIATE_ON_DEVICES(Deadlines);

class LongDispatchDeadlines : public Deadlines {};

/// Half a minute of a software GPU, which cannot be stopped.
TEST_P(LongDispatchDeadlines, OfTwoSecondsEndAKernelOfThirty) {
  const auto start = std::chrono::steady_clock::now();
  ASSERT_OK(device().dispatch(busy(), {}, {.grid = {{4000, 1, 1}}, .repeat = 10}));
  const std::chrono::duration<double> each = (std::chrono::steady_clock::now() - start) / 10;
  const auto rounds = static_cast<std::uint32_t>(30 / each.count()) + 1;
  const auto late =
      device().dispatch(busy(), {}, {.grid = {{4000, 1, 1}}, .repeat = rounds, .timeout = 2s});
  EXPECT_REFUSED(late, ErrorKind::timeout, "deadline", "2000 ms");
  const auto program = copy_kernel<std::uint32_t>();
  ASSERT_OK(program);
  expect_words(device().dispatch(*program, {{"in", Words{1, 2, 3}}}, {.timeout = 300s}), "out",
               {1, 2, 3});
}

/// Short deadlines again and again: each is met or told, and the device outlives them all.
TEST_P(LongDispatchDeadlines, MayPassAgainAndAgain) {
  for (int round = 0; round < 50; ++round) {
    DispatchOptions options = long_work(round % 2 == 0 ? 1ms : 30s);
    options.grid = {{500, 1, 1}};
    const auto outputs = device().dispatch(busy(), {}, options);
    if (!outputs) {
      ASSERT_EQ(outputs.error().kind(), ErrorKind::timeout) << outputs.error().to_string();
    }
  }
  expect_alive();
}

INSTANTIATE_ON_DEVICES(LongDispatchDeadlines);

}  // namespace
}  // namespace vyre::test
