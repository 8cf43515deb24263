// SPDX-License-Identifier: MIT OR Apache-2.0
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "wgsl/module.h"

// Texts with very many of one thing.  What takes time in proportion to the text is done at once;
// what compares each with each does not end within the time that a test has.
namespace vyre::wgsl::scale {
namespace {

constexpr std::size_t kMany = 100000;

using Piece = std::function<std::string(const std::string& i)>;

std::string many(const Piece& piece, std::size_t count = kMany) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i)
    text += piece(std::to_string(i));
  return text;
}
std::string again(const std::string& piece, std::size_t count = kMany) {
  return many([&](const std::string&) { return piece; }, count);
}

std::string before(const std::string& i) {
  return i == "0" ? "0" : std::to_string(std::stoul(i) - 1);
}

constexpr const char* kHead = "@group(0) @binding(0) var<storage, read_write> b: array<u32>;\n";
std::string main_of(const std::string& body) {
  return kHead + ("@compute @workgroup_size(1) fn main() { " + body + "\n}\n");
}

struct Judgement {
  std::size_t programs = 0;
  std::size_t faults = 0;
};
Judgement judge(const std::string& text, const WgslOptions& options = {}) {
  Judgement found;
  const auto faults =
      check_text({{"many.wgsl", text}}, options, [&](const ValidProgram&) { ++found.programs; });
  if (!faults) {
    ADD_FAILURE() << faults.error().to_string();
    return found;
  }
  for (const Diagnostic& d : *faults) {
    if (d.severity != Severity::error) continue;
    if (++found.faults == 1) SCOPED_TRACE(d.message);
  }
  return found;
}

void expect_valid(const std::string& text, std::size_t programs = 1) {
  const Judgement found = judge(text);
  EXPECT_EQ(found.faults, 0U) << text.substr(0, 200);
  EXPECT_EQ(found.programs, programs) << text.substr(0, 200);
}
void expect_faulty(const std::string& text) {
  EXPECT_GT(judge(text).faults, 0U) << text.substr(0, 200);
}

TEST(Scale, Declarations) {
  for (const Piece& piece : std::vector<Piece>{
           [](auto& i) { return "struct S" + i + " { a: u32, b: vec3f }\n"; },
           [](auto& i) { return "alias A" + i + " = array<u32, " + i + " + 1>;\n"; },
           [](auto& i) { return "const c" + i + " = " + i + ";\n"; },
           [](auto& i) { return "override o" + i + " = " + i + ";\n"; },
           [](auto& i) { return "const_assert " + i + " >= 0;\n"; },
           [](auto& i) { return "fn f" + i + "(a: u32) -> u32 { return a * " + i + "; }\n"; },
           [](auto& i) { return "var<private> v" + i + ": u32;\n"; },
           [](auto& i) { return "@group(1) @binding(" + i + ") var<storage> s" + i + ": u32;\n"; },
       })
    expect_valid(many(piece) + main_of("b[0] = 1;"));
}

TEST(Scale, DeclarationsThatNeedEachOther) {
  expect_valid("const c0 = 1;\n" + many([](auto& i) {
                 return "const d" + i + " = " + (i == "0" ? "c0" : "d" + before(i)) + " + 0;\n";
               }) +
               main_of("b[0] = d99999;"));
  expect_valid(many([](auto& i) {
                 return "alias A" + i + " = " + (i == "0" ? "u32" : "A" + before(i)) + ";\n";
               }) +
               main_of("b[0] = A99999(1);"));
  expect_faulty(many([](auto& i) {
                  return "alias A" + i + " = array<array<A" + before(i) + ", 2>, A" +
                         std::to_string(std::stoul(i) + 1) + ">;\n";
                }) +
                main_of("b[0] = 1;"));
  expect_faulty(many([](auto& i) { return "const c" + i + " = c" + before(i) + ";\n"; }) +
                main_of("b[0] = 1;"));
}

TEST(Scale, EntryPoints) {
  expect_valid(kHead + many([](auto& i) {
                 return "@compute @workgroup_size(1) fn m" + i + "() { b[" + i + "] = g(" + i +
                        "); }\n";
               }) + "fn g(i: u32) -> u32 { return h(i) + 1; } fn h(i: u32) -> u32 { return i; }",
               kMany);
  expect_faulty(kHead + many([](auto& i) {
                  return "@compute @workgroup_size(1) fn m" + i + "() { g(); }\n";
                }) +
                "fn g() { b[0] = 1.5; }");
}

TEST(Scale, Overrides) {
  WgslOptions options;
  for (std::size_t i = 0; i < kMany; ++i)
    options.constants.emplace_back("o" + std::to_string(i), i);
  const std::string text =
      many([](auto& i) { return "override o" + i + ": u32;\n"; }) + main_of("b[0] = o7 + o99999;");
  const Judgement found = judge(text, options);
  EXPECT_EQ(found.faults, 0U);
  EXPECT_EQ(found.programs, 1U);
  EXPECT_GT(judge(main_of("b[0] = 1;"), options).faults, 0U);
}

TEST(Scale, MembersAndParameters) {
  const std::string members = many([](auto& i) { return "m" + i + ": u32,\n"; });
  expect_valid("struct S { " + members + "}\n@group(0) @binding(1) var<storage> s: S;\n" +
               main_of(many([](auto& i) { return "b[0] = s.m" + i + ";\n"; }, kMany / 2)));
  expect_faulty("struct S { " + members + "}\n@group(0) @binding(1) var<storage> s: S;\n" +
                main_of(many([](auto& i) { return "b[0] = s.n" + i + ";\n"; })));
  expect_faulty("struct S { " + again("m: u32,\n") + "}\n" + main_of("b[0] = 1;"));
  const std::string pointers = many([](auto& i) { return "p" + i + ": ptr<function, u32>, "; });
  expect_faulty("fn f(" + pointers + ") { *p1 = *p2; }\n" +
                main_of("var x = 1u; f(" + again("&x, ") + ");"));
  expect_valid("fn f(" + pointers + ") { b[0] = *p2; }\n" +
               main_of("var x = 1u; f(" + again("&x, ") + ");"));
}

TEST(Scale, Attributes) {
  const auto body = main_of("b[0] = 1;");
  expect_valid(many([](auto& i) { return "@diagnostic(off, r.x" + i + ")\n"; }) + "fn f() { }\n" +
               body);
  expect_faulty(again("@diagnostic(off, derivative_uniformity)\n") + "fn f() { }\n" + body);
  expect_faulty(again("@must_use\n") + "fn f() -> u32 { return 1; }\n" + body);
  expect_faulty(many([](auto& i) { return "@unknown" + i + "\n"; }) + "fn f() { }\n" + body);
  expect_valid(many([](auto& i) { return "diagnostic(off, r.x" + i + ");\n"; }) + body);
  expect_valid(again("enable f16;\n") + body);
}

TEST(Scale, StatementsOfOneFunction) {
  expect_valid(main_of(many([](auto& i) { return "let x" + i + " = b[" + i + "];\n"; })));
  expect_valid(
      main_of(many([](auto& i) { return "{ var x = " + i + "u; b[0] = x; }\n"; }, kMany / 2)));
  expect_valid(main_of("switch b[0] { default { }\n" +
                       many([](auto& i) { return "case " + i + " { b[0] = 1; }\n"; }) + "}"));
  expect_valid(main_of("switch b[0] { default { } case " + many([](auto& i) { return i + ", "; }) +
                       " { b[0] = 1; } }"));
  expect_faulty(main_of("switch b[0] { default { } case " + again("3, ") + " { } }"));
  expect_valid(main_of("let p0 = &b[b[0]];\n" + many([](auto& i) {
                         return "let q" + i + " = " + (i == "0" ? "p0" : "q" + before(i)) + ";\n";
                       }) +
                       many([](auto& i) { return "*q" + i + " = 1;\n"; })));
  expect_valid(main_of(
      "loop { if b[0] > 3 { break; } let p0 = &b[b[0]];\n" +
      many(
          [](auto& i) { return "let q" + i + " = " + (i == "0" ? "p0" : "q" + before(i)) + ";\n"; },
          1000) +
      "continuing { *q999 += 1; } }"));
  expect_valid(main_of("const a = array(" + many([](auto& i) { return i + ", "; }, 65536) +
                       "); b[0] = u32(a[7]);"));
}

TEST(Scale, Expressions) {
  expect_valid(
      main_of("b[0] = 1" + many([](auto& i) { return " + b[" + i + "]"; }, kMany / 2) + ";"));
  expect_valid(main_of("b[0] = 0" + again(" + 0") + ";"));
  expect_faulty(main_of("b[0] = 0" + again(" < b") + ";"));
  expect_faulty(main_of("b[0] = b" + again(" < b(") + ";"));
  expect_faulty(main_of("b[0] = " + again("-") + "1;"));
  expect_faulty(main_of("b[0] = " + again("(") + "1;"));
}

TEST(Scale, Characters) {
  const std::string body = main_of("b[0] = 1;");
  expect_valid(again("// a comment\n") + body);
  expect_valid(again("/*") + again("*/") + body);
  expect_faulty(body + again("/*"));
  expect_valid(again("/* a */ ") + body);
  expect_valid(again("\n") + again(" ") + again(";") + body);
  const std::string name = again("x");
  expect_valid("const " + name + " = 1;" + main_of(again("b[0] = " + name + ";", 10)));
  expect_faulty(main_of(many([&](auto& i) { return "b[0] = " + name + i + ";"; }, 10)));
  expect_faulty("const a = 0" + again("1") + ";" + body);
  expect_faulty(again("$") + body);
  expect_faulty(again("\x01\xff") + body);
}

TEST(Scale, Errors) {
  for (const Piece& piece : std::vector<Piece>{
           [](auto& i) { return "b[0] = missing" + i + ";\n"; },
           [](auto& i) { return "missing" + i + "();\n"; },
           [](auto& i) { return "var a" + i + ": Missing" + i + ";\n"; },
           [](auto& i) { return "let a = " + i + ";\n"; },
           [](auto&) { return std::string("let = ;\n"); },
           [](auto&) { return std::string("for \n"); },
           [](auto&) { return std::string("for ; "); },
           [](auto&) { return std::string("if ( "); },
           [](auto&) { return std::string("switch ( ;"); },
           [](auto&) { return std::string("b[0] = 1.5;\n"); },
           [](auto&) { return std::string("break;\n"); },
           [](auto&) { return std::string("b[0] = 1u / 0u;"); },
       })
    expect_faulty(main_of(many(piece)));
  expect_faulty(again("fn f() { }\n") + main_of(""));
  expect_faulty(again("fn (\n") + main_of(""));
  expect_faulty(again("struct S {\n") + main_of(""));
  expect_faulty(many([](auto& i) { return "fn f" + i + "() { f" + i + "(); }\n"; }) + main_of(""));
  expect_faulty(many([](auto& i) { return "fn f" + i + "() { f" + before(i) + "(); }\n"; }) +
                main_of("f99999();"));
}

}  // namespace
}  // namespace vyre::wgsl::scale
