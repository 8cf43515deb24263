// SPDX-License-Identifier: MIT OR Apache-2.0
#include <chrono>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "vyre/builder.h"
#include "vyre/sequence.h"

#include "backend/device.h"
#include "backend/null/null.h"
#include "support/check_result.h"
#include "support/forwarding_driver.h"
#include "support/kernels.h"

// What a device measures comes back in the readback block, each list's at its own place.
namespace vyre {
namespace {

using std::chrono::nanoseconds;

/// The null device with a clock that ticks once a timed list: its marks are the tick.
class MarkingDriver final : public test::ForwardingDriver {
 public:
  explicit MarkingDriver(std::uint32_t step)
      : ForwardingDriver(null::make_driver()), info_(inner().info()), traits_(inner().traits()) {
    info_.has_timestamps = true;
    traits_.mark_bytes = sizeof(std::uint64_t);
    traits_.time_step = step;
  }
  [[nodiscard]] const DeviceInfo& info() const override { return info_; }
  [[nodiscard]] const DriverTraits& traits() const override { return traits_; }
  Status submit(std::span<const CommandList> lists, const SubmitOptions& options) override {
    for (const CommandList& list : lists)
      if (list.times != nullptr) mark(list);
    return inner().submit(lists, options);
  }
  [[nodiscard]] DeviceTimes times_of(std::span<const std::byte> marks, bool ran) const override {
    std::uint64_t tick = 0;
    std::memcpy(&tick, marks.data(), sizeof tick);
    return {.kernel = ran ? tick * traits_.time_step : 0, .known = true};
  }

 private:
  void mark(const CommandList& list) {
    list.times->known = true;
    EXPECT_EQ(list.marks.size, sizeof tick_);
    EXPECT_EQ(list.marks.offset % 8, 0u);
    ++tick_;
    inner().map(*list.marks.block);
    std::memcpy(list.marks.block->data() + list.marks.offset, &tick_, sizeof tick_);
    inner().unmap(*list.marks.block);
  }

  DeviceInfo info_;
  DriverTraits traits_;
  std::uint64_t tick_ = 0;
};

/// x[i] += by.
ValidProgram adding() {
  Builder b("add", {.workgroup = 64});
  auto x = b.in_out<std::uint32_t>("x");
  auto by = b.uniform<std::uint32_t>("by");
  const Value i = b.global_id();
  x[i] = x[i] + by;
  return *b.build();
}

class Times : public testing::Test {
 protected:
  static Device device_with(std::uint32_t step) {
    auto impl = DeviceImpl::make(std::make_unique<MarkingDriver>(step), {});
    EXPECT_TRUE(impl);
    return make_device(*std::move(impl));
  }
  static DispatchOptions timed() { return {.timestamps = true}; }
  static void expect_kernel(const Result<Outputs>& outputs, std::int64_t time) {
    ASSERT_OK(outputs);
    ASSERT_TRUE(outputs->timing().kernel);
    EXPECT_EQ(*outputs->timing().kernel, nanoseconds(time));
  }

  const Device device_ = device_with(1);
  const ValidProgram copy_ = *test::copy_kernel<std::uint32_t>();
  const ValidProgram add_ = adding();
  const std::vector<std::uint32_t> words_ = {1, 2, 3};
};

TEST_F(Times, LieBesideTheOutputs) {
  const auto outputs = device_.dispatch(copy_, {{"in", words_}}, timed());
  expect_kernel(outputs, 1);
  EXPECT_EQ(outputs->as<std::uint32_t>("out").size(), 3u);
  EXPECT_FALSE(outputs->timing().readback) << "the device did not measure it";
  EXPECT_FALSE(outputs->timing().step) << "a clock of nanoseconds";
  const auto plain = device_.dispatch(copy_, {{"in", words_}});
  ASSERT_OK(plain);
  EXPECT_FALSE(plain->timing().kernel);
}

/// Also where equal jobs are planned once.
TEST_F(Times, OfABatchAreEachJobsOwn) {
  const auto buffer = device_.allocate(64);
  ASSERT_OK(buffer);
  for (std::int64_t round = 0; round < 3; ++round) {
    const Buffer by = *device_.allocate(4);
    std::vector<BatchJob> jobs(4, BatchJob{add_, {{"x", *buffer}, {"by", by}}, timed()});
    jobs[1].options.timestamps = false;
    jobs.push_back({copy_, {{"in", words_}}, timed()});
    const auto batch = device_.submit_batch(jobs);
    std::int64_t tick = 4 * round;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      ASSERT_OK(batch[i]);
      if (i != 1) {
        expect_kernel(batch[i]->wait(), ++tick);
        continue;
      }
      const auto outputs = batch[i]->wait();
      ASSERT_OK(outputs);
      EXPECT_FALSE(outputs->timing().kernel);
    }
  }
}

TEST_F(Times, OfASequenceAreEachStepsOwn) {
  const auto buffer = device_.allocate(64);
  ASSERT_OK(buffer);
  Sequence sequence(device_);
  ASSERT_OK(sequence.add(add_, {{"x", *buffer}, {"by", 1u}}));
  ASSERT_OK(sequence.add(add_, {{"x", *device_.allocate(0)}, {"by", 1u}}));
  ASSERT_OK(sequence.add(add_, {{"x", *buffer}, {"by", 1u}}));
  ASSERT_OK(sequence.read("odd", *buffer, 1, 3));
  for (std::int64_t round = 0; round < 3; ++round) {
    const auto outputs = sequence.run({.timestamps = true});
    ASSERT_OK(outputs);
    EXPECT_EQ(outputs->bytes("odd").size(), 3u);
    const auto steps = outputs->step_timings();
    ASSERT_EQ(steps.size(), 3u);
    EXPECT_EQ(steps[0].kernel, nanoseconds(3 * round + 1));
    EXPECT_FALSE(steps[1].kernel) << "it ran nothing";
    EXPECT_EQ(steps[2].kernel, nanoseconds(3 * round + 3));
    EXPECT_EQ(outputs->timing().kernel, nanoseconds(6 * round + 4)) << "the sum";
    ASSERT_OK(sequence.run());
  }
}

TEST_F(Times, OfACoarseClockAreMarked) {
  const Device coarse = device_with(40);
  const auto outputs = coarse.dispatch(copy_, {{"in", words_}}, timed());
  expect_kernel(outputs, 40);
  EXPECT_EQ(outputs->timing().step, nanoseconds(40));
}

}  // namespace
}  // namespace vyre
