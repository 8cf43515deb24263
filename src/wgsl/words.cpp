// SPDX-License-Identifier: MIT OR Apache-2.0
#include "wgsl/words.h"

#include "wgsl/builtins.h"
#include "wgsl/predeclared.h"

namespace vyre::wgsl {
namespace {

constexpr std::string_view kKeywords[] = {
#define WGSL_KEYWORD(name) #name,
#include "wgsl/keywords.def"
#undef WGSL_KEYWORD
};

constexpr std::string_view kReserved[] = {
#define WGSL_RESERVED(name) #name,
#include "wgsl/reserved.def"
#undef WGSL_RESERVED
};

}  // namespace

std::span<const std::string_view> keywords() {
  return kKeywords;
}

std::span<const std::string_view> reserved_words() {
  return kReserved;
}

std::vector<std::string_view> predeclared_words() {
  std::vector<std::string_view> words;
  for (const Predeclare& row : predeclared_names())
    words.push_back(row.name);
  for (const Builtin& row : all_builtins())
    if (words.empty() || words.back() != row.name) words.push_back(row.name);
  return words;
}

}  // namespace vyre::wgsl
