// SPDX-License-Identifier: MIT OR Apache-2.0
#include "analysis/loop_step.h"

#include <algorithm>

namespace vyre {
namespace {

using Range = Facts::Range;
using Sign = Facts::Sign;
using Turns = std::optional<std::uint64_t>;

constexpr unsigned kMostParts = 6;       // of a sum, one in the other
constexpr std::uint64_t kHalvings = 34;  // of 32 bits, and the first and the last turn
constexpr std::int64_t kAll = std::int64_t{1} << 32;
constexpr std::int64_t kMostScale = 65536;

/// One comparison against one variable.
class Prover {
 public:
  Prover(Facts& facts, const Stay& stay, const Moving& moving, std::uint64_t mark)
      : facts_(facts), stay_(stay), moving_(moving), mark_(mark) {}

  Turns prove() {
    const bool differs = stay_.kind == Stay::Kind::differs;
    const std::int64_t gap = stay_.kind == Stay::Kind::below ? 1 : 0;
    if (differs) {
      if (const Turns turns = meets(stay_.low, stay_.high, stay_.high_range)) return turns;
      if (const Turns turns = meets(stay_.high, stay_.low, stay_.low_range)) return turns;
      if (is_zero(stay_.high)) return vanishes(stay_.low);
      return is_zero(stay_.low) ? vanishes(stay_.high) : std::nullopt;
    }
    if (const Turns turns = rises(stay_.low, stay_.high_range.high - gap)) return turns;
    return falls(stay_.high, stay_.low_range.low + gap);
  }

 private:
  /// x moves by `scale` times what the variable moves.
  struct Moved {
    std::int64_t scale = 0;
    bool plain = false;  ///< x is the variable itself …
    bool after = false;  ///< … after its step
  };

  const TermInfo& info(Term term) const { return facts_.terms()[term]; }
  [[nodiscard]] bool is(Term term, Op op) const {
    return info(term).kind == ExprKind::operation && info(term).op == op;
  }
  [[nodiscard]] bool is_fixed(Term term) const { return facts_.terms().newest(term) <= mark_; }
  [[nodiscard]] bool is_zero(Term term) const {
    return info(term).kind == ExprKind::constant && info(term).bits == 0;
  }
  Range range(Term term, Sign sign) { return facts_.range(term, sign); }

  // ---- how x moves
  std::optional<Moved> moved(Term x) {
    if (x == moving_.start) return Moved{1, true, false};
    if (x == moving_.next) return Moved{1, true, true};
    const auto scale = scale_of(x, 0);
    if (!scale || *scale == 0) return std::nullopt;
    return Moved{*scale, false, false};
  }
  /// x = scale × start + what is fixed, modulo 2^32.
  std::optional<std::int64_t> scale_of(Term x, unsigned depth) {
    if (x == moving_.start) return 1;
    if (is_fixed(x)) return 0;
    if (depth == kMostParts || info(x).kind != ExprKind::operation) return std::nullopt;
    const TermInfo part = info(x);
    const auto [a, b, c] = part.operands;
    if (part.op != Op::add && part.op != Op::sub && part.op != Op::mul && part.op != Op::shl)
      return std::nullopt;
    const auto left = scale_of(a, depth + 1);
    const auto right = scale_of(b, depth + 1);
    if (!left || !right) return std::nullopt;
    std::optional<std::int64_t> scale;
    if (part.op == Op::add) scale = *left + *right;
    if (part.op == Op::sub) scale = *left - *right;
    if (part.op == Op::mul) scale = product(*left, b, *right, a);
    if (part.op == Op::shl && *right == 0 && range(b, Sign::none).high <= 16) {
      const Range by = range(b, Sign::none);
      if (by.low == by.high) scale = *left << by.low;
    }
    return scale && std::abs(*scale) <= kMostScale ? scale : std::nullopt;
  }
  std::optional<std::int64_t> product(std::int64_t left, Term b, std::int64_t right, Term a) {
    if (left != 0 && right != 0) return std::nullopt;
    const Range factor = range(left != 0 ? b : a, Sign::with);
    if (factor.low != factor.high || std::abs(factor.low) > kMostScale) return std::nullopt;
    return (left + right) * factor.low;
  }

  /// What `term` is more than the variable at the start of the turn, modulo 2^32.
  std::optional<Range> step_of(Term term, unsigned depth) {
    if (term == moving_.start) return Range{0, 0};
    if (depth == kMostParts || !(is(term, Op::add) || is(term, Op::sub))) return std::nullopt;
    const TermInfo sum = info(term);
    const auto [a, b, c] = sum.operands;
    if (const auto left = step_of(a, depth + 1)) {
      const Range by = range(b, Sign::with);
      return sum.op == Op::add ? Range{left->low + by.low, left->high + by.high}
                               : Range{left->low - by.high, left->high - by.low};
    }
    if (sum.op == Op::sub) return std::nullopt;
    const auto right = step_of(b, depth + 1);
    if (!right) return std::nullopt;
    const Range by = range(a, Sign::with);
    return Range{right->low + by.low, right->high + by.high};
  }
  std::optional<Range> step(const Moved& x) {
    const auto one = step_of(moving_.next, 0);
    if (!one) return std::nullopt;
    const std::int64_t p = one->low * x.scale;
    const std::int64_t q = one->high * x.scale;
    return Range{std::min(p, q), std::max(p, q)};
  }
  /// Where x is at the first test.
  Range first(const Moved& x, const Range& step) const {
    const Range all = Facts::full(stay_.sign);
    if (!x.plain) return all;
    Range at = moving_.first(stay_.sign);
    if (x.after) at = {at.low + step.low, at.high + step.high};
    return at.low < all.low || at.high > all.high ? all : at;
  }
  [[nodiscard]] bool is_plain(Term x) const { return x == moving_.start || x == moving_.next; }

  // ---- the rules
  /// Only x ≤ `limit` stays.
  Turns rises(Term x, std::int64_t limit) {
    const auto how = moved(x);
    if (!how) return std::nullopt;
    const auto by = step(*how);
    if (!by || by->low < 1 || limit + by->high > Facts::full(stay_.sign).high)
      return doubles(x, limit);
    return count(limit - first(*how, *by).low, by->low);
  }
  /// Only x ≥ `limit` stays.
  Turns falls(Term x, std::int64_t limit) {
    const auto how = moved(x);
    if (!how) return std::nullopt;
    const auto by = step(*how);
    if (!by || by->high > -1 || limit + by->low < Facts::full(stay_.sign).low)
      return limit >= 1 && halves(x, stay_.sign) ? Turns(kHalvings) : std::nullopt;
    return count(first(*how, *by).high - limit, -by->high);
  }
  /// Turns while a distance is not used up, and the one that leaves.
  static std::uint64_t count(std::int64_t distance, std::int64_t step) {
    return distance < 0 ? 1 : static_cast<std::uint64_t>(distance / step) + 2;
  }

  /// True if the step makes a number from 1 up smaller, but not less than 0.
  bool halves(Term x, Sign sign) {
    if (!is_plain(x)) return false;
    const Term next = moving_.next;
    const TermInfo how = info(next);
    if (how.kind != ExprKind::operation) return false;
    const auto [a, b, c] = how.operands;
    if (how.op == Op::bit_and) return is_one_less(a, b) || is_one_less(b, a);
    if (a != moving_.start || Facts::sign_of(how.type) != sign) return false;
    if (how.op == Op::shr) return shifts_by(b).low >= 1;
    return how.op == Op::div && range(b, sign).low >= 2;
  }
  /// True if one of them is the variable and the other one less.
  bool is_one_less(Term variable, Term less) {
    const auto by = step_of(less, 0);
    return variable == moving_.start && by && by->low == -1 && by->high == -1;
  }
  /// How far a shift goes; 0 where that is not known.
  Range shifts_by(Term count) {
    const Range by = range(count, Sign::none);
    return by.high < 32 ? by : Range{0, 31};
  }

  /// The least and the greatest factor of a step that multiplies; 0: it does not.
  Range factor() {
    const TermInfo how = info(moving_.next);
    if (how.kind != ExprKind::operation) return {0, 0};
    const auto [a, b, c] = how.operands;
    const Term start = moving_.start;
    if (how.op == Op::add && a == start && b == start) return {2, 2};
    if (how.op == Op::shl && a == start) {
      const Range by = shifts_by(b);
      return {std::int64_t{1} << by.low, std::int64_t{1} << by.high};
    }
    if (how.op != Op::mul || (a != start && b != start)) return {0, 0};
    const Range by = range(a == start ? b : a, Sign::with);
    return by.low < 0 ? Range{0, 0} : by;
  }
  /// Only x ≤ `limit` stays, and x is multiplied.
  Turns doubles(Term x, std::int64_t limit) {
    const Range by = factor();
    const bool starts = x == moving_.start && moving_.first(stay_.sign).low >= 1;
    if (!starts || by.low < 2) return std::nullopt;
    const bool fits = limit < 1 || by.high <= Facts::full(stay_.sign).high / limit;
    return fits ? Turns(kHalvings) : std::nullopt;
  }
  /// Only x ≠ 0 stays.
  Turns vanishes(Term x) {
    if (halves(x, Sign::none)) return kHalvings;
    const TermInfo how = info(moving_.next);
    const bool shifts = is(moving_.next, Op::shl) && how.operands[0] == moving_.start;
    return is_plain(x) && shifts && shifts_by(how.operands[1]).low >= 1 ? Turns(kHalvings)
                                                                        : std::nullopt;
  }

  /// Only x ≠ y stays.
  Turns meets(Term x, Term y, Range goal) {
    const auto how = moved(x);
    if (!how || !is_fixed(y)) return std::nullopt;
    const auto by = step(*how);
    if (!by || by->low != by->high || by->low == 0) return std::nullopt;
    const std::int64_t stride = by->low;
    const Range from = first(*how, *by);
    if (how->plain && from.low == from.high && goal.low == goal.high) {
      const std::int64_t distance = modulo(stride > 0 ? goal.low - from.low : from.low - goal.low);
      if (distance % std::abs(stride) == 0) return count(distance, std::abs(stride)) - 1;
    }
    return stride % 2 != 0 ? Turns(static_cast<std::uint64_t>(kAll) + 1) : std::nullopt;
  }
  static std::int64_t modulo(std::int64_t distance) { return distance & (kAll - 1); }

  Facts& facts_;
  const Stay& stay_;
  const Moving& moving_;
  std::uint64_t mark_;
};

}  // namespace

std::optional<std::uint64_t> turns_of(Facts& facts,
                                      const Stay& stay,
                                      const Moving& moving,
                                      std::uint64_t mark) {
  return Prover(facts, stay, moving, mark).prove();
}

}  // namespace vyre
