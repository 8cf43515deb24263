// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>

#include "lower/passes.h"
#include "unit/lower/operators.h"

namespace vyre::test {
namespace {

bool extracts(const Program& program) {
  return std::any_of(program.exprs.begin(), program.exprs.end(), [](const Expr& e) {
    return e.kind == ExprKind::operation && e.op == Op::extract_bits;
  });
}

/// A kernel that takes bits of the word it loads.
Program extraction(ScalarType type, std::uint32_t offset, std::uint32_t count) {
  return straight_line(std::span(&type, 1), [&](Assembler& to, std::vector<ExprId> operands) {
    return to.op(Op::extract_bits, {operands[0], to.u32(offset), to.u32(count)});
  });
}

TEST(ShiftFields, KeepsTheMeaningOfEveryOperator) {
  expect_meaning_kept_with_constants(shift_fields);
}

TEST(ShiftFields, TakesBitsFromAKnownPlace) {
  constexpr std::uint64_t kWord = 0x89abcdef;
  struct Row {
    std::uint32_t offset;
    std::uint32_t count;
    std::uint64_t of_unsigned;
    std::uint64_t of_signed;
  };
  constexpr Row kRows[] = {
      {0, 8, 0xef, 0xffffffef},       {4, 8, 0xde, 0xffffffde}, {12, 4, 0xc, 0xfffffffc},
      {28, 4, 0x8, 0xfffffff8},       {24, 6, 0x9, 0x9},        {0, 32, 0x89abcdef, 0x89abcdef},
      {1, 31, 0x44d5e6f7, 0xc4d5e6f7}};
  for (const Row& row : kRows) {
    const Program u = shift_fields(extraction(ScalarType::u32, row.offset, row.count));
    const Program i = shift_fields(extraction(ScalarType::i32, row.offset, row.count));
    EXPECT_FALSE(extracts(u)) << dump(u);
    EXPECT_FALSE(extracts(i)) << dump(i);
    EXPECT_EQ(StraightLine(u, std::vector<std::uint64_t>{kWord}).stored(), row.of_unsigned);
    EXPECT_EQ(StraightLine(i, std::vector<std::uint64_t>{kWord}).stored(), row.of_signed);
  }
}

TEST(ShiftFields, LeavesFieldsThatReachBeyondTheWord) {
  for (const auto& [offset, count] :
       {std::pair(0u, 0u), std::pair(25u, 8u), std::pair(32u, 1u), std::pair(0u, 33u)})
    EXPECT_TRUE(extracts(shift_fields(extraction(ScalarType::u32, offset, count))));
}

}  // namespace
}  // namespace vyre::test
