// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <vector>

#include "validate/checks.h"

/// Expressions and memory references by themselves: types, visibility, paths.
namespace vyre {

/// Checks the expressions of one statement after the other.  Refers to the inspection.
class ExpressionChecker {
 public:
  explicit ExpressionChecker(Inspection& inspection)
      : inspection_(inspection), visible_(inspection.program.values.size()) {}

  void show(ValueId id) { visible_[index(id)] = true; }
  void hide(ValueId id) { visible_[index(id)] = false; }
  /// True once an invisible value was used.
  [[nodiscard]] bool lost() const { return lost_; }

  /// An operand of `at` and all below it.
  void check(StmtId at, ExprId id);
  /// Also that the operand, called `what`, is there and has the type.
  void expect(StmtId at, ExprId id, ScalarType type, std::string_view what);

 private:
  void check_leaf(StmtId at, const Expr& expr);
  void check_constant(StmtId at, const Expr& expr);
  void check_builtin(StmtId at, const Expr& expr);
  void check_length(StmtId at, const Expr& expr);
  void check_launch(StmtId at, const Expr& expr);
  void check_value(StmtId at, const Expr& expr);
  void check_operation(StmtId at, const Expr& expr);
  void fault(Code code, StmtId at, std::string message);

  Inspection& inspection_;
  std::vector<bool> visible_;
  bool lost_ = false;
};

}  // namespace vyre
