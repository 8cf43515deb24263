// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_set>

/// Names that a C-like target accepts, each given once.
///
/// A wanted name is kept where it can be: ASCII letters, digits and underscores.  Everything else
/// becomes an underscore, and a taken or reserved name gets a number.  One thread at a time.
namespace vyre {

/// `wanted` as an identifier: not empty, begins with a letter, no "__".
std::string to_identifier(std::string_view wanted);

class Names {
 public:
  explicit Names(std::span<const std::string_view> reserved);
  /// Keeps `word` from being given.
  void reserve(std::string_view word) { taken_.emplace(word); }
  /// An identifier like `wanted` that was not given before.
  std::string claim(std::string_view wanted);

 private:
  std::unordered_set<std::string> taken_;
};

}  // namespace vyre
