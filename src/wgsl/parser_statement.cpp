// SPDX-License-Identifier: MIT OR Apache-2.0
#include <optional>

#include "wgsl/parser.h"
#include "wgsl/parser_state.h"

namespace vyre::wgsl {
namespace {

std::optional<BinaryOp> compound_op(TokenKind kind) {
  switch (kind) {
    case TokenKind::plus_equal: return BinaryOp::add;
    case TokenKind::minus_equal: return BinaryOp::subtract;
    case TokenKind::star_equal: return BinaryOp::multiply;
    case TokenKind::slash_equal: return BinaryOp::divide;
    case TokenKind::percent_equal: return BinaryOp::remainder;
    case TokenKind::ampersand_equal: return BinaryOp::bit_and;
    case TokenKind::pipe_equal: return BinaryOp::bit_or;
    case TokenKind::caret_equal: return BinaryOp::bit_xor;
    case TokenKind::less_2_equal: return BinaryOp::shift_left;
    case TokenKind::greater_2_equal: return BinaryOp::shift_right;
    default: return std::nullopt;
  }
}

}  // namespace

StmtId Parser::finish(Stmt& stmt) {
  stmt.span.end = previous().span.end;
  return add(stmt);
}

bool Parser::enter_brace(std::string_view context) {
  if (!expect(TokenKind::brace_left, context)) return false;
  if (braces_ >= kMaxBraces) {
    fail(Code::internal_limit, previous().span,
         "braces are nested deeper than the limit of " + std::to_string(kMaxBraces));
    --at_;
    skip_braces();
    return false;
  }
  ++braces_;
  return true;
}

/// `{ statements }`, perhaps with attributes before it.
StmtId Parser::parse_block() {
  Stmt stmt;
  stmt.kind = StmtKind::block;
  stmt.span = current().span;
  stmt.attributes = parse_attributes(AttributeSite::statement);
  if (enter_brace("to open a block")) {
    stmt.body = parse_statements(nullptr);
    expect(TokenKind::brace_right, "to close the block");
    leave_brace();
  }
  return finish(stmt);
}

/// Statements up to a closing brace.  In a loop's body (`continuing` given) also up to its
/// continuing block.
Range Parser::parse_statements(StmtId* continuing) {
  const std::size_t mark = pending_.size();
  while (!is(TokenKind::brace_right) && !at_end() && !starts_declaration()) {
    if (continuing != nullptr && is(Keyword::kw_continuing)) break;
    if (accept(TokenKind::semicolon)) continue;
    const std::size_t begin = at_;
    const StmtId stmt = parse_statement();
    if (stmt != kNone) pending_.push_back(stmt);
    if (failed_) recover_statement();
    if (at_ == begin && !starts_declaration()) advance();
  }
  return take_list(mark);
}

StmtId Parser::parse_statement() {
  return parse_statement_after(parse_attributes(AttributeSite::statement));
}

StmtId Parser::parse_statement_after(Range attributes) {
  if (failed_) return kNone;
  if (is(TokenKind::brace_left)) {
    const StmtId block = parse_block();
    tree_.stmts[block].attributes = attributes;
    return block;
  }
  if (is(TokenKind::keyword)) return parse_keyword_statement(attributes);
  const StmtId stmt = parse_update(true);
  expect_semicolon("after the statement");
  if (!attributes.empty())
    fail(Code::syntax_error, tree_.attributes[attributes.first].span,
         "this statement cannot have attributes");
  return stmt;
}

StmtId Parser::parse_keyword_statement(Range attributes) {
  Stmt stmt;
  stmt.span = current().span;
  stmt.attributes = attributes;
  switch (static_cast<Keyword>(current().symbol)) {
    case Keyword::kw_if: return parse_if(stmt);
    case Keyword::kw_switch: return parse_switch(stmt);
    case Keyword::kw_loop: return parse_loop(stmt);
    case Keyword::kw_for: return parse_for(stmt);
    case Keyword::kw_while: return parse_while(stmt);
    default: break;
  }
  if (!attributes.empty()) {
    fail("a statement that begins with " + describe(current()) + " cannot have attributes");
    return kNone;
  }
  switch (static_cast<Keyword>(current().symbol)) {
    case Keyword::kw_return: return parse_return(stmt);
    case Keyword::kw_break: return parse_word(stmt, StmtKind::break_);
    case Keyword::kw_continue: return parse_word(stmt, StmtKind::continue_);
    case Keyword::kw_discard: return parse_word(stmt, StmtKind::discard);
    case Keyword::kw_const_assert: return parse_assert(stmt);
    case Keyword::kw_let:
    case Keyword::kw_const:
    case Keyword::kw_var: {
      const StmtId local = parse_local(stmt);
      expect_semicolon("after the declaration");
      return local;
    }
    default: fail_expected("a statement"); return kNone;
  }
}

/// A condition or selector; what could not be read is skipped up to the block that follows.
ExprId Parser::parse_condition() {
  const ExprId condition = parse_expression();
  if (!failed_ && is(TokenKind::brace_left)) return condition;
  if (!failed_ && !is(TokenKind::at)) fail_expected("`{` after the expression");
  if (failed_ && recover_to_brace()) return fault(span_of(condition));
  return condition;
}

StmtId Parser::parse_if(Stmt stmt) {
  stmt.kind = StmtKind::if_;
  std::vector<Clause> clauses;
  do {
    Clause clause;
    clause.span = current().span;
    if (clauses.empty() || is(Keyword::kw_if)) {
      advance();
      clause.condition = parse_condition();
    }
    clause.body = parse_block();
    clauses.push_back(clause);
  } while (!failed_ && clauses.back().condition != kNone && accept(Keyword::kw_else));
  stmt.clauses = add_clauses(clauses);
  return finish(stmt);
}

StmtId Parser::parse_switch(Stmt stmt) {
  stmt.kind = StmtKind::switch_;
  advance();
  stmt.value = parse_condition();
  Stmt body;
  body.kind = StmtKind::block;
  body.span = current().span;
  body.attributes = parse_attributes(AttributeSite::statement);
  stmt.body_block = add(body);
  std::vector<Clause> clauses;
  if (enter_brace("to open the switch body")) {
    while (!failed_ && (is(Keyword::kw_case) || is(Keyword::kw_default)))
      clauses.push_back(parse_switch_clause());
    if (!failed_ && !is(TokenKind::brace_right)) fail_expected("`case`, `default` or `}`");
    expect(TokenKind::brace_right, "to close the switch body");
    leave_brace();
  }
  stmt.clauses = add_clauses(clauses);
  return finish(stmt);
}

Clause Parser::parse_switch_clause() {
  Clause clause;
  clause.span = current().span;
  if (accept(Keyword::kw_default)) {
    const std::size_t mark = pending_.size();
    pending_.push_back(kNone);
    clause.selectors = take_list(mark);
  } else {
    advance();
    parse_selectors(clause);
  }
  clause.span.end = previous().span.end;
  accept(TokenKind::colon);
  clause.body = parse_block();
  return clause;
}

void Parser::parse_selectors(Clause& clause) {
  const std::size_t mark = pending_.size();
  while (!failed_ && !is(TokenKind::colon) && !is(TokenKind::brace_left) && !is(TokenKind::at)) {
    pending_.push_back(accept(Keyword::kw_default) ? kNone : parse_expression());
    if (!accept(TokenKind::comma)) break;
  }
  clause.selectors = take_list(mark);
  if (!failed_ && clause.selectors.empty()) fail_expected("a case selector");
  if (failed_) recover_to_brace();
}

StmtId Parser::parse_loop(Stmt stmt) {
  stmt.kind = StmtKind::loop;
  advance();
  Stmt body;
  body.kind = StmtKind::block;
  body.span = current().span;
  body.attributes = parse_attributes(AttributeSite::statement);
  if (enter_brace("to open the loop body")) {
    body.body = parse_statements(&stmt.continuing);
    if (!failed_ && is(Keyword::kw_continuing)) stmt.continuing = parse_continuing(stmt.value);
    expect(TokenKind::brace_right, "to close the loop body");
    leave_brace();
  }
  stmt.body_block = finish(body);
  return finish(stmt);
}

StmtId Parser::parse_continuing(ExprId& break_if) {
  advance();
  Stmt block;
  block.kind = StmtKind::block;
  block.span = current().span;
  block.attributes = parse_attributes(AttributeSite::statement);
  if (!enter_brace("to open the continuing block")) return finish(block);
  const std::size_t mark = pending_.size();
  while (!is(TokenKind::brace_right) && !at_end() && !starts_declaration()) {
    if (is(Keyword::kw_break) && next().kind == TokenKind::keyword &&
        next().symbol == static_cast<Symbol>(Keyword::kw_if)) {
      advance();
      advance();
      break_if = parse_expression();
      expect_semicolon("after `break if`");
      if (failed_) recover_statement();
      if (!is(TokenKind::brace_right)) fail_expected("`}`: `break if` ends its block");
      break;
    }
    if (accept(TokenKind::semicolon)) continue;
    const std::size_t begin = at_;
    const StmtId stmt = parse_statement();
    if (stmt != kNone) pending_.push_back(stmt);
    if (failed_) recover_statement();
    if (at_ == begin && !starts_declaration()) advance();
  }
  block.body = take_list(mark);
  expect(TokenKind::brace_right, "to close the continuing block");
  leave_brace();
  return finish(block);
}

StmtId Parser::parse_for(Stmt stmt) {
  stmt.kind = StmtKind::for_;
  advance();
  expect(TokenKind::paren_left, "after `for`");
  if (!is(TokenKind::semicolon)) stmt.initial = parse_for_clause(true);
  expect(TokenKind::semicolon, "after the initializer of the loop");
  if (!failed_ && !is(TokenKind::semicolon)) stmt.value = parse_expression();
  expect(TokenKind::semicolon, "after the condition of the loop");
  if (!is(TokenKind::paren_right)) stmt.update = parse_for_clause(false);
  expect(TokenKind::paren_right, "to close the head of the loop");
  if (failed_) recover_to_brace(true);
  stmt.body_block = parse_block();
  return finish(stmt);
}

StmtId Parser::parse_for_clause(bool is_initial) {
  if (failed_) return kNone;
  if (is(TokenKind::keyword)) {
    if (!is_initial) {
      fail_expected("an assignment or a call");
      return kNone;
    }
    Stmt stmt;
    stmt.span = current().span;
    return parse_local(stmt);
  }
  return parse_update(true);
}

StmtId Parser::parse_while(Stmt stmt) {
  stmt.kind = StmtKind::while_;
  advance();
  stmt.value = parse_condition();
  stmt.body_block = parse_block();
  return finish(stmt);
}

StmtId Parser::parse_return(Stmt stmt) {
  stmt.kind = StmtKind::return_;
  advance();
  const bool line_ended = current().starts_line && starts_statement();
  if (!is(TokenKind::semicolon) && !is(TokenKind::brace_right) && !line_ended)
    stmt.value = parse_expression();
  expect_semicolon("after `return`");
  return finish(stmt);
}

StmtId Parser::parse_word(Stmt stmt, StmtKind kind) {
  stmt.kind = kind;
  advance();
  if (kind == StmtKind::break_ && is(Keyword::kw_if)) {
    fail("`break if` can only be the last statement of a continuing block");
    return kNone;
  }
  expect_semicolon("after the statement");
  return finish(stmt);
}

StmtId Parser::parse_assert(Stmt stmt) {
  stmt.kind = StmtKind::const_assert;
  advance();
  stmt.value = parse_expression();
  expect_semicolon("after the assertion");
  return finish(stmt);
}

/// `let`, `const` or `var`, without the semicolon.
StmtId Parser::parse_local(Stmt stmt) {
  stmt.kind = StmtKind::variable;
  Declaration declaration;
  declaration.span = current().span;
  if (is(Keyword::kw_var)) {
    parse_var(declaration);
  } else if (is(Keyword::kw_let) || is(Keyword::kw_const)) {
    parse_value(declaration, is(Keyword::kw_let) ? DeclarationKind::let : DeclarationKind::const_);
  } else {
    fail_expected("a declaration, an assignment or a call");
  }
  if (declaration.name.span.end == 0) return kNone;
  declaration.faulty = failed_;
  declaration.span.end = previous().span.end;
  stmt.declaration = add(declaration);
  return finish(stmt);
}

/// An assignment, increment, decrement or call, without the semicolon.
StmtId Parser::parse_update(bool with_call) {
  Stmt stmt;
  stmt.span = current().span;
  if (accept(TokenKind::underscore)) {
    stmt.kind = StmtKind::phony;
    expect(TokenKind::equal, "after `_`");
    if (!failed_) stmt.value = parse_expression();
    return failed_ ? kNone : finish(stmt);
  }
  stmt.target = parse_target();
  if (failed_) return kNone;
  const TokenKind kind = current().kind;
  if (kind == TokenKind::plus_2 || kind == TokenKind::minus_2) {
    advance();
    stmt.kind = kind == TokenKind::plus_2 ? StmtKind::increment : StmtKind::decrement;
    return finish(stmt);
  }
  if (is_assignment(kind)) {
    stmt.kind = kind == TokenKind::equal ? StmtKind::assign : StmtKind::compound;
    stmt.op = compound_op(kind).value_or(BinaryOp::add);
    advance();
    stmt.value = parse_expression();
    return failed_ ? kNone : finish(stmt);
  }
  if (with_call && tree_.exprs[stmt.target].kind == ExprKind::call &&
      span_of(stmt.target).begin == stmt.span.begin) {
    stmt.kind = StmtKind::call;
    stmt.value = stmt.target;
    stmt.target = kNone;
    return finish(stmt);
  }
  if (kind == TokenKind::semicolon) {
    fail(Code::syntax_error, span_of(stmt.target), "this expression is not a statement");
  } else {
    fail_expected("an assignment operator");
  }
  return kNone;
}

}  // namespace vyre::wgsl
