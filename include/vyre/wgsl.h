// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "vyre/validate.h"

/// WGSL text in.
namespace vyre {

/// What an override constant is given: an integer of up to 64 bits or a float, exactly.
struct ConstantValue {
  ConstantValue(double real) : value(real) {}  // NOLINT(google-explicit-constructor)
  template <std::signed_integral T>
  ConstantValue(T integer) : value(std::int64_t{integer}) {}  // NOLINT
  template <std::unsigned_integral T>
  ConstantValue(T integer) : value(std::uint64_t{integer}) {}  // NOLINT

  std::variant<double, std::int64_t, std::uint64_t> value;
};

struct WgslOptions {
  /// The compute entry point; empty: the only one (several without a choice are an error).
  std::string entry = {};
  /// Values of override constants, by name or by decimal `@id`.
  std::vector<std::pair<std::string, ConstantValue>> constants = {};
};

/// Parses, resolves and lowers the entry point to a program, and validates it.  Several sources
/// are joined in order; places name the right one.  On failure the error carries every diagnostic.
/// Only what the entry point reaches must be supported.  Where the host has no memory for it, the
/// error is `host-memory`.
Result<ValidProgram> parse_wgsl(std::vector<Source> sources, const WgslOptions& options = {});
Result<ValidProgram> parse_wgsl(std::string_view text, const WgslOptions& options = {});

/// The names of the compute entry points of these sources, in order; of a faulty text those that
/// can be read.  Its faults are told by `parse_wgsl`.
Result<std::vector<std::string>> wgsl_entry_points(std::vector<Source> sources);

}  // namespace vyre
