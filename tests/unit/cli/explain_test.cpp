// SPDX-License-Identifier: MIT OR Apache-2.0
#include "cli/explain.h"

#include <string>

#include <gtest/gtest.h>

#include "vyre/wgsl.h"

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

TEST(Explain, GuessesWhatWasMeant) {
  const auto text = explained("type-mismach");
  ASSERT_FALSE(text.has_value());
  EXPECT_EQ(text.error().help(), "did you mean `type-mismatch`?") << text.error().to_string();
}

}  // namespace
}  // namespace vyre::cli
