// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include "wgsl/ast.h"
#include "wgsl/faults.h"
#include "wgsl/names.h"

/// Text to a syntax tree: the whole grammar of WGSL.
///
/// Every fault is reported; after one the parser goes on at the next statement or declaration,
/// and what could not be read is left out or becomes a `fault` node.  Nesting is bounded
/// (`kMaxBraces`, `kMaxExpressionDepth`): deeper texts are refused with a diagnostic, so no
/// later stage can be made to overflow its stack by a tree.  Linear in the text.
namespace vyre::wgsl {

inline constexpr std::uint32_t kMaxBraces = 127;
inline constexpr std::uint32_t kMaxExpressionDepth = 500;

Tree parse(const SourceMap& map, Names& names, Faults& faults);

}  // namespace vyre::wgsl
