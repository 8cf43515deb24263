// SPDX-License-Identifier: MIT OR Apache-2.0
#include "backend/wgpu/wgsl_types.h"

#include <algorithm>

#include "backend/wgpu/wgsl_spelling.h"
#include "base/align.h"
#include "base/check.h"

namespace vyre::wgpu {
namespace {

constexpr std::string_view kWrapped = ".element";

std::string vector_type(ScalarType scalar, unsigned width) {
  return "vec" + std::to_string(width) + "<" + std::string(wgsl_type(scalar)) + ">";
}

}  // namespace

WgslTypes::WgslTypes(const Program& program, Names& names, TextWriter& out)
    : program_(program), names_(names), out_(out), rows_(program.layouts.size()) {}

const std::string& WgslTypes::name(LayoutId id) {
  if (!rows_[index(id)]) make(id);
  return rows_[index(id)]->name;
}

const std::string& WgslTypes::member(LayoutId id, std::uint32_t member) const {
  return rows_[index(id)]->members[member];
}

std::string_view WgslTypes::element_suffix(LayoutId id) const {
  return rows_[index(id)]->wrapper.empty() ? std::string_view() : kWrapped;
}

void WgslTypes::make(LayoutId id) {
  const Layout& layout = program_[id];
  const std::uint64_t bytes = info(layout.scalar).bytes;
  switch (layout.kind) {
    case LayoutKind::scalar:
      rows_[index(id)] =
          Row{.name = std::string(wgsl_type(layout.scalar)), .natural = {bytes, bytes}};
      return;
    case LayoutKind::atomic:
      rows_[index(id)] = Row{.name = "atomic<" + std::string(wgsl_type(layout.scalar)) + ">",
                             .natural = {bytes, bytes}};
      return;
    case LayoutKind::vector:
      rows_[index(id)] =
          Row{.name = vector_type(layout.scalar, layout.width),
              .natural = {bytes * (layout.width == 2 ? 2 : 4), bytes * layout.width}};
      return;
    case LayoutKind::array: make_array(id); return;
    case LayoutKind::structure: make_struct(id); return;
  }
  VYRE_UNREACHABLE();
}

void WgslTypes::make_array(LayoutId id) {
  const Layout& layout = program_[id];
  name(layout.element);
  const Row& element = *rows_[index(layout.element)];
  const std::uint64_t natural_stride = align_to(element.natural.size, element.natural.align);
  Row row;
  row.natural = {element.natural.align, std::uint64_t{layout.stride} * layout.count};
  if (natural_stride != layout.stride) row.wrapper = wrap_element(layout, element);
  if (layout.matrix && row.wrapper.empty()) {
    const Layout& column = program_[layout.element];
    row.name = "mat" + std::to_string(layout.count) + "x" + std::to_string(column.width) + "<" +
               std::string(wgsl_type(column.scalar)) + ">";
  } else {
    row.name = "array<" + (row.wrapper.empty() ? element.name : row.wrapper);
    if (layout.count != 0) row.name += ", " + std::to_string(layout.count);
    row.name += ">";
  }
  rows_[index(id)] = std::move(row);
}

std::string WgslTypes::wrap_element(const Layout& array, const Row& element) {
  std::string wrapper = names_.claim("Element");
  out_.line("struct ", wrapper, " {");
  out_.indent();
  out_.line("@size(", array.stride, ") element: ", element.name, ",");
  out_.dedent();
  out_.line("}");
  out_.end_line();
  return wrapper;
}

void WgslTypes::make_struct(LayoutId id) {
  const Layout& layout = program_[id];
  Row row;
  row.name = names_.claim(layout.name.empty() ? "Struct" : layout.name);
  row.natural = {1, layout.size};
  Names names(wgsl_taken_words());
  for (const Layout::Member& member : layout.members) {
    name(member.layout);
    row.members.push_back("." + names.claim(member.name));
    row.natural.align = std::max(row.natural.align, rows_[index(member.layout)]->natural.align);
  }
  out_.line("struct ", row.name, " {");
  out_.indent();
  for (std::size_t i = 0; i < layout.members.size(); ++i) {
    const bool last = i + 1 == layout.members.size();
    const Row& type = *rows_[index(layout.members[i].layout)];
    const std::uint64_t begin = layout.members[i].offset;
    const std::uint64_t end = begin + type.natural.size;
    // Where the next member, or the struct's end, would be without a word of ours.
    const std::uint64_t align =
        last ? row.natural.align : rows_[index(layout.members[i + 1].layout)]->natural.align;
    const std::uint64_t wanted = last ? layout.size : layout.members[i + 1].offset;
    const bool runtime_sized = last && type.natural.size == 0;
    if (!runtime_sized && align_to(end, align) != wanted)
      out_ << "@size(" << wanted - begin << ") ";
    out_.line(std::string_view(row.members[i]).substr(1), ": ", type.name, ",");
  }
  out_.dedent();
  out_.line("}");
  out_.end_line();
  rows_[index(id)] = std::move(row);
}

std::string WgslTypes::value(LayoutId id,
                             const std::vector<std::uint32_t>& words,
                             std::uint64_t offset) {
  const Layout& layout = program_[id];
  const auto scalar = [&](std::uint64_t at) {
    const auto word = [&](std::uint64_t i) {
      return std::uint64_t{i < words.size() ? words[i] : 0};
    };
    std::uint64_t bits = word(at / 4);
    if (info(layout.scalar).bytes == 2) bits = bits >> at % 4 * 8 & 0xffff;
    if (info(layout.scalar).bytes == 8) bits |= word(at / 4 + 1) << 32U;
    return wgsl_literal(layout.scalar, bits).text;
  };
  std::string text;
  const auto add = [&](std::string part) {
    if (!text.empty()) text += ", ";
    text += std::move(part);
  };
  switch (layout.kind) {
    case LayoutKind::scalar:
    case LayoutKind::atomic: return scalar(offset);
    case LayoutKind::vector:
      for (unsigned i = 0; i < layout.width; ++i)
        add(scalar(offset + std::uint64_t{info(layout.scalar).bytes} * i));
      break;
    case LayoutKind::array:
      for (std::uint32_t i = 0; i < layout.count; ++i) {
        std::string element =
            value(layout.element, words, offset + std::uint64_t{i} * layout.stride);
        const std::string& wrapper = rows_[index(id)]->wrapper;
        add(wrapper.empty() ? std::move(element) : wrapper + "(" + element + ")");
      }
      break;
    case LayoutKind::structure:
      for (const Layout::Member& m : layout.members)
        add(value(m.layout, words, offset + m.offset));
      break;
  }
  return name(id) + "(" + text + ")";
}

std::uint64_t WgslTypes::min_bytes(LayoutId id) const {
  const Layout* layout = &program_[id];
  std::uint64_t end = layout->size;
  if (layout->kind == LayoutKind::structure && !layout->members.empty()) {
    const Layout::Member& last = layout->members.back();
    const Layout& array = program_[last.layout];
    if (array.kind == LayoutKind::array && array.count == 0)
      end = align_to(std::uint64_t{last.offset} + array.stride, layout->align);
  } else if (layout->kind == LayoutKind::array && layout->count == 0) {
    end = layout->stride;
  }
  return std::max<std::uint64_t>(align_to(end, 4), 4);
}

}  // namespace vyre::wgpu
