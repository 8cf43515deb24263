// SPDX-License-Identifier: MIT OR Apache-2.0
#include "ir/assembler.h"

#include <algorithm>
#include <bit>

#include "base/align.h"
#include "base/check.h"
#include "ir/layout.h"

namespace vyre {
namespace {

template <typename Id>
Id next_id(std::size_t size) {
  return static_cast<Id>(static_cast<std::uint32_t>(size));
}

/// The type that a load from `ref` yields; u32 where the path does not fit (validation says so).
ScalarType loaded_type(const Program& program, const MemoryRef& ref) {
  const auto address = resolve(program, ref);
  return address ? info(address->scalar).widened : ScalarType::u32;
}

}  // namespace

Assembler::Assembler(std::string name, std::array<std::uint32_t, 3> workgroup) {
  program_.name = std::move(name);
  program_.workgroup = workgroup;
  program_.body = open();
}

Assembler::Assembler(const Program& other) : Assembler(other.name, other.workgroup) {
  program_.layouts = other.layouts;
  program_.buffers = other.buffers;
  program_.traps = other.traps;
  program_.sources = other.sources;
}

// ------------------------------------------------------------------------------- declarations

LayoutId Assembler::layout(Layout layout) {
  const auto found = std::find(program_.layouts.begin(), program_.layouts.end(), layout);
  if (found != program_.layouts.end())
    return next_id<LayoutId>(static_cast<std::size_t>(found - program_.layouts.begin()));
  program_.layouts.push_back(std::move(layout));
  return next_id<LayoutId>(program_.layouts.size() - 1);
}

LayoutId Assembler::scalar(ScalarType type) {
  const std::uint32_t bytes = info(type).bytes;
  return layout({.kind = LayoutKind::scalar, .scalar = type, .align = bytes, .size = bytes});
}

LayoutId Assembler::atomic(ScalarType type) {
  const std::uint32_t bytes = info(type).bytes;
  return layout({.kind = LayoutKind::atomic, .scalar = type, .align = bytes, .size = bytes});
}

LayoutId Assembler::vector(ScalarType type, std::uint8_t width) {
  const std::uint32_t bytes = info(type).bytes;
  return layout({.kind = LayoutKind::vector,
                 .scalar = type,
                 .width = width,
                 .align = bytes * (width == 2 ? 2u : 4u),
                 .size = std::uint64_t{bytes} * width});
}

LayoutId Assembler::array(LayoutId element, std::uint32_t count) {
  const Layout& of = program_[element];
  const auto stride = static_cast<std::uint32_t>(align_to(of.size, of.align));
  return layout({.kind = LayoutKind::array,
                 .align = of.align,
                 .size = std::uint64_t{stride} * count,
                 .element = element,
                 .count = count,
                 .stride = stride});
}

LayoutId Assembler::matrix(ScalarType type, std::uint8_t columns, std::uint8_t rows) {
  Layout columns_of = program_[array(vector(type, rows), columns)];
  columns_of.matrix = true;
  return layout(std::move(columns_of));
}

LayoutId Assembler::structure(std::string name, std::span<const MemberDecl> members) {
  Layout result = {.kind = LayoutKind::structure, .align = 1, .size = 0, .name = std::move(name)};
  for (const MemberDecl& decl : members) {
    const Layout& of = program_[decl.layout];
    const std::uint32_t align = decl.align != 0 ? decl.align : of.align;
    const std::uint64_t offset = align_to(result.size, align);
    result.members.push_back({decl.name, decl.layout, static_cast<std::uint32_t>(offset)});
    result.size = offset + (decl.size != 0 ? decl.size : of.size);
    result.align = std::max(result.align, align);
  }
  result.size = align_to(result.size, result.align);
  return layout(std::move(result));
}

BufferId Assembler::buffer(BufferDecl buffer) {
  program_.buffers.push_back(std::move(buffer));
  return next_id<BufferId>(program_.buffers.size() - 1);
}

TrapId Assembler::trap_tag(std::string text) {
  const auto found = std::find(program_.traps.begin(), program_.traps.end(), text);
  if (found != program_.traps.end())
    return next_id<TrapId>(static_cast<std::size_t>(found - program_.traps.begin()));
  program_.traps.push_back(std::move(text));
  return next_id<TrapId>(program_.traps.size() - 1);
}

// -------------------------------------------------------------------------------- expressions

ExprId Assembler::expr(const Expr& expr) {
  program_.exprs.push_back(expr);
  return next_id<ExprId>(program_.exprs.size() - 1);
}

ExprId Assembler::constant(ScalarType type, std::uint64_t bits) {
  return expr({.kind = ExprKind::constant, .type = type, .bits = bits});
}

ExprId Assembler::f32(float value) {
  return constant(ScalarType::f32, std::bit_cast<std::uint32_t>(value));
}

ExprId Assembler::builtin(Builtin builtin, std::uint8_t component) {
  return expr({.kind = ExprKind::builtin, .builtin = builtin, .component = component});
}

ExprId Assembler::length(BufferId buffer) {
  return expr({.kind = ExprKind::length, .buffer = buffer});
}

ExprId Assembler::launch(LaunchField field, BufferId buffer) {
  return expr({.kind = ExprKind::launch, .launch = field, .buffer = buffer});
}

ExprId Assembler::value(ValueId value) {
  const ScalarType type =
      index(value) < program_.values.size() ? program_.values[index(value)] : ScalarType::u32;
  return expr({.kind = ExprKind::value, .type = type, .value = value});
}

ExprId Assembler::op(Op op, std::initializer_list<ExprId> operands) {
  const std::span<const ExprId> span(operands.begin(), operands.size());
  return this->op(op, span, span.empty() ? ScalarType::u32 : type(span.front()));
}

ExprId Assembler::op(Op op, std::span<const ExprId> operands, ScalarType wanted) {
  VYRE_CHECK(operands.size() == info(op).arity);
  Expr result = {.kind = ExprKind::operation, .op = op};
  std::array<ScalarType, 3> types = {};
  for (std::size_t i = 0; i < operands.size(); ++i) {
    result.operands[i] = operands[i];
    types[i] = type(operands[i]);
  }
  result.type = result_type(op, {types.data(), operands.size()}, wanted).value_or(wanted);
  return expr(result);
}

ExprId Assembler::convert(ScalarType to, ExprId from) {
  return type(from) == to ? from : op(Op::convert, std::span(&from, 1), to);
}

ExprId Assembler::bitcast(ScalarType to, ExprId from) {
  return type(from) == to ? from : op(Op::bitcast, std::span(&from, 1), to);
}

// --------------------------------------------------------------------------------- statements

void Assembler::append(Stmt stmt) {
  VYRE_CHECK(!open_.empty());
  program_.stmts.push_back(std::move(stmt));
  program_.places.push_back(place_);
  program_.blocks[index(open_.back())].stmts.push_back(next_id<StmtId>(program_.stmts.size() - 1));
}

ValueId Assembler::new_value(ScalarType type) {
  program_.values.push_back(type);
  return next_id<ValueId>(program_.values.size() - 1);
}

VarId Assembler::new_var(ScalarType type) {
  program_.vars.push_back(type);
  return next_id<VarId>(program_.vars.size() - 1);
}

ExprId Assembler::let(ExprId value) {
  const ValueId result = new_value(type(value));
  append(Let{result, value});
  return this->value(result);
}

VarId Assembler::var(ScalarType type, ExprId init) {
  const VarId id = new_var(type);
  append(Var{id, init});
  return id;
}

ExprId Assembler::get(VarId var) {
  const ValueId result = new_value(type(var));
  append(Get{result, var});
  return value(result);
}

void Assembler::set(VarId var, ExprId value) {
  append(Set{var, value});
}

/// New values for the components of a reference, and their expressions.
std::vector<ExprId> Assembler::bind(ScalarType type, std::uint32_t count, ValueId& first) {
  std::vector<ExprId> results;
  first = next_id<ValueId>(program_.values.size());
  for (std::uint32_t i = 0; i < count; ++i)
    results.push_back(value(new_value(type)));
  return results;
}

std::vector<ExprId> Assembler::load_all(MemoryRef from) {
  ValueId first = {};
  auto results = bind(loaded_type(program_, from), from.count, first);
  append(Load{first, std::move(from)});
  return results;
}

ExprId Assembler::load(MemoryRef from) {
  return load_all(std::move(from)).front();
}

void Assembler::store(MemoryRef to, ExprId value) {
  store_all(std::move(to), std::span(&value, 1));
}

void Assembler::store_all(MemoryRef to, std::span<const ExprId> values) {
  Store store{std::move(to)};
  VYRE_CHECK(values.size() <= store.values.size());
  std::copy(values.begin(), values.end(), store.values.begin());
  append(std::move(store));
}

ExprId Assembler::atomic(AtomicOp op, MemoryRef on, ExprId value, ExprId comparand) {
  const ValueId result = new_value(loaded_type(program_, on));
  append(Atomic{op, result, std::move(on), value, comparand});
  return this->value(result);
}

std::vector<ExprId> Assembler::uniform_load(MemoryRef from) {
  ValueId first = {};
  auto results = bind(loaded_type(program_, from), from.count, first);
  append(UniformLoad{first, std::move(from)});
  return results;
}

std::vector<ExprId> Assembler::subgroup(
    SubgroupOp op, ScalarType type, ExprId value, ExprId argument, bool divergent) {
  ValueId first = {};
  auto results = bind(type, op == SubgroupOp::ballot ? 4 : 1, first);
  append(Subgroup{op, first, value, argument, divergent});
  return results;
}

void Assembler::barrier(bool workgroup, bool storage) {
  append(Barrier{workgroup, storage});
}
void Assembler::trap(TrapId tag, ExprId value) {
  append(Trap{tag, value});
}
void Assembler::break_() {
  append(Break{});
}
void Assembler::continue_() {
  append(Continue{});
}
void Assembler::return_() {
  append(Return{});
}
void Assembler::leave(BlockId scope) {
  append(Leave{scope});
}

// ------------------------------------------------------------------------------------- blocks

BlockId Assembler::open() {
  program_.blocks.emplace_back();
  open_.push_back(next_id<BlockId>(program_.blocks.size() - 1));
  return open_.back();
}

void Assembler::close() {
  VYRE_CHECK(open_.size() > 1);
  open_.pop_back();
}

void Assembler::if_(ExprId condition, BlockId then_block, BlockId else_block) {
  append(If{condition, then_block, else_block});
}
void Assembler::switch_(ExprId selector, std::vector<Case> cases, BlockId default_block) {
  append(Switch{selector, std::move(cases), default_block});
}
void Assembler::loop(BlockId body, BlockId continuing, ExprId break_if) {
  append(Loop{body, continuing, break_if});
}
void Assembler::scope(BlockId body) {
  append(Scope{body});
}

void Assembler::set_sources(std::shared_ptr<const std::vector<Source>> sources) {
  program_.sources = std::move(sources);
}

Program Assembler::finish() && {
  VYRE_CHECK(open_.size() == 1);
  return normalize(std::move(program_));
}

}  // namespace vyre
