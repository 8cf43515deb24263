// SPDX-License-Identifier: MIT OR Apache-2.0
#include <array>

#include "vyre/program.h"
#include "vyre/validate.h"

#include "lower/passes.h"
#include "unit/lower/run.h"

namespace vyre::test {
namespace {

using Size = std::array<std::uint32_t, 3>;
constexpr std::uint32_t kWords = 8;

/// Stores every id that an invocation has, in words of its own.
Program ids_of(Size workgroup, std::uint32_t invocations) {
  Builder b("ids", {.workgroup = {workgroup[0], workgroup[1], workgroup[2]}});
  auto out = b.output<std::uint32_t>("out");
  const Value row = b.workgroup_id(1) + b.workgroup_id(2) * b.num_workgroups(1);
  const Value group = b.workgroup_id(0) + row * b.num_workgroups(0);
  const Value at = (group * invocations + b.local_index()) * kWords;
  for (std::uint8_t c = 0; c < 3; ++c) {
    out[at + std::uint32_t{c}] = b.local_id(c);
    out[at + (3U + c)] = b.global_id(c);
  }
  out[at + 6u] = b.local_index();
  out[at + 7u] = b.num_workgroups(2);
  return b.build()->program();
}

/// The builder has no lanes: what reads the depth of the grid reads the lane instead.
Program with_lane(Program program) {
  for (Expr& expr : program.exprs)
    if (expr.kind == ExprKind::builtin && expr.builtin == Builtin::num_workgroups &&
        expr.component == 2) {
      expr.builtin = Builtin::lane;
      expr.component = 0;
    }
  return program;
}

TEST(FlattenWorkgroup, GivesEveryInvocationTheIdsItHad) {
  for (const Size size : {Size{2, 3, 4}, Size{1, 24, 1}, Size{1, 1, 24}, Size{24, 1, 1}}) {
    const auto valid = validate(with_lane(ids_of(size, 24)));
    ASSERT_TRUE(valid) << valid.error().to_string();
    const std::vector<std::uint32_t> words(std::size_t{2 * 3 * 2} * 24 * kWords);
    PassBuffer out = {BufferId{0}, std::vector<std::byte>(words.size() * 4), words.size()};
    EXPECT_EQ(check_passes(*valid, {{out}, {2, 3, 2}}, everything_target()), "");
    const Program flat = flatten_workgroup(valid->program(), wgsl_target());
    EXPECT_EQ(flat.workgroup, (Size{24, 1, 1}));
  }
}

TEST(FlattenWorkgroup, LeavesProgramsThatDoNotAskForLanes) {
  const Program plain = ids_of({4, 4, 1}, 16);
  EXPECT_EQ(flatten_workgroup(plain, wgsl_target()).workgroup, (Size{4, 4, 1}));
}

}  // namespace
}  // namespace vyre::test
