// SPDX-License-Identifier: MIT OR Apache-2.0
#include "interpreter/evaluator.h"

#include <algorithm>

#include "base/check.h"
#include "ir/eval.h"

namespace vyre::interpreter {

Evaluator::Evaluator(const Program& program,
                     const RunInputs& inputs,
                     std::span<const std::uint64_t> counts)
    : program_(program),
      inputs_(inputs),
      counts_(counts),
      values_(program.values.size()),
      variables_(program.vars.size()) {}

void Evaluator::start(const InvocationIds& ids) {
  ids_ = ids;
  std::fill(values_.begin(), values_.end(), 0);
  std::fill(variables_.begin(), variables_.end(), 0);
}

std::uint64_t Evaluator::linear_global_id() const {
  std::uint64_t linear = 0;
  for (std::size_t axis = 3; axis-- > 0;) {
    const std::uint64_t size = program_.workgroup[axis];
    linear = linear * (inputs_.grid[axis] * size) + ids_.workgroup[axis] * size + ids_.local[axis];
  }
  return linear;
}

std::uint64_t Evaluator::value(ExprId id) const {
  const Expr& expr = program_[id];
  switch (expr.kind) {
    case ExprKind::constant: return expr.bits;
    case ExprKind::builtin: return builtin(expr);
    case ExprKind::length: return static_cast<std::uint32_t>(counts_[index(expr.buffer)]);
    case ExprKind::launch: return launch_word(expr);
    case ExprKind::value: return values_[index(expr.value)];
    case ExprKind::operation: return operation(expr);
  }
  VYRE_UNREACHABLE();
}

std::uint32_t Evaluator::builtin(const Expr& expr) const {
  const std::size_t axis = expr.component;
  switch (expr.builtin) {
    case Builtin::global_id:
      return ids_.workgroup[axis] * program_.workgroup[axis] + ids_.local[axis];
    case Builtin::local_id: return ids_.local[axis];
    case Builtin::workgroup_id: return ids_.workgroup[axis];
    case Builtin::num_workgroups: return inputs_.grid[axis];
    case Builtin::local_index: return ids_.local_index;
    case Builtin::lane: return ids_.local_index % inputs_.subgroup_size;
    case Builtin::subgroup_size: return inputs_.subgroup_size;
  }
  VYRE_UNREACHABLE();
}

std::uint32_t Evaluator::launch_word(const Expr& expr) const {
  switch (expr.launch) {
    case LaunchField::grid_x: return inputs_.logical_grid[0];
    case LaunchField::grid_y: return inputs_.logical_grid[1];
    case LaunchField::grid_z: return inputs_.logical_grid[2];
    case LaunchField::base_x: return inputs_.base[0];
    case LaunchField::base_y: return inputs_.base[1];
    case LaunchField::base_z: return inputs_.base[2];
    case LaunchField::count: return static_cast<std::uint32_t>(counts_[index(expr.buffer)]);
    case LaunchField::zero: return 0;
  }
  VYRE_UNREACHABLE();
}

std::uint64_t Evaluator::operation(const Expr& expr) const {
  std::array<std::uint64_t, 3> operands = {};
  std::array<ScalarType, 3> types = {};
  const std::size_t arity = info(expr.op).arity;
  for (std::size_t i = 0; i < arity; ++i) {
    operands[i] = value(expr.operands[i]);
    types[i] = program_[expr.operands[i]].type;
  }
  return eval(expr.op, expr.type, std::span(types).first(arity), std::span(operands).first(arity));
}

}  // namespace vyre::interpreter
