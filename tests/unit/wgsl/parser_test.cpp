// SPDX-License-Identifier: MIT OR Apache-2.0
#include "wgsl/parser.h"

#include <string>

#include <gtest/gtest.h>

#include "unit/wgsl/texts.h"

namespace vyre::wgsl {
namespace {

using Lines = std::vector<std::string>;

/// An expression with every grouping in parentheses.
std::string show(const Text& text, ExprId id) {
  const Expr& e = text.tree.exprs[id];
  const auto list = [&] {
    std::string items;
    for (std::uint32_t i = 0; i < e.list.count; ++i)
      items += (i == 0 ? "" : ", ") + show(text, text.tree.lists[e.list.first + i]);
    return items;
  };
  switch (e.kind) {
    case ExprKind::fault: return "?";
    case ExprKind::int_literal:
    case ExprKind::float_literal:
    case ExprKind::bool_literal: return std::string(text.map.text(e.span));
    case ExprKind::identifier: {
      const std::string name(text.names.text(e.name.symbol));
      return e.templated ? name + "<" + list() + ">" : name;
    }
    case ExprKind::call: return show(text, e.left) + "(" + list() + ")";
    case ExprKind::index: return show(text, e.left) + "[" + show(text, e.right) + "]";
    case ExprKind::member:
      return show(text, e.left) + "." + std::string(text.names.text(e.name.symbol));
    case ExprKind::unary: return "(" + std::string(spelling(e.unary)) + show(text, e.left) + ")";
    case ExprKind::binary:
      return "(" + show(text, e.left) + " " + std::string(spelling(e.binary)) + " " +
             show(text, e.right) + ")";
  }
  return {};
}

std::string parsed(const std::string& expression) {
  Text text("const x = " + expression + ";");
  text.parse();
  EXPECT_EQ(text.found(), Lines{}) << expression;
  return show(text, text.tree.declarations[text.tree.globals.at(0)].value);
}

Lines parse_faults(const std::string& source) {
  return Text(source).parse().found();
}
Lines faults_in_body(const std::string& body) {
  return parse_faults("fn f() {\n" + body + "\n}");
}
Lines faults_in_expression(const std::string& e) {
  return parse_faults("const x = " + e + ";");
}

TEST(Parser, GroupsByPrecedence) {
  EXPECT_EQ(parsed("a + b * c - d"), "((a + (b * c)) - d)");
  EXPECT_EQ(parsed("-a * !b"), "((-a) * (!b))");
  EXPECT_EQ(parsed("a + b < c * d && e == f"), "(((a + b) < (c * d)) && (e == f))");
  EXPECT_EQ(parsed("a | b | c"), "((a | b) | c)");
  EXPECT_EQ(parsed("a << 1u"), "(a << 1u)");
  EXPECT_EQ(parsed("(a & b) == c"), "((a & b) == c)");
  EXPECT_EQ(parsed("a << b < c"), "((a << b) < c)");
  EXPECT_EQ(parsed("&a[1].b"), "(&a[1].b)");
  EXPECT_EQ(parsed("(*p).x"), "(*p).x");
  EXPECT_EQ(parsed("a - -b"), "(a - (-b))");
  EXPECT_EQ(parsed("f(a, g(b),)[0].xy"), "f(a, g(b))[0].xy");
  EXPECT_EQ(parsed("vec3<f32>(1, 2, 3)"), "vec3<f32>(1, 2, 3)");
  EXPECT_EQ(parsed("array<vec2<u32>, (A > B)>()"), "array<vec2<u32>, (A > B)>()");
}

TEST(Parser, WantsParenthesesWhereOperatorsDoNotCombine) {
  for (const char* e : {"a & b | c", "a && b || c", "a == b == c", "a + b & c", "a << b << c",
                        "a << b + c", "a + b << c", "a < b & c", "a ^ b && c"})
    EXPECT_EQ(faults_in_expression(e).size(), 1U) << e;
}

TEST(Parser, ReadsAllStatements) {
  EXPECT_EQ(faults_in_body(R"(
    let a = 1; const b: i32 = 2; var c: f32; var<function> d = 3u;
    a = 1; _ = f(); a += 1; a <<= 2u; a >>= 2u; a++; b--; *p = 1; (*p).x = 2; a[i].y %= 3;
    f(); f(1, 2,); ;
    if a { } else if (b) { } else { }
    if (a < b) && (c > d) { return; }
    switch a { case 1, 2: { } case 3, default { } }
    switch (a) { default: { break; } }
    loop { break; continuing { a++; break if a > 3; } }
    loop { if x { continue; } continuing { } }
    for (var i = 0; i < 3; i++) { continue; }
    for (;;) { break; }
    for (i = 0; ; f()) { }
    while a < 3 { }
    @diagnostic(off, derivative_uniformity) if x { }
    { const_assert 1 < 2; { discard; } }
    return a;)"),
            Lines{});
}

TEST(Parser, TheLongestTokenThatIsValidInItsPlaceCounts) {
  EXPECT_EQ(faults_in_body("let a = 3--7; let b = a--a*2; b--;"), Lines{});
  for (const char* body : {"let a = --b;",
                           "let a = ---b;",
                           "let a = ----b;",
                           "let a = b---c;",
                           "let a = b----c;",
                           "let a = ~--b;",
                           "let a = !--b;",
                           "a = b * --2;",
                           "a = b / --2 % --3;",
                           "a += --1;",
                           "let a = max(--3, --4);",
                           "let a = b[--1];",
                           "let a = (--b).x;",
                           "let a = b << --c;",
                           "let a = b < --c && --b > c;",
                           "let a = b & --c;",
                           "_ = --1;",
                           "return --1;",
                           "if --a < --b { }",
                           "while a --b < 0 { }",
                           "for (var i = --1; i --1 < 4; i--) { }",
                           "switch --1 { case --2, --3: { } default { } }",
                           "let a: array<u32, --2> = b;",
                           "let a = vec2<i32>(--1);",
                           "loop { continuing { a--; break if --a < b--c; } }",
                           "const_assert --1 == 1;",
                           "@diagnostic(off, x.y) if a { b[--i]--; }",
                           "let a = &&b;",
                           "*--a = 1;"})
    EXPECT_EQ(faults_in_body(body), body[0] == '*' ? Lines{"2:2+2 syntax-error"} : Lines{}) << body;
  EXPECT_EQ(faults_in_body("let a = b--;"), (Lines{"2:12+1 syntax-error"}));
  EXPECT_EQ(faults_in_body("let a = 3++7;"), (Lines{"2:10+2 syntax-error"}));
}

Lines faults_in_files(const std::vector<std::string>& files) {
  std::vector<Source> sources;
  for (const std::string& file : files)
    sources.push_back({"part.wgsl", file});
  return Text(std::move(sources)).parse().found();
}

TEST(Parser, EachJoinedTextBeginsWithItsDirectives) {
  const std::string head = "enable f16; requires pointer_composite_access;\n;diagnostic(off, a.b);";
  const std::string rest = "fn f() { }";
  EXPECT_EQ(faults_in_files({rest, head, rest, head + rest}), Lines{});
  EXPECT_EQ(faults_in_files({head, head, "", "// a comment\n", head + rest}), Lines{});
  EXPECT_EQ(faults_in_files({rest, "; enable f16;"}), Lines{});
  EXPECT_EQ(faults_in_files({rest, "const c = 1; enable f16;"}), Lines{"1:14+6 syntax-error"});
  EXPECT_EQ(faults_in_files({"fn f() {", "enable f16; }"}),
            (Lines{"1:1+6 syntax-error", "1:13+1 syntax-error"}));
  EXPECT_EQ(faults_in_files({"const c = ;\n", head + rest}), Lines{"1:11+1 syntax-error"});
}

TEST(Parser, ReadsAllDeclarations) {
  EXPECT_EQ(parse_faults(R"(
    enable f16, subgroups; requires a_feature,;
    diagnostic(off, derivative_uniformity); diagnostic(warning, my.rule,);
    alias T = array<vec4<f32>, 4>;
    struct S { a: u32, @align(16) @size(32) b: T, }
    struct U { a: u32 };
    const c = 1; @id(1) override o: f32 = 2.0; override p: u32;
    @group(0) @binding(1) var<storage, read_write> s: array<S>;
    var<private> q = 1u;
    const_assert c == 1;
    @vertex fn v(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f { return vec4f(); }
    @fragment fn g(@location(0) @interpolate(flat, first) x: u32) -> @location(0) vec4f { discard; }
    @compute @workgroup_size(8, 8,) fn k(@builtin(global_invocation_id) id: vec3u,) { }
    @must_use fn m() -> u32 { return 1; }
    ;)"),
            Lines{});
}

TEST(Parser, ReportsFiveFaultsInFiveLines) {
  EXPECT_EQ(faults_in_body("let a = ;\n"
                           "let 5 = b;\n"
                           "c = = 3;\n"
                           "foo(1;\n"
                           "let z = x & y + 1;"),
            (Lines{"2:9+1 syntax-error", "3:5+1 syntax-error", "4:5+1 syntax-error",
                   "5:6+1 syntax-error", "6:15+1 syntax-error"}));
}

TEST(Parser, ReportsAMissingSemicolonWhereItBelongs) {
  EXPECT_EQ(faults_in_body("let a = 1\nlet b = 2\nreturn"),
            (Lines{"2:10+1 syntax-error", "3:10+1 syntax-error", "4:7+1 syntax-error"}));
}

TEST(Parser, ReadsTheBodyAfterAFaultyHead) {
  EXPECT_EQ(faults_in_body("if (a + ) {\n let = 1;\n}\nfor (var i = 0 i < 3; i++) {\n x y;\n}"),
            (Lines{"2:9+1 syntax-error", "3:6+1 syntax-error", "5:16+1 syntax-error",
                   "6:4+1 syntax-error"}));
}

TEST(Parser, GoesOnAtTheNextDeclaration) {
  EXPECT_EQ(parse_faults("struct { }\nfn (a) { }\nconst = 3;\nfn f() { x y; }\nblah\nvar q"),
            (Lines{"1:8+1 syntax-error", "2:4+1 syntax-error", "3:7+1 syntax-error",
                   "4:12+1 syntax-error", "5:1+4 syntax-error", "6:6+1 syntax-error"}));
}

TEST(Parser, FindsTheFunctionAfterAMissingBrace) {
  EXPECT_EQ(parse_faults("fn a() {\n if x {\n\nfn b() { y z; }"),
            (Lines{"4:1+2 syntax-error", "4:12+1 syntax-error"}));
}

TEST(Parser, RejectsWhatTheGrammarDoesNotHave) {
  for (const char* body :
       {"a + 1;", "1 = a;", "let x: 3 = 1;", "if x return;", "break if x;", "f;", "else { }",
        "switch x { let y = 1; }", "loop { continuing { break if x; f(); } }", "a[] = 1;",
        "@compute let a = 1;", "let let = 1;", "vec2<>(1);", "return 1 2;", "fn g() { }"})
    EXPECT_FALSE(faults_in_body(body).empty()) << body;
  for (const char* module : {"let a = 1;", "const a;", "const a = 1; enable f16;", "struct S { }",
                             "fn f(a) { }", "fn f() -> { }", "alias A;", "@unknown fn f() { }",
                             "@group fn f() { }", "@align(1, 2) var x: u32;", "}"})
    EXPECT_FALSE(parse_faults(module).empty()) << module;
}

TEST(Parser, LimitsTheNestingOfBraces) {
  const auto nested = [](std::size_t depth) {
    return "fn f() " + std::string(depth, '{') + std::string(depth, '}');
  };
  EXPECT_EQ(parse_faults(nested(127)), Lines{});
  EXPECT_EQ(parse_faults(nested(128)), Lines{"1:135+1 internal-limit"});
  EXPECT_EQ(parse_faults(nested(100000)), Lines{"1:135+1 internal-limit"});
}

TEST(Parser, RefusesDeepExpressionsWithoutOverflow) {
  constexpr std::size_t kDeep = 100000;
  for (const char* part : {"(", "- ", "f(", "a[", "*", "!"}) {
    std::string e;
    for (std::size_t i = 0; i < kDeep; ++i)
      e += part;
    const Lines found = faults_in_expression(e);
    ASSERT_FALSE(found.empty()) << part;
    EXPECT_TRUE(found[0].ends_with("internal-limit")) << part << found[0];
  }
  std::string type;
  for (std::size_t i = 0; i < kDeep; ++i)
    type += "A<";
  EXPECT_EQ(faults_in_expression(type + "A" + std::string(kDeep, '>')).size(), 1U);
  std::string chain = "a";
  for (std::size_t i = 0; i < kDeep; ++i)
    chain += ".x";
  EXPECT_EQ(faults_in_expression(chain).size(), 1U);
  std::string braces;
  for (std::size_t i = 0; i < kDeep; ++i)
    braces += "if x {";
  EXPECT_FALSE(faults_in_body(braces).empty());
}

TEST(Parser, ReadsLongChainsOfAnyLength) {
  std::string sum = "1";
  for (int i = 0; i < 100000; ++i)
    sum += " + 1";
  EXPECT_EQ(faults_in_expression(sum), Lines{});
  std::string branches = "if a { }";
  for (int i = 0; i < 20000; ++i)
    branches += " else if b { }";
  EXPECT_EQ(faults_in_body(branches), Lines{});
}

TEST(Parser, EndsOnEveryPrefixOfAText) {
  const std::string source =
      "@compute @workgroup_size(1) fn f(@builtin(x) a: array<vec2<f32>, 3>) -> u32 { for (var i = "
      "0; i < 3; i++) { if a { } else { a.b[1] += f(1, 2); } loop { continuing { break if x; } } "
      "switch b { case 1, default: { } } } }";
  for (std::size_t n = 1; n < source.size(); ++n)
    EXPECT_FALSE(parse_faults(source.substr(0, n)).empty()) << n;
}

}  // namespace
}  // namespace vyre::wgsl
