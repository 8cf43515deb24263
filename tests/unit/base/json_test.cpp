// SPDX-License-Identifier: MIT OR Apache-2.0
#include "base/json.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace vyre {
namespace {

std::string json(std::string_view text) {
  std::string result;
  append_json(result, text);
  return result;
}

TEST(JsonText, IsQuoted) {
  EXPECT_EQ(json(""), "\"\"");
  EXPECT_EQ(json("a/b c"), "\"a/b c\"");
}

TEST(JsonText, IsAppended) {
  std::string text = "{";
  append_json(text, "a");
  EXPECT_EQ(text, "{\"a\"");
}

TEST(JsonText, EscapesWhatJsonForbids) {
  EXPECT_EQ(json("say \"hi\" \\ bye"), R"("say \"hi\" \\ bye")");
  EXPECT_EQ(json("a\nb\tc\rd"), R"("a\nb\tc\u000dd")");
  EXPECT_EQ(json(std::string_view("\0\x1f", 2)), R"("\u0000\u001f")");
}

TEST(JsonText, KeepsUtf8) {
  EXPECT_EQ(json("µ 語 \xf0\x9f\x98\x80"), "\"µ 語 \xf0\x9f\x98\x80\"");
}

// RFC 3629: stray and missing continuations, overlong forms, surrogates, beyond U+10FFFF.
TEST(JsonText, ReplacesWhatIsNoUtf8) {
  const std::string r = "\xef\xbf\xbd";
  EXPECT_EQ(json("a\x80z"), "\"a" + r + "z\"");
  EXPECT_EQ(json("a\xc3"), "\"a" + r + "\"");
  EXPECT_EQ(json("\xc3("), "\"" + r + "(\"");
  EXPECT_EQ(json("\xc0\xaf"), "\"" + r + r + "\"");
  EXPECT_EQ(json("\xed\xa0\x80"), "\"" + r + r + r + "\"");
  EXPECT_EQ(json("\xf4\x90\x80\x80"), "\"" + r + r + r + r + "\"");
  EXPECT_EQ(json("\xff"), "\"" + r + "\"");
}

}  // namespace
}  // namespace vyre
