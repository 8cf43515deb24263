// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <string>

#include "backend/cpu/compile.h"
#include "backend/cpu/strip.h"
#include "base/align.h"
#include "base/guarded.h"
#include "base/thread_pool.h"
#include "ir/layout.h"

// Launches: the memory of the workers, and the workgroups that they run.
namespace vyre::cpu {
namespace {

/// Launches of less work (lanes × instructions) stay on the calling thread.
constexpr std::uint64_t kWorkForThreads = 1u << 18;
/// A worker takes so much work at a time.
constexpr std::uint64_t kWorkPerTurn = 1u << 16;
constexpr std::size_t kLineBytes = 64;

/// The memory behind empty buffers: no lane ever reads it.
std::byte kNothing[16];

struct Freed {
  void operator()(std::byte* memory) const {
    ::operator delete[](memory, std::align_val_t{kLineBytes});
  }
};
using OwnedBytes = std::unique_ptr<std::byte[], Freed>;

/// Null if there is no memory.
OwnedBytes allocate(std::uint64_t bytes) {
  return OwnedBytes(static_cast<std::byte*>(::operator new[](
      std::max<std::uint64_t>(bytes, 1), std::align_val_t{kLineBytes}, std::nothrow)));
}

/// What a thread keeps from launch to launch, so that the next one allocates nothing.
struct Kept {
  static constexpr std::uint64_t kMost = std::uint64_t{8} << 20;  ///< more is given back

  /// At least so many bytes, of any content; null if there is no memory.
  std::byte* reserve(std::uint64_t wanted) {
    if (wanted > bytes) {
      bytes = 0;
      memory.reset();  // first, so that both need not be there at once
      memory = allocate(wanted);
      if (!memory) return nullptr;
      bytes = wanted;
      std::memset(memory.get(), 0, wanted);
    }
    return memory.get();
  }
  void trim() {
    if (bytes <= kMost) return;
    memory.reset();
    bytes = 0;
  }

  OwnedBytes memory;
  std::uint64_t bytes = 0;
  std::vector<View> views;
  std::vector<Strip> strips;
  std::vector<const std::byte*> last;
  std::vector<const Lane*> windows;
};
thread_local Kept kept;

/// One thread's memory: registers, slots and private memory of each strip, and the workgroup's.
class Worker {
 public:
  explicit Worker(RunState& state) : state_(state), code_(state.code) {
    strips_ =
        code_.has_barriers ? (code_.group_lanes + code_.strip_lanes - 1) / code_.strip_lanes : 1;
    file_bytes_ = align_to(code_.file_words * sizeof(Lane), kLineBytes);
    slot_bytes_ = align_to(std::uint64_t{code_.slots} * sizeof(Mask), kLineBytes);
    local_bytes_ = align_to(code_.local_bytes * code_.strip_lanes, kLineBytes);
  }

  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker() { kept.trim(); }

  /// False if there is no memory.
  bool prepare() {
    const std::uint64_t each = file_bytes_ + slot_bytes_ + local_bytes_;
    memory_ = kept.reserve(strips_ * each + code_.workgroup_bytes);
    if (memory_ == nullptr) return false;
    workgroup_ = memory_ + strips_ * each;
    views_.assign(state_.views.begin(), state_.views.end());
    for (std::size_t i = 0; i < views_.size(); ++i)
      if (code_.declarations.buffers[i].space == Space::workgroup)
        views_[i] = {workgroup_, code_.workgroup_bytes, views_[i].count};
    strip_.assign(strips_, {});
    kept.last.assign(code_.accesses.size(), nullptr);
    kept.windows.assign(code_.windows, nullptr);
    for (std::uint32_t s = 0; s < strips_; ++s)
      place(strip_[s], s);
    return true;
  }

  /// Runs workgroup `group`.
  void run_group(std::uint64_t group) {
    std::memset(workgroup_, 0, code_.workgroup_bytes);
    if (code_.has_barriers)
      run_phases(group);
    else
      for (std::uint32_t at = 0; at < code_.group_lanes; at += code_.strip_lanes)
        run_strip(group, at, std::min(code_.strip_lanes, code_.group_lanes - at));
  }

  /// Runs the lanes from `first` on, counted through all workgroups, of a program that cannot tell.
  void run_lanes(std::uint64_t first, std::uint32_t count) {
    run_strip(first / code_.group_lanes, static_cast<std::uint32_t>(first % code_.group_lanes),
              count);
  }

 private:
  void place(Strip& strip, std::uint64_t which) {
    std::byte* const slots = memory_ + strips_ * file_bytes_;
    std::byte* const locals = slots + strips_ * slot_bytes_;
    strip.file = reinterpret_cast<Lane*>(memory_ + which * file_bytes_);
    strip.slots = reinterpret_cast<Mask*>(slots + which * slot_bytes_);
    strip.local = locals + which * local_bytes_;
    strip.views = views_.data();
    strip.last = kept.last.data();
    strip.windows = kept.windows.data();
    write_presets(state_, strip.file);
  }

  void start(Strip& strip, std::uint64_t group, std::uint32_t local_index, std::uint32_t count) {
    strip.active = Mask::first(count);
    strip.count = count;
    strip.lanes = (count + kLaneStep - 1) / kLaneStep * kLaneStep;
    strip.pc = 0;
    strip.group = group;
    strip.local_index = local_index;
    strip.is_line = is_line(state_, strip);
    strip.done = false;
    std::memset(strip.local, 0, local_bytes_);
    write_builtins(state_, strip);
  }

  void run_strip(std::uint64_t group, std::uint32_t local_index, std::uint32_t count) {
    start(strip_[0], group, local_index, count);
    while (!strip_[0].done)
      code_.isa->advance(state_, strip_[0]);
  }

  /// From barrier to barrier, strip by strip.
  void run_phases(std::uint64_t group) {
    for (std::uint32_t s = 0; s < strips_; ++s) {
      const std::uint32_t at = s * code_.strip_lanes;
      start(strip_[s], group, at, std::min(code_.strip_lanes, code_.group_lanes - at));
    }
    for (bool more = true; more;) {
      more = false;
      for (Strip& strip : strip_) {
        if (!strip.done) code_.isa->advance(state_, strip);
        more |= !strip.done;
      }
    }
  }

  RunState& state_;
  const Code& code_;
  std::uint32_t strips_ = 1;
  std::uint64_t file_bytes_ = 0;
  std::uint64_t slot_bytes_ = 0;
  std::uint64_t local_bytes_ = 0;
  std::byte* memory_ = nullptr;
  std::byte* workgroup_ = nullptr;
  std::vector<View>& views_ = kept.views;
  std::vector<Strip>& strip_ = kept.strips;
};

/// The buffers of a launch, until the next one on this thread.
std::span<const View> make_views(const Code& code, const Launch& launch) {
  thread_local std::vector<View> views;
  views.clear();
  const Program& program = code.declarations;
  for (std::size_t i = 0; i < program.buffers.size(); ++i) {
    const BufferDecl& buffer = program.buffers[i];
    View view{kNothing, 0, static_count(program, buffer)};
    if (buffer.space == Space::constant) {
      view.base = reinterpret_cast<std::byte*>(const_cast<std::uint32_t*>(buffer.words.data()));
      view.bytes = buffer.words.size() * sizeof(std::uint32_t);
    } else if (i < launch.buffers.size() &&
               (buffer.space == Space::storage || buffer.space == Space::uniform)) {
      const Memory& memory = launch.buffers[i];
      if (!memory.bytes.empty()) view.base = memory.bytes.data();
      view.bytes = memory.bytes.size();
      if (runtime_array(program, buffer)) view.count = memory.count;
    }
    views.push_back(view);
  }
  return views;
}

/// Units of work that are handed out in order: strips of lanes, or workgroups.
struct Units {
  std::uint64_t count = 0;
  std::uint64_t lanes = 0;  ///< of one unit
  std::uint64_t all_lanes = 0;
};

Units units_of(const Code& code, const Launch& launch) {
  const std::uint64_t groups = std::uint64_t{launch.grid[0]} * launch.grid[1] * launch.grid[2];
  const std::uint64_t lanes = groups * code.group_lanes;
  if (!code.mixes_groups) return {groups, code.group_lanes, lanes};
  return {(lanes + code.strip_lanes - 1) / code.strip_lanes, code.strip_lanes, lanes};
}

class Crew {
 public:
  Crew(RunState& state, Units units) : state_(state), units_(units) {
    const std::uint64_t work = units.lanes * std::max<std::size_t>(state.code.instrs.size(), 1);
    turn_ = std::max<std::uint64_t>(kWorkPerTurn / work, 1);
  }

  /// One worker's share: units until there are none.
  void work() {
    Worker worker(state_);
    if (!guarded([&] { return worker.prepare(); }, [] { return false; })) {
      out_of_memory_.store(true, std::memory_order_relaxed);
      return;
    }
    for (;;) {
      const std::uint64_t begin = next_.fetch_add(turn_, std::memory_order_relaxed);
      if (begin >= units_.count) return;
      for (std::uint64_t unit = begin; unit < std::min(begin + turn_, units_.count); ++unit) {
        if (unit % 64 == 0 ? state_.is_late() : state_.must_stop()) return;
        run_unit(worker, unit);
      }
    }
  }

  [[nodiscard]] bool out_of_memory() const { return out_of_memory_.load(); }

 private:
  void run_unit(Worker& worker, std::uint64_t unit) {
    if (!state_.code.mixes_groups) return worker.run_group(unit);
    const std::uint64_t first = unit * units_.lanes;
    worker.run_lanes(first,
                     static_cast<std::uint32_t>(std::min(units_.lanes, units_.all_lanes - first)));
  }

  RunState& state_;
  const Units units_;
  std::uint64_t turn_ = 1;
  std::atomic<std::uint64_t> next_{0};
  std::atomic<bool> out_of_memory_{false};
};

/// One pool for the process; it is never destroyed, so that no order of exit can miss it.
ThreadPool& pool() {
  static ThreadPool* const shared = new ThreadPool;
  return *shared;
}

unsigned threads_for(const Code& code, const Launch& launch, const Units& units) {
  if (launch.threads == 1 || units.count < 2) return 1;
  const std::uint64_t work = units.all_lanes * code.instrs.size();
  if (launch.threads == 0 && work < kWorkForThreads) return 1;
  const unsigned wanted = launch.threads == 0 ? pool().concurrency() : launch.threads;
  return static_cast<unsigned>(std::min<std::uint64_t>(wanted, units.count));
}

}  // namespace

Machine Machine::compile(const Program& program) {
  return Machine(std::make_shared<const Code>(cpu::compile(program)));
}

Result<RunResult> Machine::run(const Launch& launch) const {
  const Units units = units_of(*code_, launch);
  const unsigned threads = threads_for(*code_, launch, units);
  RunState state{*code_, launch, make_views(*code_, launch), threads > 1};
  Crew crew(state, units);
  if (threads == 1) {
    crew.work();
  } else {
    pool().parallel_for(threads, 1, [&](std::size_t, std::size_t, std::size_t) { crew.work(); });
  }
  if (crew.out_of_memory())
    return Error(ErrorKind::out_of_memory, "out-of-memory",
                 "kernel `" + code_->declarations.name +
                     "` needs more memory for its registers "
                     "and private arrays than there is");
  RunResult result{.trap = state.first_trap, .stopped = state.stopped.load()};
  result.trap.count = state.traps.load();
  return result;
}

}  // namespace vyre::cpu
