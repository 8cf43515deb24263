// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "vyre/result.h"

#include "memory/failing_new.h"

/// Calls under lack of host memory at each of their allocations.
namespace vyre::test {

/// What a call gave beside its value: no error, or one.
using Outcome = std::optional<Error>;
template <typename T>
Outcome outcome(const Result<T>& result) {
  return result ? Outcome() : Outcome(result.error());
}

/// A call that failed for lack of memory says so, and one that lacked none did not fail.
inline void expect_right(const Outcome& given, bool lacked) {
  if (!given) return;
  EXPECT_TRUE(lacked) << given->to_string();
  EXPECT_EQ(given->kind(), ErrorKind::out_of_memory) << given->to_string();
  EXPECT_TRUE(given->code() == "host-memory" || given->code() == "out-of-memory")
      << given->to_string();
}

/// From one allocation that fails to the next, of so many.  Calls with more than some hundreds are
/// sampled, unless the environment variable VYRE_EVERY_ALLOCATION is set (the long test).
inline std::int64_t step_through(std::int64_t allocations) {
  constexpr std::int64_t kMost = 300;
  return std::getenv("VYRE_EVERY_ALLOCATION") != nullptr ? 1 : allocations / kMost + 1;
}

/// What a call may leave behind.
enum class Leaves : std::uint8_t { nothing, caches };

/// For each allocation of `call`, alone and with all that follow: `make` gives what the call works
/// on, `call` fails or does its work, and `check` finds what it worked on as usable as before;
/// it is given whether the call failed.  Nothing is leaked: once what was made is gone, no
/// allocation is left that was not there before.
template <typename Make, typename Call, typename Check>
void at_every_allocation(Make&& make, Call&& call, Check&& check, Leaves leaves = Leaves::nothing) {
  std::optional<std::int64_t> most;
  const auto run = [&](std::int64_t k, Lack lack) {
    bool lacked = false;
    {
      auto made = make();
      Outcome given;
      {
        const NoMemory none(k, lack);
        given = call(made);
        lacked = none.hit();
      }
      expect_right(given, lacked);
      check(made, given.has_value());
    }
    const std::int64_t live = live_allocations();
    if (most && leaves == Leaves::nothing) {
      EXPECT_LE(live, *most) << "leaked";
    }
    return lacked;
  };
  constexpr std::int64_t kNone = std::int64_t{1} << 40;
  run(kNone, Lack::once);  // what is made once a process is there by now
  run(kNone, Lack::once);
  most = live_allocations();
  const std::int64_t step = step_through(seen_allocations());
  for (const Lack lack : {Lack::from_then_on, Lack::once})
    for (std::int64_t k = 0;; k += step) {
      const bool lacked = run(k, lack);
      if (testing::Test::HasFailure())
        FAIL() << "where allocation " << k
               << (lack == Lack::once ? " fails" : " and all after it fail");
      if (!lacked) break;
    }
}

/// The same of a call that needs nothing but its arguments.
template <typename Call>
void at_every_allocation(Call&& call) {
  at_every_allocation([] { return 0; }, [&](int) { return call(); }, [](int, bool) {});
}

}  // namespace vyre::test
