// SPDX-License-Identifier: MIT OR Apache-2.0
#include "wgsl/lexer.h"

#include <array>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "wgsl/template_lists.h"
#include "wgsl/unicode.h"

namespace vyre::wgsl {
namespace {

constexpr std::string_view kSpellings[] = {
#define WGSL_TOKEN(name, spelling) spelling,
#include "wgsl/tokens.def"
#undef WGSL_TOKEN
};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_hex_digit(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

struct Punctuation {
  std::string_view spelling;
  TokenKind kind;
};

/// By first character, the longest first.
constexpr Punctuation kPunctuation[] = {
    {"&&", TokenKind::ampersand_2},
    {"&=", TokenKind::ampersand_equal},
    {"&", TokenKind::ampersand},
    {"->", TokenKind::arrow},
    {"--", TokenKind::minus_2},
    {"-=", TokenKind::minus_equal},
    {"-", TokenKind::minus},
    {"@", TokenKind::at},
    {"!=", TokenKind::bang_equal},
    {"!", TokenKind::bang},
    {"[", TokenKind::bracket_left},
    {"]", TokenKind::bracket_right},
    {"{", TokenKind::brace_left},
    {"}", TokenKind::brace_right},
    {"^=", TokenKind::caret_equal},
    {"^", TokenKind::caret},
    {":", TokenKind::colon},
    {",", TokenKind::comma},
    {"==", TokenKind::equal_2},
    {"=", TokenKind::equal},
    {">>=", TokenKind::greater_2_equal},
    {">>", TokenKind::greater_2},
    {">=", TokenKind::greater_equal},
    {">", TokenKind::greater},
    {"<<=", TokenKind::less_2_equal},
    {"<<", TokenKind::less_2},
    {"<=", TokenKind::less_equal},
    {"<", TokenKind::less},
    {"(", TokenKind::paren_left},
    {")", TokenKind::paren_right},
    {"%=", TokenKind::percent_equal},
    {"%", TokenKind::percent},
    {".", TokenKind::period},
    {"||", TokenKind::pipe_2},
    {"|=", TokenKind::pipe_equal},
    {"|", TokenKind::pipe},
    {"++", TokenKind::plus_2},
    {"+=", TokenKind::plus_equal},
    {"+", TokenKind::plus},
    {";", TokenKind::semicolon},
    {"/=", TokenKind::slash_equal},
    {"/", TokenKind::slash},
    {"*=", TokenKind::star_equal},
    {"*", TokenKind::star},
    {"~", TokenKind::tilde},
};

/// The first row of `kPunctuation` for each byte; the number of rows where there is none.
constexpr std::array<std::uint8_t, 256> kFirstRow = [] {
  std::array<std::uint8_t, 256> table = {};
  table.fill(static_cast<std::uint8_t>(std::size(kPunctuation)));
  for (std::size_t row = std::size(kPunctuation); row-- > 0;)
    table[static_cast<unsigned char>(kPunctuation[row].spelling[0])] =
        static_cast<std::uint8_t>(row);
  return table;
}();

/// What continues an ASCII identifier, by byte.
constexpr std::array<bool, 256> kWordByte = [] {
  std::array<bool, 256> table = {};
  for (unsigned c = 'a'; c <= 'z'; ++c)
    table[c] = true;
  for (unsigned c = 'A'; c <= 'Z'; ++c)
    table[c] = true;
  for (unsigned c = '0'; c <= '9'; ++c)
    table[c] = true;
  table['_'] = true;
  return table;
}();

class Lexer {
 public:
  Lexer(const SourceMap& map, Names& names, Faults& faults)
      : text_(map.text()), names_(names), faults_(faults), templates_(tokens_) {
    tokens_.reserve(text_.size() / 4 + 16);
  }

  std::vector<Token> run() {
    while (skip_blank())
      lex_token();
    push(TokenKind::end_of_text, at_);
    return std::move(tokens_);
  }

 private:
  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  [[nodiscard]] static std::uint32_t offset(std::size_t i) { return static_cast<std::uint32_t>(i); }

  void push(TokenKind kind, std::size_t begin, Symbol symbol = 0) {
    tokens_.push_back({kind, starts_line_, symbol, {offset(begin), offset(at_)}});
    starts_line_ = false;
  }

  bool skip_blank();
  void skip_line_comment();
  void skip_block_comment();
  void lex_token();
  void lex_word();
  void lex_number();
  void lex_punctuation();
  void note_template(TokenKind kind);
  [[nodiscard]] bool follows_name() const;
  bool scan_hex(bool& is_float);
  void scan_integer_suffix();
  bool scan_decimal(bool& is_float);
  void scan_exponent(bool& is_float, char lower, char upper);
  void scan_digits(bool (*is)(char)) {
    while (is(peek()))
      ++at_;
  }
  void scan_word();
  void reject_character();

  std::string_view text_;
  Names& names_;
  Faults& faults_;
  std::vector<Token> tokens_;
  TemplateLists templates_;
  std::size_t at_ = 0;
  bool starts_line_ = true;
};

/// Skips blankspace and comments; false at the end of the text.
bool Lexer::skip_blank() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == ' ' || c == '\t') {
      ++at_;
    } else if (c >= '\n' && c <= '\r') {
      starts_line_ = true;
      ++at_;
    } else if (c == '/' && peek(1) == '/') {
      skip_line_comment();
    } else if (c == '/' && peek(1) == '*') {
      skip_block_comment();
    } else if (static_cast<unsigned char>(c) >= 0x80) {
      const CodePoint point = decode_utf8(text_, at_);
      if (point.length == 0 || !is_blank(point.value)) return true;
      starts_line_ = starts_line_ || is_line_break(point.value);
      at_ += point.length;
    } else {
      return true;
    }
  }
  return false;
}

void Lexer::skip_line_comment() {
  while (at_ < text_.size()) {
    const CodePoint point = decode_utf8(text_, at_);
    if (is_line_break(point.value)) return;
    if (point.length == 0 || point.value == 0) {
      reject_character();
    } else {
      at_ += point.length;
    }
  }
}

void Lexer::skip_block_comment() {
  const std::size_t begin = at_;
  std::size_t depth = 0;
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == '/' && peek(1) == '*') {
      ++depth;
      at_ += 2;
    } else if (c == '*' && peek(1) == '/') {
      at_ += 2;
      if (--depth == 0) return;
    } else if (c == '\0' || static_cast<unsigned char>(c) >= 0x80) {
      const CodePoint point = decode_utf8(text_, at_);
      if (point.length == 0 || point.value == 0) reject_character();
      at_ += point.value == 0 ? 0 : point.length;
    } else {
      starts_line_ = starts_line_ || (c >= '\n' && c <= '\r');
      ++at_;
    }
  }
  faults_.error(Code::syntax_error, {offset(begin), offset(begin + 2)},
                "this block comment is never closed");
}

void Lexer::lex_token() {
  const char c = peek();
  if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
    lex_number();
  } else if (kWordByte[static_cast<unsigned char>(c)]) {
    lex_word();
  } else if (static_cast<unsigned char>(c) >= 0x80) {
    const CodePoint point = decode_utf8(text_, at_);
    if (point.length != 0 && is_identifier_start(point.value)) {
      lex_word();
    } else {
      reject_character();
    }
  } else {
    lex_punctuation();
  }
}

void Lexer::scan_word() {
  while (at_ < text_.size()) {
    const auto byte = static_cast<unsigned char>(text_[at_]);
    if (kWordByte[byte]) {
      ++at_;
      continue;
    }
    if (byte < 0x80) return;
    const CodePoint point = decode_utf8(text_, at_);
    if (point.length == 0 || !is_identifier_continue(point.value)) return;
    at_ += point.length;
  }
}

void Lexer::lex_word() {
  const std::size_t begin = at_;
  scan_word();
  const std::string_view word = text_.substr(begin, at_ - begin);
  if (word == "_") return push(TokenKind::underscore, begin);
  const Symbol symbol = names_.intern(word);
  const Span span = {offset(begin), offset(at_)};
  if (names_.is_reserved(symbol)) {
    faults_.error(Code::reserved_word, span,
                  "`" + std::string(word) + "` is a reserved word and cannot be used");
  } else if (word.starts_with("__")) {
    faults_.error(Code::reserved_word, span,
                  "`" + std::string(word) + "` starts with two underscores");
  }
  push(Names::is_keyword(symbol) ? TokenKind::keyword : TokenKind::identifier, begin, symbol);
}

void Lexer::scan_exponent(bool& is_float, char lower, char upper) {
  if (peek() != lower && peek() != upper) return;
  const std::size_t sign = peek(1) == '+' || peek(1) == '-' ? 1 : 0;
  if (!is_digit(peek(1 + sign))) return;
  is_float = true;
  at_ += 1 + sign;
  scan_digits(is_digit);
}

/// After "0x"; false when there is no digit.
bool Lexer::scan_hex(bool& is_float) {
  const std::size_t begin = at_;
  scan_digits(is_hex_digit);
  if (peek() == '.' && (at_ > begin || is_hex_digit(peek(1)))) {
    is_float = true;
    ++at_;
    scan_digits(is_hex_digit);
  }
  if (at_ == begin) return false;
  bool has_exponent = false;
  scan_exponent(has_exponent, 'p', 'P');
  is_float = is_float || has_exponent;
  if (has_exponent && (peek() == 'f' || peek() == 'h')) ++at_;
  if (!is_float) scan_integer_suffix();
  return true;
}

/// `i` or `u`, and `l` before it for 64 bits.
void Lexer::scan_integer_suffix() {
  const std::size_t wide = peek() == 'l' ? 1 : 0;
  if (peek(wide) == 'i' || peek(wide) == 'u') at_ += wide + 1;
}

/// False when an integer has a leading zero.
bool Lexer::scan_decimal(bool& is_float) {
  const std::size_t begin = at_;
  scan_digits(is_digit);
  const bool leading_zero = at_ - begin > 1 && text_[begin] == '0';
  if (peek() == '.') {
    is_float = true;
    ++at_;
    scan_digits(is_digit);
  }
  scan_exponent(is_float, 'e', 'E');
  if (peek() == 'f' || peek() == 'h') {
    const bool ok = is_float || !leading_zero;
    is_float = true;
    ++at_;
    return ok;
  }
  if (!is_float) scan_integer_suffix();
  return is_float || !leading_zero;
}

void Lexer::lex_number() {
  const std::size_t begin = at_;
  bool is_float = false;
  bool good = false;
  if (peek() == '0' && (peek(1) == 'x' || peek(1) == 'X')) {
    at_ += 2;
    good = scan_hex(is_float);
  } else {
    good = scan_decimal(is_float);
  }
  const std::size_t end = at_;
  scan_word();
  if (!good || at_ != end) {
    faults_.error(Code::invalid_literal, {offset(begin), offset(at_)},
                  "`" + clipped(text_.substr(begin, at_ - begin)) + "` is not a number");
    tokens_.push_back(
        {TokenKind::integer_literal, starts_line_, kReported, {offset(begin), offset(at_)}});
    starts_line_ = false;
    return;
  }
  push(is_float ? TokenKind::float_literal : TokenKind::integer_literal, begin);
}

bool Lexer::follows_name() const {
  if (tokens_.empty()) return false;
  const TokenKind kind = tokens_.back().kind;
  return kind == TokenKind::identifier || kind == TokenKind::keyword;
}

/// Tells template list discovery of the punctuation just pushed.
void Lexer::note_template(TokenKind kind) {
  if (kind == TokenKind::paren_left || kind == TokenKind::bracket_left) {
    templates_.open();
  } else if (kind == TokenKind::paren_right || kind == TokenKind::bracket_right) {
    templates_.close();
  } else if (kind == TokenKind::ampersand_2 || kind == TokenKind::pipe_2) {
    templates_.logical();
  } else if (kind == TokenKind::semicolon || kind == TokenKind::brace_left ||
             kind == TokenKind::colon || is_assignment(kind)) {
    templates_.reset();
  }
}

void Lexer::lex_punctuation() {
  const std::size_t begin = at_;
  if (peek() == '>' && templates_.closes()) {
    ++at_;
    return push(TokenKind::template_end, begin);
  }
  const std::string_view rest = text_.substr(at_);
  for (std::size_t row = kFirstRow[static_cast<unsigned char>(rest[0])];
       row < std::size(kPunctuation) && kPunctuation[row].spelling[0] == rest[0]; ++row) {
    const Punctuation& candidate = kPunctuation[row];
    if (!rest.starts_with(candidate.spelling)) continue;
    const bool may_open = candidate.kind == TokenKind::less && follows_name();
    at_ += candidate.spelling.size();
    push(candidate.kind, begin);
    if (may_open) templates_.candidate();
    return note_template(candidate.kind);
  }
  reject_character();
}

void Lexer::reject_character() {
  const CodePoint point = decode_utf8(text_, at_);
  const std::size_t begin = at_;
  at_ += point.length == 0 ? 1 : point.length;
  const Span span = {offset(begin), offset(at_)};
  if (point.length == 0) {
    while (at_ < text_.size() && (static_cast<unsigned char>(text_[at_]) & 0xc0U) == 0x80U)
      ++at_;
    faults_.error(Code::syntax_error, span, "the text is not valid UTF-8 here");
  } else if (point.value == 0) {
    faults_.error(Code::syntax_error, span, "the text contains a null character");
  } else {
    faults_.error(Code::syntax_error, span,
                  "unexpected character `" + std::string(text_.substr(begin, at_ - begin)) + "`");
  }
}

}  // namespace

std::string clipped(std::string_view text) {
  constexpr std::size_t kShown = 40;
  if (text.size() <= kShown) return std::string(text);
  std::size_t end = kShown;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U)
    --end;
  return std::string(text.substr(0, end)) + "…";
}

bool is_assignment(TokenKind kind) {
  return kind == TokenKind::equal || is_compound_assignment(kind);
}

bool is_compound_assignment(TokenKind kind) {
  const std::string_view text = spelling(kind);
  return text.ends_with("=`") && kind != TokenKind::equal && kind != TokenKind::equal_2 &&
         kind != TokenKind::bang_equal && kind != TokenKind::less_equal &&
         kind != TokenKind::greater_equal;
}

std::string_view spelling(TokenKind kind) {
  return kSpellings[static_cast<std::size_t>(kind)];
}

std::vector<Token> lex(const SourceMap& map, Names& names, Faults& faults) {
  return Lexer(map, names, faults).run();
}

}  // namespace vyre::wgsl
