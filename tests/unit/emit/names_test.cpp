// SPDX-License-Identifier: MIT OR Apache-2.0
#include "emit/names.h"

#include <gtest/gtest.h>

namespace vyre {
namespace {

TEST(NamesTest, GoodNamesAreKept) {
  EXPECT_EQ(to_identifier("pixels"), "pixels");
  EXPECT_EQ(to_identifier("Mat_4x4"), "Mat_4x4");
}

TEST(NamesTest, OtherBytesBecomeUnderscores) {
  EXPECT_EQ(to_identifier("a b"), "a_b");
  EXPECT_EQ(to_identifier("x-->y"), "x_y");
  EXPECT_EQ(to_identifier("gr\xc3\xb6\xc3\x9f"
                          "e"),
            "gr_e");
  EXPECT_EQ(to_identifier("a\n}; evil"), "a_evil");
}

TEST(NamesTest, NoNameIsEmptyOrBeginsWithoutALetter) {
  EXPECT_EQ(to_identifier(""), "unnamed");
  EXPECT_EQ(to_identifier("_"), "unnamed");
  EXPECT_EQ(to_identifier("\xc3\xa4"), "unnamed");
  EXPECT_EQ(to_identifier("7up"), "n_7up");
  EXPECT_EQ(to_identifier("__x"), "n_x");
  EXPECT_EQ(to_identifier("a__b"), "a_b");
}

TEST(NamesTest, ReservedAndTakenNamesGetNumbers) {
  constexpr std::string_view kReserved[] = {"for"};
  Names names(kReserved);
  EXPECT_EQ(names.claim("for"), "for_2");
  EXPECT_EQ(names.claim("a"), "a");
  EXPECT_EQ(names.claim("a"), "a_2");
  EXPECT_EQ(names.claim("a"), "a_3");
  EXPECT_EQ(names.claim("a_2"), "a_2_2");
  EXPECT_EQ(names.claim("a?"), "a_");
  EXPECT_EQ(names.claim("a!"), "a_4");
}

TEST(NamesTest, NamesOfValuesAndVariablesAreNotGiven) {
  Names names({});
  EXPECT_EQ(names.claim("v1"), "v1_2");
  EXPECT_EQ(names.claim("x20"), "x20_2");
  EXPECT_EQ(names.claim("v1a"), "v1a");
  EXPECT_EQ(names.claim("x"), "x");
}

}  // namespace
}  // namespace vyre
