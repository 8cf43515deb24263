// SPDX-License-Identifier: MIT OR Apache-2.0
#include <gtest/gtest.h>

#include "vyre/builder.h"

#include "backend/device.h"
#include "backend/null/null.h"
#include "support/injecting_driver.h"

// Every driver call that can fail is made to fail, the n-th one for every n of a small session.
// Each failure is the right coded error of the call that caused it; nothing is leaked; the device
// goes on working, or is lost and can be recovered.
namespace vyre {
namespace {

using test::Fault;
using test::FaultPlan;
using test::InjectingDriver;

ValidProgram copy_kernel() {
  Builder b("copy", {.workgroup = 64});
  auto x = b.input<std::uint32_t>("x");
  auto y = b.in_out<std::uint32_t>("y");
  auto table = b.constant("table", ScalarType::u32, std::vector<std::uint32_t>(100, 3));
  auto i = b.global_id();
  b.if_(i < y.length(), [&] {
    b.assert_(x[i] != 7u, "seven");
    y[i] = x[i] + table[i % 100u];
  });
  auto program = b.build();
  EXPECT_TRUE(program) << program.error().to_string();
  return *program;
}

class Faults : public testing::TestWithParam<Fault> {
 protected:
  Faults() {
    const auto make = [plan = plan_]() -> Result<std::unique_ptr<Driver>> {
      plan->lost = false;
      return std::unique_ptr<Driver>(new InjectingDriver(null::make_driver(), plan));
    };
    auto impl = DeviceImpl::make(*make(), make);
    EXPECT_TRUE(impl);
    device_ = std::make_unique<Device>(make_device(*std::move(impl)));
  }

  /// A little of everything; the first error ends it.
  Status session() {
    const std::vector<std::uint32_t> x(1000, 1);
    const ValidProgram program = copy_kernel();
    VYRE_TRY(const auto out, device_->dispatch(program, {{"x", x}, {"y", x}}));
    VYRE_TRY(const auto buffer, device_->allocate(4001));
    VYRE_CHECK_OK(buffer.upload(std::as_bytes(std::span(x)), 1));
    std::vector<std::byte> back(5);
    VYRE_CHECK_OK(buffer.download(back, 3));
    VYRE_TRY(auto staged, device_->stage<std::uint32_t>(1000));
    VYRE_TRY(const auto first, device_->dispatch(program, {{"x", staged}, {"y", x}}));
    const BatchJob jobs[] = {{program, {{"x", x}, {"y", x}}}, {program, {{"x", x}, {"y", x}}}};
    for (const auto& pending : device_->submit_batch(jobs)) {
      if (!pending) return Error(pending.error());
      VYRE_TRY(const auto result, pending->wait());
    }
    return Ok{};
  }

  std::shared_ptr<FaultPlan> plan_ = std::make_shared<FaultPlan>();
  std::unique_ptr<Device> device_;
};

ErrorKind expected(Fault fault) {
  switch (fault) {
    case Fault::compile: return ErrorKind::compile_failed;
    case Fault::map:
    case Fault::lose: return ErrorKind::device_lost;
    case Fault::none:
    case Fault::allocate:
    case Fault::bind:
    case Fault::submit: return ErrorKind::out_of_memory;
  }
  return ErrorKind::io;
}

TEST_P(Faults, EveryCallMayFail) {
  for (int n = 0; n < 100; ++n) {
    device_->trim();
    const std::uint64_t lent = device_->stats().live_bytes;
    plan_->arm(GetParam(), n);
    const Status status = session();
    const bool fired = plan_->fired != 0;
    plan_->disarm();
    if (!fired) {
      EXPECT_TRUE(status) << status.error().to_string();
      EXPECT_GT(n, 0);
      return;
    }
    if (!status) {
      EXPECT_EQ(status.error().kind(), expected(GetParam())) << status.error().to_string();
    }
    if (GetParam() == Fault::lose) {
      EXPECT_FALSE(session());
      ASSERT_TRUE(device_->recover());
    } else {
      EXPECT_EQ(device_->stats().live_bytes, lent) << "call " << n;
    }
    const Status again = session();
    EXPECT_TRUE(again) << "after call " << n << ": " << again.error().to_string();
  }
  FAIL() << "the session never ran to its end";
}

INSTANTIATE_TEST_SUITE_P(Driver,
                         Faults,
                         testing::Values(Fault::allocate,
                                         Fault::compile,
                                         Fault::bind,
                                         Fault::submit,
                                         Fault::map,
                                         Fault::lose));

}  // namespace
}  // namespace vyre
