// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include "fuzz/context.h"

/// Random expressions of exact operations over what is visible.
namespace vyre::test {

class Expressions {
 public:
  explicit Expressions(Context& context) : c_(context) {}

  /// An expression of a type; reads of variables are appended to the open block.
  /// `uniform`: the same in all invocations of the workgroup.
  ExprId make(ScalarType type, bool uniform = false, int depth = 3);
  ScalarType any_type();    ///< a number or boolean
  ScalarType any_number();  ///< u32, i32, f32; also u64 or i64: see FuzzOptions::wide
  bool picks_wide();

  /// Below `limit`.
  ExprId below(std::uint32_t limit, bool uniform = false);
  /// Position of the invocation in the grid, and of the workgroup; x fastest.
  ExprId invocation();
  ExprId workgroup();
  /// A float as it may be used further: see FuzzOptions::flush.
  ExprId tame(ExprId value);

 private:
  ExprId leaf(ScalarType type, bool uniform);
  ExprId constant(ScalarType type);
  ExprId builtin(bool uniform);
  ExprId visible(ScalarType type, bool uniform);
  ExprId integer(ScalarType type, bool uniform, int depth);
  ExprId floating(bool uniform, int depth);
  ExprId logical(bool uniform, int depth);
  ExprId apply(Op op, ScalarType type, bool uniform, int depth);
  ExprId select(ScalarType type, bool uniform, int depth);
  ExprId converted(ScalarType type, bool uniform, int depth);
  ExprId tame_result(ExprId value);
  ExprId zero_where_none(ExprId value, std::uint32_t mask);
  ExprId bits_of_float(ScalarType type, ExprId value);

  Context& c_;
};

}  // namespace vyre::test
