// SPDX-License-Identifier: MIT OR Apache-2.0
#include <array>

#include <gtest/gtest.h>

#include "support/check_result.h"
#include "support/devices.h"
#include "support/kernels.h"

// Grids that lie in a buffer: read once, on the device, before the first launch.
namespace vyre::test {
namespace {

using Words = std::vector<std::uint32_t>;
using Grid = std::array<std::uint32_t, 3>;

class Indirect : public DeviceTest {
 protected:
  /// What a launch saw: how many invocations, the sums of their ids, and the grid.
  struct Seen {
    std::uint32_t invocations, x, y, z;
    std::array<std::uint32_t, 3> grid;
  };
  static constexpr std::size_t kSeenWords = 7;

  /// Adds to the seven words of `seen`; the grid is in `args`.
  static ValidProgram count_kernel(KernelOptions::Size workgroup) {
    Builder b("count", {.workgroup = workgroup});
    auto args = b.input<std::uint32_t>("args");
    auto seen = b.atomics("seen", Access::in_out, ScalarType::u32);
    seen[0u].atomic_add(1u);
    for (std::uint8_t axis = 0; axis < 3; ++axis) {
      seen[1u + axis].atomic_add(b.global_id(axis));
      b.let(seen[4u + axis].atomic(AtomicOp::max, b.num_workgroups(axis)));
    }
    b.if_(args.length() == 0u, [&] { seen[0u].atomic_add(1000000u); });
    return *b.build();
  }

  Result<Words> run(const ValidProgram& program, const Words& args, std::uint64_t offset = 0) {
    VYRE_TRY(const auto outputs,
             device().dispatch(program, {{"args", args}},
                               {.counts = {{"seen", kSeenWords}}, .indirect = {{"args", offset}}}));
    return to_vector(outputs.as<std::uint32_t>("seen"));
  }

  /// The sum of `groups * size` ids on one axis, for `others` invocations on the other two.
  static std::uint32_t sum(std::uint64_t count, std::uint64_t others) {
    return static_cast<std::uint32_t>(count * (count - 1) / 2 * others);
  }
};

TEST_P(Indirect, GridIsWhatTheWordsSay) {
  const auto program = count_kernel({4, 2, 1});
  for (const Grid& grid : {Grid{1, 1, 1}, Grid{3, 2, 5}, Grid{7, 1, 1}, Grid{1, 9, 2}}) {
    const auto seen = run(program, {grid[0], grid[1], grid[2]});
    ASSERT_OK(seen);
    const std::uint32_t x = grid[0] * 4, y = grid[1] * 2, z = grid[2];
    EXPECT_EQ(*seen, (Words{x * y * z, sum(x, y * z), sum(y, x * z), sum(z, x * y), grid[0],
                            grid[1], grid[2]}));
  }
}

TEST_P(Indirect, WordsMayLieAnywhereInTheBuffer) {
  const auto program = count_kernel(1);
  Words args(1000, 0xffffffffu);
  for (const std::size_t word : {0u, 1u, 63u, 64u, 500u, 997u}) {
    args.assign(1000, 0xffffffffu);
    args[word] = 5;
    args[word + 1] = args[word + 2] = 1;
    const auto seen = run(program, args, word * 4);
    ASSERT_OK(seen);
    EXPECT_EQ((*seen)[0], 5u) << "word " << word;
  }
}

TEST_P(Indirect, AZeroRunsNothing) {
  const auto program = count_kernel(64);
  for (const Grid& grid : {Grid{0, 1, 1}, Grid{5, 0, 1}, Grid{5, 1, 0}, Grid{0, 0, 0}}) {
    const auto seen = run(program, {grid[0], grid[1], grid[2]});
    ASSERT_OK(seen);
    EXPECT_EQ(*seen, Words(kSeenWords));
  }
}

TEST_P(Indirect, LongLinesAreFolded) {
  const auto program = count_kernel(2);
  for (const std::uint32_t groups : {65535u, 65536u, 70001u, 200000u}) {
    const auto seen = run(program, {groups, 1, 1});
    ASSERT_OK(seen);
    const std::uint32_t count = groups * 2;
    EXPECT_EQ(*seen, (Words{count, sum(count, 1), 0, 0, groups, 1, 1}));
  }
}

TEST_P(Indirect, LongAxesAreFolded) {
  const auto program = count_kernel({2, 1, 1});
  for (const Grid& grid : {Grid{1, 70000, 1}, Grid{1, 1, 65536}, Grid{70001, 3, 1},
                           Grid{3, 70000, 1}, Grid{2, 2, 70000}, Grid{70000, 1, 2}}) {
    const auto seen = run(program, {grid[0], grid[1], grid[2]});
    ASSERT_OK(seen);
    const std::uint32_t x = grid[0] * 2, y = grid[1], z = grid[2];
    EXPECT_EQ(*seen, (Words{x * y * z, sum(x, std::uint64_t{y} * z), sum(y, std::uint64_t{x} * z),
                            sum(z, std::uint64_t{x} * y), grid[0], grid[1], grid[2]}));
  }
}

TEST_P(Indirect, GridsBeyondALimitTrapWithTheValueAndTheLimit) {
  const auto program = count_kernel(64);
  constexpr std::uint32_t kMost = 0xffffffffu;
  const std::uint64_t limit = device().info().limits.grid;
  const std::uint64_t rows = std::min<std::uint64_t>(limit * limit, kMost);
  const std::string most_x = std::to_string(std::min<std::uint64_t>(rows, 67108864));
  const auto refused = run(program, {kMost, 1, 1});
  EXPECT_REFUSED(refused, ErrorKind::trapped, "trapped", "4294967295");
  EXPECT_REFUSED(refused, ErrorKind::trapped, "trapped", most_x);
  EXPECT_REFUSED(run(program, {kMost, 2, 1}), ErrorKind::trapped, "trapped",
                 "x = 4294967295 is more than " + most_x);
  EXPECT_REFUSED(run(program, {kMost, kMost, kMost}), ErrorKind::trapped, "trapped", "4294967295");
  if (limit < kMost) {
    EXPECT_REFUSED(run(program, {1, kMost, 1}), ErrorKind::trapped, "trapped",
                   "y = 4294967295 is more than " + std::to_string(rows));
    EXPECT_REFUSED(run(program, {1, 1, kMost}), ErrorKind::trapped, "trapped",
                   "z = 4294967295 is more than " + std::to_string(rows));
  }
  EXPECT_REFUSED(run(program, {2048, 2048, 2048}), ErrorKind::trapped, "trapped",
                 "2048 x 2048 x 2048");
  const auto seen = run(program, {2, 1, 1});  // the device is alive
  ASSERT_OK(seen);
  EXPECT_EQ((*seen)[0], 128u);
}

/// The kernel writes the buffer that its grid comes from.
TEST_P(Indirect, KernelMayWriteItsOwnGrid) {
  Builder b("grow", {.workgroup = 1});
  auto args = b.in_out<std::uint32_t>("args");
  auto runs = b.atomics("runs", Access::in_out, ScalarType::u32, 1);
  runs[0u].atomic_add(1u);
  b.if_(b.global_id() == 0u, [&] {
    args[0u] = 0xffffffffu;
    args[1u] = 77u;
  });
  const auto program = *b.build();
  const auto outputs =
      device().dispatch(program, {{"args", Words{6, 1, 1}}}, {.indirect = {{"args"}}, .repeat = 4});
  ASSERT_OK(outputs);
  EXPECT_EQ(to_vector(outputs->as<std::uint32_t>("args")), (Words{0xffffffffu, 77, 1}));
  EXPECT_EQ(outputs->as<std::uint32_t>("runs")[0], 24u);
}

/// One kernel writes the grid of the next, in one submission, and nothing comes to the host
/// between.
TEST_P(Indirect, GridMayComeFromAnotherKernel) {
  Builder b("decide", {.workgroup = 1});
  auto args = b.output<std::uint32_t>("args", 3);
  args[0u] = 11u;
  args[1u] = 3u;
  args[2u] = 1u;
  const auto decide = *b.build();
  const auto count = count_kernel(1);
  const auto buffer = device().allocate(12);
  ASSERT_OK(buffer);
  const BatchJob jobs[] = {{decide, {{"args", *buffer}}},
                           {count,
                            {{"args", *buffer}},
                            {.counts = {{"seen", kSeenWords}}, .indirect = IndirectGrid{"args"}}}};
  const auto pending = device().submit_batch(jobs);
  ASSERT_OK(pending[1]);
  const auto outputs = pending[1]->wait();
  ASSERT_OK(outputs);
  EXPECT_EQ(outputs->as<std::uint32_t>("seen")[0], 33u);
}

TEST_P(Indirect, BytesOfAnyBufferWillDo) {
  Builder b("bytes", {.workgroup = 1});
  auto bytes = b.input<std::uint8_t>("bytes");
  auto all = b.structure("all", Space::uniform, Access::input,
                         {{.name = "w", .type = ScalarType::u32, .count = 1},
                          {.name = "v", .type = ScalarType::u32, .width = 3}});
  auto runs = b.atomics("runs", Access::in_out, ScalarType::u32, 1);
  runs[0u].atomic_add(1u + all.member("w") * 0u + convert<std::uint32_t>(bytes[0u]) * 0u);
  const auto program = *b.build();
  std::vector<std::uint8_t> source(21, 0xee);
  for (std::size_t i = 0; i < 12; ++i)
    source[4 + i] = i == 0 ? 9 : i == 4 || i == 8 ? 1 : 0;
  const Words uniform = {0, 0, 0, 0, 4, 2, 1, 0};
  const auto from_bytes = device().dispatch(program, {{"bytes", source}, {"all", uniform}},
                                            {.indirect = {{"bytes", 4}}});
  ASSERT_OK(from_bytes);
  EXPECT_EQ(from_bytes->as<std::uint32_t>("runs")[0], 9u);
  const auto from_uniform = device().dispatch(program, {{"bytes", source}, {"all", uniform}},
                                              {.indirect = {{"all", 16}}});
  ASSERT_OK(from_uniform);
  EXPECT_EQ(from_uniform->as<std::uint32_t>("runs")[0], 8u);
}

TEST_P(Indirect, WorksWithEveryPlacement) {
  const auto program = count_kernel(1);
  for (const Placement placement : {Placement::staged, Placement::mapped}) {
    const auto outputs = device().dispatch(
        program, {{"args", Words{4, 1, 1}}},
        {.counts = {{"seen", kSeenWords}}, .indirect = {{"args"}}, .placement = placement});
    ASSERT_OK(outputs);
    EXPECT_EQ(outputs->as<std::uint32_t>("seen")[0], 4u);
  }
  auto staged = device().stage<std::uint32_t>(3);
  ASSERT_OK(staged);
  (*staged)[0] = 4;
  (*staged)[1] = (*staged)[2] = 1;
  const auto outputs = device().dispatch(
      program, {{"args", *staged}}, {.counts = {{"seen", kSeenWords}}, .indirect = {{"args"}}});
  ASSERT_OK(outputs);
  EXPECT_EQ(outputs->as<std::uint32_t>("seen")[0], 4u);
}

TEST_P(Indirect, TrapsNameTheInvocation) {
  Builder b("trapping", {.workgroup = {2, 1, 1}});
  auto args = b.in_out<std::uint32_t>("args");
  b.if_(b.global_id(0) == 3u && b.global_id(1) == 4u, [&] { b.trap("here it is", args.length()); });
  const auto program = *b.build();
  const auto refused =
      device().dispatch(program, {{"args", Words{5, 6, 1}}}, {.indirect = {{"args"}}});
  EXPECT_REFUSED(refused, ErrorKind::trapped, "trapped",
                 "here it is (value 3, invocation (3, 4, 0))");
}

INSTANTIATE_ON_DEVICES(Indirect);

class IndirectRefusals : public DeviceTest {};

TEST_P(IndirectRefusals, AreFoundBeforehand) {
  Builder b("seen", {.workgroup = 1});
  b.input<std::uint32_t>("args");
  auto seen = b.output<std::uint32_t>("seen");
  seen[b.global_id()] = 1u;
  const auto program = *b.build();
  const auto dispatch = [&](DispatchOptions options) {
    options.counts = {{"seen", 7}};
    return device().dispatch(program, {{"args", Words{1, 1, 1, 1}}}, options);
  };
  EXPECT_REFUSED(dispatch({.indirect = {{"nothing"}}}), ErrorKind::invalid_argument,
                 "unknown-buffer", "`nothing`");
  EXPECT_REFUSED(dispatch({.indirect = {{"args", 2}}}), ErrorKind::invalid_argument,
                 "indirect-range", "byte 2 of `args`");
  EXPECT_REFUSED(dispatch({.indirect = {{"args", 8}}}), ErrorKind::invalid_argument,
                 "indirect-range", "[8..20) is outside `args` of 16 bytes");
  EXPECT_REFUSED(dispatch({.indirect = {{"args", ~std::uint64_t{3}}}}), ErrorKind::invalid_argument,
                 "indirect-range",
                 "[18446744073709551612..18446744073709551615) is outside `args`");
  EXPECT_REFUSED(dispatch({.grid = {{1, 1, 1}}, .indirect = {{"args", 0}}}),
                 ErrorKind::invalid_argument, "grid-given-twice", "indirect");
  EXPECT_OK(dispatch({.indirect = {{"args", 4}}}));
}

INSTANTIATE_ON_ALL_DEVICES(IndirectRefusals);

}  // namespace
}  // namespace vyre::test
