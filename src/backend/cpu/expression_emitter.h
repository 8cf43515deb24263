// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "backend/cpu/code_emitter.h"
#include "backend/cpu/hoists.h"
#include "backend/cpu/lifetimes.h"
#include "base/check.h"

/// Expressions as instructions: where operands are, and which instruction computes an operation.
/// Single-threaded.
namespace vyre::cpu {

class ExpressionEmitter : protected CodeEmitter {
 protected:
  ExpressionEmitter(const Program& program, Code code)
      : CodeEmitter(std::move(code)),
        program_(program),
        lifetimes_(program),
        value_(program.values.size()),
        loaded_(program.values.size(), kNowhere),
        hoisted_(program.exprs.size(), kNowhere) {}

  Operand builtin(const Expr& expr) {
    if (expr.builtin == Builtin::subgroup_size) return constant(kSubgroupLanes);
    return preset(
        {.kind = Preset::Kind::builtin, .component = expr.component, .builtin = expr.builtin},
        expr.builtin != Builtin::num_workgroups);
  }
  Operand buffer_length(const Expr& expr) {
    return preset({.kind = Preset::Kind::length, .value = index(expr.buffer)}, false);
  }
  Operand launch_word(const Expr& expr) {
    if (expr.launch == LaunchField::count) return buffer_length(expr);
    return preset({.kind = Preset::Kind::launch, .launch = expr.launch}, false);
  }

  /// Recursion is bounded by kMaxExprDepth, here and in `compute`.
  Operand operand(ExprId id) {
    const Expr& expr = program_[id];
    switch (expr.kind) {
      case ExprKind::constant: return constant(expr.type, expr.bits);
      case ExprKind::builtin: return builtin(expr);
      case ExprKind::length: return buffer_length(expr);
      case ExprKind::launch: return launch_word(expr);
      case ExprKind::value: return {value_[index(expr.value)].reg, Hold::borrowed};
      case ExprKind::operation: break;
    }
    if (hoisted_[index(id)] != kNowhere) return {hoisted_[index(id)], Hold::pinned};
    if (!is_computed(id)) return operand(expr.operands[0]);
    Instr instr = compute(expr);
    instr.d = allocate(expr.type);
    emit(instr);
    return owned(instr.d, expr.type);
  }
  [[nodiscard]] bool is_computed(ExprId id) const {
    const Expr& expr = program_[id];
    return expr.kind == ExprKind::operation && hoisted_[index(id)] == kNowhere &&
           !keeps_word(expr, program_[expr.operands[0]].type);
  }
  /// The instruction of an operation but for its destination; its operands are released.
  Instr compute(const Expr& expr) {
    if (const auto fused = compute_pair(expr)) return *fused;
    if (const auto shift = compute_by_power(expr)) return *shift;
    const std::span operands(expr.operands.data(), info(expr.op).arity);
    const ExprId typed = expr.operands[info(expr.op).typing == Typing::select ? 1 : 0];
    const ScalarType type = held_as(program_[typed].type);
    const bool same_float =
        expr.op == Op::convert && type == ScalarType::f32 && held_as(expr.type) == ScalarType::f32;
    // What an f16 can hold fits in a word.
    const bool clamps =
        expr.op == Op::convert && is_integer(expr.type) && program_[typed].type == ScalarType::f16;
    const ScalarType result = clamps ? word_like(expr.type) : held_as(expr.type);
    const Kernel kernel = same_float ? nullptr : code_.isa->pure_kernel(expr.op, type, result);
    VYRE_CHECK(kernel != nullptr || same_float);
    const Test test = code_.isa->test_kernel(expr.op, type);
    const bool reads_memory = kernel != nullptr && test == nullptr && !touches_half(expr);
    Instr instr = pure(kernel, operands, reads_memory);
    instr.test = test;
    if (expr.type == ScalarType::f16 && rounds(expr.op)) return rounded(instr);
    if (!clamps) return instr;
    instr = clamped(instr, result);
    return is_wide(expr.type) ? widened(instr, result, expr.type) : instr;
  }
  static ScalarType word_like(ScalarType type) {
    const bool is_signed = type == ScalarType::i64 || type == ScalarType::i32;
    return is_signed ? ScalarType::i32 : ScalarType::u32;
  }

  [[nodiscard]] bool touches_half(const Expr& expr) const {
    const auto is_half = [&](ExprId e) {
      return e != kNone<ExprId> && program_[e].type == ScalarType::f16;
    };
    return expr.type == ScalarType::f16 ||
           std::any_of(expr.operands.begin(), expr.operands.end(), is_half);
  }
  /// d = kernel(operands), which are released.
  Instr pure(Kernel kernel, std::span<const ExprId> operands, bool reads_memory) {
    Instr instr{.op = Opcode::pure, .kernel = kernel};
    std::array<Operand, 3> in;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const auto window = reads_memory ? window_of(operands[i]) : std::nullopt;
      if (window) instr.windows |= static_cast<std::uint8_t>(1u << i);
      in[i] = window ? Operand{*window, Hold::pinned} : operand(operands[i]);
    }
    for (std::size_t i = operands.size(); i-- > 0;)
      release(in[i]);
    if (instr.windows != 0) instr.op = Opcode::pure_from;
    instr.a = in[0].reg;
    instr.b = in[1].reg;
    instr.c = in[2].reg;
    return instr;
  }
  [[nodiscard]] bool all_of_type(const Expr& expr, ScalarType type) const {
    return expr.type == type && program_[expr.operands[0]].type == type &&
           program_[expr.operands[1]].type == type;
  }
  /// Two operations as one, if there is such a pair: the outer one takes the inner one's result.
  std::optional<Instr> compute_pair(const Expr& outer) {
    if (info(outer.op).arity != 2 || !is_word(outer.type)) return std::nullopt;
    for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
      const Expr& inner = program_[outer.operands[side]];
      if (!is_computed(outer.operands[side]) || info(inner.op).arity != 2) continue;
      const Kernel kernel = code_.isa->pair_kernel(inner.op, outer.op, side == 1, outer.type);
      if (kernel == nullptr || !all_of_type(inner, outer.type)) continue;
      return pure(kernel,
                  std::array{inner.operands[0], inner.operands[1], outer.operands[1 - side]}, true);
    }
    return std::nullopt;
  }

  /// An unsigned division by a power of two as a shift, its rest as a mask.
  std::optional<Instr> compute_by_power(const Expr& expr) {
    if ((expr.op != Op::div && expr.op != Op::rem) || expr.type != ScalarType::u32)
      return std::nullopt;
    const Expr& by = program_[expr.operands[1]];
    const auto power = static_cast<std::uint32_t>(by.bits);
    if (by.kind != ExprKind::constant || !std::has_single_bit(power)) return std::nullopt;
    const bool is_rest = expr.op == Op::rem;
    const auto exponent = static_cast<std::uint32_t>(std::countr_zero(power));
    const Operand from = operand(expr.operands[0]);
    const Operand amount = constant(is_rest ? power - 1 : exponent);
    release(amount);
    release(from);
    const Op op = is_rest ? Op::bit_and : Op::shr;
    return Instr{.op = Opcode::pure,
                 .kernel = code_.isa->pure_kernel(op, ScalarType::u32, ScalarType::u32),
                 .a = from.reg,
                 .b = amount.reg};
  }

  static constexpr std::uint32_t kMaxDistance = 64;  ///< instructions to look at
  /// The window of a load whose value is used only here, where nothing has happened since that
  /// could change memory: the load need not copy what lies side by side.
  std::optional<std::uint32_t> window_of(ExprId id) {
    const Expr& expr = program_[id];
    if (expr.kind != ExprKind::value || lifetimes_.uses(expr.value) != 1) return std::nullopt;
    const std::uint32_t at = loaded_[index(expr.value)];
    if (at == kNowhere || pc() - at > kMaxDistance) return std::nullopt;
    if (!std::all_of(code_.instrs.begin() + at, code_.instrs.end(), keeps_memory))
      return std::nullopt;
    code_.instrs[at].op = Opcode::load_window;
    code_.instrs[at].b = code_.windows;
    return code_.windows++;
  }
  static bool keeps_memory(const Instr& instr) {
    switch (instr.op) {
      case Opcode::pure:
      case Opcode::pure_from:
      case Opcode::pure_set:
      case Opcode::set_from:
      case Opcode::copy:
      case Opcode::set:
      case Opcode::splat:
      case Opcode::load:
      case Opcode::load_window: return true;
      default: return false;
    }
  }

  /// Emits `expr` with its result in `d`, for all lanes.
  void compute_into(Reg d, ExprId id) {
    const Expr& expr = program_[id];
    if (is_computed(id)) {
      Instr instr = compute(expr);
      instr.d = d;
      emit(instr);
    } else if (expr.kind == ExprKind::constant) {
      emit_splat(expr.type, d, expr.bits);
    } else {
      const Operand from = operand(id);
      emit_move(Opcode::copy, expr.type, d, from.reg);
      release(from);
    }
  }

  const Program& program_;
  Lifetimes lifetimes_;
  std::vector<Operand> value_;
  std::vector<std::uint32_t> loaded_;  ///< by value: the instruction of its load, if it is plain
  std::vector<Reg> hoisted_;           ///< by operation: where it is kept through a loop
};

}  // namespace vyre::cpu
