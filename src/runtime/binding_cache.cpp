// SPDX-License-Identifier: MIT OR Apache-2.0
#include "runtime/binding_cache.h"

#include <algorithm>

namespace vyre {

bool BindingCache::matches(const Entry& entry, std::span<const BlockRange> ranges) {
  return std::equal(entry.key.begin(), entry.key.end(), ranges.begin(), ranges.end(),
                    [](const Key& key, const BlockRange& range) {
                      return key.serial == range.block->serial() && key.offset == range.offset &&
                             key.size == range.size;
                    });
}

/// Looks from the last hit on: dispatches come in the same order again.
BindingCache::Entry* BindingCache::find(std::span<const BlockRange> ranges) {
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const std::size_t at = (last_ + i) % entries_.size();
    if (!matches(entries_[at], ranges)) continue;
    last_ = at;
    return &entries_[at];
  }
  return nullptr;
}

void BindingCache::make_room() {
  if (entries_.size() < kMaxEntries) return;
  const auto older = [](const Entry& a, const Entry& b) { return a.last_used < b.last_used; };
  entries_.erase(std::min_element(entries_.begin(), entries_.end(), older));
}

Result<std::shared_ptr<DriverBindings>> BindingCache::get(Driver& driver,
                                                          DriverKernel& kernel,
                                                          std::span<const BlockRange> ranges,
                                                          Stats& stats) {
  if (Entry* const entry = find(ranges)) {
    ++stats.hits;
    entry->last_used = ++clock_;
    return entry->bindings;
  }
  ++stats.misses;
  VYRE_TRY(std::shared_ptr<DriverBindings> made, driver.bind(kernel, ranges));
  make_room();
  Entry entry{{}, made, ++clock_};
  for (const BlockRange& range : ranges)
    entry.key.push_back({range.block->serial(), range.offset, range.size});
  entries_.push_back(std::move(entry));
  return made;
}

void BindingCache::forget(std::uint64_t serial) {
  std::erase_if(entries_, [&](const Entry& entry) {
    return std::any_of(entry.key.begin(), entry.key.end(),
                       [&](const Key& key) { return key.serial == serial; });
  });
}

}  // namespace vyre
