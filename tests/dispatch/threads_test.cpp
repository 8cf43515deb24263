// SPDX-License-Identifier: MIT OR Apache-2.0
#include <atomic>
#include <optional>
#include <thread>

#include <gtest/gtest.h>

#include "support/check_result.h"
#include "support/devices.h"
#include "support/kernels.h"

// Many threads on one device.
namespace vyre::test {
namespace {

using Words = std::vector<std::uint32_t>;

class Threads : public DeviceTest {
 protected:
  /// `body(thread)` on each of `count` threads.
  template <typename F>
  static void on_threads(std::uint32_t count, F&& body) {
    std::vector<std::thread> threads;
    for (std::uint32_t t = 0; t < count; ++t)
      threads.emplace_back([&body, t] { body(t); });
    for (std::thread& thread : threads)
      thread.join();
  }

  /// Rounds of dispatch and read, in which this result was wrong or an error.
  std::uint32_t wrong_rounds(const ValidProgram& program,
                             std::uint32_t seed,
                             std::uint32_t rounds) const {
    std::uint32_t wrong = 0;
    for (std::uint32_t round = 0; round < rounds; ++round) {
      const Words words = {seed, round, seed ^ round};
      const auto outputs = device().dispatch(program, {{"x", words}, {"by", seed}});
      const auto got = outputs ? to_vector(outputs->as<std::uint32_t>("x")) : Words{};
      const Words expected = {words[0] + seed, words[1] + seed, words[2] + seed};
      const bool right = computes() ? got == expected : got.size() == expected.size();
      if (!right) ++wrong;
    }
    return wrong;
  }

  void check_threads(std::uint32_t rounds) const {
    const auto program = add_kernel();
    ASSERT_OK(program);
    std::atomic<std::uint32_t> wrong = 0;
    on_threads(8, [&](std::uint32_t t) { wrong += wrong_rounds(*program, t + 1, rounds); });
    EXPECT_EQ(wrong, 0u);
  }
};

TEST_P(Threads, EachGetItsOwnResults) {
  check_threads(200);
}

TEST_P(Threads, MayWaitForWhatOthersSubmitted) {
  const auto program = add_kernel();
  ASSERT_OK(program);
  std::vector<std::optional<Pending>> all(64);
  on_threads(4, [&](std::uint32_t t) {
    for (std::uint32_t i = t; i < all.size(); i += 4)
      if (auto pending = device().submit(*program, {{"x", Words{i}}, {"by", 7u}}))
        all[i] = *std::move(pending);
  });
  std::atomic<std::uint32_t> right = 0;
  on_threads(4, [&](std::uint32_t t) {
    for (std::uint32_t i = 0; i < all.size(); ++i) {
      if (i % 4 == t || !all[i]) continue;  // every result is looked at by three threads
      const auto outputs = all[i]->wait();
      const auto words = outputs ? to_vector(outputs->as<std::uint32_t>("x")) : Words{};
      if (words.size() == 1 && (!computes() || words[0] == i + 7)) ++right;
    }
  });
  EXPECT_EQ(right, 3u * 64u);
}

TEST_P(Threads, WithABadProgramHurtNoOther) {
  const auto good = add_kernel();
  ASSERT_OK(good);
  Builder b("bad", {.workgroup = device().info().limits.workgroup_size[0] / 2 + 1});
  auto x = b.workgroup<std::uint32_t>("x", 1u << 30);
  x[b.local_index()] = 1u;
  const auto bad = b.build();
  ASSERT_OK(bad);
  std::atomic<std::uint32_t> wrong = 0;
  std::atomic<std::uint32_t> refused = 0;
  on_threads(4, [&](std::uint32_t t) {
    if (t != 0) {
      wrong += wrong_rounds(*good, t, 50);
      return;
    }
    for (int round = 0; round < 50; ++round) {
      const auto outputs = device().dispatch(*bad, {}, {.grid = {{1, 1, 1}}});
      if (!outputs && outputs.error().kind() == ErrorKind::unsupported) ++refused;
    }
  });
  EXPECT_EQ(wrong, 0u);
  EXPECT_EQ(refused, 50u);
}

TEST_P(Threads, MayUseOneResidentBuffer) {
  const auto program = add_kernel();
  ASSERT_OK(program);
  const auto buffer = device().allocate(16);
  ASSERT_OK(buffer);
  std::atomic<std::uint32_t> failed = 0;
  on_threads(4, [&](std::uint32_t) {
    for (int round = 0; round < 25; ++round)
      if (!device().dispatch(*program, {{"x", *buffer}, {"by", 1u}})) ++failed;
  });
  EXPECT_EQ(failed, 0u);
  Words words(4);
  ASSERT_OK(buffer->download(std::as_writable_bytes(std::span(words))));
  if (computes()) {
    EXPECT_EQ(words, Words(4, 100));
  }
}

INSTANTIATE_ON_ALL_DEVICES(Threads);

class LongDispatchThreads : public Threads {};

TEST_P(LongDispatchThreads, EachGetAThousandResults) {
  check_threads(1000);
}

INSTANTIATE_ON_ALL_DEVICES(LongDispatchThreads);

}  // namespace
}  // namespace vyre::test
