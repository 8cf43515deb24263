// SPDX-License-Identifier: MIT OR Apache-2.0
#include "wgsl/flow.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "vyre/diagnostic.h"
#include "vyre/wgsl.h"

#include "wgsl/module.h"

// Expectations follow section 15.2 of the WGSL specification, "Uniformity".
namespace vyre::wgsl::flow_test {
namespace {

using Codes = std::vector<std::string>;
const Codes kNothing;
const Codes kBarrier = {"divergent-barrier"};
const Codes kSubgroup = {"divergent-subgroup"};

/// `n` is uniform, `l` differs between invocations, `s` between subgroups.
constexpr const char* kHead = R"(
@group(0) @binding(0) var<storage, read_write> b: array<u32>;
@group(0) @binding(1) var<storage> ro: array<u32>;
var<workgroup> w: array<u32, 8>;
var<private> v: u32;
var<private> va: array<u32, 4>;
struct Pair { x: u32, y: array<u32, 2> }
)";
std::string kernel(const std::string& body, const std::string& functions = "") {
  return kHead + functions +
         "@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) l: u32,\n"
         "@builtin(workgroup_id) group: vec3u, @builtin(subgroup_id) s: u32,\n"
         "@builtin(num_subgroups) count: u32, @builtin(subgroup_size) size: u32,\n"
         "@builtin(subgroup_invocation_id) lane: u32) {\nlet n = ro[0];\n" +
         body + "\n}\n";
}

/// What the way to a program finds; the module as a whole must agree.
Codes codes(const std::string& body, const std::string& functions = "") {
  const std::string text = kernel(body, functions);
  Codes result;
  const auto program = parse_wgsl(text);
  if (!program)
    for (const Diagnostic& fault : program.error().diagnostics())
      result.emplace_back(info(fault.code).name);
  Codes whole;
  for (const Diagnostic& fault : check_module(text))
    whole.emplace_back(info(fault.code).name);
  EXPECT_EQ(result, whole) << body;
  return result;
}

void expect_each(const Codes& wanted, const std::vector<std::string>& bodies) {
  for (const std::string& body : bodies)
    EXPECT_EQ(codes(body), wanted) << body;
}

/// The bodies followed by a barrier where `k` is positive.
void expect_guarded(const Codes& wanted, const std::vector<std::string>& bodies) {
  for (const std::string& body : bodies)
    EXPECT_EQ(codes(body + " if (k > 0u) { workgroupBarrier(); }"), wanted) << body;
}

// --------------------------------------------------------------------------------------- loops

TEST(Flow, ADivergentContinueMakesTheNextTurnDivergent) {
  expect_each(kBarrier, {
                            "for (var k = 0u; k < 4u; k++) { workgroupBarrier(); "
                            "if (b[l] == 0u) { continue; } b[l] += k; }",
                            "var k = 0u; while (k < 4u) { k++; workgroupBarrier(); "
                            "if (l == 0u) { continue; } b[l] += k; }",
                            "var k = 0u; loop { workgroupBarrier(); if (l == 1u) { continue; } "
                            "b[l] = 1u; continuing { k++; break if k > n; } }",
                            "var k = 0u; loop { if (l == 1u) { continue; } b[l] = 1u; "
                            "continuing { k++; workgroupBarrier(); break if k > n; } }",
                            "for (var k = 0u; k < n; k++) { workgroupBarrier(); "
                            "switch l { case 1 { continue; } default { } } b[l] = k; }",
                            "for (var k = 0u; k < n; k++) { workgroupBarrier(); "
                            "{ if (l > 3u) { if (n > 3u) { continue; } } } b[l] = k; }",
                        });
  expect_each(kNothing, {
                            "for (var k = 0u; k < 4u; k++) { workgroupBarrier(); "
                            "if (n == k) { continue; } b[l] += k; }",
                            "for (var k = 0u; k < 4u; k++) { workgroupBarrier(); "
                            "for (var i = 0u; i < 4u; i++) { if (l == i) { continue; } "
                            "b[l] += i; } workgroupBarrier(); }",
                            "for (var k = 0u; k < 4u; k++) { if (l == k) { continue; } "
                            "b[l] += k; } workgroupBarrier();",
                        });
}

// -------------------------------------------------------------------------------------- memory

TEST(Flow, APrivateVariableIsDivergentWhateverIsWrittenToIt) {
  expect_guarded(kBarrier, {"let k = v;", "v = 1u; let k = v;", "let k = va[0];",
                            "va = array<u32, 4>(); let k = va[1];", "let p = &v; let k = *p;",
                            "var x = v; let k = x;"});
  EXPECT_EQ(codes("let k = f(&v); if (k > 0u) { workgroupBarrier(); }",
                  "fn f(p: ptr<private, u32>) -> u32 { return *p; }\n"),
            kBarrier);
  expect_guarded(kNothing, {"v = l; let k = n;", "var x = v; x = n; let k = x;"});
}

TEST(Flow, AStructureOfInputsIsOneValue) {
  const auto in = [](const std::string& members) {
    const std::string text = "struct In { " + members +
                             " @builtin(workgroup_id) group: vec3u }\n"
                             "@compute @workgroup_size(64) fn main(in: In) { if (in.group.x > 3u) "
                             "{ workgroupBarrier(); } }\n";
    Codes result;
    for (const Diagnostic& fault : check_module(text))
      result.emplace_back(info(fault.code).name);
    return result;
  };
  EXPECT_EQ(in("@builtin(num_workgroups) all: vec3u,"), kNothing);
  EXPECT_EQ(in("@builtin(local_invocation_index) l: u32,"), kBarrier);
}

// -------------------------------------------------------------- variables of composite types

TEST(Flow, AnArrayIsOneValueThatFollowsTheOrderOfItsAssignments) {
  expect_guarded(
      kNothing,
      {
          "var a: array<u32, 4>; a[0] = n; let k = a[0]; a[1] = l; b[l] = a[1];",
          "var a: array<u32, 4>; a[1] = l; b[l] = a[1]; a = array<u32, 4>(); let k = a[0];",
          "var a: array<u32, 4>; a[1] = l; a = array(n, 1u, 2u, 3u); let k = a[0];",
          "var a: array<u32, 40>; a[1] = l; a = array<u32, 40>(); let k = a[0];",
          "var a: array<u32, 4>; var c: array<u32, 4>; a[l] = 1u; a = c; let k = a[0];",
          "var a: array<u32, 40>; var c: array<u32, 40>; a[l] = 1u; a = c; let k = a[0];",
          "var a: array<u32, 4>; a[0] = l; let p = &a; *p = array<u32, 4>(); let k = a[0];",
          "var a: array<u32, 4>; if (n > 1u) { a[0] = 1u; } let k = a[0];",
          "var a: array<array<u32, 2>, 2>; a[0][1] = l; a = array<array<u32, 2>, 2>(); "
          "let k = a[1][0];",
          "var a: Pair; a.x = l; a = Pair(); let k = a.y[0];",
          "var a: vec2u; a.x = l; a = vec2u(n, 1u); let k = a.y;",
          "var a: array<u32, 4>; var c: array<u32, 4>; a[0] = l; let t = a; a = c; c = t; "
          "let k = a[0];",
      });
  expect_guarded(
      kBarrier,
      {
          "var a: array<u32, 4>; a[1] = l; let k = a[0];",
          "var a: array<u32, 4>; a[l] = 1u; let k = a[0];",
          "var a: array<u32, 4>; let k = a[l];",
          "var a: array<u32, 4>; a[1] = l; a[1] = 0u; let k = a[1];",
          "var a: array<u32, 1>; a[0] = l; a[0] = 0u; let k = a[0];",
          "var a: array<u32, 4>; if (l > 1u) { a = array<u32, 4>(); } let k = a[0];",
          "var a: array<u32, 4>; var c: array<u32, 4>; c[0] = l; a = c; let k = a[1];",
          "var a: array<u32, 4>; a[1] = l; a = a; let k = a[0];",
          "var a: array<u32, 4>; var c: array<u32, 4>; a[0] = l; let t = a; a = c; c = t; "
          "let k = c[0];",
          "var a: Pair; a.x = l; let k = a.y[0];",
          "var a: Pair; a.x = l; a.y = array(1u, 2u); a.x = 1u; let k = a.x;",
          "var a: vec2u; a.x = l; let k = a.y;",
          "var a: mat2x2f; a[0] = vec2f(f32(l)); let k = u32(a[1][0]);",
          "let a = vec2u(l, n); let k = a.y;",
      });
}

TEST(Flow, AnArrayThatIsDeclaredInALoopBeginsAnew) {
  expect_each(kNothing,
              {
                  "for (var i = 0u; i < n; i++) { var a: array<u32, 4>; if (a[0] > i) "
                  "{ workgroupBarrier(); } a[1] = l; b[l] = a[1]; }",
                  "for (var i = 0u; i < n; i++) { var a: array<u32, 40>; if (a[i] > i) "
                  "{ workgroupBarrier(); } a[l] = l; b[l] = a[i]; }",
                  "var i = 0u; loop { var a = array(n, i); if (a[0] > i) "
                  "{ workgroupBarrier(); } continuing { i += a[1] + 1u; break if i > n; } }",
              });
  expect_each(kBarrier, {
                            "var a: array<u32, 4>; for (var i = 0u; i < n; i++) { if (a[0] > i) "
                            "{ workgroupBarrier(); } a[1] = l; b[l] = a[1]; }",
                            "var i = 0u; loop { var a = array(n, l); workgroupBarrier(); "
                            "continuing { i += a[0] + 1u; break if i > n; } }",
                        });
}

TEST(Flow, ACallIsJudgedByItsArguments) {
  const std::string functions =
      "fn pick(x: u32) -> u32 { var t: array<u32, 4>; t[x & 3u] = x; return t[0]; }\n"
      "fn put(p: ptr<function, array<u32, 4>>, x: u32) { (*p)[0] = x; }\n"
      "fn clear(p: ptr<function, array<u32, 4>>) { *p = array<u32, 4>(); }\n"
      "fn one(p: ptr<function, u32>) -> u32 { *p = 1u; return *p; }\n"
      "fn look(p: ptr<function, u32>) -> u32 { return *p; }\n"
      "fn hold(x: u32) { if (x > 1u) { workgroupBarrier(); } }\n";
  const auto judged = [&](const std::string& body) { return codes(body, functions); };
  const std::string guard = " if (k > 0u) { workgroupBarrier(); }";
  for (const std::string& body :
       {"b[l] = pick(l); let k = pick(n);" + guard,
        "var a: array<u32, 4>; var c: array<u32, 4>; put(&c, l); put(&a, n); let k = a[1];" + guard,
        "var a: array<u32, 4>; put(&a, l); clear(&a); let k = a[1];" + guard,
        "var a: array<u32, 4>; a[0] = l; let k = one(&a[1]);" + guard,
        "var a: array<u32, 4>; b[l] = look(&a[l]); let k = a[1];" + guard,
        std::string("hold(n); hold(ro[1]);")})
    EXPECT_EQ(judged(body), kNothing) << body;
  for (const std::string& body :
       {"b[l] = pick(n); let k = pick(l);" + guard,
        "var a: array<u32, 4>; put(&a, l); let k = a[1];" + guard,
        "var a: array<u32, 4>; a[0] = l; clear(&a); put(&a, l); let k = a[1];" + guard,
        "var a: array<u32, 4>; a[0] = l; b[l] = one(&a[1]); let k = a[1];" + guard,
        "var a: array<u32, 4>; b[l] = one(&a[l]); let k = a[1];" + guard,
        "var a: array<u32, 4>; let k = look(&a[l]);" + guard, std::string("hold(n); hold(l);")})
    EXPECT_EQ(judged(body), kBarrier) << body;
}

// ----------------------------------------------------------------------------------- subgroups

TEST(Flow, SubgroupOperationsNeedTheirSubgroupOnly) {
  expect_each(
      kNothing,
      {
          "if (s == 0u) { b[l] = subgroupAdd(l); }",
          "for (var k = s; k < n; k += count) { b[l] += subgroupMax(k + l); }",
          "if (s > 1u) { return; } b[l] = subgroupAdd(l);",
          "let x = subgroupAdd(l); if (x > 5u) { b[l] = subgroupMin(l); }",
          "if (subgroupAny(l == 3u)) { b[l] = subgroupShuffle(l, l ^ 1u); }",
          "if (subgroupBallot(l > 3u).x == 0u) { b[l] = subgroupExclusiveAdd(l); }",
          "while (subgroupBroadcastFirst(b[l]) > n) { b[l] -= 1u; }",
          "var k = s; loop { b[l] = subgroupAdd(k); k += count; if (k > n) { break; } }",
          "b[l] = subgroupShuffleUp(l, s); b[l] += subgroupShuffleXor(l, subgroupMax(l));",
          "var a: array<u32, 2>; a[1] = s; if (a[0] > 1u) { b[l] = subgroupAdd(l); }",
          "b[l] = subgroupAdd(l); workgroupBarrier(); if (s == 0u) { b[l] = subgroupAdd(w[0]); }",
      });
  expect_each(kSubgroup, {
                             "if (lane == 0u) { b[l] = subgroupAdd(l); }",
                             "if (subgroupElect()) { b[l] = subgroupAdd(l); }",
                             "if (l / size == 0u) { b[l] = subgroupAdd(l); }",
                             "if (l > 3u) { return; } b[l] = subgroupAdd(l);",
                             "if (subgroupInclusiveAdd(l) > 5u) { b[l] = subgroupMin(l); }",
                             "if (subgroupShuffle(l, 1u) > 5u) { b[l] = subgroupMin(l); }",
                             "if (quadBroadcast(l, 1u) > 5u) { b[l] = subgroupMin(l); }",
                             "if (w[s] > 1u) { b[l] = subgroupAdd(l); }",
                             "for (var k = s; k < l; k += count) { b[l] += subgroupMax(k + l); }",
                             "if (l == 0u) { if (subgroupAny(true)) { b[0] = 1u; } }",
                         });
  EXPECT_EQ(codes("b[l] = subgroupShuffleUp(l, lane);"), Codes{"divergent-operand"});
}

TEST(Flow, BarriersNeedTheWholeWorkgroup) {
  expect_each(kBarrier, {
                            "if (s == 0u) { workgroupBarrier(); }",
                            "if (s == 0u) { return; } storageBarrier();",
                            "for (var k = s; k < n; k += count) { workgroupBarrier(); }",
                            "if (subgroupAdd(l) > 5u) { workgroupBarrier(); }",
                            "if (subgroupAll(l > 1u)) { b[l] = workgroupUniformLoad(&w[0]); }",
                        });
  EXPECT_EQ(codes("b[l] = workgroupUniformLoad(&w[s]);"), Codes{"divergent-operand"});
  expect_each(kNothing, {"if (count > 1u) { workgroupBarrier(); }",
                         "if (workgroupUniformLoad(&w[0]) > 1u) { workgroupBarrier(); }"});
}

TEST(Flow, TheReportNamesTheScope) {
  const auto report = [](const std::string& body) {
    return parse_wgsl(kernel(body)).error().diagnostics().to_string();
  };
  EXPECT_NE(report("if (s == 0u) { workgroupBarrier(); }")
                .find("only some invocations of a workgroup: that depends on `subgroup_id`"),
            std::string::npos);
  EXPECT_NE(report("if (lane == 0u) { b[l] = subgroupAdd(l); }")
                .find("only some invocations of a subgroup: that depends on `lane`"),
            std::string::npos);
}

// ----------------------------------------------------------------------------------- functions

TEST(Flow, AFunctionThatNothingCallsIsJudgedByItself) {
  const auto judged = [](const std::string& function) {
    Codes result;
    for (const Diagnostic& fault : check_module(kHead + function))
      result.emplace_back(info(fault.code).name);
    return result;
  };
  EXPECT_EQ(judged("fn f() { if (b[0] > 1u) { workgroupBarrier(); } }"), kBarrier);
  EXPECT_EQ(judged("fn f() { if (v > 1u) { b[0] = subgroupAdd(1u); } }"), kSubgroup);
  EXPECT_EQ(judged("fn f(x: u32, p: ptr<function, u32>) "
                   "{ if (x > 1u && *p > 2u) { workgroupBarrier(); } }"),
            kNothing);
  EXPECT_EQ(judged("fn f(p: ptr<workgroup, u32>) { if (*p > 2u) { workgroupBarrier(); } }"),
            kBarrier);
  EXPECT_EQ(judged("fn g(x: u32) { if (x > 1u) { workgroupBarrier(); } }\n"
                   "fn f() { g(v); }\nfn h() { g(1u); }"),
            kBarrier);
}

// ---------------------------------------------------------------------------------- all at once

TEST(Flow, FaultsThatDoNotDependOnEachOtherAreReportedTogether) {
  const std::string wait = "if (l > 3u) { workgroupBarrier(); }";
  const std::string large = "var big: array<u32, 20000>; big[l] = 1u; b[l] = big[n];";
  const std::string typed = "let x: u32 = 1.5;";
  EXPECT_EQ(codes(typed + "\n" + large + "\n" + wait),
            (Codes{"type-mismatch", "local-too-large", "divergent-barrier"}));
  EXPECT_EQ(codes(large + "\n" + wait), (Codes{"local-too-large", "divergent-barrier"}));
  EXPECT_EQ(codes(wait + "\n" + typed + "\n" + wait),
            (Codes{"divergent-barrier", "type-mismatch", "divergent-barrier"}));
  EXPECT_EQ(codes(wait + "\nb[l] = missing(l);"),
            (Codes{"divergent-barrier", "unknown-identifier"}));
}

TEST(Flow, WhatDependsOnAFaultIsNotReported) {
  for (const char* body :
       {"let x: u32 = f32(l); if (x > 3u) { workgroupBarrier(); }",
        "if (missing(l)) { workgroupBarrier(); }", "if (l) { workgroupBarrier(); }",
        "missing = l; if (missing > 3u) { workgroupBarrier(); }",
        "for (var k: f32 = l; k < 3.0; k += 1.0) { workgroupBarrier(); }"}) {
    const Codes found = codes(body);
    EXPECT_EQ(std::count(found.begin(), found.end(), "divergent-barrier"), 0) << body;
    EXPECT_FALSE(found.empty()) << body;
  }
}

}  // namespace
}  // namespace vyre::wgsl::flow_test
