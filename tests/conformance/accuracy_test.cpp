// SPDX-License-Identifier: MIT OR Apache-2.0
#include "support/accuracy.h"

#include <algorithm>
#include <bit>
#include <optional>

#include <gtest/gtest.h>

#include "conformance/op_program.h"
#include "ir/eval.h"
#include "support/numbers.h"

// The judge of device results against the vectors, which come from another source.
namespace vyre::test {
namespace {

constexpr Numerics kIeee;

/// The vectors of an operator whose f32 results are judged by a bound.
std::vector<Vector> judged_rows(Op op) {
  for (const VectorSet& set : load_vectors(op))
    if (set.result == ScalarType::f32 && info(op).accuracy != Accuracy::exact &&
        set.types[0] == ScalarType::f32)
      return set.rows;
  return {};
}

/// The f32 nearest to what the row expects; nothing if that is not finite.
std::optional<std::uint32_t> nearest(const Expected& expected) {
  if (expected.kind == Expected::Kind::bits) return static_cast<std::uint32_t>(expected.bits);
  if (expected.kind == Expected::Kind::zero) return 0;
  if (expected.kind != Expected::Kind::real) return std::nullopt;
  return std::bit_cast<std::uint32_t>(static_cast<float>(expected.real));
}

TEST(Judge, AcceptsWhatTheVectorsExpect) {
  for (const Op op : every_op())
    for (const Vector& row : judged_rows(op)) {
      const auto bits = nearest(row.expected);
      if (!bits || !is_finite(ScalarType::f32, *bits)) continue;
      EXPECT_TRUE(is_within_bound(op, row.operands, *bits, kIeee))
          << to_string(op) << ": " << row.text;
    }
}

/// A result that is far off is refused for some operands of every operator.
TEST(Judge, RefusesWhatIsFarOff) {
  for (const Op op : every_op()) {
    const std::vector<Vector> rows = judged_rows(op);
    const bool refuses = std::any_of(rows.begin(), rows.end(), [&](const Vector& row) {
      const auto bits = nearest(row.expected);
      if (!bits || !is_finite(ScalarType::f32, *bits)) return false;
      const float off = std::bit_cast<float>(*bits) * 1.02f + 0.01f;
      return !is_within_bound(op, row.operands, std::bit_cast<std::uint32_t>(off), kIeee);
    });
    EXPECT_TRUE(rows.empty() || refuses) << to_string(op);
  }
}

TEST(Judge, KnowsTheBoundsOfTheSpecification) {
  const auto one = [](Op op, float x, float result) {
    const std::uint64_t operand = std::bit_cast<std::uint32_t>(x);
    return is_within_bound(op, std::span(&operand, 1), std::bit_cast<std::uint32_t>(result), kIeee);
  };
  EXPECT_TRUE(one(Op::sin, 1.0f, 0.8419f));  // 2^-11 absolute
  EXPECT_FALSE(one(Op::sin, 1.0f, 0.8421f));
  EXPECT_TRUE(one(Op::sin, 100.0f, 0.0f));      // no bound beyond pi
  EXPECT_TRUE(one(Op::exp, 1.0f, 2.7182829f));  // 5 ulp
  EXPECT_FALSE(one(Op::exp, 1.0f, 2.71830f));
  EXPECT_TRUE(one(Op::sqrt, 2.0f, 1.4142137f));  // 2.5 ulp
  EXPECT_FALSE(one(Op::sqrt, 2.0f, 1.414214f));
}

TEST(Judge, AllowsFlushingOnlyWhereTheDeviceFlushes) {
  const std::uint64_t operands[] = {0x00000001, 0x3f800000};
  Numerics flushing;
  flushing.keeps_subnormals = false;
  EXPECT_TRUE(is_within_bound(Op::mul, operands, 0, flushing));
  EXPECT_FALSE(is_within_bound(Op::mul, operands, 0, kIeee));
}

}  // namespace
}  // namespace vyre::test
