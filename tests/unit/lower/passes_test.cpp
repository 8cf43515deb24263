// SPDX-License-Identifier: MIT OR Apache-2.0
#include <gtest/gtest.h>

#include "fuzz/fuzz_case.h"
#include "support/run_passes.h"

namespace vyre::test {
namespace {

PassInputs inputs_of(const FuzzCase& made) {
  PassInputs inputs;
  inputs.grid = made.grid;
  for (const HostBuffer& host : made.buffers)
    inputs.buffers.push_back({host.buffer, host.bytes, host.count});
  return inputs;
}

/// Empty if all passes keep the meaning; folded grids are tried where they are possible.
std::string check(Choices& choices) {
  const FuzzCase made = generate(choices, {});
  const auto valid = validate(made.program);
  if (!valid) return {};
  Target target = everything_target();
  target.fold_grid = made.grid[1] == 1 && made.grid[2] == 1;
  return check_passes(*valid, inputs_of(made), target);
}

TEST(Passes, KeepTheMeaningOfRandomPrograms) {
  const char* many = std::getenv("VYRE_FUZZ_SEEDS");
  const std::uint64_t seeds = many != nullptr ? std::strtoull(many, nullptr, 10) : 60;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    Choices choices(seed);
    const std::string failure = check(choices);
    if (failure.empty()) continue;
    const auto replay = [](const std::vector<std::uint32_t>& list) {
      Choices again(list);
      return check(again);
    };
    const auto fails = [&](const std::vector<std::uint32_t>& list) {
      return !replay(list).empty();
    };
    FAIL() << "seed " << seed << ": " << replay(shrink(choices.record(), fails, 2000));
  }
}

}  // namespace
}  // namespace vyre::test
