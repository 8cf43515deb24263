// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "interpreter/interpreter.h"

/// The values and variables of one invocation, and the value of an expression there.
namespace vyre::interpreter {

/// Which invocation it is.
struct InvocationIds {
  std::array<std::uint32_t, 3> workgroup = {};
  std::array<std::uint32_t, 3> local = {};
  std::uint32_t local_index = 0;
};

class Evaluator {
 public:
  /// `counts`: elements of each buffer's root or trailing array, by BufferId.
  /// REQUIRES: all three outlive it.
  Evaluator(const Program& program, const RunInputs& inputs, std::span<const std::uint64_t> counts);

  /// Forgets all values: it is another invocation now.
  void start(const InvocationIds& ids);
  [[nodiscard]] const InvocationIds& ids() const { return ids_; }
  /// The global id as one number, x fastest.
  [[nodiscard]] std::uint64_t linear_global_id() const;

  /// The bit pattern of an expression's value, zero-extended; a boolean is 0 or 1.
  [[nodiscard]] std::uint64_t value(ExprId id) const;
  [[nodiscard]] bool holds(ExprId condition) const { return value(condition) != 0; }

  void bind(ValueId id, std::uint64_t value) { values_[index(id)] = value; }
  [[nodiscard]] std::uint64_t variable(VarId id) const { return variables_[index(id)]; }
  void set(VarId id, std::uint64_t value) { variables_[index(id)] = value; }

 private:
  [[nodiscard]] std::uint32_t builtin(const Expr& expr) const;
  [[nodiscard]] std::uint32_t launch_word(const Expr& expr) const;
  [[nodiscard]] std::uint64_t operation(const Expr& expr) const;

  const Program& program_;
  const RunInputs& inputs_;
  std::span<const std::uint64_t> counts_;
  InvocationIds ids_;
  std::vector<std::uint64_t> values_;
  std::vector<std::uint64_t> variables_;
};

}  // namespace vyre::interpreter
