// SPDX-License-Identifier: MIT OR Apache-2.0
#include "backend/cpu/lifetimes.h"

#include <gtest/gtest.h>

#include "unit/backend/cpu/rig.h"

namespace vyre::cpu {
namespace {

/// The first lane takes the second case, so that case runs first.
TEST(Lifetimes, AValueUsedInACaseSurvivesTheOtherCases) {
  Kernel k({2, 1, 1});
  const ExprId kept = k.load(at(k.out, k.add(k.gid(), k.u32(2))));
  const ExprId selector = k.load(at(k.out, k.gid()));
  const BlockId zero = k.block([&] { k.put(k.gid(), kept); });
  const BlockId one = k.block([&] { k.put(k.gid(), k.mul(k.add(k.gid(), k.u32(9)), k.u32(3))); });
  k.switch_(selector, {{{0}, zero}, {{1}, one}}, k.block([] {}));
  const BufferId out = k.out;
  Rig rig(std::move(k));
  rig.fill(out, Words{1, 0, 40, 50});
  rig.run(1);
  EXPECT_EQ(rig.read<std::uint32_t>(out), (Words{27, 50, 40, 50}));
}

/// The case that runs first sets the variable whose old value the other one stores.
TEST(Lifetimes, AValueReadFromAVariableSurvivesItsSetInAnotherCase) {
  Kernel k({2, 1, 1});
  const VarId var = k.var(ScalarType::u32, k.u32(7));
  const ExprId old = k.get(var);
  const BlockId zero = k.block([&] { k.put(k.gid(), old); });
  const BlockId one = k.block([&] {
    k.set(var, k.u32(8));
    k.put(k.gid(), k.get(var));
  });
  k.switch_(k.op(Op::sub, {k.u32(1), k.gid()}), {{{0}, zero}, {{1}, one}}, k.block([] {}));
  EXPECT_EQ(run(std::move(k), 1, 2), (Words{8, 7}));
}

}  // namespace
}  // namespace vyre::cpu
