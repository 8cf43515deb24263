// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "vyre/diagnostic.h"

/// A text as a whole, entry points chosen or not: what makes it invalid before any of its override
/// constants has a value.  Pure.
namespace vyre::wgsl {

/// Checks every declaration of `text`, and the flow of every compute entry point.  Nothing is told
/// where the text is a valid module; limits of this implementation are told as they are.
/// `refused` are extensions that the device lacks.
Diagnostics check_module(std::string text, const std::vector<std::string>& refused = {});

}  // namespace vyre::wgsl
