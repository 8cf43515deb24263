// SPDX-License-Identifier: MIT OR Apache-2.0
#include "analysis/terms.h"

#include <algorithm>
#include <utility>

namespace vyre {
namespace {

bool keeps_bits(const Expr& expr, ScalarType from) {
  return (expr.op == Op::convert || expr.op == Op::bitcast) && is_integer(expr.type) &&
         is_integer(from) && info(expr.type).bytes == 4 && info(from).bytes == 4;
}

bool compares(Op op) {
  return op == Op::eq || op == Op::ne || op == Op::lt || op == Op::le || op == Op::gt ||
         op == Op::ge;
}

bool commutes(Op op) {
  return op == Op::add || op == Op::mul || op == Op::bit_and || op == Op::bit_or ||
         op == Op::bit_xor || op == Op::min || op == Op::max || op == Op::eq || op == Op::ne ||
         op == Op::logical_and || op == Op::logical_or;
}

}  // namespace

std::size_t TermTable::Hasher::operator()(const TermInfo& info) const {
  std::uint64_t hash = static_cast<std::uint64_t>(info.kind) << 40 ^
                       static_cast<std::uint64_t>(info.type) << 32 ^
                       static_cast<std::uint64_t>(info.op) << 16 ^
                       static_cast<std::uint64_t>(info.builtin) << 8 ^ info.component;
  const auto mix = [&](std::uint64_t word) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
  };
  mix(index(info.buffer));
  mix(info.bits);
  for (const Term operand : info.operands)
    mix(index(operand));
  return hash;
}

Term TermTable::intern(const TermInfo& info) {
  const auto next = static_cast<Term>(static_cast<std::uint32_t>(infos_.size()));
  const auto [found, added] = known_.try_emplace(info, next);
  if (!added) return found->second;
  infos_.push_back(info);
  const bool is_opaque = info.kind == ExprKind::value && info.buffer == kNone<BufferId>;
  std::uint64_t newest = is_opaque ? opaques_ : 0;
  for (const Term operand : info.operands)
    if (operand != kNone<Term>) newest = std::max(newest, newest_[index(operand)]);
  newest_.push_back(newest);
  return next;
}

Term TermTable::opaque(ScalarType type) {
  ++opaques_;
  return intern({.kind = ExprKind::value, .type = type, .bits = opaques_});
}

Term TermTable::operation(Op op, ScalarType type, Term x, Term y) {
  if (commutes(op) && y < x) std::swap(x, y);
  return intern(
      {.kind = ExprKind::operation, .type = type, .op = op, .operands = {x, y, kNone<Term>}});
}

Term TermTable::read_only(BufferId buffer,
                          ScalarType type,
                          std::uint64_t offset,
                          std::span<const Term> indices) {
  TermInfo info = {.kind = ExprKind::value, .type = type, .buffer = buffer, .bits = offset};
  info.operands = {kNone<Term>, kNone<Term>, kNone<Term>};
  std::copy(indices.begin(), indices.end(), info.operands.begin());
  return intern(info);
}

Term TermTable::length(BufferId buffer) {
  return intern({.kind = ExprKind::length, .buffer = buffer});
}

/// Integer constants of 32 bits have one name for both types, as conversions keep names.
Term TermTable::constant(ScalarType type, std::uint64_t bits) {
  return intern({.kind = ExprKind::constant,
                 .type = type == ScalarType::i32 ? ScalarType::u32 : type,
                 .bits = bits});
}

Term TermTable::of_value(ValueId id) {
  Term& term = values_[index(id)];
  if (term == kNone<Term>) term = opaque(program_.values[index(id)]);
  return term;
}

Term TermTable::of(ExprId id) {
  const Expr& expr = program_[id];
  switch (expr.kind) {
    case ExprKind::constant: return constant(expr.type, expr.bits);
    case ExprKind::value: return of_value(expr.value);
    case ExprKind::length: return length(expr.buffer);
    case ExprKind::builtin:
      return intern({.kind = expr.kind, .builtin = expr.builtin, .component = expr.component});
    case ExprKind::launch:
      return intern({.kind = expr.kind,
                     .buffer = expr.buffer,
                     .bits = static_cast<std::uint64_t>(expr.launch)});
    case ExprKind::operation: break;
  }
  const ScalarType first = program_[expr.operands[0]].type;
  TermInfo info = {.kind = expr.kind, .type = compares(expr.op) ? first : expr.type, .op = expr.op};
  for (std::size_t i = 0; i < expr.operands.size(); ++i)
    if (expr.operands[i] != kNone<ExprId>) info.operands[i] = of(expr.operands[i]);
  if (keeps_bits(expr, first)) return info.operands[0];
  if (commutes(expr.op) && info.operands[1] < info.operands[0])
    std::swap(info.operands[0], info.operands[1]);
  return intern(info);
}

}  // namespace vyre
