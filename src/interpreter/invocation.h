// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "interpreter/control_stack.h"
#include "interpreter/evaluator.h"
#include "interpreter/memory.h"

/// One invocation: it runs statement by statement until it ends or waits for others.
namespace vyre::interpreter {

/// What all invocations of a run share.
struct RunState {
  RunState(const Program& program, const RunInputs& inputs);

  const Program& program;
  const RunInputs& inputs;
  std::vector<Address> addresses;  ///< by StmtId; of statements that touch memory
  MemoryView memory;               ///< storage, uniform and constant buffers
  RunReport report;
  std::uint64_t steps_left;

 private:
  std::vector<std::vector<std::byte>> constants_;
};

class Invocation {
 public:
  enum class State : std::uint8_t {
    running,
    waiting,  ///< at a barrier, a uniform load or a subgroup operation
    ended,
  };

  explicit Invocation(RunState& run);

  /// Becomes the invocation `ids`, whose workgroup buffers lie in `workgroup`.
  void start(const InvocationIds& ids, SpaceBytes& workgroup);
  /// Runs until it waits or ends, or for `steps` statements and loop iterations.
  void run(std::uint64_t steps);

  [[nodiscard]] State state() const { return state_; }
  /// The statement at which it waits.
  [[nodiscard]] StmtId waits_at() const { return waits_at_; }
  [[nodiscard]] const ControlStack& place() const { return place_; }
  [[nodiscard]] const Evaluator& evaluator() const { return evaluator_; }

  /// Binds what the statement that it waits at gives.
  void bind(ValueId id, std::uint64_t value) { evaluator_.bind(id, value); }
  /// Loads the values of a uniform load that it waits at.
  void load(ValueId first, const MemoryRef& from);
  /// Lets it run on.
  void resume() { state_ = State::running; }

 private:
  void run(StmtId id);
  void at_block_end();
  void wait(StmtId id);

  void execute(const Store& s);
  void execute(const Atomic& s);
  void execute(const If& s);
  void execute(const Switch& s);
  void execute(const Loop& s);
  void execute(const Trap& s);

  /// Where element `k` of a reference of the current statement lies; null: out of bounds.
  [[nodiscard]] std::byte* element(const MemoryRef& ref, std::uint32_t k) const;

  RunState& run_;
  Evaluator evaluator_;
  ControlStack place_;
  MemoryView memory_;
  SpaceBytes local_;
  State state_ = State::ended;
  StmtId current_ = kNone<StmtId>;
  StmtId waits_at_ = kNone<StmtId>;
};

}  // namespace vyre::interpreter
