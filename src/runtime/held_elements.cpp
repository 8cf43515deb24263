// SPDX-License-Identifier: MIT OR Apache-2.0
#include "runtime/held_elements.h"

#include "ir/layout.h"

namespace vyre {
namespace {

// ------------------------------------------------------------------------------ what a layout
// holds

struct Shape {
  std::optional<ScalarType> scalar;
  std::uint64_t unit = 0;
};

Shape shape_of(const Program& program, LayoutId id, std::uint64_t stride);

Shape shape_of_array(const Program& program, const Layout& array, std::uint64_t stride) {
  const Shape element = shape_of(program, array.element, array.stride);
  const std::uint64_t count = array.count == 0 ? 1 : array.count;
  return {element.scalar, count * array.stride == stride ? element.unit : stride};
}

/// One kind of number without gaps is as good as an array; all else is one piece.
Shape shape_of_structure(const Program& program, const Layout& structure, std::uint64_t stride) {
  Shape whole;
  std::uint64_t end = 0;
  bool first = true;
  bool dense = true;
  for (const Layout::Member& member : structure.members) {
    const Layout& layout = program[member.layout];
    const std::uint64_t size =
        layout.kind == LayoutKind::array && layout.count == 0 ? layout.stride : layout.size;
    const Shape inner = shape_of(program, member.layout, size);
    if (first) whole = inner;
    dense = dense && member.offset == end && inner.unit == whole.unit;
    if (inner.scalar != whole.scalar) whole.scalar.reset();
    end = member.offset + size;
    first = false;
  }
  if (!dense || end != stride) whole.unit = stride;
  return whole;
}

/// Of a layout that takes `stride` bytes.
Shape shape_of(const Program& program, LayoutId id, std::uint64_t stride) {
  const Layout& layout = program[id];
  switch (layout.kind) {
    case LayoutKind::scalar:
    case LayoutKind::atomic:
    case LayoutKind::vector: {
      const std::uint64_t bytes = info(layout.scalar).bytes;
      const std::uint64_t width = layout.kind == LayoutKind::vector ? layout.width : 1;
      return {layout.scalar, bytes * width == stride ? bytes : stride};
    }
    case LayoutKind::array: return shape_of_array(program, layout, stride);
    case LayoutKind::structure: return shape_of_structure(program, layout, stride);
  }
  return {};
}

// ------------------------------------------------------------------------------------ comparison

bool is_number(const ElementType& type, ScalarType scalar) {
  const ScalarInfo& wanted = info(scalar);
  if (type.scalar != wanted.bytes) return false;
  switch (type.kind) {
    case ElementKind::unsigned_integer:
      return wanted.kind != ScalarKind::floating || wanted.bytes == 2;
    case ElementKind::signed_integer: return wanted.kind != ScalarKind::floating;
    case ElementKind::character: return wanted.kind != ScalarKind::floating;
    case ElementKind::floating: return wanted.kind == ScalarKind::floating;
    case ElementKind::raw:
    case ElementKind::boolean:
    case ElementKind::structure: return false;
  }
  return false;
}

bool fits_as_structure(const HeldElements& held, const ElementType& type) {
  if (type.align == 8 && held.align < 8) return false;
  if (held.open) return true;  // its size depends on its elements
  if (type.size % held.row == 0) return held.rows || type.size == held.row;
  return !held.rows && held.scalar && held.row % type.size == 0 && type.size % held.unit == 0;
}

bool fits_as_numbers(const HeldElements& held, const ElementType& type, std::uint64_t bytes) {
  if (!held.scalar || !is_number(type, *held.scalar)) return false;
  if (!held.rows) return held.open || type.size % held.unit == 0 || bytes == held.row;
  return type.size % held.unit == 0 && (held.row % type.size == 0 || type.size % held.row == 0);
}

bool fits(const HeldElements& held, const ElementType& type, std::uint64_t bytes) {
  if (type.kind == ElementKind::raw) return true;
  return type.kind == ElementKind::structure ? fits_as_structure(held, type)
                                             : fits_as_numbers(held, type, bytes);
}

// -------------------------------------------------------------------------------------- the error

std::string_view cpp_name(ScalarType scalar) {
  switch (scalar) {
    case ScalarType::boolean:
    case ScalarType::u32: return "std::uint32_t";
    case ScalarType::i32: return "std::int32_t";
    case ScalarType::f32: return "float";
    case ScalarType::u64: return "std::uint64_t";
    case ScalarType::i64: return "std::int64_t";
    case ScalarType::u8: return "std::uint8_t";
    case ScalarType::i8: return "std::int8_t";
    case ScalarType::u16: return "std::uint16_t";
    case ScalarType::i16: return "std::int16_t";
    case ScalarType::f16:
    case ScalarType::half: return "std::uint16_t";
  }
  return {};
}

/// The C++ type that stands for what the buffer holds.
std::string counterpart(const HeldElements& held) {
  if (!held.scalar) {
    if (held.open) return "bytes";
    return "a struct of " + std::to_string(held.row) + " bytes that is laid out alike";
  }
  const std::uint64_t bytes = info(*held.scalar).bytes;
  const std::string number(cpp_name(*held.scalar));
  std::string text = "`" + number + "`";
  if (held.unit != bytes && held.rows)
    text =
        "`std::array<" + number + ", " + std::to_string(held.unit / bytes) + ">`, padding included";
  const bool half = *held.scalar == ScalarType::f16 || *held.scalar == ScalarType::half;
  return half ? text + " with the bits of half floats" : text;
}

}  // namespace

HeldElements held_elements(const Program& program, LayoutId root) {
  const Layout& layout = program[root];
  HeldElements held;
  held.type = type_name(program, root);
  held.align = layout.align;
  held.rows = layout.kind == LayoutKind::array && !layout.matrix;
  held.open = layout.kind == LayoutKind::structure && !layout.members.empty() &&
              program[layout.members.back().layout].kind == LayoutKind::array &&
              program[layout.members.back().layout].count == 0;
  held.row = held.rows ? layout.stride : layout.size;
  const LayoutId piece = held.rows ? layout.element : root;
  const Shape shape = shape_of(program, piece, held.row);
  held.scalar = shape.scalar;
  held.unit = shape.unit;
  return held;
}

Status check_elements(const HeldElements& held,
                      const ElementType& type,
                      std::string_view name,
                      std::uint64_t bytes) {
  if (fits(held, type, bytes)) return Ok{};
  std::string message = "the C++ type `" + std::string(type.name) + "`";
  if (type.kind == ElementKind::structure) message += " of " + std::to_string(type.size) + " bytes";
  message += " does not fit `" + std::string(name) + "`, which holds " + held.type;
  return Error(ErrorKind::invalid_argument, "element-type", std::move(message),
               "convert to " + counterpart(held) +
                   "; bytes that are laid out so already go as std::as_bytes(std::span(values)), "
                   "and come as bytes(name)");
}

}  // namespace vyre
