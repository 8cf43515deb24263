// SPDX-License-Identifier: MIT OR Apache-2.0
#include "wgsl/flow.h"

#include <algorithm>
#include <set>
#include <string>
#include <tuple>

#include "validate/validate.h"
#include "wgsl/flow_writer.h"
#include "wgsl/growth.h"

namespace vyre::wgsl {

// --------------------------------------------------------------------------------------- words

Word FlowWords::both(Word a, Word b) {
  if (a == kUniformWord || a == b) return b;
  if (b == kUniformWord) return a;
  return out_.let(out_.op(Op::bit_or, {a, b}));
}

FlowPlace FlowWords::variable(Word value) {
  return {.kind = FlowPlace::Kind::variable, .variable = out_.var(ScalarType::u32, solid(value))};
}

FlowPlace FlowWords::shared(std::string name) {
  BufferDecl buffer;
  buffer.name = std::move(name);
  buffer.space = Space::workgroup;
  buffer.layout = out_.array(out_.scalar(ScalarType::u32), 1);
  return {.kind = FlowPlace::Kind::shared, .buffer = out_.buffer(std::move(buffer))};
}

ir::MemoryRef FlowWords::memory(const FlowPlace& place) {
  ir::MemoryRef ref;
  ref.buffer = place.buffer;
  ref.path.push_back({.kind = Step::Kind::index, .index = solid(place.index)});
  return ref;
}

Word FlowWords::read(const FlowPlace& place) {
  switch (place.kind) {
    case FlowPlace::Kind::fixed: return place.index;
    case FlowPlace::Kind::variable: return both(out_.get(place.variable), place.index);
    case FlowPlace::Kind::shared: return out_.load(memory(place));
  }
  return kUniformWord;
}

/// A part that is written leaves the rest as it was.
void FlowWords::write(const FlowPlace& place, Word value) {
  if (place.kind != FlowPlace::Kind::variable) return;
  if (!place.whole) value = both(both(value, place.index), out_.get(place.variable));
  out_.set(place.variable, solid(value));
}

// -------------------------------------------------------------------------------------- faults

FaultyPlaces::FaultyPlaces(const Diagnostics& known, const SourceMap& map) : map_(map) {
  for (const Diagnostic& fault : known)
    if (fault.severity == Severity::error) points_.push_back(point(fault.place));
  std::sort(points_.begin(), points_.end());
}

bool FaultyPlaces::touch(Span span) const {
  if (points_.empty()) return false;
  const auto first =
      std::lower_bound(points_.begin(), points_.end(), point(map_.place({span.begin, span.begin})));
  return first != points_.end() && *first < point(map_.place({span.end, span.end}));
}

// ------------------------------------------------------------------------------------ function

FlowWriter::FlowWriter(const Checked& module,
                       const Names& names,
                       const SourceMap& map,
                       const FaultyPlaces& faults,
                       const SubgroupFilter& filter,
                       std::string name)
    : module_(module),
      names_(names),
      map_(map),
      faults_(faults),
      filter_(filter),
      out_(std::move(name), {1, 1, 1}),
      words_(out_) {}

Program FlowWriter::write(std::uint32_t function) {
  const Declaration& d = module_.tree.declarations[function];
  set_place(d.span);
  bind_inputs(d);
  frames_.push_back({.root = true});
  divergent_ = filter_.within(d.attributes, filter_.module());
  if (d.body != kNone) block(d.body);
  out_.set_sources(map_.sources());
  return std::move(out_).take();
}

void FlowWriter::bind_inputs(const Declaration& function) {
  for (std::uint32_t i = 0; i < function.fields.count; ++i)
    fields_[function.fields.first + i] = parameter(function.fields.first + i);
}

FlowWriter::Bound FlowWriter::parameter(std::uint32_t field) {
  const Field& f = module_.tree.fields[field];
  const Type type = module_.types[module_.fields[field]];
  if (type.kind == TypeKind::pointer && type.space == AddressSpace::function)
    return {.place = words_.variable(kUniformWord)};
  if (is_pointer(module_.fields[field]) && type.access != AccessMode::read)
    return {.place = words_.shared(std::string(names_.text(f.name.symbol)))};
  const auto structure = module_.input_structures.find(field);
  if (structure != module_.input_structures.end())
    return {.value = structure_input(structure->second)};
  return {.value = input(f.attributes)};
}

/// A structure is one value.
Word FlowWriter::structure_input(std::uint32_t structure) {
  const Range members = module_.tree.declarations[structure].fields;
  Word value = kUniformWord;
  for (std::uint32_t m = 0; m < members.count; ++m)
    value = words_.both(value, input(module_.tree.fields[members.first + m].attributes));
  return value;
}

/// A built-in value; what the workgroup shares is uniform.
Word FlowWriter::input(Range attributes) {
  struct Row {
    std::string_view name;
    ir::Builtin builtin;
  };
  constexpr Row kRows[] = {{"global_invocation_id", ir::Builtin::global_id},
                           {"global_invocation_index", ir::Builtin::global_id},
                           {"local_invocation_id", ir::Builtin::local_id},
                           {"local_invocation_index", ir::Builtin::local_index},
                           {"subgroup_invocation_id", ir::Builtin::lane}};
  for (std::uint32_t i = 0; i < attributes.count; ++i) {
    const Attribute& a = module_.tree.attributes[attributes.first + i];
    if (names_.text(a.name.symbol) != "builtin" || a.arguments.count != 1) continue;
    const std::string_view name = names_.text(expr(item(a.arguments, 0)).name.symbol);
    if (name == "subgroup_id")
      return out_.op(Op::div, {out_.builtin(ir::Builtin::local_index),
                               out_.builtin(ir::Builtin::subgroup_size)});
    for (const Row& row : kRows)
      if (row.name == name) return out_.builtin(row.builtin);
  }
  return kUniformWord;
}

/// A variable of the module.
const FlowPlace& FlowWriter::global(std::uint32_t declaration) {
  Bound& bound = declarations_[declaration];
  if (std::exchange(bound.known, true)) return bound.place;
  const DeclarationInfo& of = module_.declarations[declaration];
  const bool is_texture = of.space == AddressSpace::handle;
  const AccessMode access = is_texture ? module_.types[of.type].access : of.access;
  const bool writable = of.space == AddressSpace::private_ || of.space == AddressSpace::workgroup ||
                        (of.space == AddressSpace::storage && access != AccessMode::read) ||
                        (is_texture && access != AccessMode::read);
  const bool fixed = !writable || of.type == kFault;
  if (!fixed)
    bound.place =
        words_.shared(std::string(names_.text(module_.tree.declarations[declaration].name.symbol)));
  return bound.place;
}

/// Functions may call the same ones, whose faults are told once.
Diagnostics check_flow(const Checked& module,
                       const Names& names,
                       const SourceMap& map,
                       const Diagnostics& known,
                       std::span<const std::uint32_t> functions) {
  const FaultyPlaces faults(known, map);
  const SubgroupFilter filter(module.tree, names);
  Diagnostics found;
  std::set<std::tuple<Code, std::uint32_t, std::uint32_t, std::uint32_t>> told;
  for (const std::uint32_t function : functions) {
    const Growth growth = measure_growth(module, function);
    if (!growth.cycles.empty() || growth.weight > kMaxWeight) continue;
    const Declaration& d = module.tree.declarations[function];
    FlowWriter writer(module, names, map, faults, filter, std::string(names.text(d.name.symbol)));
    for (const Diagnostic& fault : check_uniformity(writer.write(function)))
      if (told.emplace(fault.code, fault.place.file, fault.place.line, fault.place.column).second)
        found.add(fault);
  }
  return found;
}

}  // namespace vyre::wgsl
