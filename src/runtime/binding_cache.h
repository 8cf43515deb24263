// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "runtime/driver.h"

/// Bindings that are used again: keyed by the blocks' serials, offsets and sizes.
///
/// An entry dies with any of its blocks (`forget`), or as the least recently used one of too many.
/// Not synchronised: the recorder's lock guards it.
namespace vyre {

class BindingCache {
 public:
  struct Stats {
    std::uint64_t hits = 0;
    std::uint64_t misses = 0;
  };

  /// The bindings of these ranges; shared, so that a running job keeps them.
  Result<std::shared_ptr<DriverBindings>> get(Driver& driver,
                                              DriverKernel& kernel,
                                              std::span<const BlockRange> ranges,
                                              Stats& stats);
  void forget(std::uint64_t serial);
  void clear() { entries_.clear(); }

 private:
  static constexpr std::size_t kMaxEntries = 256;
  struct Key {
    std::uint64_t serial;
    std::uint64_t offset;
    std::uint64_t size;
  };
  struct Entry {
    std::vector<Key> key;
    std::shared_ptr<DriverBindings> bindings;
    std::uint64_t last_used;
  };

  static bool matches(const Entry& entry, std::span<const BlockRange> ranges);
  void make_room();
  [[nodiscard]] Entry* find(std::span<const BlockRange> ranges);

  std::vector<Entry> entries_;
  std::size_t last_ = 0;  ///< the entry of the last hit: the same or the next one is likely
  std::uint64_t clock_ = 0;
};

}  // namespace vyre
