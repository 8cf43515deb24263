// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "wgsl/names.h"
#include "wgsl/source_map.h"

/// The tokens of WGSL.  Template-list delimiters are kinds of their own: the lexer has already
/// told them from the comparison operators.  Values.
namespace vyre::wgsl {

enum class TokenKind : std::uint8_t {
#define WGSL_TOKEN(name, spelling) name,
#include "wgsl/tokens.def"
#undef WGSL_TOKEN
};

/// The spelling for messages: "`+=`", "an identifier".
std::string_view spelling(TokenKind kind);

/// A token's text for messages; of a very long one the beginning.
std::string clipped(std::string_view text);

/// `=` and the compound assignments.
bool is_assignment(TokenKind kind);
bool is_compound_assignment(TokenKind kind);

/// The symbol of a literal whose spelling has been reported already.
constexpr Symbol kReported = 1;

struct Token {
  TokenKind kind = TokenKind::end_of_text;
  bool starts_line = false;  ///< the first token of its line
  Symbol symbol = 0;         ///< of identifiers and keywords
  Span span = {};
};

}  // namespace vyre::wgsl
