// SPDX-License-Identifier: MIT OR Apache-2.0
#include "runtime/placement.h"

namespace vyre {
namespace {

bool read_only(const Slot& slot) {
  return slot.space == Space::uniform || slot.access == Access::input;
}

bool can_borrow(const PlacementQuery& query) {
  const auto address = reinterpret_cast<std::uintptr_t>(query.binding.supplied.data());
  return query.traits.borrows_inputs && query.waits &&
         query.binding.supplied.size() == query.binding.size &&
         query.binding.size >= query.slot.minimum && address % 16 == 0;
}

/// Shorter memory is copied, for the zeros that follow.
bool can_bind_staged(const PlacementQuery& query) {
  return query.binding.staged != nullptr && query.traits.bound_uploads && read_only(query.slot) &&
         query.binding.supplied.size() == query.binding.size;
}

}  // namespace

Location choose_place(const PlacementQuery& query) {
  if (query.binding.size == 0)  // though one element may be larger than the shared zeros
    return query.slot.minimum <= kZeroBytes ? Location::nothing : Location::device;
  if (query.binding.resident != nullptr) return Location::resident;
  if (can_bind_staged(query)) return Location::staged;
  const bool staged = query.wanted == Placement::staged;
  if (read_only(query.slot)) {
    if (!staged && can_borrow(query)) return Location::borrowed;
    return query.traits.bound_uploads && !staged ? Location::uploaded : Location::device;
  }
  if (query.traits.unified) return Location::shared;
  const bool worth = query.covered || query.wanted == Placement::mapped;
  const bool output = query.slot.access == Access::output || query.binding.supplied.empty();
  return query.traits.bound_readbacks && !staged && worth && output && query.binding.comes_back
             ? Location::downloaded
             : Location::device;
}

}  // namespace vyre
