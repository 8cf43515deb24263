// SPDX-License-Identifier: MIT OR Apache-2.0
#include <functional>

#include <gtest/gtest.h>

#include "support.h"

// Subgroup operations, which need the agreement of a subgroup, and barriers, which need that of a
// workgroup.
namespace vyre::subgroup_uniformity_test {
namespace {

Codes check(const Fill& fill) {
  Kernel k;
  fill(k);
  return faults_of(std::move(k).done());
}
const Codes kNothing;
const Codes kBarrier = {"divergent-barrier"};

/// The faults of a barrier under `if (condition)`.
Codes guarded(const std::function<ExprId(Kernel&)>& condition) {
  return check([&](Kernel& k) { k.when(condition(k), [&] { k.sync(); }); });
}

TEST(SubgroupUniformityTest, SubgroupOperationsNeedUniformFlow) {
  const auto add = [](Kernel& k) {
    k.subgroup(SubgroupOp::add, ScalarType::u32, k.lid(), kNone<ExprId>);
  };
  EXPECT_EQ(check(add), kNothing);
  EXPECT_EQ(check([&](Kernel& k) { k.when(k.less(k.lid(), 3), [&] { add(k); }); }),
            (Codes{"divergent-subgroup"}));
  EXPECT_EQ(check([&](Kernel& k) {
              k.when(k.less(k.lid(), 3), [&] { k.return_(); });
              add(k);
            }),
            (Codes{"divergent-subgroup"}));
  EXPECT_EQ(
      check([&](Kernel& k) { k.count(k.lid(), k.u32(64), k.u32(1), [&](VarId) { add(k); }); }),
      (Codes{"divergent-subgroup"}));
}

TEST(SubgroupUniformityTest, SubgroupOperationsMayBeLetDiverge) {
  const auto shuffle = [](Kernel& k, bool divergent) {
    k.when(k.less(k.lid(), 3), [&] {
      k.subgroup(SubgroupOp::shuffle_up, ScalarType::u32, k.lid(), k.lid(), divergent);
    });
  };
  EXPECT_EQ(check([&](Kernel& k) { shuffle(k, false); }),
            (Codes{"divergent-subgroup", "divergent-operand"}));
  EXPECT_EQ(check([&](Kernel& k) { shuffle(k, true); }), kNothing);
}

TEST(SubgroupUniformityTest, SubgroupResultsAreDivergent) {
  EXPECT_EQ(guarded([](Kernel& k) {
              return k.less(
                  k.subgroup(SubgroupOp::add, ScalarType::u32, k.u32(1), kNone<ExprId>).front(), 3);
            }),
            kBarrier);
}

/// The faults of a subgroup operation under `if (condition)`.
Codes guarded_lanes(const std::function<ExprId(Kernel&)>& condition) {
  return check([&](Kernel& k) {
    k.when(condition(k),
           [&] { k.subgroup(SubgroupOp::add, ScalarType::u32, k.lid(), kNone<ExprId>); });
  });
}

TEST(SubgroupUniformityTest, TheIndexOfASubgroupIsUniformInIt) {
  const auto first = [](Kernel& k) {
    return k.less(
        k.op(Op::div, {k.builtin(Builtin::local_index), k.builtin(Builtin::subgroup_size)}), 1);
  };
  EXPECT_EQ(guarded_lanes(first), kNothing);
  EXPECT_EQ(guarded(first), kBarrier);
  for (const Builtin b : {Builtin::lane, Builtin::local_index})
    EXPECT_EQ(guarded_lanes([&](Kernel& k) { return k.less(k.builtin(b), 1); }),
              (Codes{"divergent-subgroup"}))
        << to_string(b);
}

TEST(SubgroupUniformityTest, ResultsThatASubgroupSharesAreUniformInIt) {
  const auto result = [](SubgroupOp op, bool lanes) {
    const auto condition = [&](Kernel& k) {
      const bool votes = op == SubgroupOp::all || op == SubgroupOp::any || op == SubgroupOp::ballot;
      const ExprId value = votes ? k.less(k.lid(), 3) : k.lid();
      const bool lane = op == SubgroupOp::broadcast || op == SubgroupOp::shuffle ||
                        op == SubgroupOp::shuffle_xor || op == SubgroupOp::shuffle_up ||
                        op == SubgroupOp::shuffle_down;
      const bool gives_boolean = op == SubgroupOp::all || op == SubgroupOp::any;
      const ExprId got = k.subgroup(op, gives_boolean ? ScalarType::boolean : ScalarType::u32,
                                    value, lane ? k.u32(1) : kNone<ExprId>)
                             .front();
      return gives_boolean ? got : k.less(got, 3);
    };
    return lanes ? guarded_lanes(condition) : guarded(condition);
  };
  for (const SubgroupOp op :
       {SubgroupOp::ballot, SubgroupOp::broadcast, SubgroupOp::add, SubgroupOp::mul,
        SubgroupOp::min, SubgroupOp::max, SubgroupOp::bit_and, SubgroupOp::bit_or,
        SubgroupOp::bit_xor, SubgroupOp::all, SubgroupOp::any}) {
    EXPECT_EQ(result(op, true), kNothing) << to_string(op);
    EXPECT_EQ(result(op, false), kBarrier) << to_string(op);
  }
  for (const SubgroupOp op :
       {SubgroupOp::shuffle, SubgroupOp::shuffle_xor, SubgroupOp::shuffle_up,
        SubgroupOp::shuffle_down, SubgroupOp::inclusive_add, SubgroupOp::exclusive_add,
        SubgroupOp::inclusive_mul, SubgroupOp::exclusive_mul})
    EXPECT_EQ(result(op, true), (Codes{"divergent-subgroup"})) << to_string(op);
}

TEST(SubgroupUniformityTest, ShufflesByADeltaNeedAUniformOne) {
  const auto moved = [](SubgroupOp op) {
    return check([&](Kernel& k) { k.subgroup(op, ScalarType::u32, k.lid(), k.lid()); });
  };
  EXPECT_EQ(moved(SubgroupOp::shuffle), kNothing);
  for (const SubgroupOp op : {SubgroupOp::broadcast, SubgroupOp::shuffle_xor,
                              SubgroupOp::shuffle_up, SubgroupOp::shuffle_down})
    EXPECT_EQ(moved(op), (Codes{"divergent-operand"})) << to_string(op);
}

}  // namespace
}  // namespace vyre::subgroup_uniformity_test
