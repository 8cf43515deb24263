// SPDX-License-Identifier: MIT OR Apache-2.0
#include "lower/memory_forms.h"

#include <algorithm>

#include "base/align.h"
#include "ir/eval.h"
#include "ir/layout.h"
#include "ir/visit.h"

namespace vyre {
namespace {

bool is_aggregate(const Layout& layout) {
  return layout.kind == LayoutKind::array || layout.kind == LayoutKind::structure;
}

std::uint32_t free_binding(const Program& program) {
  std::uint32_t next = 0;
  for (const BufferDecl& buffer : program.buffers)
    if (buffer.group == 0) next = std::max(next, buffer.binding + 1);
  return next;
}

}  // namespace

MemoryForms::MemoryForms(const Program& program, const Target& target)
    : program_(program), traits_(program.layouts.size()), forms_(program.buffers.size()) {
  note_layouts();
  for (std::size_t i = 0; i < forms_.size(); ++i)
    choose(static_cast<BufferId>(static_cast<std::uint32_t>(i)), target);
  note_narrow_stores();
}

/// Inner layouts have lower ids than those that contain them.
void MemoryForms::note_layouts() {
  for (std::size_t i = 0; i < traits_.size(); ++i) {
    const Layout& layout = program_.layouts[i];
    Traits& mine = traits_[i];
    mine.uniform = fits_uniform(layout);
    mine.two_rows = layout.matrix && program_[layout.element].width == 2;
    if (!is_aggregate(layout)) {
      mine.narrow = !is_value_type(layout.scalar);
      mine.boolean = layout.scalar == ScalarType::boolean;
    }
    const auto include = [&](LayoutId inner) {
      mine.narrow |= traits(inner).narrow;
      mine.boolean |= traits(inner).boolean;
      mine.uniform &= traits(inner).uniform;
      mine.two_rows |= traits(inner).two_rows;
      // naga 29 (wgpu-native 29.0.1): SPIR-V of such a struct within another type loses the device.
      if (program_[inner].kind == LayoutKind::structure && traits(inner).two_rows)
        mine.uniform = false;
    };
    if (layout.kind == LayoutKind::array) include(layout.element);
    for (const Layout::Member& member : layout.members)
      include(member.layout);
  }
}

/// WGSL's extra rules for uniform memory, on this level.
bool MemoryForms::fits_uniform(const Layout& layout) const {
  if (layout.kind == LayoutKind::atomic) return false;
  if (layout.kind == LayoutKind::array) return layout.matrix || layout.stride % 16 == 0;
  for (std::size_t i = 0; i < layout.members.size(); ++i) {
    const Layout::Member& member = layout.members[i];
    const Layout& inner = program_[member.layout];
    if (is_aggregate(inner) && !inner.matrix && member.offset % 16 != 0) return false;
    const bool last = i + 1 == layout.members.size();
    if (!last && inner.kind == LayoutKind::structure &&
        layout.members[i + 1].offset < member.offset + align_to(inner.size, 16))
      return false;
  }
  return true;
}

void MemoryForms::choose(BufferId id, const Target& target) {
  const BufferDecl& buffer = program_[id];
  const Traits& layout = traits(buffer.layout);
  Form& form = forms_[index(id)];
  form.words = layout.narrow || has_special_floats(buffer);
  if (buffer.space == Space::uniform)
    form.read_only_storage =
        form.words || !layout.uniform || program_.layout(buffer).size > target.max_uniform_bytes;
  if (buffer.space == Space::constant)
    form.read_only_storage = buffer.words.size() > target.max_constant_words;
}

/// True for a table with infinities or NaNs, which no text can say.
bool MemoryForms::has_special_floats(const BufferDecl& buffer) const {
  if (buffer.space != Space::constant) return false;
  const auto is_plain = [&](std::uint64_t offset, ScalarType type) {
    return is_finite(type, buffer.words[offset / 4] >> (offset % 4 * 8));
  };
  return !each_scalar(program_, buffer.layout, 0, 0, is_plain);
}

void MemoryForms::note_narrow_stores() {
  for (const Stmt& stmt : program_.stmts) {
    const auto* store = std::get_if<Store>(&stmt);
    if (store == nullptr || !in_words(store->to.buffer)) continue;
    const auto address = resolve(program_, store->to);
    if (address && !is_value_type(address->scalar)) forms_[index(store->to.buffer)].atomic = true;
  }
}

LayoutId MemoryForms::words_layout(Assembler& to, const BufferDecl& buffer, bool atomic) const {
  const LayoutId word = atomic ? to.atomic(ScalarType::u32) : to.scalar(ScalarType::u32);
  const bool open = runtime_array(program_, buffer).has_value();
  const auto count = static_cast<std::uint32_t>((program_.layout(buffer).size + 3) / 4);
  return to.array(word, open ? 0 : count);
}

/// REQUIRES: layouts of `to` with lower ids are those of the program.
LayoutId MemoryForms::without_booleans(Assembler& to, LayoutId id) const {
  if (!traits(id).boolean) return id;
  Layout layout = program_[id];
  if (!is_aggregate(layout)) layout.scalar = ScalarType::u32;
  if (layout.kind == LayoutKind::array) layout.element = without_booleans(to, layout.element);
  for (Layout::Member& member : layout.members)
    member.layout = without_booleans(to, member.layout);
  return to.layout(std::move(layout));
}

void MemoryForms::declare(Assembler& to, BufferId id) const {
  const BufferDecl& buffer = program_[id];
  const Form& chosen = form(id);
  const LayoutId layout =
      chosen.words ? words_layout(to, buffer, chosen.atomic) : without_booleans(to, buffer.layout);
  to.edit(id).layout = layout;
  if (!chosen.read_only_storage) return;
  if (buffer.space == Space::constant) to.edit(id).binding = free_binding(program_) + index(id);
  to.edit(id).space = Space::storage;
  to.edit(id).access = Access::input;
}

}  // namespace vyre
