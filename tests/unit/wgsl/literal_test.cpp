// SPDX-License-Identifier: MIT OR Apache-2.0
#include "wgsl/literal.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "unit/wgsl/texts.h"

namespace vyre::wgsl {
namespace {

Expr read(std::string source, bool is_float) {
  Text text(source);
  Expr expr;
  expr.span = {0, static_cast<std::uint32_t>(source.size())};
  read_number(source, is_float, expr, text.faults);
  EXPECT_EQ(text.faults.any(), expr.kind == ExprKind::fault) << source;
  return expr;
}

void expect_integer(const char* text, std::uint64_t value, Suffix suffix) {
  const Expr expr = read(text, false);
  ASSERT_EQ(expr.kind, ExprKind::int_literal) << text;
  EXPECT_EQ(expr.integer, value) << text;
  EXPECT_EQ(expr.suffix, suffix) << text;
}

void expect_float(const char* text, double value, Suffix suffix) {
  const Expr expr = read(text, true);
  ASSERT_EQ(expr.kind, ExprKind::float_literal) << text;
  EXPECT_EQ(expr.real, value) << text;
  EXPECT_EQ(expr.suffix, suffix) << text;
}

TEST(Literal, ReadsIntegersUpToTheirLimits) {
  expect_integer("0", 0, Suffix::none);
  expect_integer("0xfFu", 255, Suffix::u);
  expect_integer("2147483647i", 2147483647, Suffix::i);
  expect_integer("4294967295u", 4294967295, Suffix::u);
  expect_integer("9223372036854775807", 9223372036854775807ULL, Suffix::none);
  for (const char* text : {"2147483648i", "0x80000000i", "4294967296u", "9223372036854775808",
                           "99999999999999999999999"})
    EXPECT_EQ(read(text, false).kind, ExprKind::fault) << text;
}

TEST(Literal, RoundsDecimalsOnce) {
  expect_float("1.5", 1.5, Suffix::none);
  expect_float(".5f", 0.5, Suffix::f);
  expect_float("0.1f", static_cast<double>(0.1F), Suffix::f);
  // Halfway between two floats in double, just above it in decimal: rounding twice goes down.
  expect_float("1.00000005960464477541f", 1.00000011920928955078125, Suffix::f);
  expect_float("1e-46f", 0, Suffix::f);
  expect_float("1e-400", 0, Suffix::none);
  expect_float("65504h", 65504, Suffix::h);
  expect_float("65519h", 65504, Suffix::h);
  expect_float("6e-8h", 5.9604644775390625e-8, Suffix::h);
}

TEST(Literal, RejectsFloatsThatOverflow) {
  for (const char* text : {"3.5e38f", "1e39f", "65520h", "1e309", "1e99999999999999999999",
                           "0x1p128f", "0x1p1024", "0x1p99999999999999999999"})
    EXPECT_EQ(read(text, true).kind, ExprKind::fault) << text;
}

TEST(Literal, TellsTinyFromHugeBySignOfTheirMagnitude) {
  const std::string zeros(400, '0');
  expect_float(("0." + zeros + "1").c_str(), 0, Suffix::none);
  EXPECT_EQ(read("1" + zeros + ".0", true).kind, ExprKind::fault);
  expect_float("0.0e99999999999999999999", 0, Suffix::none);
}

TEST(Literal, ReadsHexadecimalFloats) {
  expect_float("0xa.fp+2", 43.75, Suffix::none);
  expect_float("0X.3", 0.1875, Suffix::none);
  expect_float("0x1P+4f", 16, Suffix::f);
  expect_float("0x1.fffffep127f", static_cast<double>(std::numeric_limits<float>::max()),
               Suffix::f);
  expect_float("0x1p-149f", static_cast<double>(std::numeric_limits<float>::denorm_min()),
               Suffix::f);
  expect_float("0x1p-1074", std::numeric_limits<double>::denorm_min(), Suffix::none);
  expect_float("0x1.ffcp15h", 65504, Suffix::h);
}

TEST(Literal, WantsSuffixedHexadecimalFloatsExact) {
  for (const char* text : {"0x1.00000001p0f", "0x1p-150f", "0x1.001p0h", "0x1.ffffffp0f"})
    EXPECT_EQ(read(text, true).kind, ExprKind::fault) << text;
}

}  // namespace
}  // namespace vyre::wgsl
