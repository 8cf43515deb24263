// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include "backend/cpu/expression_emitter.h"
#include "base/check.h"
#include "ir/layout.h"

/// Accesses to memory: where their elements lie, and what is read only once.  Single-threaded.
namespace vyre::cpu {

class MemoryEmitter : protected ExpressionEmitter {
 protected:
  MemoryEmitter(const Program& program, Code code)
      : ExpressionEmitter(program, std::move(code)), fixed_(program.values.size()) {}

  /// An access and the operands that it holds until it is emitted.
  struct Access {
    AccessInfo info;
    bool is_wide = false;  ///< it is one access to the low words, then one to the high words
    std::vector<Operand> held;
  };
  void read_fixed_words() {
    for (const Stmt& stmt : program_.stmts)
      if (const auto* load = std::get_if<Load>(&stmt)) load_once(*load);
  }
  void emit_load(ValueId first, const MemoryRef& ref) {
    Access access = this->access(ref);
    for (std::uint32_t i = 0; i < ref.count; ++i)
      access.info.data[i] = bind_new(static_cast<ValueId>(index(first) + i));
    if (access.info.is_plain()) loaded_[index(first)] = pc();
    emit_access(Opcode::load, access);
  }
  /// One load for all lanes.
  void emit_seed_load(ValueId first, const MemoryRef& ref, bool picked) {
    Access access = this->access(ref, picked);
    std::array<Reg, 4> high = {};
    for (std::uint32_t i = 0; i < ref.count; ++i)
      access.info.data[i] = allocate(Form::seed);
    for (std::uint32_t i = 0; access.is_wide && i < ref.count; ++i)
      high[i] = allocate(Form::seed);
    for (std::size_t i = access.held.size(); i-- > 0;)
      release(access.held[i]);
    emit_access(Opcode::load_seed, access.info);
    if (access.is_wide) {
      AccessInfo of_high = access.info;
      of_high.offset += sizeof(Lane);
      of_high.data = high;
      emit_access(Opcode::load_seed, of_high);
    }
    for (std::uint32_t i = 0; i < ref.count; ++i) {
      const auto value = static_cast<ValueId>(index(first) + i);
      const Operand low{access.info.data[i], Hold::owned, Form::seed};
      if (access.is_wide)
        expand_pair(bind_new(value), low, {high[i], Hold::owned, Form::seed});
      else
        bind_seed(value, low);
    }
  }
  void expand_pair(Reg d, const Operand& low, const Operand& high) {
    expand(d, low, 0);
    expand(d + kHighWords, high, 0);
  }
  /// Words at a fixed place of memory that nothing writes are the same for the whole launch.
  void load_once(const Load& s) {
    const BufferDecl& buffer = program_[s.from.buffer];
    const bool fixed = buffer.space == Space::uniform ||
                       (buffer.space == Space::storage && buffer.access == vyre::Access::input);
    const auto address = fixed ? resolve(program_, s.from) : std::nullopt;
    if (!address || !address->levels.empty() || !is_word(address->scalar)) return;
    if (places_.size() + s.from.count > kMaxPresets || address->offset > kMaxWordOffset) return;
    for (std::uint32_t i = 0; i < s.from.count; ++i) {
      fixed_[index(s.first) + i] = true;
      const std::uint64_t offset = address->offset + i * info(address->scalar).bytes;
      word_[index(s.first) + i] = std::uint64_t{index(s.from.buffer)} << 32 | offset;
      places_.insert(word_[index(s.first) + i]);
    }
  }
  void emit_access(Opcode op, const Access& access) {
    for (std::size_t i = access.held.size(); i-- > 0;)
      release(access.held[i]);
    emit_access(op, access.info);
    if (!access.is_wide) return;
    AccessInfo high = access.info;
    high.offset += sizeof(Lane);
    for (Reg& data : high.data)
      data += kHighWords;
    emit_access(op, high);
  }
  void emit_access(Opcode op, const AccessInfo& info) {
    emit({.op = op, .a = static_cast<std::uint32_t>(code_.accesses.size())});
    code_.accesses.push_back(info);
  }
  /// `picked`: its indices are seeds.
  Access access(const MemoryRef& ref, bool picked = false) {
    const auto address = resolve(program_, ref);
    VYRE_CHECK(address.has_value());
    Access access;
    AccessInfo& to = access.info;
    to.buffer = index(ref.buffer);
    to.space = program_[ref.buffer].space;
    access.is_wide = is_wide(address->scalar);
    to.scalar = access.is_wide ? ScalarType::u32 : address->scalar;
    to.is_word = is_word(to.scalar);
    to.components = ref.count;
    to.consecutive = address->consecutive;
    to.step = address->consecutive ? address->levels.back().stride : info(address->scalar).bytes;
    to.offset = address->offset + code_.placed[to.buffer].offset;
    to.first_level = static_cast<std::uint32_t>(code_.levels.size());
    for (std::size_t i = 0; i < address->levels.size(); ++i) {
      const Level& level = address->levels[i];
      const bool tested_later = address->consecutive && i + 1 == address->levels.size();
      if (!tested_later && folds(level, to.offset)) continue;
      to.shape = shapes_->of(level.index);
      code_.levels.push_back(locate(level, picked, access.held));
    }
    to.levels = static_cast<std::uint32_t>(code_.levels.size()) - to.first_level;
    if (to.levels != 1) to.shape = {};
    return access;
  }
  /// A constant index that is in bounds needs no test.
  bool folds(const Level& level, std::uint64_t& offset) const {
    const Expr& at = program_[level.index];
    if (at.kind != ExprKind::constant || at.bits >= level.count) return false;
    offset += at.bits * level.stride;
    return true;
  }
  /// An operation whose result goes to memory at once, where lanes lie side by side.
  void compute_to(Access& access, ExprId value) {
    Instr instr = compute(program_[value], Form::full);
    instr.op = Opcode::pure_to;
    instr.d = static_cast<std::uint32_t>(code_.accesses.size());
    instr.scratch = access.info.data[0] = allocate();
    emit(instr);
    code_.accesses.push_back(access.info);
    free_.push_back(instr.scratch);
    for (std::size_t i = access.held.size(); i-- > 0;)
      release(access.held[i]);
  }

 private:
  /// Words of memory that are read once lie no further on.
  static constexpr std::uint64_t kMaxWordOffset = 1u << 20;

  /// The index of an access, whose operands it holds.  `picked`: as a seed, whatever it is, since
  /// it is the same in all lanes.  A register and a seed are added where the access is made.
  IndexLevel locate(const Level& level, bool picked, std::vector<Operand>& held) {
    const auto hold = [&](const Operand& operand) {
      held.push_back(operand);
      return operand.reg;
    };
    const Shape shape = shapes_->of(level.index);
    IndexLevel to{.is_seed = picked || forms_->is_seed(level.index),
                  .step = shape.known ? shape.step : 0,
                  .stride = level.stride,
                  .count = level.count};
    const auto added = to.is_seed ? std::nullopt : seed_added(level.index);
    to.plus = hold(added ? seed(added->second) : constant(0, Form::seed));
    if (forms_->is_seed(level.index))
      to.index = hold(seed(level.index));
    else if (picked)
      to.index = hold(pick(level.index));
    else
      to.index = hold(operand(added ? added->first : level.index));
    return to;
  }
  /// A sum of something and of a seed that is the same in all lanes.
  [[nodiscard]] std::optional<std::pair<ExprId, ExprId>> seed_added(ExprId id) const {
    const Expr& expr = program_[id];
    if (!is_computed(id) || expr.op != Op::add) return std::nullopt;
    for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
      const ExprId added = expr.operands[side];
      if (forms_->is_seed(added) && shapes_->of(added).step == 0)
        return std::pair(expr.operands[1 - side], added);
    }
    return std::nullopt;
  }
  Operand pick(ExprId id) {
    const Operand from = operand(id);
    const Reg d = allocate(Form::seed);
    emit({.op = Opcode::pick, .d = d, .a = from.reg});
    release(from);
    return {d, Hold::owned, Form::seed};
  }

 protected:
  std::vector<bool> fixed_;  ///< by value: it holds for the whole launch

 private:
  std::unordered_set<std::uint64_t> places_;  ///< of words that are read once
};

}  // namespace vyre::cpu
