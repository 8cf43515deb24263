// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <string>

#include "emit/dialect.h"

/// Expressions as text.  Trees no deeper than `kMaxExprDepth`, so recursion is right here.
namespace vyre {

/// The text and how it holds together.
Text print_expression(const Program& program, const Dialect& dialect, ExprId id);

/// The text where anything may stand: an initialiser, a condition, an index.
std::string print_whole(const Program& program, const Dialect& dialect, ExprId id);

/// The text as one of several arguments.
std::string print_argument(const Program& program, const Dialect& dialect, ExprId id);

/// `inner` as an operand of an operator of group `outer`; `chains`: it is the left operand and may
/// stand bare before a neighbour of its own group.
std::string as_operand(const Text& inner, Group outer, bool chains);

/// `text` as one of several arguments: a comparison gets parentheses, since "f(a < b, c > d)"
/// would read as a template.
std::string as_argument(const Text& text);

}  // namespace vyre
