// SPDX-License-Identifier: MIT OR Apache-2.0
#include "bench/result.h"

#include <gtest/gtest.h>

namespace vyre::bench {
namespace {

TEST(Median, IsTheMiddleOne) {
  EXPECT_EQ(median({3}), 3);
  EXPECT_EQ(median({9, 1, 2}), 2);
  EXPECT_EQ(median({8, 1, 2, 4}), 3);
}

BenchResult latency() {
  return {.name = "tiny", .work = "a launch", .beside = "bare", .vyre = {4e-6, 2e-6, 3e-6}};
}

BenchResult transfer() {
  BenchResult result = {.name = "up", .work = "a span", .bytes = 6e9, .beside = "queue write"};
  result.vyre = {2};
  result.baseline = {6};
  return result;
}

TEST(BenchFigures, AreMicrosecondsOfALatency) {
  EXPECT_DOUBLE_EQ(figure(latency(), latency().vyre), 3);
  EXPECT_EQ(unit_of(latency()), "µs");
}

TEST(BenchFigures, AreARateOfATransfer) {
  EXPECT_DOUBLE_EQ(figure(transfer(), transfer().vyre), 3);
  EXPECT_EQ(unit_of(transfer()), "GB/s");
}

TEST(BenchRatios, AreOfWhatIsShown) {
  EXPECT_FALSE(ratio(latency(), latency().baseline).has_value());
  EXPECT_DOUBLE_EQ(*ratio(latency(), {2e-6}), 1.5);
  EXPECT_DOUBLE_EQ(*ratio(transfer(), transfer().baseline), 3);
}

BenchReport report() {
  return {.device = "wgpu:0",
          .name = "A GPU",
          .driver = "Vulkan, x",
          .date = "2026-01-31",
          .results = {latency(), transfer()}};
}

TEST(BenchTables, AreMarkdownWithAlignedColumns) {
  EXPECT_EQ(to_table(report()),
            "wgpu:0, A GPU, Vulkan, x, 2026-01-31\n\n"
            "| row  | one run  | unit | vyre | baseline         | ratio |\n"
            "| ---- | -------- | ---- | ---- | ---------------- | ----- |\n"
            "| tiny | a launch | µs   | 3.00 | –                | –     |\n"
            "| up   | a span   | GB/s | 3.00 | 1.00 queue write | 3.00  |\n");
}

TEST(BenchTables, HaveRawVulkanWhereItWasMeasured) {
  BenchReport with = report();
  with.results[0].floor = {1e-6};
  const std::string table = to_table(with);
  EXPECT_NE(table.find("| ratio | raw Vulkan | ratio |\n"), std::string::npos) << table;
  EXPECT_NE(table.find("| –                | –     | 1.00       | 3.00  |\n"), std::string::npos)
      << table;
}

TEST(BenchTables, SayWhatADispatchCosts) {
  BenchReport with = report();
  with.counts = BenchCounts{.dispatches = 200,
                            .driver_allocations = 100,
                            .heap_allocations = 0,
                            .pool_hits = 300,
                            .binding_hits = 0,
                            .binding_misses = 0};
  EXPECT_TRUE(to_table(with).ends_with(
      "\na round trip in the steady state: 0.50 allocations by the driver, 0.00 from the heap; "
      "75.0 % pool hits, – binding hits\n"));
}

}  // namespace
}  // namespace vyre::bench
