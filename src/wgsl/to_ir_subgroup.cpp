// SPDX-License-Identifier: MIT OR Apache-2.0
#include "base/check.h"
#include "wgsl/lowering.h"

namespace vyre::wgsl {
namespace {

/// The mask of a swap within a quad; 0 for other functions.
std::uint32_t swap_mask(Function function) {
  if (function == Function::quadSwapX) return 1;
  if (function == Function::quadSwapY) return 2;
  return function == Function::quadSwapDiagonal ? 3 : 0;
}

}  // namespace

/// The lowest bit of the ballot of all that are here.
ir::ExprId Lowering::first_active_lane() {
  const auto ballot = out_.subgroup(SubgroupOp::ballot, ScalarType::u32, out_.boolean(true),
                                    ir::kNone<ir::ExprId>, divergent_);
  ir::ExprId lane = out_.u32(0);
  for (std::uint32_t word = 4; word-- > 0;) {
    const ir::ExprId here = out_.op(Op::ne, {ballot[word], out_.u32(0)});
    const ir::ExprId lowest =
        out_.op(Op::add, {out_.op(Op::ctz, {ballot[word]}), out_.u32(32 * word)});
    lane = out_.op(Op::select, {here, lowest, lane});
  }
  return lane;
}

ir::ExprId Lowering::quad_lane(ExprId argument) {
  const ir::ExprId first =
      out_.op(Op::bit_and, {out_.builtin(ir::Builtin::lane), out_.u32(~std::uint32_t{3})});
  return out_.op(Op::bit_or, {first, to_index(argument)});
}

/// An operation for each component.
Value Lowering::lower_subgroup(ExprId id, const Builtin& row) {
  const Expr& e = expr(id);
  const SubgroupOp op = row.subgroup;
  const ir::ExprId absent = ir::kNone<ir::ExprId>;
  if (op == SubgroupOp::elect) {  // which one of the dialects has no name for
    const ir::ExprId lane = out_.builtin(ir::Builtin::lane);
    return {kBool, {out_.op(Op::eq, {lane, first_active_lane()})}};
  }
  const Value value = lower(item(e.list, 0));
  if (op == SubgroupOp::ballot)
    return {info(id).type,
            out_.subgroup(op, ScalarType::u32, value.scalars[0], absent, divergent_)};
  ir::ExprId argument = absent;
  if (row.function == Function::subgroupBroadcastFirst) {
    argument = first_active_lane();
  } else if (row.function == Function::quadBroadcast) {
    argument = quad_lane(item(e.list, 1));
  } else if (const std::uint32_t mask = swap_mask(row.function); mask != 0) {
    argument = out_.u32(mask);
  } else if (row.argument != LaneArgument::none) {
    argument = to_index(item(e.list, 1));
  }
  Value result{.type = info(id).type};
  for (const ir::ExprId scalar : value.scalars)
    result.scalars.push_back(out_.subgroup(op, out_.type(scalar), scalar, argument, divergent_)[0]);
  return result;
}

}  // namespace vyre::wgsl
