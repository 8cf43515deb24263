// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vyre/program.h"

#include "base/text_writer.h"
#include "emit/names.h"

/// Layouts as WGSL types: every struct is declared once, and every byte offset is kept.
///
/// Offsets and sizes that WGSL's own rules would not give are said with `@size` on the member
/// before; an array whose stride is not its element's natural one gets an element struct of one
/// member.  `@align` is never needed: a binding's start is aligned more than any layout asks.
namespace vyre::wgpu {

class WgslTypes {
 public:
  /// Structs are declared in `out`, under names from `names`.
  WgslTypes(const Program& program, Names& names, TextWriter& out);

  /// The type's name; declares the structs that it needs.
  const std::string& name(LayoutId id);
  /// ".position": what selects a member of this struct.  REQUIRES: its type was named.
  [[nodiscard]] const std::string& member(LayoutId id, std::uint32_t member) const;
  /// What stands between an array's "[i]" and its element: nothing, or the wrapper's member.
  [[nodiscard]] std::string_view element_suffix(LayoutId id) const;

  /// A value of this type with these words as its bytes from `offset` on.
  std::string value(LayoutId id, const std::vector<std::uint32_t>& words, std::uint64_t offset);

  /// The smallest range that may be bound to a variable of this type.
  [[nodiscard]] std::uint64_t min_bytes(LayoutId id) const;

 private:
  struct Extent {
    std::uint64_t align = 4;
    std::uint64_t size = 4;
  };
  struct Row {
    std::string name = {};
    std::vector<std::string> members = {};  ///< with their dots
    Extent natural = {};                    ///< as WGSL sees the printed type
    std::string wrapper = {};               ///< array: the struct around each element, if any
  };

  void make(LayoutId id);
  void make_array(LayoutId id);
  void make_struct(LayoutId id);
  std::string wrap_element(const Layout& array, const Row& element);

  const Program& program_;
  Names& names_;
  TextWriter& out_;
  std::vector<std::optional<Row>> rows_;
};

}  // namespace vyre::wgpu
