// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "vyre/program.h"

#include "wgsl/checked.h"
#include "wgsl/names.h"
#include "wgsl/source_map.h"

/// The uniformity of a text, as the WGSL specification defines it.
///
/// A function is written as a program that has its control flow and says only what depends on what:
/// a variable of function scope is one word whatever its type, an expression is the words that it
/// is computed from, a call is the body of its function.  The analysis of programs judges that.
/// An expression in which the checker found a fault depends on nothing, so that one fault is told
/// once, and none hides another.  Pure.
namespace vyre::wgsl {

/// The faults of uniformity in functions and in what they call, each once.  The arguments of one
/// that is no entry point count as uniform, and so does where it is called.  `known`: what the
/// checker found.  None where calls lead back to their function or make it too large, which the
/// checker reports.
/// REQUIRES: the tree is whole.
Diagnostics check_flow(const Checked& module,
                       const Names& names,
                       const SourceMap& map,
                       const Diagnostics& known,
                       std::span<const std::uint32_t> functions);

}  // namespace vyre::wgsl
