// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "vyre/validate.h"

#include "fuzz/choices.h"
#include "fuzz/fuzz_case.h"

namespace vyre::test {
namespace {

TEST(Generator, MakesValidPrograms) {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    Choices choices(seed);
    const FuzzCase made = generate(choices, {});
    const auto valid = validate(made.program);
    ASSERT_TRUE(valid) << "seed " << seed << "\n"
                       << valid.error().to_string() << "\n"
                       << dump(made.program);
  }
}

TEST(Generator, MakesTheSameProgramOfTheSameSeed) {
  Choices first(17);
  Choices again(17);
  EXPECT_EQ(hash(generate(first, {}).program), hash(generate(again, {}).program));
}

TEST(Generator, MakesTheSameProgramOfTheRecordedChoices) {
  Choices choices(23);
  const Hash original = hash(generate(choices, {}).program);
  Choices replay(choices.record());
  EXPECT_EQ(hash(generate(replay, {}).program), original);
}

/// Every kind of statement appears somewhere in the first programs.
TEST(Generator, UsesEveryStatementThatEveryDeviceHas) {
  std::set<std::size_t> seen;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Choices choices(seed);
    for (const Stmt& stmt : generate(choices, {}).program.stmts)
      seen.insert(stmt.index());
  }
  EXPECT_EQ(seen.size(), std::variant_size_v<Stmt> - 1) << "all but subgroup operations";
}

TEST(Shrinker, FindsASmallestList) {
  std::vector<std::uint32_t> choices(200);
  for (std::size_t i = 0; i < choices.size(); ++i)
    choices[i] = static_cast<std::uint32_t>(i % 7);
  choices[120] = 40;
  const auto fails = [](const std::vector<std::uint32_t>& list) {
    return std::any_of(list.begin(), list.end(), [](std::uint32_t v) { return v >= 10; });
  };
  EXPECT_EQ(shrink(choices, fails, 5000), std::vector<std::uint32_t>{10});
}

}  // namespace
}  // namespace vyre::test
