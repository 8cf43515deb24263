// SPDX-License-Identifier: MIT OR Apache-2.0
#include "vyre/result.h"

#include <memory>
#include <span>
#include <string>

#include <gtest/gtest.h>

#include "vyre/diagnostic.h"
#include "vyre/element.h"

namespace vyre {
namespace {

Result<int> half_of(int value) {
  if (value % 2 != 0) {
    return Error(ErrorKind::invalid_argument, "odd-number", "the value is 7", "pass an even one");
  }
  return value / 2;
}

Result<int> quarter_of(int value) {
  VYRE_TRY(const int half, half_of(value));
  return half_of(half);
}

Status check_even(int value) {
  VYRE_CHECK_OK(half_of(value));
  return Ok{};
}

TEST(ResultTest, HoldsAValueOrAnError) {
  EXPECT_EQ(*half_of(8), 4);
  const Result<int> failed = half_of(7);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().kind(), ErrorKind::invalid_argument);
  EXPECT_EQ(failed.error().code(), "odd-number");
  EXPECT_EQ(failed.error().message(), "the value is 7");
  EXPECT_EQ(failed.error().help(), "pass an even one");
  EXPECT_TRUE(failed.error().diagnostics().empty());
}

TEST(ResultTest, TryBindsOrReturns) {
  EXPECT_EQ(*quarter_of(8), 2);
  EXPECT_EQ(quarter_of(6).error().code(), "odd-number");
  EXPECT_TRUE(check_even(2));
  EXPECT_FALSE(check_even(3));
}

TEST(ResultTest, MovesMoveOnlyValuesOut) {
  Result<std::unique_ptr<int>> made = std::make_unique<int>(5);
  const std::unique_ptr<int> taken = *std::move(made);
  EXPECT_EQ(*taken, 5);
}

TEST(ResultDeathTest, AnErrorUsedAsAValueSaysWhichOnOneLine) {
  Result<std::string> failed =
      Error(ErrorKind::unavailable, "no-such-device", "no device\nmatches `x`", "here is `cpu`");
  const Result<std::string>& same = failed;
  const char* const line =
      "^vyre: a call failed, and its value was used: error\\[no-such-device\\]: no device matches "
      "`x`; help: here is `cpu`\n$";
  EXPECT_DEATH((void)*failed, line);
  EXPECT_DEATH((void)failed.value(), line);
  EXPECT_DEATH((void)failed->size(), line);
  EXPECT_DEATH((void)*same, line);
  EXPECT_DEATH((void)same->size(), line);
  EXPECT_DEATH((void)std::string(*std::move(failed)), line);
}

TEST(ResultDeathTest, TheErrorOfAValueIsNone) {
  Result<int> good = 5;
  EXPECT_DEATH((void)good.error(), "^vyre: a call succeeded, and its error was asked for\n$");
  EXPECT_DEATH((void)std::move(good).error(), "vyre: a call succeeded");
}

TEST(ResultDeathTest, ElementsAreReadOrSayWhy) {
  const int numbers[] = {1, 2};
  const Elements<int> good = std::span<const int>(numbers);
  int sum = 0;
  for (const int number : good)
    sum += number;
  EXPECT_EQ(sum, 3);
  EXPECT_EQ(good[1] + good.front() + good.back(), 5);
  EXPECT_EQ(std::span<const int>(good).data(), numbers);
  const Elements<int> failed = Error(ErrorKind::invalid_argument, "not-an-output", "no output `z`");
  EXPECT_FALSE(failed);
  EXPECT_DEATH(for ([[maybe_unused]] int number : failed){}, "error\\[not-an-output\\]");
  EXPECT_DEATH((void)failed.size(), "error\\[not-an-output\\]");
  EXPECT_DEATH((void)failed[0], "error\\[not-an-output\\]");
}

TEST(ErrorTest, TextHasContextInnermostFirstThenHelp) {
  const Error error = Error(ErrorKind::io, "no-such-file", "a.bin: no such file", "check the path")
                          .with("reading input `x`")
                          .with("running kernel `scan`");
  EXPECT_EQ(error.to_string(),
            "error[no-such-file]: a.bin: no such file\n"
            "  while reading input `x`\n"
            "  while running kernel `scan`\n"
            "  help: check the path");
}

TEST(ErrorTest, CopiesAreIndependent) {
  const Error original(ErrorKind::timeout, "deadline", "2 ms passed");
  Error copy = original;
  copy = std::move(copy).with("waiting");
  EXPECT_TRUE(original.context().empty());
  ASSERT_EQ(copy.context().size(), 1U);
  copy = original;
  EXPECT_TRUE(copy.context().empty());
}

TEST(ErrorTest, CarriesTheFaultsOfAProgram) {
  Diagnostics faults;
  faults.error(Code::type_mismatch, {}, "u32 where f32 is needed");
  const Error error(faults);
  EXPECT_EQ(error.kind(), ErrorKind::compile_failed);
  EXPECT_EQ(error.code(), "type-mismatch");
  EXPECT_EQ(error.diagnostics().size(), 1U);
  EXPECT_EQ(error.to_string(), "error[type-mismatch]: u32 where f32 is needed\n1 error");
}

TEST(ErrorTest, KindsAreNamed) {
  EXPECT_EQ(to_string(ErrorKind::invalid_argument), "invalid_argument");
  EXPECT_EQ(to_string(ErrorKind::device_lost), "device_lost");
  EXPECT_EQ(to_string(ErrorKind::io), "io");
}

}  // namespace
}  // namespace vyre
