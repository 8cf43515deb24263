// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include "emit/dialect.h"
#include "emit/expression.h"

/// The least language that the shared printing can be tried with.
namespace vyre::test {

class ToyDialect final : public Dialect {
 public:
  explicit ToyDialect(const Program* program = nullptr) : program_(program) {}

  [[nodiscard]] std::string_view type_name(ScalarType type) const override {
    return to_string(type);
  }

  [[nodiscard]] const Spelling& spelling(Op op) const override {
    static constexpr Spelling kRows[] = {
        {Op::neg, Form::prefix, "-"},
        {Op::add, Form::infix, "+", Group::add},
        {Op::sub, Form::infix, "-", Group::add},
        {Op::mul, Form::infix, "*", Group::multiply},
        {Op::div, Form::infix, "/", Group::multiply},
        {Op::shl, Form::infix, "<<", Group::shift},
        {Op::bit_and, Form::infix, "&", Group::bit_and},
        {Op::bit_or, Form::infix, "|", Group::bit_or},
        {Op::logical_not, Form::prefix, "!"},
        {Op::lt, Form::infix, "<", Group::compare},
        {Op::min, Form::call, "min"},
        {Op::convert, Form::cast},
        {Op::bitcast, Form::bitcast, "as"},
        {Op::select, Form::own},
    };
    for (const Spelling& row : kRows)
      if (row.op == op) return row;
    return kRows[0];
  }

  [[nodiscard]] std::optional<Text> own_form(const Program&,
                                             const Expr& expr,
                                             std::span<const Text> operands) const override {
    if (expr.op != Op::select) return std::nullopt;
    return Text{"pick(" + operands[0].text + ")"};
  }

  [[nodiscard]] Text constant(ScalarType type, std::uint64_t bits) const override {
    const auto value = static_cast<std::int32_t>(bits);
    if (type == ScalarType::i32 && value < 0) return {std::to_string(value), Group::unary};
    return {std::to_string(bits)};
  }

  [[nodiscard]] Text leaf(const Expr& expr) const override {
    if (expr.kind == ExprKind::value) return {"v" + std::to_string(index(expr.value))};
    return {std::string(1, "abc"[expr.component])};
  }

  void statement(const Stmt& stmt, TextWriter& out) override {
    if (const auto* set = std::get_if<Set>(&stmt))
      out.line("set ", print_whole(*program_, *this, set->value));
    else if (std::holds_alternative<Break>(stmt))
      out.line("break");
    else if (std::holds_alternative<Continue>(stmt))
      out.line("continue");
    else if (std::holds_alternative<Return>(stmt))
      out.line("return");
  }
  [[nodiscard]] std::string_view loop_head() const override { return "loop {"; }
  [[nodiscard]] std::string_view continuing_head() const override { return "continuing {"; }
  [[nodiscard]] std::string break_if(std::string_view condition) const override {
    return "break if " + std::string(condition);
  }

 private:
  const Program* program_;
};

}  // namespace vyre::test
