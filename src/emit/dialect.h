// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "vyre/program.h"

#include "base/text_writer.h"

/// What a C-like target says in its own way; `emit/expression.h` and `emit/statements.h` say the
/// rest.  Programs are lowered for the target before they come here.
namespace vyre {

/// How tightly an expression's text holds together.  Grouping is stricter than C's: only mixes
/// that nobody misreads stay without parentheses, which is also what the strictest target wants.
enum class Group : std::uint8_t {
  primary,  ///< a name, a literal, a call, an element
  unary,
  multiply,
  add,
  shift,
  compare,
  bit_and,
  bit_or,
  bit_xor,
};

/// The text of an expression.
struct Text {
  std::string text;
  Group group = Group::primary;
};

/// How an operator is written.
enum class Form : std::uint8_t {
  prefix,   ///< text operand
  infix,    ///< left text right
  call,     ///< text(operands)
  cast,     ///< type(operand)
  bitcast,  ///< text<type>(operand)
  own,      ///< the dialect writes it
};

struct Spelling {
  Op op;
  Form form;
  std::string_view text = {};
  Group group = Group::primary;
};

class Dialect {
 public:
  virtual ~Dialect() = default;

  [[nodiscard]] virtual std::string_view type_name(ScalarType type) const = 0;
  [[nodiscard]] virtual const Spelling& spelling(Op op) const = 0;
  /// An operation that its row in the table cannot say.  `operands` are already texts.
  [[nodiscard]] virtual std::optional<Text> own_form(const Program& program,
                                                     const Expr& expr,
                                                     std::span<const Text> operands) const = 0;
  [[nodiscard]] virtual Text constant(ScalarType type, std::uint64_t bits) const = 0;
  /// A builtin, a length, a word of the launch block or a value.
  [[nodiscard]] virtual Text leaf(const Expr& expr) const = 0;

  /// A statement without blocks, on lines of its own.
  virtual void statement(const Stmt& stmt, TextWriter& out) = 0;
  /// A loop's head, the head of its continuing part, and the exit at that part's end.
  [[nodiscard]] virtual std::string_view loop_head() const = 0;
  [[nodiscard]] virtual std::string_view continuing_head() const = 0;
  [[nodiscard]] virtual std::string break_if(std::string_view condition) const = 0;
};

}  // namespace vyre
