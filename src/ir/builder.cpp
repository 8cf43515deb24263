// SPDX-License-Identifier: MIT OR Apache-2.0
#include "vyre/builder.h"

#include <bit>

#include "base/check.h"
#include "ir/assembler.h"
#include "ir/eval.h"

namespace vyre {
namespace {

/// The scalar type that an i32 literal takes beside operands of `type`.
std::uint64_t literal_as(ScalarType type, std::uint64_t bits) {
  const auto number = static_cast<std::int32_t>(static_cast<std::uint32_t>(bits));
  switch (info(type).kind) {
    case ScalarKind::floating: return std::bit_cast<std::uint32_t>(static_cast<float>(number));
    case ScalarKind::signed_integer:
    case ScalarKind::unsigned_integer:
      return info(type).bytes == 8 ? static_cast<std::uint64_t>(std::int64_t{number}) : bits;
    case ScalarKind::boolean: return bits;
  }
  VYRE_UNREACHABLE();
}

/// Elements of the root or trailing array if the declaration says how many; else 0.
std::uint32_t fixed_count(Assembler& assembler, BufferId id) {
  const Layout* layout = &assembler[assembler.edit(id).layout];
  if (layout->kind == LayoutKind::structure && !layout->members.empty())
    layout = &assembler[layout->members.back().layout];
  return layout->kind == LayoutKind::array ? layout->count : 0;
}

bool adapts(const Value& value, ScalarType to) {
  return value.is_literal() && value.type() == ScalarType::i32 && to != ScalarType::boolean &&
         to != ScalarType::f16;
}

/// What the literals among the operands should become; the second operand of a shift is u32.
ScalarType operand_type(Op op, std::span<const Value> operands, std::size_t i) {
  const Typing typing = info(op).typing;
  const bool count = (typing == Typing::shift || typing == Typing::extract) && i > 0;
  if (count) return ScalarType::u32;
  const std::size_t first = typing == Typing::select ? 1 : 0;
  if (i < first) return ScalarType::boolean;
  for (std::size_t k = first; k < operands.size(); ++k)
    if (!adapts(operands[k], ScalarType::u32)) return operands[k].type();
  return ScalarType::i32;
}

Builder* builder_of(std::span<const Value> operands) {
  for (const Value& value : operands)
    if (!value.is_literal()) return value.builder();
  return nullptr;
}

/// An operator on literals alone is evaluated at once.
Value literal_result(Op op,
                     std::span<const ScalarType> types,
                     std::span<const std::uint64_t> bits,
                     ScalarType wanted = ScalarType::u32) {
  const auto type = result_type(op, types, wanted);
  if (!type) return Value(static_cast<std::uint32_t>(bits[0]));
  const std::uint64_t result = eval(op, *type, types, bits);
  switch (info(*type).kind) {
    case ScalarKind::boolean: return Value(result != 0);
    case ScalarKind::floating:
      return Value(std::bit_cast<float>(static_cast<std::uint32_t>(result)));
    case ScalarKind::signed_integer:
      return Value(static_cast<std::int32_t>(static_cast<std::uint32_t>(result)));
    case ScalarKind::unsigned_integer: return Value(static_cast<std::uint32_t>(result));
  }
  VYRE_UNREACHABLE();
}

Value cast(Op op, ScalarType to, const Value& value) {
  if (value.is_literal()) {
    const ScalarType type = value.type();
    const std::uint64_t bits = value.bits();
    return literal_result(op, std::span(&type, 1), std::span(&bits, 1), to);
  }
  Assembler& assembler = value.builder()->assembler();
  const ExprId operand = value.id();
  const ExprId id = assembler.op(op, std::span(&operand, 1), to);
  return {value.builder(), id, to};
}

/// Stands for a value of another builder, whose id would name something else in this one.  The
/// boolean in it is none, so that the program is refused.
ExprId foreign(Assembler& assembler, ScalarType type) {
  const ExprId zero = assembler.constant(type, 0);
  return assembler.op(Op::select, {assembler.constant(ScalarType::boolean, 2), zero, zero});
}

}  // namespace

// -------------------------------------------------------------------------------------- values

Value::Value(std::int32_t literal)
    : type_(ScalarType::i32), bits_(static_cast<std::uint32_t>(literal)) {}

Value::Value(std::int64_t literal)
    : type_(ScalarType::i64), bits_(static_cast<std::uint64_t>(literal)) {}

Value::Value(float literal)
    : type_(ScalarType::f32), bits_(std::bit_cast<std::uint32_t>(literal)) {}

Value apply(Op op, std::initializer_list<Value> list) {
  const std::span<const Value> operands(list.begin(), list.size());
  Builder* builder = builder_of(operands);
  std::array<ScalarType, 3> types = {};
  std::array<std::uint64_t, 3> bits = {};
  std::array<ExprId, 3> ids = {};
  VYRE_CHECK(operands.size() <= ids.size());
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const ScalarType type = operand_type(op, operands, i);
    if (builder != nullptr) {
      ids[i] = builder->expr(operands[i], type);
      continue;
    }
    types[i] = adapts(operands[i], type) ? type : operands[i].type();
    bits[i] = adapts(operands[i], type) ? literal_as(type, operands[i].bits()) : operands[i].bits();
  }
  if (builder != nullptr) {
    Assembler& assembler = builder->assembler();
    const ExprId id = assembler.op(op, {ids.data(), operands.size()}, assembler.type(ids[0]));
    return {builder, id, assembler.type(id)};
  }
  return literal_result(op, {types.data(), operands.size()}, {bits.data(), operands.size()});
}

Value convert(ScalarType to, const Value& value) {
  return cast(Op::convert, to, value);
}
Value bitcast(ScalarType to, const Value& value) {
  return cast(Op::bitcast, to, value);
}

// -------------------------------------------------------------------------------------- places

namespace {

/// The step from `layout` to its member `name`; one past the last member if there is none.
Step member_step(const Assembler& assembler, LayoutId layout, std::string_view name) {
  const auto& members = assembler[layout].members;
  std::uint32_t i = 0;
  while (i < members.size() && members[i].name != name)
    ++i;
  return {.kind = Step::Kind::member, .member = i};
}

LayoutId layout_at(Assembler& assembler, const MemoryRef& ref) {
  LayoutId at = assembler.edit(ref.buffer).layout;
  for (const Step& step : ref.path) {
    const Layout& layout = assembler[at];
    if (step.kind == Step::Kind::index && layout.kind == LayoutKind::array)
      at = layout.element;
    else if (step.kind == Step::Kind::member && step.member < layout.members.size())
      at = layout.members[step.member].layout;
  }
  return at;
}

ScalarType scalar_at(Assembler& assembler, const MemoryRef& ref) {
  return info(assembler[layout_at(assembler, ref)].scalar).widened;
}

}  // namespace

Element Element::operator[](const Value& index) const {
  Element result = *this;
  result.ref_.path.push_back({.index = builder_->expr(index, ScalarType::u32)});
  return result;
}

Element Element::member(std::string_view name) const {
  Assembler& assembler = builder_->assembler();
  Element result = *this;
  result.ref_.path.push_back(member_step(assembler, layout_at(assembler, ref_), name));
  return result;
}

Value Element::load() const {
  const ExprId id = builder_->assembler().load(ref_);
  return {builder_, id, builder_->assembler().type(id)};
}

const Element& Element::operator=(const Value& value) const {
  Assembler& assembler = builder_->assembler();
  assembler.store(ref_, builder_->expr(value, scalar_at(assembler, ref_)));
  return *this;
}

std::vector<Value> Element::load_many(std::uint8_t count) const {
  MemoryRef ref = ref_;
  ref.count = count;
  std::vector<Value> values;
  for (const ExprId id : builder_->assembler().load_all(std::move(ref)))
    values.emplace_back(builder_, id, builder_->assembler().type(id));
  return values;
}

void Element::store_many(std::span<const Value> values) const {
  Assembler& assembler = builder_->assembler();
  MemoryRef ref = ref_;
  ref.count = static_cast<std::uint8_t>(values.size());
  std::vector<ExprId> ids;
  for (const Value& value : values)
    ids.push_back(builder_->expr(value, scalar_at(assembler, ref_)));
  assembler.store_all(std::move(ref), ids);
}

Value Element::atomic(AtomicOp op, const Value& value) const {
  Assembler& assembler = builder_->assembler();
  const ExprId id = assembler.atomic(op, ref_, builder_->expr(value, scalar_at(assembler, ref_)));
  return {builder_, id, assembler.type(id)};
}

Value Element::atomic_compare_exchange(const Value& comparand, const Value& value) const {
  Assembler& assembler = builder_->assembler();
  const ScalarType type = scalar_at(assembler, ref_);
  const ExprId id = assembler.atomic(AtomicOp::compare_exchange, ref_, builder_->expr(value, type),
                                     builder_->expr(comparand, type));
  return {builder_, id, assembler.type(id)};
}

Value Element::atomic_load() const {
  Assembler& assembler = builder_->assembler();
  const ExprId id = assembler.atomic(AtomicOp::load, ref_);
  return {builder_, id, assembler.type(id)};
}

void Element::atomic_store(const Value& value) const {
  static_cast<void>(atomic(AtomicOp::store, value));
}

Value Element::uniform_load() const {
  Assembler& assembler = builder_->assembler();
  const ExprId id = assembler.uniform_load(ref_).front();
  return {builder_, id, assembler.type(id)};
}

Element Memory::operator[](const Value& index) const {
  return root()[index];
}
Element Memory::member(std::string_view name) const {
  return root().member(name);
}

Value Memory::length() const {
  const std::uint32_t known = fixed_count(builder_->assembler(), id_);
  if (known != 0) return {known};
  return {builder_, builder_->assembler().length(id_), ScalarType::u32};
}

Memory& Memory::at(std::uint32_t group, std::uint32_t binding) {
  BufferDecl& buffer = builder_->assembler().edit(id_);
  buffer.group = group;
  buffer.binding = binding;
  return *this;
}

Memory& Memory::window(std::uint64_t begin, std::uint64_t end) {
  builder_->assembler().edit(id_).window = {begin, end};
  return *this;
}

Memory& Memory::same_length_as(const Memory& other) {
  builder_->assembler().edit(id_).same_length_as = other.id_;
  return *this;
}

Value Variable::get() const {
  const ExprId id = builder_->assembler().get(id_);
  return {builder_, id, builder_->assembler().type(id)};
}

const Variable& Variable::operator=(const Value& value) const {
  Assembler& assembler = builder_->assembler();
  assembler.set(id_, builder_->expr(value, assembler.type(id_)));
  return *this;
}

// ------------------------------------------------------------------------------------- builder

Builder::Builder(std::string name, KernelOptions options)
    : assembler_(std::make_unique<Assembler>(std::move(name), options.workgroup.xyz)) {}
Builder::~Builder() = default;

Memory Builder::declare(BufferDecl buffer) {
  if (buffer.space == Space::storage || buffer.space == Space::uniform)
    buffer.binding = next_binding_++;
  return {this, assembler_->buffer(std::move(buffer))};
}

Memory Builder::buffer(std::string name, Access access, ScalarType element, std::uint32_t count) {
  const LayoutId layout = assembler_->array(assembler_->scalar(element), count);
  return declare({.name = std::move(name), .access = access, .layout = layout});
}

Memory Builder::uniform(std::string name, ScalarType type) {
  return declare(
      {.name = std::move(name), .space = Space::uniform, .layout = assembler_->scalar(type)});
}

Memory Builder::atomics(std::string name, Access access, ScalarType type, std::uint32_t count) {
  const LayoutId layout = assembler_->array(assembler_->atomic(type), count);
  return declare({.name = std::move(name), .access = access, .layout = layout});
}

Memory Builder::workgroup(std::string name, ScalarType element, std::uint32_t count) {
  const LayoutId layout = assembler_->array(assembler_->scalar(element), count);
  return declare({.name = std::move(name), .space = Space::workgroup, .layout = layout});
}

Memory Builder::workgroup_atomics(std::string name, ScalarType type, std::uint32_t count) {
  const LayoutId layout = assembler_->array(assembler_->atomic(type), count);
  return declare({.name = std::move(name), .space = Space::workgroup, .layout = layout});
}

Memory Builder::local(std::string name, ScalarType element, std::uint32_t count) {
  const LayoutId layout = assembler_->array(assembler_->scalar(element), count);
  return declare({.name = std::move(name), .space = Space::local, .layout = layout});
}

Memory Builder::constant(std::string name, ScalarType element, std::vector<std::uint32_t> words) {
  const auto count = static_cast<std::uint32_t>(words.size() * 4 / info(element).bytes);
  const LayoutId layout = assembler_->array(assembler_->scalar(element), count);
  return declare({.name = std::move(name),
                  .space = Space::constant,
                  .layout = layout,
                  .words = std::move(words)});
}

Memory Builder::structure(std::string name,
                          Space space,
                          Access access,
                          std::vector<Member> members) {
  std::vector<Assembler::MemberDecl> decls;
  for (Member& member : members) {
    LayoutId layout = member.atomic       ? assembler_->atomic(member.type)
                      : member.width == 1 ? assembler_->scalar(member.type)
                                          : assembler_->vector(member.type, member.width);
    if (member.count != 1) layout = assembler_->array(layout, member.count);
    decls.push_back({std::move(member.name), layout});
  }
  const LayoutId layout = assembler_->structure(name + "_t", decls);
  return declare({.name = std::move(name), .space = space, .access = access, .layout = layout});
}

ExprId Builder::expr(const Value& value) {
  return expr(value, value.type());
}

ExprId Builder::expr(const Value& value, ScalarType like) {
  if (!value.is_literal() && value.builder() != this) return foreign(*assembler_, value.type());
  if (!value.is_literal()) return value.id();
  if (adapts(value, like)) return assembler_->constant(like, literal_as(like, value.bits()));
  return assembler_->constant(value.type(), value.bits());
}

Value Builder::builtin(Builtin builtin, std::uint8_t axis) {
  return {this, assembler_->builtin(builtin, axis), ScalarType::u32};
}

Value Builder::constant(ScalarType type, std::uint64_t bits) {
  return {this, assembler_->constant(type, bits), type};
}

Value Builder::let(const Value& value) {
  const ExprId id = assembler_->let(expr(value));
  return {this, id, assembler_->type(id)};
}

Variable Builder::var(const Value& init) {
  return {this, assembler_->var(init.type(), expr(init))};
}

Variable Builder::var(ScalarType type) {
  return {this, assembler_->var(type)};
}

BlockId Builder::block(const Body& body) {
  const BlockId id = assembler_->open();
  body();
  assembler_->close();
  return id;
}

void Builder::if_(const Value& condition, const Body& then_body, const Body& else_body) {
  const ExprId test = expr(condition);
  const BlockId then_block = block(then_body);
  assembler_->if_(test, then_block, else_body ? block(else_body) : kNone<BlockId>);
}

void Builder::loop(const Body& body, const Body& continuing) {
  const BlockId round = block(body);
  assembler_->loop(round, continuing ? block(continuing) : kNone<BlockId>);
}

void Builder::while_(const std::function<Value()>& condition, const Body& body) {
  loop([&] {
    if_(!condition(), [&] { break_(); });
    body();
  });
}

void Builder::for_(const Value& begin,
                   const Value& end,
                   const std::function<void(Value)>& body,
                   const Value& step) {
  const ScalarType type = begin.is_literal() ? end.type() : begin.type();
  const VarId counter = assembler_->var(type, expr(begin, type));
  const Variable i(this, counter);
  loop(
      [&] {
        const Value now = i;
        if_(!(now < end), [&] { break_(); });
        body(now);
      },
      [&] { i += step; });
}

void Builder::switch_(const Value& selector, std::vector<Arm> arms, const Body& otherwise) {
  const ExprId value = expr(selector);
  std::vector<Case> cases;
  for (Arm& arm : arms)
    cases.push_back({std::move(arm.values), block(arm.body)});
  const BlockId default_block = block(otherwise ? otherwise : [] {});
  assembler_->switch_(value, std::move(cases), default_block);
}

void Builder::scope(const std::function<void(BlockId)>& body) {
  const BlockId id = assembler_->open();
  body(id);
  assembler_->close();
  assembler_->scope(id);
}

void Builder::leave(BlockId scope) {
  assembler_->leave(scope);
}
void Builder::break_() {
  assembler_->break_();
}
void Builder::continue_() {
  assembler_->continue_();
}
void Builder::return_() {
  assembler_->return_();
}
void Builder::workgroup_barrier() {
  assembler_->barrier(true, false);
}
void Builder::storage_barrier() {
  assembler_->barrier(false, true);
}

void Builder::trap(std::string text, const Value& value) {
  assembler_->trap(assembler_->trap_tag(std::move(text)), expr(value, ScalarType::u32));
}

void Builder::assert_(const Value& condition, std::string text, const Value& value) {
  if_(!condition, [&] { trap(std::move(text), value); });
}

Program Builder::finish() {
  const std::string name = assembler_->name();
  Program program = normalize(order_reads(std::move(*assembler_).take()));
  *assembler_ = Assembler(name, {1, 1, 1});
  return program;
}

}  // namespace vyre
