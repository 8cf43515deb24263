// SPDX-License-Identifier: MIT OR Apache-2.0
#include "wgsl/to_ir.h"

#include <algorithm>
#include <utility>

#include "wgsl/growth.h"
#include "wgsl/lowering.h"

namespace vyre::wgsl {
Lowering::Lowering(Checked& module, const Names& names, Faults& faults, Bindings& bindings)
    : module_(module),
      names_(names),
      faults_(faults),
      filter_(module.tree, names),
      types_(module.types),
      out_(std::string(names.text(module.tree.declarations[module.entry.function].name.symbol)),
           module.entry.workgroup),
      declarations_(bindings.declarations),
      fields_(bindings.fields) {
  declarations_.resize(module.tree.declarations.size());
  fields_.resize(module.tree.fields.size());
}

Program Lowering::run() {
  const Declaration& function = module_.tree.declarations[module_.entry.function];
  set_place(function.span);
  declare_buffers();
  bind_inputs(function);
  frames_.push_back({.entry = true});
  divergent_ = filter_.within(function.attributes, filter_.module());
  lower_block(function.body);
  out_.set_sources(faults_.map().sources());
  return std::move(out_).finish();
}

std::string Lowering::unique_name(std::string name) {
  const std::uint32_t uses = buffer_names_[name]++;
  return uses == 0 ? name : unique_name(name + "_" + std::to_string(uses));
}

/// The memory of the module that is reached, in the order of its declarations.
void Lowering::declare_buffers() {
  for (const std::uint32_t variable : module_.variables) {
    const Declaration& d = module_.tree.declarations[variable];
    const DeclarationInfo& of = module_.declarations[variable];
    BufferDecl buffer;
    buffer.group = of.group;
    buffer.binding = of.binding;
    switch (of.space) {
      case AddressSpace::storage:
        buffer.space = Space::storage;
        buffer.access = of.access == AccessMode::read ? Access::input : Access::in_out;
        break;
      case AddressSpace::uniform: buffer.space = Space::uniform; break;
      case AddressSpace::workgroup: buffer.space = Space::workgroup; break;
      case AddressSpace::handle: declare_texture(variable); continue;
      case AddressSpace::private_:
      case AddressSpace::function: declare_private(variable); continue;
    }
    buffer.name = unique_name(std::string(names_.text(d.name.symbol)));
    buffer.layout = layout(of.type);
    View view{.type = of.type, .in_memory = true};
    view.memory.buffer = out_.buffer(std::move(buffer));
    declarations_[variable] = {Bound::Kind::view, {}, view};
  }
}

void Lowering::declare_private(std::uint32_t declaration) {
  const Declaration& d = module_.tree.declarations[declaration];
  const TypeId type = module_.declarations[declaration].type;
  const View view =
      types_.contains_array(type) ? new_local(type, d.name, declaration) : new_vars(type);
  if (d.value != kNone) store_expr(view, d.value);
  declarations_[declaration] = {Bound::Kind::view, {}, view};
}

void Lowering::bind_inputs(const Declaration& function) {
  for (std::uint32_t i = 0; i < function.fields.count; ++i) {
    const std::uint32_t index = function.fields.first + i;
    const Field& field = module_.tree.fields[index];
    const TypeId type = module_.fields[index];
    Value value{.type = type};
    if (!types_.is(type, TypeKind::structure)) {
      value = input(field.attributes, type);
    } else {
      const auto& members = types_.structure(type).members;
      const Range fields = module_.tree.declarations[module_.input_structures.at(index)].fields;
      for (std::uint32_t m = 0; m < members.size(); ++m) {
        const Value part = input(module_.tree.fields[fields.first + m].attributes, members[m].type);
        value.scalars.insert(value.scalars.end(), part.scalars.begin(), part.scalars.end());
      }
    }
    fields_[index] = {Bound::Kind::value, std::move(value), {}};
  }
}

Value Lowering::input(Range attributes, TypeId type) {
  struct Row {
    std::string_view name;
    ir::Builtin builtin;
  };
  constexpr Row kRows[] = {{"global_invocation_id", ir::Builtin::global_id},
                           {"local_invocation_id", ir::Builtin::local_id},
                           {"workgroup_id", ir::Builtin::workgroup_id},
                           {"num_workgroups", ir::Builtin::num_workgroups},
                           {"local_invocation_index", ir::Builtin::local_index},
                           {"subgroup_invocation_id", ir::Builtin::lane},
                           {"subgroup_size", ir::Builtin::subgroup_size}};
  Value value{.type = type};
  for (std::uint32_t i = 0; i < attributes.count; ++i) {
    const Attribute& attribute = module_.tree.attributes[attributes.first + i];
    if (names_.text(attribute.name.symbol) != "builtin") continue;
    const std::string_view name = names_.text(expr(item(attribute.arguments, 0)).name.symbol);
    for (const Row& row : kRows)
      for (std::uint8_t c = 0; row.name == name && c < types_.width(type); ++c)
        value.scalars.push_back(out_.builtin(row.builtin, c));
    if (value.scalars.empty()) value.scalars.push_back(derived_input(name));
  }
  return value;
}

/// Built-in values that others make up.
ir::ExprId Lowering::derived_input(std::string_view name) {
  const auto builtin = [&](ir::Builtin b, std::uint8_t axis = 0) { return out_.builtin(b, axis); };
  const auto op = [&](Op o, ir::ExprId a, ir::ExprId b) { return out_.op(o, {a, b}); };
  const auto& size = module_.entry.workgroup;
  const ir::ExprId lanes = builtin(ir::Builtin::subgroup_size);
  if (name == "subgroup_id") return op(Op::div, builtin(ir::Builtin::local_index), lanes);
  if (name == "num_subgroups") {
    const ir::ExprId all = out_.u32(size[0] * size[1] * size[2]);
    return op(Op::div, op(Op::sub, op(Op::add, all, lanes), out_.u32(1)), lanes);
  }
  const bool groups = name == "workgroup_index";
  ir::ExprId index = out_.u32(0);
  for (std::uint8_t axis = 3; axis-- > 0;) {
    const ir::ExprId count = builtin(ir::Builtin::num_workgroups, axis);
    const ir::ExprId extent = groups ? count : op(Op::mul, count, out_.u32(size[axis]));
    const ir::ExprId at =
        builtin(groups ? ir::Builtin::workgroup_id : ir::Builtin::global_id, axis);
    index = op(Op::add, op(Op::mul, index, extent), at);
  }
  return index;
}

ir::LayoutId Lowering::layout(TypeId type) {
  const auto found = layouts_.find(type);
  if (found != layouts_.end()) return found->second;
  const Type of = types_[type];
  ir::LayoutId id = {};
  switch (of.kind) {
    case TypeKind::vector:
      id = out_.vector(ir_scalar(of.element), static_cast<std::uint8_t>(of.count));
      break;
    case TypeKind::matrix:
      id = out_.matrix(ir_scalar(types_.component_of(type)), static_cast<std::uint8_t>(of.count),
                       static_cast<std::uint8_t>(types_.rows(type)));
      break;
    case TypeKind::array: id = out_.array(layout(of.element), of.count); break;
    case TypeKind::atomic: id = out_.atomic(ir_scalar(of.element)); break;
    case TypeKind::structure: {
      std::vector<Assembler::MemberDecl> members;
      for (const Member& member : types_.structure(type).members)
        members.push_back({member.spelling, layout(member.type), member.align, member.size});
      id = out_.structure(types_.structure(type).name, members);
      break;
    }
    default: id = out_.scalar(ir_scalar(type)); break;
  }
  layouts_[type] = id;
  return id;
}

ToIr::ToIr(const Names& names, Faults& faults)
    : names_(names), faults_(faults), bindings_(std::make_unique<Bindings>()) {}
ToIr::~ToIr() = default;

Program ToIr::operator()(Checked& module) {
  const std::size_t errors = faults_.errors();
  Program program = Lowering(module, names_, faults_, *bindings_).run();
  if (faults_.errors() == errors && program.stmts.size() > kMaxStatements)
    report_growth(program.stmts.size(), module, names_, faults_);
  return program;
}

}  // namespace vyre::wgsl
