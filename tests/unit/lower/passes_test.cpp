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

std::string check(std::vector<std::uint32_t> choices_made) {
  Choices choices(std::move(choices_made));
  const FuzzCase made = generate(choices, {});
  const auto valid = validate(made.program);
  if (!valid) return valid.error().to_string();
  return check_passes(*valid, inputs_of(made), everything_target());
}

TEST(Passes, KeepTheMeaningOfRandomPrograms) {
  const char* many = std::getenv("VYRE_FUZZ_SEEDS");
  const std::uint64_t seeds = many != nullptr ? std::strtoull(many, nullptr, 10) : 150;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    Choices choices(seed);
    const FuzzCase made = generate(choices, {});
    const auto valid = validate(made.program);
    if (!valid) continue;
    const std::string failure = check_passes(*valid, inputs_of(made), everything_target());
    if (failure.empty()) continue;
    const auto fails = [&](const std::vector<std::uint32_t>& list) { return !check(list).empty(); };
    FAIL() << "seed " << seed << ": " << check(shrink(choices.record(), fails, 2000));
  }
}

}  // namespace
}  // namespace vyre::test
