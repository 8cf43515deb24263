// SPDX-License-Identifier: MIT OR Apache-2.0
#include <cstring>
#include <string>

#include <gtest/gtest.h>

#include "conformance/op_program.h"
#include "ir/eval.h"
#include "support/accuracy.h"
#include "support/devices.h"
#include "support/numbers.h"

namespace vyre::test {
namespace {

class DeviceVectors : public DeviceTest {};

/// What a device promises: the CPU's result, or that of a device with its own ways with NaNs,
/// subnormals and signed zeros.
class Judge {
 public:
  Judge(Op op, const VectorSet& set, const Numerics& numerics)
      : op_(op), set_(set), numerics_(numerics) {}

  [[nodiscard]] bool accepts(const Vector& row, std::uint64_t got) const {
    if (meets(row.expected, set_.result, got)) return true;
    if (!has_exact_bits(op_, set_.result, numerics_))
      return is_within_bound(op_, row.operands, got, numerics_);
    if (are_same(row.expected.bits, got)) return true;
    return !numerics_.keeps_subnormals && accepts_flushed(row, got);
  }

 private:
  /// Equal, or both NaNs of whatever bits.
  [[nodiscard]] bool are_same(std::uint64_t a, std::uint64_t b) const {
    const bool computed = op_ != Op::bitcast && is_float(set_.result);
    return a == b || (computed && is_nan_bits(set_.result, a) && is_nan_bits(set_.result, b));
  }

  /// Any of the subnormal operands, and the result, may have become a zero of the same sign.
  [[nodiscard]] bool accepts_flushed(const Vector& row, std::uint64_t got) const {
    for (unsigned flushed = 0; flushed < 1u << row.operands.size(); ++flushed) {
      std::vector<std::uint64_t> operands = row.operands;
      for (std::size_t i = 0; i < operands.size(); ++i)
        if (((flushed >> i) & 1) != 0 && is_float(set_.types[i])) operands[i] = flush(operands[i]);
      const std::uint64_t result = eval(op_, set_.result, set_.types, operands);
      if (are_same(result, got) || (is_float(set_.result) && flush(result) == got)) return true;
    }
    return false;
  }
  static std::uint64_t flush(std::uint64_t bits) {
    return is_subnormal_bits(ScalarType::f32, bits) ? bits & 0x80000000u : bits;
  }

  Op op_;
  const VectorSet& set_;
  const Numerics& numerics_;
};

void check(const Numerics& numerics,
           Op op,
           const OpProgram& made,
           std::span<const std::uint32_t> got) {
  std::size_t at = 0;
  for (const VectorSet& set : made.sets) {
    const Judge judge(op, set, numerics);
    for (const Vector& row : set.rows) {
      const std::uint64_t result = made.result(got, at++);
      EXPECT_TRUE(judge.accepts(row, result))
          << to_string(op) << " of " << to_string(set.types[0]) << " -> " << to_string(set.result)
          << ": " << row.text << ", got 0x" << std::hex << result;
    }
  }
}

void run(const Device& device, Op op, Sections sections, const DispatchOptions& options) {
  OpProgram made = make_op_program(op, sections);
  if (made.rows() == 0) return;
  const auto program = validate(std::move(made.program));
  ASSERT_TRUE(program) << program.error().to_string();
  const auto outputs = device.dispatch(*program, {Input("in", made.operands)}, options);
  ASSERT_TRUE(outputs) << to_string(op) << ": " << outputs.error().to_string();
  std::vector<std::uint32_t> got(made.result_words());
  const auto out = outputs->bytes("out");
  ASSERT_EQ(out.size(), got.size() * sizeof got[0]);
  std::memcpy(got.data(), out.data(), out.size());
  Numerics numerics = numerics_of(device.info());
  numerics.float_exact |= options.strict_float;
  check(numerics, op, made, got);
}

TEST_P(DeviceVectors, GiveTheSpecifiedResults) {
  for (const Op op : every_op())
    run(device(), op, Sections::core, {});
}

TEST_P(DeviceVectors, GiveTheSpecifiedResultsOnSixtyFourBits) {
  if (device().info().has(Capability::int64)) {
    for (const Op op : every_op())
      run(device(), op, Sections::wide, {});
    return;
  }
  OpProgram made = make_op_program(Op::add, Sections::wide);
  const auto program = validate(std::move(made.program));
  ASSERT_TRUE(program) << program.error().to_string();
  const auto outputs = device().dispatch(*program, {Input("in", made.operands)});
  ASSERT_FALSE(outputs);
  EXPECT_EQ(outputs.error().code(), "needs-capability");
}

TEST_P(DeviceVectors, GiveExactSumsAndProductsWithStrictFloats) {
  for (const Op op : {Op::add, Op::sub, Op::mul, Op::neg, Op::abs, Op::min, Op::max, Op::clamp})
    run(device(), op, Sections::core, {.strict_float = true});
}

INSTANTIATE_ON_DEVICES(DeviceVectors);

}  // namespace
}  // namespace vyre::test
