// SPDX-License-Identifier: MIT OR Apache-2.0
#include <iterator>
#include <optional>

#include "wgsl/literal.h"
#include "wgsl/parser.h"
#include "wgsl/parser_state.h"

namespace vyre::wgsl {
namespace {

constexpr std::string_view kBinarySpellings[] = {
    "+",  "-",  "*",  "/", "%",  "&", "|",  "^",  "<<",
    ">>", "==", "!=", "<", "<=", ">", ">=", "&&", "||"};
constexpr std::string_view kUnarySpellings[] = {"-", "~", "!", "&", "*"};

std::optional<BinaryOp> relational_op(TokenKind kind) {
  switch (kind) {
    case TokenKind::equal_2: return BinaryOp::equal;
    case TokenKind::bang_equal: return BinaryOp::not_equal;
    case TokenKind::less: return BinaryOp::less;
    case TokenKind::less_equal: return BinaryOp::less_equal;
    case TokenKind::greater: return BinaryOp::greater;
    case TokenKind::greater_equal: return BinaryOp::greater_equal;
    default: return std::nullopt;
  }
}

std::optional<BinaryOp> product_op(TokenKind kind) {
  switch (kind) {
    case TokenKind::star: return BinaryOp::multiply;
    case TokenKind::slash: return BinaryOp::divide;
    case TokenKind::percent: return BinaryOp::remainder;
    default: return std::nullopt;
  }
}

std::optional<BinaryOp> binary_op(TokenKind kind) {
  switch (kind) {
    case TokenKind::plus: return BinaryOp::add;
    case TokenKind::minus: return BinaryOp::subtract;
    case TokenKind::ampersand: return BinaryOp::bit_and;
    case TokenKind::pipe: return BinaryOp::bit_or;
    case TokenKind::caret: return BinaryOp::bit_xor;
    case TokenKind::less_2: return BinaryOp::shift_left;
    case TokenKind::greater_2: return BinaryOp::shift_right;
    case TokenKind::ampersand_2: return BinaryOp::logical_and;
    case TokenKind::pipe_2: return BinaryOp::logical_or;
    default: break;
  }
  const std::optional<BinaryOp> product = product_op(kind);
  return product.has_value() ? product : relational_op(kind);
}

std::optional<UnaryOp> unary_op(TokenKind kind) {
  switch (kind) {
    case TokenKind::minus:
    case TokenKind::minus_2: return UnaryOp::negate;
    case TokenKind::tilde: return UnaryOp::bit_not;
    case TokenKind::bang: return UnaryOp::logical_not;
    case TokenKind::ampersand:
    case TokenKind::ampersand_2: return UnaryOp::address_of;
    case TokenKind::star: return UnaryOp::indirection;
    default: return std::nullopt;
  }
}

bool is_bitwise(TokenKind kind) {
  return kind == TokenKind::ampersand || kind == TokenKind::pipe || kind == TokenKind::caret;
}

bool is_logical(TokenKind kind) {
  return kind == TokenKind::ampersand_2 || kind == TokenKind::pipe_2;
}

}  // namespace

std::string_view spelling(BinaryOp op) {
  return kBinarySpellings[static_cast<std::size_t>(op)];
}
std::string_view spelling(UnaryOp op) {
  return kUnarySpellings[static_cast<std::size_t>(op)];
}

ExprId Parser::fault(Span span) {
  Expr expr;
  expr.span = span;
  return add(expr);
}

ExprId Parser::binary(BinaryOp op, ExprId left, ExprId right) {
  Expr expr;
  expr.kind = ExprKind::binary;
  expr.binary = op;
  expr.span = join(span_of(left), span_of(right));
  expr.left = left;
  expr.right = right;
  return add(expr);
}

bool Parser::enter_expression() {
  if (failed_) return false;
  if (depth_ >= kMaxExpressionDepth) {
    fail(Code::internal_limit, current().span,
         "this expression is nested deeper than the limit of " +
             std::to_string(kMaxExpressionDepth));
    return false;
  }
  ++depth_;
  return true;
}

/// Operators that do not associate with each other are left over here, and reported.
ExprId Parser::parse_expression() {
  ExprId expr = parse_unary();
  TokenKind op = current().kind;
  if (is_bitwise(op)) {
    expr = parse_bitwise(expr, op);
  } else {
    expr = parse_relational(expr);
    op = current().kind;
    if (is_logical(op)) expr = parse_logical(expr, op);
  }
  if (!failed_ && binary_op(current().kind).has_value()) {
    fail("the operator " + std::string(spelling(current().kind)) +
         " does not combine with the one before it without parentheses");
  }
  return expr;
}

ExprId Parser::parse_bitwise(ExprId left, TokenKind op) {
  const BinaryOp operation = *binary_op(op);
  while (!failed_ && accept(op))
    left = binary(operation, left, parse_unary());
  return left;
}

ExprId Parser::parse_logical(ExprId left, TokenKind op) {
  const BinaryOp operation = *binary_op(op);
  while (!failed_ && accept(op))
    left = binary(operation, left, parse_relational(parse_unary()));
  return left;
}

ExprId Parser::parse_relational(ExprId left) {
  left = parse_shift(left);
  const std::optional<BinaryOp> op = relational_op(current().kind);
  if (failed_ || !op.has_value()) return left;
  advance();
  return binary(*op, left, parse_shift(parse_unary()));
}

ExprId Parser::parse_shift(ExprId left) {
  if (failed_) return left;
  if (accept(TokenKind::less_2)) return binary(BinaryOp::shift_left, left, parse_unary());
  if (accept(TokenKind::greater_2)) return binary(BinaryOp::shift_right, left, parse_unary());
  left = parse_product(left);
  while (!failed_ && (is(TokenKind::plus) || is(TokenKind::minus) || is(TokenKind::minus_2))) {
    const BinaryOp op = is(TokenKind::plus) ? BinaryOp::add : BinaryOp::subtract;
    advance_sign();
    left = binary(op, left, parse_product(parse_unary()));
  }
  return left;
}

/// Past one sign.  The longest token that is valid in its place counts, and `--` and `&&` are not
/// where an operand begins: `a--b` takes away `-b`, `--a` negates twice.
void Parser::advance_sign() {
  Token& token = tokens_[at_];
  if (token.kind != TokenKind::minus_2 && token.kind != TokenKind::ampersand_2) return advance();
  token.kind = token.kind == TokenKind::minus_2 ? TokenKind::minus : TokenKind::ampersand;
  ++token.span.begin;
}

ExprId Parser::parse_product(ExprId left) {
  for (auto op = product_op(current().kind); !failed_ && op.has_value();
       op = product_op(current().kind)) {
    advance();
    left = binary(*op, left, parse_unary());
  }
  return left;
}

ExprId Parser::parse_unary() {
  const std::optional<UnaryOp> op = unary_op(current().kind);
  if (!enter_expression()) return fault(current().span);
  ExprId result = kNone;
  if (op.has_value()) {
    Expr expr;
    expr.kind = ExprKind::unary;
    expr.unary = *op;
    const Span begin = current().span;
    advance_sign();
    expr.left = parse_unary();
    expr.span = join(begin, span_of(expr.left));
    result = add(expr);
  } else {
    result = parse_postfix(parse_primary());
  }
  leave_expression();
  return result;
}

ExprId Parser::parse_postfix(ExprId base) {
  for (std::uint32_t length = 0; !failed_; ++length) {
    Expr expr;
    expr.left = base;
    if (is(TokenKind::bracket_left) || is(TokenKind::period)) {
      if (depth_ + length >= kMaxExpressionDepth) {
        fail(Code::internal_limit, current().span,
             "this expression and its accesses are nested deeper than the limit of " +
                 std::to_string(kMaxExpressionDepth));
        return base;
      }
    }
    if (accept(TokenKind::bracket_left)) {
      expr.kind = ExprKind::index;
      expr.right = parse_expression();
      expect(TokenKind::bracket_right, "after the index");
    } else if (accept(TokenKind::period)) {
      expr.kind = ExprKind::member;
      expr.name = expect_name("a member or swizzle name");
    } else {
      return base;
    }
    expr.span = join(span_of(base), previous().span);
    base = add(expr);
  }
  return base;
}

ExprId Parser::parse_primary() {
  switch (current().kind) {
    case TokenKind::identifier: return parse_identifier();
    case TokenKind::paren_left: return parse_parenthesized();
    case TokenKind::integer_literal:
    case TokenKind::float_literal: return parse_literal();
    default: break;
  }
  if (is(Keyword::kw_true) || is(Keyword::kw_false)) return parse_literal();
  fail_expected("an expression");
  return fault(current().span);
}

ExprId Parser::parse_parenthesized() {
  advance();
  const ExprId inner = parse_expression();
  expect(TokenKind::paren_right, "to close the parenthesis");
  return inner;
}

ExprId Parser::parse_identifier() {
  const Token& token = current();
  Expr expr;
  expr.kind = ExprKind::identifier;
  expr.name = {token.symbol, token.span};
  advance();
  if (accept(TokenKind::template_start)) {
    expr.templated = true;
    expr.list = parse_list(TokenKind::template_end, "to close the template list");
    if (!failed_ && expr.list.empty())
      fail(Code::syntax_error, previous().span, "a template list cannot be empty");
  }
  expr.span = join(token.span, previous().span);
  const ExprId id = add(expr);
  return is(TokenKind::paren_left) ? parse_call(id) : id;
}

ExprId Parser::parse_call(ExprId callee) {
  advance();
  Expr expr;
  expr.kind = ExprKind::call;
  expr.left = callee;
  expr.name = tree_.exprs[callee].name;
  expr.list = parse_list(TokenKind::paren_right, "to close the argument list");
  expr.span = join(span_of(callee), previous().span);
  return add(expr);
}

/// Expressions between commas up to `close`, which is consumed.
Range Parser::parse_list(TokenKind close, std::string_view context) {
  const std::size_t mark = pending_.size();
  while (!failed_ && !is(close) && !at_end()) {
    pending_.push_back(parse_expression());
    if (!accept(TokenKind::comma)) break;
  }
  if (!failed_ && !is(close)) {
    fail_expected("`,` or " + std::string(spelling(close)) + " " + std::string(context));
  }
  if (!failed_) advance();
  return take_list(mark);
}

ExprId Parser::parse_literal() {
  const Token& token = current();
  Expr expr;
  expr.span = token.span;
  if (token.kind == TokenKind::keyword) {
    expr.kind = ExprKind::bool_literal;
    expr.integer = is(Keyword::kw_true) ? 1 : 0;
  } else if (token.symbol != kReported) {
    read_number(map_.text(token.span), token.kind == TokenKind::float_literal, expr, faults_);
  }
  advance();
  return add(expr);
}

/// A type is an identifier, perhaps with a template list.
ExprId Parser::parse_type() {
  if (failed_) return fault(current().span);
  if (!is(TokenKind::identifier)) {
    fail_expected("a type");
    return fault(current().span);
  }
  if (!enter_expression()) return fault(current().span);
  const ExprId type = parse_identifier();
  leave_expression();
  if (tree_.exprs[type].kind == ExprKind::call)
    fail(Code::syntax_error, span_of(type), "expected a type, found a call");
  return type;
}

/// What can stand on the left of an assignment.
ExprId Parser::parse_target() {
  if (!enter_expression()) return fault(current().span);
  ExprId result = kNone;
  const Token& token = current();
  if (is(TokenKind::star) || is(TokenKind::ampersand)) {
    Expr expr;
    expr.kind = ExprKind::unary;
    expr.unary = is(TokenKind::star) ? UnaryOp::indirection : UnaryOp::address_of;
    advance();
    expr.left = parse_target();
    expr.span = join(token.span, span_of(expr.left));
    result = add(expr);
  } else if (accept(TokenKind::paren_left)) {
    const ExprId inner = parse_target();
    expect(TokenKind::paren_right, "to close the parenthesis");
    result = parse_postfix(inner);
  } else if (is(TokenKind::identifier)) {
    result = parse_postfix(parse_identifier());
  } else {
    fail_expected("a statement");
    result = fault(token.span);
  }
  leave_expression();
  return result;
}

}  // namespace vyre::wgsl
