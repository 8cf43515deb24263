// SPDX-License-Identifier: MIT OR Apache-2.0
#include "wgsl/names.h"

#include "wgsl/words.h"

namespace vyre::wgsl {

Names::Names() {
  symbols_.reserve(1024);
  for (const std::string_view word : keywords())
    intern(word);
  for (const std::string_view word : reserved_words())
    intern(word);
  first_free_ = static_cast<Symbol>(texts_.size());
}

Symbol Names::intern(std::string_view spelling) {
  const auto [entry, added] = symbols_.try_emplace(spelling, static_cast<Symbol>(texts_.size()));
  if (added) texts_.push_back(spelling);
  return entry->second;
}

}  // namespace vyre::wgsl
