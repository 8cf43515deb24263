// SPDX-License-Identifier: MIT OR Apache-2.0
#include "interpreter/subgroup.h"
#include "unit/interpreter/run.h"

// Barriers and subgroup operations: where invocations meet.
namespace vyre::interpreter {
namespace {

TEST(InterpreterMeeting, ABarrierShowsTheWritesOfAll) {
  Kernel k;
  k.store(Kernel::at(k.tile, k.lid()), k.op(Op::mul, {k.gid(), k.u32(2)}));
  k.sync();
  const ExprId mirrored = k.op(Op::sub, {k.u32(63), k.lid()});
  k.store(Kernel::at(k.out, k.gid()), k.load(Kernel::at(k.tile, mirrored)));
  const Ran ran = run(std::move(k), {.grid = {2, 1, 1}, .out_words = 128});
  for (std::uint32_t i = 0; i < 128; ++i)
    EXPECT_EQ(ran.out[i], (i / 64 * 64 + 63 - i % 64) * 2);
}

/// A tree sum over the workgroup: 0 + 1 + … + 63 = 2016.
TEST(InterpreterMeeting, BarriersInLoopsMeetOnceAnIteration) {
  Kernel k;
  k.store(Kernel::at(k.tile, k.lid()), k.lid());
  k.sync();
  const VarId step = k.var(ScalarType::u32, k.u32(32));
  const BlockId body = k.block([&] {
    const ExprId now = k.get(step);
    k.when(k.op(Op::eq, {now, k.u32(0)}), [&] { k.break_(); });
    k.when(k.op(Op::lt, {k.lid(), now}), [&] {
      const ExprId sum = k.op(Op::add, {k.load(Kernel::at(k.tile, k.lid())),
                                        k.load(Kernel::at(k.tile, k.op(Op::add, {k.lid(), now})))});
      k.store(Kernel::at(k.tile, k.lid()), sum);
    });
    k.sync();
  });
  const BlockId next = k.block([&] { k.set(step, k.op(Op::shr, {k.get(step), k.u32(1)})); });
  k.loop(body, next);
  k.store(Kernel::at(k.out, k.gid()), k.load(Kernel::at(k.tile, k.u32(0))));
  EXPECT_EQ(run(std::move(k)).out[5], 2016u);
}

TEST(InterpreterMeeting, AUniformLoadIsDoneByAllBeforeAnyGoesOn) {
  Kernel k;
  const auto seen = k.uniform_load(Kernel::at(k.tile, k.u32(0)));
  k.store(Kernel::at(k.tile, k.u32(0)), k.op(Op::add, {k.lid(), k.u32(1)}));
  k.store(Kernel::at(k.out, k.gid()), seen[0]);
  for (const std::uint32_t word : run(std::move(k)).out)
    EXPECT_EQ(word, 0u);
}

TEST(InterpreterMeeting, ReportsABarrierThatNotAllReach) {
  Kernel k;
  k.when(k.less(k.lid(), 3), [&] { k.sync(); });
  const Ran ran = run(std::move(k), {.grid = {2, 1, 1}});
  ASSERT_TRUE(ran.report.divergence);
  EXPECT_EQ(ran.report.divergence->workgroup, 0u);
  EXPECT_EQ(ran.report.divergence->waiting, 0u);
  EXPECT_EQ(ran.report.divergence->other, 3u);
  EXPECT_EQ(ran.report.divergence->other_at, kNone<StmtId>);
}

TEST(InterpreterMeeting, ReportsTwoBarriersMetAtOnce) {
  Kernel k;
  const BlockId then = k.block([&] { k.sync(); });
  const BlockId other = k.block([&] { k.sync(); });
  k.if_(k.less(k.lid(), 3), then, other);
  const Ran ran = run(std::move(k));
  ASSERT_TRUE(ran.report.divergence);
  EXPECT_NE(ran.report.divergence->other_at, kNone<StmtId>);
  EXPECT_NE(ran.report.divergence->other_at, ran.report.divergence->at);
}

TEST(InterpreterMeeting, AnInvocationThatSpinsGivesWay) {
  Kernel k;
  const BufferId flag =
      k.buffer({.name = "flag", .space = Space::workgroup, .layout = k.atomic(ScalarType::u32)});
  const MemoryRef at = {.buffer = flag};
  k.when(k.op(Op::eq, {k.lid(), k.u32(63)}), [&] { k.atomic(AtomicOp::store, at, k.u32(1)); });
  const BlockId body = k.block([&] {
    k.when(k.op(Op::ne, {k.atomic(AtomicOp::load, at), k.u32(0)}), [&] { k.break_(); });
  });
  k.loop(body);
  k.store(Kernel::at(k.out, k.gid()), k.u32(4));
  const Ran ran = run(std::move(k));
  EXPECT_FALSE(ran.report.out_of_steps);
  EXPECT_EQ(ran.out[0], 4u);
}

TEST(InterpreterMeeting, SubgroupsOfAnySizeAddTheirOwnLanes) {
  for (const std::uint32_t size : {4u, 32u, 64u, 128u}) {
    Kernel k;
    const auto sum = k.subgroup(SubgroupOp::add, ScalarType::u32, k.lid(), kNone<ExprId>);
    k.store(Kernel::at(k.out, k.gid()), sum[0]);
    const Ran ran = run(std::move(k), {.subgroup_size = size});
    const std::uint32_t lanes = std::min(size, 64u);
    for (std::uint32_t i = 0; i < 64; ++i) {
      const std::uint32_t lowest = i / lanes * lanes;
      EXPECT_EQ(ran.out[i], lanes * lowest + lanes * (lanes - 1) / 2) << size << " " << i;
    }
  }
}

/// Lanes 0 and 1 vote in the branch, before all 32 vote behind it.
TEST(InterpreterMeeting, LanesInABranchMeetBeforeThoseBehindIt) {
  Kernel k;
  const auto count = [&](std::uint32_t offset) {
    const auto sum = k.subgroup(SubgroupOp::add, ScalarType::u32, k.u32(1), kNone<ExprId>, true);
    k.store(Kernel::at(k.out, k.op(Op::add, {k.gid(), k.u32(offset)})), sum[0]);
  };
  k.when(k.less(k.lid(), 2), [&] { count(64); });
  count(0);
  const Ran ran = run(std::move(k), {.out_words = 128});
  EXPECT_EQ(ran.out[64], 2u);
  EXPECT_EQ(ran.out[65], 2u);
  EXPECT_EQ(ran.out[66], 0u);
  EXPECT_EQ(ran.out[0], 32u);
  EXPECT_EQ(ran.out[31], 32u);
}

/// Lane i leaves the loop after i + 1 iterations: in iteration n, 4 - n of four lanes are active.
TEST(InterpreterMeeting, LanesOfOneIterationMeetEachOther) {
  Kernel k;
  const VarId i = k.var(ScalarType::u32);
  const BlockId body = k.block([&] {
    const auto sum = k.subgroup(SubgroupOp::add, ScalarType::u32, k.u32(1), kNone<ExprId>, true);
    const ExprId at = k.op(Op::add, {k.op(Op::mul, {k.gid(), k.u32(4)}), k.get(i)});
    k.store(Kernel::at(k.out, at), sum[0]);
    k.when(k.op(Op::ge, {k.get(i), k.op(Op::rem, {k.lid(), k.u32(4)})}), [&] { k.break_(); });
  });
  const BlockId next = k.block([&] { k.set(i, k.op(Op::add, {k.get(i), k.u32(1)})); });
  k.loop(body, next);
  const Ran ran = run(std::move(k), {.out_words = 256, .subgroup_size = 4});
  EXPECT_EQ(Words(ran.out.begin(), ran.out.begin() + 16),
            (Words{4, 0, 0, 0, 4, 3, 0, 0, 4, 3, 2, 0, 4, 3, 2, 1}));
}

std::vector<std::uint64_t> subgroup(SubgroupOp op, ScalarType type, std::uint32_t argument = 0) {
  std::vector<SubgroupLane> lanes;  // 0, 1 and 3 are active
  for (const std::uint32_t lane : {0u, 1u, 3u})
    lanes.push_back({.lane = lane, .value = std::uint64_t{lane} + 2, .argument = argument});
  run_subgroup(op, type, lanes);
  std::vector<std::uint64_t> results;
  for (const SubgroupLane& lane : lanes)
    results.push_back(lane.results[0]);
  return results;
}

TEST(InterpreterSubgroup, InactiveLanesReadAsZeroAndTakeNoPart) {
  using Results = std::vector<std::uint64_t>;
  constexpr ScalarType kU32 = ScalarType::u32;
  EXPECT_EQ(subgroup(SubgroupOp::add, kU32), (Results{10, 10, 10}));
  EXPECT_EQ(subgroup(SubgroupOp::mul, kU32), (Results{30, 30, 30}));
  EXPECT_EQ(subgroup(SubgroupOp::min, kU32), (Results{2, 2, 2}));
  EXPECT_EQ(subgroup(SubgroupOp::max, kU32), (Results{5, 5, 5}));
  EXPECT_EQ(subgroup(SubgroupOp::inclusive_add, kU32), (Results{2, 5, 10}));
  EXPECT_EQ(subgroup(SubgroupOp::exclusive_add, kU32), (Results{0, 2, 5}));
  EXPECT_EQ(subgroup(SubgroupOp::exclusive_mul, kU32), (Results{1, 2, 6}));
  EXPECT_EQ(subgroup(SubgroupOp::broadcast, kU32, 3), (Results{5, 5, 5}));
  EXPECT_EQ(subgroup(SubgroupOp::broadcast, kU32, 2), (Results{0, 0, 0}));
  EXPECT_EQ(subgroup(SubgroupOp::shuffle_xor, kU32, 1), (Results{3, 2, 0}));
  EXPECT_EQ(subgroup(SubgroupOp::shuffle_up, kU32, 1), (Results{0, 2, 0}));
  EXPECT_EQ(subgroup(SubgroupOp::shuffle_down, kU32, 1), (Results{3, 0, 0}));
  EXPECT_EQ(subgroup(SubgroupOp::elect, ScalarType::boolean), (Results{1, 0, 0}));
  EXPECT_EQ(subgroup(SubgroupOp::all, ScalarType::boolean), (Results{1, 1, 1}));
  EXPECT_EQ(subgroup(SubgroupOp::ballot, kU32), (Results{0b1011, 0b1011, 0b1011}));
}

}  // namespace
}  // namespace vyre::interpreter
