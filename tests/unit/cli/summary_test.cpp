// SPDX-License-Identifier: MIT OR Apache-2.0
#include "cli/summary.h"

#include <limits>

#include <gtest/gtest.h>

#include "unit/cli/programs.h"

namespace vyre::cli {
namespace {

std::string table(const Program& program, std::uint64_t count, std::span<const std::byte> bytes) {
  const Summary summary = summarise(program, program.buffers[0], count, bytes);
  return to_table(std::span(&summary, 1));
}

TEST(Summaries, OfNumbers) {
  EXPECT_EQ(table(program_of(ScalarType::i32), 3, bytes_of<std::int32_t>({3, -4, 5})),
            "data  array<i32>  3 elements  3, -4, 5  min -4  max 5\n");
}

TEST(Summaries, ShowTheFirstSix) {
  EXPECT_EQ(table(program_of(ScalarType::u32), 6, bytes_of<std::uint32_t>({1, 2, 3, 4, 5, 6})),
            "data  array<u32>  6 elements  1, 2, 3, 4, 5, 6  min 1  max 6\n");
  EXPECT_EQ(table(program_of(ScalarType::u32), 7, bytes_of<std::uint32_t>({1, 2, 3, 4, 5, 6, 70})),
            "data  array<u32>  7 elements  1, 2, 3, 4, 5, 6, …  min 1  max 70\n");
}

TEST(Summaries, CountNansApart) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(table(program_of(ScalarType::f32), 3, bytes_of<float>({nan, 2, nan})),
            "data  array<f32>  3 elements  nan, 2, nan  min 2  max 2  2 nans\n");
}

TEST(Summaries, OfAStructureHaveNoRange) {
  EXPECT_EQ(table(program_with(params), 1, std::vector<std::byte>(32)),
            "data  Params  1 element  0, 0, 0, 0, 0\n");
}

TEST(Summaries, OfNothing) {
  EXPECT_EQ(table(program_of(ScalarType::u32), 0, {}), "data  array<u32>  0 elements\n");
}

TEST(Summaries, AlignTheirColumns) {
  const Program program = program_of(ScalarType::u32);
  Summary one = summarise(program, program.buffers[0], 1, bytes_of<std::uint32_t>({1}));
  Summary two = summarise(program, program.buffers[0], 2, bytes_of<std::uint32_t>({1, 2}));
  two.name = "longer";
  const Summary both[] = {one, two};
  EXPECT_EQ(to_table(both),
            "data    array<u32>  1 element   1     min 1  max 1\n"
            "longer  array<u32>  2 elements  1, 2  min 1  max 2\n");
}

}  // namespace
}  // namespace vyre::cli
