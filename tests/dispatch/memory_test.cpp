// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <chrono>
#include <optional>

#include <gtest/gtest.h>

#include "vyre/sequence.h"

#include "support/check_result.h"
#include "support/devices.h"
#include "support/kernels.h"
#include "support/process.h"

// What a device holds: its pool, and what is left when handles go.
namespace vyre::test {
namespace {

using Words = std::vector<std::uint32_t>;

/// Room for what allocators and drivers keep; a leak of a page a round shows.
constexpr std::uint64_t kFlat = 16 * kMegabyte;

// ---------------------------------------------------------------------------- open and close

class OpenAndClose : public DeviceTest {
 protected:
  void check_rounds(int rounds) const {
    const auto program = copy_kernel<std::uint32_t>();
    ASSERT_OK(program);
    const auto round = [&] {
      const auto opened = open(device().info().selector());
      ASSERT_OK(opened);
      expect_words(opened->dispatch(*program, {{"in", Words{1, 2}}}), "out", {1, 2});
    };
    for (int i = 0; i < 5; ++i)
      round();
    const Usage before = usage_of_process();
    for (int i = 0; i < rounds; ++i)
      round();
    const Usage after = usage_of_process();
    EXPECT_LT(after.resident_bytes, before.resident_bytes + kFlat);
    EXPECT_LE(after.open_files, before.open_files);
  }
};

TEST_P(OpenAndClose, LeavesNothingBehind) {
  check_rounds(15);
}

/// Each handle that outlives its device keeps what it needs of it.
TEST_P(OpenAndClose, HandlesMayGoInAnyOrder) {
  struct Handles {
    std::optional<Device> device;
    std::optional<ValidProgram> program;
    std::optional<Buffer> buffer;
    std::optional<Pending> pending;
    std::optional<Outputs> outputs;
  };
  const std::string name = device().info().selector();
  std::optional<Device> shared;  // one device for several orders: opening costs most
  std::vector<int> order = {0, 1, 2, 3, 4};
  int rounds = 0;
  do {
    if (rounds++ % 8 == 0) shared.reset();
    if (!shared) {
      auto opened = open(name);
      ASSERT_OK(opened);
      shared = *std::move(opened);
    }
    Handles all;
    all.device = *shared;
    if (rounds % 8 == 0) shared.reset();  // the order decides when this one closes
    auto program = copy_kernel<std::uint32_t>();
    ASSERT_OK(program);
    all.program = *std::move(program);
    auto buffer = all.device->allocate(4096);
    ASSERT_OK(buffer);
    all.buffer = *std::move(buffer);
    auto outputs = all.device->dispatch(*all.program, {{"in", *all.buffer}});
    ASSERT_OK(outputs);
    all.outputs = *std::move(outputs);
    auto pending = all.device->submit(*all.program, {{"in", *all.buffer}});
    ASSERT_OK(pending);
    all.pending = *std::move(pending);
    for (const int which : order) {
      if (which == 0) all.device.reset();
      if (which == 1) all.program.reset();
      if (which == 2) all.buffer.reset();
      if (which == 3) all.pending.reset();
      if (which == 4) all.outputs.reset();
      if (all.outputs) {
        const auto words = all.outputs->as<std::uint32_t>("out");
        ASSERT_EQ(std::count(words.begin(), words.end(), 0u), 1024);
      }
      if (all.buffer) {
        Words words(1024, 1);
        ASSERT_OK(all.buffer->download(std::as_writable_bytes(std::span(words))));
        ASSERT_EQ(words, Words(1024));
      }
      if (all.pending && which == 0) {
        ASSERT_OK(all.pending->wait());
      }
    }
  } while (std::next_permutation(order.begin(), order.end()));
  EXPECT_EQ(rounds, 120);
}

INSTANTIATE_ON_ALL_DEVICES(OpenAndClose);

class LongDispatchOpenAndClose : public OpenAndClose {};

TEST_P(LongDispatchOpenAndClose, TwoHundredTimesLeavesNothingBehind) {
  check_rounds(200);
}

INSTANTIATE_ON_ALL_DEVICES(LongDispatchOpenAndClose);

// ---------------------------------------------------------------------------- dropped handles

class DroppedHandles : public DeviceTest {
 protected:
  void check_dispatches(int count) const {
    const auto program = add_kernel();
    ASSERT_OK(program);
    const Words words(1000, 1);
    const Words by = {1};
    const auto drop_many = [&](int times) {
      for (int i = 0; i < times; ++i)
        ASSERT_OK(device().submit(*program, {{"x", words}, {"by", by}}));
      ASSERT_OK(device().dispatch(*program, {{"x", words}, {"by", by}}));
    };
    device().trim();
    const std::uint64_t lent = device().stats().live_bytes;
    drop_many(count / 10);
    const Usage before = usage_of_process();
    const DeviceStats at_first = device().stats();
    drop_many(count);
    const DeviceStats at_last = device().stats();
    EXPECT_LT(usage_of_process().resident_bytes, before.resident_bytes + 2 * kFlat);
    EXPECT_LT(at_last.allocations - at_first.allocations, static_cast<std::uint64_t>(count));
    device().trim();
    EXPECT_EQ(device().stats().live_bytes, lent);
    EXPECT_EQ(device().stats().idle_bytes, 0u);
  }
};

TEST_P(DroppedHandles, LeaveNothingBehind) {
  check_dispatches(2000);
}

TEST_P(DroppedHandles, GiveTheirMemoryBack) {
  const auto program = copy_kernel<std::uint32_t>();
  ASSERT_OK(program);
  device().trim();
  const std::uint64_t lent = device().stats().live_bytes;
  {
    const auto outputs = device().dispatch(*program, {{"in", Words(100000)}});
    ASSERT_OK(outputs);
    const auto buffer = device().allocate(100000);
    const auto staged = device().stage<std::uint32_t>(25000);
    ASSERT_OK(buffer);
    ASSERT_OK(staged);
    EXPECT_GE(device().stats().live_bytes, lent + 600000);
  }
  device().trim();
  EXPECT_EQ(device().stats().live_bytes, lent);
}

/// What the library keeps for itself, before and between calls, is nobody's.
TEST_P(DroppedHandles, LeaveNoLiveByte) {
  const auto fresh = open(GetParam());
  ASSERT_OK(fresh);
  const auto expect_none = [&](const char* when) {
    fresh->trim();
    EXPECT_EQ(fresh->stats().live_bytes, 0u) << when;
    EXPECT_EQ(fresh->stats().asked_bytes, 0u) << when;
    EXPECT_EQ(fresh->stats().idle_bytes, 0u) << when;
  };
  expect_none("a fresh device");
  const auto copies = copy_kernel<std::uint32_t>();
  const auto adds = add_kernel();
  ASSERT_OK(copies);
  ASSERT_OK(adds);
  for (const std::size_t count : {0u, 1u, 1000u, 100000u}) {
    ASSERT_OK(fresh->dispatch(*copies, {{"in", Words(count)}}));
    ASSERT_OK(fresh->submit(*adds, {{"x", Words(count)}, {"by", 1u}}));
    ASSERT_OK(fresh->dispatch(*adds, {{"x", Words(count)}, {"by", 1u}}, {.repeat = 3}));
  }
  expect_none("dispatches are over");
  {
    const auto buffer = fresh->allocate<std::uint32_t>(1000);
    const auto staged = fresh->stage<std::uint32_t>(1000);
    ASSERT_OK(buffer);
    ASSERT_OK(staged);
    Sequence sequence(*fresh);
    ASSERT_OK(sequence.add(*adds, {{"x", *buffer}, {"by", 1u}}));
    ASSERT_OK(sequence.read("x", *buffer));
    const auto outputs = sequence.run();
    ASSERT_OK(outputs);
    EXPECT_GE(fresh->stats().live_bytes, 8000u);
    EXPECT_GE(fresh->stats().asked_bytes, 8000u);
  }
  expect_none("every handle is gone");
}

TEST_P(DroppedHandles, OfRefusedCallsHoldNothing) {
  const auto program = add_kernel();
  ASSERT_OK(program);
  device().trim();
  const DeviceStats before = device().stats();
  for (int i = 0; i < 10; ++i) {
    EXPECT_FALSE(device().dispatch(*program, {{"x", Words(1000)}}));
    EXPECT_FALSE(device().submit(*program, {{"x", Words(1000)}, {"by", Words(2)}}));
    EXPECT_FALSE(device().dispatch(*program, {{"x", Words(1000)}, {"by", 1u}}, {.repeat = 0}));
  }
  EXPECT_EQ(device().stats().live_bytes, before.live_bytes);
  EXPECT_EQ(device().stats().allocations, before.allocations);
  EXPECT_EQ(device().stats().submissions, before.submissions);
}

INSTANTIATE_ON_ALL_DEVICES(DroppedHandles);

class LongDispatchDroppedHandles : public DroppedHandles {};

TEST_P(LongDispatchDroppedHandles, OfAHundredThousandDispatchesLeaveNothingBehind) {
  check_dispatches(100000);
}

INSTANTIATE_ON_ALL_DEVICES(LongDispatchDroppedHandles);

// -------------------------------------------------------------------------------- back-pressure

class BackPressure : public DeviceTest {
 protected:
  /// Dispatches of a megabyte each way whose results nobody waits for.
  void check_dispatches(int count) const {
    constexpr std::uint64_t kBudget = 32 * kMegabyte;
    const auto small = open(device().info().selector(), {.memory_budget = kBudget});
    ASSERT_OK(small);
    const auto program = copy_kernel<std::uint32_t>();
    ASSERT_OK(program);
    const Words words(kMegabyte / 4, 7);
    const std::uint64_t lent = small->stats().live_bytes;
    const Usage before = usage_of_process();
    std::uint64_t most = 0;
    for (int i = 0; i < count; ++i) {
      ASSERT_OK(small->submit(*program, {{"in", words}}));
      most = std::max(most, small->stats().live_bytes - lent);
    }
    EXPECT_LE(most, kBudget);
    EXPECT_LT(usage_of_process().resident_bytes, before.resident_bytes + 4 * kBudget);
    expect_words(small->dispatch(*program, {{"in", words}}), "out", words);
  }
};

TEST_P(BackPressure, KeepsDroppedDispatchesWithinTheBudget) {
  check_dispatches(200);
}

/// Within a budget that they fill, results that are held stop a dispatch, and are named.
TEST_P(BackPressure, NamesTheResultsThatAreHeld) {
  const auto small = open(device().info().selector(), {.memory_budget = 5 * kMegabyte});
  ASSERT_OK(small);
  const auto program = copy_kernel<std::uint32_t>();
  ASSERT_OK(program);
  const Words words(kMegabyte / 4, 7);
  std::vector<Outputs> held;
  std::optional<Error> error;
  while (!error && held.size() < 10) {
    auto outputs = small->dispatch(*program, {{"in", words}},
                                   {.timeout = std::chrono::milliseconds(500), .label = "mine"});
    if (outputs)
      held.push_back(*std::move(outputs));
    else
      error = outputs.error();
  }
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind(), ErrorKind::out_of_memory) << error->to_string();
  EXPECT_NE(error->message().find("`mine`"), std::string::npos) << error->message();
  EXPECT_GE(held.size(), 2u);
  held.clear();
  expect_words(small->dispatch(*program, {{"in", words}}), "out", words);
}

INSTANTIATE_ON_ALL_DEVICES(BackPressure);

class LongDispatchBackPressure : public BackPressure {};

TEST_P(LongDispatchBackPressure, KeepsThousandsOfDroppedDispatchesWithinTheBudget) {
  check_dispatches(computes() ? 3000 : 100000);
}

INSTANTIATE_ON_ALL_DEVICES(LongDispatchBackPressure);

// ------------------------------------------------------------------------------------- the pool

class DevicePool : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (!IsSkipped() && !HasFatalFailure()) device().trim();
  }
};

TEST_P(DevicePool, AThousandLengthsTakeFewAllocations) {
  const auto program = copy_kernel<std::uint32_t>();
  ASSERT_OK(program);
  const auto run_all = [&] {
    for (std::uint32_t length = 1; length <= 1000; ++length)
      ASSERT_OK(device().dispatch(*program, {{"in", Words(length, length)}}));
  };
  const DeviceStats start = device().stats();
  run_all();
  const DeviceStats first = device().stats();
  EXPECT_LE(first.allocations - start.allocations, 16u);
  run_all();
  const DeviceStats second = device().stats();
  const std::uint64_t hits = second.pool_hits - first.pool_hits;
  const std::uint64_t misses = second.allocations - first.allocations;
  EXPECT_GE(hits, 1000u);
  EXPECT_GE(hits, 19 * misses) << "95 of 100";
}

TEST_P(DevicePool, AHundredReadBacksTakeTwoBlocks) {
  const auto buffer = device().allocate(40000);
  ASSERT_OK(buffer);
  const std::uint64_t before = device().stats().allocations;
  Words words(10000);
  for (int i = 0; i < 100; ++i)
    ASSERT_OK(buffer->download(std::as_writable_bytes(std::span(words))));
  EXPECT_LE(device().stats().allocations - before, 2u);
}

TEST_P(DevicePool, NoBlockIsTwiceAsLargeAsItsUse) {
  for (std::uint64_t power = 12; power <= 22; ++power)
    for (const std::uint64_t bytes :
         {(std::uint64_t{1} << power) + 1, (std::uint64_t{3} << power) - 1}) {
      const std::uint64_t before = device().stats().live_bytes;
      const auto buffer = device().allocate(bytes);
      ASSERT_OK(buffer);
      const std::uint64_t lent = device().stats().live_bytes - before;
      EXPECT_GE(lent, bytes);
      EXPECT_LE(lent, 2 * bytes);
    }
}

/// What lies idle beyond what was asked for is at most the policy's part of it.
TEST_P(DevicePool, WastesAsMuchAsItsPolicyAllows) {
  for (const std::uint32_t classes : {1u, 2u, 4u, 8u, 16u}) {
    const auto opened = open(device().info().selector(), {.pool = {.classes = classes}});
    ASSERT_OK(opened);
    for (std::uint64_t power = 12; power <= 22; ++power)
      for (const std::uint64_t bytes :
           {(std::uint64_t{1} << power) + 1, (std::uint64_t{3} << power) - 1}) {
        const DeviceStats before = opened->stats();
        const auto buffer = opened->allocate(bytes);
        ASSERT_OK(buffer);
        const DeviceStats after = opened->stats();
        EXPECT_EQ(after.asked_bytes - before.asked_bytes, bytes);
        const std::uint64_t lent = after.live_bytes - before.live_bytes;
        EXPECT_GE(lent, bytes);
        EXPECT_LE(lent, bytes + bytes / classes) << bytes << " bytes, " << classes << " classes";
      }
  }
}

TEST_P(DevicePool, KeepsAsMuchAsItsPolicyAllows) {
  const auto opened = open(device().info().selector(), {.pool = {.idle_bytes = 3 * kMegabyte}});
  ASSERT_OK(opened);
  {
    std::vector<Buffer> buffers;
    for (int i = 0; i < 8; ++i) {
      const auto buffer = opened->allocate(kMegabyte);
      ASSERT_OK(buffer);
      buffers.push_back(*buffer);
    }
  }
  EXPECT_LE(opened->stats().idle_bytes, 3 * kMegabyte);
  EXPECT_GE(opened->stats().idle_bytes, 2 * kMegabyte);
}

TEST_P(DevicePool, TakesNoOtherPolicy) {
  for (const std::uint32_t classes : {0u, 3u, 12u, 32u, ~0u})
    EXPECT_REFUSED(open(device().info().selector(), {.pool = {.classes = classes}}),
                   ErrorKind::invalid_argument, "pool-classes", std::to_string(classes));
}

/// A program of its own for each number, which is what it gives.
Result<ValidProgram> number_kernel(std::uint32_t number) {
  Builder b("number", {.workgroup = 1});
  auto out = b.output<std::uint32_t>("out", 1);
  out[0] = number;
  return b.build();
}

TEST_P(DevicePool, KeepsManyProgramsButNotAll) {
  const auto early = number_kernel(5000);
  ASSERT_OK(early);
  const auto pending = device().submit(*early, {});
  ASSERT_OK(pending);
  const bool quick = is_cpu() || !computes();  // the others take their time to compile
  for (std::uint32_t i = 0; i < (quick ? 300u : 6u); ++i) {
    const auto program = number_kernel(i);
    ASSERT_OK(program);
    expect_words(device().dispatch(*program, {}), "out", {i});
  }
  EXPECT_LE(device().stats().kernels, 256u);
  expect_words(pending->wait(), "out", {5000});
  expect_words(device().dispatch(*early, {}), "out", {5000});
}

INSTANTIATE_ON_ALL_DEVICES(DevicePool);

// -------------------------------------------------------------------------------- out of memory

class OutOfMemory : public DeviceTest {};

TEST_P(OutOfMemory, IsAnErrorWithBothNumbersAndTheDeviceLivesOn) {
  const std::uint64_t limit = device().info().limits.buffer_size;
  for (const std::uint64_t bytes : {limit + 1, 10 * physical_memory(), ~std::uint64_t{0} - 3}) {
    if (bytes <= limit) continue;
    const auto buffer = device().allocate(bytes);
    EXPECT_REFUSED(buffer, ErrorKind::out_of_memory, "out-of-memory", std::to_string(bytes));
    EXPECT_NE(buffer.error().message().find(std::to_string(limit)), std::string::npos)
        << buffer.error().to_string();
    const auto staged = device().stage_bytes(bytes);
    EXPECT_REFUSED(staged, ErrorKind::out_of_memory, "out-of-memory", std::to_string(bytes));
  }
  EXPECT_LT(limit, 10 * physical_memory());
  const auto program = copy_kernel<std::uint32_t>();
  ASSERT_OK(program);
  expect_words(device().dispatch(*program, {{"in", Words{1, 2}}}), "out", {1, 2});
}

INSTANTIATE_ON_ALL_DEVICES(OutOfMemory);

}  // namespace
}  // namespace vyre::test
