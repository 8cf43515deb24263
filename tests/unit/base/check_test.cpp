// SPDX-License-Identifier: MIT OR Apache-2.0
#include "base/check.h"

#include <cstdio>

#include <gtest/gtest.h>

namespace vyre {
namespace {

void bracket_sink(std::string_view message) {
  std::fprintf(stderr, "<%.*s>", static_cast<int>(message.size()), message.data());
}

TEST(CheckDeathTest, FailureAbortsAndNamesTheCondition) {
  EXPECT_DEATH(VYRE_CHECK(1 + 1 == 3), "check_test.cpp:[0-9]+: check failed: 1 \\+ 1 == 3");
}

TEST(CheckDeathTest, UnreachableAborts) {
  EXPECT_DEATH(VYRE_UNREACHABLE(), "check failed: unreachable");
}

TEST(CheckDeathTest, SinkIsReplaceable) {
  const CheckSink former = set_check_sink(bracket_sink);
  EXPECT_DEATH(VYRE_CHECK(false), "<.*check failed: false>");
  EXPECT_EQ(set_check_sink(former), &bracket_sink);
}

TEST(CheckTest, SuccessEvaluatesTheConditionOnce) {
  int evaluated = 0;
  VYRE_CHECK(++evaluated == 1);
  EXPECT_EQ(evaluated, 1);
}

}  // namespace
}  // namespace vyre
