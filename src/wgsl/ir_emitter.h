// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>

#include "base/half.h"
#include "ir/assembler.h"
#include "wgsl/types.h"

namespace vyre::wgsl {

/// Writes the operators of an expansion into the program.
class IrEmitter {
 public:
  using Value = vyre::ExprId;

  explicit IrEmitter(Assembler& out) : out_(out) {}

  vyre::ExprId op(Op op, std::initializer_list<vyre::ExprId> operands) {
    return out_.op(op, operands);
  }
  vyre::ExprId number(vyre::ExprId like, double value) {
    if (out_.type(like) == ScalarType::f32) return out_.f32(static_cast<float>(value));
    if (out_.type(like) == ScalarType::f16)
      return out_.constant(ScalarType::f16, float_to_half(static_cast<float>(value)));
    const auto bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
    const bool wide = info(out_.type(like)).bytes == 8;
    return out_.constant(out_.type(like), wide ? bits : bits & 0xffffffffU);
  }
  vyre::ExprId u32(std::uint32_t value) { return out_.u32(value); }
  vyre::ExprId convert(vyre::ExprId value, TypeId to) { return out_.convert(ir_scalar(to), value); }
  vyre::ExprId bitcast(vyre::ExprId value, TypeId to) { return out_.bitcast(ir_scalar(to), value); }
  TypeId type(vyre::ExprId value) { return out_.type(value) == ScalarType::f16 ? kF16 : kF32; }
  static bool is_true(vyre::ExprId) { return false; }
  vyre::ExprId like(vyre::ExprId value, vyre::ExprId other) {
    return out_.bitcast(out_.type(other), value);
  }

 private:
  Assembler& out_;
};

}  // namespace vyre::wgsl
