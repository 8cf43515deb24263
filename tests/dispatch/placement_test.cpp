// SPDX-License-Identifier: MIT OR Apache-2.0
#include <chrono>
#include <cstring>

#include <gtest/gtest.h>

#include "support/check_result.h"
#include "support/devices.h"
#include "support/kernels.h"

// Where bytes lie: in staged or resident memory, the caller's own, recycled, or nowhere.
namespace vyre::test {
namespace {

using namespace std::chrono_literals;
using Words = std::vector<std::uint32_t>;

class Placements : public DeviceTest {};

/// out[i] = x[i] of an input of a fixed size, all of it supplied or not.
Result<ValidProgram> fixed_kernel() {
  Builder b("fixed");
  auto x = b.input<std::uint32_t>("x", 100000);
  auto out = b.output<std::uint32_t>("out", 100000);
  const Value i = b.global_id();
  out[i] = x[i];
  return b.build();
}

TEST_P(Placements, StagedMemoryThatIsShorterEndsInZeros) {
  const auto program = fixed_kernel();
  ASSERT_OK(program);
  for (int round = 0; round < 3; ++round) {
    const auto full = device().stage<std::uint32_t>(100000);
    ASSERT_OK(full);
    std::fill(full->begin(), full->end(), 0xffffffffu);
    ASSERT_OK(device().dispatch(*program, {{"x", *full}}));
    const auto part = device().stage<std::uint32_t>(10);
    ASSERT_OK(part);
    std::fill(part->begin(), part->end(), 7u);
    Words expected(100000);
    std::fill_n(expected.begin(), 10, 7u);
    expect_words(device().dispatch(*program, {{"x", *part}}), "out", expected);
  }
}

TEST_P(Placements, StagedMemoryMayStandForWhatIsWritten) {
  const auto program = add_kernel();
  ASSERT_OK(program);
  const auto x = device().stage<std::uint32_t>(3);
  const auto by = device().stage<std::uint32_t>(1);
  ASSERT_OK(x);
  ASSERT_OK(by);
  std::fill(x->begin(), x->end(), 5u);
  (*by)[0] = 2;
  expect_words(device().dispatch(*program, {{"x", *x}, {"by", *by}}), "x", {7, 7, 7});
  EXPECT_TRUE(x->bytes().empty()) << "a dispatch consumes it";
  EXPECT_TRUE(by->bytes().empty());
}

TEST_P(Placements, StagedMemoryIsConsumedByOneJobOnly) {
  Builder b("two");
  auto x = b.input<std::uint32_t>("x");
  auto y = b.input<std::uint32_t>("y");
  auto out = b.output<std::uint32_t>("out");
  out.same_length_as(x);
  const Value i = b.global_id();
  out[i] = x[i] + y[i];
  const auto two = b.build();
  const auto copy = copy_kernel<std::uint32_t>();
  ASSERT_OK(two);
  ASSERT_OK(copy);
  const auto staged = device().stage<std::uint32_t>(4);
  ASSERT_OK(staged);
  std::fill(staged->begin(), staged->end(), 5u);
  EXPECT_REFUSED(device().dispatch(*two, {{"x", *staged}, {"y", *staged}}),
                 ErrorKind::invalid_argument, "staged-consumed", "`y`");
  ASSERT_EQ(staged->size(), 4u) << "a refused call consumes nothing";
  const BatchJob jobs[] = {{*copy, {{"in", *staged}}}, {*copy, {{"in", *staged}}}};
  const auto pending = device().submit_batch(jobs);
  ASSERT_OK(pending[0]);
  expect_words(pending[0]->wait(), "out", {5, 5, 5, 5});
  EXPECT_REFUSED(pending[1], ErrorKind::invalid_argument, "staged-consumed", "`in`");
}

TEST_P(Placements, AResidentBufferMayStandForAUniform) {
  const auto program = add_kernel();
  ASSERT_OK(program);
  const auto by = device().allocate(4);
  ASSERT_OK(by);
  const Words three = {3};
  ASSERT_OK(by->upload(std::as_bytes(std::span(three))));
  expect_words(device().dispatch(*program, {{"x", Words{1, 2}}, {"by", *by}}), "x", {4, 5});
}

/// An output starts as zeros, wherever it lies.
TEST_P(Placements, AResidentBufferForAnOutputStartsAsZeros) {
  Builder b("some");
  auto out = b.output<std::uint32_t>("out", 6);
  const Value i = b.global_id();
  b.if_(i % 2u == 0u, [&] { out[i] = out[i] + 5u; });
  const auto program = b.build();
  ASSERT_OK(program);
  const auto buffer = device().allocate(24);
  ASSERT_OK(buffer);
  const Words old(6, 100);
  ASSERT_OK(buffer->upload(std::as_bytes(std::span(old))));
  ASSERT_OK(device().dispatch(*program, {{"out", *buffer}}));
  Words words(6);
  ASSERT_OK(buffer->download(std::as_writable_bytes(std::span(words))));
  if (computes()) {
    EXPECT_EQ(words, (Words{5, 0, 5, 0, 5, 0}));
  }
}

TEST_P(Placements, ScratchMemoryStartsAsZeros) {
  Builder b("scratch");
  auto scratch = b.scratch<std::uint32_t>("scratch", 5000);
  auto out = b.output<std::uint32_t>("out", 5000);
  const Value i = b.global_id();
  scratch[i] = scratch[i] + 1u;
  out[i] = scratch[i];
  const auto program = b.build();
  ASSERT_OK(program);
  for (std::uint32_t repeat = 1; repeat < 4; ++repeat)
    expect_words(device().dispatch(*program, {}, {.repeat = repeat}), "out", Words(5000, repeat));
}

TEST_P(Placements, BytesAreTakenWhenTheCallReturns) {
  const auto program = copy_kernel<std::uint32_t>();
  ASSERT_OK(program);
  for (const std::size_t count : {std::size_t{16}, std::size_t{1} << 18}) {
    Words words(count, 1);
    const auto pending = device().submit(*program, {{"in", words}});
    ASSERT_OK(pending);
    std::fill(words.begin(), words.end(), 0xffffffffu);
    const std::vector<BatchJob> jobs(2, BatchJob{*program, {{"in", words}}});
    const auto batch = device().submit_batch(jobs);
    std::fill(words.begin(), words.end(), 3u);
    expect_words(pending->wait(), "out", Words(count, 1));
    for (const auto& job : batch) {
      ASSERT_OK(job);
      expect_words(job->wait(), "out", Words(count, 0xffffffffu));
    }
  }
}

TEST_P(Placements, BytesMayLieAnywhere) {
  const auto program = copy_kernel<std::uint32_t>();
  ASSERT_OK(program);
  const auto words = counting<std::uint32_t>(1000);
  std::vector<std::byte> memory(4100);
  for (std::size_t shift = 0; shift < 20; ++shift) {
    std::memcpy(memory.data() + shift, words.data(), 4000);
    const auto bytes = std::span<const std::byte>(memory).subspan(shift, 4000);
    expect_words(device().dispatch(*program, {{"in", bytes}}), "out", words);
  }
}

/// The caller may do with its memory what it likes once a call is over, also after a timeout.
TEST_P(Placements, MemoryOfACallThatTimedOutMayGo) {
  const auto busy = busy_kernel();
  const auto copy = copy_kernel<std::uint32_t>();
  ASSERT_OK(busy);
  ASSERT_OK(copy);
  ASSERT_OK(device().prepare(*busy));
  ASSERT_OK(device().prepare(*copy));
  for (int round = 0; round < 3; ++round) {
    const auto long_one = device().submit(*busy, {}, {.grid = {{500, 1, 1}}});
    ASSERT_OK(long_one);
    {
      const Words words(std::size_t{2} << 20, 1);
      (void)device().dispatch(*copy, {{"in", words}}, {.timeout = 1ms}).has_value();
    }
    ASSERT_OK(long_one->wait(120s));
    expect_words(device().dispatch(*copy, {{"in", Words{1, 2}}}), "out", {1, 2});
  }
}

TEST_P(Placements, NoElementsOfAnySizeAreLegal) {
  const auto program = lengths_kernel();
  ASSERT_OK(program);
  expect_words(
      device().dispatch(*program, {{"x", Words{}}}, {.grid = {{1, 1, 1}}, .counts = {{"y", 0}}}),
      "out", {0, 0, 4});
}

INSTANTIATE_ON_ALL_DEVICES(Placements);

}  // namespace
}  // namespace vyre::test
