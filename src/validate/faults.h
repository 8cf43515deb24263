// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

#include "vyre/diagnostic.h"
#include "vyre/program.h"

/// Where the checks report faults, and how they spell the things they speak of.
///
/// A `Faults` refers to the program and owns the diagnostics until they are taken.
namespace vyre {

/// A name in backticks, shortened and without control characters.
std::string quoted(std::string_view name);
/// "buffer `src`".
std::string named(const Program& program, BufferId id);
inline std::string named(ValueId id) {
  return "value %" + std::to_string(index(id));
}
inline std::string named(VarId id) {
  return "variable $" + std::to_string(index(id));
}
/// "`global_id.x`"; the expression is a builtin.
std::string named_builtin(const Expr& expr);
/// What a statement is called in messages: "`store`".
std::string_view kind_name(const Stmt& stmt);

namespace detail {
inline void append(std::string& text, std::string_view part) {
  text += part;
}
template <std::integral T>
void append(std::string& text, T number) {
  text += std::to_string(number);
}
inline void append(std::string& text, ScalarType type) {
  text += to_string(type);
}
}  // namespace detail

/// Joins texts, integers and types.
template <typename... Parts>
std::string text(const Parts&... parts) {
  std::string result;
  (detail::append(result, parts), ...);
  return result;
}

class Faults {
 public:
  explicit Faults(const Program& program) : program_(program) {}

  /// A fault of the program as a whole or of a declaration.  The code's remedy is the help.
  Diagnostic& add(Code code, std::string message);
  /// A fault of a statement; where no place is known the message names the statement.
  Diagnostic& add(Code code, StmtId at, std::string message);

  [[nodiscard]] std::size_t size() const { return list_.size(); }
  [[nodiscard]] bool empty() const { return list_.empty(); }
  Diagnostics take() { return std::move(list_); }

 private:
  const Program& program_;
  Diagnostics list_;
};

}  // namespace vyre
