// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "fuzz/fuzz_case.h"

/// Runs many random programs, and makes the first failing one small.
namespace vyre::test {

/// What is wrong with a case; empty if nothing is.
using Check = std::function<std::string(const FuzzCase&)>;

struct FuzzRun {
  std::uint64_t first_seed = 0;
  std::uint64_t programs = 0;
  FuzzOptions options = {};
  int shrink_budget = 20000;  ///< runs of `check`
};

/// Fails the test at the first program that `check` faults: prints its seed, the smallest program
/// found that is also at fault, and the fault.  With the environment variable VYRE_FUZZ_SEED only
/// the program of that seed is tried.
void run_programs(const FuzzRun& run, const Check& check);

/// `count`, or that number of percent of it that the environment variable VYRE_FUZZ_PERCENT gives:
/// under a sanitizer less is enough.
std::uint64_t scaled(std::uint64_t count);

}  // namespace vyre::test
