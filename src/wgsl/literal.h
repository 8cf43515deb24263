// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <string_view>

#include "wgsl/ast.h"
#include "wgsl/faults.h"

/// Reads the value of a numeric literal into `expr`: kind, suffix and value.
///
/// Values that the literal's type cannot hold are reported at `expr.span`, and the expression
/// stays a fault.  REQUIRES: `text` is one number token.
namespace vyre::wgsl {

void read_number(std::string_view text, bool is_float, Expr& expr, Faults& faults);

}  // namespace vyre::wgsl
