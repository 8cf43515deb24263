// SPDX-License-Identifier: MIT OR Apache-2.0
#include "cli/explain.h"

#include <string>

#include <gtest/gtest.h>

#include "vyre/wgsl.h"

#include "base/error_codes.h"

namespace vyre::cli {
namespace {

TEST(Explain, ItsExamplesHaveTheFault) {
  for (const FaultExample& example : fault_examples()) {
    const auto program = parse_wgsl(example.text);
    ASSERT_FALSE(program.has_value()) << example.text;
    const Diagnostics& found = program.error().diagnostics();
    ASSERT_EQ(found.size(), 1u) << example.text << "\n" << found.to_string();
    EXPECT_EQ(found[0].code, example.code) << found.to_string();
  }
}

TEST(Explain, SaysMeaningExampleAndRemedyOfEveryCode) {
  for (const CodeInfo& row : all_codes()) {
    const auto text = explained(row.name);
    ASSERT_TRUE(text.has_value()) << row.name;
    EXPECT_NE(text->find(row.summary), std::string::npos);
    EXPECT_NE(text->find("remedy: " + std::string(row.remedy)), std::string::npos);
  }
  const auto text = explained("division-by-zero");
  ASSERT_TRUE(text.has_value());
  EXPECT_NE(text->find("y[0] = y[1] / 0;"), std::string::npos) << *text;
}

TEST(Explain, SaysKindMeaningAndRemedyOfEveryError) {
  ASSERT_FALSE(all_error_codes().empty());
  for (const ErrorCodeInfo& row : all_error_codes()) {
    const auto text = explained(row.name);
    ASSERT_TRUE(text.has_value()) << row.name;
    EXPECT_NE(text->find(row.summary), std::string::npos) << *text;
    EXPECT_NE(text->find("remedy: " + std::string(row.remedy)), std::string::npos) << *text;
    EXPECT_NE(text->find("kind: "), std::string::npos) << *text;
  }
}

TEST(Explain, ACodeIsInOneOfTheTables) {
  for (const ErrorCodeInfo& row : all_error_codes())
    for (const CodeInfo& fault : all_codes())
      EXPECT_NE(row.name, fault.name);
}

TEST(Explain, ListsEveryCodeUnderItsKinds) {
  const std::string list = explained_codes();
  for (const CodeInfo& row : all_codes())
    EXPECT_NE(list.find("\n  " + std::string(row.name) + " "), std::string::npos) << row.name;
  for (const ErrorCodeInfo& row : all_error_codes())
    EXPECT_NE(list.find("\n  " + std::string(row.name) + " "), std::string::npos) << row.name;
  const std::size_t timeout = list.find("\ntimeout: ");
  ASSERT_NE(timeout, std::string::npos) << list;
  EXPECT_LT(timeout, list.find("\n  deadline "));
}

TEST(Explain, NamesTheCodesThatAreNear) {
  const auto text = explained("type-mismach");
  ASSERT_FALSE(text.has_value());
  EXPECT_EQ(text.error().message(), "there is no code `type-mismach`");
  EXPECT_EQ(text.error().help(), "did you mean `type-mismatch`? vyre explain lists all codes");
  EXPECT_EQ(explained("dedline").error().help(),
            "did you mean `deadline`? vyre explain lists all codes");
  const std::string grids = explained("grid").error().help();
  for (const char* const name : {"`bad-grid`", "`grid-zero`", "`grid-missing`"})
    EXPECT_NE(grids.find(name), std::string::npos) << grids;
  EXPECT_EQ(explained("zzzzzzzz").error().help(), "vyre explain lists all codes");
}

}  // namespace
}  // namespace vyre::cli
