// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "vyre/program.h"

#include "backend/cpu/lifetimes.h"

/// What is known of the words that the lanes of a strip hold.
namespace vyre::cpu {

/// Active lane i holds first + i × step, modulo 2^32; a step of 0 is the same word in all of them.
struct Shape {
  bool known = false;
  bool needs_line = false;  ///< only in strips whose lanes are neighbours in x
  bool is_fixed = false;    ///< the same for the whole launch, known before it begins
  std::int32_t step = 0;

  [[nodiscard]] bool is_uniform() const { return known && step == 0; }
  [[nodiscard]] bool holds(bool is_line) const { return known && (is_line || !needs_line); }
};

/// The shapes of values and expressions, as far as they follow from the program's text.
class Shapes {
 public:
  /// `fixed`, by ValueId: those that are the same for the whole launch.  `mixes_groups`: strips may
  /// span workgroups.
  Shapes(const Program& program,
         const Lifetimes& lifetimes,
         const std::vector<bool>& fixed,
         bool mixes_groups);

  [[nodiscard]] Shape of(ExprId id) const { return exprs_[index(id)]; }
  [[nodiscard]] Shape of(ValueId id) const { return values_[index(id)]; }
  [[nodiscard]] Shape of(VarId id) const { return vars_[index(id)]; }

 private:
  friend class ShapeScan;
  /// Recursion is bounded by kMaxExprDepth.
  Shape look_at(ExprId id);
  [[nodiscard]] Shape of(const Expr& expr) const;
  [[nodiscard]] Shape of_builtin(const Expr& expr) const;
  [[nodiscard]] Shape of_operation(const Expr& expr) const;

  const Program& program_;
  const bool mixes_groups_;
  std::vector<Shape> exprs_;
  std::vector<Shape> values_;
  std::vector<Shape> vars_;
};

}  // namespace vyre::cpu
