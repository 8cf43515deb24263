// SPDX-License-Identifier: MIT OR Apache-2.0
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "support/check_result.h"
#include "support/devices.h"
#include "support/kernels.h"

// Many dispatches in one submission.
namespace vyre::test {
namespace {

using Words = std::vector<std::uint32_t>;

class Batches : public DeviceTest {
 protected:
  /// Dependent increments of one resident buffer, all in one batch.
  void check_increments(std::uint32_t count) const {
    const auto program = add_kernel();
    ASSERT_OK(program);
    const auto buffer = device().allocate(4);
    ASSERT_OK(buffer);
    const Words one = {1};
    const std::vector<BatchJob> jobs(count, BatchJob{*program, {{"x", *buffer}, {"by", one}}});
    const auto pending = device().submit_batch(jobs);
    ASSERT_EQ(pending.size(), count);
    for (const auto& job : pending) {
      ASSERT_OK(job);
      ASSERT_OK(job->wait());
    }
    Words words(1);
    ASSERT_OK(buffer->download(std::as_writable_bytes(std::span(words))));
    if (computes()) {
      EXPECT_EQ(words[0], count);
    }
  }
};

TEST_P(Batches, OfNothingGiveNothing) {
  const std::uint64_t before = device().stats().submissions;
  EXPECT_TRUE(device().submit_batch({}).empty());
  EXPECT_EQ(device().stats().submissions, before);
}

TEST_P(Batches, OfDistinctProgramsAreOneSubmission) {
  const auto copy = copy_kernel<std::uint32_t>();
  const auto add = add_kernel();
  const auto sum = sum_kernel();
  ASSERT_OK(copy);
  ASSERT_OK(add);
  ASSERT_OK(sum);
  const Words words = {1, 2, 3};
  const Words five = {5};
  const BatchJob jobs[] = {
      {*copy, {{"in", words}}}, {*add, {{"x", words}, {"by", five}}}, {*sum, {{"x", words}}}};
  const std::uint64_t before = device().stats().submissions;
  const auto pending = device().submit_batch(jobs);
  EXPECT_EQ(device().stats().submissions, before + 1);
  ASSERT_EQ(pending.size(), 3u);
  for (const auto& job : pending)
    ASSERT_OK(job);
  expect_words(pending[0]->wait(), "out", words);
  expect_words(pending[1]->wait(), "x", {6, 7, 8});
  expect_words(pending[2]->wait(), "sum", {6});
}

TEST_P(Batches, OfOneProgramGiveEachJobItsOwnParameters) {
  const auto program = add_kernel();
  ASSERT_OK(program);
  const Words words = {10, 20};
  const Words by = {1, 2, 3};
  std::vector<BatchJob> jobs;
  for (const std::uint32_t& value : by)
    jobs.push_back(BatchJob{*program, {{"x", words}, {"by", value}}});
  const auto pending = device().submit_batch(jobs);
  ASSERT_EQ(pending.size(), 3u);
  for (std::uint32_t i = 0; i < 3; ++i) {
    ASSERT_OK(pending[i]);
    expect_words(pending[i]->wait(), "x", {10 + by[i], 20 + by[i]});
  }
}

TEST_P(Batches, SeeTheWritesOfTheJobsBefore) {
  check_increments(500);
}

TEST_P(Batches, WithARefusedJobDoTheOthers) {
  const auto program = add_kernel();
  ASSERT_OK(program);
  const Words words = {1, 2};
  const Words by = {1};
  const BatchJob jobs[] = {{*program, {{"x", words}, {"by", by}}},
                           {*program, {Input(words)}},
                           {*program, {{"x", words}, {"by", by}}, {.repeat = 0}},
                           {*program, {{"x", words}, {"by", by}}, {.repeat = 3}}};
  const auto pending = device().submit_batch(jobs);
  ASSERT_EQ(pending.size(), 4u);
  EXPECT_REFUSED(pending[1], ErrorKind::invalid_argument, "input-count", "`x`, `by`");
  EXPECT_REFUSED(pending[2], ErrorKind::invalid_argument, "repeat-zero", "0");
  ASSERT_OK(pending[0]);
  expect_words(pending[0]->wait(), "x", {2, 3});
  ASSERT_OK(pending[3]);
  expect_words(pending[3]->wait(), "x", {4, 5});
}

TEST_P(Batches, OfRefusedJobsAloneSubmitNothing) {
  const auto program = add_kernel();
  ASSERT_OK(program);
  const Words words = {1};
  const BatchJob jobs[] = {{*program, {{"x", words}}}, {*program, {{"x", words}}}};
  const std::uint64_t before = device().stats().submissions;
  for (const auto& pending : device().submit_batch(jobs))
    EXPECT_REFUSED(pending, ErrorKind::invalid_argument, "missing-input", "`by`");
  EXPECT_EQ(device().stats().submissions, before);
}

TEST_P(Batches, AgainAndAgainAllocateNothing) {
  const auto program = add_kernel();
  ASSERT_OK(program);
  const Words words(1000, 1);
  const Words by = {1};
  const std::vector<BatchJob> jobs(4, BatchJob{*program, {{"x", words}, {"by", by}}});
  std::uint64_t before = 0;
  for (int round = 0; round < 20; ++round) {
    if (round == 2) before = device().stats().allocations;
    for (const auto& pending : device().submit_batch(jobs)) {
      ASSERT_OK(pending);
      ASSERT_OK(pending->wait());
    }
  }
  EXPECT_EQ(device().stats().allocations, before);
}

/// A pure output starts as zeros when its own job comes, not before: the jobs before it still use
/// the buffer.
TEST_P(Batches, ClearAResidentOutputInItsTurn) {
  const auto add = add_kernel();
  const auto copy = copy_kernel<std::uint32_t>();
  ASSERT_OK(add);
  ASSERT_OK(copy);
  Builder b("even", {.workgroup = 1});
  auto out = b.output<std::uint32_t>("out");
  out[b.global_id() * 2u] = 100u;
  const auto even = *b.build();
  const auto first = device().allocate(16);
  const auto second = device().allocate(16);
  ASSERT_OK(first);
  ASSERT_OK(second);
  const Words start = {1, 2, 3, 4};
  for (const auto& buffer : {*first, *second})
    ASSERT_OK(buffer.upload(std::as_bytes(std::span(start))));
  const Words by = {10};
  for (const bool timed : {false, true}) {
    const DispatchOptions options = {.timestamps = timed};
    const BatchJob jobs[] = {{*add, {{"x", *first}, {"by", by}}, options},
                             {*copy, {{"in", *first}, {"out", *second}}},
                             {even, {{"out", *first}}, {.grid = {{2, 1, 1}}, .timestamps = timed}},
                             {*add, {{"x", *first}, {"by", by}}, options}};
    for (const auto& pending : device().submit_batch(jobs)) {
      ASSERT_OK(pending);
      ASSERT_OK(pending->wait());
    }
    if (!computes()) continue;
    Words words(4);
    ASSERT_OK(first->download(std::as_writable_bytes(std::span(words))));
    EXPECT_EQ(words, (Words{110, 10, 110, 10}));
    ASSERT_OK(second->download(std::as_writable_bytes(std::span(words))));
    EXPECT_EQ(words, timed ? (Words{120, 20, 120, 20}) : (Words{11, 12, 13, 14}));
  }
}

/// Equal jobs, also with others between them, are as many dispatches, each with its own result.
TEST_P(Batches, OfEqualJobsRunEachOfThem) {
  const auto add = add_kernel();
  const auto copy = copy_kernel<std::uint32_t>();
  ASSERT_OK(add);
  ASSERT_OK(copy);
  const auto by = device().allocate(4);
  ASSERT_OK(by);
  for (int round = 0; round < 3; ++round)  // launch words may stay on the device from the third on
    for (const bool timed : {false, true}) {
      std::optional<Buffer> first;
      std::optional<Buffer> second;
      for (auto* buffer : {&first, &second}) {
        auto made = device().allocate(8);
        ASSERT_OK(made);
        *buffer = *std::move(made);
      }
      const Words two = {2};
      ASSERT_OK(by->upload(std::as_bytes(std::span(two))));
      const DispatchOptions options = {.timestamps = timed};
      const BatchJob one = {*add, {{"x", *first}, {"by", *by}}, options};
      const BatchJob other = {*add, {{"x", *second}, {"by", *first}}, options};
      const BatchJob out = {*copy, {{"in", *second}}, options};
      const BatchJob refused = {*add, {{"x", *first}}, options};
      const BatchJob twice = {*add, {{"x", *first}, {"by", *by}}, {.repeat = 2}};
      // first:  2        4               6               8    8 + 4
      const BatchJob jobs[] = {one, other, one, refused, one, other, out, one, twice, out, refused};
      const auto batch = device().submit_batch(jobs);
      Words words(2);
      const auto last = device().dispatch(*copy, {{"in", *first}});
      first.reset();
      second.reset();
      const std::vector<bool> good = {true, true, true, false, true, true,
                                      true, true, true, true,  false};
      for (std::size_t i = 0; i < good.size(); ++i) {
        ASSERT_EQ(batch[i].has_value(), good[i]) << i;
        if (!good[i]) continue;
        const auto outputs = batch[i]->wait();
        ASSERT_OK(outputs);
        const bool copies = i == 6 || i == 9;
        ASSERT_EQ(outputs->size(), copies ? 1u : 0u) << i;
        if (copies) expect_words(outputs, "out", {8, 8});
        if (timed && i != 8 && computes() && device().info().has_timestamps) {
          EXPECT_TRUE(outputs->timing().kernel) << i;
        }
      }
      expect_words(last, "out", {12, 12});
    }
}

/// A value in an input is the input's own: the statement that named it may be over.
TEST_P(Batches, KeepTheValuesOfTheirInputs) {
  const auto add = add_kernel();
  ASSERT_OK(add);
  const Words words = {1, 2};
  std::vector<BatchJob> jobs;
  for (int i = 0; i < 5; ++i) {
    const std::uint32_t by = static_cast<std::uint32_t>(10 * i);
    jobs.push_back({*add, {{"x", words}, {"by", by}}});
  }
  const auto batch = device().submit_batch(jobs);
  for (std::uint32_t i = 0; i < 5; ++i) {
    ASSERT_OK(batch[i]);
    const auto outputs = batch[i]->wait();
    ASSERT_OK(outputs);
    expect_words(outputs, "x", {1 + 10 * i, 2 + 10 * i});
  }
}

/// A device whose kernels share what was planned keeps the buffers until the last is done.
TEST_P(Batches, OfEqualJobsMayBeDropped) {
  const auto add = add_kernel();
  ASSERT_OK(add);
  for (int round = 0; round < 20; ++round) {
    const auto buffer = device().allocate(4096);
    ASSERT_OK(buffer);
    const std::vector<BatchJob> jobs(10, BatchJob{*add, {{"x", *buffer}, {"by", *buffer}}});
    const std::vector<BatchJob> more(10, BatchJob{*add, {{"x", *buffer}, {"by", 1u}}});
    for (const auto& refused : device().submit_batch(jobs))
      EXPECT_REFUSED(refused, ErrorKind::invalid_argument, "aliased-buffer", "`x`");
    const auto batch = device().submit_batch(more);
    if (round % 2 == 0) continue;
    ASSERT_OK(batch[3]);
    EXPECT_OK(batch[3]->wait());
  }
}

INSTANTIATE_ON_ALL_DEVICES(Batches);

class BatchesThatTrap : public DeviceTest {};

TEST_P(BatchesThatTrap, FailTheTrappedJobAlone) {
  Builder b("no_zeros");
  auto x = b.in_out<std::uint32_t>("x");
  const Value i = b.global_id();
  b.assert_(i >= x.length() || x[i] != 0u, "zero", i);
  x[i] = x[i] + 1u;
  const auto program = b.build();
  ASSERT_OK(program);
  const Words good = {1, 2, 3};
  const Words bad = {1, 0, 3};
  const BatchJob jobs[] = {
      {*program, {{"x", good}}}, {*program, {{"x", bad}}}, {*program, {{"x", good}}}};
  const auto pending = device().submit_batch(jobs);
  std::vector<Pending> all;
  for (const auto& job : pending) {
    ASSERT_OK(job);
    all.push_back(*job);
  }
  const auto results = wait_all(all);
  expect_words(results[0], "x", {2, 3, 4});
  EXPECT_REFUSED(results[1], ErrorKind::trapped, "trapped", "zero");
  expect_words(results[2], "x", {2, 3, 4});
}

TEST_P(BatchesThatTrap, TellWhichOfEqualJobsItWas) {
  Builder b("countdown", {.workgroup = 1});
  auto x = b.in_out<std::uint32_t>("x");
  b.assert_(x[0] != 0u, "zero", x[0]);
  x[0] = x[0] - 1u;
  const auto program = b.build();
  ASSERT_OK(program);
  const auto buffer = device().allocate(4);
  ASSERT_OK(buffer);
  for (int round = 0; round < 3; ++round) {
    const Words two = {2};
    ASSERT_OK(buffer->upload(std::as_bytes(std::span(two))));
    const std::vector<BatchJob> jobs(5, BatchJob{*program, {{"x", *buffer}}});
    const auto batch = device().submit_batch(jobs);
    for (std::size_t i = 0; i < batch.size(); ++i) {
      ASSERT_OK(batch[i]);
      const auto outputs = batch[i]->wait();
      if (i < 2)
        EXPECT_OK(outputs);
      else
        EXPECT_REFUSED(outputs, ErrorKind::trapped, "trapped", "invocation (0, 0, 0)");
    }
  }
}

INSTANTIATE_ON_DEVICES(BatchesThatTrap);

class LongDispatchBatches : public Batches {};

TEST_P(LongDispatchBatches, OfTenThousandJobsSeeTheWritesOfTheJobsBefore) {
  check_increments(10000);
}

INSTANTIATE_ON_ALL_DEVICES(LongDispatchBatches);

}  // namespace
}  // namespace vyre::test
