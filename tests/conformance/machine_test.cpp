// SPDX-License-Identifier: MIT OR Apache-2.0
#include "backend/cpu/machine.h"

#include <string>

#include <gtest/gtest.h>

#include "conformance/op_program.h"
#include "interpreter/interpreter.h"

namespace vyre::test {
namespace {

/// Runs a program on its operands; the words that it writes to `out`.
using RunProgram = std::vector<std::uint32_t> (*)(OpProgram&);

class MachineVectors : public testing::TestWithParam<Op> {
 protected:
  static void check(Sections sections, RunProgram run);
};

std::vector<std::uint32_t> on_machine(OpProgram& op) {
  std::vector<std::uint32_t> results(op.result_words());
  const cpu::Memory buffers[] = {
      {std::as_writable_bytes(std::span(op.operands)), op.operands.size() / op.element_words},
      {std::as_writable_bytes(std::span(results)), op.rows()}};
  cpu::Launch launch;
  launch.grid = launch.logical_grid = {op.workgroups(), 1, 1};
  launch.buffers = buffers;
  return cpu::Machine::compile(op.program).run(launch) ? results : std::vector<std::uint32_t>();
}

std::vector<std::uint32_t> interpreted(OpProgram& op) {
  std::vector<std::uint32_t> results(op.result_words());
  const interpreter::BufferBytes buffers[] = {
      {std::as_writable_bytes(std::span(op.operands)), op.operands.size() / op.element_words},
      {std::as_writable_bytes(std::span(results)), op.rows()}};
  interpreter::RunInputs inputs;
  inputs.grid = inputs.logical_grid = {op.workgroups(), 1, 1};
  inputs.buffers = buffers;
  interpreter::interpret(op.program, inputs);
  return results;
}

void MachineVectors::check(Sections sections, RunProgram run) {
  OpProgram op = make_op_program(GetParam(), sections);
  if (op.rows() == 0) return;
  const std::vector<std::uint32_t> results = run(op);
  ASSERT_EQ(results.size(), op.result_words());
  std::size_t at = 0;
  for (const VectorSet& set : op.sets)
    for (const Vector& row : set.rows) {
      const std::uint64_t got = op.result(results, at++);
      EXPECT_TRUE(meets(row.expected, set.result, got))
          << to_string(GetParam()) << " of " << to_string(set.types[0]) << " -> "
          << to_string(set.result) << ": " << row.text << ", got 0x" << std::hex << got;
    }
}

TEST_P(MachineVectors, GiveTheSpecifiedResults) {
  check(Sections::core, on_machine);
}

TEST_P(MachineVectors, GiveTheSpecifiedResultsOnSixtyFourBits) {
  check(Sections::wide_and_halves, on_machine);
}

TEST_P(MachineVectors, GiveTheSpecifiedResultsInterpreted) {
  check(Sections::core, interpreted);
  check(Sections::wide_and_halves, interpreted);
}

INSTANTIATE_TEST_SUITE_P(Ops, MachineVectors, testing::ValuesIn(every_op()), [](const auto& p) {
  return std::string(to_string(p.param));
});

}  // namespace
}  // namespace vyre::test
