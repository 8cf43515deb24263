// SPDX-License-Identifier: MIT OR Apache-2.0
#include "wgsl/parser.h"

#include <algorithm>
#include <utility>

#include "wgsl/lexer.h"
#include "wgsl/parser_state.h"

namespace vyre::wgsl {

Parser::Parser(const SourceMap& map, Names& names, Faults& faults)
    : map_(map), names_(names), faults_(faults), tokens_(lex(map, names, faults)) {
  tree_.exprs.reserve(tokens_.size() / 2);
  tree_.lists.reserve(tokens_.size() / 2);
}

Tree Parser::run() {
  while (!at_end()) {
    if (begins_text()) parse_directives();
    if (!at_end()) parse_global();
  }
  tree_.whole = tree_.whole && !faults_.any();
  return std::move(tree_);
}

/// Whether the token is the first of one of the texts that are joined.
bool Parser::begins_text() const {
  return at_ == 0 || map_.place(current().span).file != map_.place(previous().span).file;
}

bool Parser::accept(TokenKind kind) {
  if (!is(kind)) return false;
  advance();
  return true;
}

bool Parser::accept(Keyword keyword) {
  if (!is(keyword)) return false;
  advance();
  return true;
}

std::string Parser::describe(const Token& token) const {
  if (token.kind == TokenKind::end_of_text) return std::string(spelling(token.kind));
  const std::string text = "`" + std::string(map_.text(token.span)) + "`";
  return token.kind == TokenKind::keyword ? "the keyword " + text : text;
}

bool Parser::expect(TokenKind kind, std::string_view context) {
  if (failed_) return false;
  if (accept(kind)) return true;
  fail(Code::syntax_error, current().span,
       "expected " + std::string(spelling(kind)) + " " + std::string(context) + ", found " +
           describe(current()),
       "add " + std::string(spelling(kind)));
  return false;
}

/// A semicolon missing at the end of a line is reported there, and reading goes on.
void Parser::expect_semicolon(std::string_view context) {
  if (failed_ || accept(TokenKind::semicolon)) return;
  const bool soft = current().starts_line || is(TokenKind::brace_right) || at_end();
  const std::uint32_t end = previous().span.end;
  const Span span = soft ? Span{end, end + 1} : current().span;
  std::string message = "expected `;` " + std::string(context);
  if (!soft) message += ", found " + describe(current());
  fail(Code::syntax_error, span, std::move(message), "add `;`");
  if (soft) failed_ = false;
}

Name Parser::expect_name(std::string_view what) {
  if (failed_) return {};
  const Token& token = current();
  if (accept(TokenKind::identifier)) return {token.symbol, token.span};
  fail_expected(what);
  return {};
}

/// A name that depends on its context may be spelled like some keywords.
Name Parser::expect_context_name(std::string_view what) {
  if (failed_) return {};
  const Token& token = current();
  if (token.kind == TokenKind::identifier || token.kind == TokenKind::keyword) {
    advance();
    return {token.symbol, token.span};
  }
  fail_expected(what);
  return {};
}

void Parser::fail_expected(std::string_view what) {
  fail(Code::syntax_error, current().span,
       "expected " + std::string(what) + ", found " + describe(current()),
       "write " + std::string(what) + " here" + (at_end() ? "" : ", or take this out"));
}

void Parser::fail(Code code, Span span, std::string message, std::string help) {
  tree_.whole = false;
  if (!failed_ && last_fault_ != span.begin)
    faults_.error(code, span, std::move(message), std::move(help));
  failed_ = true;
  last_fault_ = span.begin;
}

bool Parser::starts_declaration() const {
  return is(Keyword::kw_fn) || is(Keyword::kw_struct) || is(Keyword::kw_alias) ||
         is(Keyword::kw_override) || is(Keyword::kw_enable) || is(Keyword::kw_requires) ||
         is(Keyword::kw_diagnostic);
}

bool Parser::starts_statement() const {
  return is(Keyword::kw_let) || is(Keyword::kw_var) || is(Keyword::kw_const) ||
         is(Keyword::kw_if) || is(Keyword::kw_for) || is(Keyword::kw_while) ||
         is(Keyword::kw_loop) || is(Keyword::kw_switch) || is(Keyword::kw_return) ||
         is(Keyword::kw_break) || is(Keyword::kw_continue) || is(Keyword::kw_continuing) ||
         is(Keyword::kw_case) || is(Keyword::kw_default) || is(Keyword::kw_discard) ||
         is(Keyword::kw_const_assert);
}

/// Skips a brace and all up to the one that closes it.
void Parser::skip_braces() {
  std::size_t depth = 0;
  do {
    if (is(TokenKind::brace_left)) ++depth;
    if (is(TokenKind::brace_right)) --depth;
    advance();
  } while (depth > 0 && !at_end());
}

/// Goes on after the next `;` or block, or before what closes the block or starts a line with a
/// statement's keyword.
void Parser::recover_statement() {
  failed_ = false;
  for (bool first = true; !at_end() && !is(TokenKind::brace_right); first = false) {
    if (starts_declaration()) return;
    if (!first && current().starts_line && starts_statement()) return;
    if (accept(TokenKind::semicolon)) return;
    if (is(TokenKind::brace_left)) return skip_braces();
    advance();
  }
}

/// Goes on after the next `;` or block, or before a line that starts a declaration.
void Parser::recover_declaration() {
  failed_ = false;
  while (!at_end()) {
    if (current().starts_line &&
        (starts_declaration() || is(TokenKind::at) || is(Keyword::kw_var) ||
         is(Keyword::kw_const) || is(Keyword::kw_const_assert)))
      return;
    if (accept(TokenKind::semicolon) || accept(TokenKind::brace_right)) return;
    if (is(TokenKind::brace_left)) return skip_braces();
    advance();
  }
}

/// After a faulty head: true when the block that follows it was found.  No token is looked at
/// twice.
bool Parser::recover_to_brace(bool over_semicolons) {
  std::size_t& no_brace_before = no_brace_before_[over_semicolons ? 1 : 0];
  std::size_t at = std::max(at_, no_brace_before);
  for (; tokens_[at].kind != TokenKind::brace_left; ++at) {
    const TokenKind kind = tokens_[at].kind;
    if (kind == TokenKind::end_of_text || kind == TokenKind::brace_right ||
        (kind == TokenKind::semicolon && !over_semicolons)) {
      no_brace_before = at;
      return false;
    }
  }
  at_ = at;
  failed_ = false;
  return true;
}

Range Parser::take_list(std::size_t mark) {
  const auto first = static_cast<std::uint32_t>(tree_.lists.size());
  const auto begin = pending_.begin() + static_cast<std::ptrdiff_t>(mark);
  tree_.lists.insert(tree_.lists.end(), begin, pending_.end());
  pending_.erase(begin, pending_.end());
  return {first, static_cast<std::uint32_t>(tree_.lists.size()) - first};
}

Range Parser::add_clauses(const std::vector<Clause>& clauses) {
  const auto first = static_cast<std::uint32_t>(tree_.clauses.size());
  tree_.clauses.insert(tree_.clauses.end(), clauses.begin(), clauses.end());
  return {first, static_cast<std::uint32_t>(clauses.size())};
}

ExprId Parser::add(const Expr& expr) {
  tree_.exprs.push_back(expr);
  return static_cast<ExprId>(tree_.exprs.size() - 1);
}

StmtId Parser::add(const Stmt& stmt) {
  tree_.stmts.push_back(stmt);
  return static_cast<StmtId>(tree_.stmts.size() - 1);
}

std::uint32_t Parser::add(const Declaration& declaration) {
  tree_.declarations.push_back(declaration);
  return static_cast<std::uint32_t>(tree_.declarations.size() - 1);
}

Tree parse(const SourceMap& map, Names& names, Faults& faults) {
  return Parser(map, names, faults).run();
}

}  // namespace vyre::wgsl
