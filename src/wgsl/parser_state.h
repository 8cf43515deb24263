// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "wgsl/ast.h"
#include "wgsl/faults.h"
#include "wgsl/names.h"
#include "wgsl/token.h"

/// The parser's inside: one recursive descent, its methods in files by what they parse.
///
/// A fault sets `failed_`; every method then returns soon, and the nearest statement, condition
/// or declaration recovers.  Only `parser*.cpp` include this.
namespace vyre::wgsl {

/// Where attributes can stand.
enum class AttributeSite : std::uint8_t {
  function,
  variable,
  override_,
  member,
  parameter,
  statement,
  nowhere,
};

class Parser {
 public:
  Parser(const SourceMap& map, Names& names, Faults& faults);
  Tree run();

 private:
  // Tokens (parser.cpp).
  [[nodiscard]] const Token& current() const { return tokens_[at_]; }
  [[nodiscard]] const Token& next() const {
    return tokens_[at_ + 1 < tokens_.size() ? at_ + 1 : at_];
  }
  [[nodiscard]] const Token& previous() const { return tokens_[at_ == 0 ? 0 : at_ - 1]; }
  [[nodiscard]] bool is(TokenKind kind) const { return current().kind == kind; }
  [[nodiscard]] bool is(Keyword keyword) const {
    return is(TokenKind::keyword) && current().symbol == static_cast<Symbol>(keyword);
  }
  [[nodiscard]] bool at_end() const { return is(TokenKind::end_of_text); }
  void advance() {
    if (!at_end()) ++at_;
  }
  bool accept(TokenKind kind);
  bool accept(Keyword keyword);
  bool expect(TokenKind kind, std::string_view context);
  void expect_semicolon(std::string_view context);
  Name expect_name(std::string_view what);
  Name expect_context_name(std::string_view what);
  [[nodiscard]] std::string describe(const Token& token) const;

  // Faults and recovery (parser.cpp).
  void fail(std::string message) { fail(Code::syntax_error, current().span, std::move(message)); }
  void fail(Code code, Span span, std::string message, std::string help = {});
  void fail_expected(std::string_view what);
  void recover_statement();
  void recover_declaration();
  bool recover_to_brace(bool over_semicolons = false);
  void skip_braces();
  [[nodiscard]] bool starts_declaration() const;
  [[nodiscard]] bool starts_statement() const;

  // Lists (parser.cpp).
  Range take_list(std::size_t mark);
  Range add_clauses(const std::vector<Clause>& clauses);
  ExprId add(const Expr& expr);
  StmtId add(const Stmt& stmt);
  std::uint32_t add(const Declaration& declaration);
  [[nodiscard]] Span span_of(ExprId expr) const { return tree_.exprs[expr].span; }

  // Directives, declarations, attributes (parser_module.cpp).
  [[nodiscard]] bool begins_text() const;
  void parse_directives();
  void parse_directive();
  void parse_diagnostic_control(Directive& directive);
  void check_severity(Name name);
  void parse_global();
  bool parse_global_body(Declaration& declaration);
  void parse_alias(Declaration& declaration);
  void parse_struct(Declaration& declaration);
  void parse_function(Declaration& declaration);
  void parse_value(Declaration& declaration, DeclarationKind kind);
  void parse_var(Declaration& declaration);
  void parse_const_assert(Declaration& declaration);
  Range parse_fields(TokenKind close, AttributeSite site);
  [[nodiscard]] bool is_entry_point(const Declaration& function) const;
  void check_sites(Range attributes, AttributeSite site);
  Range parse_attributes(AttributeSite site);
  void parse_typed_name(Declaration& declaration, std::string_view what);
  Range parse_attributes();
  void check_rules(Range attributes);
  void warn_of_rule(std::string_view rule, Span span);
  void parse_attribute();
  void parse_attribute_arguments(Attribute& attribute);

  // Statements (parser_statement.cpp).
  StmtId parse_block();
  Range parse_statements(StmtId* continuing);
  StmtId parse_statement();
  StmtId parse_statement_after(Range attributes);
  StmtId parse_keyword_statement(Range attributes);
  StmtId parse_if(Stmt stmt);
  StmtId parse_switch(Stmt stmt);
  Clause parse_switch_clause();
  void parse_selectors(Clause& clause);
  StmtId parse_loop(Stmt stmt);
  StmtId parse_continuing(ExprId& break_if);
  StmtId parse_for(Stmt stmt);
  StmtId parse_while(Stmt stmt);
  StmtId parse_return(Stmt stmt);
  StmtId parse_word(Stmt stmt, StmtKind kind);
  StmtId parse_local(Stmt stmt);
  StmtId parse_assert(Stmt stmt);
  StmtId parse_update(bool with_call);
  StmtId parse_for_clause(bool is_initial);
  ExprId parse_condition();
  bool enter_brace(std::string_view context);
  void leave_brace() { --braces_; }
  StmtId finish(Stmt& stmt);

  // Expressions (parser_expression.cpp).
  ExprId parse_expression();
  ExprId parse_bitwise(ExprId left, TokenKind op);
  ExprId parse_logical(ExprId left, TokenKind op);
  ExprId parse_relational(ExprId left);
  ExprId parse_shift(ExprId left);
  void advance_sign();
  ExprId parse_product(ExprId left);
  ExprId parse_unary();
  ExprId parse_postfix(ExprId base);
  ExprId parse_primary();
  ExprId parse_parenthesized();
  ExprId parse_identifier();
  ExprId parse_call(ExprId callee);
  ExprId parse_literal();
  ExprId parse_type();
  ExprId parse_target();
  Range parse_list(TokenKind close, std::string_view context);
  ExprId binary(BinaryOp op, ExprId left, ExprId right);
  ExprId fault(Span span);
  bool enter_expression();
  void leave_expression() { --depth_; }

  const SourceMap& map_;
  Names& names_;
  Faults& faults_;
  std::vector<Token> tokens_;
  Tree tree_;
  std::vector<std::uint32_t> pending_;  ///< items of the lists being read
  std::size_t at_ = 0;
  std::uint32_t braces_ = 0;
  std::uint32_t depth_ = 0;
  /// Where the last search for a block ended without one, by whether it went over semicolons.
  std::array<std::size_t, 2> no_brace_before_ = {};
  std::uint32_t last_fault_ = kNone;  ///< offset of the last one, so that none is told twice
  bool failed_ = false;
};

}  // namespace vyre::wgsl
