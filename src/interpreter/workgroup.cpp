// SPDX-License-Identifier: MIT OR Apache-2.0
#include "interpreter/workgroup.h"

#include <algorithm>
#include <variant>

#include "interpreter/subgroup.h"

namespace vyre::interpreter {
namespace {

using State = Invocation::State;

/// Statements that an invocation runs before the others of its workgroup have a turn.
constexpr std::uint64_t kTurn = 1000;

bool is_subgroup(const Program& program, const Invocation& invocation) {
  return invocation.state() == State::waiting &&
         std::holds_alternative<Subgroup>(program[invocation.waits_at()]);
}

std::array<std::uint32_t, 3> coordinates(std::uint32_t linear,
                                         const std::array<std::uint32_t, 3>& size) {
  return {linear % size[0], linear / size[0] % size[1], linear / size[0] / size[1]};
}

}  // namespace

Workgroup::Workgroup(RunState& run) : run_(run), bytes_(run.program, Space::workgroup) {
  const auto& size = run.program.workgroup;
  const std::size_t count = std::size_t{size[0]} * size[1] * size[2];
  invocations_.reserve(count);
  for (std::size_t i = 0; i < count; ++i)
    invocations_.emplace_back(run);
}

void Workgroup::start(const std::array<std::uint32_t, 3>& id) {
  const auto& grid = run_.inputs.grid;
  linear_id_ = (std::uint64_t{id[2]} * grid[1] + id[1]) * grid[0] + id[0];
  bytes_.zero();
  for (std::uint32_t i = 0; i < invocations_.size(); ++i)
    invocations_[i].start({id, coordinates(i, run_.program.workgroup), i}, bytes_);
}

void Workgroup::run(const std::array<std::uint32_t, 3>& id) {
  start(id);
  while (run_.steps_left > 0 && !run_.report.divergence)
    if (!run_all() && !meet_in_subgroups() && !meet_at_barrier()) return;
  run_.report.out_of_steps = run_.steps_left == 0;
}

bool Workgroup::run_all() {
  bool running = false;
  for (Invocation& invocation : invocations_) {
    invocation.run(kTurn);
    running |= invocation.state() == State::running;
  }
  return running;
}

bool Workgroup::meet_in_subgroups() {
  bool met = false;
  const std::span<Invocation> all = invocations_;
  const std::size_t size = run_.inputs.subgroup_size;
  for (std::size_t first = 0; first < all.size(); first += size)
    met |= meet(all.subspan(first, std::min(size, all.size() - first)));
  return met;
}

/// Lanes in lockstep would meet first at the earliest place: those there are active.
bool Workgroup::meet(std::span<Invocation> subgroup) {
  std::vector<Invocation*> active;
  for (Invocation& lane : subgroup) {
    if (!is_subgroup(run_.program, lane)) continue;
    const auto order = active.empty() ? std::strong_ordering::equal
                                      : lane.place().compare(active.front()->place());
    if (order < 0) active.clear();
    if (order <= 0) active.push_back(&lane);
  }
  if (active.empty()) return false;
  carry_out(std::get<Subgroup>(run_.program[active.front()->waits_at()]), active);
  return true;
}

void Workgroup::carry_out(const Subgroup& operation, std::span<Invocation* const> active) {
  std::vector<SubgroupLane> lanes;
  for (const Invocation* invocation : active) {
    const Evaluator& at = invocation->evaluator();
    const auto operand = [&](ExprId id) { return id == kNone<ExprId> ? 0 : at.value(id); };
    lanes.push_back({.lane = at.ids().local_index % run_.inputs.subgroup_size,
                     .value = operand(operation.value),
                     .argument = static_cast<std::uint32_t>(operand(operation.argument))});
  }
  run_subgroup(operation.op, run_.program.values[index(operation.first)], lanes);
  const std::size_t results = operation.op == SubgroupOp::ballot ? 4 : 1;
  for (std::size_t i = 0; i < active.size(); ++i) {
    for (std::size_t k = 0; k < results; ++k)
      active[i]->bind(static_cast<ValueId>(index(operation.first) + k), lanes[i].results[k]);
    active[i]->resume();
  }
}

bool Workgroup::meet_at_barrier() {
  const auto waiting = [](const Invocation& i) { return i.state() == State::waiting; };
  const auto first = std::find_if(invocations_.begin(), invocations_.end(), waiting);
  if (first == invocations_.end()) return false;
  const auto other = std::find_if(
      invocations_.begin(), invocations_.end(),
      [&](const Invocation& i) { return !waiting(i) || i.waits_at() != first->waits_at(); });
  if (other != invocations_.end() && run_.report.trap.count == 0) {
    report_divergence(*first, *other);
    return true;
  }
  if (const auto* load = std::get_if<UniformLoad>(&run_.program[first->waits_at()]))
    for (Invocation& invocation : invocations_)
      if (waiting(invocation)) invocation.load(load->first, load->from);
  for (Invocation& invocation : invocations_)
    if (waiting(invocation)) invocation.resume();
  return true;
}

void Workgroup::report_divergence(const Invocation& waiting, const Invocation& other) {
  run_.report.divergence = {
      .workgroup = linear_id_,
      .waiting = waiting.evaluator().ids().local_index,
      .at = waiting.waits_at(),
      .other = other.evaluator().ids().local_index,
      .other_at = other.state() == State::waiting ? other.waits_at() : kNone<StmtId>};
}

}  // namespace vyre::interpreter
