// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <iterator>
#include <set>
#include <string>

#include <gtest/gtest.h>

// The one list of what the null device is not asked: it keeps every promise but that of running
// kernels, so it stands beside the others wherever the answer is an error, a count or a life cycle.
namespace vyre::test {
namespace {

struct Unsupported {
  std::string_view suite;
  std::string_view because;
};

constexpr std::string_view kResults = "the answer is what kernels compute";
constexpr std::string_view kTime = "kernels take no time";

constexpr Unsupported kUnsupported[] = {
    {"BatchesThatTrap", kResults},
    {"Contention", kResults},
    {"Deadlines", kTime},
    {"Devices", "it is in no list of devices"},
    {"DispatchBounds", kResults},
    {"DispatchDepth", kResults},
    {"DispatchGeometry", kResults},
    {"DispatchInputs", kResults},
    {"DispatchLanes", kResults},
    {"DispatchValues", kResults},
    {"DispatchWideIntegers", kResults},
    {"FirstSubmit", kResults},
    {"Indirect", kResults},
    {"LargeBuffers", kResults},
    {"LaunchWords", kResults},
    {"LongDispatchDeadlines", kTime},
    {"LongDispatchDepth", kResults},
    {"LongDispatchLargeBuffers", kResults},
    {"Loops", kResults},
    {"PrivateArrays", kResults},
    {"Sequences", kResults},
    {"Timings", kTime},
    {"Traps", kResults},
    {"Uniforms", kResults},
    {"Workgroups", kResults},
};

/// Suites that run on devices, and those of them that run on this one.
std::set<std::string> suites_on(std::string_view device) {
  std::set<std::string> suites;
  const auto& all = *testing::UnitTest::GetInstance();
  for (int s = 0; s < all.total_test_suite_count(); ++s) {
    const testing::TestSuite& suite = *all.GetTestSuite(s);
    const std::string_view name = suite.name();
    const std::size_t slash = name.find('/');
    for (int t = 0; t < suite.total_test_count(); ++t) {
      const char* const param = suite.GetTestInfo(t)->value_param();
      if (slash != name.npos && param != nullptr && param == "\"" + std::string(device) + "\"")
        suites.emplace(name.substr(slash + 1));
    }
  }
  return suites;
}

TEST(NullDevice, IsAskedEverythingButWhatIsListedHere) {
  std::set<std::string> asked = suites_on("null");
  EXPECT_FALSE(asked.empty());
  for (const Unsupported& row : kUnsupported)
    EXPECT_TRUE(asked.emplace(row.suite).second) << row.suite << " is asked and listed";
  EXPECT_EQ(asked, suites_on("cpu"));
}

}  // namespace
}  // namespace vyre::test
