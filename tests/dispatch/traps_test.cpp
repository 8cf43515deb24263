// SPDX-License-Identifier: MIT OR Apache-2.0
#include <string>

#include <gtest/gtest.h>

#include "support/check_result.h"
#include "support/devices.h"
#include "support/kernels.h"

// Kernels that stop themselves: what the host learns, and that nothing else is harmed.
namespace vyre::test {
namespace {

using Words = std::vector<std::uint32_t>;

class Traps : public DeviceTest {
 protected:
  static void expect_words_in(const Error& error, std::initializer_list<std::string_view> words) {
    EXPECT_EQ(error.kind(), ErrorKind::trapped) << error.to_string();
    EXPECT_EQ(error.code(), "trapped");
    for (const std::string_view word : words)
      EXPECT_NE(error.message().find(word), std::string::npos)
          << "no `" << word << "` in: " << error.message();
  }
};

/// Traps where x[i] is at least 100: with the text, the value and the place.
Result<ValidProgram> checked_kernel() {
  Builder b("checked");
  auto x = b.in_out<std::uint32_t>("x");
  const Value i = b.global_id();
  b.assert_(x[i] < 100u, "too large", x[i]);
  x[i] = x[i] + 1u;
  return b.build();
}

TEST_P(Traps, TellWhatAndWhereAtOnceAndLater) {
  const auto program = checked_kernel();
  ASSERT_OK(program);
  Words words(300, 5);
  words[212] = 4000000000u;
  const auto at_once = device().dispatch(*program, {{"x", words}});
  ASSERT_FALSE(at_once);
  expect_words_in(at_once.error(), {"`checked`", "too large", "4000000000", "212"});
  EXPECT_EQ(at_once.error().message().find("more"), std::string::npos);
  const auto pending = device().submit(*program, {{"x", words}});
  ASSERT_OK(pending);
  const auto later = pending->wait();
  ASSERT_FALSE(later);
  EXPECT_EQ(later.error().message(), at_once.error().message());
}

TEST_P(Traps, CountThoseAfterTheFirst) {
  const auto program = checked_kernel();
  ASSERT_OK(program);
  for (const std::uint32_t count : {2u, 64u, 70000u}) {
    const auto outputs = device().dispatch(*program, {{"x", Words(count, 123456789)}});
    ASSERT_FALSE(outputs);
    expect_words_in(outputs.error(),
                    {"too large", "123456789", "and " + std::to_string(count - 1) + " more"});
  }
}

TEST_P(Traps, NameTheInvocationOnAllAxes) {
  Builder b("square", {.workgroup = {4, 2}});
  auto at = b.input<std::uint32_t>("at", 3);
  const Value hit = b.global_id(0) == at[0] && b.global_id(1) == at[1] && b.global_id(2) == at[2];
  b.if_(hit, [&] { b.trap("here", b.global_id(0) * 100u + b.global_id(1)); });
  const auto program = b.build();
  ASSERT_OK(program);
  const auto outputs = device().dispatch(*program, {{"at", Words{9, 5, 2}}}, {.grid = {{3, 4, 3}}});
  ASSERT_FALSE(outputs);
  expect_words_in(outputs.error(), {"here", "value 905", "(9, 5, 2)"});
}

TEST_P(Traps, TellWhichOfManyItWas) {
  Builder b("many_reasons", {.workgroup = 1});
  auto which = b.uniform<std::uint32_t>("which");
  auto out = b.output<std::uint32_t>("out", 1);
  std::vector<Builder::Arm> arms;
  for (std::uint32_t n = 0; n < 5; ++n)
    arms.push_back({{n}, [&b, n] { b.trap("reason " + std::to_string(n), n * 11u); }});
  b.switch_(Value(which), arms);
  out[0] = 1u;
  const auto program = b.build();
  ASSERT_OK(program);
  for (std::uint32_t n = 0; n < 5; ++n) {
    const auto outputs = device().dispatch(*program, {{"which", n}});
    ASSERT_FALSE(outputs);
    expect_words_in(outputs.error(),
                    {"reason " + std::to_string(n), "value " + std::to_string(n * 11)});
  }
  expect_words(device().dispatch(*program, {{"which", 5u}}), "out", {1});
}

TEST_P(Traps, MayBeAllThatAProgramHas) {
  Builder b("only", {.workgroup = 1});
  b.trap("nothing but this", 42u);
  const auto program = b.build();
  ASSERT_OK(program);
  const auto outputs = device().dispatch(*program, {}, {.grid = {{1, 1, 1}}});
  ASSERT_FALSE(outputs);
  expect_words_in(outputs.error(), {"nothing but this", "42"});
}

TEST_P(Traps, InARepeatEndTheDispatchAsAnError) {
  Builder b("grow", {.workgroup = 1});
  auto x = b.in_out<std::uint32_t>("x", 1);
  b.assert_(x[0] < 10u, "ten", x[0]);
  x[0] = x[0] + 1u;
  const auto program = b.build();
  ASSERT_OK(program);
  expect_words(device().dispatch(*program, {}, {.repeat = 10}), "x", {10});
  const auto outputs = device().dispatch(*program, {}, {.repeat = 11});
  ASSERT_FALSE(outputs);
  expect_words_in(outputs.error(), {"ten", "value 10"});
}

TEST_P(Traps, LeaveNoTraceInTheNextDispatch) {
  const auto program = checked_kernel();
  ASSERT_OK(program);
  for (int round = 0; round < 20; ++round) {
    ASSERT_FALSE(device().dispatch(*program, {{"x", Words(100, 500)}}));
    expect_words(device().dispatch(*program, {{"x", Words(100, 50)}}), "x", Words(100, 51));
  }
}

/// The lanes after it meet at the barrier all the same.
TEST_P(Traps, BeforeABarrierHoldNobodyUp) {
  Builder b("meeting", {.workgroup = 64});
  auto x = b.input<std::uint32_t>("x");
  auto out = b.output<std::uint32_t>("out", 64);
  auto shared = b.workgroup<std::uint32_t>("shared", 64);
  const Value i = b.local_index();
  b.assert_(x[i] != 7u, "seven", i);
  shared[i] = x[i];
  b.workgroup_barrier();
  out[i] = shared[63u - i];
  const auto program = b.build();
  ASSERT_OK(program);
  Words words = counting<std::uint32_t>(64);
  const auto outputs = device().dispatch(*program, {{"x", words}}, {.grid = {{1, 1, 1}}});
  ASSERT_FALSE(outputs);
  expect_words_in(outputs.error(), {"seven", "value 7", "invocation (7, 0, 0)"});
}

INSTANTIATE_ON_DEVICES(Traps);

}  // namespace
}  // namespace vyre::test
