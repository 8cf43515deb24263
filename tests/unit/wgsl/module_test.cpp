// SPDX-License-Identifier: MIT OR Apache-2.0
#include "wgsl/module.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "vyre/diagnostic.h"

#include "unit/wgsl/faults_of.h"

namespace vyre::wgsl {
namespace {

using Codes = std::vector<std::string>;

Codes codes(const std::string& text) {
  Codes result;
  for (const Diagnostic& fault : check_module(text, {}))
    result.emplace_back(info(fault.code).name);
  if (result.empty()) expect_taken(text);
  return result;
}

constexpr const char* kHead =
    "@group(0) @binding(0) var<storage, read_write> y: array<u32>;\n"
    "alias Id = u32;\n";
/// An entry point with attributes of its own and of its body.
std::string entry(const std::string& body,
                  const std::string& attributes = "",
                  const std::string& of_body = "") {
  return kHead + attributes +
         "@compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: Id) " + of_body +
         "{\n" + body + "\n}\n";
}
const Codes kNothing;
const Codes kDivergent = {"divergent-subgroup"};
constexpr const char* kOff = "@diagnostic(off, subgroup_uniformity) ";
constexpr const char* kGuarded = "if i < 3 { y[i] = subgroupAdd(i); }";

TEST(Module, SubgroupOperationsAreReachedUniformly) {
  EXPECT_EQ(codes(entry(kGuarded)), kDivergent);
  EXPECT_EQ(codes(entry("y[i] = subgroupAdd(i);")), kNothing);
  EXPECT_EQ(codes(entry("if i < 3 { return; } y[i] = subgroupAdd(i);")), kDivergent);
  EXPECT_EQ(codes(entry("for (var k = 0u; k < i; k++) { y[i] += subgroupAdd(k); }")), kDivergent);
  EXPECT_EQ(codes(entry("loop { y[i] = subgroupAdd(i); if y[i] > i { break; } }")), kDivergent);
}

TEST(Module, DerivativesBelongToFragmentShaders) {
  const std::string head = "fn slope(x: f32) -> f32 { return dpdx(x) + fwidthFine(1); }\n";
  const std::string fragment = "@fragment fn f() { _ = slope(2.5); }\n";
  EXPECT_EQ(codes(head + fragment + entry("y[i] = 1;")), kNothing);
  EXPECT_EQ(codes(head + entry("y[i] = u32(slope(2.5));")), Codes{"invalid-attribute"});
  for (const char* bad : {"dpdy()", "dpdy(1u)", "dpdy(true)", "dpdy(1.0, 2.0)", "dpdy(mat2x2f())"})
    EXPECT_EQ(codes("@fragment fn f() { _ = " + std::string(bad) + "; }"), Codes{"no-overload"})
        << bad;
  EXPECT_EQ(codes("@fragment fn f() { dpdy(1.0); }"), Codes{"invalid-call"});
  EXPECT_EQ(codes("const c = dpdy(1.0);"), Codes{"not-constant"});
}

TEST(Module, AFilterOfTheModuleRules) {
  for (const char* severity : {"off", "info", "warning"})
    EXPECT_EQ(codes("diagnostic(" + std::string(severity) + ", subgroup_uniformity);\n" +
                    entry(kGuarded)),
              kNothing)
        << severity;
  EXPECT_EQ(codes("diagnostic(error, subgroup_uniformity);\n" + entry(kGuarded)), kDivergent);
  EXPECT_EQ(codes("diagnostic(off, derivative_uniformity);\n" + entry(kGuarded)), kDivergent);
  EXPECT_EQ(codes("diagnostic(off, other.subgroup_uniformity);\n" + entry(kGuarded)), kDivergent);
}

TEST(Module, AFilterRulesWhatItStandsBefore) {
  const std::string off = kOff;
  EXPECT_EQ(codes(entry(kGuarded, off)), kNothing);
  EXPECT_EQ(codes(entry(kGuarded, "", off)), kNothing);
  for (const std::string& body :
       {off + kGuarded, "if i < 3 " + off + "{ y[i] = subgroupAdd(i); }",
        "if i < 3 { " + off + "{ y[i] = subgroupAdd(i); } }",
        "if i < 3 { } else " + off + "{ y[i] = subgroupAdd(i); }",
        "switch i " + off +
            "{ case 1 { y[i] = subgroupAdd(i); } "
            "default { } }",
        "switch i { case 1 " + off +
            "{ y[i] = subgroupAdd(i); } "
            "default { } }",
        off + "for (var k = i; k < 8; k++) { y[i] = subgroupAdd(k); }",
        "for (var k = i; k < 8; k++) " + off + "{ y[i] = subgroupAdd(k); }",
        off + "while subgroupAny(y[i] == i) { y[i]++; }",
        "loop " + off +
            "{ y[i] = subgroupAdd(i); continuing "
            "{ break if y[i] > i; } }",
        "loop " + off +
            "{ y[i]++; continuing "
            "{ break if subgroupAny(y[i] > i); } }",
        "loop { y[i]++; if i == 1 { break; } continuing " + off +
            "{ break if subgroupAny(y[i] > i); } }"})
    EXPECT_EQ(codes(entry(body)), kNothing) << body;
}

TEST(Module, AFilterEndsWithWhatItStandsBefore) {
  const std::string off = kOff;
  for (const std::string& body :
       {off + "{ }" + kGuarded, "if i < 3 " + off + "{ } else { y[i] = subgroupAdd(i); }",
        "switch i { case 1 " + off +
            "{ } case 2 "
            "{ y[i] = subgroupAdd(i); } default { } }",
        "if i < 3 { switch subgroupAdd(i) " + off + "{ default { } } }",
        "while subgroupAny(y[i] == i) " + off +
            "{ y[i]++; "
            "if y[i] == 2 { break; } }"})
    EXPECT_EQ(codes(entry(body)), kDivergent) << body;
}

TEST(Module, TheNearestFilterRules) {
  const std::string off = kOff;
  const std::string error = "@diagnostic(error, subgroup_uniformity) ";
  EXPECT_EQ(codes(entry(error + kGuarded, off)), kDivergent);
  EXPECT_EQ(codes(entry(off + kGuarded, error)), kNothing);
  EXPECT_EQ(codes("diagnostic(off, subgroup_uniformity);\n" + entry(kGuarded, error)), kDivergent);
}

TEST(Module, AFunctionIsRuledWhereItIsWritten) {
  const std::string sum = "fn sum(i: u32) -> u32 { return subgroupAdd(i); }\n";
  const std::string call = "if i < 3 { y[i] = sum(i); }";
  EXPECT_EQ(codes(entry(call, "", kOff) + sum), kDivergent);
  EXPECT_EQ(codes(entry(call) + kOff + sum), kNothing);
  EXPECT_EQ(codes(entry(call + kGuarded) + kOff + sum), kDivergent);
}

TEST(Module, TheLanesOfAShuffleMayDifferWhereTheFilterSaysSo) {
  const std::string shuffle = "y[i] = subgroupShuffleUp(i, i / 2);";
  EXPECT_EQ(codes(entry(shuffle)), (Codes{"divergent-operand"}));
  EXPECT_EQ(codes(entry(shuffle, kOff)), kNothing);
}

TEST(Module, ABindingIsOfOneVariableForEachEntryPoint) {
  const std::string two =
      "@group(0) @binding(0) var<storage> a: u32;\n@group(0) @binding(0) var<uniform> b: u32;\n";
  const auto entry = [](const std::string& name, const std::string& body) {
    return "@compute @workgroup_size(1) fn " + name + "() { " + body + " }\n";
  };
  EXPECT_EQ(codes(two + entry("m", "_ = a;") + entry("n", "_ = b;")), kNothing);
  EXPECT_EQ(codes(two + entry("m", "_ = a; f();") + "fn f() { _ = b; }"), (Codes{"redeclaration"}));
}

TEST(Module, SubgroupOperationsAreNotOfVertexShaders) {
  const std::string sum = "fn sum() { _ = subgroupAdd(1u); }\n";
  EXPECT_EQ(codes(sum + "@vertex fn m() -> @builtin(position) vec4f { sum(); return vec4f(); }"),
            (Codes{"invalid-attribute"}));
  EXPECT_EQ(codes(sum + "@fragment fn m() { sum(); }"), kNothing);
}

TEST(Module, EveryErrorSaysWhatToDo) {
  Text text(std::string("fn f() { }"));
  for (std::size_t code = 0; code < all_codes().size(); ++code) {
    text.faults.error(static_cast<Code>(code), {0, 2}, "a fault");
    text.faults.error_with_note(static_cast<Code>(code), {0, 2}, "a fault", {3, 4}, "a note");
    text.faults.error(static_cast<Code>(code), {0, 2}, "a fault", "do this");
  }
  for (std::size_t i = 0; i < text.diagnostics.size(); ++i) {
    const Diagnostic& d = text.diagnostics[i];
    EXPECT_EQ(d.help, i % 3 == 2 ? "do this" : info(d.code).remedy);
    EXPECT_FALSE(d.help.empty());
  }
}

TEST(Module, NoFilterLetsABarrierDiverge) {
  EXPECT_EQ(codes(entry("if i < 3 { workgroupBarrier(); }", kOff)), (Codes{"divergent-barrier"}));
}

}  // namespace
}  // namespace vyre::wgsl
