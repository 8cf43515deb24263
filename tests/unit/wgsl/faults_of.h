// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "vyre/wgsl.h"

#include "unit/wgsl/texts.h"
#include "wgsl/check.h"
#include "wgsl/module.h"

// The faults that the checker finds in texts.
namespace vyre::wgsl {

using Lines = std::vector<std::string>;

/// A text without faults is one to all who judge it: `check_module`, and the way to a program where
/// there is one kernel.  What is not supported and how control flows are not judged by `check`.
inline void expect_taken(const std::string& source) {
  const auto judged = [](const Diagnostic& d) {
    return d.code != Code::not_supported && d.code != Code::divergent_barrier &&
           d.code != Code::divergent_subgroup && d.code != Code::divergent_operand;
  };
  for (const Diagnostic& d : check_module(source))
    if (judged(d)) ADD_FAILURE() << source << "\n" << d.message;
  const auto entries = wgsl_entry_points({{"test.wgsl", source}});
  if (!entries || entries->size() != 1) return;
  const auto program = parse_wgsl(source);
  if (program) return;
  for (const Diagnostic& d : program.error().diagnostics())
    if (judged(d)) ADD_FAILURE() << source << "\n" << d.message;
}

/// The faults of a whole module, as "line code".
inline Lines faults_of(const std::string& source, const CheckOptions& options = {}) {
  Text text(source);
  text.parse();
  check(std::move(text.tree), text.names, options, text.faults);
  text.diagnostics.sort_by_place();
  Lines lines;
  for (const Diagnostic& d : text.diagnostics) {
    EXPECT_TRUE(d.severity != Severity::error || !d.help.empty()) << d.message;
    lines.push_back(std::to_string(d.place.line) + " " + std::string(info(d.code).name));
  }
  if (lines.empty() && options.constants.empty() && options.entry.empty()) expect_taken(source);
  return lines;
}

inline constexpr const char* kEntry = "@compute @workgroup_size(1) fn main() { f(); }\n";

/// Of declarations beside an entry point that calls `f`.
inline Lines faults(const std::string& module) {
  return faults_of(module + "\n" + kEntry);
}
/// Of statements; line 1 is the first of them.
inline Lines body_faults(const std::string& body) {
  return faults("fn f() { " + body +
                "\n}\n"
                "@group(0) @binding(0) var<storage, read_write> data: array<u32>;\n"
                "@group(0) @binding(1) var<storage> ro: array<f32, 8>;\n"
                "@group(0) @binding(2) var<storage> ro2: array<vec3f, 8>;\n"
                "struct S { a: u32, b: vec3f, c: array<i32, 4> }\n"
                "var<workgroup> count: atomic<u32>;\n"
                "fn two(a: u32, b: f32) -> u32 { return a + u32(b); }\n"
                "@must_use fn needed() -> u32 { return 1u; }\n");
}
inline std::string code_of(const std::string& body) {
  const Lines lines = body_faults(body);
  if (lines.empty()) return "none";
  return lines.size() > 1 ? "several" : lines[0].substr(lines[0].find(' ') + 1);
}

}  // namespace vyre::wgsl
