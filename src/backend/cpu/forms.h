// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <vector>

#include "vyre/program.h"

#include "backend/cpu/shapes.h"

/// Which values are held as seeds, and which of those in all lanes too.
namespace vyre::cpu {

/// A value whose shape is known in every strip is held as a seed.  Where an operation, or memory,
/// needs it in all lanes, it is expanded: values and variables once, where they are written.
/// `shapes` must outlive this.
class Forms {
 public:
  Forms(const Program& program, const Shapes& shapes);

  template <typename Id>
  [[nodiscard]] bool is_seed(Id id) const {
    const Shape shape = shapes_.of(id);
    return shape.known && !shape.needs_line;
  }
  /// True for a comparison of seeds that is none itself, since it changes from lane to lane.
  [[nodiscard]] bool compares_seeds(ExprId id) const;

  /// True where a seed is wanted in all lanes.
  [[nodiscard]] bool is_full(ExprId operation) const { return full_exprs_[index(operation)]; }
  [[nodiscard]] bool is_full(ValueId id) const { return full_values_[index(id)]; }
  [[nodiscard]] bool is_full(VarId id) const { return full_vars_[index(id)]; }

 private:
  friend class FormScan;
  const Program& program_;
  const Shapes& shapes_;
  std::vector<bool> full_exprs_;
  std::vector<bool> full_values_;
  std::vector<bool> full_vars_;
};

}  // namespace vyre::cpu
