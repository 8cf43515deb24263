// SPDX-License-Identifier: MIT OR Apache-2.0
#include <string>

#include <gtest/gtest.h>

#include "vyre/validate.h"

#include "fuzz/runner.h"
#include "support/run_passes.h"

// A program means the same after every lowering pass.
namespace vyre::test {
namespace {

std::string check_targets(const FuzzCase& made) {
  const auto valid = validate(made.program);
  if (!valid) return valid.error().to_string();
  Target plain = wgsl_target();
  plain.max_nesting = 1000;
  std::string fault = check_passes(*valid, made.inputs, plain);
  if (fault.empty()) fault = check_passes(*valid, made.inputs, cpu_target());
  if (!fault.empty() || made.inputs.grid[1] * made.inputs.grid[2] != 1) return fault;
  Target all = everything_target();
  all.fold = Fold::x;
  return check_passes(*valid, made.inputs, all);
}

void fuzz(std::uint64_t first_seed, std::uint64_t programs) {
  run_programs({.first_seed = first_seed, .programs = programs}, check_targets);
}

TEST(LoweringFuzz, KeepsTheBytesOfRandomPrograms) {
  fuzz(1, scaled(1500));
}
TEST(LongLoweringFuzz, KeepsTheBytesOfManyRandomPrograms) {
  fuzz(1000000, scaled(8000));
}

}  // namespace
}  // namespace vyre::test
