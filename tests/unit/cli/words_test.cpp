// SPDX-License-Identifier: MIT OR Apache-2.0
#include "cli/words.h"

#include <gtest/gtest.h>

namespace vyre::cli {
namespace {

TEST(Words, ListsNamesAsASentenceDoes) {
  EXPECT_EQ(listed({}), "none");
  EXPECT_EQ(listed(std::vector<std::string>{"a"}), "`a`");
  EXPECT_EQ(listed(std::vector<std::string>{"a", "b"}), "`a` and `b`");
  EXPECT_EQ(listed(std::vector<std::string>{"a", "b", "c"}), "`a`, `b` and `c`");
  EXPECT_EQ(listed(std::vector<std::string>{"a", "b"}, "or"), "`a` or `b`");
}

TEST(Words, FindsTheNearestName) {
  const std::vector<std::string> names = {"params", "input", "output"};
  EXPECT_EQ(nearest("parms", names), "params");
  EXPECT_EQ(nearest("ouput", names), "output");
  EXPECT_EQ(nearest("zzzzzz", names), "");
}

TEST(Words, NearNamesAreMisspeltOrHoldTheWord) {
  const std::vector<std::string> names = {"grid-zero", "bad-grid", "input", "deadline"};
  EXPECT_EQ(near_names("grid", names), (std::vector<std::string>{"bad-grid", "grid-zero"}));
  EXPECT_EQ(near_names("inptu", names), std::vector<std::string>{"input"});
  EXPECT_TRUE(near_names("zzzzzz", names).empty());
  const std::vector<std::string> many(9, "same");
  EXPECT_EQ(near_names("same", many).size(), 5u);
}

TEST(Words, AnUnrelatedShortNameIsNoGuess) {
  const std::vector<std::string> names = {"x", "y"};
  EXPECT_EQ(nearest("q", names), "");
}

TEST(Words, AnUnknownNameListsWhatThereIs) {
  const std::vector<std::string> names = {"source", "target"};
  const Error error = unknown("buffer", "sorce", names);
  EXPECT_EQ(error.message(), "there is no buffer `sorce`; there are `source` and `target`");
  EXPECT_EQ(error.help(), "did you mean `source`?");
  EXPECT_EQ(error.kind(), ErrorKind::invalid_argument);
}

TEST(Words, SplitsAtTheFirstEquals) {
  const auto pair = split_pair("x=a=b", "-i NAME=SOURCE");
  ASSERT_TRUE(pair);
  EXPECT_EQ(pair->name, "x");
  EXPECT_EQ(pair->value, "a=b");
}

TEST(Words, APairNeedsAName) {
  EXPECT_FALSE(split_pair("=3", "-n NAME=COUNT"));
  const auto pair = split_pair("x", "-n NAME=COUNT");
  ASSERT_FALSE(pair);
  EXPECT_EQ(pair.error().message(), "`x` is not of the form -n NAME=COUNT");
}

TEST(Words, SplitKeepsEmptyPieces) {
  EXPECT_EQ(split("a,,b", ','), (std::vector<std::string_view>{"a", "", "b"}));
  EXPECT_EQ(split("", ','), (std::vector<std::string_view>{""}));
}

TEST(Words, NumbersAreDigitsOnly) {
  EXPECT_EQ(parse_number("18446744073709551615"), 18446744073709551615U);
  for (const char* text : {"", "-1", "+1", " 1", "1 ", "1.0", "0x10", "18446744073709551616"}) {
    EXPECT_FALSE(parse_number(text)) << text;
  }
}

TEST(Words, AnEndingCountsWhateverItsCase) {
  for (const char* file : {".npy", "a.npy", "a.NPY", "a.b.Npy"})
    EXPECT_TRUE(has_ending(file, ".npy")) << file;
  for (const char* file : {"", "npy", "a.npy.gz", "a.npyx", "a\x0enpy"})
    EXPECT_FALSE(has_ending(file, ".npy")) << file;
}

TEST(Words, WhatSteersATerminalIsNotPrinted) {
  EXPECT_EQ(printable(std::string("a\x1b[2J\0\r\x7f z", 10)), "a?[2J??? z");
  EXPECT_EQ(printable("a\tb\nä…"), "a\tb\nä…");
}

}  // namespace
}  // namespace vyre::cli
