// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <numeric>
#include <thread>

#include <gtest/gtest.h>

#include "backend/device.h"
#include "backend/null/null.h"
#include "support/check_result.h"
#include "support/gated_driver.h"
#include "support/injecting_driver.h"
#include "support/kernels.h"

// How much may be in flight, what happens beyond it, and what happens while one waits.
namespace vyre {
namespace {

using namespace std::chrono_literals;
using test::Fault;
using test::FaultPlan;
using test::Gate;
using test::GatedDriver;
using test::InjectingDriver;
using Words = std::vector<std::uint32_t>;

/// A null device behind a gate, that fails where it is told to.
class Flight : public testing::Test {
 protected:
  Device open(RecorderOptions options = {}) {
    const auto make = [gate = gate_, plan = plan_]() -> Result<std::unique_ptr<Driver>> {
      auto inner = std::make_unique<InjectingDriver>(null::make_driver(), plan);
      return std::unique_ptr<Driver>(new GatedDriver(std::move(inner), gate));
    };
    auto impl = DeviceImpl::make(*make(), make, options);
    EXPECT_TRUE(impl);
    return make_device(*std::move(impl));
  }

  void close_gate() { gate_->open = false; }
  void open_gate() { gate_->open = true; }

  std::shared_ptr<Gate> gate_ = std::make_shared<Gate>();
  std::shared_ptr<FaultPlan> plan_ = std::make_shared<FaultPlan>();
  const ValidProgram copy_ = *test::copy_kernel<std::uint32_t>();
  const Words words_ = Words(1024, 1);  // 4096 bytes: a block of the smallest class each way
};

constexpr std::uint64_t kShare = 2 * 4096;  // of one copy of `words_`

TEST_F(Flight, HeldOutputsCountAndAreNamed) {
  const Device device = open({.flight_bytes = 2 * kShare});
  std::vector<Outputs> held;
  for (const char* label : {"first", "second", "third"}) {
    auto outputs = device.dispatch(copy_, {{"in", words_}}, {.label = label});
    ASSERT_OK(outputs);
    held.push_back(*std::move(outputs));
  }
  const auto refused =
      device.dispatch(copy_, {{"in", words_}}, {.timeout = 5ms, .label = "fourth"});
  for (const char* part : {"`fourth` (8192 bytes)", "16384 bytes", "`first` (4096 bytes)",
                           "`second` (4096 bytes)", "`third` (4096 bytes)", "0 are in flight"})
    EXPECT_REFUSED(refused, ErrorKind::out_of_memory, "memory-budget", part);
  held.pop_back();
  EXPECT_OK(device.dispatch(copy_, {{"in", words_}}, {.timeout = 5ms}));
}

TEST_F(Flight, WhatCanNeverFitIsRefusedAtOnce) {
  const Device device = open({.flight_bytes = kShare - 1});
  EXPECT_REFUSED(device.dispatch(copy_, {{"in", words_}}), ErrorKind::out_of_memory,
                 "memory-budget", "`copy` (8192 bytes)");
  EXPECT_EQ(device.stats().live_bytes, open().stats().live_bytes);
}

TEST_F(Flight, SubmitWaitsForRoomUntilItsDeadline) {
  const Device device = open({.flight_bytes = kShare + 4096});
  close_gate();
  const auto first = device.submit(copy_, {{"in", words_}});
  ASSERT_OK(first);
  EXPECT_REFUSED(device.submit(copy_, {{"in", words_}}, {.timeout = 5ms}), ErrorKind::out_of_memory,
                 "memory-budget", "8192 are in flight");
  gate_->polls_to_open = 20;
  const auto second = device.submit(copy_, {{"in", words_}});
  ASSERT_OK(second);
  EXPECT_EQ(second->wait()->as<std::uint32_t>("out").size(), 1024u);
}

TEST_F(Flight, SubmissionsAreCountedToo) {
  const Device device = open({.flight_submissions = 3});
  close_gate();
  for (int i = 0; i < 3; ++i)
    ASSERT_OK(device.submit(copy_, {{"in", words_}}));
  EXPECT_REFUSED(device.submit(copy_, {{"in", words_}}, {.timeout = 5ms}), ErrorKind::timeout,
                 "deadline", "`copy`");
  open_gate();
  EXPECT_OK(device.submit(copy_, {{"in", words_}}, {.timeout = 5ms}));
}

/// Every allocation, binding and submission fails in turn; the budget is whole afterwards.
TEST_F(Flight, FailuresGiveTheirShareBack) {
  const Device device = open({.flight_bytes = kShare});
  for (const Fault fault :
       {Fault::allocate, Fault::compile, Fault::bind, Fault::submit, Fault::map})
    for (int n = 0; n < 3; ++n) {
      device.trim();
      plan_->arm(fault, n);
      const bool worked = device.dispatch(copy_, {{"in", words_}}).has_value();
      plan_->disarm();
      EXPECT_TRUE(worked || plan_->fired == 1);
      EXPECT_OK(device.dispatch(copy_, {{"in", words_}}, {.timeout = 5ms}));
    }
}

TEST_F(Flight, StagedMemoryOutlivesARefusal) {
  const Device device = open();
  auto staged = device.stage<std::uint32_t>(1024);
  ASSERT_OK(staged);
  std::iota(staged->begin(), staged->end(), 0u);
  plan_->arm(Fault::allocate, 0);
  EXPECT_FALSE(device.dispatch(copy_, {{"in", *staged}}));
  plan_->disarm();
  EXPECT_EQ(staged->size(), 1024u);
  EXPECT_OK(device.dispatch(copy_, {{"in", *staged}}));
  EXPECT_EQ(staged->size(), 0u);
}

TEST_F(Flight, MemoryThatRunningJobsWillGiveBackIsWaitedFor) {
  const Device device = open();
  close_gate();
  const auto first = device.submit(copy_, {{"in", words_}});
  ASSERT_OK(first);
  plan_->arm(Fault::allocate, 0);
  gate_->polls_to_open = 20;
  EXPECT_OK(device.dispatch(copy_, {{"in", words_}}));
  EXPECT_EQ(plan_->fired, 1);
}

TEST_F(Flight, OutputsHoldNothingButTheirBytes) {
  const Device device = open();
  const std::uint64_t before = device.stats().live_bytes;
  const auto outputs = device.dispatch(copy_, {{"in", words_}});
  ASSERT_OK(outputs);
  EXPECT_EQ(device.stats().live_bytes - before, 4096u);
}

TEST_F(Flight, BufferIsKeptByTheJobsThatUseIt) {
  const Device device = open();
  auto buffer = device.allocate(4096);
  ASSERT_OK(buffer);
  close_gate();
  const auto pending = device.submit(copy_, {{"in", *buffer}});
  ASSERT_OK(pending);
  const std::uint64_t running = device.stats().live_bytes;
  buffer = Error(ErrorKind::io, "none", "let go of it");
  EXPECT_EQ(device.stats().live_bytes, running);
  open_gate();
  ASSERT_OK(pending->wait());
  EXPECT_EQ(running - device.stats().live_bytes, 4096u);
}

TEST_F(Flight, LateJobHoldsBackWhatComesAfter) {
  const Device device = open();
  close_gate();
  const auto late = device.submit(copy_, {{"in", words_}}, {.timeout = 1ms, .label = "slow"});
  ASSERT_OK(late);
  EXPECT_REFUSED(late->wait(), ErrorKind::timeout, "deadline", "`slow`");
  const int submits = gate_->submits;
  EXPECT_REFUSED(device.dispatch(copy_, {{"in", words_}}, {.timeout = 5ms}), ErrorKind::timeout,
                 "deadline", "`copy`");
  EXPECT_EQ(gate_->submits, submits);
  gate_->polls_to_open = 20;
  EXPECT_OK(device.dispatch(copy_, {{"in", words_}}));
}

TEST_F(Flight, LateJobNeedNotBeWaitedForToBeLate) {
  const Device device = open();
  close_gate();
  ASSERT_OK(device.submit(copy_, {{"in", words_}}, {.timeout = 0ns}));
  EXPECT_REFUSED(device.dispatch(copy_, {{"in", words_}}, {.timeout = 5ms}), ErrorKind::timeout,
                 "deadline", "`copy`");
  EXPECT_EQ(gate_->submits, 1);
}

TEST_F(Flight, OutputsAreThereOrNot) {
  const Device device = open();
  close_gate();
  const auto pending = device.submit(copy_, {{"in", words_}});
  ASSERT_OK(pending);
  EXPECT_FALSE(pending->ready());
  EXPECT_FALSE(pending->outputs());
  open_gate();
  const auto outputs = pending->outputs();
  ASSERT_TRUE(outputs);
  ASSERT_OK(*outputs);
  EXPECT_EQ((*outputs)->bytes("out").size(), 4096u);
}

/// Where the stack stands.
std::uintptr_t stack_depth() {
  return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
}

struct Depths {
  std::uintptr_t low = ~std::uintptr_t{0};
  std::uintptr_t high = 0;
  int calls = 0;
  void note() {
    low = std::min(low, stack_depth());
    high = std::max(high, stack_depth());
    ++calls;
  }
  [[nodiscard]] std::uintptr_t range() const { return calls == 0 ? 0 : high - low; }
};

TEST_F(Flight, ChainOfCallbacksKeepsTheStackFlat) {
  const Device device = open();
  for (const bool waits : {false, true}) {
    Depths depths;
    std::function<void(const Pending&)> next = [&](const Pending&) {
      depths.note();
      if (depths.calls == 1000) return;
      const auto pending = device.submit(copy_, {{"in", words_}});
      ASSERT_OK(pending);
      if (waits) {
        ASSERT_OK(pending->wait());
      }
      pending->on_ready(next);
    };
    const auto first = device.submit(copy_, {{"in", words_}});
    ASSERT_OK(first);
    first->on_ready(next);
    for (int i = 0; i < 5000 && depths.calls < 1000; ++i)
      EXPECT_TRUE(first->ready());
    EXPECT_EQ(depths.calls, 1000);
    EXPECT_LT(depths.range(), 4096u) << (waits ? "with waits" : "without");
  }
}

TEST_F(Flight, CallbacksOfManyJobsKeepTheStackFlat) {
  const Device device = open();
  close_gate();
  Depths depths;
  std::vector<Pending> pending;
  for (int i = 0; i < 500; ++i) {
    auto one = device.submit(copy_, {{"in", words_}});
    ASSERT_OK(one);
    one->on_ready([&](const Pending& done) {
      depths.note();
      EXPECT_OK(done.wait());
      EXPECT_OK(device.dispatch(copy_, {{"in", words_}}));
    });
    pending.push_back(*std::move(one));
  }
  open_gate();
  EXPECT_TRUE(pending.front().ready());
  EXPECT_EQ(depths.calls, 500);
  EXPECT_LT(depths.range(), 4096u);
}

TEST_F(Flight, ClosedDeviceLeavesCallbacksToWhoeverHoldsTheJob) {
  auto device = std::make_unique<Device>(open());
  close_gate();
  auto pending = device->submit(copy_, {{"in", words_}});
  ASSERT_OK(pending);
  const auto here = std::this_thread::get_id();
  int calls = 0;
  pending->on_ready([&](const Pending&) {
    ++calls;
    EXPECT_TRUE(std::this_thread::get_id() == here);
  });
  device.reset();
  open_gate();
  ASSERT_OK(pending->wait());
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace vyre
