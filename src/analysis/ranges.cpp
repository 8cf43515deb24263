// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <limits>

#include "analysis/facts.h"

// The part of `Facts` that bounds numbers.
namespace vyre {
namespace {

std::int64_t mask_above(std::int64_t value) {
  std::int64_t mask = 0;
  while (mask < value)
    mask = mask << 1 | 1;
  return mask;
}

/// REQUIRES: range.low ≥ 0.
template <typename Range>
Range shifted(Range range, std::int64_t by, bool left) {
  if (left) return {range.low << by, range.high << by};
  return {range.low >> by, range.high >> by};
}

template <typename Range>
Range hull(Range a, Range b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

}  // namespace

Facts::Sign Facts::sign_of(ScalarType type) {
  return info(type).kind == ScalarKind::signed_integer ? Sign::with : Sign::none;
}

Facts::Range Facts::full(Sign sign) {
  if (sign == Sign::none) return {0, std::numeric_limits<std::uint32_t>::max()};
  return {std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()};
}

/// Numbers from 0 to the greatest i32 are the same in both readings.
Facts::Range Facts::reread(Range range, Sign from, Sign to) {
  if (from == to) return range;
  return range.low >= 0 && range.high <= full(Sign::with).high ? range : full(to);
}

Facts::Range Facts::range(Term term, Sign sign, unsigned depth) {
  const TermInfo info = terms_[term];
  Range result = full(sign);
  const auto meet = [&](Range other, Sign from) {
    other = reread(other, from, sign);
    result = {std::max(result.low, other.low), std::min(result.high, other.high)};
  };
  if (info.kind == ExprKind::constant) {
    const auto bits = static_cast<std::uint32_t>(info.bits);
    const auto value =
        sign == Sign::none ? std::int64_t{bits} : std::int64_t{static_cast<std::int32_t>(bits)};
    return {value, value};
  }
  if (depth < kMaxDepth) {
    const Sign own = sign_of(info.type);
    meet(own_range(info, own, depth), own);
  }
  for (const Sign from : {Sign::none, Sign::with})
    if (const auto found = ranges_.find(key(term, from)); found != ranges_.end())
      meet(found->second, from);
  // Conditions that contradict each other guard what never runs: no number is in its range.
  return result.low <= result.high ? result : full(sign);
}

Facts::Range Facts::own_range(const TermInfo& info, Sign sign, unsigned depth) {
  Range result = full(sign);
  if (info.kind == ExprKind::builtin) result = builtin_range(info);
  if (info.kind == ExprKind::length) result = length_range(info.buffer);
  if (info.kind == ExprKind::operation) result = operation_range(info, sign, depth + 1);
  const Range all = full(sign);
  return result.low < all.low || result.high > all.high ? all : result;  // it may wrap
}

Facts::Range Facts::builtin_range(const TermInfo& info) const {
  const auto& size = program_.workgroup;
  // The invocations of an axis are numbered in 32 bits.
  const std::int64_t width = size[info.component];
  constexpr std::int64_t kNumbers = std::int64_t{1} << 32;
  const auto groups = static_cast<std::int64_t>(
      std::min<std::uint64_t>(launch_.grid, static_cast<std::uint64_t>(kNumbers / width)));
  switch (info.builtin) {
    case Builtin::local_id: return {0, width - 1};
    case Builtin::local_index: return {0, std::int64_t{size[0]} * size[1] * size[2] - 1};
    case Builtin::global_id: return {0, groups * width - 1};
    case Builtin::workgroup_id: return {0, groups - 1};
    case Builtin::num_workgroups: return {1, std::min(groups, kNumbers - 1)};
    case Builtin::lane:
    case Builtin::subgroup_size: return full(Sign::none);
  }
  return full(Sign::none);
}

Facts::Range Facts::length_range(BufferId buffer) const {
  const auto array = runtime_array(program_, program_[buffer]);
  if (!array) {
    const std::int64_t count = static_count(program_, program_[buffer]);
    return {count, count};
  }
  const std::uint64_t most = launch_.buffer_bytes / std::max<std::uint32_t>(array->stride, 1);
  const std::int64_t last = full(Sign::none).high;
  return {0, static_cast<std::int64_t>(std::min(most, static_cast<std::uint64_t>(last)))};
}

/// x - y where it surely wraps, or does not.
Facts::Range Facts::difference(const TermInfo& info, Sign sign, unsigned depth) {
  const Range x = range(info.operands[0], sign, depth);
  const Range y = range(info.operands[1], sign, depth);
  const Range plain = {x.low - y.high, x.high - y.low};
  const bool ordered = is_known({info.operands[1], info.operands[0], sign, true}) ||
                       is_known({info.operands[1], info.operands[0], sign, false});
  constexpr std::int64_t kWrap = std::int64_t{1} << 32;
  if (sign == Sign::none && plain.high < 0) return {plain.low + kWrap, plain.high + kWrap};
  if (sign == Sign::with || !ordered) return plain;
  return {std::max<std::int64_t>(plain.low, 0), plain.high};
}

Facts::Range Facts::operation_range(const TermInfo& info, Sign sign, unsigned depth) {
  const Range all = full(sign);
  const bool is_number = is_integer(info.type) && vyre::info(info.type).bytes == 4;
  const unsigned arity = vyre::info(info.op).arity;
  if (!is_number) return all;
  if (info.op == Op::clz || info.op == Op::ctz || info.op == Op::popcount) return {0, 32};
  if (arity == 1) return all;
  if (info.op == Op::sub) return difference(info, sign, depth);
  const bool is_shift = info.op == Op::shl || info.op == Op::shr;
  const Range y = range(info.operands[1], is_shift ? Sign::none : sign, depth);
  if (info.op == Op::select) return hull(y, range(info.operands[2], sign, depth));
  const Range x = range(info.operands[0], sign, depth);
  const bool both = x.low >= 0 && y.low >= 0;
  if (info.op == Op::add) return {x.low + y.low, x.high + y.high};
  if (info.op == Op::mul && both && (y.high == 0 || x.high <= all.high / y.high))
    return {x.low * y.low, x.high * y.high};
  if (info.op == Op::div && both && y.low > 0) return {x.low / y.high, x.high / y.low};
  if (info.op == Op::rem && both && y.low > 0) return {0, std::min(x.high, y.high - 1)};
  if (info.op == Op::min) return {std::min(x.low, y.low), std::min(x.high, y.high)};
  if (info.op == Op::max) return {std::max(x.low, y.low), std::max(x.high, y.high)};
  if (info.op == Op::clamp) {
    const Range z = range(info.operands[2], sign, depth);
    return {std::min(std::max(x.low, y.low), z.low), z.high};
  }
  if (info.op == Op::bit_and && (x.low >= 0 || y.low >= 0))
    return {0, both ? std::min(x.high, y.high) : x.low >= 0 ? x.high : y.high};
  if ((info.op == Op::bit_or || info.op == Op::bit_xor) && both)
    return {0, mask_above(std::max(x.high, y.high))};
  if (is_shift && y.low == y.high && x.low >= 0) return shifted(x, y.low & 31, info.op == Op::shl);
  if (info.op == Op::shr && x.low >= 0) return {0, x.high};
  return all;
}

}  // namespace vyre
