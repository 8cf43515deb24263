// SPDX-License-Identifier: MIT OR Apache-2.0
#include <gtest/gtest.h>

#include "support.h"

// Deep and long programs: nothing recurses over statements, nothing takes quadratic time.
namespace vyre {
namespace {

class DepthTest : public testing::TestWithParam<std::uint32_t> {};

TEST_P(DepthTest, NestedIfs) {
  const std::uint32_t depth = GetParam();
  Kernel k;
  std::vector<BlockId> blocks;
  for (std::uint32_t i = 0; i < depth; ++i)
    blocks.push_back(k.open());
  k.sync();
  for (std::uint32_t i = depth; i-- > 0;) {
    k.close();
    k.if_(k.less(k.wid(), 3), blocks[i]);
  }
  EXPECT_EQ(report_of(std::move(k).done()), "");
}

TEST_P(DepthTest, NestedScopesThatAreAllLeft) {
  const std::uint32_t depth = GetParam() / 4 + 1;
  Kernel k;
  std::vector<BlockId> scopes;
  for (std::uint32_t i = 0; i < depth; ++i)
    scopes.push_back(k.open());
  for (std::uint32_t i = 0; i < depth; ++i)
    k.when(k.less(k.lid(), 3), [&] { k.leave(scopes[i]); });
  for (std::uint32_t i = depth; i-- > 0;) {
    k.close();
    k.scope(scopes[i]);
  }
  k.sync();
  EXPECT_EQ(report_of(std::move(k).done()), "");
}

TEST_P(DepthTest, NestedLoopsWithABarrierInTheInnermost) {
  const std::uint32_t depth = GetParam();
  Kernel k;
  const VarId x = k.var(ScalarType::u32);
  std::vector<BlockId> bodies;
  for (std::uint32_t i = 0; i < depth; ++i)
    bodies.push_back(k.open());
  k.sync();
  k.set(x, k.wid());
  for (std::uint32_t i = depth; i-- > 0;) {
    k.close();
    k.loop(bodies[i], kNone<BlockId>, k.less(k.wid(), 3));
  }
  EXPECT_EQ(report_of(std::move(k).done()), "");
}

TEST_P(DepthTest, OneDivergentExitReachesTheInnermostBarrier) {
  const std::uint32_t depth = GetParam();
  Kernel k;
  std::vector<BlockId> bodies;
  for (std::uint32_t i = 0; i < depth; ++i)
    bodies.push_back(k.open());
  k.sync();
  for (std::uint32_t i = depth; i-- > 0;) {
    k.close();
    k.loop(bodies[i], kNone<BlockId>, k.less(i == 0 ? k.lid() : k.wid(), 3));
  }
  EXPECT_EQ(faults_of(std::move(k).done()), (Codes{"divergent-barrier"}));
}

TEST_P(DepthTest, ManyVariablesSetUnderManyConditions) {
  const std::uint32_t count = GetParam() / 4 + 1;
  Kernel k;
  std::vector<VarId> vars;
  for (std::uint32_t i = 0; i < count; ++i)
    vars.push_back(k.var(ScalarType::u32));
  const BlockId body = k.block([&] {
    for (std::uint32_t i = 0; i < count; ++i) {
      k.set(vars[i], k.lid());
      k.when(k.less(k.wid(), i), [&] { k.break_(); });
    }
  });
  k.loop(body);
  k.when(k.less(k.get(vars[count / 2]), 3), [&] { k.sync(); });
  EXPECT_EQ(faults_of(std::move(k).done()), (Codes{"divergent-barrier"}));
}

INSTANTIATE_TEST_SUITE_P(Depths, DepthTest, testing::Values(100u, 1000u, 100000u));

TEST(DepthTest, ChainsOfLets) {
  Kernel k;
  ExprId x = k.gid();
  for (int i = 0; i < 100000; ++i)
    x = k.let(k.op(Op::add, {x, k.u32(1)}));
  k.store(Kernel::at(k.out, k.gid()), x);
  EXPECT_EQ(report_of(std::move(k).done()), "");
}

TEST(DepthTest, TooManyStatements) {
  Kernel k;
  for (std::uint32_t i = 0; i < kMaxStatements; ++i)
    k.sync();
  EXPECT_EQ(report_of(Kernel(k).done()), "");
  k.sync();
  const std::string text = report_of(std::move(k).done());
  EXPECT_NE(
      text.find("error[internal-limit]: the program has 200001 statements; the limit is 200000"),
      std::string::npos)
      << text;
}

}  // namespace
}  // namespace vyre
