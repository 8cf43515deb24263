// SPDX-License-Identifier: MIT OR Apache-2.0
#include "validate/faults.h"

#include "ir/visit.h"

namespace vyre {
namespace {

constexpr std::size_t kLongestName = 60;  ///< bytes of a name that messages show

}  // namespace

std::string quoted(std::string_view name) {
  std::size_t length = std::min(name.size(), kLongestName);
  while (length > 0 && length < name.size() && (static_cast<unsigned char>(name[length]) >> 6) == 2)
    --length;
  std::string result = "`";
  for (const char c : name.substr(0, length)) {
    const auto byte = static_cast<unsigned char>(c);
    result += byte < 0x20 || byte == 0x7f ? '?' : c;
  }
  if (length < name.size()) result += "…";
  return result + "`";
}

std::string named(const Program& program, BufferId id) {
  return "buffer " + quoted(program[id].name);
}

std::string named_builtin(const Expr& expr) {
  std::string result = "`" + std::string(to_string(expr.builtin));
  if (expr.builtin <= Builtin::num_workgroups && expr.component < 3) {
    result += '.';
    result += "xyz"[expr.component];
  }
  return result + "`";
}

std::string_view kind_name(const Stmt& stmt) {
  static constexpr std::string_view kNames[] = {
      "let",    "var",     "get",          "set",      "load",  "store", "atomic",
      "if",     "switch",  "loop",         "scope",    "leave", "break", "continue",
      "return", "barrier", "uniform_load", "subgroup", "trap"};
  static_assert(std::size(kNames) == std::variant_size_v<Stmt>);
  return kNames[stmt.index()];
}

Diagnostic& Faults::add(Code code, std::string message) {
  Diagnostic& fault = list_.error(code, {}, std::move(message));
  fault.help = info(code).remedy;
  return fault;
}

Diagnostic& Faults::add(Code code, StmtId at, std::string message) {
  const Place place = program_.place(at);
  if (!place.known() && index(at) < program_.stmts.size())
    message += text(" (statement ", index(at), ", `", kind_name(program_[at]), "`)");
  Diagnostic& fault = list_.error(code, place, std::move(message));
  fault.help = info(code).remedy;
  return fault;
}

}  // namespace vyre
