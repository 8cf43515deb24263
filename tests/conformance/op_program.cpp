// SPDX-License-Identifier: MIT OR Apache-2.0
#include "conformance/op_program.h"

#include <algorithm>
#include <string>

#include "ir/assembler.h"

namespace vyre::test {
namespace {

/// True for the sections that are asked for.
bool runs(Sections sections, const VectorSet& set) {
  std::vector<ScalarType> types = set.types;
  types.push_back(set.result);
  const auto needs = [&](Capability capability) {
    return std::any_of(types.begin(), types.end(),
                       [&](ScalarType type) { return capability_of(type) == capability; });
  };
  if (needs(Capability::f16) && sections != Sections::wide_and_halves) return false;
  return needs(Capability::int64) == (sections != Sections::core);
}

struct Ids {
  ScalarType element;
  BufferId in;
  BufferId out;
};

/// Rows begin … end-1, whose operands start at element `at` of `in`.
void write_section(
    Assembler& out, Ids ids, Op op, const VectorSet& set, std::uint32_t begin, std::uint32_t at) {
  const auto arity = static_cast<std::uint32_t>(set.types.size());
  const ExprId row = out.builtin(Builtin::global_id);
  const ExprId end = out.u32(begin + static_cast<std::uint32_t>(set.rows.size()));
  const ExprId inside =
      out.op(Op::logical_and, {out.op(Op::ge, {row, out.u32(begin)}), out.op(Op::lt, {row, end})});
  const BlockId then = out.open();
  const ExprId first = out.op(
      Op::add,
      {out.op(Op::mul, {out.op(Op::sub, {row, out.u32(begin)}), out.u32(arity)}), out.u32(at)});
  std::vector<ExprId> operands;
  for (std::uint32_t i = 0; i < arity; ++i) {
    const ExprId index = out.op(Op::add, {first, out.u32(i)});
    operands.push_back(
        from_element(out, set.types[i], out.load({.buffer = ids.in, .path = {{.index = index}}})));
  }
  out.store({.buffer = ids.out, .path = {{.index = row}}},
            to_element(out, ids.element, out.op(op, operands, set.result)));
  out.close();
  out.if_(inside, then);
}

}  // namespace

ExprId from_element(Assembler& out, ScalarType type, ExprId element) {
  const ScalarType held = out.type(element);
  if (type == ScalarType::boolean) return out.op(Op::ne, {element, out.constant(held, 0)});
  if (info(type).bytes == info(held).bytes) return out.bitcast(type, element);
  const ExprId word = out.convert(ScalarType::u32, element);
  if (type != ScalarType::f16) return out.bitcast(type, word);
  return out.convert(type, out.op(Op::half_to_float, {word}));
}

ExprId to_element(Assembler& out, ScalarType held, ExprId value) {
  const ScalarType type = out.type(value);
  if (type == ScalarType::boolean) return out.convert(held, value);
  if (info(type).bytes == info(held).bytes) return out.bitcast(held, value);
  if (type != ScalarType::f16) return out.convert(held, out.bitcast(ScalarType::u32, value));
  return out.convert(held, out.op(Op::float_to_half, {out.convert(ScalarType::f32, value)}));
}

std::uint32_t OpProgram::rows() const {
  std::size_t count = 0;
  for (const VectorSet& set : sets)
    count += set.rows.size();
  return static_cast<std::uint32_t>(count);
}

std::uint64_t OpProgram::result(std::span<const std::uint32_t> out, std::size_t row) const {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < element_words; ++i)
    bits |= std::uint64_t{out[row * element_words + i]} << 32 * i;
  return bits;
}

OpProgram make_op_program(Op op, Sections sections) {
  OpProgram result;
  result.element_words = sections == Sections::core ? 1 : 2;
  for (VectorSet& set : load_vectors(op))
    if (runs(sections, set)) result.sets.push_back(std::move(set));
  for (const VectorSet& set : result.sets)
    for (const Vector& row : set.rows)
      for (const std::uint64_t bits : row.operands)
        for (std::uint32_t i = 0; i < result.element_words; ++i)
          result.operands.push_back(static_cast<std::uint32_t>(bits >> 32 * i));

  Assembler out(std::string(to_string(op)), {64, 1, 1});
  Ids ids = {};
  ids.element = sections == Sections::core ? ScalarType::u32 : ScalarType::u64;
  const LayoutId element = out.scalar(ids.element);
  const auto elements = static_cast<std::uint32_t>(result.operands.size() / result.element_words);
  ids.in =
      out.buffer({.name = "in", .access = Access::input, .layout = out.array(element, elements)});
  ids.out = out.buffer({.name = "out",
                        .binding = 1,
                        .access = Access::output,
                        .layout = out.array(element, result.rows())});
  std::uint32_t begin = 0;
  std::uint32_t at = 0;
  for (const VectorSet& set : result.sets) {
    write_section(out, ids, op, set, begin, at);
    begin += static_cast<std::uint32_t>(set.rows.size());
    at += static_cast<std::uint32_t>(set.rows.size() * set.types.size());
  }
  result.program = std::move(out).finish();
  return result;
}

std::vector<Op> every_op() {
  std::vector<Op> ops;
  for (std::size_t i = 0; i < all_ops().size(); ++i)
    ops.push_back(static_cast<Op>(i));
  return ops;
}

}  // namespace vyre::test
