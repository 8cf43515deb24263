// SPDX-License-Identifier: MIT OR Apache-2.0
#include "vyre/diagnostic.h"

#include <gtest/gtest.h>

namespace vyre {
namespace {

Diagnostics about(std::string text) {
  Diagnostics list;
  list.set_sources(std::make_shared<const std::vector<Source>>(
      std::vector<Source>{{.name = "k.wgsl", .text = std::move(text)}}));
  return list;
}

/// What one error at line 1 looks like, without its heading and the summary.
std::string marked(std::string text, std::uint32_t column, std::uint32_t length) {
  Diagnostics list = about(std::move(text));
  list.error(Code::syntax_error, {0, 1, column, length}, "m");
  const std::string all = list.to_string();
  const std::size_t start = all.find('\n') + 1;
  return all.substr(start, all.rfind("1 error\n") - start);
}

TEST(CodeTest, TextFormsAreKebabCase) {
  EXPECT_EQ(info(Code::type_mismatch).name, "type-mismatch");
  EXPECT_EQ(info(Code::syntax_error).summary, "the text is not WGSL at this place");
}

TEST(CodeTest, EveryCodeSaysWhatItMeansAndWhatToDo) {
  for (const CodeInfo& code : all_codes()) {
    EXPECT_FALSE(code.name.empty());
    EXPECT_EQ(code.name.find('_'), std::string_view::npos) << code.name;
    EXPECT_FALSE(code.summary.empty()) << code.name;
    EXPECT_FALSE(code.remedy.empty()) << code.name;
  }
}

TEST(DiagnosticsTest, RendersLikeACompiler) {
  Diagnostics list = about("fn f() {\n  let x = y + 1;\n}\n");
  Diagnostic& d = list.error(Code::unknown_identifier, {0, 2, 11, 1}, "`y` is not declared");
  d.notes.push_back({.place = {0, 1, 4, 1}, .message = "in this function"});
  d.help = "declare it";
  list.add({.code = Code::not_supported, .severity = Severity::warning, .message = "no place"});
  EXPECT_EQ(list.to_string(),
            "k.wgsl:2:11: error[unknown-identifier]: `y` is not declared\n"
            "    let x = y + 1;\n"
            "            ^\n"
            "k.wgsl:1:4: note: in this function\n"
            "  fn f() {\n"
            "     ^\n"
            "  help: declare it\n"
            "warning[not-supported]: no place\n"
            "1 error and 1 warning\n");
}

TEST(DiagnosticsTest, ShowsWhatIsNearInAVeryLongLine) {
  for (const std::size_t before : {3000u, 5000u, 2000000u}) {
    const std::string text = std::string(before, 'a') + "x" + std::string(9000, 'b');
    EXPECT_EQ(marked(text, static_cast<std::uint32_t>(before + 1), 1),
              "  …" + std::string(80, 'a') + "x" + std::string(79, 'b') + "…\n" + "   " +
                  std::string(80, ' ') + "^\n");
  }
}

TEST(DiagnosticsTest, CountsInTheSummary) {
  Diagnostics list;
  EXPECT_EQ(list.to_string(), "");
  list.add({.code = Code::not_supported, .severity = Severity::warning, .message = "w"});
  EXPECT_FALSE(list.has_errors());
  EXPECT_EQ(list.to_string(), "warning[not-supported]: w\n1 warning\n");
  list.error(Code::syntax_error, {}, "a");
  list.error(Code::syntax_error, {}, "b");
  EXPECT_TRUE(list.has_errors());
  EXPECT_TRUE(list.to_string().ends_with("\n2 errors and 1 warning\n"));
}

TEST(DiagnosticsTest, UnderlinesTheLengthClippedToTheLine) {
  EXPECT_EQ(marked("let abc = 1;", 5, 3), "  let abc = 1;\n      ^~~\n");
  EXPECT_EQ(marked("let abc\nmore", 5, 99), "  let abc\n      ^~~\n");
  EXPECT_EQ(marked("abc", 1, 0), "  abc\n  ^\n");
}

TEST(DiagnosticsTest, PointsJustPastTheEndOfALine) {
  EXPECT_EQ(marked("abc", 4, 1), "  abc\n     ^\n");
  EXPECT_EQ(marked("abc", 400, 7), "  abc\n     ^\n");
  EXPECT_EQ(marked("", 1, 0), "  \n  ^\n");
}

TEST(DiagnosticsTest, KeepsTabsUnderTabs) {
  EXPECT_EQ(marked("\ta\tb", 4, 1), "  \ta\tb\n  \t \t^\n");
}

TEST(DiagnosticsTest, CountsColumnsInBytesAndPlacesInTerminalColumns) {
  EXPECT_EQ(marked("é x", 4, 1), "  é x\n    ^\n");           // two bytes, one column
  EXPECT_EQ(marked("計 x", 5, 1), "  計 x\n     ^\n");        // three bytes, two columns
  EXPECT_EQ(marked("e\u0301x", 4, 1), "  e\u0301x\n   ^\n");  // a combining accent fills none
  EXPECT_EQ(marked("計計", 1, 6), "  計計\n  ^~~~\n");
}

TEST(DiagnosticsTest, ShowsNoControlCharactersNorMalformedText) {
  EXPECT_EQ(marked("a\x1B[31mb", 7, 1), "  a\uFFFD[31mb\n        ^\n");
  EXPECT_EQ(marked("\xFF\xC0x", 3, 1), "  \uFFFD\uFFFDx\n    ^\n");
  EXPECT_EQ(marked("\xED\xA0\x80x", 4, 1), "  \uFFFD\uFFFD\uFFFDx\n     ^\n");
  EXPECT_EQ(marked("a\u202Eb", 5, 1), "  a\uFFFDb\n    ^\n");
}

TEST(DiagnosticsTest, KnowsEveryLineBreakOfWgsl) {
  Diagnostics list = about("1\n2\r\n3\r4\v5\f6\u00857\u20288\u20299");
  list.error(Code::syntax_error, {0, 9, 1, 1}, "m");
  EXPECT_EQ(list.to_string(), "k.wgsl:9:1: error[syntax-error]: m\n  9\n  ^\n1 error\n");
}

TEST(DiagnosticsTest, CutsLongLinesAroundTheCaret) {
  const std::string line = std::string(500, 'a') + "X" + std::string(500, 'b');
  EXPECT_EQ(marked(line, 501, 1), "  …" + std::string(80, 'a') + "X" + std::string(79, 'b') +
                                      "…\n   " + std::string(80, ' ') + "^\n");
  EXPECT_EQ(marked(line, 1, 1000),
            "  " + std::string(160, 'a') + "…\n  ^" + std::string(159, '~') + "\n");
  EXPECT_EQ(marked(line, 1002, 1),
            "  …" + std::string(160, 'b') + "\n   " + std::string(160, ' ') + "^\n");
}

TEST(DiagnosticsTest, SurvivesPlacesOutsideTheSources) {
  Diagnostics list = about("x");
  list.error(Code::syntax_error, {7, 1, 1, 1}, "a");
  list.error(Code::syntax_error, {0, 7, 1, 1}, "b");
  EXPECT_EQ(list.to_string(),
            "<source>:1:1: error[syntax-error]: a\n"
            "k.wgsl:7:1: error[syntax-error]: b\n"
            "2 errors\n");
}

TEST(DiagnosticsTest, SortsByPlaceKeepingTheOrderOfEquals) {
  Diagnostics list;
  list.error(Code::syntax_error, {1, 1, 1, 1}, "d");
  list.error(Code::syntax_error, {0, 2, 1, 1}, "b");
  list.error(Code::syntax_error, {0, 2, 1, 5}, "c");
  list.error(Code::syntax_error, {0, 1, 9, 1}, "a");
  list.sort_by_place();
  std::string order;
  for (const Diagnostic& d : list)
    order += d.message;
  EXPECT_EQ(order, "abcd");
}

TEST(DiagnosticsTest, AppendMovesAllAndTakesSourcesWhenItHasNone) {
  Diagnostics first;
  Diagnostics second = about("x");
  first.error(Code::syntax_error, {}, "a");
  second.error(Code::syntax_error, {0, 1, 1, 1}, "b");
  first.append(std::move(second));
  ASSERT_EQ(first.size(), 2U);
  EXPECT_EQ(first[1].message, "b");
  EXPECT_EQ(first.sources().size(), 1U);
}

}  // namespace
}  // namespace vyre
