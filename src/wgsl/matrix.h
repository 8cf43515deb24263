// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vyre/op.h"

#include "base/check.h"
#include "wgsl/ast.h"
#include "wgsl/builtins.h"
#include "wgsl/types.h"

/// What is done with matrices, once for constant evaluation and for lowering.
///
/// A matrix is its scalars, column by column.  The emitter `E` is that of `Expansion`.  Sums start
/// with the first product and add the others in order.
namespace vyre::wgsl {

/// True where `left op right` is a product of linear algebra and not component by component.
inline bool is_product(const Types& types, BinaryOp op, TypeId left, TypeId right) {
  const bool matrices = types.is(left, TypeKind::matrix) || types.is(right, TypeKind::matrix);
  return op == BinaryOp::multiply && matrices && !types.is_scalar(left) && !types.is_scalar(right);
}

template <typename E>
class MatrixOps {
 public:
  using Value = typename E::Value;
  using Values = std::vector<Value>;

  explicit MatrixOps(E& emitter) : e(emitter) {}

  /// A vector on the left is a row, one on the right a column.
  Values product(const Types& types, TypeId left, const Values& a, TypeId right, const Values& b) {
    const std::size_t rows = types.is(left, TypeKind::matrix) ? types.rows(left) : 1;
    const std::size_t inner = a.size() / rows;
    const std::size_t columns = types.is(right, TypeKind::matrix) ? types[right].count : 1;
    Values result;
    for (std::size_t c = 0; c < columns; ++c)
      for (std::size_t r = 0; r < rows; ++r) {
        Value sum = e.op(Op::mul, {a[r], b[c * inner]});
        for (std::size_t k = 1; k < inner; ++k)
          sum = e.op(Op::add, {sum, e.op(Op::mul, {a[k * rows + r], b[c * inner + k]})});
        result.push_back(sum);
      }
    return result;
  }

  Values call(Function function, const Types& types, TypeId matrix, const Values& m) {
    const std::uint32_t rows = types.rows(matrix);
    if (function == Function::determinant) return {determinant(m, rows, 0, 0)};
    VYRE_CHECK(function == Function::transpose);
    Values result;
    for (std::uint32_t r = 0; r < rows; ++r)
      for (std::uint32_t c = 0; c < types[matrix].count; ++c)
        result.push_back(m[c * rows + r]);
    return result;
  }

 private:
  /// Of the columns from `column` on and the rows that are not in the mask `used`.
  Value determinant(const Values& m, std::uint32_t size, std::uint32_t column, unsigned used) {
    Value sum = {};
    bool first = true;
    bool negative = false;
    for (std::uint32_t r = 0; r < size; ++r) {
      if ((used >> r & 1U) != 0) continue;
      Value term = m[column * size + r];
      if (column + 1 < size)
        term = e.op(Op::mul, {term, determinant(m, size, column + 1, used | 1U << r)});
      if (first) {
        sum = term;
      } else {
        sum = e.op(negative ? Op::sub : Op::add, {sum, term});
      }
      first = false;
      negative = !negative;
    }
    return sum;
  }

  E& e;
};

}  // namespace vyre::wgsl
