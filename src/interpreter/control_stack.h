// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <vector>

#include "vyre/program.h"

/// Where one invocation is: a stack of blocks, each with its next statement.
namespace vyre::interpreter {

class ControlStack {
 public:
  /// REQUIRES: `program` outlives it.
  explicit ControlStack(const Program& program) : program_(program) {}

  /// At the first statement of the program.
  void start();
  /// Ends the invocation.
  void clear() { frames_.clear(); }
  [[nodiscard]] bool empty() const { return frames_.empty(); }

  /// The next statement of the innermost block, and past it; nothing at the block's end.
  std::optional<StmtId> next();
  /// Enters a block of the statement `owner`.  `branch` numbers the blocks of one statement in
  /// their order.
  void enter(StmtId owner, BlockId block, std::uint32_t branch = 0);

  /// The statement whose block is innermost; absent for the program's body.
  [[nodiscard]] StmtId owner() const { return frames_.back().owner; }
  /// True while a loop's `continuing` is innermost, not its body.
  [[nodiscard]] bool in_continuing() const { return frames_.back().branch == 1; }
  void leave_block() { frames_.pop_back(); }
  /// From the end of a loop's body into `continuing`.
  void enter_continuing(BlockId block);
  /// Into the loop's body once more.
  void iterate(BlockId body);

  /// Leaves the innermost loop or switch.
  void break_out();
  /// To the end of the innermost loop's body.
  void continue_loop();
  /// Leaves the scope whose body is `target`.
  void leave(BlockId target);

  /// The order in which lanes in lockstep pass places: earlier statements, earlier iterations and
  /// earlier branches first.  Equal: the same statement of the same iteration of every loop.
  [[nodiscard]] std::strong_ordering compare(const ControlStack& other) const;

 private:
  struct Frame {
    BlockId block;
    StmtId owner;
    std::uint32_t branch = 0;
    std::uint64_t iteration = 0;
    std::size_t next = 0;
  };
  const Program& program_;
  std::vector<Frame> frames_;
};

}  // namespace vyre::interpreter
