// SPDX-License-Identifier: MIT OR Apache-2.0
#include <gtest/gtest.h>

#include "unit/backend/cpu/rig.h"

// Programs of any depth and length are compiled and run without recursion.
namespace vyre::cpu {
namespace {

constexpr std::uint32_t kDepth = 100000;

/// Opens `kDepth` constructs with `open`, adds 1 in the innermost, and closes them with `close`.
template <typename Close>
Words nested(Close&& close) {
  Kernel k({3, 1, 1});
  const VarId sum = k.var(ScalarType::u32);
  const ExprId always = k.let(k.less(k.gid(), k.u32(100)));
  std::vector<BlockId> blocks;
  for (std::uint32_t i = 0; i < kDepth; ++i)
    blocks.push_back(k.open());
  k.add_to(sum, k.u32(1));
  for (std::uint32_t i = kDepth; i-- > 0;) {
    close(k, blocks[i], always);
    k.add_to(sum, k.u32(1));
  }
  k.put(k.gid(), k.get(sum));
  return run(std::move(k), 1, 3);
}

TEST(Depth, Ifs) {
  const Words words = nested([](Kernel& k, BlockId block, ExprId always) {
    k.close();
    k.if_(always, block);
  });
  EXPECT_EQ(words, Words(3, kDepth + 1));
}

TEST(Depth, Scopes) {
  const Words words = nested([](Kernel& k, BlockId block, ExprId) {
    k.close();
    k.scope(block);
  });
  EXPECT_EQ(words, Words(3, kDepth + 1));
}

TEST(Depth, Loops) {
  const Words words = nested([](Kernel& k, BlockId block, ExprId) {
    k.break_();
    k.close();
    k.loop(block);
  });
  EXPECT_EQ(words, Words(3, kDepth + 1));
}

TEST(Depth, Switches) {
  const Words words = nested([](Kernel& k, BlockId block, ExprId) {
    k.close();
    const BlockId other = k.block([] {});
    k.switch_(k.u32(5), {{.values = {5}, .block = block}}, other);
  });
  EXPECT_EQ(words, Words(3, kDepth + 1));
}

TEST(Depth, AThousandIfsWithConditionsOfTheirOwn) {
  Kernel k({64, 1, 1});
  const VarId sum = k.var(ScalarType::u32);
  std::vector<std::pair<ExprId, BlockId>> open;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    const ExprId condition = k.let(k.less(k.gid(), k.u32(1000 - i)));
    open.emplace_back(condition, k.open());
    k.add_to(sum, k.u32(1));
  }
  for (std::size_t i = open.size(); i-- > 0;) {
    k.close();
    k.if_(open[i].first, open[i].second);
  }
  k.put(k.gid(), k.get(sum));
  EXPECT_EQ(run(std::move(k), 20, 1280),
            expected(1280, [](std::uint32_t gid) { return gid < 1000 ? 1000 - gid : 0u; }));
}

TEST(Depth, AHundredThousandStatements) {
  Kernel k({64, 1, 1});
  ExprId value = k.gid();
  for (std::uint32_t i = 0; i < kDepth; ++i)
    value = k.let(k.add(k.mul(value, k.u32(1664525)), k.u32(i * 7 + 1)));
  k.put(k.gid(), value);
  EXPECT_EQ(run(std::move(k), 1, 64), expected(64, [](std::uint32_t word) {
              for (std::uint32_t i = 0; i < kDepth; ++i)
                word = word * 1664525 + i * 7 + 1;
              return word;
            }));
}

TEST(Depth, ManyValuesThatLiveAtOnce) {
  constexpr std::uint32_t kValues = 20000;
  Kernel k({64, 1, 1});
  std::vector<ExprId> values;
  for (std::uint32_t i = 0; i < kValues; ++i)
    values.push_back(k.let(k.mul(k.gid(), k.u32(i))));
  const VarId sum = k.var(ScalarType::u32);
  for (const ExprId value : values)
    k.set(sum, k.op(Op::bit_xor, {k.get(sum), value}));
  k.put(k.gid(), k.get(sum));
  EXPECT_EQ(run(std::move(k), 1, 64), expected(64, [](std::uint32_t gid) {
              std::uint32_t all = 0;
              for (std::uint32_t i = 0; i < kValues; ++i)
                all ^= gid * i;
              return all;
            }));
}

}  // namespace
}  // namespace vyre::cpu
