// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "wgsl/types.h"

/// The names that every module starts with, except built-in functions: types, type generators,
/// address spaces and access modes.
namespace vyre::wgsl {

enum class PredeclareKind : std::uint8_t {
  scalar,  ///< `type`
  vector,  ///< of `type` with `width` components; `kFault`: generic
  matrix,  ///< of `type` with `width` columns and `rows` rows; `kFault`: generic
  array,
  atomic,
  pointer,
  bitcast,  ///< a generator of functions
  builtin,  ///< a built-in function: the row `width`
  sampled_texture,
  storage_texture,
  unsupported,  ///< a type that is not supported yet
  enumerant,    ///< an address space or access mode
};

struct Predeclare {
  std::string_view name;
  PredeclareKind kind = PredeclareKind::scalar;
  TypeId type = kFault;
  std::uint32_t width = 0;
  std::uint32_t rows = 0;
};

/// All rows but those of the built-in functions.
std::span<const Predeclare> predeclared_names();

}  // namespace vyre::wgsl
