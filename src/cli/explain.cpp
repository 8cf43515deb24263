// SPDX-License-Identifier: MIT OR Apache-2.0
#include "cli/explain.h"

#include <algorithm>
#include <vector>

#include "base/error_codes.h"
#include "cli/words.h"

namespace vyre::cli {
namespace {

#define MAIN "@compute @workgroup_size(1) fn main() "
#define OUT "@group(0) @binding(0) var<storage, read_write> y: array<u32>;\n"
#define LANE "@compute @workgroup_size(64)\nfn main(@builtin(local_invocation_index) i: u32) "

constexpr FaultExample kExamples[] = {
    {Code::syntax_error, MAIN "{ let x = ; }"},
    {Code::invalid_literal, MAIN "{ let x = 4294967296u; }"},
    {Code::reserved_word, MAIN "{ let class = 1; }"},
    {Code::invalid_attribute, "@compute fn main() { }"},
    {Code::unknown_identifier, OUT MAIN "{ y[0] = count; }"},
    {Code::redeclaration, MAIN "{ let x = 1; let x = 2; }"},
    {Code::type_mismatch, OUT MAIN "{ y[0] = 1.5; }"},
    {Code::no_overload, OUT MAIN "{ y[0] = countOneBits(true); }"},
    {Code::invalid_call, OUT "fn f(x: u32) -> u32 { return x; }\n" MAIN "{ y[0] = f(1, 2); }"},
    {Code::invalid_type, MAIN "{ var x: array<u32>; }"},
    {Code::invalid_assignment, MAIN "{ let x = 1; x = 2; }"},
    {Code::invalid_flow, MAIN "{ break; }"},
    {Code::aliased_memory, "fn f(a: ptr<function, u32>, b: ptr<function, u32>) { *a = *b; }\n" MAIN
                           "{ var x = 1u; f(&x, &x); }"},
    {Code::cyclic_declaration, "fn f() { f(); }\n" MAIN "{ f(); }"},
    {Code::not_constant, MAIN "{ var n = 4; var x: array<u32, n>; }"},
    {Code::value_out_of_range, MAIN "{ let x: u32 = -1; }"},
    {Code::division_by_zero, OUT MAIN "{ y[0] = y[1] / 0; }"},
    {Code::shift_out_of_range, OUT MAIN "{ y[0] = y[1] << 32; }"},
    {Code::index_out_of_bounds, MAIN "{ var x: array<u32, 4>; x[4] = 1; }"},
    {Code::assertion_failed, "const_assert 1 > 2;\n" MAIN "{ }"},
    {Code::unknown_entry_point, "fn helper() { }"},
    {Code::invalid_override, OUT "override size: u32;\n" MAIN "{ y[0] = size; }"},
    {Code::not_supported, "@group(0) @binding(0) var x: sampler;\n" MAIN "{ _ = x; }"},
    {Code::local_too_large, MAIN "{ var x: array<u32, 20000>; x[y[0]] = 1; }\n" OUT},
    {Code::divergent_barrier, LANE "{\n  if (i < 32) { workgroupBarrier(); }\n}"},
    {Code::divergent_subgroup, OUT LANE "{\n  if (i < 32) { y[i] = subgroupAdd(i); }\n}"},
};

#undef MAIN
#undef OUT
#undef LANE

std::string indented(std::string_view text) {
  std::string result;
  for (const std::string_view line : split(text, '\n'))
    result += "    " + std::string(line) + "\n";
  return result;
}

std::string page_of(const CodeInfo& row) {
  std::string text = std::string(row.name) + ": " + std::string(row.summary) + "\n";
  for (const FaultExample& example : kExamples)
    if (info(example.code).name == row.name) text += "\nfor example\n" + indented(example.text);
  return text + "\nremedy: " + std::string(row.remedy) + "\n";
}

std::string page_of(const ErrorCodeInfo& row) {
  std::string text = std::string(row.name) + ": " + std::string(row.summary) + "\n\n";
  for (const ErrorKind kind : all_error_kinds())
    if (row.kinds.contains(kind))
      text += "kind: " + std::string(to_string(kind)) + ", " + std::string(meaning_of(kind)) + "\n";
  return text + "\nremedy: " + std::string(row.remedy) + "\n";
}

std::string line_of(std::string_view name, std::string_view summary) {
  constexpr std::size_t kColumn = 24;
  std::string line = "  " + std::string(name);
  line.resize(std::max(line.size() + 1, kColumn), ' ');
  return line + std::string(summary) + "\n";
}

std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const CodeInfo& row : all_codes())
    names.emplace_back(row.name);
  for (const ErrorCodeInfo& row : all_error_codes())
    names.emplace_back(row.name);
  return names;
}

}  // namespace

std::span<const FaultExample> fault_examples() {
  return kExamples;
}

Result<std::string> explained(std::string_view code) {
  for (const CodeInfo& row : all_codes())
    if (row.name == code) return page_of(row);
  for (const ErrorCodeInfo& row : all_error_codes())
    if (row.name == code) return page_of(row);
  const std::vector<std::string> near = near_names(code, all_names());
  const std::string guess = near.empty() ? "" : "did you mean " + listed(near, "or") + "? ";
  return wrong("unknown-name", "there is no code " + ticked(code),
               guess + "vyre explain lists all codes");
}

std::string explained_codes() {
  std::string text = "faults of a program\n";
  for (const CodeInfo& row : all_codes())
    text += line_of(row.name, row.summary);
  for (const ErrorKind kind : all_error_kinds()) {
    text += "\n" + std::string(to_string(kind)) + ": " + std::string(meaning_of(kind)) + "\n";
    for (const ErrorCodeInfo& row : all_error_codes())
      if (row.kinds.contains(kind)) text += line_of(row.name, row.summary);
  }
  return text;
}

}  // namespace vyre::cli
