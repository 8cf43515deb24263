// SPDX-License-Identifier: MIT OR Apache-2.0
#include "base/source_text.h"

#include <gtest/gtest.h>

namespace vyre {
namespace {

using Lines = std::vector<std::string_view>;

TEST(SourceTextTest, SplitsAtEveryLineBreakOfWgsl) {
  EXPECT_EQ(split_lines("a\nb\vc\fd\re\r\nf\u0085g\u2028h\u2029i"),
            (Lines{"a", "b", "c", "d", "e", "f", "g", "h", "i"}));
}

TEST(SourceTextTest, HasAtLeastOneLine) {
  EXPECT_EQ(split_lines(""), Lines{""});
  EXPECT_EQ(split_lines("\n"), (Lines{"", ""}));
  EXPECT_EQ(split_lines("a\r\n\r\n"), (Lines{"a", "", ""}));
}

TEST(SourceTextTest, MeasuresLineBreaks) {
  EXPECT_EQ(line_break_length("\r\n"), 2U);
  EXPECT_EQ(line_break_length("\rx"), 1U);
  EXPECT_EQ(line_break_length("\xC2\x85"), 2U);
  EXPECT_EQ(line_break_length("\xE2\x80\xA9"), 3U);
  EXPECT_EQ(line_break_length("\xE2\x80"), 0U);
  EXPECT_EQ(line_break_length("\tx"), 0U);
  EXPECT_EQ(line_break_length(""), 0U);
}

TEST(SourceTextTest, CellsCoverTheBytesOfTheLine) {
  const std::vector<Cell> cells = to_cells("a\té計\x01\xFF");
  ASSERT_EQ(cells.size(), 6U);
  const std::vector<std::size_t> bytes = {1, 1, 2, 3, 1, 1};
  const std::vector<int> widths = {1, 1, 1, 2, 1, 1};
  for (std::size_t i = 0; i < cells.size(); ++i) {
    EXPECT_EQ(cells[i].bytes, bytes[i]) << i;
    EXPECT_EQ(cells[i].width, widths[i]) << i;
  }
  EXPECT_EQ(cells[3].glyph, "計");
  EXPECT_EQ(cells[4].glyph, "\uFFFD");
  EXPECT_EQ(cells[5].glyph, "\uFFFD");
}

TEST(SourceTextTest, RefusesWhatIsNotUtf8) {
  for (const std::string_view text :
       {"\xC0\xAF", "\xE0\x80\x80", "\xF4\x90\x80\x80", "\xED\xBF\xBF", "\xE2\x82", "\x80"}) {
    EXPECT_EQ(to_cells(text).size(), text.size());
    EXPECT_EQ(to_cells(text)[0].glyph, "\uFFFD");
  }
}

}  // namespace
}  // namespace vyre
