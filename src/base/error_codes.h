// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>

#include "vyre/result.h"

/// What the codes of an `Error` mean: the rows of `errors.def`.
///
/// Codes of faults in a program are rows of `diagnostics.def`, and not here.  Constants; any
/// thread.
namespace vyre {

/// A set of kinds.
class ErrorKinds {
 public:
  constexpr ErrorKinds(std::initializer_list<ErrorKind> kinds) {
    for (const ErrorKind kind : kinds)
      bits_ |= 1U << static_cast<unsigned>(kind);
  }
  [[nodiscard]] constexpr bool contains(ErrorKind kind) const {
    return (bits_ >> static_cast<unsigned>(kind) & 1U) != 0;
  }

 private:
  std::uint32_t bits_ = 0;
};

struct ErrorCodeInfo {
  std::string_view name = {};     ///< "wrong-device"
  ErrorKinds kinds = {};          ///< that it comes in
  std::string_view summary = {};  ///< what it means, one sentence
  std::string_view remedy = {};   ///< what to do, one sentence
};
std::span<const ErrorCodeInfo> all_error_codes();

/// Every kind, in the order of the enumeration.
std::span<const ErrorKind> all_error_kinds();
/// What a kind means, one sentence.
std::string_view meaning_of(ErrorKind kind);

}  // namespace vyre
