// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <iterator>

#include "wgsl/parser_state.h"

namespace vyre::wgsl {
namespace {

struct AttributeShape {
  std::string_view name;
  std::uint32_t least;
  std::uint32_t most;
};

constexpr AttributeShape kAttributes[] = {
    {"align", 1, 1},          {"binding", 1, 1},  {"blend_src", 1, 1},   {"builtin", 1, 1},
    {"compute", 0, 0},        {"const", 0, 0},    {"diagnostic", 2, 2},  {"fragment", 0, 0},
    {"group", 1, 1},          {"id", 1, 1},       {"interpolate", 1, 2}, {"invariant", 0, 0},
    {"location", 1, 1},       {"must_use", 0, 0}, {"size", 1, 1},        {"vertex", 0, 0},
    {"workgroup_size", 1, 3},
};

const AttributeShape* find_attribute(std::string_view name) {
  const auto* row = std::find_if(std::begin(kAttributes), std::end(kAttributes),
                                 [&](const AttributeShape& shape) { return shape.name == name; });
  return row == std::end(kAttributes) ? nullptr : row;
}

}  // namespace

void Parser::parse_directives() {
  while (is(Keyword::kw_enable) || is(Keyword::kw_requires) || is(Keyword::kw_diagnostic) ||
         is(TokenKind::semicolon)) {
    if (accept(TokenKind::semicolon)) continue;
    parse_directive();
    if (failed_) recover_declaration();
  }
}

void Parser::parse_directive() {
  Directive directive;
  directive.span = current().span;
  directive.kind = is(Keyword::kw_enable)     ? DirectiveKind::enable
                   : is(Keyword::kw_requires) ? DirectiveKind::requires_
                                              : DirectiveKind::diagnostic;
  advance();
  if (directive.kind == DirectiveKind::diagnostic) {
    parse_diagnostic_control(directive);
  } else {
    do {
      if (is(TokenKind::semicolon) && !directive.names.empty()) break;
      directive.names.push_back(expect_name("the name of an extension"));
    } while (!failed_ && accept(TokenKind::comma));
  }
  expect_semicolon("after the directive");
  directive.span.end = previous().span.end;
  if (!failed_) tree_.directives.push_back(std::move(directive));
}

void Parser::parse_diagnostic_control(Directive& directive) {
  expect(TokenKind::paren_left, "after `diagnostic`");
  directive.names.push_back(expect_name("a severity"));
  expect(TokenKind::comma, "after the severity");
  directive.names.push_back(expect_name("a diagnostic rule"));
  if (accept(TokenKind::period)) directive.names.push_back(expect_name("a diagnostic rule"));
  accept(TokenKind::comma);
  expect(TokenKind::paren_right, "to close the diagnostic control");
}

void Parser::parse_global() {
  if (accept(TokenKind::semicolon)) return;
  const std::size_t begin = at_;
  Declaration declaration;
  declaration.span = current().span;
  declaration.attributes = parse_attributes();
  const bool known = !failed_ && parse_global_body(declaration);
  declaration.faulty = failed_;
  declaration.span.end = previous().span.end;
  if (known &&
      (declaration.name.span.end != 0 || declaration.kind == DeclarationKind::const_assert))
    tree_.globals.push_back(add(declaration));
  if (failed_) recover_declaration();
  if (at_ == begin) advance();
}

/// False when no declaration begins here.
bool Parser::parse_global_body(Declaration& declaration) {
  if (is(Keyword::kw_fn)) {
    parse_function(declaration);
  } else if (is(Keyword::kw_var)) {
    parse_var(declaration);
    expect_semicolon("after the declaration");
  } else if (is(Keyword::kw_override) || is(Keyword::kw_const)) {
    parse_value(declaration,
                is(Keyword::kw_const) ? DeclarationKind::const_ : DeclarationKind::override_);
    expect_semicolon("after the declaration");
  } else if (is(Keyword::kw_struct)) {
    parse_struct(declaration);
  } else if (is(Keyword::kw_alias)) {
    parse_alias(declaration);
  } else if (is(Keyword::kw_const_assert)) {
    parse_const_assert(declaration);
  } else if (is(Keyword::kw_enable) || is(Keyword::kw_requires) || is(Keyword::kw_diagnostic)) {
    fail("a directive must come before all declarations");
    return false;
  } else if (is(Keyword::kw_let)) {
    fail("`let` cannot be used outside of a function; use `const`");
    return false;
  } else {
    fail_expected("a declaration");
    return false;
  }
  return true;
}

void Parser::parse_alias(Declaration& declaration) {
  declaration.kind = DeclarationKind::alias;
  advance();
  declaration.name = expect_name("the name of the alias");
  expect(TokenKind::equal, "after the name of the alias");
  declaration.type = parse_type();
  expect_semicolon("after the alias");
}

void Parser::parse_const_assert(Declaration& declaration) {
  declaration.kind = DeclarationKind::const_assert;
  advance();
  declaration.value = parse_expression();
  expect_semicolon("after the assertion");
}

void Parser::parse_struct(Declaration& declaration) {
  declaration.kind = DeclarationKind::structure;
  advance();
  declaration.name = expect_name("the name of the structure");
  expect(TokenKind::brace_left, "after the name of the structure");
  declaration.fields = parse_fields(TokenKind::brace_right, "a member");
  expect(TokenKind::brace_right, "to close the structure");
  if (!failed_ && declaration.fields.empty())
    fail(Code::syntax_error, declaration.name.span, "a structure must have at least one member");
  if (is(TokenKind::semicolon)) advance();
}

/// Members or parameters, up to `close`, which is not consumed.
Range Parser::parse_fields(TokenKind close, std::string_view what) {
  const auto first = static_cast<std::uint32_t>(tree_.fields.size());
  while (!failed_ && !is(close) && !at_end()) {
    Field field;
    field.span = current().span;
    field.attributes = parse_attributes();
    field.name = expect_name("the name of " + std::string(what));
    expect(TokenKind::colon, "after the name of " + std::string(what));
    field.type = parse_type();
    field.span.end = previous().span.end;
    if (!failed_) tree_.fields.push_back(field);
    if (failed_ || accept(TokenKind::comma) || is(close)) continue;
    fail_expected("`,` or " + std::string(spelling(close)) + " after " + std::string(what));
  }
  return {first, static_cast<std::uint32_t>(tree_.fields.size()) - first};
}

void Parser::parse_function(Declaration& declaration) {
  declaration.kind = DeclarationKind::function;
  advance();
  declaration.name = expect_name("the name of the function");
  expect(TokenKind::paren_left, "after the name of the function");
  declaration.fields = parse_fields(TokenKind::paren_right, "a parameter");
  expect(TokenKind::paren_right, "to close the parameter list");
  if (!failed_ && accept(TokenKind::arrow)) {
    declaration.result_attributes = parse_attributes();
    declaration.type = parse_type();
  }
  const bool head_failed = failed_;
  if (head_failed && !recover_to_brace()) return;
  declaration.body = parse_block();
  failed_ = failed_ || (head_failed && is(TokenKind::brace_right));
  declaration.faulty = head_failed;
}

void Parser::parse_typed_name(Declaration& declaration, std::string_view what) {
  declaration.name = expect_name(what);
  if (!failed_ && accept(TokenKind::colon)) declaration.type = parse_type();
}

/// `const`, `override` or `let`, without the semicolon.
void Parser::parse_value(Declaration& declaration, DeclarationKind kind) {
  declaration.kind = kind;
  advance();
  parse_typed_name(declaration, "the name of the value");
  if (failed_) return;
  if (accept(TokenKind::equal)) {
    declaration.value = parse_expression();
  } else if (kind != DeclarationKind::override_) {
    fail_expected("`=`: the value needs an initializer");
  }
}

void Parser::parse_var(Declaration& declaration) {
  declaration.kind = DeclarationKind::var;
  advance();
  if (accept(TokenKind::template_start))
    declaration.templates = parse_list(TokenKind::template_end, "to close the template list");
  parse_typed_name(declaration, "the name of the variable");
  if (!failed_ && accept(TokenKind::equal)) declaration.value = parse_expression();
}

Range Parser::parse_attributes() {
  const auto first = static_cast<std::uint32_t>(tree_.attributes.size());
  while (!failed_ && is(TokenKind::at))
    parse_attribute();
  return {first, static_cast<std::uint32_t>(tree_.attributes.size()) - first};
}

void Parser::parse_attribute() {
  Attribute attribute;
  attribute.span = current().span;
  advance();
  attribute.name = expect_context_name("the name of an attribute");
  if (failed_) return;
  const AttributeShape* shape = find_attribute(names_.text(attribute.name.symbol));
  if (shape == nullptr) {
    const std::string name(names_.text(attribute.name.symbol));
    faults_.error(Code::invalid_attribute, attribute.name.span,
                  "there is no attribute `@" + name + "`");
  }
  attribute.has_list = is(TokenKind::paren_left) && (shape == nullptr || shape->most > 0);
  if (attribute.has_list) {
    advance();
    attribute.arguments = parse_list(TokenKind::paren_right, "to close the attribute");
  }
  attribute.span.end = previous().span.end;
  const std::uint32_t count = attribute.arguments.count;
  if (!failed_ && shape != nullptr && (count < shape->least || count > shape->most)) {
    faults_.error(Code::invalid_attribute, attribute.span,
                  "the attribute `@" + std::string(shape->name) + "` takes " +
                      std::to_string(shape->least) +
                      (shape->most > shape->least ? " to " + std::to_string(shape->most) : "") +
                      " arguments, not " + std::to_string(count));
  }
  tree_.attributes.push_back(attribute);
}

}  // namespace vyre::wgsl
