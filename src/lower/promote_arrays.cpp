// SPDX-License-Identifier: MIT OR Apache-2.0
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "ir/layout.h"
#include "ir/visit.h"
#include "lower/passes.h"
#include "lower/rewrite.h"

// A private array whose every index is a constant in bounds becomes a variable for each word.  Its
// declaration stays, with nothing that uses it.
namespace vyre {
namespace {

/// Words of an array that becomes variables.
constexpr std::size_t kMostWords = 64;

/// Where a component of an access lies: the buffer, and the byte.
using WordAt = std::pair<BufferId, std::uint64_t>;

/// The byte of the first component and the distance of the next; nothing if an index is not
/// constant and in bounds, or elements are not words.
struct FixedPlace {
  std::uint64_t offset = 0;
  std::uint32_t step = 4;

  static std::optional<FixedPlace> of(const Program& program, const MemoryRef& ref) {
    const auto address = resolve(program, ref);
    if (!address || address->kind == LayoutKind::atomic) return std::nullopt;
    const ScalarType type = address->scalar;
    if (type != ScalarType::u32 && type != ScalarType::i32 && type != ScalarType::f32)
      return std::nullopt;
    FixedPlace place{address->offset, info(type).bytes};
    for (std::size_t i = 0; i < address->levels.size(); ++i) {
      const Level& level = address->levels[i];
      const Expr& at = program[level.index];
      const bool is_last = address->consecutive && i + 1 == address->levels.size();
      const std::uint64_t more = is_last ? ref.count - 1u : 0u;
      if (at.kind != ExprKind::constant || at.bits + more >= level.count) return std::nullopt;
      if (is_last) place.step = level.stride;
      place.offset += at.bits * level.stride;
    }
    return place;
  }
};

/// The arrays whose every access is fixed.
class FixedArrays {
 public:
  explicit FixedArrays(const Program& program) : fixed_(program.buffers.size()) {
    std::vector<bool> refused(program.buffers.size());
    for (const Stmt& stmt : program.stmts) {
      const MemoryRef* ref = memory_of(stmt);
      if (ref == nullptr || program[ref->buffer].space != Space::local) continue;
      const bool moves = std::holds_alternative<Load>(stmt) || std::holds_alternative<Store>(stmt);
      const auto place = moves ? FixedPlace::of(program, *ref) : std::nullopt;
      fixed_[index(ref->buffer)] = true;
      if (!place) refused[index(ref->buffer)] = true;
    }
    for (std::size_t i = 0; i < fixed_.size(); ++i) {
      const bool is_large = byte_size(program, program.buffers[i], 0) > kMostWords * 4;
      fixed_[i] = fixed_[i] && !refused[i] && !is_large;
      any_ |= fixed_[i];
    }
  }
  [[nodiscard]] bool any() const { return any_; }
  [[nodiscard]] bool contains(BufferId id) const { return fixed_[index(id)]; }

 private:
  std::vector<bool> fixed_;
  bool any_ = false;
};

class Promoter : public Rewriter {
 public:
  Promoter(const Program& from, const FixedArrays& arrays) : Rewriter(from), arrays_(arrays) {}

 private:
  /// Private memory is zero when the invocation starts.
  void begin() override {
    for (const Stmt& stmt : from_.stmts) {
      const MemoryRef* ref = memory_of(stmt);
      if (ref != nullptr && arrays_.contains(ref->buffer)) declare(*ref);
    }
  }
  void declare(const MemoryRef& ref) {
    const FixedPlace place = *FixedPlace::of(from_, ref);
    const ScalarType type = resolve(from_, ref)->scalar;
    for (std::uint32_t i = 0; i < ref.count; ++i) {
      VarId& word = words_.try_emplace(at(ref, place, i), kNone<VarId>).first->second;
      if (word == kNone<VarId>) word = to_.var(type);
    }
  }
  static WordAt at(const MemoryRef& ref, const FixedPlace& place, std::uint32_t component) {
    return {ref.buffer, place.offset + std::uint64_t{component} * place.step};
  }

  bool replace(StmtId, const Stmt& stmt) override {
    const MemoryRef* ref = memory_of(stmt);
    if (ref == nullptr || !arrays_.contains(ref->buffer)) return false;
    const FixedPlace place = *FixedPlace::of(from_, *ref);
    for (std::uint32_t i = 0; i < ref->count; ++i) {
      const VarId word = words_.at(at(*ref, place, i));
      if (const auto* load = std::get_if<Load>(&stmt))
        bind(static_cast<ValueId>(index(load->first) + i), to_.get(word));
      else
        to_.set(word, map(std::get<Store>(stmt).values[i]));
    }
    return true;
  }

  const FixedArrays& arrays_;
  std::map<WordAt, VarId> words_;
};

}  // namespace

Program promote_arrays(const Program& program) {
  const FixedArrays arrays(program);
  return arrays.any() ? Promoter(program, arrays).run() : program;
}

}  // namespace vyre
