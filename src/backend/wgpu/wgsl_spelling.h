// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "emit/dialect.h"

/// The words of WGSL: operators, literals, types, and what no name may be.
namespace vyre::wgpu {

/// The row of an operator.  REQUIRES: a core operator, or a composite one that WGSL spells.
const Spelling& wgsl_spelling(Op op);

std::string_view wgsl_type(ScalarType type);

/// A literal with its type's suffix, exact for every finite value.
Text wgsl_literal(ScalarType type, std::uint64_t bits);

std::string_view wgsl_builtin_name(Builtin builtin);       ///< "global_id", as the text calls it
std::string_view wgsl_builtin_attribute(Builtin builtin);  ///< "global_invocation_id"
std::string_view wgsl_builtin_type(Builtin builtin);
std::string_view wgsl_atomic(AtomicOp op);
std::string_view wgsl_subgroup(SubgroupOp op);

/// What no declaration of a printed text may be called: every word of WGSL, and the names that the
/// printer itself declares.
std::span<const std::string_view> wgsl_taken_words();

}  // namespace vyre::wgpu
