// SPDX-License-Identifier: MIT OR Apache-2.0
#include "wgsl/lexer.h"

#include <gtest/gtest.h>

#include "unit/wgsl/texts.h"

namespace vyre::wgsl {
namespace {

/// The kinds as their spellings; names and literals as written.
std::string kinds(Text& text) {
  std::string line;
  for (const Token& token : lex(text.map, text.names, text.faults)) {
    if (token.kind == TokenKind::end_of_text) break;
    if (!line.empty()) line += ' ';
    if (token.kind == TokenKind::template_start) {
      line += "<|";
    } else if (token.kind == TokenKind::template_end) {
      line += "|>";
    } else {
      line += text.map.text(token.span);
    }
  }
  return line;
}

std::string lexed(std::string source) {
  Text text(std::move(source));
  return kinds(text);
}

std::vector<std::string> lex_faults(std::string source) {
  Text text(std::move(source));
  lex(text.map, text.names, text.faults);
  return text.found();
}

using Lines = std::vector<std::string>;

TEST(Lexer, TakesTheLongestOperator) {
  EXPECT_EQ(lexed("a>>=b<<=c->d++ --e"), "a >>= b <<= c -> d ++ -- e");
  EXPECT_EQ(lexed("a&&b||c&d|e^f!=g==h"), "a && b || c & d | e ^ f != g == h");
}

TEST(Lexer, FindsTemplateLists) {
  EXPECT_EQ(lexed("vec2<f32>(1)"), "vec2 <| f32 |> ( 1 )");
  EXPECT_EQ(lexed("array<vec2<f32>,4>=x"), "array <| vec2 <| f32 |> , 4 |> = x");
  EXPECT_EQ(lexed("array<i32,select(2,3,a>b)>"), "array <| i32 , select ( 2 , 3 , a > b ) |>");
  EXPECT_EQ(lexed("A/*x*/<B>"), "A <| B |>");
  EXPECT_EQ(lexed("var<storage,read>v:T;"), "var <| storage , read |> v : T ;");
}

TEST(Lexer, TellsComparisonsFromTemplateLists) {
  EXPECT_EQ(lexed("a<b"), "a < b");
  EXPECT_EQ(lexed("a<b||c>d"), "a < b || c > d");
  EXPECT_EQ(lexed("a<b&&c>d"), "a < b && c > d");
  EXPECT_EQ(lexed("if a<b{}if c>d{}"), "if a < b { } if c > d { }");
  EXPECT_EQ(lexed("a[b<c]>d"), "a [ b < c ] > d");
  EXPECT_EQ(lexed("a<b;c>d"), "a < b ; c > d");
  EXPECT_EQ(lexed("a<(b>c)"), "a < ( b > c )");
  EXPECT_EQ(lexed("a<=b>c"), "a <= b > c");
  EXPECT_EQ(lexed("a<<b>c"), "a << b > c");
  EXPECT_EQ(lexed("1<b>c"), "1 < b > c");
  // Section 3.9 lets an expression in a template list be a comparison of this form.
  EXPECT_EQ(lexed("A<b!=c>"), "A <| b != c |>");
  EXPECT_EQ(lexed("A<b==c>"), "A <| b == c |>");
}

TEST(Lexer, SkipsCommentsAndBlankspace) {
  EXPECT_EQ(lexed("a // b\nc /* d /* e */ f */ g"), "a c g");
  EXPECT_EQ(lexed("a\xc2\x85"
                  "b\xe2\x80\x8e"
                  "c\xe2\x80\xa8"
                  "d\v\f\te"),
            "a b c d e");
  EXPECT_EQ(lexed("a // x\xe2\x80\xa9 b"), "a b");
  EXPECT_EQ(lexed("\xef\xbb\xbf"
                  "a"),
            "a");
}

TEST(Lexer, EndsALineCommentAtEveryLineBreak) {
  for (const char* line_break :
       {"\n", "\v", "\f", "\r", "\r\n", "\xc2\x85", "\xe2\x80\xa8", "\xe2\x80\xa9"})
    EXPECT_EQ(lexed(std::string("// x") + line_break + "y"), "y") << line_break;
}

TEST(Lexer, ReportsAnUnclosedBlockComment) {
  EXPECT_EQ(lex_faults("a\n /* b /* c */"), Lines{"2:2+2 syntax-error"});
}

TEST(Lexer, AcceptsIdentifiersOfAnyScript) {
  for (const char* name : {"Δέλτα", "réflexion", "Кызыл", "𐰓𐰏𐰇", "朝焼け", "سلام", "검정", "שָׁלוֹם",
                           "गुलाबी", "փիրուզ", "_a", "a1_"}) {
    EXPECT_EQ(lexed(name), name);
    EXPECT_TRUE(lex_faults(name).empty()) << name;
  }
}

TEST(Lexer, RejectsReservedWords) {
  EXPECT_EQ(lex_faults("a yield b"), Lines{"1:3+5 reserved-word"});
  EXPECT_EQ(lex_faults("NULL"), Lines{"1:1+4 reserved-word"});
  EXPECT_EQ(lex_faults("__a"), Lines{"1:1+3 reserved-word"});
  EXPECT_TRUE(lex_faults("vec2 f32 texture_2d bool").empty());
}

TEST(Lexer, RejectsCharactersAndGoesOn) {
  EXPECT_EQ(lex_faults("a $ b\n\x80\xff c"),
            (Lines{"1:3+1 syntax-error", "2:1+1 syntax-error", "2:2+1 syntax-error"}));
  EXPECT_EQ(lex_faults("a 💀"), Lines{"1:3+4 syntax-error"});
  EXPECT_EQ(lex_faults(std::string("a\0b", 3)), Lines{"1:2+1 syntax-error"});
  EXPECT_EQ(lex_faults("// \xf0\x28 \n$"), (Lines{"1:4+1 syntax-error", "2:1+1 syntax-error"}));
}

TEST(Lexer, ReadsEveryFormOfNumber) {
  const char* forms =
      "0 0i 0u 12 12i 12u 0x1F 0Xabi 0x10u 0f 0h 1f 12h 1. .5 1.5 1.5f 0.e+4f 01. 1e-3 1E3h "
      "0xa.fp+2 0x1P+4f 0X.3 0x3p+2h 0X1.fp-4 0x3.2p+2h 0x1.";
  EXPECT_EQ(lexed(forms), forms);
  EXPECT_TRUE(lex_faults(forms).empty());
}

TEST(Lexer, RejectsMalformedNumbers) {
  for (const char* text : {"012", "1x", "0x", "1uu", "00", "1.0i", "1u32", "1e", "0x1p"})
    EXPECT_EQ(lex_faults(text).size(), 1U) << text;
}

TEST(Lexer, PlacesNameTheJoinedFile) {
  Text text(std::vector<Source>{{"a", "x\r\ny"}, {"b", "\n  $"}});
  lex(text.map, text.names, text.faults);
  ASSERT_EQ(text.diagnostics.size(), 1U);
  EXPECT_EQ(text.diagnostics[0].place, (Place{1, 2, 3, 1}));
}

TEST(Lexer, IsLinearInUnclosedCandidates) {
  std::string source;
  for (int i = 0; i < 200000; ++i)
    source += "a<";
  EXPECT_EQ(lex_faults(source).size(), 0U);
}

}  // namespace
}  // namespace vyre::wgsl
