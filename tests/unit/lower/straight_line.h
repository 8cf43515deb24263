// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "ir/assembler.h"
#include "ir/eval.h"

/// Programs without control flow that compute one expression of loaded operands, and their result
/// by `eval` alone.
namespace vyre::test {

/// Loads one operand of each type from a buffer of its own, applies `write`, stores the result.
template <typename F>
Program straight_line(std::span<const ScalarType> types, F write) {
  Assembler to("straight", {1, 1, 1});
  std::vector<ExprId> operands;
  for (const ScalarType type : types) {
    const BufferId in = to.buffer({.name = "in", .layout = to.scalar(type)});
    operands.push_back(to.load({in}));
  }
  const ExprId result = write(to, operands);
  const LayoutId layout = to.scalar(to.type(result));
  const BufferId out = to.buffer({.name = "out", .access = Access::output, .layout = layout});
  to.store({out}, result);
  return std::move(to).finish();
}

/// The bits that the program's store writes when its loads yield `inputs`, in order.
class StraightLine {
 public:
  StraightLine(const Program& program, std::span<const std::uint64_t> inputs)
      : program_(program), values_(program.values.size()) {
    std::size_t next = 0;
    for (const StmtId id : program[program.body].stmts) {
      const Stmt& stmt = program[id];
      if (const auto* load = std::get_if<Load>(&stmt)) values_[index(load->first)] = inputs[next++];
      if (const auto* let = std::get_if<Let>(&stmt)) values_[index(let->result)] = run(let->value);
      if (const auto* store = std::get_if<Store>(&stmt)) stored_ = run(store->values[0]);
    }
  }
  [[nodiscard]] std::uint64_t stored() const { return stored_; }

 private:
  std::uint64_t run(ExprId id) const {
    const Expr& expr = program_[id];
    if (expr.kind == ExprKind::constant) return expr.bits;
    if (expr.kind == ExprKind::value) return values_[index(expr.value)];
    if (expr.kind != ExprKind::operation) return 0;  // the launch block's zero word
    std::array<ScalarType, 3> types = {};
    std::array<std::uint64_t, 3> bits = {};
    const std::size_t arity = info(expr.op).arity;
    for (std::size_t i = 0; i < arity; ++i) {
      types[i] = program_[expr.operands[i]].type;
      bits[i] = run(expr.operands[i]);
    }
    return eval(expr.op, expr.type, {types.data(), arity}, {bits.data(), arity});
  }

  const Program& program_;
  std::vector<std::uint64_t> values_;
  std::uint64_t stored_ = 0;
};

/// Values at which operators change their ways.
inline std::vector<std::uint64_t> special_values(ScalarType type) {
  switch (type) {
    case ScalarType::boolean: return {0, 1};
    case ScalarType::u32:
    case ScalarType::i32:
      return {0,          1,          2,          3,          7,          15,         16,
              31,         32,         33,         0xff,       0x3ff,      0x400,      0x7bff,
              0x7c00,     0x7c01,     0x7e00,     0x8000,     0x8001,     0xfc00,     0xffff,
              0x10000,    0x1234567,  0x7fffffff, 0x80000000, 0x80000001, 0xfffffff0, 0xfffffffe,
              0xffffffff, 0xffffff80, 0xff800000, 126,        127,        300,        0xffffff6a};
    case ScalarType::f32:
      return {0,          0x80000000, 1,          0x80000001, 0x007fffff, 0x00800000, 0x33000000,
              0x33000001, 0x33800000, 0x387fc000, 0x387fe000, 0x38800000, 0x3effffff, 0x3f000000,
              0x3f7fffff, 0x3f800000, 0xbf800000, 0x3fc00000, 0x40000000, 0xc0200000, 0x40490fdb,
              0x4b000000, 0x4effffff, 0x4f000000, 0xcf000000, 0xcf000001, 0x4f7fffff, 0x4f800000,
              0x477fe000, 0x477fefff, 0x477ff000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000,
              0x7fc00000, 0xffc00001, 0x7f800001};
    case ScalarType::u64:
    case ScalarType::i64:
      return {0,
              1,
              2,
              7,
              31,
              32,
              33,
              63,
              64,
              0x7fffffff,
              0x80000000,
              0xffffffff,
              0x100000000,
              0x100000001,
              0x0020000000000001,
              0x7fffff8000000000,
              0x7fffffffffffffff,
              0x8000000000000000,
              0x8000000000000001,
              0xffffffff00000000,
              0xffffffff7fffffff,
              0xffffffff80000000,
              0xfffffffffffffff9,
              0xffffffffffffffff};
    case ScalarType::f16:
    case ScalarType::u8:
    case ScalarType::i8:
    case ScalarType::u16:
    case ScalarType::i16:
    case ScalarType::half: return {};
  }
  return {};
}

/// Equal bits, or two NaNs.
inline bool same_value(ScalarType type, std::uint64_t a, std::uint64_t b) {
  const auto nan = [](std::uint64_t bits) { return (bits & 0x7fffffffu) > 0x7f800000u; };
  return a == b || (type == ScalarType::f32 && nan(a) && nan(b));
}

}  // namespace vyre::test
