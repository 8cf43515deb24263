// SPDX-License-Identifier: MIT OR Apache-2.0
#include "lower/passes.h"
#include "unit/lower/run.h"

namespace vyre::test {
namespace {

TEST(LowerTraps, ClaimsTheRecordOnce) {
  Builder b("claims", {.workgroup = 32});
  auto out = b.output<std::uint32_t>("out", 64);
  const Value i = b.global_id();
  b.if_(i % 10u == 7u, [&] { b.trap("a seven", i + 100u); });
  out[i] = 1u;
  expect_same(b, {{host(out, std::vector<std::uint32_t>(64))}, {2, 1, 1}}, everything_target());
}

TEST(LowerTraps, NumbersInvocationsByWorkgroups) {
  Builder b("numbers", {.workgroup = {4, 2, 3}});
  auto out = b.output<std::uint32_t>("out", 1);
  const Value last = b.workgroup_id(0) == 2u && b.workgroup_id(1) == 1u &&
                     b.workgroup_id(2) == 1u && b.local_index() == 5u;
  b.if_(last, [&] { b.trap("here"); });
  out[0u] = 1u;
  expect_same(b, {{host(out, std::vector<std::uint32_t>(1))}, {3, 2, 2}}, everything_target());
}

TEST(LowerTraps, StoresNothingWhereNothingTraps) {
  Builder b("calm", {.workgroup = 16});
  auto out = b.output<std::uint32_t>("out", 16);
  auto shared = b.workgroup<std::uint32_t>("shared", 16);
  const Value i = b.local_index();
  b.assert_(i < 16u, "too many", i);
  shared[i] = i * i;
  b.workgroup_barrier();
  out[i] = shared[15u - i];
  expect_same(b, {{host(out, std::vector<std::uint32_t>(16))}, {1, 1, 1}}, everything_target());
}

TEST(LowerTraps, KeepsLanesThatOthersWaitFor) {
  Builder b("waits", {.workgroup = 8});
  auto out = b.output<std::uint32_t>("out", 8);
  auto shared = b.workgroup<std::uint32_t>("shared", 8);
  const Value i = b.local_index();
  b.for_(0u, 3u, [&](Value round) {
    b.if_(round == 1u && i == 3u, [&] { b.trap("third", round); });
    shared[i] = round;
    b.workgroup_barrier();
  });
  b.loop([&] {  // without its store the lane would go round for ever
    out[i] = 1u;
    b.if_(Value(out[i]) == 1u, [&] { b.break_(); });
  });
  expect_same(b, {{host(out, std::vector<std::uint32_t>(8))}, {1, 1, 1}}, everything_target());
}

TEST(LowerTraps, NeedsNoRecordWithoutTraps) {
  Builder b("none", {.workgroup = 8});
  auto out = b.output<std::uint32_t>("out", 8);
  out[b.local_index()] = 1u;
  const auto valid = b.build();
  ASSERT_TRUE(valid);
  const auto lowered = lower(*valid, wgsl_target());
  ASSERT_TRUE(lowered) << lowered.error().to_string();
  EXPECT_EQ(lowered->trap_buffer, kNone<BufferId>);
  EXPECT_EQ(lowered->program.buffers.size(), lowered->host_buffers);
}

}  // namespace
}  // namespace vyre::test
