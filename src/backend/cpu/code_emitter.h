// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "backend/cpu/code.h"

/// Writes instructions, and hands out the registers that they use: what the compiler stands on.
/// Single-threaded.
namespace vyre::cpu {

class CodeEmitter {
 protected:
  /// So many constants stay in registers of their own; others are written where they are used.
  static constexpr std::size_t kMaxPresets = 256;

  explicit CodeEmitter(Code code) : code_(std::move(code)) {}

  enum class Hold : std::uint8_t { pinned, borrowed, owned };
  struct Operand {
    Reg reg = 0;
    Hold hold = Hold::pinned;
  };

  [[nodiscard]] std::uint32_t pc() const { return static_cast<std::uint32_t>(code_.instrs.size()); }
  std::uint32_t emit(const Instr& instr) {
    code_.instrs.push_back(instr);
    return pc() - 1;
  }

  Reg allocate() {
    if (free_.empty()) {
      next_reg_ += code_.strip_lanes;
      return static_cast<Reg>(next_reg_ - code_.strip_lanes);
    }
    const Reg reg = free_.back();
    free_.pop_back();
    return reg;
  }
  void release(const Operand& operand) {
    if (operand.hold == Hold::owned) free_.push_back(operand.reg);
  }

  Operand preset(Preset wanted, bool each_strip) {
    const auto [found, is_new] = presets_.try_emplace(wanted.key(), 0);
    if (is_new) {
      wanted.reg = found->second = fresh();
      (each_strip ? code_.per_strip : code_.presets).push_back(wanted);
    }
    return {found->second, Hold::pinned};
  }
  /// A register that nothing else ever uses.
  Reg fresh() {
    next_reg_ += code_.strip_lanes;
    return static_cast<Reg>(next_reg_ - code_.strip_lanes);
  }
  Operand constant(Lane word) {
    Preset wanted{.kind = Preset::Kind::constant, .value = word};
    if (presets_.size() < kMaxPresets || presets_.contains(wanted.key()))
      return preset(wanted, false);
    const Reg reg = allocate();
    emit({.op = Opcode::splat, .d = reg, .a = word});
    return {reg, Hold::owned};
  }
  // ---- f16 values are held, and evaluated, as f32
  static ScalarType held_as(ScalarType type) {
    return type == ScalarType::f16 ? ScalarType::f32 : type;
  }
  /// False for operators whose results are f16 if their operands are.
  static bool rounds(Op op) {
    return op != Op::select && op != Op::neg && op != Op::abs && op != Op::min && op != Op::max;
  }
  /// `instr` without a kernel is its operand.  The last instruction is given back.
  Instr rounded(Instr instr) {
    const Reg reg = allocate();
    if (instr.kernel != nullptr) {
      instr.d = reg;
      emit(instr);
      instr.a = reg;
    }
    const auto kernel = [&](Op op, ScalarType from, ScalarType to) {
      return code_.isa->pure_kernel(op, from, to);
    };
    emit({.op = Opcode::pure,
          .kernel = kernel(Op::float_to_half, ScalarType::f32, ScalarType::u32),
          .d = reg,
          .a = instr.a});
    free_.push_back(reg);
    return {.op = Opcode::pure,
            .kernel = kernel(Op::half_to_float, ScalarType::u32, ScalarType::f32),
            .a = reg};
  }
  /// An infinity becomes the greatest number; the others are within the bounds.
  Instr clamped(Instr instr, ScalarType type) {
    constexpr Lane kMost = 65504;
    instr.d = allocate();
    emit(instr);
    const Operand least = constant(type == ScalarType::i32 ? 0 - kMost : 0);
    const Operand most = constant(kMost);
    free_.push_back(instr.d);
    release(least);
    release(most);
    return {.op = Opcode::pure,
            .kernel = code_.isa->pure_kernel(Op::clamp, type, type),
            .a = instr.d,
            .b = least.reg,
            .c = most.reg};
  }

  Code code_;
  std::vector<Reg> free_;
  std::unordered_map<std::uint64_t, Reg> presets_;
  std::uint64_t next_reg_ = 0;
};

}  // namespace vyre::cpu
