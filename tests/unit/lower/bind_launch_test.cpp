// SPDX-License-Identifier: MIT OR Apache-2.0
#include "lower/passes.h"
#include "unit/lower/run.h"

namespace vyre::test {
namespace {

TEST(BindLaunch, ReadsLengthsAndTheGridFromTheLaunchBlock) {
  Builder b("lengths", {.workgroup = 4});
  auto in = b.buffer("in", Access::input, ScalarType::u8);
  auto fixed = b.input<std::uint32_t>("fixed", 12);
  auto out = b.output<std::uint32_t>("out", 4);
  b.if_(b.global_id() == 0u, [&] {
    out[0u] = in.length();
    out[1u] = in.length() + 1u;
    out[2u] = b.num_workgroups(0);
    out[3u] = b.num_workgroups(2) + Value(fixed[0u]);
  });
  const auto valid = b.build();
  ASSERT_TRUE(valid) << valid.error().to_string();
  const std::vector<LaunchWord> words = {
      {LaunchField::count, in.id()}, {LaunchField::grid_x}, {LaunchField::grid_z}};
  EXPECT_EQ(launch_words(bind_launch(valid->program(), wgsl_target())), words);
  const PassInputs inputs = {
      {host(in, std::vector<std::uint8_t>(7, 1)), host(fixed, std::vector<std::uint32_t>(12, 5)),
       host(out, std::vector<std::uint32_t>(4))},
      {3, 1, 2}};
  EXPECT_EQ(check_passes(*valid, inputs, everything_target()), "");
}

TEST(BindLaunch, UnfoldsALine) {
  for (const std::uint32_t groups : {1u, 2u, 3u, 7u, 8u}) {
    Builder b("folded", {.workgroup = 3});
    auto out = b.output<std::uint32_t>("out");
    const Value i = b.global_id();
    out[i] = b.workgroup_id() * 1000u + b.workgroup_id(1) * 7u + b.num_workgroups() * 100u +
             b.local_index() + b.global_id(2);
    Target target = everything_target();
    target.fold = Fold::x;
    expect_same(b, {{host(out, std::vector<std::uint32_t>(groups * 3 + 2))}, {groups, 1, 1}},
                target);
  }
}

/// Every id and the grid, of every workgroup, wherever the long axis is.
TEST(BindLaunch, UnfoldsEveryAxis) {
  using Grid = std::array<std::uint32_t, 3>;
  struct Case {
    Fold fold;
    Grid grid;
  };
  for (const Case& c :
       {Case{Fold::x, {7, 3, 1}}, Case{Fold::y, {3, 7, 1}}, Case{Fold::y, {1, 7, 1}},
        Case{Fold::z, {3, 1, 7}}, Case{Fold::z, {1, 1, 8}}, Case{Fold::any, {7, 1, 1}},
        Case{Fold::any, {7, 2, 3}}, Case{Fold::any, {2, 7, 3}}, Case{Fold::any, {2, 3, 7}},
        Case{Fold::any, {1, 3, 7}}, Case{Fold::any, {1, 7, 3}}, Case{Fold::any, {7, 1, 3}}}) {
    Builder b("folded", {.workgroup = {2, 1, 2}});
    auto out = b.output<std::uint32_t>("out");
    const Value row = b.workgroup_id(1) + b.workgroup_id(2) * b.num_workgroups(1);
    const Value group = b.workgroup_id(0) + row * b.num_workgroups(0);
    out[group * 4u + b.local_index()] = b.global_id(0) + b.global_id(1) * 100u +
                                        b.global_id(2) * 10000u + b.num_workgroups(2) * 1000000u;
    Target target = everything_target();
    target.fold = c.fold;
    const std::size_t words = std::size_t{c.grid[0]} * c.grid[1] * c.grid[2] * 4 + 2;
    expect_same(b, {{host(out, std::vector<std::uint32_t>(words))}, c.grid}, target);
  }
}

TEST(BindLaunch, KeepsBarriersOfAFoldedGridUniform) {
  Builder b("barrier", {.workgroup = 4});
  auto shared = b.workgroup<std::uint32_t>("shared", 4);
  auto out = b.output<std::uint32_t>("out");
  shared[b.local_index()] = b.global_id();
  b.workgroup_barrier();
  out[b.global_id()] = shared[3u - b.local_index()];
  Target target = everything_target();
  target.fold = Fold::x;
  expect_same(b, {{host(out, std::vector<std::uint32_t>(20))}, {5, 1, 1}}, target);
}

}  // namespace
}  // namespace vyre::test
