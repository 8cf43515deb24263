// SPDX-License-Identifier: MIT OR Apache-2.0
#include "ir/eval.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "conformance/op_program.h"
#include "conformance/vectors.h"

namespace vyre::test {
namespace {

class EvalVectors : public testing::TestWithParam<Op> {};

TEST_P(EvalVectors, GiveTheSpecifiedResults) {
  for (const VectorSet& set : load_vectors(GetParam())) {
    ASSERT_EQ(result_type(GetParam(), set.types, set.result), set.result);
    for (const Vector& row : set.rows) {
      const std::uint64_t got = eval(GetParam(), set.result, set.types, row.operands);
      EXPECT_TRUE(meets(row.expected, set.result, got))
          << to_string(GetParam()) << " " << to_string(set.types[0]) << " -> "
          << to_string(set.result) << ": " << row.text << ", got 0x" << std::hex << got;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, EvalVectors, testing::ValuesIn(every_op()), [](const auto& p) {
  return std::string(to_string(p.param));
});

constexpr int kValueTypes = static_cast<int>(ScalarType::i64) + 1;

/// Every list of operand types, of every length that an operator has.
std::vector<std::vector<ScalarType>> type_lists(std::uint8_t arity) {
  std::vector<std::vector<ScalarType>> lists = {{}};
  for (std::uint8_t i = 0; i < arity; ++i) {
    std::vector<std::vector<ScalarType>> longer;
    for (const auto& list : lists)
      for (int type = 0; type < kValueTypes; ++type) {
        longer.push_back(list);
        longer.back().push_back(static_cast<ScalarType>(type));
      }
    lists = std::move(longer);
  }
  return lists;
}

bool covers(const std::vector<VectorSet>& sets,
            const std::vector<ScalarType>& types,
            ScalarType result) {
  return std::any_of(sets.begin(), sets.end(), [&](const VectorSet& set) {
    return set.rows.size() >= 2 && set.types == types && set.result == result;
  });
}

/// The result types that the catalogue allows, without conversions of a type to itself.
std::vector<ScalarType> results_of(Op op, const std::vector<ScalarType>& types) {
  const bool chosen = op == Op::convert || op == Op::bitcast;
  std::vector<ScalarType> results;
  for (int i = 0; i < (chosen ? kValueTypes : 1); ++i) {
    const auto wanted = static_cast<ScalarType>(i);
    const auto result = result_type(op, types, wanted);
    if (result && !(chosen && *result == types[0])) results.push_back(*result);
  }
  return results;
}

TEST(Vectors, CoverEveryOperatorOnEveryTypeItTakes) {
  for (const Op op : every_op()) {
    const auto sets = load_vectors(op);
    EXPECT_FALSE(sets.empty()) << "no vectors for " << to_string(op);
    for (const auto& types : type_lists(info(op).arity))
      for (const ScalarType result : results_of(op, types))
        EXPECT_TRUE(covers(sets, types, result))
            << "no vectors for " << to_string(op) << " of " << to_string(types[0]) << " -> "
            << to_string(result);
  }
}

}  // namespace
}  // namespace vyre::test
