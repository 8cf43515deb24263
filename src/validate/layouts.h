// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <vector>

#include "validate/checks.h"

/// Layouts by themselves.
namespace vyre {

/// What a layout contains, however deep.
struct LayoutTraits {
  bool atomic = false;
  bool runtime = false;  ///< a runtime-sized array, or a struct that ends in one
  bool narrow = false;   ///< an element of a narrow type
};

/// Checks each layout against the rules of `type.h`, and gives the traits of each.
std::vector<LayoutTraits> check_layouts(Inspection& inspection);

}  // namespace vyre
