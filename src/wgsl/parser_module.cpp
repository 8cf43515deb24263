// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <iterator>
#include <unordered_set>

#include "base/near_names.h"
#include "wgsl/parser_state.h"

namespace vyre::wgsl {
namespace {

struct AttributeShape {
  std::string_view name;
  std::uint32_t least;
  std::uint32_t most;
  std::uint32_t sites;
};

constexpr std::uint32_t bit(AttributeSite site) {
  return 1U << static_cast<std::uint32_t>(site);
}
constexpr std::uint32_t kFunction = bit(AttributeSite::function);
constexpr std::uint32_t kMember = bit(AttributeSite::member);
constexpr std::uint32_t kInterface = kMember | bit(AttributeSite::parameter);
constexpr std::uint32_t kVariable = bit(AttributeSite::variable);

constexpr AttributeShape kAttributes[] = {
    {"align", 1, 1, kMember},
    {"binding", 1, 1, kVariable},
    {"blend_src", 1, 1, kInterface},
    {"builtin", 1, 1, kInterface},
    {"compute", 0, 0, kFunction},
    {"const", 0, 0, 0},
    {"diagnostic", 2, 2, kFunction | bit(AttributeSite::statement)},
    {"fragment", 0, 0, kFunction},
    {"group", 1, 1, kVariable},
    {"id", 1, 1, bit(AttributeSite::override_)},
    {"interpolate", 1, 2, kInterface},
    {"invariant", 0, 0, kInterface},
    {"location", 1, 1, kInterface},
    {"must_use", 0, 0, kFunction},
    {"size", 1, 1, kMember},
    {"vertex", 0, 0, kFunction},
    {"workgroup_size", 1, 3, kFunction},
};

const AttributeShape* find_attribute(std::string_view name) {
  const auto* row = std::find_if(std::begin(kAttributes), std::end(kAttributes),
                                 [&](const AttributeShape& shape) { return shape.name == name; });
  return row == std::end(kAttributes) ? nullptr : row;
}

}  // namespace

void Parser::check_severity(Name name) {
  const std::string_view text = map_.text(name.span);
  if (text == "error" || text == "warning" || text == "info" || text == "off") return;
  faults_.error(Code::invalid_attribute, name.span, "`" + std::string(text) + "` is not a severity",
                "use error, warning, info or off");
}

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
  if (!failed_) check_severity(directive.names[0]);
  expect(TokenKind::comma, "after the severity");
  directive.names.push_back(expect_name("a diagnostic rule"));
  if (accept(TokenKind::period)) directive.names.push_back(expect_name("a diagnostic rule"));
  if (!failed_ && directive.names.size() == 2)
    warn_of_rule(map_.text(directive.names[1].span), directive.names[1].span);
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
  check_sites(declaration.attributes, is(Keyword::kw_fn)         ? AttributeSite::function
                                      : is(Keyword::kw_var)      ? AttributeSite::variable
                                      : is(Keyword::kw_override) ? AttributeSite::override_
                                                                 : AttributeSite::nowhere);
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
    fail("a directive must come before all declarations of its text");
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
  declaration.fields = parse_fields(TokenKind::brace_right, AttributeSite::member);
  expect(TokenKind::brace_right, "to close the structure");
  if (!failed_ && declaration.fields.empty())
    fail(Code::syntax_error, declaration.name.span, "a structure must have at least one member");
  if (is(TokenKind::semicolon)) advance();
}

/// Members or parameters, up to `close`, which is not consumed.
Range Parser::parse_fields(TokenKind close, AttributeSite site) {
  const std::string what = close == TokenKind::paren_right ? "a parameter" : "a member";
  const auto first = static_cast<std::uint32_t>(tree_.fields.size());
  while (!failed_ && !is(close) && !at_end()) {
    Field field;
    field.span = current().span;
    field.attributes = parse_attributes(site);
    field.name = expect_name("the name of " + what);
    expect(TokenKind::colon, "after the name of " + what);
    field.type = parse_type();
    field.span.end = previous().span.end;
    if (!failed_) tree_.fields.push_back(field);
    if (failed_ || accept(TokenKind::comma) || is(close)) continue;
    fail_expected("`,` or " + std::string(spelling(close)) + " after " + what);
  }
  return {first, static_cast<std::uint32_t>(tree_.fields.size()) - first};
}

bool Parser::is_entry_point(const Declaration& function) const {
  for (std::uint32_t i = 0; i < function.attributes.count; ++i) {
    const Attribute& attribute = tree_.attributes[function.attributes.first + i];
    const std::string_view name = names_.text(attribute.name.symbol);
    if (name == "compute" || name == "vertex" || name == "fragment") return true;
  }
  return false;
}

void Parser::parse_function(Declaration& declaration) {
  declaration.kind = DeclarationKind::function;
  advance();
  declaration.name = expect_name("the name of the function");
  const AttributeSite interface =
      is_entry_point(declaration) ? AttributeSite::parameter : AttributeSite::nowhere;
  expect(TokenKind::paren_left, "after the name of the function");
  declaration.fields = parse_fields(TokenKind::paren_right, interface);
  expect(TokenKind::paren_right, "to close the parameter list");
  if (!failed_ && accept(TokenKind::arrow)) {
    declaration.result_attributes = parse_attributes(interface);
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

/// Attributes that cannot stand where they do are told of; the tree keeps them.
void Parser::check_sites(Range attributes, AttributeSite site) {
  for (std::uint32_t i = 0; i < attributes.count; ++i) {
    const Attribute& attribute = tree_.attributes[attributes.first + i];
    const std::string name(names_.text(attribute.name.symbol));
    const AttributeShape* shape = find_attribute(name);
    if (shape != nullptr && (shape->sites & bit(site)) == 0)
      faults_.error(Code::invalid_attribute, attribute.span,
                    "the attribute `@" + name + "` cannot be used here");
  }
}

Range Parser::parse_attributes(AttributeSite site) {
  const Range attributes = parse_attributes();
  check_sites(attributes, site);
  return attributes;
}

Range Parser::parse_attributes() {
  const auto first = static_cast<std::uint32_t>(tree_.attributes.size());
  while (!failed_ && is(TokenKind::at))
    parse_attribute();
  const Range range = {first, static_cast<std::uint32_t>(tree_.attributes.size()) - first};
  check_rules(range);
  return range;
}

/// A rule has one severity at a place.
void Parser::check_rules(Range attributes) {
  std::unordered_set<std::string_view> rules;
  for (std::uint32_t i = 0; i < attributes.count; ++i) {
    const Attribute& attribute = tree_.attributes[attributes.first + i];
    if (names_.text(attribute.name.symbol) != "diagnostic" || attribute.arguments.count != 2)
      continue;
    const Span span = tree_.exprs[tree_.lists[attribute.arguments.first + 1]].span;
    const std::string_view rule = map_.text(span);
    warn_of_rule(rule, attribute.span);
    if (!rules.insert(rule).second)
      faults_.error(Code::invalid_attribute, attribute.span,
                    "the rule `" + std::string(rule) + "` is given two severities",
                    "leave one of the attributes out");
  }
}

void Parser::warn_of_rule(std::string_view rule, Span span) {
  const bool foreign = rule.find('.') != std::string_view::npos;
  if (foreign || rule == "derivative_uniformity" || rule == "subgroup_uniformity") return;
  faults_.warning(Code::invalid_attribute, span,
                  "there is no diagnostic rule `" + std::string(rule) + "`");
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
    Nearest nearest(name);
    for (const AttributeShape& row : kAttributes)
      nearest.offer(row.name);
    faults_.error(Code::invalid_attribute, attribute.name.span,
                  "there is no attribute `@" + name + "`", nearest.question());
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
  if (shape != nullptr && shape->name == "diagnostic" && count == 2) {
    const Expr& severity = tree_.exprs[tree_.lists[attribute.arguments.first]];
    check_severity({severity.name.symbol, severity.span});
  }
  tree_.attributes.push_back(attribute);
}

}  // namespace vyre::wgsl
