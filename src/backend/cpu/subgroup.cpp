// SPDX-License-Identifier: MIT OR Apache-2.0
#include <array>
#include <bit>

#include "backend/cpu/strip.h"
#include "base/check.h"
#include "base/half.h"
#include "ir/eval.h"

namespace vyre::cpu {
namespace {

/// The lanes of one subgroup.
class Group {
 public:
  Group(const SubgroupInfo& info, Lane* file, std::uint32_t first, std::uint32_t active)
      : info_(info), file_(file + first), active_(active) {}

  void run() {
    switch (info_.op) {
      case SubgroupOp::ballot: return ballot();
      case SubgroupOp::broadcast:
      case SubgroupOp::shuffle:
        return fetch([](std::uint64_t, Lane lane) { return std::uint64_t{lane}; });
      case SubgroupOp::shuffle_xor:
        return fetch([](std::uint64_t at, Lane mask) { return at ^ mask; });
      case SubgroupOp::shuffle_up:
        return fetch([](std::uint64_t at, Lane delta) { return at - delta; });
      case SubgroupOp::shuffle_down:
        return fetch([](std::uint64_t at, Lane delta) { return at + delta; });
      case SubgroupOp::add: return reduce(Op::add);
      case SubgroupOp::mul: return reduce(Op::mul);
      case SubgroupOp::min: return reduce(Op::min);
      case SubgroupOp::max: return reduce(Op::max);
      case SubgroupOp::bit_and: return reduce(Op::bit_and);
      case SubgroupOp::bit_or: return reduce(Op::bit_or);
      case SubgroupOp::bit_xor: return reduce(Op::bit_xor);
      case SubgroupOp::inclusive_add: return scan(Op::add, true);
      case SubgroupOp::inclusive_mul: return scan(Op::mul, true);
      case SubgroupOp::exclusive_add: return scan(Op::add, false);
      case SubgroupOp::exclusive_mul: return scan(Op::mul, false);
      case SubgroupOp::elect:
        return each([&](std::uint32_t i) { put(i, i == lowest() ? ~Lane{0} : 0); });
      case SubgroupOp::all: return put_all((votes() & active_) == active_ ? ~Lane{0} : 0);
      case SubgroupOp::any: return put_all(votes() != 0 ? ~Lane{0} : 0);
    }
    VYRE_UNREACHABLE();
  }

 private:
  template <typename F>
  void each(F&& f) const {
    for (std::uint32_t rest = active_; rest != 0; rest &= rest - 1)
      f(static_cast<std::uint32_t>(std::countr_zero(rest)));
  }
  [[nodiscard]] std::uint32_t lowest() const {
    return static_cast<std::uint32_t>(std::countr_zero(active_));
  }
  [[nodiscard]] std::uint64_t value(std::uint32_t i) const {
    const Lane* const at = file_ + info_.value + i;
    return is_wide(info_.type) ? std::uint64_t{at[kHighWords]} << 32 | *at : *at;
  }
  void put(std::uint32_t i, std::uint64_t bits) {
    Lane* const at = file_ + info_.results[0] + i;
    *at = static_cast<Lane>(bits);
    if (is_wide(info_.type)) at[kHighWords] = static_cast<Lane>(bits >> 32);
  }
  void put_all(std::uint64_t bits) {
    each([&](std::uint32_t i) { put(i, bits); });
  }

  [[nodiscard]] std::uint32_t votes() const {
    std::uint32_t bits = 0;
    each([&](std::uint32_t i) { bits |= value(i) != 0 ? 1U << i : 0; });
    return bits;
  }
  void ballot() {
    const std::uint32_t bits = votes();
    each([&](std::uint32_t i) {
      put(i, bits);
      for (std::size_t word = 1; word < 4; ++word)
        file_[info_.results[word] + i] = 0;
    });
  }

  /// A lane that is not active gives zero.
  template <typename F>
  void fetch(F&& source) {
    each([&](std::uint32_t i) {
      const std::uint64_t from = source(i, file_[info_.argument + i]);
      const bool there = from < kSubgroupLanes && (active_ >> from & 1) != 0;
      put(i, there ? value(static_cast<std::uint32_t>(from)) : 0);
    });
  }

  /// By the operator's own meaning; an f16 is held as an f32.
  [[nodiscard]] std::uint64_t combine(Op op, std::uint64_t a, std::uint64_t b) const {
    const bool half = info_.type == ScalarType::f16;
    const ScalarType type = half ? ScalarType::f32 : info_.type;
    const std::array<ScalarType, 2> types = {type, type};
    const std::array<std::uint64_t, 2> operands = {a, b};
    const std::uint64_t result = eval(op, type, types, operands);
    if (!half) return result;
    const auto number = std::bit_cast<float>(static_cast<Lane>(result));
    return std::bit_cast<Lane>(half_to_float(float_to_half(number)));
  }
  void reduce(Op op) {
    std::uint64_t result = value(lowest());
    each([&](std::uint32_t i) {
      if (i != lowest()) result = combine(op, result, value(i));
    });
    put_all(result);
  }
  void scan(Op op, bool inclusive) {
    std::uint64_t sum = op == Op::add ? 0 : is_float(info_.type) ? std::bit_cast<Lane>(1.0f) : 1;
    each([&](std::uint32_t i) {
      const std::uint64_t next = combine(op, sum, value(i));
      put(i, inclusive ? next : sum);
      sum = next;
    });
  }

  const SubgroupInfo& info_;
  Lane* file_;
  std::uint32_t active_;
};

}  // namespace

void run_subgroup(const SubgroupInfo& info, Lane* file, const Mask& active, std::uint32_t count) {
  for (std::uint32_t first = 0; first < count; first += kSubgroupLanes) {
    const auto lanes = static_cast<std::uint32_t>(active.word[first / 64] >> first % 64);
    if (lanes != 0) Group(info, file, first, lanes).run();
  }
}

}  // namespace vyre::cpu
