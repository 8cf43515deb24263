// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "wgsl/checked.h"
#include "wgsl/faults.h"

/// What a module comes to when every call is replaced by the body of its function.
namespace vyre::wgsl {

struct Growth {
  std::uint64_t weight = 0;               ///< statements and expressions, those of calls included
  std::uint32_t depth = 0;                ///< of calls within calls
  std::vector<Call> cycles = {};          ///< calls that lead back to a function that is being run
  std::vector<std::uint32_t> order = {};  ///< functions, each after those that it calls
  std::unordered_map<std::uint32_t, std::uint64_t> weights = {};  ///< of each function
};

/// Statements and expressions after inlining: more cannot become a program within its limit.
inline constexpr std::uint64_t kMaxWeight = 2000000;

/// Of what the functions reach together; weight and depth are of the heaviest and of the deepest.
/// Linear in the number of calls.  Sums stop growing at 2^60.
Growth measure_growth(const Checked& module, std::span<const std::uint32_t> functions);
inline Growth measure_growth(const Checked& module, std::uint32_t function) {
  return measure_growth(module, {&function, 1});
}

/// Tells that the program is too large, with the chain of calls that makes it so.
void report_growth(std::uint64_t size, const Checked& module, const Names& names, Faults& faults);

}  // namespace vyre::wgsl
