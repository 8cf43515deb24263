// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "vyre/element.h"
#include "vyre/program.h"

/// What a buffer holds, as far as C++ types are compared with it.
///
/// It is worked out once a program (`held_elements`); a comparison is then a few numbers.  The
/// rules are those of `vyre/element.h`.
namespace vyre {

struct HeldElements {
  std::string type;                  ///< "array<f32>"
  std::optional<ScalarType> scalar;  ///< of all numbers; absent: they differ
  /// Bytes of an element of the root array, matrices not meant; of any other root, all.
  std::uint64_t row = 0;
  /// Bytes that numbers may be cut in: a number; where there is padding, what it belongs to.
  std::uint64_t unit = 0;
  std::uint32_t align = 1;
  bool rows = false;  ///< the root is an array
  bool open = false;  ///< the root ends in a runtime-sized array
};
HeldElements held_elements(const Program& program, LayoutId root);

/// An error unless elements of `type` may stand for what the buffer `name` holds: `bytes` of them
/// in all.
Status check_elements(const HeldElements& held,
                      const ElementType& type,
                      std::string_view name,
                      std::uint64_t bytes);

}  // namespace vyre
