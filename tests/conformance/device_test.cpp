// SPDX-License-Identifier: MIT OR Apache-2.0
#include <cstring>
#include <string>

#include <gtest/gtest.h>

#include "conformance/judge.h"
#include "conformance/op_program.h"
#include "support/devices.h"

namespace vyre::test {
namespace {

class DeviceVectors : public DeviceTest {};

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
  const auto outputs =
      device.dispatch(*program, {Input("in", std::as_bytes(std::span(made.operands)))}, options);
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
  const auto outputs =
      device().dispatch(*program, {Input("in", std::as_bytes(std::span(made.operands)))});
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
