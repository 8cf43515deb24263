// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "vyre/diagnostic.h"

/// A text as a whole, entry points chosen or not: what makes it invalid before any of its override
/// constants has a value.  Pure.
namespace vyre::wgsl {

/// What `requires` may name.
inline constexpr std::string_view kLanguageFeatures[] = {"packed_4x8_integer_dot_product",
                                                         "unrestricted_pointer_parameters",
                                                         "pointer_composite_access",
                                                         "readonly_and_readwrite_storage_textures",
                                                         "subgroup_id",
                                                         "linear_indexing",
                                                         "swizzle_assignment"};

/// Checks every declaration of `text`, and the flow of every compute entry point.  Nothing is told
/// where the text is a valid module; limits of this implementation are told as they are.
/// `refused` are extensions that the device lacks.
Diagnostics check_module(std::string text, const std::vector<std::string>& refused = {});

}  // namespace vyre::wgsl
