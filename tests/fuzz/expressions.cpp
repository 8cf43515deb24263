// SPDX-License-Identifier: MIT OR Apache-2.0
#include "fuzz/expressions.h"

#include <iterator>
#include <span>

namespace vyre::test {
namespace {

constexpr Op kIntegerOps[] = {Op::add,
                              Op::sub,
                              Op::mul,
                              Op::bit_and,
                              Op::bit_or,
                              Op::bit_xor,
                              Op::min,
                              Op::max,
                              Op::div,
                              Op::rem,
                              Op::neg,
                              Op::abs,
                              Op::sign,
                              Op::bit_not,
                              Op::clz,
                              Op::ctz,
                              Op::popcount,
                              Op::clamp,
                              Op::reverse_bits,
                              Op::first_leading_bit,
                              Op::first_trailing_bit,
                              Op::mul_high};
constexpr std::size_t kOfWords = 1;  // the last ones of kIntegerOps
constexpr Op kShifts[] = {Op::shl, Op::shr, Op::rotl, Op::rotr};
constexpr Op kExactFloatOps[] = {Op::neg,  Op::abs,   Op::min,   Op::max,      Op::clamp, Op::floor,
                                 Op::ceil, Op::trunc, Op::round, Op::saturate, Op::step};
constexpr Op kFloatArithmetic[] = {Op::add, Op::sub, Op::mul};
constexpr Op kOrderings[] = {Op::lt, Op::le, Op::gt, Op::ge, Op::eq, Op::ne};
constexpr Op kEqualities[] = {Op::eq, Op::ne};
constexpr Op kLogicals[] = {Op::logical_and, Op::logical_or, Op::logical_not, Op::eq, Op::ne};
constexpr ScalarType kNumeric[] = {ScalarType::u32, ScalarType::i32, ScalarType::f32};
constexpr ScalarType kAll[] = {ScalarType::u32, ScalarType::i32, ScalarType::f32,
                               ScalarType::boolean};

constexpr ScalarType kWide[] = {ScalarType::u64, ScalarType::i64};

constexpr std::uint32_t kWords[] = {0,          1,          2,          3,          5,
                                    7,          31,         32,         33,         255,
                                    256,        0xffff,     0x10000,    0xffffffff, 0xfffffffe,
                                    0x7fffffff, 0x80000000, 0x80000001, 0xaaaaaaaa, 16777217};
constexpr std::uint32_t kFloats[] = {
    0x00000000, 0x3f800000, 0xbf800000, 0x40000000, 0x3f000000, 0xc0200000, 0x3fc00000, 0x80000000,
    0x3dcccccd, 0x4b000001, 0x4b800001, 0x4f000000, 0xcf000000, 0x4f32d05e, 0x4f800000, 0x7f7fffff,
    0x00800000, 0x7f800000, 0xff800000, 0x7fc00000, 0x477ff000, 0x00000001, 0x807fffff};
constexpr std::uint32_t kSubnormals = 2;  // the last ones of kFloats

template <typename T, std::size_t N>
const T& pick(Choices& choices, const T (&from)[N], std::size_t without_last = 0) {
  return choices.pick(std::span<const T>(from, N - without_last));
}

bool is_wide(ScalarType type) {
  return info(type).bytes == 8;
}
/// The integer of the same width and another sign.
ScalarType twin(ScalarType type) {
  if (is_wide(type)) return type == ScalarType::u64 ? ScalarType::i64 : ScalarType::u64;
  return type == ScalarType::u32 ? ScalarType::i32 : ScalarType::u32;
}

bool is_runtime_sized(const Assembler& out, LayoutId root) {
  const Layout* layout = &out[root];
  if (layout->kind == LayoutKind::structure) layout = &out[layout->members.back().layout];
  return layout->kind == LayoutKind::array && layout->count == 0;
}

}  // namespace

bool Expressions::picks_wide() {
  return c_.options.wide && c_.choices.chance(20);
}

ScalarType Expressions::any_type() {
  return picks_wide() ? pick(c_.choices, kWide) : pick(c_.choices, kAll);
}

ScalarType Expressions::any_number() {
  return picks_wide() ? pick(c_.choices, kWide) : pick(c_.choices, kNumeric);
}

ExprId Expressions::constant(ScalarType type) {
  if (type == ScalarType::boolean) return c_.out.boolean(c_.choices.below(2) != 0);
  if (is_wide(type)) {
    const std::uint64_t high = pick(c_.choices, kWords);
    return c_.out.constant(type, high << 32 | pick(c_.choices, kWords));
  }
  if (type != ScalarType::f32) return c_.out.constant(type, pick(c_.choices, kWords));
  return c_.out.constant(type, pick(c_.choices, kFloats, c_.options.flush ? kSubnormals : 0));
}

ExprId Expressions::builtin(bool uniform) {
  const auto component = static_cast<std::uint8_t>(c_.choices.below(3));
  const std::uint32_t which = c_.choices.below(uniform ? 3 : 6);
  if (which == 0) return c_.out.builtin(Builtin::workgroup_id, component);
  if (which == 1) return c_.out.builtin(Builtin::num_workgroups, component);
  if (which == 3) return c_.out.builtin(Builtin::global_id, component);
  if (which == 4) return c_.out.builtin(Builtin::local_id, component);
  if (which == 5) return c_.out.builtin(Builtin::local_index);
  std::vector<BufferId> sized_by_host;
  for (const Memory& m : c_.memories)
    if (is_runtime_sized(c_.out, c_.out.edit(m.id).layout)) sized_by_host.push_back(m.id);
  return c_.out.length(c_.choices.pick(sized_by_host));
}

/// A value in scope, or what a variable holds; nothing fitting: a constant.
ExprId Expressions::visible(ScalarType type, bool uniform) {
  std::vector<ExprId> fitting;
  for (const Value& v : c_.values)
    if (v.type == type && (v.uniform || !uniform)) fitting.push_back(v.expr);
  std::vector<VarId> vars;
  if (!uniform)
    for (const VarId v : c_.vars)
      if (c_.out.type(v) == type) vars.push_back(v);
  const auto all = static_cast<std::uint32_t>(fitting.size() + vars.size());
  if (all == 0) return constant(type);
  const std::uint32_t chosen = all - 1 - c_.choices.below(all);  // 0 is the newest
  return chosen < fitting.size() ? fitting[chosen] : c_.out.get(vars[chosen - fitting.size()]);
}

ExprId Expressions::leaf(ScalarType type, bool uniform) {
  const std::uint32_t kind = c_.choices.below(4);
  if (kind == 0) return constant(type);
  if (kind == 1 && type == ScalarType::u32) return builtin(uniform);
  return visible(type, uniform);
}

ExprId Expressions::make(ScalarType type, bool uniform, int depth) {
  if (depth <= 0 || c_.choices.below(5) < 2) return leaf(type, uniform);
  if (type == ScalarType::boolean) return logical(uniform, depth - 1);
  if (type == ScalarType::f32) return floating(uniform, depth - 1);
  return integer(type, uniform, depth - 1);
}

ExprId Expressions::apply(Op op, ScalarType type, bool uniform, int depth) {
  std::vector<ExprId> operands;
  for (std::uint8_t i = 0; i < info(op).arity; ++i)
    operands.push_back(make(type, uniform, depth));
  return c_.out.op(op, operands, type);
}

ExprId Expressions::select(ScalarType type, bool uniform, int depth) {
  const ExprId condition = make(ScalarType::boolean, uniform, depth);
  const ExprId when_true = make(type, uniform, depth);
  return c_.out.op(Op::select, {condition, when_true, make(type, uniform, depth)});
}

ExprId Expressions::converted(ScalarType type, bool uniform, int depth) {
  return c_.out.convert(type, make(any_type(), uniform, depth));
}

/// A NaN's payload differs from device to device.
ExprId Expressions::bits_of_float(ScalarType type, ExprId value) {
  return c_.out.op(Op::select, {c_.out.op(Op::is_nan, {value}), c_.out.constant(type, 0),
                                c_.out.bitcast(type, value)});
}

ExprId Expressions::integer(ScalarType type, bool uniform, int depth) {
  Assembler& out = c_.out;
  const std::uint32_t form = c_.choices.below(10);
  const bool wide = is_wide(type);
  if (form < 4)
    return apply(pick(c_.choices, kIntegerOps, wide ? kOfWords : 0), type, uniform, depth);
  if (form == 4) {
    const Op op = pick(c_.choices, kShifts);
    const ExprId value = make(type, uniform, depth);
    return out.op(op, {value, make(ScalarType::u32, uniform, depth)});
  }
  if (form == 5 && !wide) {
    const ExprId value = make(type, uniform, depth);
    const ExprId offset = make(ScalarType::u32, uniform, depth);
    return out.op(Op::extract_bits, {value, offset, make(ScalarType::u32, uniform, depth)});
  }
  if (form == 6) return select(type, uniform, depth);
  if (form == 7 || (wide && form != 8)) return converted(type, uniform, depth);
  const ScalarType other = twin(type);
  if (form == 8) return out.bitcast(type, make(other, uniform, depth));
  const ExprId value = make(ScalarType::f32, uniform, depth);
  if (type == ScalarType::u32 && c_.choices.chance(30))
    return out.op(Op::select,
                  {out.op(Op::is_nan, {value}), out.u32(0), out.op(Op::float_to_half, {value})});
  return bits_of_float(type, value);
}

ExprId Expressions::zero_where_none(ExprId value, std::uint32_t mask) {
  Assembler& out = c_.out;
  const ExprId bits = out.op(Op::bit_and, {out.bitcast(ScalarType::u32, value), out.u32(mask)});
  return out.op(Op::select, {out.op(Op::eq, {bits, out.u32(0)}), out.f32(0), value});
}

ExprId Expressions::tame(ExprId value) {
  return c_.options.flush ? zero_where_none(value, 0x7f800000) : value;
}

ExprId Expressions::tame_result(ExprId value) {
  const bool keeps_sign = c_.options.flush || !c_.options.plain_zeros;
  return keeps_sign ? tame(value) : zero_where_none(value, 0x7fffffff);
}

ExprId Expressions::floating(bool uniform, int depth) {
  Assembler& out = c_.out;
  const std::uint32_t form = c_.choices.below(8);
  if (form < 2) return apply(pick(c_.choices, kExactFloatOps), ScalarType::f32, uniform, depth);
  if (form < 5 && c_.options.float_arithmetic)
    return tame_result(apply(pick(c_.choices, kFloatArithmetic), ScalarType::f32, uniform, depth));
  if (form == 5) return select(ScalarType::f32, uniform, depth);
  if (form == 6) return tame(out.bitcast(ScalarType::f32, make(ScalarType::u32, uniform, depth)));
  if (c_.choices.chance(30))
    return out.op(Op::half_to_float, {make(ScalarType::u32, uniform, depth)});
  constexpr ScalarType kSources[] = {ScalarType::u32, ScalarType::i32, ScalarType::boolean};
  const ScalarType from = picks_wide() ? pick(c_.choices, kWide) : pick(c_.choices, kSources);
  return out.convert(ScalarType::f32, make(from, uniform, depth));
}

ExprId Expressions::logical(bool uniform, int depth) {
  Assembler& out = c_.out;
  const std::uint32_t form = c_.choices.below(6);
  if (form < 3) return apply(pick(c_.choices, kOrderings), any_number(), uniform, depth);
  if (form == 3) return apply(pick(c_.choices, kLogicals), ScalarType::boolean, uniform, depth);
  if (form == 4) {
    const Op test = c_.choices.below(2) == 0 ? Op::is_nan : Op::is_inf;
    return out.op(test, {make(ScalarType::f32, uniform, depth)});
  }
  const ScalarType from = any_number();
  return c_.choices.below(2) == 0 ? out.convert(ScalarType::boolean, make(from, uniform, depth))
                                  : apply(pick(c_.choices, kEqualities), from, uniform, depth);
}

ExprId Expressions::below(std::uint32_t limit, bool uniform) {
  if (limit == 1 || c_.choices.below(2) == 0) return c_.out.u32(c_.choices.below(limit));
  return c_.out.op(Op::rem, {make(ScalarType::u32, uniform, 2), c_.out.u32(limit)});
}

ExprId Expressions::invocation() {
  Assembler& out = c_.out;
  ExprId linear = out.builtin(Builtin::global_id, 2);
  for (const std::uint8_t axis : {std::uint8_t{1}, std::uint8_t{0}}) {
    const ExprId extent =
        out.op(Op::mul, {out.builtin(Builtin::num_workgroups, axis), out.u32(c_.workgroup[axis])});
    linear =
        out.op(Op::add, {out.op(Op::mul, {linear, extent}), out.builtin(Builtin::global_id, axis)});
  }
  return linear;
}

ExprId Expressions::workgroup() {
  Assembler& out = c_.out;
  ExprId linear = out.builtin(Builtin::workgroup_id, 2);
  for (const std::uint8_t axis : {std::uint8_t{1}, std::uint8_t{0}})
    linear = out.op(Op::add, {out.op(Op::mul, {linear, out.builtin(Builtin::num_workgroups, axis)}),
                              out.builtin(Builtin::workgroup_id, axis)});
  return linear;
}

}  // namespace vyre::test
