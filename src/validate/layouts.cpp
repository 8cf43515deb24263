// SPDX-License-Identifier: MIT OR Apache-2.0
#include "validate/layouts.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace vyre {
namespace {

/// Layouts contain earlier ones only, so one pass in order sees parts before wholes.
class Layouts {
 public:
  explicit Layouts(Inspection& inspection)
      : program_(inspection.program),
        faults_(inspection.faults),
        traits_(program_.layouts.size()) {}

  std::vector<LayoutTraits> run() && {
    for (at_ = 0; at_ < program_.layouts.size(); ++at_)
      check(program_.layouts[at_]);
    return std::move(traits_);
  }

 private:
  void check(const Layout& layout) {
    if (!std::has_single_bit(layout.align))
      return fault(text("has the alignment ", layout.align, ", which is no power of two"));
    switch (layout.kind) {
      case LayoutKind::scalar: return scalar(layout);
      case LayoutKind::atomic: return atomic(layout);
      case LayoutKind::vector: return vector(layout);
      case LayoutKind::array: return array(layout);
      case LayoutKind::structure: return structure(layout);
    }
  }

  void fault(const std::string& what) {
    const Layout& layout = program_.layouts[at_];
    const std::string name = layout.kind == LayoutKind::structure && !layout.name.empty()
                                 ? "struct " + quoted(layout.name)
                                 : text("layout ", at_);
    faults_.add(Code::bad_layout, name + " " + what);
  }

  void expect(std::string_view what, std::uint64_t found, std::uint64_t wanted) {
    if (found != wanted) fault(text("has the ", what, " ", found, ", but needs ", wanted));
  }

  void scalar(const Layout& layout) {
    expect("size", layout.size, info(layout.scalar).bytes);
    expect("alignment", layout.align, info(layout.scalar).bytes);
    traits_[at_].narrow = !is_value_type(layout.scalar);
  }

  void atomic(const Layout& layout) {
    traits_[at_].atomic = true;
    if (!is_value_type(layout.scalar) || !is_integer(layout.scalar))
      return fault(text("is an atomic of ", layout.scalar, "; atomics are u32, i32, u64 or i64"));
    expect("size", layout.size, info(layout.scalar).bytes);
    expect("alignment", layout.align, info(layout.scalar).bytes);
  }

  void vector(const Layout& layout) {
    if (layout.width < 2 || layout.width > 4)
      return fault(text("is a vector of ", layout.width, " components; vectors have 2, 3 or 4"));
    if (!is_value_type(layout.scalar))
      return fault(text("is a vector of ", layout.scalar, ", which only arrays may hold"));
    const unsigned bytes = info(layout.scalar).bytes;
    expect("size", layout.size, bytes * layout.width);
    expect("alignment", layout.align, bytes * (layout.width == 2 ? 2u : 4u));
  }

  void array(const Layout& layout) {
    const Layout& element = program_[layout.element];
    const LayoutTraits& part = traits_[index(layout.element)];
    traits_[at_] = {part.atomic, layout.count == 0, part.narrow};
    if (part.runtime) fault("is an array of something runtime-sized");
    if (part.narrow && element.kind != LayoutKind::scalar)
      fault("is an array of arrays of a narrow type");
    if (layout.align < element.align)
      fault(text("has the alignment ", layout.align, ", less than its elements' ", element.align));
    if (layout.stride < element.size || layout.stride == 0 || layout.stride % layout.align != 0)
      fault(text("has the stride ", layout.stride, " for elements of ", element.size,
                 " bytes aligned to ", layout.align));
    expect("size", layout.size, std::uint64_t{layout.stride} * layout.count);
    if (layout.matrix) matrix(layout, element);
  }

  void matrix(const Layout& layout, const Layout& column) {
    if (column.kind != LayoutKind::vector || !is_float(column.scalar) || layout.count < 2 ||
        layout.count > 4)
      fault("is a matrix, but not of 2 to 4 columns that are vectors of floats");
  }

  void structure(const Layout& layout) {
    if (layout.members.empty()) return fault("has no members");
    std::uint64_t end = 0;
    for (std::size_t i = 0; i < layout.members.size(); ++i)
      member(layout, i, end);
    // A struct of nothing but a runtime-sized array has no fixed part.
    const bool empty = layout.size == 0 && !(end == 0 && traits_[at_].runtime);
    if (layout.size < end || layout.size % layout.align != 0 || empty)
      fault(text("has the size ", layout.size, " for members that end at ", end,
                 " and the alignment ", layout.align));
    names(layout);
  }

  void member(const Layout& layout, std::size_t i, std::uint64_t& end) {
    const Layout::Member& member = layout.members[i];
    const Layout& part = program_[member.layout];
    const LayoutTraits& inner = traits_[index(member.layout)];
    LayoutTraits& mine = traits_[at_];
    const std::string name = "member " + quoted(member.name);
    mine.atomic |= inner.atomic;
    mine.runtime |= inner.runtime;
    if (inner.narrow)
      fault(name + " is of a narrow type, which only the array of a buffer may hold");
    if (inner.runtime && (i + 1 != layout.members.size() || part.kind != LayoutKind::array))
      fault(name + " is runtime-sized, but not an array and the last member");
    if (part.align > layout.align || member.offset % std::max(part.align, 1u) != 0)
      fault(text(name, " lies at offset ", member.offset, ", but is aligned to ", part.align));
    if (member.offset < end)
      fault(text(name, " lies at offset ", member.offset, ", before the end of the former one at ",
                 end));
    if (part.size > std::numeric_limits<std::uint64_t>::max() - member.offset)
      fault(name + " ends beyond 64 bits");
    else
      end = member.offset + part.size;
  }

  void names(const Layout& layout) {
    std::vector<std::string_view> all;
    for (const Layout::Member& member : layout.members)
      all.push_back(member.name);
    std::sort(all.begin(), all.end());
    for (std::size_t i = 1; i < all.size(); ++i)
      if (all[i] == all[i - 1] && (i < 2 || all[i] != all[i - 2]))
        faults_.add(Code::duplicate_name, text("struct ", quoted(layout.name),
                                               " has more than one member ", quoted(all[i])));
  }

  const Program& program_;
  Faults& faults_;
  std::vector<LayoutTraits> traits_;
  std::size_t at_ = 0;  ///< the layout being checked
};

}  // namespace

std::vector<LayoutTraits> check_layouts(Inspection& inspection) {
  return Layouts(inspection).run();
}

}  // namespace vyre
