// SPDX-License-Identifier: MIT OR Apache-2.0
#include "conformance/judge.h"

#include "ir/eval.h"
#include "support/numbers.h"

namespace vyre::test {
namespace {

std::uint64_t flush(std::uint64_t bits) {
  return is_subnormal_bits(ScalarType::f32, bits) ? bits & 0x80000000u : bits;
}

}  // namespace

bool Judge::accepts(const Vector& row, std::uint64_t got) const {
  if (meets(row.expected, set_.result, got)) return true;
  if (!has_exact_bits(op_, set_.result, numerics_))
    return is_within_bound(op_, row.operands, got, numerics_);
  if (are_same(row.expected.bits, got)) return true;
  return !numerics_.keeps_subnormals && accepts_flushed(row, got);
}

/// Equal, or both NaNs of whatever bits.
bool Judge::are_same(std::uint64_t a, std::uint64_t b) const {
  const bool computed = op_ != Op::bitcast && is_float(set_.result);
  return a == b || (computed && is_nan_bits(set_.result, a) && is_nan_bits(set_.result, b));
}

/// Any of the subnormal operands, and the result, may have become a zero of the same sign.
bool Judge::accepts_flushed(const Vector& row, std::uint64_t got) const {
  for (unsigned flushed = 0; flushed < 1u << row.operands.size(); ++flushed) {
    std::vector<std::uint64_t> operands = row.operands;
    for (std::size_t i = 0; i < operands.size(); ++i)
      if (((flushed >> i) & 1) != 0 && is_float(set_.types[i])) operands[i] = flush(operands[i]);
    const std::uint64_t result = eval(op_, set_.result, set_.types, operands);
    if (are_same(result, got) || (is_float(set_.result) && flush(result) == got)) return true;
  }
  return false;
}

}  // namespace vyre::test
