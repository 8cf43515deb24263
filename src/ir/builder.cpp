// SPDX-License-Identifier: MIT OR Apache-2.0
#include "vyre/builder.h"

#include <bit>

#include "base/check.h"
#include "base/guarded.h"
#include "ir/assembler.h"
#include "ir/eval.h"

namespace vyre {

/// Under it run the parts of a builder's calls that allocate.
struct BuilderGuard {
  /// What `part` gives; once the host had no memory for some part, `otherwise`.
  template <typename T, typename F>
  static T keep(Builder& builder, T otherwise, F&& part) {
    if (builder.starved_) return otherwise;
    return guarded([&]() -> T { return part(*builder.assembler_); },
                   [&] {
                     builder.starved_ = true;
                     return std::move(otherwise);
                   });
  }
  template <typename F>
  static void run(Builder& builder, F&& part) {
    if (builder.starved_) return;
    guarded([&] { part(*builder.assembler_); }, [&] { builder.starved_ = true; });
  }
};

namespace {

using Guard = BuilderGuard;

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
  return Guard::keep(*value.builder(), Value(0u), [&](Assembler& assembler) {
    const ExprId operand = value.id();
    const ExprId id = assembler.op(op, std::span(&operand, 1), to);
    return Value(value.builder(), id, to);
  });
}

/// Stands for a value of another builder, whose id would name something else in this one.  The
/// boolean in it is none, so that the program is refused.
ExprId foreign(Assembler& assembler, ScalarType type) {
  const ExprId zero = assembler.constant(type, 0);
  return assembler.op(Op::select, {assembler.constant(ScalarType::boolean, 2), zero, zero});
}

/// The expression of a value; a literal becomes a constant, of type `like` if it is an i32.
ExprId expr_in(const Builder& builder, Assembler& assembler, const Value& value, ScalarType like) {
  if (!value.is_literal() && value.builder() != &builder) return foreign(assembler, value.type());
  if (!value.is_literal()) return value.id();
  if (adapts(value, like)) return assembler.constant(like, literal_as(like, value.bits()));
  return assembler.constant(value.type(), value.bits());
}

}  // namespace

// -------------------------------------------------------------------------------------- values

Value::Value(std::int32_t literal)
    : type_(ScalarType::i32), bits_(static_cast<std::uint32_t>(literal)) {}

Value::Value(std::int64_t literal)
    : type_(ScalarType::i64), bits_(static_cast<std::uint64_t>(literal)) {}

Value::Value(float literal)
    : type_(ScalarType::f32), bits_(std::bit_cast<std::uint32_t>(literal)) {}

static Value apply_in(Builder& builder,
                      Assembler& assembler,
                      Op op,
                      std::span<const Value> operands) {
  std::array<ExprId, 3> ids = {};
  for (std::size_t i = 0; i < operands.size(); ++i)
    ids[i] = expr_in(builder, assembler, operands[i], operand_type(op, operands, i));
  const ExprId id = assembler.op(op, {ids.data(), operands.size()}, assembler.type(ids[0]));
  return {&builder, id, assembler.type(id)};
}

Value apply(Op op, std::initializer_list<Value> list) {
  const std::span<const Value> operands(list.begin(), list.size());
  std::array<ScalarType, 3> types = {};
  std::array<std::uint64_t, 3> bits = {};
  VYRE_CHECK(operands.size() <= types.size());
  if (Builder* const builder = builder_of(operands))
    return Guard::keep(*builder, Value(0u), [&](Assembler& assembler) {
      return apply_in(*builder, assembler, op, operands);
    });
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const ScalarType type = operand_type(op, operands, i);
    types[i] = adapts(operands[i], type) ? type : operands[i].type();
    bits[i] = adapts(operands[i], type) ? literal_as(type, operands[i].bits()) : operands[i].bits();
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

Element::Element(const Element& other)
    : builder_(other.builder_),
      ref_(Guard::keep(*builder_, MemoryRef(), [&](Assembler&) { return other.ref_; })) {}

Element Element::operator[](const Value& index) const {
  return Guard::keep(*builder_, Element(builder_, {}), [&](Assembler& assembler) {
    MemoryRef ref = ref_;
    ref.path.push_back({.index = expr_in(*builder_, assembler, index, ScalarType::u32)});
    return Element(builder_, std::move(ref));
  });
}

Element Element::member(std::string_view name) const {
  return Guard::keep(*builder_, Element(builder_, {}), [&](Assembler& assembler) {
    MemoryRef ref = ref_;
    ref.path.push_back(member_step(assembler, layout_at(assembler, ref_), name));
    return Element(builder_, std::move(ref));
  });
}

Value Element::load() const {
  return Guard::keep(*builder_, Value(0u), [&](Assembler& assembler) {
    const ExprId id = assembler.load(ref_);
    return Value(builder_, id, assembler.type(id));
  });
}

const Element& Element::operator=(const Value& value) const {
  Guard::run(*builder_, [&](Assembler& assembler) {
    const ScalarType type = scalar_at(assembler, ref_);
    assembler.store(ref_, expr_in(*builder_, assembler, value, type));
  });
  return *this;
}

std::vector<Value> Element::load_many(std::uint8_t count) const {
  return Guard::keep(*builder_, std::vector<Value>(), [&](Assembler& assembler) {
    MemoryRef ref = ref_;
    ref.count = count;
    std::vector<Value> values;
    for (const ExprId id : assembler.load_all(std::move(ref)))
      values.emplace_back(builder_, id, assembler.type(id));
    return values;
  });
}

void Element::store_many(std::span<const Value> values) const {
  Guard::run(*builder_, [&](Assembler& assembler) {
    MemoryRef ref = ref_;
    ref.count = static_cast<std::uint8_t>(values.size());
    const ScalarType type = scalar_at(assembler, ref_);
    std::vector<ExprId> ids;
    for (const Value& value : values)
      ids.push_back(expr_in(*builder_, assembler, value, type));
    assembler.store_all(std::move(ref), ids);
  });
}

Value Element::atomic(AtomicOp op, const Value& value) const {
  return Guard::keep(*builder_, Value(0u), [&](Assembler& assembler) {
    const ScalarType type = scalar_at(assembler, ref_);
    const ExprId id = assembler.atomic(op, ref_, expr_in(*builder_, assembler, value, type));
    return Value(builder_, id, assembler.type(id));
  });
}

Value Element::atomic_compare_exchange(const Value& comparand, const Value& value) const {
  return Guard::keep(*builder_, Value(0u), [&](Assembler& assembler) {
    const ScalarType type = scalar_at(assembler, ref_);
    const ExprId next = expr_in(*builder_, assembler, value, type);
    const ExprId id = assembler.atomic(AtomicOp::compare_exchange, ref_, next,
                                       expr_in(*builder_, assembler, comparand, type));
    return Value(builder_, id, assembler.type(id));
  });
}

Value Element::atomic_load() const {
  return Guard::keep(*builder_, Value(0u), [&](Assembler& assembler) {
    const ExprId id = assembler.atomic(AtomicOp::load, ref_);
    return Value(builder_, id, assembler.type(id));
  });
}

void Element::atomic_store(const Value& value) const {
  static_cast<void>(atomic(AtomicOp::store, value));
}

Value Element::uniform_load() const {
  return Guard::keep(*builder_, Value(0u), [&](Assembler& assembler) {
    const ExprId id = assembler.uniform_load(ref_).front();
    return Value(builder_, id, assembler.type(id));
  });
}

Element Memory::operator[](const Value& index) const {
  return root()[index];
}
Element Memory::member(std::string_view name) const {
  return root().member(name);
}

Value Memory::length() const {
  return Guard::keep(*builder_, Value(0u), [&](Assembler& assembler) {
    const std::uint32_t known = fixed_count(assembler, id_);
    return known != 0 ? Value(known) : Value(builder_, assembler.length(id_), ScalarType::u32);
  });
}

Memory& Memory::at(std::uint32_t group, std::uint32_t binding) {
  Guard::run(*builder_, [&](Assembler& assembler) {
    assembler.edit(id_).group = group;
    assembler.edit(id_).binding = binding;
  });
  return *this;
}

Memory& Memory::window(std::uint64_t begin, std::uint64_t end) {
  Guard::run(*builder_, [&](Assembler& assembler) { assembler.edit(id_).window = {begin, end}; });
  return *this;
}

Memory& Memory::same_length_as(const Memory& other) {
  Guard::run(*builder_,
             [&](Assembler& assembler) { assembler.edit(id_).same_length_as = other.id_; });
  return *this;
}

Value Variable::get() const {
  return Guard::keep(*builder_, Value(0u), [&](Assembler& assembler) {
    const ExprId id = assembler.get(id_);
    return Value(builder_, id, assembler.type(id));
  });
}

const Variable& Variable::operator=(const Value& value) const {
  Guard::run(*builder_, [&](Assembler& assembler) {
    assembler.set(id_, expr_in(*builder_, assembler, value, assembler.type(id_)));
  });
  return *this;
}

// ------------------------------------------------------------------------------------- builder

Builder::Builder(std::string name, KernelOptions options) {
  guarded([&] { assembler_ = std::make_unique<Assembler>(std::move(name), options.workgroup.xyz); },
          [&] { starved_ = true; });
}
Builder::~Builder() = default;

/// REQUIRES: it runs under the guard, as do those that follow and are private.
Memory Builder::declare(BufferDecl buffer) {
  if (buffer.space == Space::storage || buffer.space == Space::uniform)
    buffer.binding = next_binding_++;
  return {this, assembler_->buffer(std::move(buffer))};
}

Memory Builder::declare_array(BufferDecl buffer, ScalarType element, std::uint32_t count) {
  return Guard::keep(*this, Memory(this, kNone<BufferId>), [&](Assembler& assembler) {
    buffer.layout = assembler.array(assembler.scalar(element), count);
    return declare(std::move(buffer));
  });
}

Memory Builder::declare_atomics(BufferDecl buffer, ScalarType type, std::uint32_t count) {
  return Guard::keep(*this, Memory(this, kNone<BufferId>), [&](Assembler& assembler) {
    buffer.layout = assembler.array(assembler.atomic(type), count);
    return declare(std::move(buffer));
  });
}

Memory Builder::buffer(std::string name, Access access, ScalarType element, std::uint32_t count) {
  return declare_array({.name = std::move(name), .access = access}, element, count);
}

Memory Builder::uniform(std::string name, ScalarType type) {
  return Guard::keep(*this, Memory(this, kNone<BufferId>), [&](Assembler& assembler) {
    return declare(
        {.name = std::move(name), .space = Space::uniform, .layout = assembler.scalar(type)});
  });
}

Memory Builder::atomics(std::string name, Access access, ScalarType type, std::uint32_t count) {
  return declare_atomics({.name = std::move(name), .access = access}, type, count);
}

Memory Builder::workgroup(std::string name, ScalarType element, std::uint32_t count) {
  return declare_array({.name = std::move(name), .space = Space::workgroup}, element, count);
}

Memory Builder::workgroup_atomics(std::string name, ScalarType type, std::uint32_t count) {
  return declare_atomics({.name = std::move(name), .space = Space::workgroup}, type, count);
}

Memory Builder::local(std::string name, ScalarType element, std::uint32_t count) {
  return declare_array({.name = std::move(name), .space = Space::local}, element, count);
}

Memory Builder::constant(std::string name, ScalarType element, std::vector<std::uint32_t> words) {
  const auto count = static_cast<std::uint32_t>(words.size() * 4 / info(element).bytes);
  return declare_array(
      {.name = std::move(name), .space = Space::constant, .words = std::move(words)}, element,
      count);
}

static LayoutId member_layout(Assembler& assembler, const Builder::Member& member) {
  const LayoutId one = member.atomic       ? assembler.atomic(member.type)
                       : member.width == 1 ? assembler.scalar(member.type)
                                           : assembler.vector(member.type, member.width);
  return member.count == 1 ? one : assembler.array(one, member.count);
}

Memory Builder::structure(std::string name,
                          Space space,
                          Access access,
                          std::vector<Member> members) {
  return Guard::keep(*this, Memory(this, kNone<BufferId>), [&](Assembler& assembler) {
    std::vector<Assembler::MemberDecl> decls;
    for (Member& member : members) {
      const LayoutId layout = member_layout(assembler, member);
      decls.push_back({std::move(member.name), layout});
    }
    const LayoutId layout = assembler.structure(name + "_t", decls);
    return declare({.name = std::move(name), .space = space, .access = access, .layout = layout});
  });
}

ExprId Builder::expr(const Value& value) {
  return expr(value, value.type());
}

ExprId Builder::expr(const Value& value, ScalarType like) {
  return Guard::keep(*this, kNone<ExprId>,
                     [&](Assembler& assembler) { return expr_in(*this, assembler, value, like); });
}

Value Builder::builtin(Builtin builtin, std::uint8_t axis) {
  return Guard::keep(*this, Value(0u), [&](Assembler& assembler) {
    return Value(this, assembler.builtin(builtin, axis), ScalarType::u32);
  });
}

Value Builder::constant(ScalarType type, std::uint64_t bits) {
  return Guard::keep(*this, Value(0u), [&](Assembler& assembler) {
    return Value(this, assembler.constant(type, bits), type);
  });
}

Value Builder::let(const Value& value) {
  return Guard::keep(*this, Value(0u), [&](Assembler& assembler) {
    const ExprId id = assembler.let(expr_in(*this, assembler, value, value.type()));
    return Value(this, id, assembler.type(id));
  });
}

Variable Builder::var(const Value& init) {
  return Guard::keep(*this, Variable(this, kNone<VarId>), [&](Assembler& assembler) {
    const ExprId first = expr_in(*this, assembler, init, init.type());
    return Variable(this, assembler.var(init.type(), first));
  });
}

Variable Builder::var(ScalarType type) {
  return Guard::keep(*this, Variable(this, kNone<VarId>),
                     [&](Assembler& assembler) { return Variable(this, assembler.var(type)); });
}

BlockId Builder::block(const Body& body) {
  const BlockId id = assembler_->open();
  body();
  assembler_->close();
  return id;
}

void Builder::if_(const Value& condition, const Body& then_body, const Body& else_body) {
  Guard::run(*this, [&](Assembler& assembler) {
    const ExprId test = expr_in(*this, assembler, condition, condition.type());
    const BlockId then_block = block(then_body);
    assembler.if_(test, then_block, else_body ? block(else_body) : kNone<BlockId>);
  });
}

void Builder::loop(const Body& body, const Body& continuing) {
  Guard::run(*this, [&](Assembler& assembler) {
    const BlockId round = block(body);
    assembler.loop(round, continuing ? block(continuing) : kNone<BlockId>);
  });
}

void Builder::while_(const std::function<Value()>& condition, const Body& body) {
  Guard::run(*this, [&](Assembler&) {
    loop([&] {
      if_(!condition(), [&] { break_(); });
      body();
    });
  });
}

void Builder::for_(const Value& begin,
                   const Value& end,
                   const std::function<void(Value)>& body,
                   const Value& step) {
  const ScalarType type = begin.is_literal() ? end.type() : begin.type();
  Guard::run(*this, [&](Assembler& assembler) {
    const ExprId first = expr_in(*this, assembler, begin, type);
    const Variable i(this, assembler.var(type, first));
    loop(
        [&] {
          const Value now = i;
          if_(!(now < end), [&] { break_(); });
          body(now);
        },
        [&] { i += step; });
  });
}

void Builder::switch_(const Value& selector, std::vector<Arm> arms, const Body& otherwise) {
  Guard::run(*this, [&](Assembler& assembler) {
    const ExprId value = expr_in(*this, assembler, selector, selector.type());
    std::vector<Case> cases;
    for (Arm& arm : arms) {
      const BlockId arm_block = block(arm.body);
      cases.push_back({std::move(arm.values), arm_block});
    }
    const BlockId default_block = block(otherwise ? otherwise : [] {});
    assembler.switch_(value, std::move(cases), default_block);
  });
}

void Builder::scope(const std::function<void(BlockId)>& body) {
  Guard::run(*this, [&](Assembler& assembler) {
    const BlockId id = assembler.open();
    body(id);
    assembler.close();
    assembler.scope(id);
  });
}

void Builder::leave(BlockId scope) {
  Guard::run(*this, [&](Assembler& assembler) { assembler.leave(scope); });
}
void Builder::break_() {
  Guard::run(*this, [](Assembler& assembler) { assembler.break_(); });
}
void Builder::continue_() {
  Guard::run(*this, [](Assembler& assembler) { assembler.continue_(); });
}
void Builder::return_() {
  Guard::run(*this, [](Assembler& assembler) { assembler.return_(); });
}
void Builder::workgroup_barrier() {
  Guard::run(*this, [](Assembler& assembler) { assembler.barrier(true, false); });
}
void Builder::storage_barrier() {
  Guard::run(*this, [](Assembler& assembler) { assembler.barrier(false, true); });
}

void Builder::trap(std::string text, const Value& value) {
  Guard::run(*this, [&](Assembler& assembler) {
    const TrapId tag = assembler.trap_tag(std::move(text));
    assembler.trap(tag, expr_in(*this, assembler, value, ScalarType::u32));
  });
}

void Builder::assert_(const Value& condition, std::string text, const Value& value) {
  Guard::run(*this, [&](Assembler&) { if_(!condition, [&] { trap(std::move(text), value); }); });
}

/// Throws where the host has no memory, now or for a part before.
Program Builder::take() {
  if (starved_) throw std::bad_alloc();
  starved_ = true;  // until all of it is done
  const std::string name = assembler_->name();
  Program program = normalize(order_reads(std::move(*assembler_).take()));
  *assembler_ = Assembler(name, {1, 1, 1});
  starved_ = false;
  return program;
}

Program Builder::finish() {
  return guarded([&] { return take(); }, [] { return Program(); });
}

}  // namespace vyre
