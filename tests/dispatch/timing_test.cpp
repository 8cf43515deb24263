// SPDX-License-Identifier: MIT OR Apache-2.0
#include <gtest/gtest.h>

#include "support/check_result.h"
#include "support/devices.h"
#include "support/kernels.h"

// Durations: there where the device measures, empty where it does not, never a zero.
namespace vyre::test {
namespace {

using Words = std::vector<std::uint32_t>;

class Timings : public DeviceTest {
 protected:
  [[nodiscard]] static DispatchOptions timed() { return {.timestamps = true}; }
  void expect_measured(const Timing& timing) const {
    EXPECT_EQ(timing.kernel.has_value(), device().info().has_timestamps);
    if (timing.kernel) {
      EXPECT_GT(timing.kernel->count(), 0);
      EXPECT_LT(*timing.kernel, std::chrono::hours(1)) << "ticks, not nanoseconds?";
    }
    if (timing.readback) {
      EXPECT_GT(timing.readback->count(), 0);
    }
    EXPECT_GT(timing.total.count(), 0);
  }
};

TEST_P(Timings, AreThereOnTheFirstUse) {
  const auto opened = open(device().info().selector());
  ASSERT_OK(opened);
  const auto program = add_kernel();
  ASSERT_OK(program);
  const auto outputs =
      opened->dispatch(*program, {{"x", Words(100000, 1)}, {"by", 1u}}, {.timestamps = true});
  ASSERT_OK(outputs);
  expect_measured(outputs->timing());
  EXPECT_TRUE(outputs->timing().compile.has_value());
  const auto again =
      opened->dispatch(*program, {{"x", Words(100000, 1)}, {"by", 1u}}, {.timestamps = true});
  ASSERT_OK(again);
  expect_measured(again->timing());
  EXPECT_FALSE(again->timing().compile.has_value()) << "it was compiled before";
}

TEST_P(Timings, AreEmptyWhereNobodyAsked) {
  const auto program = add_kernel();
  ASSERT_OK(program);
  const auto outputs = device().dispatch(*program, {{"x", Words(10)}, {"by", 1u}});
  ASSERT_OK(outputs);
  EXPECT_FALSE(outputs->timing().kernel.has_value());
  EXPECT_FALSE(outputs->timing().readback.has_value());
}

TEST_P(Timings, OfWhatRunsNothingAreEmpty) {
  const auto program = copy_kernel<std::uint32_t>();
  ASSERT_OK(program);
  const auto outputs = device().dispatch(*program, {{"in", Words{}}}, {.timestamps = true});
  ASSERT_OK(outputs);
  EXPECT_FALSE(outputs->timing().kernel.has_value());
}

TEST_P(Timings, OfLongWorkAreAsLongAsTheWork) {
  const auto busy = busy_kernel();
  ASSERT_OK(busy);
  const auto once = device().dispatch(*busy, {}, {.grid = {{20, 1, 1}}, .timestamps = true});
  const auto often =
      device().dispatch(*busy, {}, {.grid = {{20, 1, 1}}, .repeat = 20, .timestamps = true});
  ASSERT_OK(once);
  ASSERT_OK(often);
  expect_measured(once->timing());
  expect_measured(often->timing());
  if (often->timing().kernel) {
    EXPECT_LE(*often->timing().kernel, often->timing().total) << "both are nanoseconds";
  }
}

TEST_P(Timings, OfABatchAreOneAJob) {
  const auto program = add_kernel();
  ASSERT_OK(program);
  const Words words(1000);
  const Words by = {1};
  const std::vector<BatchJob> jobs(5, BatchJob{*program, {{"x", words}, {"by", by}}, timed()});
  const auto pending = device().submit_batch(jobs);
  ASSERT_EQ(pending.size(), 5u);
  for (const auto& job : pending) {
    ASSERT_OK(job);
    const auto outputs = job->wait();
    ASSERT_OK(outputs);
    expect_measured(outputs->timing());
  }
}

TEST_P(Timings, OfTwoHundredJobsAreAllThere) {
  const auto program = add_kernel();
  ASSERT_OK(program);
  const Words words(16);
  const Words by = {1};
  const std::vector<BatchJob> jobs(200, BatchJob{*program, {{"x", words}, {"by", by}}, timed()});
  for (const auto& job : device().submit_batch(jobs)) {
    ASSERT_OK(job);
    const auto outputs = job->wait();
    ASSERT_OK(outputs);
    expect_measured(outputs->timing());
  }
}

INSTANTIATE_ON_DEVICES(Timings);

}  // namespace
}  // namespace vyre::test
