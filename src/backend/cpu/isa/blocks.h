// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <limits>
#include <utility>

#include "backend/cpu/elements.h"
#include "backend/cpu/isa/lanes.h"
#include "backend/cpu/memory.h"

/// Accesses to 32-bit elements, sixteen lanes at a time.  Lanes that lie side by side, or all at
/// one place, are found as they run: those need one plain access.
/// Compiled once per instruction set, in a namespace of its own: only isa/*.cpp include this.
namespace vyre::cpu::VYRE_CPU_ISA {

VYRE_INLINE View view_of(const StripMemory& strip, const AccessInfo& access) {
  if (access.space != Space::local) return strip.views[access.buffer];
  return {strip.local, strip.code.local_bytes * strip.code.strip_lanes, 0};
}

VYRE_INLINE std::uint64_t bound_of(const View& view, const IndexLevel& level) {
  return level.count != 0 ? level.count : view.count;
}

/// True if offsets fit in a positive `int`, as gathers take them, and elements are plain words.
VYRE_INLINE bool goes_by_blocks(const AccessInfo& access, const View& view) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int32_t>::max();
  return access.is_word && view.bytes <= kMost;
}

/// An index in the lanes: a register to which something may be added, or what follows from a seed.
/// The words that it keeps are those of the time when it was made.
class Index {
 public:
  Index(const StripMemory& strip, const IndexLevel& level)
      : words_(strip.file + level.index),
        plus_(strip.file[level.plus]),
        step_(static_cast<Lane>(level.step)),
        is_seed_(level.is_seed) {}

  /// True for a register as it is.
  VYRE_INLINE bool is_register() const { return !is_seed_ && plus_ == 0; }
  VYRE_INLINE Block block(std::uint32_t at) const {
    if (is_register()) return read(words_ + at);
    return is_seed_ ? read(words_) + step_ * at : read(words_ + at) + plus_;
  }
  VYRE_INLINE Lane lane(std::uint32_t at) const {
    return is_seed_ ? words_[0] + step_ * at : words_[at] + plus_;
  }

 private:
  const Lane* words_;
  Lane plus_;
  Lane step_;
  bool is_seed_;
};

/// Where the elements of a block lie: `offset` bytes after `base`, for the lanes of `ok`.
struct Places {
  std::byte* base = nullptr;
  Block offset;
  Bits ok = 0;
};

/// Calls `f(component, first lane, places)` for each block with an active lane.
template <typename F>
VYRE_INLINE void each_block(const StripMemory& strip,
                            const AccessInfo& access,
                            const View& view,
                            std::uint32_t components,
                            F&& f) {
  const IndexLevel* const levels = strip.code.levels.data() + access.first_level;
  const std::uint32_t tested = access.levels - (access.consecutive ? 1 : 0);
  const bool local = access.space == Space::local;
  const std::uint32_t row = local ? strip.code.strip_lanes : 1;
  for (std::uint32_t at = 0; at < strip.lanes; at += kLaneStep) {
    const Bits active = bits_at(strip.active, at);
    if (active == 0) continue;
    Places places{.base = view.base, .offset = zeros(), .ok = active};
    Block index = zeros();
    for (std::uint32_t l = 0; l < access.levels; ++l) {
      const IndexLevel& level = levels[l];
      index = Index(strip, level).block(at);
      if (l < tested) places.ok &= less(index, all(static_cast<Lane>(bound_of(view, level))));
      places.offset += index * (level.stride * row);
    }
    if (local) places.offset += (iota() + at) * static_cast<Lane>(sizeof(Lane));
    const Bits ok = places.ok;
    for (std::uint32_t c = 0; c < components; ++c) {
      places.base = view.base + (access.offset + std::uint64_t{c} * access.step) * row;
      if (access.consecutive) {
        const std::uint64_t bound = bound_of(view, levels[tested]);
        places.ok = ok & less(index, all(bound > c ? static_cast<Lane>(bound - c) : 0));
      }
      f(c, at, places);
    }
  }
}

VYRE_INLINE std::byte* first_place(const Places& places) {
  return places.base + static_cast<std::int32_t>(places.offset[0]);
}
/// True if the lanes of `ok` lie side by side: lane i at `first_place` + 4 i.
VYRE_INLINE bool is_run(const Places& places) {
  const Block run = all(places.offset[0]) + iota() * static_cast<Lane>(sizeof(Lane));
  return (equal(places.offset, run) & places.ok) == places.ok;
}
VYRE_INLINE bool is_one_place(const Places& places) {
  return (equal(places.offset, all(places.offset[0])) & places.ok) == places.ok;
}

VYRE_INLINE Block load_block(const Places& places, std::ptrdiff_t ahead = 0) {
  if (places.ok == 0) return zeros();
  if (is_run(places)) {
    if (ahead != 0) __builtin_prefetch(first_place(places) + ahead);
    return read_run(first_place(places), places.ok);
  }
  if (!is_one_place(places)) return gather(places.base, places.offset, places.ok);
  Lane word;
  std::memcpy(&word, first_place(places), sizeof word);
  return select(places.ok, all(word), zeros());
}

VYRE_INLINE void store_block(const Places& places, const Block& block) {
  if (places.ok == 0) return;
  if (is_run(places))
    write_run(first_place(places), block, places.ok);
  else
    scatter(places.base, places.offset, block, places.ok);
}

/// True for one element a lane through one index.
VYRE_INLINE bool has_one_index(const AccessInfo& access) {
  return access.levels == 1 && access.components == 1 && !access.consecutive;
}
/// True for the same place in every lane.
VYRE_INLINE bool is_fixed(const AccessInfo& access) {
  return access.levels == 0 && access.space != Space::local;
}

/// How far an access has moved since the last time.  Loops that step over the grid move in strides
/// that no processor foresees, so loads ask for what comes next.
VYRE_INLINE std::ptrdiff_t step_of(const StripMemory& strip,
                                   const AccessInfo& access,
                                   const std::byte* base) {
  const IndexLevel level = strip.code.levels[access.first_level];
  const std::byte* const now = base + std::uint64_t{Index(strip, level).lane(0)} * level.stride;
  const std::byte*& last = strip.last[&access - strip.code.accesses.data()];
  const std::ptrdiff_t step = now - std::exchange(last, now);
  constexpr std::ptrdiff_t kFar = std::ptrdiff_t{1} << 26;
  return step > -kFar && step < kFar ? step : 0;
}

/// As `each_block` for those, with everything that stores could change held in locals.
template <typename F>
VYRE_INLINE void each_plain(const StripMemory& strip,
                            const AccessInfo& access,
                            const View& view,
                            F&& f) {
  const IndexLevel level = strip.code.levels[access.first_level];
  alignas(64) Lane words[kStripLanes];  // of a seed
  if (level.is_seed)
    expand(words, strip.file + level.index, static_cast<Lane>(level.step), 0, strip.lanes);
  const Lane* const index = level.is_seed ? words : strip.file + level.index;
  const Block plus = all(strip.file[level.plus]);
  const Block bound = all(static_cast<Lane>(bound_of(view, level)));
  const Mask active = strip.active;
  const std::uint32_t lanes = strip.lanes;
  const bool local = access.space == Space::local;
  const std::uint32_t row = local ? strip.code.strip_lanes : 1;
  std::byte* const base = view.base + access.offset * row;
  const auto each = [&](auto&& offset) {
    for (std::uint32_t at = 0; at < lanes; at += kLaneStep) {
      const Bits here = bits_at(active, at);
      if (here == 0) continue;
      const Block block = read(index + at) + plus;
      f(at, Places{.base = base, .offset = offset(block, at), .ok = here & less(block, bound)});
    }
  };
  const std::uint32_t stride = level.stride * row;
  if (local)
    each([stride](const Block& block, Lane at) {
      return block * stride + (iota() + at) * static_cast<Lane>(sizeof(Lane));
    });
  else if (stride == sizeof(Lane))
    each([](const Block& block, Lane) { return block << 2; });
  else
    each([stride](const Block& block, Lane) { return block * stride; });
}

/// True if all lanes are active and there are no others.
VYRE_INLINE bool is_full(const StripMemory& strip) {
  return strip.count == strip.lanes && strip.active == Mask::first(strip.lanes);
}
/// True if a[i] = a[0] + i in all lanes.
VYRE_INLINE bool is_line(const Lane* a, std::uint32_t lanes) {
  if (a[lanes - 1] != a[0] + lanes - 1) return false;
  Block wrong = zeros();
  Block expected = iota() + a[0];
  for (std::uint32_t at = 0; at < lanes; at += kLaneStep, expected += Lane{kLaneStep})
    wrong |= read(a + at) ^ expected;
  return equal(wrong, zeros()) == kAllBits;
}

/// Where the strip begins if all its lanes are active, in bounds and side by side; else null.
VYRE_INLINE std::byte* whole_run(const StripMemory& strip,
                                 const AccessInfo& access,
                                 const View& view) {
  const IndexLevel level = strip.code.levels[access.first_level];
  const std::uint32_t lanes = strip.lanes;
  if (level.stride != sizeof(Lane) || access.space == Space::local || !is_full(strip))
    return nullptr;
  const Lane first = Index(strip, level).lane(0);
  if (std::uint64_t{first} + lanes > bound_of(view, level)) return nullptr;
  const bool known = access.shape.holds(strip.is_line);
  if (known ? access.shape.step != 1 : !is_line(strip.file + level.index, lanes)) return nullptr;
  return view.base + access.offset + std::uint64_t{first} * sizeof(Lane);
}

/// The elements of lanes whose index is known to move by one step from lane to lane, all of them in
/// bounds: the active lane i has its element at base + i × distance bytes.
struct Row {
  std::byte* base = nullptr;  ///< null if it is not so
  std::ptrdiff_t distance = 0;
};

VYRE_INLINE Row row_of(const StripMemory& strip, const AccessInfo& access, const View& view) {
  if (!access.shape.holds(strip.is_line) || access.shape.step <= 0 ||
      access.space == Space::local || strip.active.none())
    return {};
  const IndexLevel level = strip.code.levels[access.first_level];
  const Index index(strip, level);
  const std::uint32_t low = strip.active.lowest();
  const Lane first = index.lane(low);
  const Lane last = index.lane(strip.active.highest());
  if (last < first || last >= bound_of(view, level)) return {};
  const std::ptrdiff_t distance = std::ptrdiff_t{access.shape.step} * level.stride;
  std::byte* const at = view.base + access.offset + std::uint64_t{first} * level.stride;
  return {at - static_cast<std::ptrdiff_t>(low) * distance, distance};
}

/// A block of lanes at distances of `kWords` words.  `is_last`: nothing may be read beyond it.
template <std::ptrdiff_t kWords>
VYRE_INLINE Block read_apart(const std::byte* from, [[maybe_unused]] bool is_last) {
  if constexpr (kWords == 2 || kWords == 4) {
    constexpr auto kSize = static_cast<std::ptrdiff_t>(sizeof(Block));
    constexpr Bits kRest = (Bits{2} << (kLaneStep - kWords)) - 1;
    const std::byte* const end = from + (kWords - 1) * kSize;
    const Block last = is_last ? read_run(end, kRest) : read(end);
    if constexpr (kWords == 2) return even_lanes(read(from), last);
    const Block low = even_lanes(read(from), read(from + kSize));
    return even_lanes(low, even_lanes(read(from + 2 * kSize), last));
  }
  alignas(64) Lane words[kLaneStep];
  for (std::uint32_t i = 0; i < kLaneStep; ++i)
    std::memcpy(words + i, from + std::ptrdiff_t{i} * kWords * 4, sizeof(Lane));
  return read(words);
}

/// Asks for one of the lines of a block `ahead`: another one for each neighbour that an element may
/// have, so that accesses to neighbours together ask for all of them.
template <std::ptrdiff_t kWords, int kForWriting>
VYRE_INLINE void foresee_apart(const std::byte* block, std::ptrdiff_t ahead) {
  constexpr std::ptrdiff_t kLine = 64;
  const auto word = static_cast<std::ptrdiff_t>(reinterpret_cast<std::uintptr_t>(block) / 4);
  __builtin_prefetch(block + ahead + word % kWords * kLine, kForWriting);
}
template <std::ptrdiff_t kWords>
VYRE_INLINE void load_apart(Lane* d,
                            const std::byte* from,
                            std::uint32_t lanes,
                            std::ptrdiff_t ahead) {
  for (std::uint32_t at = 0; at < lanes; at += kLaneStep) {
    const std::byte* const block = from + std::ptrdiff_t{at} * kWords * 4;
    if (ahead != 0) foresee_apart<kWords, 0>(block, ahead);
    write(d + at, read_apart<kWords>(block, at + kLaneStep == lanes));
  }
}
template <std::ptrdiff_t kWords>
VYRE_INLINE void store_apart(std::byte* to,
                             const Lane* a,
                             std::uint32_t lanes,
                             std::ptrdiff_t ahead) {
  for (std::uint32_t at = 0; at < lanes; at += kLaneStep) {
    std::byte* const block = to + std::ptrdiff_t{at} * kWords * 4;
    if (ahead != 0) foresee_apart<kWords, 1>(block, ahead);
#if defined(__AVX512BW__)
    write_apart<kWords>(block, read(a + at));
#else
    for (std::uint32_t i = 0; i < kLaneStep; ++i)
      std::memcpy(block + std::ptrdiff_t{i} * kWords * 4, a + at + i, sizeof(Lane));
#endif
  }
}

/// Calls `f(block, lanes at work, where the block begins)` for the active blocks of a row.
template <typename F>
VYRE_INLINE void each_in_row(const StripMemory& strip, const Row& row, F&& f) {
  constexpr std::uint32_t kWordLanes = 64;
  for (std::uint32_t first = 0; first < strip.lanes; first += kWordLanes) {
    std::uint64_t word = strip.active.word[first / kWordLanes];
    for (std::uint32_t at = first; word != 0; at += kLaneStep, word >>= kLaneStep)
      if (const Bits here = static_cast<Bits>(word) & kAllBits; here != 0)
        f(at, here, row.base + std::ptrdiff_t{at} * row.distance);
  }
}

/// False if the row is not one of those that are worth it.
VYRE_INLINE bool load_row(const StripMemory& strip, const Row& row, Lane* d, std::ptrdiff_t ahead) {
  if (row.distance == sizeof(Lane)) {
    each_in_row(strip, row, [d](std::uint32_t at, Bits here, const std::byte* from) {
      write(d + at, read_run(from, here));
    });
    return true;
  }
  if (row.base == nullptr || !is_full(strip)) return false;
  if (row.distance == 8) return load_apart<2>(d, row.base, strip.lanes, ahead), true;
  if (row.distance == 12) return load_apart<3>(d, row.base, strip.lanes, ahead), true;
  if (row.distance == 16) return load_apart<4>(d, row.base, strip.lanes, ahead), true;
  return false;
}
VYRE_INLINE void store_beside(const StripMemory& strip, std::byte* to, const Lane* a) {
  each_in_row(strip, {to, sizeof(Lane)}, [a](std::uint32_t at, Bits here, std::byte* place) {
    write_run(place, read(a + at), here);
  });
}
VYRE_INLINE bool store_row(const StripMemory& strip,
                           const Row& row,
                           const Lane* a,
                           std::ptrdiff_t ahead) {
  if (row.distance == sizeof(Lane)) return store_beside(strip, row.base, a), true;
  if (row.base == nullptr || !is_full(strip)) return false;
  if (row.distance == 8) return store_apart<2>(row.base, a, strip.lanes, ahead), true;
  if (row.distance == 12) return store_apart<3>(row.base, a, strip.lanes, ahead), true;
  if (row.distance == 16) return store_apart<4>(row.base, a, strip.lanes, ahead), true;
  return false;
}

/// The lanes of a block that lie below `end`, counted from its first.
VYRE_INLINE Bits lanes_below(std::int64_t end) {
  return end >= kLaneStep ? kAllBits : end <= 0 ? 0 : (Bits{1} << end) - 1;
}
/// Words side by side in all lanes, but for those whose index is out of bounds: it may begin below
/// zero, or end above the bound.  False if it is not known to be so.
inline bool load_line(const StripMemory& strip,
                      const AccessInfo& access,
                      const View& view,
                      Lane* d) {
  const IndexLevel level = strip.code.levels[access.first_level];
  if (!access.shape.holds(strip.is_line) || access.shape.step != 1 ||
      level.stride != sizeof(Lane) || access.space == Space::local || !is_full(strip))
    return false;
  const Lane index = Index(strip, level).lane(0);
  const auto bound = static_cast<std::int64_t>(bound_of(view, level));
  const std::int64_t first = index < bound ? index : std::int64_t{index} - (std::int64_t{1} << 32);
  const std::byte* const base = view.base + access.offset + first * std::int64_t{sizeof(Lane)};
  for (std::uint32_t at = 0; at < strip.lanes; at += kLaneStep) {
    const std::int64_t here = first + at;
    const Bits ok = lanes_below(bound - here) & ~lanes_below(-here);
    const std::byte* const from = base + at * sizeof(Lane);
    write(d + at, ok == kAllBits ? read(from) : ok != 0 ? read_run(from, ok) : zeros());
  }
  return true;
}

/// The words of private memory that all lanes access at the same index, side by side; null if it is
/// not known to be the same, or out of bounds.
VYRE_INLINE std::byte* private_row(const StripMemory& strip,
                                   const AccessInfo& access,
                                   const View& view) {
  if (access.space != Space::local || access.components != 1 || access.levels > 1) return nullptr;
  std::uint64_t offset = access.offset;
  if (access.levels == 1) {
    if (!access.shape.is_uniform() || !access.shape.holds(strip.is_line) || strip.active.none())
      return nullptr;
    const IndexLevel level = strip.code.levels[access.first_level];
    const Lane index = Index(strip, level).lane(strip.active.lowest());
    if (index >= level.count) return nullptr;
    offset += std::uint64_t{index} * level.stride;
  }
  return view.base + offset * strip.code.strip_lanes;
}

/// Asks for the lines that the access after the next will take, if it moves on as far as it did.
VYRE_INLINE void foresee(const std::byte* at, std::uint32_t lanes, std::ptrdiff_t ahead) {
  if (ahead == 0) return;
  for (std::uint32_t i = 0; i < lanes; i += kLaneStep)
    __builtin_prefetch(at + i * sizeof(Lane) + 2 * ahead);
}
/// As `whole_run` for plain accesses to words: null also where no register could lie.
VYRE_INLINE Lane* window_at(const StripMemory& strip, const AccessInfo& access) {
  const View view = strip.views[access.buffer];
  std::byte* const at = whole_run(strip, access, view);
  if (at == nullptr || reinterpret_cast<std::uintptr_t>(at) % alignof(Lane) != 0) return nullptr;
  if (access.space == Space::storage)
    foresee(at, strip.lanes, step_of(strip, access, view.base + access.offset));
  return reinterpret_cast<Lane*>(at);
}

VYRE_INLINE void load_run(Lane* d,
                          const std::byte* from,
                          std::uint32_t lanes,
                          std::ptrdiff_t ahead) {
  for (std::uint32_t at = 0; at < lanes; at += kLaneStep) {
    if (ahead != 0) __builtin_prefetch(from + at * sizeof(Lane) + ahead);
    write(d + at, read(from + at * sizeof(Lane)));
  }
}
VYRE_INLINE void store_run(std::byte* to,
                           const Lane* a,
                           std::uint32_t lanes,
                           std::ptrdiff_t ahead) {
  for (std::uint32_t at = 0; at < lanes; at += kLaneStep) {
    if (ahead != 0) __builtin_prefetch(to + at * sizeof(Lane) + ahead, 1);
    write(to + at * sizeof(Lane), read(a + at));
  }
}

inline void load_fixed(const StripMemory& strip, const AccessInfo& access, const View& view) {
  for (std::uint32_t c = 0; c < access.components; ++c) {
    Lane word;
    std::memcpy(&word, view.base + access.offset + std::uint64_t{c} * access.step, sizeof word);
    splat(strip.file + access.data[c], word, strip.lanes);
  }
}

// What lies in no order is looked at block by block: functions of their own, so that the others
// need not keep so much at hand.
#define VYRE_APART inline __attribute__((noinline))

VYRE_APART void load_scattered(const StripMemory& strip,
                               const AccessInfo& access,
                               const View& view,
                               std::ptrdiff_t ahead) {
  Lane* const d = strip.file + access.data[0];
  each_plain(strip, access, view, [d, ahead](std::uint32_t at, const Places& places) {
    write(d + at, load_block(places, ahead));
  });
}
VYRE_APART void store_scattered(const StripMemory& strip,
                                const AccessInfo& access,
                                const View& view) {
  const Lane* const a = strip.file + access.data[0];
  each_plain(strip, access, view,
             [a](std::uint32_t at, const Places& places) { store_block(places, read(a + at)); });
}
/// Calls `f(row of the component, component)` for the components of vectors that lie in a row, in
/// all lanes; false if they do not.
template <typename F>
VYRE_INLINE bool each_component_row(const StripMemory& strip,
                                    const AccessInfo& access,
                                    const View& view,
                                    F&& f) {
  if (access.levels != 1 || access.components == 1 || access.consecutive || !is_full(strip))
    return false;
  const Row row = row_of(strip, access, view);
  if (row.distance != 8 && row.distance != 12 && row.distance != 16) return false;
  for (std::uint32_t c = 0; c < access.components; ++c)
    f(Row{row.base + std::ptrdiff_t{c} * access.step, row.distance}, c);
  return true;
}
VYRE_APART void load_components(const StripMemory& strip,
                                const AccessInfo& access,
                                const View& view) {
  if (each_component_row(strip, access, view, [&](const Row& row, std::uint32_t c) {
        load_row(strip, row, strip.file + access.data[c], 0);
      }))
    return;
  const auto load = [&](std::uint32_t c, std::uint32_t at, const Places& places) {
    write(strip.file + access.data[c] + at, load_block(places));
  };
  if (access.components == 1)
    each_block(strip, access, view, 1, load);
  else
    each_block(strip, access, view, access.components, load);
}
VYRE_APART void store_components(const StripMemory& strip,
                                 const AccessInfo& access,
                                 const View& view) {
  if (each_component_row(strip, access, view, [&](const Row& row, std::uint32_t c) {
        store_row(strip, row, strip.file + access.data[c], 0);
      }))
    return;
  each_block(strip, access, view, access.components,
             [&](std::uint32_t c, std::uint32_t at, const Places& places) {
               store_block(places, read(strip.file + access.data[c] + at));
             });
}

inline void load_blocks(const StripMemory& strip, const AccessInfo& access, const View& view) {
  if (is_fixed(access)) return load_fixed(strip, access, view);
  if (const std::byte* const row = private_row(strip, access, view))
    return load_run(strip.file + access.data[0], row, strip.lanes, 0);
  if (!has_one_index(access)) return load_components(strip, access, view);
  Lane* const d = strip.file + access.data[0];
  const std::ptrdiff_t ahead =
      access.space == Space::storage ? step_of(strip, access, view.base + access.offset) : 0;
  if (const std::byte* from = whole_run(strip, access, view))
    load_run(d, from, strip.lanes, ahead);
  else if (!load_row(strip, row_of(strip, access, view), d, ahead) &&
           !load_line(strip, access, view, d))
    load_scattered(strip, access, view, ahead);
}

inline void store_blocks(const StripMemory& strip, const AccessInfo& access, const View& view) {
  const Lane* const a = strip.file + access.data[0];
  if (std::byte* const row = private_row(strip, access, view)) return store_beside(strip, row, a);
  if (!has_one_index(access)) return store_components(strip, access, view);
  const std::ptrdiff_t ahead =
      access.space == Space::storage ? step_of(strip, access, view.base + access.offset) : 0;
  if (std::byte* to = whole_run(strip, access, view))
    store_run(to, a, strip.lanes, ahead);
  else if (!store_row(strip, row_of(strip, access, view), a, ahead))
    store_scattered(strip, access, view);
}

#undef VYRE_APART

/// Calls `update(word, value, lane)`, which gives the old value, for the lanes in order.
template <typename F>
VYRE_INLINE void each_word(const StripMemory& strip,
                           const AccessInfo& access,
                           const View& view,
                           F&& update) {
  each_block(strip, access, view, 1, [&](std::uint32_t, std::uint32_t at, const Places& places) {
    // Copies, which no update can change.
    alignas(64) std::int32_t offset[kLaneStep];
    alignas(64) Lane value[kLaneStep];
    alignas(64) Lane old[kLaneStep] = {};
    write(offset, places.offset);
    write(value, read(strip.file + access.value + at));
    std::byte* const base = places.base;
    const auto one = [&](std::uint32_t i) {
      const Lane was = update(*reinterpret_cast<Lane*>(base + offset[i]), value[i], at + i);
      old[i] = was;
    };
    if (places.ok == kAllBits) {
      for (std::uint32_t i = 0; i < kLaneStep; ++i)
        one(i);
    } else {
      for_each_bit(places.ok, one);
    }
    write(strip.file + access.data[0] + at, read(old));
  });
}

/// Adds to words that no other thread touches, for nobody to see what they were.  All places are
/// found first: words of a vector that was just written take their time to arrive.
inline void add_words(const StripMemory& strip, const AccessInfo& access, const View& view) {
  alignas(64) std::int32_t offset[kStripLanes];
  Bits ok[kStripLanes / kLaneStep] = {};
  std::byte* base = nullptr;
  each_plain(strip, access, view, [&](std::uint32_t at, const Places& places) {
    write(offset + at, places.offset);
    ok[at / kLaneStep] = places.ok;
    base = places.base;
  });
  const Lane* const value = strip.file + access.value;
  const auto one = [=, &offset](std::uint32_t i) {
    *reinterpret_cast<Lane*>(base + offset[i]) += value[i];
  };
  for (std::uint32_t at = 0; at < strip.lanes; at += kLaneStep) {
    const Bits here = ok[at / kLaneStep];
    if (here == kAllBits) {
#pragma GCC unroll 16
      for (std::uint32_t i = 0; i < kLaneStep; ++i)
        one(at + i);
    } else {
      for_each_bit(here, [&](std::uint32_t i) { one(at + i); });
    }
  }
}

inline void atomic_blocks(const StripMemory& strip, const AccessInfo& access, const View& view) {
  const Lane* const comparand = strip.file + access.comparand;
  const bool is_signed = access.scalar == ScalarType::i32;
  const auto add = [](Lane& word, Lane value, std::uint32_t) {
    const Lane old = word;
    word = old + value;
    return old;
  };
  const bool shared = strip.concurrent && access.space == Space::storage;
  if (shared)
    each_word(strip, access, view, [&](Lane& word, Lane value, std::uint32_t i) {
      return shared_update(word, access.op, value, comparand[i], is_signed);
    });
  else if (access.op == AtomicOp::add && access.is_unused && has_one_index(access))
    add_words(strip, access, view);
  else if (access.op == AtomicOp::add)
    each_word(strip, access, view, add);
  else
    each_word(strip, access, view, [&](Lane& word, Lane value, std::uint32_t i) {
      return plain_update(word, access.op, value, comparand[i], is_signed);
    });
}

}  // namespace vyre::cpu::VYRE_CPU_ISA
