// SPDX-License-Identifier: MIT OR Apache-2.0
#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "backend/device.h"
#include "backend/null/null.h"
#include "support/check_result.h"
#include "support/gated_driver.h"
#include "support/injecting_driver.h"
#include "support/kernels.h"

// A device that is lost while it works, and the one that takes its place.
namespace vyre {
namespace {

using test::FaultPlan;
using test::Gate;
using test::GatedDriver;
using test::InjectingDriver;
using Words = std::vector<std::uint32_t>;

class Loss : public testing::Test {
 protected:
  Loss() {
    const auto make = [gate = gate_, plan = plan_,
                       may = may_reopen_]() -> Result<std::unique_ptr<Driver>> {
      if (plan->lost && !*may) return Error(ErrorKind::unavailable, "no-device", "gone");
      plan->lost = false;
      auto inner = std::make_unique<InjectingDriver>(null::make_driver(), plan);
      return std::unique_ptr<Driver>(new GatedDriver(std::move(inner), gate));
    };
    auto impl = DeviceImpl::make(*make(), make);
    EXPECT_TRUE(impl);
    device_ = std::make_unique<Device>(make_device(*std::move(impl)));
  }
  [[nodiscard]] Result<Pending> start() const { return device_->submit(copy_, {{"in", words_}}); }
  [[nodiscard]] Result<Outputs> run() const { return device_->dispatch(copy_, {{"in", words_}}); }
  void lose() { plan_->lost = true; }

  std::shared_ptr<bool> may_reopen_ = std::make_shared<bool>(true);
  std::shared_ptr<Gate> gate_ = std::make_shared<Gate>();
  std::shared_ptr<FaultPlan> plan_ = std::make_shared<FaultPlan>();
  std::unique_ptr<Device> device_;
  const ValidProgram copy_ = *test::copy_kernel<std::uint32_t>();
  const Words words_ = Words(1000, 1);
};

TEST_F(Loss, EndsAllThatIsPending) {
  gate_->open = false;
  std::vector<Pending> pending;
  int calls = 0;
  for (int i = 0; i < 3; ++i) {
    auto one = start();
    ASSERT_OK(one);
    one->on_ready([&](const Pending& done) {
      ++calls;
      EXPECT_REFUSED(done.wait(), ErrorKind::device_lost, "device-lost", "recover");
    });
    pending.push_back(*std::move(one));
  }
  EXPECT_FALSE(pending[0].ready());
  lose();
  EXPECT_TRUE(pending[0].ready());
  for (const auto& result : wait_all(pending))
    EXPECT_REFUSED(result, ErrorKind::device_lost, "device-lost", "`copy`");
  EXPECT_EQ(calls, 3);
}

TEST_F(Loss, FailsEveryEntryPointAtOnce) {
  const auto buffer = device_->allocate(4000);
  ASSERT_OK(buffer);
  ASSERT_OK(run());
  lose();
  EXPECT_REFUSED(start(), ErrorKind::device_lost, "device-lost", "lost");
  EXPECT_REFUSED(run(), ErrorKind::device_lost, "device-lost", "lost");
  EXPECT_REFUSED(buffer->upload(std::as_bytes(std::span(words_))), ErrorKind::device_lost,
                 "device-lost", "lost");
  Words back(1000, 5);
  EXPECT_REFUSED(buffer->download(std::as_writable_bytes(std::span(back))), ErrorKind::device_lost,
                 "device-lost", "lost");
  EXPECT_EQ(back, Words(1000, 5));
  const BatchJob jobs[] = {{copy_, {{"in", words_}}}, {copy_, {{"in", words_}}}};
  for (const auto& pending : device_->submit_batch(jobs))
    EXPECT_REFUSED(pending, ErrorKind::device_lost, "device-lost", "lost");
}

TEST_F(Loss, IsFollowedByARecoveryThatWorks) {
  const Device copy = *device_;
  for (int round = 0; round < 3; ++round) {
    ASSERT_OK(run());
    lose();
    ASSERT_FALSE(run());
    ASSERT_OK(device_->recover());
    ASSERT_OK(run());
    EXPECT_OK(copy.dispatch(copy_, {{"in", words_}})) << "other handles refer to the new device";
  }
}

TEST_F(Loss, IsToldWhereTheDeviceDoesNotComeBack) {
  lose();
  *may_reopen_ = false;
  EXPECT_REFUSED(device_->recover(), ErrorKind::unavailable, "no-device", "gone");
  EXPECT_REFUSED(run(), ErrorKind::device_lost, "device-lost", "lost");
  *may_reopen_ = true;
  ASSERT_OK(device_->recover());
  EXPECT_OK(run());
}

TEST_F(Loss, LeavesNothingOfTheOldDeviceUsableOnTheNew) {
  const auto buffer = device_->allocate(4000);
  auto staged = device_->stage<std::uint32_t>(1000);
  const auto outputs = run();
  gate_->open = false;
  const auto pending = start();
  ASSERT_OK(buffer);
  ASSERT_OK(staged);
  ASSERT_OK(outputs);
  ASSERT_OK(pending);
  lose();
  ASSERT_OK(device_->recover());
  gate_->open = true;
  EXPECT_REFUSED(device_->dispatch(copy_, {{"in", *buffer}}), ErrorKind::invalid_argument,
                 "wrong-device", "`in`");
  EXPECT_REFUSED(device_->dispatch(copy_, {{"in", *staged}}), ErrorKind::invalid_argument,
                 "wrong-device", "`in`");
  EXPECT_EQ(outputs->as<std::uint32_t>("out").size(), 1000u) << "what came back stays";
  EXPECT_OK(run());
}

TEST_F(Loss, LetsHandlesGoInPeace) {
  std::optional<Result<Buffer>> buffer = device_->allocate(4000);
  std::optional<Result<Outputs>> outputs = run();
  gate_->open = false;
  std::optional<Result<Pending>> pending = start();
  lose();
  ASSERT_OK(device_->recover());
  gate_->open = true;
  device_.reset();
  buffer.reset();
  outputs.reset();
  pending.reset();
}

// ------------------------------------------------------------------- what reaches the driver

using Nothing = Loss;

TEST_F(Nothing, IsLaunchedForNoElements) {
  ASSERT_OK(run());
  const int launches = plan_->launches;
  const int submits = gate_->submits;
  EXPECT_EQ(launches, 1);
  const auto outputs = device_->dispatch(copy_, {{"in", Words{}}});
  ASSERT_OK(outputs);
  EXPECT_TRUE(outputs->contains("out"));
  const auto buffer = device_->allocate(0);
  ASSERT_OK(buffer);
  EXPECT_OK(buffer->upload(std::span<const std::byte>{}));
  EXPECT_OK(device_->stage<std::uint32_t>(0));
  EXPECT_OK(device_->dispatch(copy_, {{"in", *buffer}}));
  EXPECT_EQ(plan_->launches, launches);
  EXPECT_EQ(gate_->submits, submits);
  EXPECT_EQ(plan_->empty_blocks, 0);
}

TEST_F(Nothing, IsSubmittedForARefusedCall) {
  const int submits = gate_->submits;
  EXPECT_FALSE(device_->dispatch(copy_, {}));
  EXPECT_FALSE(device_->dispatch(copy_, {{"out", words_}}));
  EXPECT_FALSE(device_->dispatch(copy_, {{"in", words_}}, {.grid = {{0, 1, 1}}}));
  EXPECT_EQ(gate_->submits, submits);
  EXPECT_EQ(plan_->launches, 0);
}

}  // namespace
}  // namespace vyre
