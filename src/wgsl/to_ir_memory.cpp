// SPDX-License-Identifier: MIT OR Apache-2.0
#include "base/check.h"
#include "validate/validate.h"
#include "wgsl/lowering.h"

namespace vyre::wgsl {
namespace {

/// Arrays up to this many elements are read and written element by element, others by loops.
constexpr std::uint32_t kUnrolled = 16;

constexpr std::uint32_t kSpillKey = 0x80000000;

}  // namespace

View Lowering::new_vars(TypeId type) {
  std::vector<TypeId> scalars;
  types_.flatten(type, scalars);
  View view{.type = type, .first = static_cast<std::uint32_t>(vars_.size())};
  for (const TypeId scalar : scalars)
    vars_.push_back(out_.var(ir_scalar(scalar)));
  return view;
}

/// Memory of one invocation.  `key` names what it is for: each gets one buffer, however often its
/// function is inlined, because no two of its lives overlap.
View Lowering::new_local(TypeId type, std::string name, Span span, std::uint32_t key) {
  const auto [entry, added] = locals_.try_emplace(key, ir::kNone<ir::BufferId>);
  if (added && types_.size(type) > kMaxLocalBytes)
    faults_.error(Code::local_too_large, span,
                  "`" + name + "` takes " + std::to_string(types_.size(type)) +
                      " bytes of each invocation; the limit is " + std::to_string(kMaxLocalBytes));
  if (added)
    entry->second = out_.buffer(
        {.name = unique_name(std::move(name)), .space = Space::local, .layout = layout(type)});
  View view{.type = type, .in_memory = true};
  view.memory.buffer = entry->second;
  return view;
}

/// Writes the cells of a constant as its layout has them.
void Lowering::fill_words(TypeId type,
                          ConstId cells,
                          std::uint64_t offset,
                          std::vector<std::uint32_t>& words) const {
  const Type of = types_[type];
  if (of.kind == TypeKind::array || of.kind == TypeKind::matrix || of.kind == TypeKind::vector) {
    const std::uint64_t stride =
        of.kind == TypeKind::vector ? types_.size(of.element) : types_.stride(type);
    const std::uint64_t step = types_.scalar_count(of.element);
    for (std::uint32_t i = 0; i < of.count; ++i)
      fill_words(of.element, cells + static_cast<ConstId>(i * step), offset + i * stride, words);
  } else if (of.kind == TypeKind::structure) {
    const auto& members = types_.structure(type).members;
    for (std::uint32_t i = 0; i < members.size(); ++i)
      fill_words(members[i].type, cells + static_cast<ConstId>(types_.member_scalar(type, i)),
                 offset + members[i].offset, words);
  } else {
    const Cell bits = module_.constants[cells];
    words[offset / 4] |= static_cast<std::uint32_t>(bits) << (offset % 4 * 8);
    if (Types::is_wide(type)) words[offset / 4 + 1] = static_cast<std::uint32_t>(bits >> 32U);
  }
}

/// A constant as memory, for indices that are known only at run time.
View Lowering::constant_view(ExprId id) {
  const TypeId type = info(id).type;
  View view{.type = type, .in_memory = true};
  const auto [entry, added] = constants_.try_emplace(info(id).value, ir::kNone<ir::BufferId>);
  if (added) {
    std::vector<std::uint32_t> words((types_.size(type) + 3) / 4);
    fill_words(type, info(id).value, 0, words);
    std::string name = expr(id).kind == ExprKind::identifier
                           ? std::string(names_.text(expr(id).name.symbol))
                           : "constants";
    entry->second = out_.buffer({.name = unique_name(std::move(name)),
                                 .space = Space::constant,
                                 .layout = layout(type),
                                 .words = std::move(words)});
  }
  view.memory.buffer = entry->second;
  return view;
}

bool Lowering::is_zero(ExprId id) const {
  const std::uint64_t count = types_.scalar_count(info(id).type);
  for (std::uint64_t i = 0; i < count; ++i)
    if (module_.constants[info(id).value + i] != 0) return false;
  return true;
}

template <typename F>
void Lowering::for_each_element(std::uint32_t count, F&& body) {
  if (count <= kUnrolled) {
    for (std::uint32_t i = 0; i < count; ++i)
      body(out_.u32(i));
    return;
  }
  const ir::VarId counter = out_.var(ScalarType::u32);
  const ir::BlockId block = out_.open();
  const ir::ExprId at = out_.get(counter);
  body(at);
  out_.set(counter, out_.op(Op::add, {at, out_.u32(1)}));
  out_.close();
  const ir::BlockId continuing = out_.open();
  const ir::ExprId done = out_.op(Op::ge, {out_.get(counter), out_.u32(count)});
  out_.close();
  out_.loop(block, continuing, done);
}

View Lowering::element(const View& view, ir::ExprId index) {
  View result = view;
  result.type = types_[view.type].element;
  VYRE_CHECK(view.in_memory);
  result.memory.path.push_back({.kind = Step::Kind::index, .index = index});
  return result;
}

View Lowering::element(const View& view, std::uint32_t index) {
  if (view.in_memory) return element(view, out_.u32(index));
  View result = view;
  result.type = types_[view.type].element;
  result.first += static_cast<std::uint32_t>(types_.member_scalar(view.type, index));
  return result;
}

View Lowering::member(const View& view, std::uint32_t index) {
  View result = view;
  result.type = types_.structure(view.type).members[index].type;
  if (view.in_memory) {
    result.memory.path.push_back({.kind = Step::Kind::member, .member = index});
  } else {
    result.first += static_cast<std::uint32_t>(types_.member_scalar(view.type, index));
  }
  return result;
}

Value Lowering::load_vars(const View& view) {
  std::vector<TypeId> scalars;
  types_.flatten(view.type, scalars);
  Value value{.type = view.type};
  for (std::uint32_t i = 0; i < scalars.size(); ++i)
    value.scalars.push_back(load_choice(view, 0, view.first + i, scalars[i]));
  return value;
}

/// One scalar, whose place the choices from `level` on decide; zero if one of them is none.
ir::ExprId Lowering::load_choice(const View& view,
                                 std::size_t level,
                                 std::uint32_t var,
                                 TypeId scalar) {
  if (level == view.choices.size()) return out_.get(vars_[var]);
  const Choice choice = view.choices[level];
  ir::ExprId result = cell(scalar, 0);
  for (std::uint32_t i = 0; i < choice.count; ++i) {
    const ir::ExprId here = out_.op(Op::eq, {choice.index, out_.u32(i)});
    const ir::ExprId part = load_choice(view, level + 1, var + i * choice.step, scalar);
    result = out_.op(Op::select, {here, part, result});
  }
  return result;
}

Value Lowering::load(const View& view) {
  if (!view.in_memory) return load_vars(view);
  Value value{.type = view.type};
  const Type of = types_[view.type];
  const auto append = [&](const View& part) {
    const Value loaded = load(part);
    value.scalars.insert(value.scalars.end(), loaded.scalars.begin(), loaded.scalars.end());
  };
  if (of.kind == TypeKind::array || of.kind == TypeKind::matrix) {
    for (std::uint32_t i = 0; i < of.count; ++i)
      append(element(view, i));
  } else if (of.kind == TypeKind::structure) {
    const std::size_t count = types_.structure(view.type).members.size();
    for (std::uint32_t i = 0; i < count; ++i)
      append(member(view, i));
  } else if (of.kind == TypeKind::vector) {
    ir::MemoryRef from = view.memory;
    from.count = static_cast<std::uint8_t>(of.count);
    value.scalars = out_.load_all(std::move(from));
  } else {
    value.scalars = {out_.load(view.memory)};
  }
  return value;
}

/// Writes one scalar where `here` holds and the choices from `level` on lead.
void Lowering::store_choice(
    const View& view, std::size_t level, std::uint32_t var, ir::ExprId here, ir::ExprId value) {
  const ir::ExprId none = ir::kNone<ir::ExprId>;
  if (level == view.choices.size()) {
    if (here != none) value = out_.op(Op::select, {here, value, out_.get(vars_[var])});
    out_.set(vars_[var], value);
    return;
  }
  const Choice choice = view.choices[level];
  for (std::uint32_t i = 0; i < choice.count; ++i) {
    const ir::ExprId chosen = out_.op(Op::eq, {choice.index, out_.u32(i)});
    store_choice(view, level + 1, var + i * choice.step,
                 here == none ? chosen : out_.op(Op::logical_and, {here, chosen}), value);
  }
}

void Lowering::store(const View& view, const Value& value) {
  if (!view.in_memory) {
    for (std::uint32_t i = 0; i < value.scalars.size(); ++i)
      store_choice(view, 0, view.first + i, ir::kNone<ir::ExprId>, value.scalars[i]);
    return;
  }
  const Type of = types_[view.type];
  if (of.kind == TypeKind::array || of.kind == TypeKind::matrix) {
    const std::uint64_t step = types_.scalar_count(of.element);
    for (std::uint32_t i = 0; i < of.count; ++i)
      store(element(view, i), slice(value, of.element, i * step));
  } else if (of.kind == TypeKind::structure) {
    const std::vector<Member>& members = types_.structure(view.type).members;
    for (std::uint32_t i = 0; i < members.size(); ++i)
      store(member(view, i), slice(value, members[i].type, types_.member_scalar(view.type, i)));
  } else if (of.kind == TypeKind::vector) {
    ir::MemoryRef to = view.memory;
    to.count = static_cast<std::uint8_t>(of.count);
    out_.store_all(std::move(to), value.scalars);
  } else {
    out_.store(view.memory, value.scalars[0]);
  }
}

void Lowering::store_zero(const View& view) {
  const Type of = types_[view.type];
  if (view.in_memory && of.kind == TypeKind::array) {
    for_each_element(of.count, [&](ir::ExprId i) { store_zero(element(view, i)); });
  } else if (view.in_memory && of.kind == TypeKind::structure) {
    const std::size_t count = types_.structure(view.type).members.size();
    for (std::uint32_t i = 0; i < count; ++i)
      store_zero(member(view, i));
  } else {
    store(view, zero(view.type));
  }
}

/// From memory to memory, of equal types.
void Lowering::copy(const View& to, const View& from) {
  const Type of = types_[to.type];
  if (of.kind == TypeKind::array) {
    for_each_element(of.count, [&](ir::ExprId i) { copy(element(to, i), element(from, i)); });
  } else if (of.kind == TypeKind::structure) {
    const std::size_t count = types_.structure(to.type).members.size();
    for (std::uint32_t i = 0; i < count; ++i)
      copy(member(to, i), member(from, i));
  } else {
    store(to, load(from));
  }
}

/// Writes the value of an expression; arrays go from memory to memory.
void Lowering::store_expr(const View& to, ExprId id) {
  if (to.in_memory && types_.contains_array(to.type)) {
    if (info(id).value != kNone) {
      if (is_zero(id)) return store_zero(to);
      return copy(to, constant_view(id));
    }
    if (types_.is(info(id).type, TypeKind::reference)) return copy(to, view(id));
    if (const auto from = value_view(id)) return copy(to, *from);
  }
  store(to, lower(id));
}

/// The memory behind an array value that is indexed at run time: that of a `let` or parameter, or
/// of a constant; nothing if the value is only scalars.
std::optional<View> Lowering::value_view(ExprId id) {
  if (info(id).value != kNone && types_.contains_array(info(id).type)) return constant_view(id);
  const Expr& e = expr(id);
  const ExprInfo& of = info(id);
  if (e.kind == ExprKind::identifier &&
      (of.kind == Target::declaration || of.kind == Target::parameter)) {
    const Bound& bound =
        of.kind == Target::declaration ? declarations_[of.target] : fields_[of.target];
    if (bound.kind == Bound::Kind::view && bound.view.in_memory) return bound.view;
    return std::nullopt;
  }
  if (e.kind != ExprKind::index && e.kind != ExprKind::member) return std::nullopt;
  if (of.kind == Target::swizzle || types_.is(info(e.left).type, TypeKind::vector))
    return std::nullopt;
  const auto base = value_view(e.left);
  if (!base.has_value()) return std::nullopt;
  return e.kind == ExprKind::member ? member(*base, of.target) : index_view(*base, e.right);
}

View Lowering::spill(ExprId id) {
  View view = new_local(info(id).type, "spill", expr(id).span, kSpillKey | id);
  store(view, lower(id));
  return view;
}

}  // namespace vyre::wgsl
