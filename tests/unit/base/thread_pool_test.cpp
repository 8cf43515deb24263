// SPDX-License-Identifier: MIT OR Apache-2.0
#include "base/thread_pool.h"

#include <atomic>
#include <limits>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace vyre {
namespace {

/// How often each index of [0, count) was visited.
std::vector<int> visits(ThreadPool& pool, std::size_t count, std::size_t grain) {
  std::vector<int> seen(count);
  pool.parallel_for(count, grain, [&](std::size_t begin, std::size_t end, std::size_t) {
    for (std::size_t i = begin; i < end; ++i)
      ++seen[i];
  });
  return seen;
}

TEST(ThreadPoolTest, VisitsEveryIndexOnce) {
  for (const unsigned concurrency : {1U, 2U, 5U}) {
    ThreadPool pool(concurrency);
    EXPECT_EQ(pool.concurrency(), concurrency);
    for (const std::size_t count : {0U, 1U, 7U, 1000U}) {
      for (const std::size_t grain : {1U, 3U, 1000U, 5000U}) {
        EXPECT_EQ(visits(pool, count, grain), std::vector<int>(count, 1));
      }
    }
  }
}

TEST(ThreadPoolTest, ChunksAreAtMostTheGrain) {
  ThreadPool pool(3);
  std::atomic<std::size_t> chunks{0};
  pool.parallel_for(10, 4, [&](std::size_t begin, std::size_t end, std::size_t) {
    ++chunks;
    EXPECT_EQ(begin % 4, 0U);
    EXPECT_EQ(end, begin == 8 ? 10U : begin + 4);
  });
  EXPECT_EQ(chunks, 3U);
}

TEST(ThreadPoolTest, HugeCountsDoNotOverflow) {
  ThreadPool pool(2);
  const std::size_t most = std::numeric_limits<std::size_t>::max();
  std::atomic<std::size_t> covered{0};
  pool.parallel_for(most, most / 2 + 1, [&](std::size_t begin, std::size_t end, std::size_t) {
    covered += end - begin;
  });
  EXPECT_EQ(covered, most);
}

TEST(ThreadPoolTest, ThreadsRunTogether) {
  ThreadPool pool(3);
  std::atomic<int> arrived{0};
  // Each chunk waits for the other two: this ends only when three threads take part.
  pool.parallel_for(3, 1, [&](std::size_t, std::size_t, std::size_t) {
    ++arrived;
    while (arrived < 3)
      std::this_thread::yield();
  });
  EXPECT_EQ(arrived, 3);
}

TEST(ThreadPoolTest, AWorkerNumberIsUsedByOneThreadAtATime) {
  ThreadPool pool(4);
  std::vector<std::atomic<int>> inside(pool.concurrency());
  std::atomic<int> clashes{0};
  pool.parallel_for(10'000, 1, [&](std::size_t, std::size_t, std::size_t worker) {
    ASSERT_LT(worker, inside.size());
    if (++inside[worker] != 1) ++clashes;
    --inside[worker];
  });
  EXPECT_EQ(clashes, 0);
}

TEST(ThreadPoolTest, CanBeUsedAgainAtOnce) {
  ThreadPool pool(4);
  std::vector<std::size_t> plain(64);  // written without atomics: each call must see the last one's
  for (std::size_t round = 0; round < 2000; ++round) {
    pool.parallel_for(plain.size(), 1, [&](std::size_t begin, std::size_t, std::size_t) {
      EXPECT_EQ(plain[begin], round);
      plain[begin] = round + 1;
    });
  }
  EXPECT_EQ(plain, std::vector<std::size_t>(64, 2000));
}

TEST(ThreadPoolTest, CallsFromSeveralThreadsTakeTurns) {
  ThreadPool pool(3);
  std::vector<int> shared(8);  // without atomics: two calls at once would race
  const auto caller = [&] {
    for (int round = 0; round < 200; ++round) {
      pool.parallel_for(shared.size(), 1,
                        [&](std::size_t begin, std::size_t, std::size_t) { ++shared[begin]; });
    }
  };
  std::thread first(caller);
  std::thread second(caller);
  first.join();
  second.join();
  EXPECT_EQ(shared, std::vector<int>(8, 400));
}

TEST(ThreadPoolTest, EndsCleanlyWhetherUsedOrNot) {
  for (int i = 0; i < 50; ++i) {
    ThreadPool pool(3);
    if (i % 2 == 0) visits(pool, 10, 1);
  }
}

TEST(ThreadPoolTest, ZeroMeansOneThreadAProcessor) {
  const ThreadPool pool;
  EXPECT_EQ(pool.concurrency(), std::max(1U, std::thread::hardware_concurrency()));
}

TEST(ThreadPoolDeathTest, AGrainOfZeroIsABug) {
  ThreadPool pool(1);
  EXPECT_DEATH(pool.parallel_for(1, 0, [](std::size_t, std::size_t, std::size_t) {}),
               "check failed");
}

}  // namespace
}  // namespace vyre
