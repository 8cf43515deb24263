// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "backend/cpu/code_emitter.h"
#include "backend/cpu/forms.h"
#include "backend/cpu/hoists.h"
#include "backend/cpu/lifetimes.h"
#include "backend/cpu/shapes.h"
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
        value_(program.values.size(), kMissing),
        seed_(program.values.size(), {kNowhere, Hold::pinned, Form::seed}),
        fixed_as_(program.values.size(), kNone<ExprId>),
        word_(program.values.size(), kNoWord),
        loaded_(program.values.size(), kNowhere),
        hoisted_(program.exprs.size(), kNowhere),
        hoisted_seed_(program.exprs.size(), kNowhere) {}

  static constexpr Operand kMissing = {kNowhere, Hold::pinned, Form::full};

  Operand builtin(const Expr& expr, Form form) {
    if (expr.builtin == Builtin::subgroup_size) return constant(kSubgroupLanes, form);
    return preset({.kind = Preset::Kind::builtin,
                   .is_seed = form == Form::seed,
                   .component = expr.component,
                   .builtin = expr.builtin},
                  expr.builtin != Builtin::num_workgroups);
  }
  Operand buffer_length(const Expr& expr, Form form) {
    return preset(
        {.kind = Preset::Kind::length, .is_seed = form == Form::seed, .value = index(expr.buffer)},
        false);
  }
  Operand launch_word(const Expr& expr, Form form) {
    if (expr.launch == LaunchField::count) return buffer_length(expr, form);
    return preset(
        {.kind = Preset::Kind::launch, .is_seed = form == Form::seed, .launch = expr.launch},
        false);
  }
  /// A word of memory that is read once.
  Operand word(std::uint64_t place, Form form) {
    const auto [found, is_new] =
        words_.try_emplace(place << 1 | (form == Form::seed ? 1 : 0), Reg{0});
    if (is_new) {
      found->second = fresh(form);
      code_.presets.push_back({.kind = Preset::Kind::word,
                               .is_seed = form == Form::seed,
                               .value = static_cast<std::uint32_t>(place >> 32),
                               .offset = static_cast<std::uint32_t>(place),
                               .reg = found->second});
    }
    return {found->second, Hold::pinned, form};
  }
  Operand value(ValueId id, Form form) {
    if (word_[index(id)] != kNoWord) return word(word_[index(id)], form);
    if (fixed_as_[index(id)] != kNone<ExprId>) return operand(fixed_as_[index(id)], form);
    if (form == Form::seed) return {seed_[index(id)].reg, Hold::borrowed, form};
    if (value_[index(id)].reg != kNowhere) return {value_[index(id)].reg, Hold::borrowed};
    return expanded({seed_[index(id)].reg, Hold::borrowed, Form::seed}, shapes_->of(id).step);
  }
  /// True for what can be computed before the launch begins.
  [[nodiscard]] bool is_fixed(ExprId id) const {
    constexpr std::size_t kMostComputed = 1024;
    return shapes_->of(id).is_fixed && code_.presets.size() < kMostComputed;
  }
  /// A seed that is computed before the launch begins.  Recursion is bounded by kMaxExprDepth.
  Reg fixed_seed(ExprId id) {
    const Expr& expr = program_[id];
    if (expr.kind == ExprKind::constant) return constant_seed(word_of(expr.type, expr.bits));
    if (expr.kind == ExprKind::builtin && expr.builtin == Builtin::subgroup_size)
      return constant_seed(kSubgroupLanes);
    if (expr.kind == ExprKind::value && fixed_as_[index(expr.value)] != kNone<ExprId>)
      return fixed_seed(fixed_as_[index(expr.value)]);
    if (expr.kind != ExprKind::operation) return operand(id, Form::seed).reg;
    if (keeps_word(expr, program_[expr.operands[0]].type)) return fixed_seed(expr.operands[0]);
    const ScalarType type = program_[typed_operand(expr)].type;
    Preset wanted{.kind = Preset::Kind::computed,
                  .is_seed = true,
                  .kernel = code_.isa->pure_kernel(expr.op, type, expr.type)};
    for (std::size_t i = 0; i < info(expr.op).arity; ++i)
      wanted.of[i] = fixed_seed(expr.operands[i]);
    return computed(wanted).reg;
  }
  Reg constant_seed(Lane word) {
    return preset({.kind = Preset::Kind::constant, .is_seed = true, .value = word}, false).reg;
  }
  Operand fixed(ExprId id, Form form) {
    const Reg seed = fixed_seed(id);
    if (form == Form::seed) return {seed, Hold::pinned, form};
    return computed({.kind = Preset::Kind::expanded, .of = {seed}});
  }
  Operand computed(Preset wanted) {
    const std::array<std::uint64_t, 3> key = {
        reinterpret_cast<std::uintptr_t>(wanted.kernel),
        std::uint64_t{wanted.of[0]} << 32 | wanted.of[1],
        std::uint64_t{wanted.of[2]} << 32 | static_cast<std::uint64_t>(wanted.kind)};
    const auto [found, is_new] = computed_.try_emplace(key, Reg{0});
    const Form form = wanted.is_seed ? Form::seed : Form::full;
    if (is_new) {
      wanted.reg = found->second = fresh(form);
      code_.presets.push_back(wanted);
    }
    return {found->second, Hold::pinned, form};
  }
  Operand expanded(const Operand& seed, std::int32_t step) {
    const Reg d = allocate();
    expand(d, seed, step);
    return {d, Hold::owned};
  }
  void expand(Reg d, const Operand& seed, std::int32_t step) {
    emit({.op = Opcode::expand, .d = d, .a = seed.reg, .c = static_cast<std::uint32_t>(step)});
    release(seed);
  }

  /// Recursion is bounded by kMaxExprDepth, here and in `compute`.
  /// REQUIRES: `form` is full, or the expression is a seed.
  Operand operand(ExprId id, Form form = Form::full) {
    const Expr& expr = program_[id];
    switch (expr.kind) {
      case ExprKind::constant:
        return form == Form::seed ? constant(word_of(expr.type, expr.bits), form)
                                  : constant(expr.type, expr.bits);
      case ExprKind::builtin: return builtin(expr, form);
      case ExprKind::length: return buffer_length(expr, form);
      case ExprKind::launch: return launch_word(expr, form);
      case ExprKind::value: return value(expr.value, form);
      case ExprKind::operation: break;
    }
    const Reg hoisted = (form == Form::seed ? hoisted_seed_ : hoisted_)[index(id)];
    if (hoisted != kNowhere) return {hoisted, Hold::pinned, form};
    if (keeps_word(expr, program_[expr.operands[0]].type)) return operand(expr.operands[0], form);
    if (is_fixed(id)) return fixed(id, form);
    if (form == Form::full && forms_->is_seed(id))
      return expanded(operand(id, Form::seed), shapes_->of(id).step);
    Instr instr = compute(expr, form);
    instr.d = form == Form::seed ? allocate(form) : allocate(expr.type);
    emit(instr);
    return form == Form::seed ? Operand{instr.d, Hold::owned, form} : owned(instr.d, expr.type);
  }
  Operand seed(ExprId id) { return operand(id, Form::seed); }
  /// True for an operation that is computed where it stands, in all lanes.
  [[nodiscard]] bool is_computed(ExprId id) const {
    const Expr& expr = program_[id];
    return expr.kind == ExprKind::operation && hoisted_[index(id)] == kNowhere &&
           !keeps_word(expr, program_[expr.operands[0]].type);
  }
  [[nodiscard]] bool is_computed_in_all(ExprId id) const {
    return is_computed(id) && !forms_->is_seed(id);
  }
  /// The same, as a seed.
  [[nodiscard]] bool is_computed_seed(ExprId id) const {
    const Expr& expr = program_[id];
    return expr.kind == ExprKind::operation && forms_->is_seed(id) && !is_fixed(id) &&
           hoisted_seed_[index(id)] == kNowhere &&
           !keeps_word(expr, program_[expr.operands[0]].type);
  }
  /// True if its register for all lanes is there already, and stays.
  [[nodiscard]] bool is_preset(ExprId id) const {
    const Expr& expr = program_[id];
    if (expr.kind == ExprKind::operation) return is_fixed(id) || hoisted_[index(id)] != kNowhere;
    return expr.kind != ExprKind::value || word_[index(expr.value)] != kNoWord ||
           fixed_as_[index(expr.value)] != kNone<ExprId>;
  }
  /// True if its register for all lanes is there already.
  [[nodiscard]] bool is_at_hand(ExprId id) const {
    const Expr& expr = program_[id];
    return is_preset(id) ||
           (expr.kind == ExprKind::value && value_[index(expr.value)].reg != kNowhere);
  }
  /// The instruction of an operation but for its destination; its operands are released.
  Instr compute(const Expr& expr, Form form) {
    if (const auto fused = compute_pair(expr, form)) return *fused;
    if (const auto shift = compute_by_power(expr, form)) return *shift;
    const std::span operands(expr.operands.data(), info(expr.op).arity);
    const ScalarType type = held_as(program_[typed_operand(expr)].type);
    const bool same_float =
        expr.op == Op::convert && type == ScalarType::f32 && held_as(expr.type) == ScalarType::f32;
    // What an f16 can hold fits in a word.
    const bool clamps = expr.op == Op::convert && is_integer(expr.type) &&
                        program_[typed_operand(expr)].type == ScalarType::f16;
    const ScalarType result = clamps ? word_like(expr.type) : held_as(expr.type);
    const Kernel kernel = same_float ? nullptr : code_.isa->pure_kernel(expr.op, type, result);
    VYRE_CHECK(kernel != nullptr || same_float);
    const Test test = code_.isa->test_kernel(expr.op, type);
    const bool reads_memory = kernel != nullptr && test == nullptr && !touches_half(expr);
    Instr instr = pure(kernel, operands, reads_memory, form);
    instr.test = test;
    if (expr.type == ScalarType::f16 && rounds(expr.op)) return rounded(instr, form);
    if (!clamps) return instr;
    instr = clamped(instr, result, form);
    return is_wide(expr.type) ? widened(instr, result, expr.type) : instr;
  }
  static ScalarType word_like(ScalarType type) {
    const bool is_signed = type == ScalarType::i64 || type == ScalarType::i32;
    return is_signed ? ScalarType::i32 : ScalarType::u32;
  }

  /// The operand whose type chooses the kernel.
  static ExprId typed_operand(const Expr& expr) {
    return expr.operands[info(expr.op).typing == Typing::select ? 1 : 0];
  }
  [[nodiscard]] bool touches_half(const Expr& expr) const {
    const auto is_half = [&](ExprId e) {
      return e != kNone<ExprId> && program_[e].type == ScalarType::f16;
    };
    return expr.type == ScalarType::f16 ||
           std::any_of(expr.operands.begin(), expr.operands.end(), is_half);
  }
  /// d = kernel(operands), which are released.
  Instr pure(Kernel kernel, std::span<const ExprId> operands, bool reads_memory, Form form) {
    Instr instr{.op = pure_of(form), .kernel = kernel};
    std::array<Operand, 3> in;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const bool may_read = reads_memory && form == Form::full;
      const auto window = may_read ? window_of(operands[i]) : std::nullopt;
      if (window) instr.windows |= static_cast<std::uint8_t>(1u << i);
      in[i] = window ? Operand{*window, Hold::pinned} : operand(operands[i], form);
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
  std::optional<Instr> compute_pair(const Expr& outer, Form form) {
    if (info(outer.op).arity != 2 || !is_word(outer.type)) return std::nullopt;
    for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
      const Expr& inner = program_[outer.operands[side]];
      if (!is_computed(outer.operands[side]) || info(inner.op).arity != 2) continue;
      if (form == Form::seed ? hoisted_seed_[index(outer.operands[side])] != kNowhere
                             : !is_for_all(outer.operands[side]))
        continue;
      const Kernel kernel = code_.isa->pair_kernel(inner.op, outer.op, side == 1, outer.type);
      if (kernel == nullptr || !all_of_type(inner, outer.type)) continue;
      return pure(kernel,
                  std::array{inner.operands[0], inner.operands[1], outer.operands[1 - side]}, true,
                  form);
    }
    return std::nullopt;
  }
  /// True if nothing is gained by computing the operation as a seed, which is then expanded.
  [[nodiscard]] bool is_for_all(ExprId operation) const {
    if (!forms_->is_seed(operation)) return true;
    if (is_fixed(operation)) return false;
    const auto& operands = program_[operation].operands;
    return is_at_hand(operands[0]) && is_at_hand(operands[1]);
  }

  /// An unsigned division by a power of two as a shift, its rest as a mask.
  std::optional<Instr> compute_by_power(const Expr& expr, Form form) {
    if ((expr.op != Op::div && expr.op != Op::rem) || expr.type != ScalarType::u32)
      return std::nullopt;
    const Expr& by = program_[expr.operands[1]];
    const auto power = static_cast<std::uint32_t>(by.bits);
    if (by.kind != ExprKind::constant || !std::has_single_bit(power)) return std::nullopt;
    const bool is_rest = expr.op == Op::rem;
    const auto exponent = static_cast<std::uint32_t>(std::countr_zero(power));
    const Operand from = operand(expr.operands[0], form);
    const Operand amount = constant(is_rest ? power - 1 : exponent, form);
    release(amount);
    release(from);
    const Op op = is_rest ? Op::bit_and : Op::shr;
    return Instr{.op = pure_of(form),
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
      case Opcode::pure_seed:
      case Opcode::copy:
      case Opcode::copy_seed:
      case Opcode::set:
      case Opcode::splat:
      case Opcode::splat_seed:
      case Opcode::expand:
      case Opcode::load:
      case Opcode::load_seed:
      case Opcode::load_window: return true;
      default: return false;
    }
  }

  /// Emits `expr` with its result in `d`, for all lanes.
  void compute_into(Reg d, ExprId id) {
    const Expr& expr = program_[id];
    if (is_computed_in_all(id)) {
      Instr instr = compute(expr, Form::full);
      instr.d = d;
      emit(instr);
    } else if (expr.kind == ExprKind::constant) {
      emit_splat(expr.type, d, expr.bits);
    } else if (forms_->is_seed(id) && !is_at_hand(id)) {
      expand(d, seed(id), shapes_->of(id).step);
    } else {
      const Operand from = operand(id);
      emit_move(Opcode::copy, expr.type, d, from.reg);
      release(from);
    }
  }

  /// As a seed.
  void compute_seed_into(Reg d, ExprId id) {
    if (is_computed_seed(id)) {
      Instr instr = compute(program_[id], Form::seed);
      instr.d = d;
      emit(instr);
    } else {
      const Operand from = seed(id);
      emit({.op = Opcode::copy_seed, .d = d, .a = from.reg});
      release(from);
    }
  }
  /// Binds a value to a seed, and to what follows from it where that is wanted.
  void bind_seed(ValueId value, const Operand& seed) {
    seed_[index(value)] = seed;
    if (!forms_->is_full(value)) return;
    const Operand borrowed{seed.reg, Hold::borrowed, Form::seed};
    value_[index(value)] = expanded(borrowed, shapes_->of(value).step);
  }

  Reg bind_new(ValueId value) {
    const ScalarType type = program_.values[index(value)];
    value_[index(value)] = owned(allocate(type), type);
    return value_[index(value)].reg;
  }
  void bind_seed(ValueId result, ExprId value) {
    Operand from = seed(value);
    if (from.hold == Hold::borrowed) from = copied(from);
    if (!is_preset(value) || !forms_->is_full(result)) return bind_seed(result, from);
    seed_[index(result)] = from;
    value_[index(result)] = operand(value);
  }
  Operand copied(const Operand& seed) {
    const Reg d = allocate(Form::seed);
    emit({.op = Opcode::copy_seed, .d = d, .a = seed.reg});
    return {d, Hold::owned, Form::seed};
  }

  static constexpr std::uint64_t kNoWord = ~std::uint64_t{0};

  const Program& program_;
  Lifetimes lifetimes_;
  std::optional<Shapes> shapes_;
  std::optional<Forms> forms_;
  std::vector<Operand> value_;    ///< by value: its register
  std::vector<Operand> seed_;     ///< by value: its seed
  std::vector<ExprId> fixed_as_;  ///< by value: what it is, if that is fixed
  std::map<std::array<std::uint64_t, 3>, Reg> computed_;  ///< presets by kernel and operands
  std::vector<std::uint64_t> word_;  ///< by value: the place of the word of memory that it is
  std::unordered_map<std::uint64_t, Reg> words_;  ///< by place and form
  std::vector<std::uint32_t> loaded_;  ///< by value: the instruction of its load, if it is plain
  std::vector<Reg> hoisted_;           ///< by operation: where it is kept through a loop
  std::vector<Reg> hoisted_seed_;      ///< the same as a seed
};

}  // namespace vyre::cpu
