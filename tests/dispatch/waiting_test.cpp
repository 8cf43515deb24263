// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>

#include <gtest/gtest.h>

#include "support/check_result.h"
#include "support/devices.h"
#include "support/kernels.h"

// Results that are on their way: waiting, dropping, callbacks.
namespace vyre::test {
namespace {

using Words = std::vector<std::uint32_t>;

class Waiting : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    auto program = copy_kernel<std::uint32_t>();
    ASSERT_OK(program);
    copy_ = *std::move(program);
  }
  [[nodiscard]] Result<Pending> start(const Words& words) const {
    return device().submit(*copy_, {{"in", words}});
  }
  [[nodiscard]] const ValidProgram& copy() const { return *copy_; }

  /// Dispatches and reads, each round with words of its own.
  void check_rounds(std::uint32_t rounds) const {
    for (std::uint32_t round = 0; round < rounds; ++round) {
      const Words words = {round, round + 1, round + 2};
      expect_words(device().dispatch(*copy_, {{"in", words}}), "out", words);
      if (HasFailure()) return;
    }
  }

 private:
  std::optional<ValidProgram> copy_;
};

TEST_P(Waiting, AWaitAloneFinishesTheWork) {
  const Words words = {1, 2, 3};
  const auto pending = start(words);
  ASSERT_OK(pending);
  expect_words(pending->wait(), "out", words);
}

TEST_P(Waiting, AResultThatIsThereIsGivenWhateverTheDeadline) {
  const Words words = {1, 2, 3};
  const auto pending = start(words);
  ASSERT_OK(pending);
  ASSERT_OK(pending->wait());
  EXPECT_TRUE(pending->ready());
  expect_words(pending->wait(std::chrono::nanoseconds(0)), "out", words);
}

TEST_P(Waiting, OfHalfAMillionElementsGivesWhatADispatchGives) {
  const auto words = counting<std::uint32_t>(std::size_t{512} << 10);
  const auto pending = start(words);
  ASSERT_OK(pending);
  const auto waited = pending->wait();
  ASSERT_OK(waited);
  const auto at_once = device().dispatch(copy(), {{"in", words}});
  ASSERT_OK(at_once);
  EXPECT_EQ(to_vector(waited->bytes("out")), to_vector(at_once->bytes("out")));
  expect_words(waited, "out", words);
}

TEST_P(Waiting, WhatHasNothingToDoIsReadyAtOnce) {
  const auto pending = start({});
  ASSERT_OK(pending);
  EXPECT_TRUE(pending->ready());
  expect_words(pending->wait(), "out", {});
}

TEST_P(Waiting, EveryRoundOfManyCompletes) {
  check_rounds(500);
}

TEST_P(Waiting, ADroppedResultDisturbsNoLaterOne) {
  for (std::uint32_t round = 0; round < 50; ++round) {
    ASSERT_OK(start(Words(1000, ~round)));
    const Words words(1000, round);
    expect_words(device().dispatch(copy(), {{"in", words}}), "out", words);
  }
}

/// The memory of a result is used again only when nobody looks at it any more.
TEST_P(Waiting, ResultsThatAreHeldKeepTheirBytes) {
  std::deque<Result<Outputs>> held;
  for (std::uint32_t round = 0; round < 50; ++round) {
    held.push_back(device().dispatch(copy(), {{"in", Words(1000, round)}}));
    const std::uint32_t oldest = round + 1 - static_cast<std::uint32_t>(held.size());
    expect_words(held.front(), "out", Words(1000, oldest));
    if (held.size() == 8) held.pop_front();
  }
}

TEST_P(Waiting, ManyAreWaitedForTogether) {
  std::vector<Pending> all;
  for (std::uint32_t i = 0; i < 20; ++i) {
    auto pending = start(Words(10, i));
    ASSERT_OK(pending);
    all.push_back(*std::move(pending));
  }
  const auto results = wait_all(all);
  ASSERT_EQ(results.size(), 20u);
  for (std::uint32_t i = 0; i < 20; ++i)
    expect_words(results[i], "out", Words(10, i));
}

TEST_P(Waiting, AnyTimeoutIsTaken) {
  using std::chrono::nanoseconds;
  const auto program = copy_kernel<std::uint32_t>();
  ASSERT_OK(program);
  for (const nanoseconds timeout : {nanoseconds::max(), nanoseconds::max() / 2}) {
    expect_words(device().dispatch(*program, {{"in", Words{1}}}, {.timeout = timeout}), "out", {1});
    const auto pending = device().submit(*program, {{"in", Words{1}}});
    ASSERT_OK(pending);
    expect_words(pending->wait(timeout), "out", {1});
    expect_words(wait_all(std::span(&*pending, 1), timeout)[0], "out", {1});
  }
  for (const nanoseconds timeout : {nanoseconds::min(), nanoseconds(-1), nanoseconds(0)}) {
    const auto outputs = device().dispatch(*program, {{"in", Words{1}}}, {.timeout = timeout});
    if (!outputs) {
      EXPECT_EQ(outputs.error().kind(), ErrorKind::timeout) << outputs.error().to_string();
    }
    const auto pending = device().submit(*program, {{"in", Words{1}}});
    ASSERT_OK(pending);
    (void)pending->wait(timeout).has_value();
    expect_words(pending->wait(), "out", {1});
  }
  EXPECT_TRUE(wait_all({}).empty());
}

// ---------------------------------------------------------------------------------- callbacks

/// Dispatches in a row: each is submitted by the callback of the one before.
class Chain {
 public:
  Chain(const Device& device, const ValidProgram& program, std::uint32_t length, bool also_waits)
      : device_(device), program_(program), left_(length), also_waits_(also_waits) {}

  [[nodiscard]] bool done() const { return left_ == 0 || error_; }
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }
  [[nodiscard]] const Words& words() const { return words_; }
  /// Between the shallowest and the deepest callback.
  [[nodiscard]] std::uintptr_t stack() const { return highest_ - lowest_; }

  Result<Pending> start() {
    const Words one = {1};
    auto pending = device_.submit(program_, {{"x", words_}, {"by", one}});
    if (pending) pending->on_ready([this](const Pending& ready) { go_on(ready); });
    return pending;
  }

 private:
  void go_on(const Pending& ready) {
    const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    highest_ = std::max(highest_, here);
    lowest_ = std::min(lowest_, here);
    const auto outputs = ready.wait();
    if (!outputs) return fail(outputs.error());
    words_ = to_vector(outputs->as<std::uint32_t>("x"));
    if (--left_ == 0) return;
    if (const auto next = start(); !next) return fail(next.error());
    if (!also_waits_) return;
    const Words ten = {10};
    const auto other = device_.dispatch(program_, {{"x", Words{5}}, {"by", ten}});
    if (!other) fail(other.error());
  }
  void fail(const Error& error) { error_ = error; }

  const Device& device_;
  const ValidProgram& program_;
  std::uint32_t left_;
  bool also_waits_;
  Words words_ = {0, 100};
  std::optional<Error> error_;
  std::uintptr_t highest_ = 0;
  std::uintptr_t lowest_ = ~std::uintptr_t{0};
};

constexpr std::uintptr_t kLittleStack = std::uintptr_t{64} << 10;

class Callbacks : public DeviceTest {
 protected:
  void check_chain(std::uint32_t length, bool also_waits) const {
    const auto program = add_kernel();
    ASSERT_OK(program);
    Chain chain(device(), *program, length, also_waits);
    const auto first = chain.start();
    ASSERT_OK(first);
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!chain.done() && std::chrono::steady_clock::now() < limit)
      (void)first->ready();
    ASSERT_TRUE(chain.done());
    ASSERT_FALSE(chain.error()) << chain.error()->to_string();
    if (computes()) {
      EXPECT_EQ(chain.words(), (Words{length, 100 + length}));
    }
    EXPECT_LT(chain.stack(), kLittleStack);
  }
};

TEST_P(Callbacks, ThatSubmitAgainFormAChainOfAThousand) {
  check_chain(1000, false);
}

TEST_P(Callbacks, ThatAlsoWaitDoNotPileUp) {
  check_chain(1000, true);
}

TEST_P(Callbacks, OfAFinishedDispatchAreCalledAtOnce) {
  const auto program = add_kernel();
  ASSERT_OK(program);
  const auto pending = device().submit(*program, {{"x", Words{1}}, {"by", 1u}});
  ASSERT_OK(pending);
  ASSERT_OK(pending->wait());
  int calls = 0;
  pending->on_ready([&](const Pending&) { ++calls; });
  pending->on_ready([&](const Pending&) { ++calls; });
  EXPECT_EQ(calls, 2);
}

TEST_P(Callbacks, MayCloseTheDevice) {
  auto opened = open(device().info().selector());
  ASSERT_OK(opened);
  auto mine = std::make_unique<Device>(*std::move(opened));
  const auto program = copy_kernel<std::uint32_t>();
  ASSERT_OK(program);
  opened = Error(ErrorKind::io, "none", "only `mine` is left");
  auto pending = mine->submit(*program, {{"in", Words{1, 2}}});
  ASSERT_OK(pending);
  int calls = 0;
  pending->on_ready([&](const Pending& done) {
    ++calls;
    mine.reset();
    expect_words(done.wait(), "out", {1, 2});
  });
  ASSERT_OK(pending->wait());
  pending = Error(ErrorKind::io, "none", "gone");
  EXPECT_EQ(calls, 1);
}

INSTANTIATE_ON_ALL_DEVICES(Waiting);
INSTANTIATE_ON_ALL_DEVICES(Callbacks);

class LongDispatchWaiting : public Waiting {};

TEST_P(LongDispatchWaiting, EveryRoundOfFiveThousandCompletes) {
  check_rounds(5000);
}

INSTANTIATE_ON_ALL_DEVICES(LongDispatchWaiting);

}  // namespace
}  // namespace vyre::test
