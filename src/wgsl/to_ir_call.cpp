// SPDX-License-Identifier: MIT OR Apache-2.0
#include <array>

#include "base/check.h"
#include "wgsl/expand.h"
#include "wgsl/ir_emitter.h"
#include "wgsl/lowering.h"
#include "wgsl/matrix.h"

namespace vyre::wgsl {
namespace {

AtomicOp atomic_op(Function function) {
  switch (function) {
    case Function::atomicAdd: return AtomicOp::add;
    case Function::atomicAnd: return AtomicOp::bit_and;
    case Function::atomicCompareExchangeWeak: return AtomicOp::compare_exchange;
    case Function::atomicExchange: return AtomicOp::exchange;
    case Function::atomicLoad: return AtomicOp::load;
    case Function::atomicMax: return AtomicOp::max;
    case Function::atomicMin: return AtomicOp::min;
    case Function::atomicOr: return AtomicOp::bit_or;
    case Function::atomicStore: return AtomicOp::store;
    case Function::atomicSub: return AtomicOp::sub;
    case Function::atomicXor: return AtomicOp::bit_xor;
    default: VYRE_UNREACHABLE();
  }
}

}  // namespace

Value Lowering::lower_call(ExprId id) {
  const ExprInfo& of = info(id);
  switch (of.kind) {
    case Target::function: return lower_user_call(id);
    case Target::type: return lower_construction(id);
    case Target::builtin: return lower_builtin(id);
    case Target::bitcast: return lower_bitcast(id);
    case Target::none:
    case Target::declaration:
    case Target::parameter:
    case Target::member:
    case Target::swizzle: break;
  }
  VYRE_UNREACHABLE();
}

/// Two 16-bit floats are one word.
Value Lowering::lower_bitcast(ExprId id) {
  const TypeId type = info(id).type;
  const Value from = lower(item(expr(id).list, 0));
  const ScalarType scalar = ir_scalar(types_.scalar_of(type));
  const bool packs = types_.scalar_of(from.type) == kF16 && scalar != ScalarType::f16;
  const bool unpacks = types_.scalar_of(from.type) != kF16 && scalar == ScalarType::f16;
  Value value{.type = type};
  const auto half = [&](ir::ExprId word) {
    return out_.convert(ScalarType::f16, out_.op(Op::half_to_float, {word}));
  };
  const auto bits = [&](ir::ExprId number) {
    return out_.op(Op::float_to_half, {out_.convert(ScalarType::f32, number)});
  };
  for (std::size_t i = 0; i < from.scalars.size(); i += packs ? 2 : 1) {
    if (unpacks) {
      const ir::ExprId word = out_.bitcast(ScalarType::u32, from.scalars[i]);
      value.scalars.push_back(half(out_.op(Op::bit_and, {word, out_.u32(0xffff)})));
      value.scalars.push_back(half(out_.op(Op::shr, {word, out_.u32(16)})));
    } else if (packs) {
      const ir::ExprId high = out_.op(Op::shl, {bits(from.scalars[i + 1]), out_.u32(16)});
      value.scalars.push_back(
          out_.bitcast(scalar, out_.op(Op::bit_or, {bits(from.scalars[i]), high})));
    } else {
      value.scalars.push_back(out_.bitcast(scalar, from.scalars[i]));
    }
  }
  return value;
}

Value Lowering::lower_construction(ExprId id) {
  const Expr& e = expr(id);
  Value value{.type = info(id).type};
  for (std::uint32_t i = 0; i < e.list.count; ++i) {
    const Value part = lower(item(e.list, i));
    value.scalars.insert(value.scalars.end(), part.scalars.begin(), part.scalars.end());
  }
  const TypeId scalar = types_.component_of(value.type);
  if (scalar == kFault) return value;
  for (ir::ExprId& part : value.scalars)
    part = out_.convert(ir_scalar(scalar), part);
  if (value.scalars.size() == 1) value.scalars.resize(types_.width(value.type), value.scalars[0]);
  return value;
}

Value Lowering::lower_builtin(ExprId id) {
  const Builtin& row = all_builtins()[info(id).target];
  if (row.how == How::statement) return lower_statement_builtin(id, row);
  if (row.how == How::subgroup) return lower_subgroup(id, row);
  if (row.how == How::texture) return lower_texture(id, row);
  const Expr& e = expr(id);
  std::vector<std::vector<ir::ExprId>> args;
  for (std::uint32_t i = 0; i < e.list.count; ++i)
    args.push_back(lower(item(e.list, i)).scalars);
  Value value{.type = info(id).type};
  if (row.how == How::matrix) {
    IrEmitter emitter(out_);
    const TypeId matrix = types_.store_type(info(item(e.list, 0)).type);
    value.scalars = MatrixOps<IrEmitter>(emitter).call(row.function, types_, matrix, args[0]);
    return value;
  }
  if (row.how == How::expanded) {
    IrEmitter emitter(out_);
    value.scalars = Expansion<IrEmitter>(emitter)(row.function, args);
    return value;
  }
  for (std::size_t i = 0; i < args[0].size(); ++i) {
    std::array<ir::ExprId, 3> operands = {};
    for (std::size_t a = 0; a < args.size(); ++a)
      operands[a] = args[a][args[a].size() == 1 ? 0 : i];
    const bool half = row.op == Op::ldexp && out_.type(operands[0]) == ScalarType::f16;
    if (half) operands[0] = out_.convert(ScalarType::f32, operands[0]);
    const ir::ExprId result =
        out_.op(row.op, std::span(operands.data(), args.size()), out_.type(operands[0]));
    value.scalars.push_back(half ? out_.convert(ScalarType::f16, result) : result);
  }
  return value;
}

Value Lowering::lower_statement_builtin(ExprId id, const Builtin& row) {
  const Expr& e = expr(id);
  const TypeId type = info(id).type;
  if (row.function == Function::workgroupBarrier || row.function == Function::storageBarrier ||
      row.function == Function::textureBarrier) {
    const bool workgroup = row.function == Function::workgroupBarrier;
    out_.barrier(workgroup, !workgroup);
    return {.type = kVoid};
  }
  const View target = pointee(item(e.list, 0));
  if (row.function == Function::arrayLength) return {kU32, {out_.length(target.memory.buffer)}};
  if (row.function == Function::workgroupUniformLoad) {
    if (types_.is(target.type, TypeKind::atomic)) return {type, out_.uniform_load(target.memory)};
    return uniform_load(target);
  }
  const ir::ExprId absent = ir::kNone<ir::ExprId>;
  const AtomicOp op = atomic_op(row.function);
  std::array<ir::ExprId, 2> values = {absent, absent};
  for (std::uint32_t i = 1; i < e.list.count; ++i)
    values[i - 1] = lower_scalar(item(e.list, i));
  if (op != AtomicOp::compare_exchange) {
    const ir::ExprId old = out_.atomic(op, target.memory, values[0]);
    if (op == AtomicOp::store) return {.type = kVoid};
    return {type, {old}};
  }
  const ir::ExprId old = out_.atomic(op, target.memory, values[1], values[0]);
  return {type, {old, out_.op(Op::eq, {old, values[0]})}};
}

/// Barrier, load, barrier, for each scalar or vector of the value.
Value Lowering::uniform_load(const View& from) {
  Value value{.type = from.type};
  const Type of = types_[from.type];
  const auto append = [&](const View& part) {
    const Value loaded = uniform_load(part);
    value.scalars.insert(value.scalars.end(), loaded.scalars.begin(), loaded.scalars.end());
  };
  if (of.kind == TypeKind::array || of.kind == TypeKind::matrix) {
    for (std::uint32_t i = 0; i < of.count; ++i)
      append(element(from, i));
  } else if (of.kind == TypeKind::structure) {
    const std::size_t count = types_.structure(from.type).members.size();
    for (std::uint32_t i = 0; i < count; ++i)
      append(member(from, i));
  } else {
    ir::MemoryRef ref = from.memory;
    ref.count = static_cast<std::uint8_t>(types_.width(from.type));
    value.scalars = out_.uniform_load(std::move(ref));
  }
  return value;
}

/// The value of an argument, or what it points to.
Bound Lowering::lower_argument(std::uint32_t field, ExprId argument) {
  const TypeId type = module_.fields[field];
  if (types_.names_memory(type)) return {Bound::Kind::view, {}, pointee(argument)};
  return {Bound::Kind::value, lower(argument), {}};
}

/// An array that is indexed at run time goes to the memory of its parameter.
void Lowering::bind_parameter(std::uint32_t field, Bound argument) {
  if (argument.kind == Bound::Kind::value && module_.indexed_fields.contains(field)) {
    constexpr std::uint32_t kFieldKey = 0x40000000;
    const View memory =
        new_local(module_.fields[field], module_.tree.fields[field].name, kFieldKey | field);
    store(memory, argument.value);
    argument = {Bound::Kind::view, {}, memory};
  }
  fields_[field] = std::move(argument);
}

/// All arguments are evaluated before the first is bound: they may call the same function.
Value Lowering::lower_user_call(ExprId id) {
  const Expr& e = expr(id);
  const std::uint32_t function = info(id).target;
  const std::uint32_t first = module_.tree.declarations[function].fields.first;
  std::vector<Bound> arguments;
  for (std::uint32_t i = 0; i < e.list.count; ++i)
    arguments.push_back(lower_argument(first + i, item(e.list, i)));
  for (std::uint32_t i = 0; i < e.list.count; ++i)
    bind_parameter(first + i, std::move(arguments[i]));
  Value value = inline_body(function);
  set_place(e.span);
  return value;
}

/// A body without early returns is laid in place; others become a block that returns leave.
Value Lowering::inline_body(std::uint32_t function) {
  const Declaration& d = module_.tree.declarations[function];
  const FunctionInfo& of = module_.functions[function];
  frames_.emplace_back();
  const bool outer = std::exchange(divergent_, filter_.within(d.attributes, filter_.module()));
  if (of.returns_early) {
    Frame frame;
    if (of.result != kVoid) frame.result = new_vars(of.result);
    frame.scope = out_.open();
    frames_.back() = frame;
    lower_block(d.body);
    out_.close();
    out_.scope(frame.scope);
    frames_.pop_back();
    divergent_ = outer;
    if (frame.result.has_value()) return load(*frame.result);
    return {.type = kVoid};
  }
  lower_block(d.body);
  divergent_ = outer;
  Value value = std::move(frames_.back().value);
  frames_.pop_back();
  if (stopped_ && value.scalars.empty()) return zero(of.result);
  return value;
}

}  // namespace vyre::wgsl
