// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "vyre/wgsl.h"

#include "wgsl/checked.h"
#include "wgsl/faults.h"

/// A syntax tree to a checked module: names, types, constants, overrides and flow.
///
/// Only what the entry point reaches is checked, unless asked otherwise, and all of that: every
/// fault is reported.  The
/// result is usable if no fault was reported.  Linear in what is reached.
namespace vyre::wgsl {

struct CheckOptions {
  std::string entry = {};
  std::vector<std::pair<std::string, ConstantValue>> constants = {};
  /// Checks every declaration, reached or not, and needs no entry point.
  bool everything = false;
  /// Overrides need no value, and what they make of expressions is not judged.
  bool assume_overrides = false;
  /// `enable` of these extensions is refused.
  std::vector<std::string> refused = {};
};

Checked check(Tree tree, Names& names, const CheckOptions& options, Faults& faults);

/// Checks each compute entry point, or the one that the options name, and calls `taken` with those
/// that no fault hinders: `Checked::entry` and `variables` are then the entry point's.  What
/// several of them reach is checked once.
void check_each(Tree tree,
                Names& names,
                const CheckOptions& options,
                Faults& faults,
                const std::function<void(Checked&)>& taken);

/// The names of the compute entry points, in order.
std::vector<Name> compute_entry_points(const Tree& tree, Names& names);

}  // namespace vyre::wgsl
