// SPDX-License-Identifier: MIT OR Apache-2.0
#include "lower/lower.h"

#include <algorithm>

#include "ir/assembler.h"
#include "lower/passes.h"
#include "unit/lower/run.h"

namespace vyre::test {
namespace {

/// The CPU machine has no compiler behind it, and needs nothing else.
TEST(Lower, ImprovesAProgramForTheCpu) {
  Builder b("plain", {.workgroup = 8});
  auto out = b.buffer("out", Access::output, ScalarType::u8);
  out[b.global_id()] = b.global_id() / 3u;
  b.assert_(b.global_id() < 100u, "too many");
  const auto valid = b.build();
  ASSERT_TRUE(valid);
  std::vector<std::string> names;
  const auto lowered = lower(*valid, cpu_target(), [&](std::string_view name, const Lowered&) {
    names.emplace_back(name);
  });
  ASSERT_TRUE(lowered);
  const std::vector<std::string> wanted = {
      "unroll_loops",      "promote_arrays", "drop_conditions", "join_conditions",
      "forward_variables", "fold_constants", "shift_fields",    "share_values"};
  EXPECT_EQ(names, wanted);
  EXPECT_EQ(hash(lowered->program), valid->hash());
  EXPECT_EQ(lowered->host_buffers, 1u);
}

TEST(Lower, TellsTheObserverEachPassInOrder) {
  Builder b("plain", {.workgroup = 8});
  auto out = b.output<std::uint32_t>("out");
  out[b.global_id()] = b.num_workgroups();
  const auto valid = b.build();
  ASSERT_TRUE(valid);
  std::vector<std::string> names;
  const auto lowered = lower(*valid, wgsl_target(), [&](std::string_view name, const Lowered&) {
    names.emplace_back(name);
  });
  ASSERT_TRUE(lowered);
  const std::vector<std::string> wanted = {
      "share_arrays",      "split_elements", "bound_loops",     "lower_traps",
      "guard_bounds",      "zero_workgroup", "zero_lanes",      "bind_launch",
      "flatten_workgroup", "pack_elements",  "widen_halves",    "expand_ops",
      "fold_constants",    "pin_meaning",    "flatten_control", "fold_constants"};
  EXPECT_EQ(names, wanted);
  const std::vector<LaunchWord> words = {{LaunchField::count, out.id()}, {LaunchField::grid_x}};
  EXPECT_EQ(lowered->launch, words);
}

TEST(Lower, RefusesAtomicsThatTheTargetLacks) {
  for (const ScalarType type : {ScalarType::u32, ScalarType::u64}) {
    Builder b("counting", {.workgroup = 8});
    auto cells = b.atomics("cells", Access::in_out, type, 4);
    cells[b.local_index() & 3u].atomic_add(b.constant(type, 1));
    const auto valid = b.build();
    ASSERT_TRUE(valid);
    EXPECT_TRUE(lower(*valid, cpu_target()));
    const auto lowered = lower(*valid, wgsl_target());
    EXPECT_EQ(lowered.has_value(), type == ScalarType::u32);
    if (!lowered) {
      EXPECT_EQ(lowered.error().code(), "needs-capability");
    }
  }
}

/// A long program with many loads, stores, variables and conditions.
TEST(Lower, HandlesAHundredThousandNodes) {
  Builder b("long", {.workgroup = 64});
  auto in = b.input<std::uint32_t>("in");
  auto out = b.in_out<std::uint32_t>("out");
  auto sum = b.var(Value(0u));
  const Value i = b.global_id();
  for (std::uint32_t k = 0; k < 7000; ++k) {
    sum = sum.get() * 3u + Value(in[i + k]);
    b.if_(sum.get() < k, [&] { out[i] = sum.get() / (i + k); });
  }
  out[i] = sum;
  const auto valid = b.build();
  ASSERT_TRUE(valid) << valid.error().to_string();
  EXPECT_GT(valid->program().exprs.size(), 100000u);
  EXPECT_TRUE(lower(*valid, everything_target()));
  EXPECT_TRUE(lower(*valid, cpu_target()));
}

TEST(Lower, RefusesAHundredThousandLevels) {
  Assembler to("deep", {1, 1, 1});
  std::vector<BlockId> blocks;
  for (int i = 0; i < 100000; ++i)
    blocks.push_back(to.open());
  to.return_();
  for (; !blocks.empty(); blocks.pop_back()) {
    to.close();
    to.if_(to.op(Op::lt, {to.builtin(Builtin::global_id), to.u32(5)}), blocks.back());
  }
  const auto valid = validate(std::move(to).finish());
  ASSERT_TRUE(valid) << valid.error().to_string();
  const auto lowered = lower(*valid, wgsl_target());
  ASSERT_FALSE(lowered);
  EXPECT_EQ(lowered.error().code(), "too-deeply-nested");
  EXPECT_TRUE(lower(*valid, cpu_target()));
}

}  // namespace
}  // namespace vyre::test
