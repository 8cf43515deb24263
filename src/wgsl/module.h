// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "vyre/diagnostic.h"
#include "vyre/wgsl.h"

/// A text as a whole, entry points chosen or not: what makes it invalid before any of its override
/// constants has a value.  Pure.
namespace vyre::wgsl {

/// What `enable` may name, and the WebGPU feature that brings it.
struct Extension {
  std::string_view name;
  std::string_view feature;
};
inline constexpr Extension kExtensions[] = {
    {"clip_distances", "clip-distances"},
    {"dual_source_blending", "dual-source-blending"},
    {"f16", "shader-f16"},
    {"primitive_index", "primitive-index"},
    {"subgroups", "subgroups"},
};

/// What `requires` may name.
inline constexpr std::string_view kLanguageFeatures[] = {
    "linear_indexing",
    "packed_4x8_integer_dot_product",
    "pointer_composite_access",
    "readonly_and_readwrite_storage_textures",
    "subgroup_id",
    "subgroup_uniformity",
    "swizzle_assignment",
    "texture_and_sampler_let",
    "uniform_buffer_standard_layout",
    "unrestricted_pointer_parameters",
};

/// Checks every declaration of `text`, and the uniformity of every function.  Nothing is told
/// where the text is a valid module; limits of this implementation are told as they are.
/// `refused` are extensions that the device lacks.
Diagnostics check_module(std::string text, const std::vector<std::string>& refused = {});

/// Checks the sources as a whole: every declaration, reached or not, and the program of each
/// compute entry point, or of the one that the options name.  `taken` gets those that no fault
/// hinders.  What no entry point reaches need be valid, but not supported.  The text is read once,
/// and what entry points share is checked once.
Result<Diagnostics> check_text(std::vector<Source> sources,
                               const WgslOptions& options,
                               const std::function<void(const ValidProgram&)>& taken);

}  // namespace vyre::wgsl
