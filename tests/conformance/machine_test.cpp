// SPDX-License-Identifier: MIT OR Apache-2.0
#include "backend/cpu/machine.h"

#include <string>

#include <gtest/gtest.h>

#include "conformance/op_program.h"

namespace vyre::test {
namespace {

class MachineVectors : public testing::TestWithParam<Op> {};

/// The words that the machine writes to `out`.
std::vector<std::uint32_t> run(OpProgram& op) {
  std::vector<std::uint32_t> results(op.rows());
  const cpu::Memory buffers[] = {
      {std::as_writable_bytes(std::span(op.operands)), op.operands.size()},
      {std::as_writable_bytes(std::span(results)), results.size()}};
  const auto machine = cpu::Machine::compile(op.program);
  if (!machine) return {};
  cpu::Launch launch;
  launch.grid = launch.logical_grid = {op.workgroups(), 1, 1};
  launch.buffers = buffers;
  return machine->run(launch) ? results : std::vector<std::uint32_t>();
}

TEST_P(MachineVectors, GiveTheSpecifiedResults) {
  OpProgram op = make_op_program(GetParam());
  const std::vector<std::uint32_t> results = run(op);
  ASSERT_EQ(results.size(), op.rows());
  std::size_t at = 0;
  for (const VectorSet& set : op.sets)
    for (const Vector& row : set.rows) {
      const std::uint32_t got = results[at++];
      EXPECT_TRUE(meets(row.expected, set.result, got))
          << to_string(GetParam()) << " of " << to_string(set.types[0]) << " -> "
          << to_string(set.result) << ": " << row.text << ", got 0x" << std::hex << got;
    }
}

INSTANTIATE_TEST_SUITE_P(Ops, MachineVectors, testing::ValuesIn(every_op()), [](const auto& p) {
  return std::string(to_string(p.param));
});

}  // namespace
}  // namespace vyre::test
