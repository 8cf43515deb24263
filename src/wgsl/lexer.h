// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <vector>

#include "wgsl/faults.h"
#include "wgsl/names.h"
#include "wgsl/token.h"

/// Text to tokens.
///
/// Comments and blankspace are dropped, template lists are discovered (section 3.9 of the WGSL
/// specification), reserved words and malformed characters are reported and then passed over, so
/// that the parser sees as much of the text as there is.  The last token is `end_of_text`.
/// Linear in the text.
namespace vyre::wgsl {

std::vector<Token> lex(const SourceMap& map, Names& names, Faults& faults);

}  // namespace vyre::wgsl
