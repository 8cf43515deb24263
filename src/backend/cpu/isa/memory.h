// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "backend/cpu/elements.h"
#include "backend/cpu/isa/blocks.h"
#include "backend/cpu/isa/lanes.h"
#include "backend/cpu/memory.h"

/// Loads, stores and atomics of one strip.  Each index is tested against its own level; lanes out
/// of bounds read zero and write nothing.  Words in buffers of usual size go block by block
/// (isa/blocks.h), everything else lane by lane.
/// Compiled once per instruction set, in a namespace of its own: only isa/*.cpp include this.
namespace vyre::cpu::VYRE_CPU_ISA {

/// The index in all lanes: its register, or `words`.
inline const Lane* index_lanes(const StripMemory& strip, const IndexLevel& level, Lane* words) {
  const Index index(strip, level);
  if (index.is_register()) return strip.file + level.index;
  for (std::uint32_t at = 0; at < strip.lanes; at += kLaneStep)
    write(words + at, index.block(at));
  return words;
}

/// Where each lane's element lies, as Offset bytes after `base`; only the lanes of `ok` have one.
template <typename Offset>
struct Where {
  std::byte* base = nullptr;
  Mask ok;
  Offset at[kStripLanes];
};

/// The lanes of `ok` whose index, moved on by `extra` elements, is in bounds.
inline Mask in_bounds(const StripMemory& strip,
                      const IndexLevel& level,
                      std::uint64_t bound,
                      std::uint32_t extra,
                      const Mask& ok) {
  if (bound <= extra) return {};
  bound -= extra;
  if (bound > std::numeric_limits<Lane>::max()) return ok;
  alignas(64) Lane words[kStripLanes];
  return ok & below(index_lanes(strip, level, words), static_cast<Lane>(bound), strip.lanes);
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
  const std::uint32_t lanes = strip.lanes;
  std::fill_n(where.at, lanes, Offset{0});
  for (std::uint32_t l = 0; l < access.levels; ++l) {
    const IndexLevel& level = strip.code.levels[access.first_level + l];
    alignas(64) Lane words[kStripLanes];
    const Lane* index = index_lanes(strip, level, words);
    const auto stride = static_cast<Offset>(level.stride);
    if (!access.consecutive || l + 1 != access.levels)
      where.ok = in_bounds(strip, level, bound_of(view, level), 0, where.ok);
#pragma GCC ivdep
    for (std::uint32_t i = 0; i < lanes; ++i)
      where.at[i] = static_cast<Offset>(where.at[i] + static_cast<Offset>(index[i]) * stride);
  }
}

/// The lanes that may access component `which`.
inline Mask component_lanes(const StripMemory& strip,
                            const AccessInfo& access,
                            const View& view,
                            std::uint32_t which,
                            const Mask& ok) {
  if (!access.consecutive) return ok;
  const IndexLevel& level = strip.code.levels[access.first_level + access.levels - 1];
  return in_bounds(strip, level, bound_of(view, level), which, ok);
}

/// The place of one component.
template <typename Offset>
void component(const StripMemory& strip,
               const AccessInfo& access,
               const View& view,
               std::uint32_t which,
               const Where<Offset>& first,
               Where<Offset>& where) {
  where.ok = component_lanes(strip, access, view, which, first.ok);
  const std::uint64_t offset = access.offset + std::uint64_t{which} * access.step;
  const std::uint32_t lanes = strip.lanes;
  if (access.space != Space::local) {
    where.base = first.base + offset;
    std::memcpy(where.at, first.at, lanes * sizeof(Offset));
    return;
  }
  const auto start = static_cast<Offset>(offset);
  const auto row = static_cast<Offset>(strip.code.strip_lanes * 4);
  where.base = first.base;
#pragma GCC ivdep
  for (std::uint32_t i = 0; i < lanes; ++i) {
    const auto at = static_cast<Offset>(first.at[i] + start);
    where.at[i] = static_cast<Offset>((at >> 2) * row + Offset{i} * 4 + (at & 3));
  }
}

// The loops below read and write memory through locals only, so that no store can change them.

/// d = the elements at base + place(lane); zero for lanes that are not in `ok`.
template <typename E, typename Place>
void gather(Lane* d, const std::byte* base, const Mask& ok, std::uint32_t count, Place place) {
  if (ok == Mask::first(count)) {
#pragma GCC ivdep
    for (std::uint32_t i = 0; i < count; ++i)
      d[i] = E::read(base + place(i));
    return;
  }
  splat(d, 0, (count + kLaneStep - 1) / kLaneStep * kLaneStep);
  ok.for_each([=](std::uint32_t i) { d[i] = E::read(base + place(i)); });
}

template <typename E, typename Place>
void scatter(const Lane* a, std::byte* base, const Mask& ok, std::uint32_t count, Place place) {
  if (ok == Mask::first(count)) {
    for (std::uint32_t i = 0; i < count; ++i)
      E::write(base + place(i), a[i]);
    return;
  }
  ok.for_each([=](std::uint32_t i) { E::write(base + place(i), a[i]); });
}

template <typename E>
void read_elements(Lane* d, const std::byte* from, std::uint32_t count) {
#pragma GCC ivdep
  for (std::uint32_t i = 0; i < count; ++i)
    d[i] = E::read(from + i * E::kBytes);
}

template <typename E>
void write_elements(std::byte* to, const Lane* a, std::uint32_t count) {
#pragma GCC ivdep
  for (std::uint32_t i = 0; i < count; ++i)
    E::write(to + i * E::kBytes, a[i]);
}

/// The first byte that a strip accesses if its lanes are all active and take one element each, one
/// after the other; else null.
template <typename E>
std::byte* consecutive_lanes(const StripMemory& strip, const AccessInfo& access, const View& view) {
  if (access.levels != 1 || access.components != 1 || access.space == Space::local) return nullptr;
  const IndexLevel& level = strip.code.levels[access.first_level];
  alignas(64) Lane words[kStripLanes];
  const Lane* index = index_lanes(strip, level, words);
  if (level.stride != E::kBytes || strip.active != Mask::first(strip.count)) return nullptr;
  if (index[0] + std::uint64_t{strip.count} > bound_of(view, level)) return nullptr;
  if (index[0] > std::numeric_limits<Lane>::max() - strip.count) return nullptr;
  if (!counts_up(index, strip.count)) return nullptr;
  return view.base + access.offset + std::uint64_t{index[0]} * level.stride;
}

/// Calls `each(component, base, ok, place)` for accesses through one index of plain memory.
template <typename E, typename F>
void each_indexed(const StripMemory& strip, const AccessInfo& access, const View& view, F&& each) {
  const IndexLevel& level = strip.code.levels[access.first_level];
  alignas(64) Lane words[kStripLanes];
  const Lane* index = index_lanes(strip, level, words);
  const std::uint64_t stride = level.stride;
  Mask ok = strip.active;
  if (!access.consecutive) ok = in_bounds(strip, level, bound_of(view, level), 0, ok);
  for (std::uint32_t c = 0; c < access.components; ++c) {
    const Mask here = component_lanes(strip, access, view, c, ok);
    std::byte* const base = view.base + access.offset + std::uint64_t{c} * access.step;
    if (stride == E::kBytes)
      each(c, base, here, [=](std::uint32_t i) { return std::size_t{index[i]} * E::kBytes; });
    else
      each(c, base, here, [=](std::uint32_t i) { return std::size_t{index[i]} * stride; });
  }
}

/// The same through any number of indices, in any memory.
template <typename Offset, typename F>
void each_located(const StripMemory& strip, const AccessInfo& access, const View& view, F&& each) {
  Where<Offset> first;
  Where<Offset> where;
  locate(strip, access, view, first);
  for (std::uint32_t c = 0; c < access.components; ++c) {
    component(strip, access, view, c, first, where);
    const Offset* at = where.at;
    each(c, where.base, where.ok, [=](std::uint32_t i) { return std::size_t{at[i]}; });
  }
}

inline bool is_small(const View& view) {
  return view.bytes <= std::numeric_limits<std::uint32_t>::max();
}

template <typename E, typename F>
void each_place(const StripMemory& strip, const AccessInfo& access, const View& view, F&& each) {
  if (access.levels == 1 && access.space != Space::local)
    each_indexed<E>(strip, access, view, each);
  else if (is_small(view))
    each_located<std::uint32_t>(strip, access, view, each);
  else
    each_located<std::uint64_t>(strip, access, view, each);
}

template <typename E>
void load_elements(const StripMemory& strip, const AccessInfo& access, const View& view) {
  if (const std::byte* from = consecutive_lanes<E>(strip, access, view))
    return read_elements<E>(strip.file + access.data[0], from, strip.count);
  each_place<E>(strip, access, view,
                [&](std::uint32_t c, std::byte* base, const Mask& ok, auto place) {
                  gather<E>(strip.file + access.data[c], base, ok, strip.count, place);
                });
}

template <typename E>
void store_elements(const StripMemory& strip, const AccessInfo& access, const View& view) {
  if (std::byte* to = consecutive_lanes<E>(strip, access, view))
    return write_elements<E>(to, strip.file + access.data[0], strip.count);
  each_place<E>(strip, access, view,
                [&](std::uint32_t c, std::byte* base, const Mask& ok, auto place) {
                  scatter<E>(strip.file + access.data[c], base, ok, strip.count, place);
                });
}

inline void load(const StripMemory& strip, const AccessInfo& access) {
  const View view = view_of(strip, access);
  if (goes_by_blocks(access, view)) return load_blocks(strip, access, view);
  with_element(access.scalar, [&]<typename E>(E) { load_elements<E>(strip, access, view); });
}

inline void store(const StripMemory& strip, const AccessInfo& access) {
  const View view = view_of(strip, access);
  if (goes_by_blocks(access, view)) return store_blocks(strip, access, view);
  with_element(access.scalar, [&]<typename E>(E) { store_elements<E>(strip, access, view); });
}

/// A load of words through seeds.
inline void load_seed_words(const StripMemory& strip, const AccessInfo& access, const View& view) {
  const IndexLevel* const levels = strip.code.levels.data() + access.first_level;
  const std::uint32_t tested = access.levels - (access.consecutive ? 1 : 0);
  std::uint64_t offset = access.offset;
  bool ok = true;
  Lane index = 0;
  for (std::uint32_t l = 0; l < access.levels; ++l) {
    index = strip.file[levels[l].index];
    if (l < tested) ok &= index < bound_of(view, levels[l]);
    offset += std::uint64_t{index} * levels[l].stride;
  }
  for (std::uint32_t c = 0; c < access.components; ++c) {
    Lane word = 0;
    if (ok && (!access.consecutive || std::uint64_t{index} + c < bound_of(view, levels[tested])))
      std::memcpy(&word, view.base + offset + std::uint64_t{c} * access.step, sizeof word);
    splat(strip.file + access.data[c], word, kLaneStep);
  }
}

/// One load for all lanes.
inline void load_seed(const StripMemory& strip, const AccessInfo& access) {
  if (access.is_word) return load_seed_words(strip, access, view_of(strip, access));
  const Mask only = Mask::first(1);
  const StripMemory one{strip.code, strip.views, strip.local, strip.file,       only,
                        1,          kLaneStep,   true,        strip.concurrent, strip.last};
  load(one, access);
  for (std::uint32_t c = 0; c < access.components; ++c) {
    Lane* const d = strip.file + access.data[c];
    splat(d, d[0], kLaneStep);
  }
}

inline void atomic_elements(const StripMemory& strip, const AccessInfo& access, const View& view) {
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

inline void wide_atomic_elements(const StripMemory& strip,
                                 const AccessInfo& access,
                                 const View& view) {
  Where<std::uint64_t> first;
  Where<std::uint64_t> where;
  locate(strip, access, view, first);
  component(strip, access, view, 0, first, where);
  Lane* const d = strip.file + access.data[0];
  splat(d, 0, strip.lanes);
  splat(d + kHighWords, 0, strip.lanes);
  const auto operand = [&](Reg reg, std::uint32_t i) {
    const Lane* const at = strip.file + reg + i;
    return std::uint64_t{at[kHighWords]} << 32 | *at;
  };
  const bool is_signed = access.scalar == ScalarType::i64;
  const bool shared = strip.concurrent && access.space == Space::storage;
  where.ok.for_each([&](std::uint32_t i) {
    auto& word = *reinterpret_cast<std::uint64_t*>(where.base + where.at[i]);
    const std::uint64_t value = operand(access.value, i);
    const std::uint64_t comparand = operand(access.comparand, i);
    const std::uint64_t old = shared ? shared_update(word, access.op, value, comparand, is_signed)
                                     : plain_update(word, access.op, value, comparand, is_signed);
    d[i] = static_cast<Lane>(old);
    d[i + kHighWords] = static_cast<Lane>(old >> 32);
  });
}

inline void atomic(const StripMemory& strip, const AccessInfo& access) {
  const View view = view_of(strip, access);
  if (is_wide(access.scalar)) return wide_atomic_elements(strip, access, view);
  if (goes_by_blocks(access, view)) return atomic_blocks(strip, access, view);
  atomic_elements(strip, access, view);
}

}  // namespace vyre::cpu::VYRE_CPU_ISA
