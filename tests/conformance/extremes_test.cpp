// SPDX-License-Identifier: MIT OR Apache-2.0
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "vyre/wgsl.h"

#include "conformance/judge.h"
#include "conformance/op_program.h"
#include "ir/assembler.h"
#include "ir/eval.h"
#include "support/check_result.h"
#include "support/devices.h"

// Every operator whose bits are promised, on the extremes of its types: each operand once as a
// literal of the text, where a compiler sees it, and once as a value that is loaded.
namespace vyre::test {
namespace {

using Bits = std::vector<std::uint64_t>;

constexpr std::array kTypes = {ScalarType::boolean, ScalarType::u32, ScalarType::i32,
                               ScalarType::f32,     ScalarType::u64, ScalarType::i64};

Bits float_extremes() {
  using Limits = std::numeric_limits<float>;
  Bits bits = {0x00000001u, 0x80000001u, 0x007fffffu, 0x7fc00000u};
  for (const float value : {0.0f,
                            -0.0f,
                            1.0f,
                            -1.0f,
                            0.5f,
                            -2.5f,
                            0x1.8p-1f,
                            Limits::min(),
                            -Limits::min(),
                            Limits::max(),
                            -Limits::max(),
                            Limits::infinity(),
                            -Limits::infinity(),
                            8388607.5f,
                            -2147483648.0f,
                            2147483648.0f,
                            4294967296.0f,
                            65520.0f,
                            1e30f,
                            1e-30f})
    bits.push_back(std::bit_cast<std::uint32_t>(value));
  return bits;
}

Bits extremes(ScalarType type) {
  switch (type) {
    case ScalarType::boolean: return {0, 1};
    case ScalarType::f32: return float_extremes();
    case ScalarType::u64:
    case ScalarType::i64:
      return {0,
              1,
              63,
              64,
              0xffffffffu,
              0x80000000u,
              0x100000000u,
              ~std::uint64_t{0} >> 1,
              std::uint64_t{1} << 63,
              ~std::uint64_t{0}};
    default: break;
  }
  Bits bits;
  for (const std::int32_t value : {0, 1, 2, 31, 32, 33, 127, 300, 0xffff, -1, -2, -150, -200})
    bits.push_back(static_cast<std::uint32_t>(value));
  for (const std::uint32_t value : {0x7fffffffu, 0x80000000u, 0x80000001u, 0xaaaaaaaau})
    bits.push_back(value);
  return bits;
}

/// Every tuple of the lists: the last one changes fastest.
std::vector<Bits> product(const std::vector<Bits>& lists) {
  std::vector<Bits> tuples = {{}};
  for (const Bits& list : lists) {
    std::vector<Bits> longer;
    for (const Bits& tuple : tuples)
      for (const std::uint64_t bits : list) {
        longer.push_back(tuple);
        longer.back().push_back(bits);
      }
    tuples = std::move(longer);
  }
  return tuples;
}

/// An operator on types, and which of its operands are literals.
struct Signature {
  Op op = Op::add;
  std::vector<ScalarType> types = {};
  ScalarType result = ScalarType::u32;
  unsigned literals = 0;

  [[nodiscard]] bool is_literal(std::size_t operand) const {
    return (literals >> operand & 1) != 0;
  }
  [[nodiscard]] bool is_wide() const {
    bool wide = info(result).bytes == 8;
    for (const ScalarType type : types)
      wide |= info(type).bytes == 8;
    return wide;
  }
  [[nodiscard]] std::string text() const {
    std::string all = std::string(to_string(op)) + " -> " + std::string(to_string(result)) + " of";
    for (std::size_t i = 0; i < types.size(); ++i)
      all += (is_literal(i) ? " literal " : " loaded ") + std::string(to_string(types[i]));
    return all;
  }
};

/// One program for a signature: an invocation for each tuple of loaded operands, a store for each
/// tuple of literals.
class ExtremeProgram {
 public:
  explicit ExtremeProgram(const Signature& signature)
      : of_(signature),
        element_(signature.is_wide() ? ScalarType::u64 : ScalarType::u32),
        out_(std::string(to_string(signature.op)), {64, 1, 1}) {
    std::vector<Bits> loaded;
    std::vector<Bits> literal;
    for (std::size_t i = 0; i < of_.types.size(); ++i)
      (of_.is_literal(i) ? literal : loaded).push_back(thinned(extremes(of_.types[i])));
    loaded_ = product(loaded);
    literal_ = product(literal);
    write();
  }

  void check(const Device& device) {
    const auto program = validate(std::move(out_).finish());
    ASSERT_OK(program);
    const auto groups = static_cast<std::uint32_t>((loaded_.size() + 63) / 64);
    const std::vector<std::uint32_t> given = words();
    const auto outputs = device.dispatch(*program, {Input("in", std::as_bytes(std::span(given)))},
                                         {.grid = std::array<std::uint32_t, 3>{groups, 1, 1}});
    ASSERT_OK(outputs) << of_.text();
    judge(numerics_of(device.info()), outputs->bytes("out"));
  }

 private:
  /// Three operands would make too many tuples.
  [[nodiscard]] Bits thinned(Bits all) const {
    if (of_.types.size() < 3) return all;
    Bits some;
    const std::size_t step = all.size() > 8 ? 3 : 1;
    for (std::size_t i = 0; i < all.size(); i += step)
      some.push_back(all[i]);
    return some;
  }
  [[nodiscard]] std::uint32_t loads() const {
    return static_cast<std::uint32_t>(of_.types.size()) -
           static_cast<std::uint32_t>(std::popcount(of_.literals));
  }
  [[nodiscard]] std::vector<std::uint32_t> words() const {
    std::vector<std::uint32_t> all;
    for (const Bits& tuple : loaded_)
      for (const std::uint64_t bits : tuple) {
        all.push_back(static_cast<std::uint32_t>(bits));
        if (element_ == ScalarType::u64) all.push_back(static_cast<std::uint32_t>(bits >> 32));
      }
    return all;
  }

  void write() {
    const auto rows = static_cast<std::uint32_t>(loaded_.size());
    const auto stores = static_cast<std::uint32_t>(literal_.size());
    const LayoutId element = out_.scalar(element_);
    const BufferId in = out_.buffer(
        {.name = "in", .access = Access::input, .layout = out_.array(element, rows * loads())});
    const BufferId results = out_.buffer({.name = "out",
                                          .binding = 1,
                                          .access = Access::output,
                                          .layout = out_.array(element, rows * stores)});
    const ExprId row = out_.builtin(Builtin::global_id);
    const BlockId inside = out_.open();
    const std::vector<ExprId> values = load(in, row);
    for (std::uint32_t k = 0; k < stores; ++k) {
      const ExprId at = out_.op(Op::add, {row, out_.u32(k * rows)});
      const ExprId result = out_.op(of_.op, operands(values, literal_[k]), of_.result);
      out_.store({.buffer = results, .path = {{.index = at}}}, to_element(out_, element_, result));
    }
    out_.close();
    out_.if_(out_.op(Op::lt, {row, out_.u32(rows)}), inside);
  }

  std::vector<ExprId> load(BufferId in, ExprId row) {
    std::vector<ExprId> values;
    for (std::size_t i = 0; i < of_.types.size(); ++i) {
      if (of_.is_literal(i)) continue;
      const auto next = static_cast<std::uint32_t>(values.size());
      const ExprId at =
          out_.op(Op::add, {out_.op(Op::mul, {row, out_.u32(loads())}), out_.u32(next)});
      const ExprId element = out_.load({.buffer = in, .path = {{.index = at}}});
      values.push_back(out_.let(from_element(out_, of_.types[i], element)));
    }
    return values;
  }

  std::vector<ExprId> operands(const std::vector<ExprId>& loaded, const Bits& literals) {
    std::vector<ExprId> all;
    std::size_t next[2] = {0, 0};
    for (std::size_t i = 0; i < of_.types.size(); ++i)
      all.push_back(of_.is_literal(i) ? out_.constant(of_.types[i], literals[next[1]++])
                                      : loaded[next[0]++]);
    return all;
  }

  /// Equal on a device that flushes subnormals.
  [[nodiscard]] bool same_flushed(std::uint64_t a, std::uint64_t b) const {
    const auto flushed = [](std::uint64_t bits) {
      return (bits & 0x7f800000u) == 0 ? bits & 0x80000000u : bits;
    };
    return of_.result == ScalarType::f32 && flushed(a) == flushed(b);
  }

  void judge(const Numerics& numerics, std::span<const std::byte> got) const {
    const std::size_t bytes = element_ == ScalarType::u64 ? 8 : 4;
    const VectorSet set = {of_.types, of_.result, {}};
    const Judge judge(of_.op, set, numerics);
    std::size_t at = 0;
    for (const Bits& literals : literal_)
      for (const Bits& loaded : loaded_) {
        std::uint64_t result = 0;
        std::memcpy(&result, got.data() + bytes * at++, bytes);
        const Vector row = vector_of(loaded, literals);
        EXPECT_TRUE(judge.accepts(row, result) ||
                    (!numerics.keeps_subnormals && same_flushed(row.expected.bits, result)))
            << of_.text() << row.text << ": wanted 0x" << std::hex << row.expected.bits
            << ", got 0x" << result;
      }
  }

  [[nodiscard]] Vector vector_of(const Bits& loaded, const Bits& literals) const {
    Vector row;
    std::size_t next[2] = {0, 0};
    for (std::size_t i = 0; i < of_.types.size(); ++i) {
      row.operands.push_back(of_.is_literal(i) ? literals[next[1]++] : loaded[next[0]++]);
      std::ostringstream text;
      text << " 0x" << std::hex << row.operands.back();
      row.text += text.str();
    }
    row.expected.bits = eval(of_.op, of_.result, of_.types, row.operands);
    return row;
  }

  Signature of_;
  ScalarType element_;
  Assembler out_;
  std::vector<Bits> loaded_;
  std::vector<Bits> literal_;
};

bool is_promised(Op op, ScalarType result) {
  const Accuracy accuracy = info(op).accuracy;
  return !is_float(result) || accuracy == Accuracy::exact || accuracy == Accuracy::contractible ||
         accuracy == Accuracy::ldexp;
}

/// Every signature of an operator but those whose operands are all literals: lowering folds them.
std::vector<Signature> signatures(Op op) {
  const bool chooses = op == Op::convert || op == Op::bitcast;
  std::vector<Bits> lists(info(op).arity, {0, 1, 2, 3, 4, 5});
  std::vector<Signature> all;
  for (const Bits& tuple : product(lists))
    for (std::size_t wanted = 0; wanted < (chooses ? kTypes.size() : 1); ++wanted) {
      Signature signature;
      signature.op = op;
      for (const std::uint64_t type : tuple)
        signature.types.push_back(kTypes[type]);
      const auto result = result_type(op, signature.types, kTypes[wanted]);
      if (!result || !is_promised(op, *result)) continue;
      signature.result = *result;
      for (; signature.literals + 1 < 1u << tuple.size(); ++signature.literals)
        all.push_back(signature);
    }
  return all;
}

class DeviceExtremes : public DeviceTest {};

TEST_P(DeviceExtremes, GiveThePromisedBitsAsLiteralsAndAsLoadedValues) {
  const bool wide = device().info().has(Capability::int64);
  std::size_t checked = 0;
  for (const Op op : every_op())
    for (const Signature& signature : signatures(op)) {
      if (signature.is_wide() && !wide) continue;
      ExtremeProgram(signature).check(device());
      ++checked;
    }
  EXPECT_GT(checked, 100u);
}

/// Steps that stay among the numbers, with constants that together do not.
TEST_P(DeviceExtremes, KeepStepsByConstantsApart) {
  const auto program = parse_wgsl(R"(
    @group(0) @binding(0) var<storage, read> a: array<f32>;
    @group(0) @binding(1) var<storage, read_write> o: array<f32, 8>;
    @compute @workgroup_size(1) fn main() {
      o[0] = a[0] * 1e-30 * 1e-30;
      o[1] = a[1] * 1e30 * 1e30;
      let scaled = a[0] * 1e-20;
      o[2] = 1e-25 * scaled;
      o[3] = a[0] / 1e30 / 1e30;
      o[4] = a[2] + 3e38 + 3e38;
      var sum = a[2] - -3e38;
      sum = sum - -3e38;
      o[5] = sum;
      o[6] = ldexp(ldexp(a[0], -100), -100);
      o[7] = ldexp(a[1], 100) * 0x1p100;
    })");
  ASSERT_OK(program);
  const std::vector<float> a = {1e30f, 1e-30f, -3e38f};
  const auto outputs =
      device().dispatch(*program, {Input("a", a)}, {.grid = std::array<std::uint32_t, 3>{1, 1, 1}});
  ASSERT_OK(outputs);
  const auto got = outputs->as<float>("o");
  const std::array<double, 8> wanted = {
      1e-30, 1e30, 1e-15, 1e-30, 3e38, 3e38, 6.22301527786114e-31, 1.60693804425899e30};
  for (std::size_t i = 0; i < wanted.size(); ++i)
    EXPECT_NEAR(got[i] / wanted[i], 1, 1e-5) << "o[" << i << "]";
}

INSTANTIATE_ON_DEVICES(DeviceExtremes);

}  // namespace
}  // namespace vyre::test
