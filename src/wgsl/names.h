// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

/// Spellings as small numbers.
///
/// `Names` gives equal spellings one `Symbol`; keywords come first, then reserved words, so that
/// a symbol tells which it is.  It keeps views only: the texts passed to `intern` must outlive
/// it.  Not shared between threads.
namespace vyre::wgsl {

using Symbol = std::uint32_t;

/// The keywords of WGSL in the order of their symbols; `kw_const` spells "const".
enum class Keyword : Symbol {
#define WGSL_KEYWORD(name) kw_##name,
#include "wgsl/keywords.def"
#undef WGSL_KEYWORD
  count
};

class Names {
 public:
  Names();

  Symbol intern(std::string_view spelling);
  [[nodiscard]] std::string_view text(Symbol symbol) const { return texts_[symbol]; }
  [[nodiscard]] std::size_t size() const { return texts_.size(); }

  [[nodiscard]] static bool is_keyword(Symbol symbol) {
    return symbol < static_cast<Symbol>(Keyword::count);
  }
  [[nodiscard]] bool is_reserved(Symbol symbol) const {
    return !is_keyword(symbol) && symbol < first_free_;
  }

 private:
  std::unordered_map<std::string_view, Symbol> symbols_;
  std::vector<std::string_view> texts_;
  Symbol first_free_ = 0;
};

}  // namespace vyre::wgsl
