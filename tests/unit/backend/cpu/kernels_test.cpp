// SPDX-License-Identifier: MIT OR Apache-2.0
#include <array>
#include <bit>
#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "backend/cpu/isa.h"
#include "ir/eval.h"

// The loops over lanes give the bits of `eval`, lane by lane, also onto their own operands.
namespace vyre::cpu {
namespace {

/// Twice as long, so that it holds a pair.
using Register = std::array<Lane, kHighWords + kStripLanes>;
constexpr ScalarType kTypes[] = {ScalarType::boolean, ScalarType::u32, ScalarType::i32,
                                 ScalarType::f32,     ScalarType::u64, ScalarType::i64};

/// Values that matter for `type`, then random bits of every size.
Register values_of(ScalarType type, std::mt19937& random) {
  static constexpr Lane kSpecial[] = {
      0,           1,           2,           31,          32,          0x7fffffffu, 0x80000000u,
      0x80000001u, 0xffffffffu, 0xfffffff9u, 0x3f800000u, 0xbf800000u, 0x3f000000u, 0x40200000u,
      0xc0200000u, 0x7f800000u, 0xff800000u, 0x7fc00000u, 0x7f800001u, 0x00800000u, 0x007fffffu,
      0x4f000000u, 0x4f800000u, 0xcf000000u, 0x4b000000u, 0x42b17218u, 0xc2aeac50u, 0x7f7fffffu};
  Register words;
  for (Lane& word : words) {
    const Lane bits = static_cast<Lane>(random());
    const Lane pick = static_cast<Lane>(random()) % 4;
    if (pick == 0) word = kSpecial[bits % std::size(kSpecial)];
    if (pick == 1) word = bits;
    if (pick == 2) word = bits >> bits % 32;
    if (pick == 3)
      word = std::bit_cast<Lane>(static_cast<float>(static_cast<std::int32_t>(bits)) * 0x1p-26f);
    if (type == ScalarType::boolean) word = (bits & 1) != 0 ? ~Lane{0} : 0;
  }
  // High words that make a small number, or a number of a word's size with a sign.
  for (std::size_t i = 0; is_wide(type) && i < kStripLanes; ++i)
    if (const auto pick = random() % 4; pick < 2)
      words[i + kHighWords] =
          pick == 0 ? 0 : static_cast<Lane>(static_cast<std::int32_t>(words[i]) >> 31);
  return words;
}

std::uint64_t bits_at(const Register& words, ScalarType type, std::size_t lane) {
  if (type == ScalarType::boolean) return words[lane] & 1;
  if (is_wide(type)) return std::uint64_t{words[lane + kHighWords]} << 32 | words[lane];
  return words[lane];
}

void expect_equal(ScalarType type,
                  const Register& result,
                  std::size_t lane,
                  std::uint64_t bits,
                  const std::string& what) {
  if (is_wide(type)) {
    EXPECT_EQ(bits_at(result, type, lane), bits) << what;
    return;
  }
  const Lane actual = result[lane];
  Lane wanted = static_cast<Lane>(bits);
  if (type == ScalarType::boolean) wanted = bits != 0 ? ~Lane{0} : 0;
  if (type == ScalarType::f32 && std::isnan(std::bit_cast<float>(wanted))) {
    EXPECT_TRUE(std::isnan(std::bit_cast<float>(actual))) << what;
  } else {
    EXPECT_EQ(actual, wanted) << what;
  }
}

/// One operator on operands of these types.
void check(const Isa& isa,
           Op op,
           const std::vector<ScalarType>& types,
           ScalarType result,
           std::mt19937& random) {
  const ScalarType typed = info(op).typing == Typing::select ? types[1] : types[0];
  const Kernel kernel = isa.pure_kernel(op, typed, result);
  if (kernel == nullptr) {  // the word stays as it is
    EXPECT_TRUE(op == Op::bitcast ||
                (op == Op::convert && (types[0] == result || is_integer(result)) &&
                 (is_wide(types[0]) || !is_wide(result))));
    return;
  }
  std::array<Register, 3> in;
  for (std::size_t i = 0; i < types.size(); ++i)
    in[i] = values_of(types[i], random);
  Register out;
  kernel(out.data(), in[0].data(), in[1].data(), in[2].data(), kStripLanes);
  for (std::size_t lane = 0; lane < kStripLanes; ++lane) {
    std::vector<std::uint64_t> operands;
    std::string what(to_string(op));
    for (std::size_t i = 0; i < types.size(); ++i) {
      operands.push_back(bits_at(in[i], types[i], lane));
      what += " " + std::to_string(operands.back());
    }
    expect_equal(result, out, lane, eval(op, result, types, operands), what);
  }
  for (std::size_t i = 0; i < types.size(); ++i) {
    auto own = in;
    kernel(own[i].data(), own[0].data(), own[1].data(), own[2].data(), kStripLanes);
    for (std::size_t lane = 0; lane < kStripLanes; ++lane)
      expect_equal(result, own[i], lane, bits_at(out, result, lane), "in place");
  }
}

/// All lists of operand types.
std::vector<std::vector<ScalarType>> signatures(std::uint32_t arity) {
  std::vector<std::vector<ScalarType>> lists = {{}};
  for (std::uint32_t i = 0; i < arity; ++i) {
    std::vector<std::vector<ScalarType>> longer;
    for (const auto& list : lists)
      for (const ScalarType type : kTypes) {
        longer.push_back(list);
        longer.back().push_back(type);
      }
    lists = std::move(longer);
  }
  return lists;
}

/// Each test runs on every instruction set of this processor.
class Kernels : public testing::TestWithParam<const Isa*> {
 protected:
  const Isa& isa_ = *GetParam();
};
INSTANTIATE_TEST_SUITE_P(Isas,
                         Kernels,
                         testing::ValuesIn(available_isas().begin(), available_isas().end()),
                         [](const auto& each) { return std::string(each.param->name); });

TEST_P(Kernels, EveryOperatorAgreesWithEval) {
  std::mt19937 random(29);
  for (std::size_t i = 0; i < all_ops().size(); ++i) {
    const Op op = static_cast<Op>(i);
    for (const auto& types : signatures(info(op).arity)) {
      if (info(op).typing == Typing::convert || info(op).typing == Typing::bitcast) {
        for (const ScalarType wanted : kTypes)
          if (result_type(op, types, wanted)) check(isa_, op, types, wanted, random);
      } else if (const auto result = result_type(op, types)) {
        for (int round = 0; round < 8; ++round)
          check(isa_, op, types, *result, random);
      }
    }
  }
}

/// Two operators as one kernel on operands of `type`.
void check_pair(
    const Isa& isa, Op inner, Op outer, bool is_right, ScalarType type, std::mt19937& random) {
  const Kernel kernel = isa.pair_kernel(inner, outer, is_right, type);
  if (kernel == nullptr) return;
  std::array<Register, 3> in;
  for (Register& words : in)
    words = values_of(type, random);
  Register out;
  kernel(out.data(), in[0].data(), in[1].data(), in[2].data(), kStripLanes);
  for (std::size_t lane = 0; lane < kStripLanes; ++lane) {
    const std::array both = {type, type};
    std::array<std::uint64_t, 2> last = {
        eval(inner, type, both, std::array<std::uint64_t, 2>{in[0][lane], in[1][lane]}),
        in[2][lane]};
    if (is_right) std::swap(last[0], last[1]);
    expect_equal(type, out, lane, eval(outer, type, both, last),
                 std::string(to_string(inner)) + " " + std::string(to_string(outer)));
  }
  kernel(in[2].data(), in[0].data(), in[1].data(), in[2].data(), kStripLanes);
  for (std::size_t lane = 0; lane < kStripLanes; ++lane)
    expect_equal(type, in[2], lane, out[lane], "in place");
}

TEST_P(Kernels, EveryPairOfOperatorsIsTheOneAfterTheOther) {
  std::mt19937 random(37);
  for (std::size_t inner = 0; inner < all_ops().size(); ++inner)
    for (std::size_t outer = 0; outer < all_ops().size(); ++outer)
      for (const bool is_right : {false, true})
        for (const ScalarType type : {ScalarType::u32, ScalarType::i32, ScalarType::f32})
          check_pair(isa_, static_cast<Op>(inner), static_cast<Op>(outer), is_right, type, random);
  EXPECT_NE(isa_.pair_kernel(Op::mul, Op::add, false, ScalarType::f32), nullptr);
}

TEST_P(Kernels, MasksAndBlends) {
  std::mt19937 random(31);
  for (const std::size_t lanes : {std::size_t{16}, std::size_t{64}, std::size_t{112},
                                  std::size_t{128}, std::size_t{kStripLanes}}) {
    const Register flags = values_of(ScalarType::boolean, random);
    const Register words = values_of(ScalarType::u32, random);
    const Mask mask = isa_.to_mask(flags.data(), 0, lanes);
    const Mask low = isa_.below(words.data(), 1000, lanes);
    const Mask ones = isa_.equal_to(words.data(), 1, lanes);
    Register mixed = words;
    isa_.blend(mixed.data(), flags.data(), low, 0, lanes);
    for (std::uint32_t i = 0; i < kStripLanes; ++i) {
      EXPECT_EQ(mask.has(i), i < lanes && flags[i] != 0);
      EXPECT_EQ(low.has(i), i < lanes && words[i] < 1000);
      EXPECT_EQ(ones.has(i), i < lanes && words[i] == 1);
      EXPECT_EQ(mixed[i], low.has(i) ? flags[i] : words[i]);
    }
  }
}

TEST_P(Kernels, CountingUp) {
  Register words;
  isa_.count_up(words.data(), 0xfffffff0u, kStripLanes);
  EXPECT_EQ(words[20], 4u);
  EXPECT_TRUE(isa_.counts_up(words.data(), kStripLanes));
  words[100] = 0;
  EXPECT_FALSE(isa_.counts_up(words.data(), kStripLanes));
  EXPECT_TRUE(isa_.counts_up(words.data(), 100));
}

TEST(Masks, FirstLanesAndOrder) {
  for (const std::uint32_t count : {0u, 1u, 63u, 64u, 65u, 127u, 128u}) {
    const Mask mask = Mask::first(count);
    EXPECT_EQ(mask.count(), count);
    EXPECT_EQ(mask.none(), count == 0);
    std::uint32_t next = 0;
    mask.for_each([&](std::uint32_t lane) { EXPECT_EQ(lane, next++); });
    EXPECT_EQ(next, count);
    const Mask rest = without(Mask::first(128), mask);
    EXPECT_EQ(rest.count(), 128 - count);
    if (count < 128) {
      EXPECT_EQ(rest.lowest(), count);
    }
  }
}

}  // namespace
}  // namespace vyre::cpu
