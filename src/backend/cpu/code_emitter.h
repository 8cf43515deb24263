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
  enum class Form : std::uint8_t { full, seed };
  struct Operand {
    Reg reg = 0;
    Hold hold = Hold::pinned;
    Form form = Form::full;
    bool is_pair = false;  ///< what is owned, even if only its low words are of use
  };

  [[nodiscard]] std::uint32_t pc() const { return static_cast<std::uint32_t>(code_.instrs.size()); }
  std::uint32_t emit(const Instr& instr) {
    code_.instrs.push_back(instr);
    return pc() - 1;
  }

  std::vector<Reg>& free(Form form) { return form == Form::seed ? free_seeds_ : free_; }
  Reg allocate(Form form = Form::full) {
    std::vector<Reg>& free = this->free(form);
    if (free.empty()) return fresh(form);
    const Reg reg = free.back();
    free.pop_back();
    return reg;
  }
  /// A register for a value of `type`, or a pair.
  Reg allocate(ScalarType type) { return is_wide(type) ? allocate_pair() : allocate(); }
  Operand owned(Reg reg, ScalarType type) { return {reg, Hold::owned, Form::full, is_wide(type)}; }
  void release(const Operand& operand) {
    if (operand.hold == Hold::owned)
      (operand.is_pair ? free_pairs_ : free(operand.form)).push_back(operand.reg);
  }

  Operand preset(Preset wanted, bool each_strip) {
    const auto [found, is_new] = presets_.try_emplace(wanted.key(), 0);
    const Form form = wanted.is_seed ? Form::seed : Form::full;
    if (is_new) {
      wanted.reg = found->second = fresh(form);
      (each_strip ? code_.per_strip : code_.presets).push_back(wanted);
    }
    return {found->second, Hold::pinned, form};
  }
  /// A register that nothing else ever uses.
  Reg fresh(Form form) {
    if (form == Form::seed) return fresh_seed();
    next_reg_ += code_.strip_lanes;
    return static_cast<Reg>(next_reg_ - code_.strip_lanes);
  }
  /// Seeds share the place of a register, so that registers lie at multiples of their size.
  Reg fresh_seed() {
    if (seeds_left_ == 0) {
      next_seed_ = fresh(Form::full);
      seeds_left_ = code_.strip_lanes / kLaneStep;
    }
    --seeds_left_;
    return std::exchange(next_seed_, next_seed_ + kLaneStep);
  }
  Reg allocate_pair() {
    if (free_pairs_.empty()) return fresh_pair();
    const Reg reg = free_pairs_.back();
    free_pairs_.pop_back();
    return reg;
  }
  /// Short registers share the distance between the two of a pair.
  Reg fresh_pair() {
    if (unused_pairs_.empty()) {
      for (std::uint32_t end = code_.strip_lanes; end <= kHighWords; end += code_.strip_lanes)
        unused_pairs_.push_back(static_cast<Reg>(next_reg_ + end - code_.strip_lanes));
      next_reg_ += 2 * kHighWords;
    }
    const Reg reg = unused_pairs_.back();
    unused_pairs_.pop_back();
    return reg;
  }
  /// The same for both registers of a pair.
  void emit_move(Opcode op, ScalarType type, Reg d, Reg a) {
    emit({.op = op, .d = d, .a = a});
    if (is_wide(type)) emit({.op = op, .d = d + kHighWords, .a = a + kHighWords});
  }
  void emit_splat(ScalarType type, Reg d, std::uint64_t bits) {
    emit({.op = Opcode::splat, .d = d, .a = word_of(type, bits)});
    if (is_wide(type))
      emit({.op = Opcode::splat, .d = d + kHighWords, .a = static_cast<Lane>(bits >> 32)});
  }

  Operand constant(ScalarType type, std::uint64_t bits) {
    if (!is_wide(type)) return constant(word_of(type, bits));
    if (const auto found = wide_constants_.find(bits); found != wide_constants_.end())
      return {found->second, Hold::pinned};
    if (wide_constants_.size() < kMaxPresets) {
      const Reg reg = wide_constants_[bits] = fresh_pair();
      const auto keep = [&](Lane word, Reg at) {
        code_.presets.push_back({.kind = Preset::Kind::constant, .value = word, .reg = at});
      };
      keep(static_cast<Lane>(bits), reg);
      keep(static_cast<Lane>(bits >> 32), reg + kHighWords);
      return {reg, Hold::pinned};
    }
    const Reg reg = allocate_pair();
    emit_splat(type, reg, bits);
    return owned(reg, type);
  }
  Operand constant(Lane word, Form form = Form::full) {
    const bool is_seed = form == Form::seed;
    Preset wanted{.kind = Preset::Kind::constant, .is_seed = is_seed, .value = word};
    if (presets_.size() < kMaxPresets || presets_.contains(wanted.key()))
      return preset(wanted, false);
    const Reg reg = allocate(form);
    emit({.op = is_seed ? Opcode::splat_seed : Opcode::splat, .d = reg, .a = word});
    return {reg, Hold::owned, form};
  }
  static Opcode pure_of(Form form) { return form == Form::seed ? Opcode::pure_seed : Opcode::pure; }
  /// `instr`, whose result is a word, and its conversion to 64 bits.
  Instr widened(Instr instr, ScalarType from, ScalarType to) {
    instr.d = allocate();
    emit(instr);
    free_.push_back(instr.d);
    return {
        .op = Opcode::pure, .kernel = code_.isa->pure_kernel(Op::convert, from, to), .a = instr.d};
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
  Instr rounded(Instr instr, Form form) {
    const Reg reg = allocate(form);
    if (instr.kernel != nullptr) {
      instr.d = reg;
      emit(instr);
      instr.a = reg;
    }
    const auto kernel = [&](Op op, ScalarType from, ScalarType to) {
      return code_.isa->pure_kernel(op, from, to);
    };
    emit({.op = pure_of(form),
          .kernel = kernel(Op::float_to_half, ScalarType::f32, ScalarType::u32),
          .d = reg,
          .a = instr.a});
    free(form).push_back(reg);
    return {.op = pure_of(form),
            .kernel = kernel(Op::half_to_float, ScalarType::u32, ScalarType::f32),
            .a = reg};
  }
  /// An infinity becomes the greatest number; the others are within the bounds.
  Instr clamped(Instr instr, ScalarType type, Form form) {
    constexpr Lane kMost = 65504;
    instr.d = allocate(form);
    emit(instr);
    const Operand least = constant(type == ScalarType::i32 ? 0 - kMost : 0, form);
    const Operand most = constant(kMost, form);
    free(form).push_back(instr.d);
    release(least);
    release(most);
    return {.op = pure_of(form),
            .kernel = code_.isa->pure_kernel(Op::clamp, type, type),
            .a = instr.d,
            .b = least.reg,
            .c = most.reg};
  }

  Code code_;
  std::vector<Reg> free_;
  std::vector<Reg> free_pairs_;
  std::vector<Reg> unused_pairs_;  ///< nothing has ever used them
  std::vector<Reg> free_seeds_;
  Reg next_seed_ = 0;  ///< nothing has ever used it, if there are some left
  std::uint32_t seeds_left_ = 0;
  std::unordered_map<std::uint64_t, Reg> presets_;
  std::unordered_map<std::uint64_t, Reg> wide_constants_;
  std::uint64_t next_reg_ = 0;
};

}  // namespace vyre::cpu
