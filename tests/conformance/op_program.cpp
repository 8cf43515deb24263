// SPDX-License-Identifier: MIT OR Apache-2.0
#include "conformance/op_program.h"

#include <algorithm>
#include <string>

#include "ir/assembler.h"

namespace vyre::test {
namespace {

bool is_everywhere(ScalarType type) {
  return is_value_type(type) && !capability_of(type);
}

ExprId from_word(Assembler& out, ScalarType type, ExprId word) {
  if (type == ScalarType::boolean) return out.op(Op::ne, {word, out.u32(0)});
  return out.bitcast(type, word);
}

ExprId to_word(Assembler& out, ExprId value) {
  if (out.type(value) == ScalarType::boolean) return out.convert(ScalarType::u32, value);
  return out.bitcast(ScalarType::u32, value);
}

struct Ids {
  BufferId in;
  BufferId out;
};

/// Rows begin … end-1, whose operands start at word `at` of `in`.
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
        from_word(out, set.types[i], out.load({.buffer = ids.in, .path = {{.index = index}}})));
  }
  out.store({.buffer = ids.out, .path = {{.index = row}}},
            to_word(out, out.op(op, operands, set.result)));
  out.close();
  out.if_(inside, then);
}

}  // namespace

std::uint32_t OpProgram::rows() const {
  std::size_t count = 0;
  for (const VectorSet& set : sets)
    count += set.rows.size();
  return static_cast<std::uint32_t>(count);
}

OpProgram make_op_program(Op op) {
  OpProgram result;
  for (VectorSet& set : load_vectors(op))
    if (is_everywhere(set.result) && std::all_of(set.types.begin(), set.types.end(), is_everywhere))
      result.sets.push_back(std::move(set));
  for (const VectorSet& set : result.sets)
    for (const Vector& row : set.rows)
      for (const std::uint64_t bits : row.operands)
        result.operands.push_back(static_cast<std::uint32_t>(bits));

  Assembler out(std::string(to_string(op)), {64, 1, 1});
  const LayoutId word = out.scalar(ScalarType::u32);
  const auto words = static_cast<std::uint32_t>(result.operands.size());
  Ids ids = {};
  ids.in = out.buffer({.name = "in", .access = Access::input, .layout = out.array(word, words)});
  ids.out = out.buffer({.name = "out",
                        .binding = 1,
                        .access = Access::output,
                        .layout = out.array(word, result.rows())});
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
