// SPDX-License-Identifier: MIT OR Apache-2.0
#include "runtime/backoff.h"

#include <gtest/gtest.h>

namespace vyre {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

TEST(Backoff, SleepsAnEighthOfWhatItHasWaited) {
  EXPECT_EQ(Backoff::sleep_after(microseconds(0)), microseconds(20));
  EXPECT_EQ(Backoff::sleep_after(microseconds(160)), microseconds(20));
  EXPECT_EQ(Backoff::sleep_after(microseconds(200)), microseconds(25));
  EXPECT_EQ(Backoff::sleep_after(milliseconds(4)), microseconds(500));
  EXPECT_EQ(Backoff::sleep_after(milliseconds(8)), milliseconds(1));
  EXPECT_EQ(Backoff::sleep_after(std::chrono::hours(1)), milliseconds(1));
}

TEST(Backoff, EndsAtTheDeadline) {
  Backoff backoff(std::chrono::seconds(10));
  EXPECT_FALSE(backoff.pause(Backoff::Clock::now()));
  EXPECT_TRUE(backoff.pause(Backoff::Clock::now() + std::chrono::hours(1)));  // still spinning
}

}  // namespace
}  // namespace vyre
