// SPDX-License-Identifier: MIT OR Apache-2.0
#include "vyre/diagnostic.h"

#include <algorithm>
#include <iterator>
#include <tuple>

#include "base/check.h"
#include "base/guarded.h"
#include "base/kebab_name.h"
#include "base/render.h"

namespace vyre {
namespace {

#define DIAGNOSTIC(name, ...) constexpr KebabName kName_##name(#name);
#include "vyre/diagnostics.def"

constexpr CodeInfo kCodes[] = {
#define DIAGNOSTIC(id, ...) {.name = kName_##id.view(), __VA_ARGS__},
#include "vyre/diagnostics.def"
};

const std::vector<Source> kNoSources;

}  // namespace

const CodeInfo& info(Code code) {
  const auto index = static_cast<std::size_t>(code);
  VYRE_CHECK(index < std::size(kCodes));
  return kCodes[index];
}

std::span<const CodeInfo> all_codes() {
  return kCodes;
}

Diagnostic& Diagnostics::error(Code code, Place place, std::string message) {
  return list_.emplace_back(
      Diagnostic{.code = code, .place = place, .message = std::move(message)});
}

bool Diagnostics::has_errors() const {
  return std::any_of(list_.begin(), list_.end(),
                     [](const Diagnostic& d) { return d.severity == Severity::error; });
}

void Diagnostics::append(Diagnostics&& other) {
  if (sources_ == nullptr) sources_ = other.sources_;
  list_.insert(list_.end(), std::make_move_iterator(other.list_.begin()),
               std::make_move_iterator(other.list_.end()));
  other.list_.clear();
}

void Diagnostics::sort_by_place() {
  const auto key = [](const Place& p) { return std::tuple(p.file, p.line, p.column); };
  std::stable_sort(list_.begin(), list_.end(), [&](const Diagnostic& a, const Diagnostic& b) {
    return key(a.place) < key(b.place);
  });
}

void Diagnostics::set_sources(std::shared_ptr<const std::vector<Source>> sources) {
  sources_ = std::move(sources);
}

const std::vector<Source>& Diagnostics::sources() const {
  return sources_ != nullptr ? *sources_ : kNoSources;
}

std::string Diagnostics::to_string() const {
  return guarded([&] { return render(*this); }, [] { return std::string(kNoMemoryText); });
}

}  // namespace vyre
