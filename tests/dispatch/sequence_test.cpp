// SPDX-License-Identifier: MIT OR Apache-2.0
#include "vyre/sequence.h"

#include <atomic>
#include <chrono>
#include <optional>
#include <thread>

#include <gtest/gtest.h>

#include "support/check_result.h"
#include "support/devices.h"
#include "support/kernels.h"

// Steps that are recorded once and replayed many times.
namespace vyre::test {
namespace {

using Words = std::vector<std::uint32_t>;

/// Adds a uniform to every element of `data`.
ValidProgram raise_kernel() {
  Builder b("add", {.workgroup = 64});
  auto data = b.in_out<std::uint32_t>("data");
  auto amount = b.uniform<std::uint32_t>("amount");
  const Value i = b.global_id();
  b.if_(i < data.length(), [&] { data[i] = data[i] + amount; });
  return *b.build();
}

/// Every workgroup adds up its 64 elements into one element of `sums`.
ValidProgram sums_kernel() {
  Builder b("sums", {.workgroup = 64});
  auto data = b.input<std::uint32_t>("data");
  auto sums = b.in_out<std::uint32_t>("sums");
  auto part = b.workgroup<std::uint32_t>("part", 64);
  const Value lane = b.local_id();
  part[lane] = data[b.global_id()];
  b.workgroup_barrier();
  b.if_(lane == 0u, [&] {
    auto sum = b.var(0u);
    b.for_(0u, 64u, [&](const Value& k) { sum += part[k]; });
    sums[b.workgroup_id()] = sum.get();
  });
  return *b.build();
}

class Sequences : public DeviceTest {
 protected:
  Buffer buffer(const Words& words) const {
    auto made = device().allocate(words.size() * 4);
    EXPECT_OK(made);
    EXPECT_OK(made->upload(std::as_bytes(std::span(words))));
    return *std::move(made);
  }
};

TEST_P(Sequences, StepsSeeWhatTheOnesBeforeThemWrote) {
  const Buffer data = buffer({1, 2, 3});
  Sequence sequence(device());
  ASSERT_OK(sequence.add(raise_kernel(), {{"data", data}, {"amount", 10u}}));
  ASSERT_OK(sequence.add(raise_kernel(), {{"data", data}, {"amount", 100u}}, {.repeat = 3}));
  ASSERT_OK(sequence.read("data", data));
  EXPECT_EQ(sequence.size(), 2u);
  for (std::uint32_t replay = 1; replay <= 3; ++replay) {
    const auto outputs = sequence.run();
    ASSERT_OK(outputs);
    EXPECT_EQ(to_vector(outputs->as<std::uint32_t>("data")),
              (Words{1 + 310 * replay, 2 + 310 * replay, 3 + 310 * replay}));
  }
}

/// A sum over the whole grid: within one dispatch no workgroup can wait for the others, so the sums
/// of the workgroups are added up in the next step.
TEST_P(Sequences, WaitForTheWholeGridBetweenSteps) {
  const Buffer data = buffer(counting<std::uint32_t>(64 * 64));
  const Buffer sums = buffer(Words(64));
  const Buffer total = buffer(Words(1));
  Sequence sequence(device());
  const auto kernel = sums_kernel();
  ASSERT_OK(sequence.add(kernel, {{"data", data}, {"sums", sums}}, {.grid = {{64, 1, 1}}}));
  ASSERT_OK(sequence.add(kernel, {{"data", sums}, {"sums", total}}, {.grid = {{1, 1, 1}}}));
  ASSERT_OK(sequence.read("total", total));
  const auto outputs = sequence.run();
  ASSERT_OK(outputs);
  EXPECT_EQ(outputs->as<std::uint32_t>("total")[0], 4096u * 4095u / 2u);
}

TEST_P(Sequences, StepsHaveGridsWithALongAxis) {
  constexpr std::uint32_t kLong = 70000;
  Builder b("long_axis", {.workgroup = 1});
  auto data = b.in_out<std::uint32_t>("data");
  const Value at = b.global_id(0) + b.global_id(1) * b.num_workgroups(0);
  data[at] = data[at] + b.global_id(1) + 1u;
  const ValidProgram program = *b.build();
  const Buffer words = buffer(Words(std::size_t{2} * kLong));
  Sequence sequence(device());
  ASSERT_OK(sequence.add(program, {{"data", words}}, {.grid = {{2, kLong, 1}}, .repeat = 2}));
  ASSERT_OK(sequence.add(program, {{"data", words}}, {.grid = {{kLong, 2, 1}}}));
  ASSERT_OK(sequence.read("words", words));
  const auto outputs = sequence.run();
  ASSERT_OK(outputs);
  const auto got = outputs->as<std::uint32_t>("words");
  ASSERT_EQ(got.size(), std::size_t{2} * kLong);
  for (std::uint32_t i = 0; i < got.size(); ++i)
    ASSERT_EQ(got[i], 2 * (i / 2 + 1) + i / kLong + 1) << i;
}

TEST_P(Sequences, TenThousandDependentIncrements) {
  const Buffer data = buffer({0});
  Sequence sequence(device());
  for (int i = 0; i < 1000; ++i)
    ASSERT_OK(sequence.add(raise_kernel(), {{"data", data}, {"amount", 1u}}));
  ASSERT_OK(sequence.read("data", data));
  const std::uint64_t before = device().stats().submissions;
  for (int replay = 0; replay < 9; ++replay)
    ASSERT_OK(sequence.submit());
  const auto outputs = sequence.run();
  ASSERT_OK(outputs);
  EXPECT_EQ(outputs->as<std::uint32_t>("data")[0], 10000u);
  EXPECT_EQ(device().stats().submissions - before, 10u);
}

TEST_P(Sequences, ReadsAreRangesOfAnyAlignment) {
  Words words(300);
  for (std::uint32_t i = 0; i < 300; ++i)
    words[i] = 0x01010101u * (i % 251);
  const Buffer data = buffer(words);
  const auto all = std::as_bytes(std::span(words));
  Sequence sequence(device());
  struct Range {
    const char* name;
    std::uint64_t offset, size;
  };
  const Range ranges[] = {{"a", 0, 1200}, {"b", 1, 1}, {"c", 7, 90}, {"d", 1199, 1}, {"e", 5, 0}};
  for (const auto& [name, offset, size] : ranges)
    ASSERT_OK(sequence.read(name, data, offset, size));
  const auto outputs = sequence.run();
  ASSERT_OK(outputs);
  ASSERT_EQ(outputs->size(), 5u);
  for (const auto& [name, offset, size] : ranges) {
    const auto bytes = outputs->bytes(name);
    ASSERT_EQ(bytes.size(), size) << name;
    EXPECT_TRUE(
        std::equal(bytes.begin(), bytes.end(), all.begin() + static_cast<std::ptrdiff_t>(offset)))
        << name;
  }
}

TEST_P(Sequences, ScratchIsZeroInEveryReplay) {
  Builder b("scratch", {.workgroup = 1});
  auto count = b.in_out<std::uint32_t>("count");
  auto own = b.scratch<std::uint32_t>("own", 4);
  own[2u] = own[2u] + 1u;
  count[0u] = count[0u] + own[2u];
  const auto program = *b.build();
  const Buffer count_buffer = buffer({0});
  Sequence sequence(device());
  ASSERT_OK(sequence.add(program, {{"count", count_buffer}}, {.grid = {{1, 1, 1}}}));
  ASSERT_OK(sequence.read("count", count_buffer));
  ASSERT_OK(sequence.run());
  const auto outputs = sequence.run();
  ASSERT_OK(outputs);
  EXPECT_EQ(outputs->as<std::uint32_t>("count")[0], 2u);
}

TEST_P(Sequences, HostBytesAreTakenWhenTheStepIsAdded) {
  const Buffer out = buffer(Words(100));
  Words in = counting<std::uint32_t>(100);
  Sequence sequence(device());
  ASSERT_OK(sequence.add(*copy_kernel<std::uint32_t>(), {{"in", in}, {"out", out}}));
  ASSERT_OK(sequence.read("out", out));
  in.assign(100, 0);
  const auto outputs = sequence.run();
  ASSERT_OK(outputs);
  EXPECT_EQ(to_vector(outputs->as<std::uint32_t>("out")), counting<std::uint32_t>(100));
}

/// What is added later belongs to later replays; buffers may be dropped.
TEST_P(Sequences, MayGrowBetweenReplays) {
  Sequence sequence(device());
  std::vector<Pending> pending;
  {
    const Buffer data = buffer({0});
    ASSERT_OK(sequence.read("data", data));
    for (int i = 0; i < 4; ++i) {
      ASSERT_OK(sequence.add(raise_kernel(), {{"data", data}, {"amount", 1u}}));
      auto one = sequence.submit();
      ASSERT_OK(one);
      pending.push_back(*std::move(one));
    }
  }
  for (const std::uint32_t i : {0u, 1u, 2u, 3u}) {
    const auto outputs = pending[i].wait();
    ASSERT_OK(outputs);
    EXPECT_EQ(outputs->as<std::uint32_t>("data")[0], (i + 1) * (i + 2) / 2);
  }
}

TEST_P(Sequences, FirstTrappedStepIsReported) {
  Builder b("picky", {.workgroup = 4});
  auto data = b.in_out<std::uint32_t>("data");
  auto bad = b.uniform<std::uint32_t>("bad");
  const Value i = b.global_id();
  b.if_(i < data.length(), [&] { b.assert_(data[i] != bad, "this is bad", data[i]); });
  const auto picky = *b.build();
  const Buffer held = buffer({5, 6, 7, 8, 9});
  Sequence sequence(device());
  ASSERT_OK(sequence.add(picky, {{"data", held}, {"bad", 4u}}, {.label = "fine"}));
  ASSERT_OK(sequence.add(picky, {{"data", held}, {"bad", 9u}}, {.label = "one"}));
  ASSERT_OK(sequence.add(picky, {{"data", held}, {"bad", 6u}}, {.label = "another"}));
  ASSERT_OK(sequence.read("data", held));
  for (int replay = 0; replay < 2; ++replay) {
    const auto refused = sequence.run({.label = "careful"});
    EXPECT_REFUSED(refused, ErrorKind::trapped, "trapped",
                   "`one` trapped: this is bad (value 9, invocation (4, 0, 0))");
    EXPECT_REFUSED(refused, ErrorKind::trapped, "trapped", "step 1 of `careful`");
  }
  EXPECT_OK(device().dispatch(picky, {{"data", Words{1}}, {"bad", 4u}}));
}

TEST_P(Sequences, EveryStepIsTimed) {
  const Buffer data = buffer(Words(1000));
  Sequence sequence(device());
  for (int i = 0; i < 3; ++i)
    ASSERT_OK(sequence.add(raise_kernel(), {{"data", data}, {"amount", 1u}}));
  const auto plain = sequence.run();
  ASSERT_OK(plain);
  EXPECT_TRUE(plain->step_timings().empty());
  const auto outputs = sequence.run({.timestamps = true});
  ASSERT_OK(outputs);
  ASSERT_EQ(outputs->step_timings().size(), 3u);
  for (const Timing& step : outputs->step_timings())
    EXPECT_EQ(step.kernel.has_value(), device().info().has_timestamps);
  EXPECT_GT(outputs->timing().total.count(), 0);
}

TEST_P(Sequences, AStepOfNothingRunsNothing) {
  const Buffer data = buffer({7});
  const Buffer empty = *device().allocate(0);
  Sequence sequence(device());
  ASSERT_OK(sequence.add(raise_kernel(), {{"data", empty}, {"amount", 1u}}));
  ASSERT_OK(sequence.read("data", data));
  const auto outputs = sequence.run({.timestamps = true});
  ASSERT_OK(outputs);
  EXPECT_EQ(outputs->as<std::uint32_t>("data")[0], 7u);
  EXPECT_FALSE(outputs->step_timings()[0].kernel);
}

INSTANTIATE_ON_DEVICES(Sequences);

/// Replays that overlap, are dropped, come late, or run on many threads.
class Replays : public Sequences {
 protected:
  void expect_sum(const Buffer& data, std::uint32_t expected) const {
    Words words(1);
    ASSERT_OK(data.download(std::as_writable_bytes(std::span(words)), 0));
    if (computes()) {
      EXPECT_EQ(words[0], expected);
    }
  }
};

TEST_P(Replays, MayOverlapAndEachGivesWhatItSaw) {
  const Buffer data = buffer(Words(1000, 5));
  Sequence sequence(device());
  ASSERT_OK(sequence.add(raise_kernel(), {{"data", data}, {"amount", 1u}}));
  ASSERT_OK(sequence.read("data", data));
  std::vector<Pending> pending;
  for (int i = 0; i < 20; ++i) {
    auto one = sequence.submit();
    ASSERT_OK(one);
    pending.push_back(*std::move(one));
  }
  for (std::uint32_t i = 0; i < 20; ++i)
    expect_words(pending[i].wait(), "data", Words(1000, 6 + i));
}

TEST_P(Replays, OutliveTheirSequenceAndItsBuffers) {
  for (int round = 0; round < 3; ++round) {
    std::optional<Buffer> data = buffer(Words(std::size_t{256} << 10, 5));
    std::optional<Sequence> sequence(device());
    ASSERT_OK(sequence->add(raise_kernel(), {{"data", *data}, {"amount", 1u}}, {.repeat = 10}));
    ASSERT_OK(sequence->read("data", *data, 8, 8));
    const auto pending = sequence->submit();
    ASSERT_OK(pending);
    sequence.reset();
    data.reset();
    device().trim();
    expect_words(pending->wait(), "data", {15, 15});
  }
}

TEST_P(Replays, MayBeDropped) {
  device().trim();
  const std::uint64_t lent = device().stats().live_bytes;
  {
    const Buffer data = buffer({0});
    Sequence sequence(device());
    ASSERT_OK(sequence.add(raise_kernel(), {{"data", data}, {"amount", 1u}}));
    ASSERT_OK(sequence.read("data", data));
    for (int i = 0; i < 500; ++i)
      ASSERT_OK(sequence.submit());
    expect_sum(data, 500);
    const std::uint64_t allocations = device().stats().allocations;
    for (int i = 0; i < 100; ++i)
      ASSERT_OK(sequence.run());
    EXPECT_EQ(device().stats().allocations, allocations);
    expect_sum(data, 600);
    ASSERT_OK(sequence.submit());
  }
  device().trim();
  const Buffer flush = buffer({0});
  expect_sum(flush, 0);
  device().trim();
  EXPECT_EQ(device().stats().live_bytes, lent + 4096);
}

TEST_P(Replays, MayComeFromManyThreads) {
  const Buffer data = buffer({0});
  Sequence sequence(device());
  ASSERT_OK(sequence.add(raise_kernel(), {{"data", data}, {"amount", 1u}}));
  ASSERT_OK(sequence.read("data", data));
  std::vector<std::thread> threads;
  std::atomic<int> failed = 0;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i)
        if (!sequence.run()) ++failed;
    });
  for (std::thread& thread : threads)
    thread.join();
  EXPECT_EQ(failed, 0);
  expect_sum(data, 200);
}

TEST_P(Replays, TakeAnyTimeout) {
  using std::chrono::nanoseconds;
  const Buffer data = buffer({0});
  Sequence sequence(device());
  ASSERT_OK(sequence.add(raise_kernel(), {{"data", data}, {"amount", 1u}}));
  ASSERT_OK(sequence.read("data", data));
  expect_words(sequence.run({.timeout = nanoseconds::max()}), "data", {1});
  const auto late = sequence.run({.timeout = nanoseconds::min()});
  if (!late) {
    EXPECT_EQ(late.error().kind(), ErrorKind::timeout) << late.error().to_string();
  }
  EXPECT_OK(sequence.run());
}

INSTANTIATE_ON_ALL_DEVICES(Replays);

TEST_P(Sequences, ThatPassTheirDeadlineAreTimeoutsAndMayBeReplayed) {
  const auto busy = busy_kernel();
  ASSERT_OK(busy);
  const Buffer out = buffer(Words(64));
  Sequence sequence(device());
  ASSERT_OK(sequence.add(*busy, {{"out", out}}, {.grid = {{2000, 1, 1}}}));
  ASSERT_OK(sequence.read("out", out));
  const std::uint32_t rounds = device().info().kind == DeviceKind::discrete ? 1000 : 1;
  for (std::uint32_t i = 1; i < rounds; ++i)
    ASSERT_OK(sequence.add(*busy, {{"out", out}}, {.grid = {{2000, 1, 1}}}));
  EXPECT_REFUSED(sequence.run({.timeout = std::chrono::milliseconds(1), .label = "many"}),
                 ErrorKind::timeout, "deadline", "`many`");
  expect_words(sequence.run(), "out", Words(64));
}

TEST_P(Sequences, OfNoElementsOfAnySize) {
  const auto program = lengths_kernel();
  ASSERT_OK(program);
  const Buffer out = buffer({9, 9, 9});
  const Buffer empty = *device().allocate(0);
  Sequence sequence(device());
  const std::span<const std::byte> none;
  ASSERT_OK(
      sequence.add(*program, {{"x", none}, {"y", empty}, {"out", out}}, {.grid = {{1, 1, 1}}}));
  ASSERT_OK(sequence.read("out", out));
  expect_words(sequence.run(), "out", {0, 0, 4});
}

/// Everything that is wrong is found when a step is added, and then it is not added.
class SequenceRefusals : public DeviceTest {};

TEST_P(SequenceRefusals, AreFoundWhenAStepIsAdded) {
  const Buffer data = *device().allocate(40);
  Sequence sequence(device());
  const auto add = raise_kernel();
  EXPECT_REFUSED(sequence.add(add, {{"data", Words(10)}, {"amount", 1u}}),
                 ErrorKind::invalid_argument, "sequence-needs-buffer", "`data`");
  EXPECT_REFUSED(sequence.add(add, {{"data", data}}), ErrorKind::invalid_argument, "missing-input",
                 "`amount`");
  EXPECT_REFUSED(sequence.add(add, {{"data", data}, {"amount", 1u}}, {.repeat = 0}),
                 ErrorKind::invalid_argument, "repeat-zero", "repeat");
  EXPECT_REFUSED(sequence.add(add, {{"data", data}, {"amount", 1u}}, {.indirect = {{"data"}}}),
                 ErrorKind::unsupported, "sequence-option", "indirect");
  const auto staged = device().stage<std::uint32_t>(1);
  ASSERT_OK(staged);
  EXPECT_REFUSED(sequence.add(add, {{"data", data}, {"amount", *staged}}), ErrorKind::unsupported,
                 "sequence-option", "staged");
  EXPECT_REFUSED(sequence.read("data", data, 1, 40), ErrorKind::invalid_argument, "buffer-range",
                 "[1..41)");
  ASSERT_OK(sequence.read("data", data));
  EXPECT_REFUSED(sequence.read("data", data), ErrorKind::invalid_argument, "read-given-twice",
                 "`data`");
  const auto other = open("cpu");
  ASSERT_OK(other);
  const auto foreign = other->allocate(40);
  ASSERT_OK(foreign);
  EXPECT_REFUSED(sequence.add(add, {{"data", *foreign}, {"amount", 1u}}),
                 ErrorKind::invalid_argument, "wrong-device", "`data`");
  EXPECT_REFUSED(sequence.read("foreign", *foreign), ErrorKind::invalid_argument, "wrong-device",
                 "`foreign`");
  EXPECT_EQ(sequence.size(), 0u);
  const auto outputs = sequence.run();
  ASSERT_OK(outputs);
  EXPECT_EQ(outputs->bytes("data").size(), 40u);
}

TEST_P(SequenceRefusals, AnEmptySequenceIsDoneAtOnce) {
  const auto outputs = Sequence(device()).run();
  ASSERT_OK(outputs);
  EXPECT_EQ(outputs->size(), 0u);
}

INSTANTIATE_ON_ALL_DEVICES(SequenceRefusals);

}  // namespace
}  // namespace vyre::test
