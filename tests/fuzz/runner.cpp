// SPDX-License-Identifier: MIT OR Apache-2.0
#include "fuzz/runner.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include <gtest/gtest.h>

#include "vyre/validate.h"

namespace vyre::test {
namespace {

std::string describe(const FuzzCase& made) {
  std::ostringstream text;
  text << dump(made.program) << "grid " << made.inputs.grid[0] << " " << made.inputs.grid[1] << " "
       << made.inputs.grid[2];
  for (const HostBuffer& buffer : made.inputs.buffers)
    text << ", " << made.program[buffer.buffer].name << " of " << buffer.count;
  return text.str();
}

void report(const FuzzRun& run,
            const Check& check,
            std::uint64_t seed,
            const std::vector<std::uint32_t>& choices) {
  const auto smallest = shrink(
      choices,
      [&](const std::vector<std::uint32_t>& list) {
        Choices replay(list);
        return !check(generate(replay, run.options)).empty();
      },
      run.shrink_budget);
  Choices replay(smallest);
  const FuzzCase made = generate(replay, run.options);
  ADD_FAILURE() << "seed " << seed << ": " << check(made) << "\n" << describe(made);
}

}  // namespace

void run_programs(const FuzzRun& given, const Check& check) {
  FuzzRun run = given;
  if (const char* seed = std::getenv("VYRE_FUZZ_SEED"); seed != nullptr) {
    run.first_seed = std::strtoull(seed, nullptr, 10);
    run.programs = 1;
  }
  for (std::uint64_t seed = run.first_seed; seed < run.first_seed + run.programs; ++seed) {
    Choices choices(seed);
    if (!check(generate(choices, run.options)).empty())
      return report(run, check, seed, choices.record());
  }
}

std::uint64_t scaled(std::uint64_t count) {
  const char* percent = std::getenv("VYRE_FUZZ_PERCENT");
  if (percent == nullptr) return count;
  return std::max<std::uint64_t>(1, count * std::strtoull(percent, nullptr, 10) / 100);
}

}  // namespace vyre::test
