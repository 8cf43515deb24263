// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>

#include "base/check.h"
#include "wgsl/growth.h"
#include "wgsl/ir_emitter.h"
#include "wgsl/lowering.h"
#include "wgsl/matrix.h"
#include "wgsl/operators.h"

namespace vyre::wgsl {

bool Lowering::enter(Span span) {
  constexpr std::uint32_t kMaxDepth = 1000;
  if (stopped_) return false;
  if (depth_ >= kMaxDepth) {
    faults_.error(Code::internal_limit, span,
                  "calls, statements and expressions are nested deeper than the limit of " +
                      std::to_string(kMaxDepth));
    stopped_ = true;
    return false;
  }
  ++depth_;
  return true;
}

ir::ExprId Lowering::cell(TypeId scalar, Cell bits) {
  return out_.constant(ir_scalar(scalar), bits);
}

Value Lowering::zero(TypeId type) {
  std::vector<TypeId> scalars;
  types_.flatten(type, scalars);
  Value value{.type = type};
  for (const TypeId scalar : scalars)
    value.scalars.push_back(cell(scalar, 0));
  return value;
}

Value Lowering::constant(ExprId id) {
  std::vector<TypeId> scalars;
  types_.flatten(info(id).type, scalars);
  Value value{.type = info(id).type};
  for (std::size_t i = 0; i < scalars.size(); ++i)
    value.scalars.push_back(cell(scalars[i], module_.constants[info(id).value + i]));
  return value;
}

Value Lowering::slice(const Value& value, TypeId type, std::uint64_t first) const {
  const auto begin = value.scalars.begin() + static_cast<std::ptrdiff_t>(first);
  const auto count = static_cast<std::ptrdiff_t>(types_.scalar_count(type));
  return {type, {begin, begin + count}};
}

/// The value of an expression; memory that it names is read.
Value Lowering::lower(ExprId id) {
  const ExprInfo& of = info(id);
  if (of.value != kNone) return constant(id);
  const Expr& e = expr(id);
  if (!enter(e.span)) return zero(types_.store_type(of.type));
  Value value;
  if (types_.is(of.type, TypeKind::reference)) {
    value = load(view(id));
  } else {
    switch (e.kind) {
      case ExprKind::identifier: value = lower_identifier(id); break;
      case ExprKind::call: value = lower_call(id); break;
      case ExprKind::index: value = lower_index(id); break;
      case ExprKind::member: value = lower_member(id); break;
      case ExprKind::unary: value = lower_unary(id); break;
      case ExprKind::binary: value = lower_binary_chain(id); break;
      case ExprKind::fault:
      case ExprKind::int_literal:
      case ExprKind::float_literal:
      case ExprKind::bool_literal: VYRE_UNREACHABLE();
    }
  }
  leave();
  count(value.scalars.size());
  return value;
}

/// Bounds what values come to when they are taken apart.
void Lowering::count(std::size_t scalars) {
  constexpr std::uint64_t kMaxScalars = 4000000;
  scalars_ += scalars;
  if (stopped_ || scalars_ <= kMaxScalars) return;
  report_growth(scalars_, module_, names_, faults_);
  stopped_ = true;
}

Value Lowering::lower_identifier(ExprId id) {
  const ExprInfo& of = info(id);
  const Bound& bound = of.kind == Target::parameter ? fields_[of.target] : declarations_[of.target];
  if (bound.kind == Bound::Kind::view) return load(bound.view);
  return bound.value;
}

/// An index as u32: a negative one becomes too large for anything.
ir::ExprId Lowering::to_index(ExprId id) {
  return out_.bitcast(ScalarType::u32, lower_scalar(id));
}

View Lowering::index_view(const View& base, ExprId index) {
  const ExprInfo& of = info(index);
  if (of.value != kNone && !base.in_memory)
    return element(base, static_cast<std::uint32_t>(module_.constants[of.value]));
  if (base.in_memory) return element(base, to_index(index));
  const Type within = types_[base.type];
  VYRE_CHECK(within.kind == TypeKind::vector || within.kind == TypeKind::matrix);
  View result = base;
  result.type = within.element;
  result.choices.push_back({to_index(index), within.count,
                            static_cast<std::uint32_t>(types_.scalar_count(within.element))});
  return result;
}

/// What a pointer expression points to.
View Lowering::pointee(ExprId id) {
  const Expr& e = expr(id);
  if (e.kind == ExprKind::unary && e.unary == UnaryOp::address_of) return view(e.left);
  const ExprInfo& of = info(id);
  VYRE_CHECK(e.kind == ExprKind::identifier);
  return of.kind == Target::parameter ? fields_[of.target].view : declarations_[of.target].view;
}

/// The memory that a reference names.
View Lowering::view(ExprId id) {
  const Expr& e = expr(id);
  const ExprInfo& of = info(id);
  if (!enter(e.span)) return {.type = types_.store_type(of.type)};
  const auto base = [&] { return of.through_pointer ? pointee(e.left) : view(e.left); };
  View result;
  switch (e.kind) {
    case ExprKind::identifier: result = declarations_[of.target].view; break;
    case ExprKind::unary: result = pointee(e.left); break;
    case ExprKind::index: result = index_view(base(), e.right); break;
    case ExprKind::member:
      result =
          of.kind == Target::swizzle ? element(base(), of.target & 3U) : member(base(), of.target);
      break;
    case ExprKind::fault:
    case ExprKind::int_literal:
    case ExprKind::float_literal:
    case ExprKind::bool_literal:
    case ExprKind::call:
    case ExprKind::binary: VYRE_UNREACHABLE();
  }
  leave();
  return result;
}

Value Lowering::lower_index(ExprId id) {
  const Expr& e = expr(id);
  const TypeId indexed = info(e.left).type;
  const Type of = types_[indexed];
  if (const auto from = value_view(id)) return load(*from);
  if (info(e.right).value != kNone) {
    const Value base = lower(e.left);
    const Cell at = module_.constants[info(e.right).value];
    return slice(base, of.element, at * types_.scalar_count(of.element));
  }
  if (of.kind == TypeKind::array) {
    const View base = spill(e.left);
    return load(element(base, to_index(e.right)));
  }
  const Value base = lower(e.left);
  const ir::ExprId index = to_index(e.right);
  Value result = zero(of.element);
  const std::size_t step = result.scalars.size();
  for (std::uint32_t i = 0; i < of.count; ++i) {
    const ir::ExprId here = out_.op(Op::eq, {index, out_.u32(i)});
    for (std::size_t s = 0; s < step; ++s)
      result.scalars[s] =
          out_.op(Op::select, {here, base.scalars[i * step + s], result.scalars[s]});
  }
  return result;
}

Value Lowering::lower_member(ExprId id) {
  const Expr& e = expr(id);
  const ExprInfo& of = info(id);
  if (of.kind == Target::member) {
    if (const auto from = value_view(id)) return load(*from);
    const Value base = lower(e.left);
    return slice(base, of.type, types_.member_scalar(base.type, of.target));
  }
  const TypeId base_type = info(e.left).type;
  const Value base = of.through_pointer                          ? load(pointee(e.left))
                     : types_.is(base_type, TypeKind::reference) ? load(view(e.left))
                                                                 : lower(e.left);
  Value result{.type = of.type};
  for (std::uint32_t i = 0; i < types_.width(of.type); ++i)
    result.scalars.push_back(base.scalars[of.target >> (2 * i) & 3U]);
  return result;
}

Value Lowering::lower_unary(ExprId id) {
  const Expr& e = expr(id);
  Value value = lower(e.left);
  const Op op = e.unary == UnaryOp::negate    ? Op::neg
                : e.unary == UnaryOp::bit_not ? Op::bit_not
                                              : Op::logical_not;
  for (ir::ExprId& scalar : value.scalars)
    scalar = out_.op(op, {scalar});
  return value;
}

/// Left operands may chain to any length, so they are walked without recursion.
Value Lowering::lower_binary_chain(ExprId id) {
  std::vector<ExprId> chain;
  ExprId first = id;
  for (; expr(first).kind == ExprKind::binary && info(first).value == kNone;
       first = expr(first).left)
    chain.push_back(first);
  Value value = lower(first);
  for (auto node = chain.rbegin(); node != chain.rend(); ++node)
    value = lower_binary(*node, std::move(value));
  return value;
}

Value Lowering::lower_binary(ExprId id, Value left) {
  const Expr& e = expr(id);
  if (e.binary == BinaryOp::logical_and || e.binary == BinaryOp::logical_or)
    return lower_logical(id, left.scalars[0]);
  const Value right = lower(e.right);
  return apply(e.binary, info(id).type, left, right);
}

/// An operator on each component, where a scalar goes with every component of the other; or a
/// product of matrices.
Value Lowering::apply(BinaryOp binary, TypeId type, const Value& left, const Value& right) {
  Value result{.type = type};
  if (is_product(types_, binary, left.type, right.type)) {
    IrEmitter emitter(out_);
    result.scalars = MatrixOps<IrEmitter>(emitter).product(types_, left.type, left.scalars,
                                                           right.type, right.scalars);
    return result;
  }
  const Op op = ir_op(binary, types_.scalar_of(left.type) == kBool);
  const std::size_t count = std::max(left.scalars.size(), right.scalars.size());
  for (std::size_t i = 0; i < count; ++i)
    result.scalars.push_back(out_.op(op, {left.scalars[left.scalars.size() == 1 ? 0 : i],
                                          right.scalars[right.scalars.size() == 1 ? 0 : i]}));
  return result;
}

/// The right side is evaluated only if needed; where it touches no memory that cannot be told.
Value Lowering::lower_logical(ExprId id, ir::ExprId left) {
  const Expr& e = expr(id);
  const bool is_and = e.binary == BinaryOp::logical_and;
  if (info(e.left).value != kNone) {
    const bool known = module_.constants[info(e.left).value] != 0;
    if (known != is_and) return {kBool, {left}};
  }
  if (!info(e.right).touches_memory) {
    const ir::ExprId right = lower_scalar(e.right);
    return {kBool, {out_.op(is_and ? Op::logical_and : Op::logical_or, {left, right})}};
  }
  const ir::VarId result = out_.var(ScalarType::boolean, left);
  const ir::BlockId block = out_.open();
  out_.set(result, lower_scalar(e.right));
  out_.close();
  out_.if_(is_and ? left : out_.op(Op::logical_not, {left}), block);
  return {kBool, {out_.get(result)}};
}

}  // namespace vyre::wgsl
