// SPDX-License-Identifier: MIT OR Apache-2.0
#include "base/text_writer.h"

#include <bit>
#include <cstdint>
#include <limits>
#include <random>

#include <gtest/gtest.h>

namespace vyre {
namespace {

TEST(TextWriterTest, IndentsLinesButNotEmptyOnes) {
  TextWriter w;
  w.line("fn f() {");
  {
    const Indented scope(w);
    w << "let x = " << 1;
    w << ';';
    w.end_line();
    w.end_line();
    const Indented inner(w);
    w.line("y");
  }
  w.line("}");
  EXPECT_EQ(w.text(), "fn f() {\n  let x = 1;\n\n    y\n}\n");
}

TEST(TextWriterTest, WidthOfALevelIsChosen) {
  TextWriter w(4);
  w.indent();
  w.line("a");
  w.dedent();
  w.line("b");
  EXPECT_EQ(w.text(), "    a\nb\n");
}

TEST(TextWriterTest, TakeLeavesAnEmptyWriter) {
  TextWriter w;
  w.indent();
  w << "a";
  EXPECT_EQ(w.take(), "  a");
  w << "b";
  EXPECT_EQ(w.text(), "  b");
  EXPECT_EQ(w.size(), 3U);
}

TEST(TextWriterTest, WritesEveryIntegerType) {
  TextWriter w;
  w << std::numeric_limits<std::int64_t>::min() << ' ' << std::numeric_limits<std::uint64_t>::max()
    << ' ' << std::int8_t{-5} << ' ' << std::uint8_t{65};
  EXPECT_EQ(w.text(), "-9223372036854775808 18446744073709551615 -5 65");
}

TEST(TextWriterTest, FloatsAreTheShortestThatReadBack) {
  EXPECT_EQ(shortest(0.1F), "0.1");
  EXPECT_EQ(shortest(0.1), "0.1");
  EXPECT_EQ(shortest(1.0F), "1");
  EXPECT_EQ(shortest(-0.0F), "-0");
  EXPECT_EQ(shortest(16777216.0F), "16777216");
  EXPECT_EQ(shortest(std::numeric_limits<float>::infinity()), "inf");
  EXPECT_EQ(shortest(-std::numeric_limits<float>::infinity()), "-inf");
  EXPECT_EQ(shortest(std::numeric_limits<float>::denorm_min()), "1e-45");
}

TEST(TextWriterTest, EveryFloatReadsBack) {
  std::mt19937 random(2);
  for (int i = 0; i < 10'000; ++i) {
    const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    if (value != value) continue;
    EXPECT_EQ(std::strtof(shortest(value).c_str(), nullptr), value);
  }
}

TEST(TextWriterDeathTest, DedentNeedsAnIndent) {
  TextWriter w;
  EXPECT_DEATH(w.dedent(), "check failed");
}

}  // namespace
}  // namespace vyre
