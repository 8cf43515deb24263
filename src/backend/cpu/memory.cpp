// SPDX-License-Identifier: MIT OR Apache-2.0
#include "backend/cpu/memory.h"

#include <bit>
#include <cstring>
#include <limits>

#include "backend/cpu/elements.h"
#include "base/check.h"
#include "base/half.h"

namespace vyre::cpu {
namespace {

/// Where each lane's element lies, as Offset bytes after `base`; only the lanes of `ok` have one.
template <typename Offset>
struct Where {
  std::byte* base = nullptr;
  Mask ok;
  Offset at[kStripLanes] = {};
};

View view_of(const StripMemory& strip, const AccessInfo& access) {
  if (access.space != Space::local) return strip.views[access.buffer];
  return {strip.local, strip.code.local_bytes * strip.code.strip_lanes, 0};
}

std::uint64_t bound_of(const View& view, const IndexLevel& level) {
  return level.count != 0 ? level.count : view.count;
}

/// The lanes of `ok` whose index, moved on by `extra` elements, is in bounds.
Mask in_bounds(const StripMemory& strip,
               const IndexLevel& level,
               std::uint64_t bound,
               std::uint32_t extra,
               const Mask& ok) {
  if (bound <= extra) return {};
  bound -= extra;
  if (bound > std::numeric_limits<Lane>::max()) return ok;
  return ok & below(strip.file + level.index, static_cast<Lane>(bound), strip.lanes);
}

/// Offsets within the buffer for component 0, and the lanes that pass all levels but the last of
/// consecutive elements, which `component` tests.
template <typename Offset>
void locate(const StripMemory& strip,
            const AccessInfo& access,
            const View& view,
            Where<Offset>& where) {
  where.base = view.base;
  where.ok = strip.active;
  for (std::uint32_t l = 0; l < access.levels; ++l) {
    const IndexLevel& level = strip.code.levels[access.first_level + l];
    const Lane* index = strip.file + level.index;
    const auto stride = static_cast<Offset>(level.stride);
    if (!access.consecutive || l + 1 != access.levels)
      where.ok = in_bounds(strip, level, bound_of(view, level), 0, where.ok);
    for (std::uint32_t i = 0; i < strip.lanes; ++i)
      where.at[i] = static_cast<Offset>(where.at[i] + static_cast<Offset>(index[i]) * stride);
  }
}

/// The place of one component.
template <typename Offset>
void component(const StripMemory& strip,
               const AccessInfo& access,
               const View& view,
               std::uint32_t which,
               const Where<Offset>& first,
               Where<Offset>& where) {
  where.ok = first.ok;
  if (access.consecutive) {
    const IndexLevel& level = strip.code.levels[access.first_level + access.levels - 1];
    where.ok = in_bounds(strip, level, bound_of(view, level), which, first.ok);
  }
  const std::uint64_t offset = access.offset + std::uint64_t{which} * access.step;
  if (access.space != Space::local) {
    where.base = first.base + offset;
    std::memcpy(where.at, first.at, strip.lanes * sizeof(Offset));
    return;
  }
  const auto start = static_cast<Offset>(offset);
  const auto row = static_cast<Offset>(strip.code.strip_lanes * 4);
  where.base = first.base;
  for (std::uint32_t i = 0; i < strip.lanes; ++i) {
    const auto at = static_cast<Offset>(first.at[i] + start);
    where.at[i] = static_cast<Offset>((at >> 2) * row + Offset{i} * 4 + (at & 3));
  }
}

template <typename E, typename Offset>
void gather(Lane* d, const Where<Offset>& where, const StripMemory& strip) {
  if (where.ok == Mask::first(strip.count)) {
    for (std::uint32_t i = 0; i < strip.count; ++i)
      d[i] = E::read(where.base + where.at[i]);
    return;
  }
  splat(d, 0, strip.lanes);
  where.ok.for_each([&](std::uint32_t i) { d[i] = E::read(where.base + where.at[i]); });
}

template <typename E, typename Offset>
void scatter(const Lane* a, const Where<Offset>& where, const StripMemory& strip) {
  if (where.ok == Mask::first(strip.count)) {
    for (std::uint32_t i = 0; i < strip.count; ++i)
      E::write(where.base + where.at[i], a[i]);
    return;
  }
  where.ok.for_each([&](std::uint32_t i) { E::write(where.base + where.at[i], a[i]); });
}

/// The first byte that a strip accesses if its lanes are all active and take one element each, one
/// after the other; else null.
template <typename E>
std::byte* consecutive_lanes(const StripMemory& strip, const AccessInfo& access, const View& view) {
  if (access.levels != 1 || access.components != 1 || access.space == Space::local) return nullptr;
  const IndexLevel& level = strip.code.levels[access.first_level];
  const Lane* index = strip.file + level.index;
  if (level.stride != E::kBytes || strip.active != Mask::first(strip.count)) return nullptr;
  if (index[0] + std::uint64_t{strip.count} > bound_of(view, level)) return nullptr;
  if (index[0] > std::numeric_limits<Lane>::max() - strip.count) return nullptr;
  if (!counts_up(index, strip.count)) return nullptr;
  return view.base + access.offset + std::uint64_t{index[0]} * level.stride;
}

template <typename E, typename Offset>
void load_as(const StripMemory& strip, const AccessInfo& access, const View& view) {
  Where<Offset> first;
  Where<Offset> where;
  locate(strip, access, view, first);
  for (std::uint32_t c = 0; c < access.components; ++c) {
    component(strip, access, view, c, first, where);
    gather<E>(strip.file + access.data[c], where, strip);
  }
}

template <typename E, typename Offset>
void store_as(const StripMemory& strip, const AccessInfo& access, const View& view) {
  Where<Offset> first;
  Where<Offset> where;
  locate(strip, access, view, first);
  for (std::uint32_t c = 0; c < access.components; ++c) {
    component(strip, access, view, c, first, where);
    scatter<E>(strip.file + access.data[c], where, strip);
  }
}

bool is_small(const View& view) {
  return view.bytes <= std::numeric_limits<std::uint32_t>::max();
}

}  // namespace

void load(const StripMemory& strip, const AccessInfo& access) {
  with_element(access.scalar, [&]<typename E>(E) {
    const View view = view_of(strip, access);
    if (const std::byte* from = consecutive_lanes<E>(strip, access, view)) {
      Lane* d = strip.file + access.data[0];
      for (std::uint32_t i = 0; i < strip.count; ++i)
        d[i] = E::read(from + i * E::kBytes);
    } else if (is_small(view)) {
      load_as<E, std::uint32_t>(strip, access, view);
    } else {
      load_as<E, std::uint64_t>(strip, access, view);
    }
  });
}

void uniform_load(const StripMemory& strip, const AccessInfo& access) {
  if (strip.active.none()) return;
  StripMemory one = strip;
  const std::uint32_t lane = strip.active.lowest();
  one.active = {};
  one.active.word[lane / 64] = std::uint64_t{1} << lane % 64;
  load(one, access);
  for (std::uint32_t c = 0; c < access.components; ++c) {
    Lane* d = strip.file + access.data[c];
    splat(d, d[lane], strip.lanes);
  }
}

void store(const StripMemory& strip, const AccessInfo& access) {
  with_element(access.scalar, [&]<typename E>(E) {
    const View view = view_of(strip, access);
    if (std::byte* to = consecutive_lanes<E>(strip, access, view)) {
      const Lane* a = strip.file + access.data[0];
      for (std::uint32_t i = 0; i < strip.count; ++i)
        E::write(to + i * E::kBytes, a[i]);
    } else if (is_small(view)) {
      store_as<E, std::uint32_t>(strip, access, view);
    } else {
      store_as<E, std::uint64_t>(strip, access, view);
    }
  });
}

void atomic(const StripMemory& strip, const AccessInfo& access) {
  const View view = view_of(strip, access);
  Where<std::uint64_t> first;
  Where<std::uint64_t> where;
  locate(strip, access, view, first);
  component(strip, access, view, 0, first, where);
  Lane* d = strip.file + access.data[0];
  splat(d, 0, strip.lanes);
  const Lane* value = strip.file + access.value;
  const Lane* comparand = strip.file + access.comparand;
  const bool is_signed = access.scalar == ScalarType::i32;
  const bool shared = strip.concurrent && access.space == Space::storage;
  where.ok.for_each([&](std::uint32_t i) {
    auto* word = reinterpret_cast<Lane*>(where.base + where.at[i]);
    d[i] = shared ? shared_update(*word, access.op, value[i], comparand[i], is_signed)
                  : plain_update(*word, access.op, value[i], comparand[i], is_signed);
  });
}

}  // namespace vyre::cpu
