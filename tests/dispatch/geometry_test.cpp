// SPDX-License-Identifier: MIT OR Apache-2.0
#include <gtest/gtest.h>

#include "support/check_result.h"
#include "support/devices.h"
#include "support/kernels.h"

// How many invocations run, and who they think they are.
namespace vyre::test {
namespace {

using Words = std::vector<std::uint32_t>;

class DispatchGeometry : public DeviceTest {
 protected:
  [[nodiscard]] Result<Outputs> run(const Result<ValidProgram>& program,
                                    std::initializer_list<Input> inputs,
                                    const DispatchOptions& options = {}) const {
    if (!program) return program.error();
    return device().dispatch(*program, inputs, options);
  }
};

TEST_P(DispatchGeometry, EveryElementIsVisitedOnceAndNothingElse) {
  for (const std::uint32_t workgroup : {64u, 7u, 1u}) {
    Builder b("visit", {.workgroup = workgroup});
    auto out = b.in_out<std::uint32_t>("out");
    const Value i = b.global_id();
    out[i] = out[i] + i + 1u;
    const auto program = b.build();
    for (const std::uint32_t count : {1u, 63u, 64u, 65u, 1000u}) {
      const auto outputs = run(program, {Input("out", Words(count, 5))});
      ASSERT_OK(outputs);
      Words expected = counting<std::uint32_t>(count);
      for (std::uint32_t& value : expected)
        value += 6;
      EXPECT_EQ(to_vector(outputs->as<std::uint32_t>("out")), expected)
          << count << " elements by " << workgroup;
    }
  }
}

/// The grid that was inferred, seen by the kernel.
Result<ValidProgram> grid_kernel(bool with_workgroup_memory) {
  Builder b("grid", {.workgroup = 64});
  auto in = b.input<std::uint8_t>("in");
  auto first = b.output<std::uint32_t>("first");
  auto second = b.output<std::uint32_t>("second");
  auto shape = b.output<std::uint32_t>("shape", 4);
  if (with_workgroup_memory) {
    auto shared = b.workgroup<std::uint32_t>("shared", 1);
    b.if_(b.local_index() == 0u, [&] { shared[0] = in[0]; });
    b.workgroup_barrier();
    second[b.global_id()] = shared[0];
  } else {
    second[b.global_id()] = in[0];
  }
  first[b.global_id()] = 1u;
  b.if_(b.global_id() == 0u, [&] {
    shape[0] = b.num_workgroups(0);
    shape[1] = b.num_workgroups(1);
    shape[2] = b.num_workgroups(2);
  });
  return b.build();
}

TEST_P(DispatchGeometry, TheGridCoversTheLargestWrittenBuffer) {
  const auto program = grid_kernel(false);
  const std::vector<std::uint8_t> in(5000, 9);
  const auto outputs =
      run(program, {Input("in", in)}, {.counts = {{"first", 65}, {"second", 129}}});
  ASSERT_OK(outputs);
  EXPECT_EQ(to_vector(outputs->as<std::uint32_t>("shape")), (Words{3, 1, 1, 0}));
  EXPECT_EQ(to_vector(outputs->as<std::uint32_t>("second")), Words(129, 9));
}

TEST_P(DispatchGeometry, WithWorkgroupMemoryTheGridCoversEveryStorageBuffer) {
  const auto program = grid_kernel(true);
  const std::vector<std::uint8_t> in(5000, 9);
  const auto outputs =
      run(program, {Input("in", in)}, {.counts = {{"first", 65}, {"second", 129}}});
  ASSERT_OK(outputs);
  EXPECT_EQ(to_vector(outputs->as<std::uint32_t>("shape")), (Words{79, 1, 1, 0}));
}

TEST_P(DispatchGeometry, AnExplicitGridWins) {
  const auto program = grid_kernel(false);
  const std::vector<std::uint8_t> in(1, 9);
  const auto outputs = run(program, {Input("in", in)},
                           {.grid = {{2, 3, 4}}, .counts = {{"first", 1000}, {"second", 1000}}});
  ASSERT_OK(outputs);
  EXPECT_EQ(to_vector(outputs->as<std::uint32_t>("shape")), (Words{2, 3, 4, 0}));
  Words expected(1000);
  std::fill_n(expected.begin(), 128, 1u);
  EXPECT_EQ(to_vector(outputs->as<std::uint32_t>("first")), expected);
}

TEST_P(DispatchGeometry, NoElementsRunNothing) {
  Builder b("nothing");
  auto in = b.input<std::uint32_t>("in");
  auto out = b.output<std::uint32_t>("out");
  out.same_length_as(in);
  out[b.global_id()] = 1u;
  b.trap("it ran");
  const auto outputs = run(b.build(), {Input("in", Words{})});
  ASSERT_OK(outputs);
  EXPECT_EQ(outputs->bytes("out").size(), 0u);
}

TEST_P(DispatchGeometry, ARootThatIsNoArrayCountsAsOne) {
  Builder b("scalar_root", {.workgroup = 4});
  auto out = b.structure("out", Space::storage, Access::output,
                         {{"groups", ScalarType::u32}, {"of", ScalarType::u32}});
  b.if_(b.global_id() == 0u, [&] {
    out.member("groups") = b.num_workgroups();
    out.member("of") = 7u;
  });
  const auto outputs = run(b.build(), {});
  ASSERT_OK(outputs);
  EXPECT_EQ(to_vector(outputs->as<std::uint32_t>("out")), (Words{1, 7}));
}

TEST_P(DispatchGeometry, TwoDimensionalWorkgroupsNeedAGrid) {
  Builder b("square", {.workgroup = {4, 4}});
  auto out = b.output<std::uint32_t>("out", 64);
  out[b.global_id(1) * 8u + b.global_id(0)] = b.global_id(0) + b.global_id(1) * 100u;
  const auto program = b.build();
  EXPECT_REFUSED(run(program, {}), ErrorKind::invalid_argument, "grid-missing", "grid");
  const auto outputs = run(program, {}, {.grid = {{2, 2, 1}}});
  ASSERT_OK(outputs);
  Words expected(64);
  for (std::uint32_t i = 0; i < 64; ++i)
    expected[i] = i % 8 + i / 8 * 100;
  EXPECT_EQ(to_vector(outputs->as<std::uint32_t>("out")), expected);
}

/// More workgroups on one axis than WebGPU has.
TEST_P(DispatchGeometry, LongGridsShowNoFolding) {
  constexpr std::uint32_t kCount = 70001;
  Builder b("long_grid", {.workgroup = 1});
  auto out = b.output<std::uint32_t>("out", 3 * kCount);
  const Value i = b.global_id();
  const Value group = b.workgroup_id();
  out[i * 3u] = i + 1u;
  out[i * 3u + 1u] = group + b.workgroup_id(1) * 1000000u;
  out[i * 3u + 2u] = b.num_workgroups() + b.num_workgroups(1) * 1000000u;
  const auto outputs = run(b.build(), {}, {.grid = {{kCount, 1, 1}}});
  ASSERT_OK(outputs);
  const auto words = outputs->as<std::uint32_t>("out");
  ASSERT_EQ(words.size(), 3 * kCount);
  for (std::uint32_t n = 0; n < kCount; ++n) {
    ASSERT_EQ(words[3 * n], n + 1);
    ASSERT_EQ(words[3 * n + 1], n);
    ASSERT_EQ(words[3 * n + 2], kCount + 1000000);
  }
}

/// More workgroups on any axis than WebGPU has, beside other axes: each workgroup runs once in each
/// of the launches, and knows the grid that was asked for.
TEST_P(DispatchGeometry, LongAxesShowNoFolding) {
  using Grid = std::array<std::uint32_t, 3>;
  Builder b("long_axes", {.workgroup = {1, 2, 1}});
  auto out = b.in_out<std::uint32_t>("out");
  const Value row = b.workgroup_id(1) + b.workgroup_id(2) * b.num_workgroups(1);
  const Value at = (b.workgroup_id(0) + row * b.num_workgroups(0)) * 2u + b.local_id(1);
  out[at] = out[at] + b.global_id(0) + b.global_id(1) * 3u + b.global_id(2) * 5u +
            b.num_workgroups(0) * 7u + b.num_workgroups(1) * 11u + b.num_workgroups(2) * 13u;
  const auto program = b.build();
  for (const Grid& grid : {Grid{1, 70000, 1}, Grid{1, 1, 70000}, Grid{70000, 3, 1},
                           Grid{3, 70000, 1}, Grid{70000, 1, 2}, Grid{2, 1, 70000},
                           Grid{1, 2, 65536}, Grid{65536, 2, 2}, Grid{2, 65537, 2}}) {
    const std::uint32_t repeat = grid[0] == 3 ? 3 : 1;
    Words expected;
    for (std::uint32_t z = 0; z < grid[2]; ++z)
      for (std::uint32_t y = 0; y < grid[1]; ++y)
        for (std::uint32_t x = 0; x < grid[0]; ++x)
          for (std::uint32_t local = 0; local < 2; ++local)
            expected.push_back(
                (x + (y * 2 + local) * 3 + z * 5 + grid[0] * 7 + grid[1] * 11 + grid[2] * 13) *
                repeat);
    const auto outputs =
        run(program, {}, {.grid = grid, .counts = {{"out", expected.size()}}, .repeat = repeat});
    ASSERT_OK(outputs);
    EXPECT_TRUE(to_vector(outputs->as<std::uint32_t>("out")) == expected)
        << grid[0] << " x " << grid[1] << " x " << grid[2];
  }
}

TEST_P(DispatchGeometry, BuiltinsOfThreeDimensionsAgree) {
  Builder b("builtins", {.workgroup = {2, 3, 2}});
  auto out = b.output<std::uint32_t>("out", 12 * 12 * 5);
  const auto linear = [&](const Value& x, const Value& y, const Value& z, std::uint32_t nx,
                          std::uint32_t ny) { return (z * ny + y) * nx + x; };
  const Value at = b.let(linear(b.global_id(0), b.global_id(1), b.global_id(2), 2 * 2, 3 * 3) * 5u);
  out[at] = at;
  out[at + 1u] = linear(b.local_id(0), b.local_id(1), b.local_id(2), 2, 3);
  out[at + 2u] = b.local_index();
  out[at + 3u] = linear(b.workgroup_id(0), b.workgroup_id(1), b.workgroup_id(2), 2, 3);
  out[at + 4u] = b.workgroup_id(0) * 2u + b.local_id(0) - b.global_id(0) + b.workgroup_id(1) * 3u +
                 b.local_id(1) - b.global_id(1) + b.workgroup_id(2) * 2u + b.local_id(2) -
                 b.global_id(2);
  const auto outputs = run(b.build(), {}, {.grid = {{2, 3, 2}}});
  ASSERT_OK(outputs);
  const auto words = outputs->as<std::uint32_t>("out");
  for (std::uint32_t n = 0; n < 144; ++n) {
    const std::uint32_t x = n % 4;
    const std::uint32_t y = n / 4 % 9;
    const std::uint32_t z = n / 36;
    EXPECT_EQ(words[5 * n], 5 * n);
    EXPECT_EQ(words[5 * n + 1], (z % 2 * 3 + y % 3) * 2 + x % 2);
    EXPECT_EQ(words[5 * n + 2], words[5 * n + 1]);
    EXPECT_EQ(words[5 * n + 3], (z / 2 * 3 + y / 3) * 2 + x / 2);
    EXPECT_EQ(words[5 * n + 4], 0u);
  }
}

INSTANTIATE_ON_DEVICES(DispatchGeometry);

}  // namespace
}  // namespace vyre::test
