// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <algorithm>
#include <optional>
#include <utility>

#include "backend/cpu/isa/lanes.h"
#include "backend/cpu/isa/memory.h"
#include "backend/cpu/strip.h"

/// The interpreter of flat code.
/// Compiled once per instruction set, in a namespace of its own: only isa/*.cpp include this.
namespace vyre::cpu::VYRE_CPU_ISA {

/// A strip looks at the clock each time it has repeated so many instructions.
inline constexpr std::uint32_t kInstrsPerLook = 4096;

/// Lanes that may go through a loop on their own: a word of a mask.
inline constexpr std::uint32_t kPartLanes = 64;

class Interpreter {
 public:
  Interpreter(RunState& state, Strip& strip)
      : state_(state),
        code_(state.code),
        strip_(strip),
        all_(Mask::first(strip.count)),
        active_(strip.active),
        memory_{code_,       strip.views, strip.local,   strip.file,       active_,
                strip.count, strip.lanes, strip.is_line, state.concurrent, strip.last} {
    if (!active_.none()) narrow();
  }

  void run() {
    for (const Instr* next = at(strip_.pc);;) {
      const Instr& in = *next++;
      switch (in.op) {
        case Opcode::pure: in.kernel(reg(in.d), reg(in.a), reg(in.b), reg(in.c), lanes()); break;
        case Opcode::pure_from:
          in.kernel(reg(in.d), source(in, 0), source(in, 1), source(in, 2), lanes());
          break;
        case Opcode::pure_to: pure_to(in); break;
        case Opcode::pure_set: pure_set(in); break;
        case Opcode::set_from: set_from(in); break;
        case Opcode::pure_seed:
          in.kernel(seed(in.d), seed(in.a), seed(in.b), seed(in.c), kLaneStep);
          break;
        case Opcode::copy: copy(reg(in.d), reg(in.a), lanes()); break;
        case Opcode::copy_seed: copy(seed(in.d), seed(in.a), kLaneStep); break;
        case Opcode::set: set(in.d, in.a); break;
        case Opcode::splat: splat(reg(in.d), in.a, lanes()); break;
        case Opcode::splat_seed: splat(seed(in.d), in.a, kLaneStep); break;
        case Opcode::expand: expand(seed(in.d), seed(in.a), in.c, begin_, end_); break;
        case Opcode::pick:
          if (!active_.none()) splat(seed(in.d), seed(in.a)[active_.lowest()], kLaneStep);
          break;
        case Opcode::load: load(memory_, code_.accesses[in.a]); break;
        case Opcode::load_window: load_window(in); break;
        case Opcode::store: store(memory_, code_.accesses[in.a]); break;
        case Opcode::atomic: atomic(memory_, code_.accesses[in.a]); break;
        case Opcode::load_seed: load_seed(memory_, code_.accesses[in.a]); break;
        case Opcode::subgroup:
          run_subgroup(code_.subgroups[in.a], strip_.file, active_, strip_.count);
          break;
        case Opcode::barrier: return suspend(next, false);
        case Opcode::branch:
          branch(in);
          next = unless_active(in, next);
          break;
        case Opcode::swap:
          std::swap(active_, slot(in));
          next = unless_active(in, next);
          break;
        case Opcode::join:
          active_ |= slot(in);
          next = unless_active(in, next);
          break;
        case Opcode::clear: slot(in) = {}; break;
        case Opcode::leave:
          slot(in) |= std::exchange(active_, {});
          next = at(in.target);
          break;
        case Opcode::take:
          if (slot(in).none() && !active_.none()) break;
          active_ |= std::exchange(slot(in), {});
          next = unless_active(in, next);
          break;
        case Opcode::leave_if:
          if (const Mask leaving = active_ & condition(in); !leaving.none()) {
            slot(in) |= leaving;
            active_ = without(active_, leaving);
            next = unless_active(in, next);
          }
          break;
        case Opcode::stop_if:
          if (const Mask leaving = active_ & condition(in); !leaving.none()) {
            active_ = without(active_, leaving);
            next = unless_active(in, next);
          }
          break;
        case Opcode::break_if: break_if(in); break;
        case Opcode::repeat: next = repeat(in, next); break;
        case Opcode::repeat_part:
          part(in);
          next = repeat(in, next);
          break;
        case Opcode::stop:
          active_ = {};
          next = at(in.target);
          break;
        case Opcode::trap:
          trap(in);
          next = at(in.target);
          break;
        case Opcode::skip: next = unless_active(in, next); break;
        case Opcode::switch_enter: switch_enter(in); break;
        case Opcode::switch_next: next = switch_next(in); break;
        case Opcode::case_end:
          case_end(in);
          next = at(in.target);
          break;
        case Opcode::end: return suspend(next, true);
      }
    }
  }

 private:
  [[nodiscard]] const Instr* at(std::uint32_t pc) const { return code_.instrs.data() + pc; }
  /// The part of a register that is at work.
  [[nodiscard]] Lane* reg(Reg r) const { return strip_.file + r + begin_; }
  [[nodiscard]] std::size_t lanes() const { return end_ - begin_; }
  [[nodiscard]] const Lane* whole(Reg r) const { return strip_.file + r; }
  [[nodiscard]] Lane* seed(Reg r) const { return strip_.file + r; }
  /// The blocks between the first and the last active lane are at work.
  void narrow() {
    is_whole_ = active_ == all_;
    begin_ = active_.lowest() / kLaneStep * kLaneStep;
    end_ = (active_.highest() / kLaneStep + 1) * kLaneStep;
  }
  [[nodiscard]] Mask& slot(const Instr& in) const { return strip_.slots[in.slot]; }
  const Instr* unless_active(const Instr& in, const Instr* next) {
    if (active_.none()) return at(in.target);
    narrow();
    return next;
  }

  void suspend(const Instr* next, bool done) {
    strip_.pc = static_cast<std::uint32_t>(next - code_.instrs.data());
    strip_.active = active_;
    strip_.done = done;
  }

  void blend_active(Reg d, Reg a) { blend(strip_.file + d, whole(a), active_, begin_, end_); }
  void set(Reg d, Reg a) {
    if (is_whole_)
      copy(reg(d), reg(a), lanes());
    else
      blend_active(d, a);
  }
  void pure_set(const Instr& in) {
    in.kernel(reg(is_whole_ ? in.d : in.scratch), reg(in.a), reg(in.b), reg(in.c), lanes());
    if (!is_whole_) blend_active(in.d, in.scratch);
  }
  /// The part at work of operand `i`, which is a register or a window.
  [[nodiscard]] const Lane* source(const Instr& in, unsigned i) const {
    const std::uint32_t which = i == 0 ? in.a : i == 1 ? in.b : in.c;
    return (in.windows >> i & 1) != 0 ? strip_.windows[which] + begin_ : reg(which);
  }
  void load_window(const Instr& in) {
    const AccessInfo& access = code_.accesses[in.a];
    const Lane*& window = strip_.windows[in.b];
    window = window_at(memory_, access);
    if (window != nullptr) return;
    load(memory_, access);
    window = whole(access.data[0]);
  }
  void set_from(const Instr& in) {
    in.kernel(reg(is_whole_ ? in.d : in.scratch), source(in, 0), source(in, 1), source(in, 2),
              lanes());
    if (!is_whole_) blend_active(in.d, in.scratch);
  }
  /// True if a window overlaps the strip's words from `to` on and does not begin there, so that
  /// writing them could change what is still to be read.
  [[nodiscard]] bool clashes(const Instr& in, const Lane* to) const {
    for (unsigned i = 0; i < 3; ++i) {
      if ((in.windows >> i & 1) == 0) continue;
      const auto from = reinterpret_cast<std::uintptr_t>(source(in, i));
      const auto distance = from - reinterpret_cast<std::uintptr_t>(to);
      const std::uintptr_t bytes = std::uintptr_t{strip_.lanes} * sizeof(Lane);
      if (distance != 0 && (distance < bytes || 0 - distance < bytes)) return true;
    }
    return false;
  }
  void pure_to(const Instr& in) {
    const AccessInfo& access = code_.accesses[in.d];
    Lane* const to = window_at(memory_, access);
    const bool direct = to != nullptr && !clashes(in, to);
    in.kernel(direct ? to : reg(in.scratch), source(in, 0), source(in, 1), source(in, 2), lanes());
    if (!direct) store(memory_, access);
  }
  [[nodiscard]] bool holds_at(const Instr& in, std::uint32_t lane) const {
    const std::uint32_t block = lane / kLaneStep * kLaneStep;
    const Mask holds = in.test != nullptr
                           ? in.test(whole(in.a), whole(in.b), block, block + kLaneStep)
                           : to_mask(whole(in.a), block, block + kLaneStep);
    return holds.has(lane);
  }
  /// True if the operand with a step does not wrap between the first lane and the last.
  [[nodiscard]] bool is_ordered(const Instr& in) const {
    const Lane* const line = whole(in.spread.of_b ? in.b : in.a);
    const Lane flip = in.spread.is_signed ? Lane{1} << 31 : 0;
    const Lane first = line[0] ^ flip;
    const Lane last = line[strip_.count - 1] ^ flip;
    return in.spread.step < 0 ? last <= first : first <= last;
  }
  /// The lanes for which a comparison of seeds holds, one of which has a step.
  [[nodiscard]] Mask ordered(const Instr& in) const {
    const Spread& spread = in.spread;
    const Lane flip = spread.is_signed ? Lane{1} << 31 : 0;
    const auto step = static_cast<Lane>(spread.step);
    const std::uint32_t lowest = active_.lowest();
    const std::uint32_t highest = active_.highest();
    const Lane start = seed(spread.of_b ? in.b : in.a)[0];
    Lane least = (start + step * lowest) ^ flip;
    Lane most = (start + step * highest) ^ flip;
    if (spread.step < 0) std::swap(least, most);
    if (most < least) return lane_by_lane(in);
    const Lane bound = seed(spread.of_b ? in.a : in.b)[0] ^ flip;
    const Lane size = spread.step < 0 ? 0 - step : step;
    const std::uint32_t all = highest - lowest + 1;
    std::uint32_t below = 0;
    if (spread.is_equal ? most <= bound : most < bound)
      below = all;
    else if (spread.is_equal ? least <= bound : least < bound)
      below = steps(bound - least - (spread.is_equal ? 0 : 1), size) + 1;
    if (below == 0 || below == all) return (below != 0) != spread.is_above ? all_ : Mask{};
    const bool at_start = (spread.step > 0) != spread.is_above;
    const std::uint32_t edge = spread.step > 0 ? lowest + below : highest + 1 - below;
    return at_start ? Mask::first(edge) : without(all_, Mask::first(edge));
  }
  static Lane steps(Lane distance, Lane size) { return size == 1 ? distance : distance / size; }
  /// The same where the operand with a step wraps.
  [[nodiscard]] Mask lane_by_lane(const Instr& in) const {
    alignas(64) Lane a[kStripLanes];
    alignas(64) Lane b[kStripLanes];
    const auto step = static_cast<Lane>(in.spread.step);
    expand(a, seed(in.a), in.spread.of_b ? 0 : step, begin_, end_);
    expand(b, seed(in.b), in.spread.of_b ? step : 0, begin_, end_);
    return in.test(a, b, begin_, end_);
  }
  /// A condition on seeds.
  [[nodiscard]] Mask seeds_hold(const Instr& in) const {
    if (in.spread.kind == Spread::Kind::ends) return ordered(in);
    const bool holds = in.test != nullptr ? in.test(seed(in.a), seed(in.b), 0, kLaneStep).has(0)
                                          : seed(in.a)[0] != 0;
    return holds ? all_ : Mask{};
  }
  /// Whether a condition holds where all active lanes agree, as far as few of them tell.
  [[nodiscard]] std::optional<bool> agreed(const Instr& in) const {
    if (in.spread.kind == Spread::Kind::each || (in.spread.needs_line && !strip_.is_line))
      return std::nullopt;
    if (in.spread.kind == Spread::Kind::same) return holds_at(in, active_.lowest());
    if (!is_whole_ || !is_ordered(in)) return std::nullopt;
    const bool first = holds_at(in, 0);
    return holds_at(in, strip_.count - 1) == first ? std::optional(first) : std::nullopt;
  }
  [[nodiscard]] Mask condition(const Instr& in) const {
    Mask holds;
    if (in.spread.of_seeds)
      holds = seeds_hold(in);
    else if (const auto all_agree = agreed(in))
      holds = *all_agree ? all_ : Mask{};
    else
      holds = in.test != nullptr ? in.test(whole(in.a), whole(in.b), begin_, end_)
                                 : to_mask(whole(in.a), begin_, end_);
    return in.negated ? without(all_, holds) : holds;
  }
  void branch(const Instr& in) {
    const Mask holds = condition(in);
    slot(in) = without(active_, holds);
    active_ &= holds;
  }
  void break_if(const Instr& in) {
    const Mask leaving = active_ & condition(in);
    slot(in) |= leaving;
    active_ = without(active_, leaving);
    if (!leaving.none() && !active_.none()) narrow();
  }
  /// Where half of the lanes between the first and the last are gone, a part of them goes on alone
  /// until it is through with the loop; then comes the next part.
  void part(const Instr& in) {
    Mask& waiting = strip_.slots[in.slot + 2];
    const bool ended = active_.none();
    if (ended ? waiting.none() : lanes() <= kPartLanes || active_.count() * 2 > lanes()) return;
    // Each part begins with the seeds as they are now.
    for (std::uint32_t i = in.b; i < in.b + in.a; ++i) {
      const Kept& kept = code_.kept[i];
      if (ended)
        copy(seed(kept.seed), seed(kept.copy), kLaneStep);
      else
        copy(seed(kept.copy), seed(kept.seed), kLaneStep);
    }
    waiting |= active_;
    const std::size_t word = waiting.lowest() / kPartLanes;
    active_ = {};
    std::swap(active_.word[word], waiting.word[word]);
    narrow();
  }
  const Instr* repeat(const Instr& in, const Instr* next) {
    if (!active_.none()) {
      strip_.repeated += static_cast<std::uint32_t>(next - at(in.target));
      const bool looks = strip_.repeated >= kInstrsPerLook;
      if (looks) strip_.repeated = 0;
      if (!(looks ? state_.is_late() : state_.must_stop())) return at(in.target);
      active_ = {};
      slot(in) = {};
      if (in.op == Opcode::repeat_part) strip_.slots[in.slot + 2] = {};
    }
    active_ |= slot(in);
    return next;
  }

  void trap(const Instr& in) {
    const std::uint32_t lane = active_.lowest();
    const std::uint64_t before = state_.traps.fetch_add(active_.count(), std::memory_order_relaxed);
    if (before == 0) {
      state_.first_trap.tag = static_cast<TrapId>(in.d);
      state_.first_trap.value = whole(in.a)[lane];
      state_.first_trap.invocation = linear_invocation(state_, strip_, lane);
    }
    active_ = {};
  }

  void switch_enter(const Instr& in) {
    const SwitchTable& table = code_.tables[in.c];
    const auto other = static_cast<std::uint32_t>(table.targets.size() - 1);
    const auto chosen = [&](Lane value) {
      const auto at = std::lower_bound(table.cases.begin(), table.cases.end(),
                                       std::pair<std::uint32_t, std::uint32_t>{value, 0});
      return at != table.cases.end() && at->first == value ? at->second : other;
    };
    Lane* d = reg(in.d);
    if (in.b != 0) {
      splat(d, chosen(seed(in.a)[0]), lanes());
    } else {
      const Lane* a = reg(in.a);
      for (std::size_t i = 0; i < lanes(); ++i)
        d[i] = chosen(a[i]);
    }
    strip_.slots[in.slot] = active_;
    strip_.slots[in.slot + 1] = {};
  }
  const Instr* switch_next(const Instr& in) {
    Mask& waiting = strip_.slots[in.slot];
    if (waiting.none()) {
      active_ = strip_.slots[in.slot + 1];
      return at(in.target);
    }
    const Lane chosen = whole(in.a)[waiting.lowest()];
    active_ = waiting & equal_to(whole(in.a), chosen, strip_.lanes);
    narrow();
    waiting = without(waiting, active_);
    return at(code_.tables[in.c].targets[chosen]);
  }
  void case_end(const Instr& in) {
    strip_.slots[in.slot + 1] |= active_;
    active_ = {};
  }

  RunState& state_;
  const Code& code_;
  Strip& strip_;
  const Mask all_;
  Mask active_;
  const StripMemory memory_;
  // What follows is of the last time that lanes were active.
  bool is_whole_ = false;
  std::uint32_t begin_ = 0;
  std::uint32_t end_ = 0;
};

/// Runs up to the next barrier, or to the end (`done`).
inline void advance(RunState& state, Strip& strip) {
  Interpreter(state, strip).run();
}

}  // namespace vyre::cpu::VYRE_CPU_ISA
