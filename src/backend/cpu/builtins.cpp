// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <cstring>
#include <numeric>

#include "backend/cpu/strip.h"
#include "base/check.h"

namespace vyre::cpu {
namespace {

using Triple = std::array<std::uint32_t, 3>;

Triple coordinates(std::uint64_t linear, const Triple& size) {
  return {static_cast<std::uint32_t>(linear % size[0]),
          static_cast<std::uint32_t>(linear / size[0] % size[1]),
          static_cast<std::uint32_t>(linear / size[0] / size[1])};
}

/// Adds 1 with carries.
void step(Triple& at, const Triple& size) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (++at[axis] < size[axis]) return;
    at[axis] = 0;
  }
}

/// The invocation of a lane.
struct Invocation {
  Triple group;
  Triple local;
  std::uint32_t local_index;
};

class Filler {
 public:
  Filler(const RunState& state, const Strip& strip)
      : isa_(*state.code.isa),
        strip_(strip),
        grid_(state.launch.grid),
        size_(state.code.declarations.workgroup),
        local_ids_(state.code.local_ids),
        group_lanes_(state.code.group_lanes),
        first_{coordinates(strip.group, grid_), coordinates(strip.local_index, size_),
               strip.local_index},
        within_group_(strip.local_index + strip.count <= group_lanes_) {}

  void fill(const Preset& preset) {
    Lane* d = strip_.file + preset.reg;
    lanes_ = preset.is_seed ? kLaneStep : strip_.lanes;
    if (preset.builtin == Builtin::lane) return fill_lanes(d);
    if (fill_run(preset, d)) return;
    VYRE_CHECK(!preset.is_seed);
    fill_each(preset, d);
  }

 private:
  [[nodiscard]] std::uint32_t value(const Preset& preset, const Invocation& at) const {
    const std::size_t axis = preset.component;
    switch (preset.builtin) {
      case Builtin::global_id: return at.group[axis] * size_[axis] + at.local[axis];
      case Builtin::local_id: return at.local[axis];
      case Builtin::workgroup_id: return at.group[axis];
      case Builtin::local_index: return at.local_index;
      case Builtin::num_workgroups:
      case Builtin::lane:
      case Builtin::subgroup_size: break;
    }
    VYRE_UNREACHABLE();
  }

  void fill_lanes(Lane* d) const {
    for (std::uint32_t i = 0; i < strip_.lanes; ++i)
      d[i] = (strip_.local_index + i) % kSubgroupLanes;
  }

  /// Registers that are constant or count up, as all seeds do; false if this one does neither.
  bool fill_run(const Preset& preset, Lane* d) {
    const bool is_row = size_[1] == 1 && size_[2] == 1;
    const Lane start = value(preset, first_);
    if (within_group_) {
      if (preset.builtin == Builtin::workgroup_id) return isa_.splat(d, start, lanes_), true;
      if (preset.builtin == Builtin::local_index) return isa_.count_up(d, start, lanes_), true;
    }
    const std::uint64_t row = std::uint64_t{grid_[0]} * size_[0];
    const std::uint64_t at = std::uint64_t{first_.group[0]} * size_[0] + first_.local[0];
    const bool runs_on =
        within_group_ || (preset.builtin == Builtin::global_id && at + strip_.count <= row);
    if (!is_row || !runs_on) return false;
    if (preset.component == 0)
      isa_.count_up(d, start, lanes_);
    else
      isa_.splat(d, start, lanes_);
    return true;
  }

  /// Workgroup by workgroup.
  void fill_each(const Preset& preset, Lane* d) const {
    Invocation at = first_;
    for (std::uint32_t done = 0; done < strip_.count;) {
      const std::uint32_t here = std::min(strip_.count - done, group_lanes_ - at.local_index);
      fill_part(preset, d + done, at, here);
      done += here;
      at = {at.group, {}, 0};
      step(at.group, grid_);
    }
  }
  void fill_part(const Preset& preset, Lane* d, const Invocation& at, std::uint32_t count) const {
    const std::size_t axis = preset.component;
    const Lane* const local = local_ids_[axis].data() + at.local_index;
    switch (preset.builtin) {
      case Builtin::global_id: return isa_.shift_by(d, local, at.group[axis] * size_[axis], count);
      case Builtin::local_id: return isa_.shift_by(d, local, 0, count);
      case Builtin::workgroup_id: std::fill_n(d, count, at.group[axis]); return;
      case Builtin::local_index: std::iota(d, d + count, at.local_index); return;
      case Builtin::num_workgroups:
      case Builtin::lane:
      case Builtin::subgroup_size: break;
    }
    VYRE_UNREACHABLE();
  }

  const Isa& isa_;
  const Strip& strip_;
  const Triple grid_;
  const Triple size_;
  const std::array<std::vector<std::uint32_t>, 3>& local_ids_;
  const std::uint32_t group_lanes_;
  const Invocation first_;
  const bool within_group_;
  std::uint32_t lanes_ = 0;  ///< to be written
};

std::uint32_t launch_word(const RunState& state, LaunchField field) {
  const Launch& launch = state.launch;
  switch (field) {
    case LaunchField::grid_x: return launch.logical_grid[0];
    case LaunchField::grid_y: return launch.logical_grid[1];
    case LaunchField::grid_z: return launch.logical_grid[2];
    case LaunchField::base_x: return launch.base[0];
    case LaunchField::base_y: return launch.base[1];
    case LaunchField::base_z: return launch.base[2];
    case LaunchField::count:
    case LaunchField::zero: return 0;
  }
  VYRE_UNREACHABLE();
}

std::uint32_t memory_word(const View& view, std::uint32_t offset) {
  std::uint32_t word = 0;
  if (offset + sizeof word <= view.bytes) std::memcpy(&word, view.base + offset, sizeof word);
  return word;
}

std::uint32_t preset_word(const RunState& state, const Preset& preset) {
  switch (preset.kind) {
    case Preset::Kind::constant: return preset.value;
    case Preset::Kind::length: return static_cast<std::uint32_t>(state.views[preset.value].count);
    case Preset::Kind::word: return memory_word(state.views[preset.value], preset.offset);
    case Preset::Kind::launch: return launch_word(state, preset.launch);
    case Preset::Kind::builtin: return state.launch.grid[preset.component];
    case Preset::Kind::computed:
    case Preset::Kind::expanded: break;
  }
  VYRE_UNREACHABLE();
}

}  // namespace

bool is_line(const RunState& state, const Strip& strip) {
  if (!state.code.mixes_groups) return true;
  const auto& size = state.code.declarations.workgroup;
  const std::uint64_t group = strip.group % state.launch.grid[0];
  const std::uint64_t row = std::uint64_t{state.launch.grid[0]} * size[0];
  return size[1] == 1 && size[2] == 1 && group * size[0] + strip.local_index + strip.count <= row;
}

void write_builtins(const RunState& state, Strip& strip) {
  Filler filler(state, strip);
  for (const Preset& preset : state.code.per_strip)
    filler.fill(preset);
}

std::uint64_t linear_invocation(const RunState& state, const Strip& strip, std::uint32_t lane) {
  const Triple& size = state.code.declarations.workgroup;
  const Triple& grid = state.launch.grid;
  const std::uint64_t local_index = std::uint64_t{strip.local_index} + lane;
  const Triple group = coordinates(strip.group + local_index / state.code.group_lanes, grid);
  const Triple local = coordinates(local_index % state.code.group_lanes, size);
  std::uint64_t linear = 0;
  for (std::size_t axis = 3; axis-- > 0;)
    linear = linear * (std::uint64_t{grid[axis]} * size[axis]) +
             std::uint64_t{group[axis]} * size[axis] + local[axis];
  return linear;
}

void write_presets(const RunState& state, Lane* file) {
  for (const Preset& preset : state.code.presets) {
    Lane* const d = file + preset.reg;
    const auto [a, b, c] = preset.of;
    if (preset.kind == Preset::Kind::computed)
      preset.kernel(d, file + a, file + b, file + c, kLaneStep);
    else
      state.code.isa->splat(
          d, preset.kind == Preset::Kind::expanded ? file[a] : preset_word(state, preset),
          preset.is_seed ? kLaneStep : state.code.strip_lanes);
  }
}

}  // namespace vyre::cpu
