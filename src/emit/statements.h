// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include "emit/dialect.h"

/// Statements as text: blocks, branches and loops; the dialect writes what has no blocks.
namespace vyre {

/// Writes the program's body, indented as `out` stands.  What follows a jump in its block is left
/// out: nothing reaches it, and some targets refuse it.  Recurses over no statement.
/// REQUIRES: the body has neither `Switch` nor `Scope`.
void print_body(const Program& program, Dialect& dialect, TextWriter& out);

}  // namespace vyre
