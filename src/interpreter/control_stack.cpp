// SPDX-License-Identifier: MIT OR Apache-2.0
#include "interpreter/control_stack.h"

#include <algorithm>
#include <tuple>
#include <variant>

namespace vyre::interpreter {

void ControlStack::start() {
  frames_.clear();
  enter(kNone<StmtId>, program_.body);
}

std::optional<StmtId> ControlStack::next() {
  Frame& top = frames_.back();
  const auto& stmts = program_[top.block].stmts;
  if (top.next == stmts.size()) return std::nullopt;
  return stmts[top.next++];
}

void ControlStack::enter(StmtId owner, BlockId block, std::uint32_t branch) {
  frames_.push_back({.block = block, .owner = owner, .branch = branch});
}

void ControlStack::enter_continuing(BlockId block) {
  Frame& top = frames_.back();
  top.block = block;
  top.branch = 1;
  top.next = 0;
}

void ControlStack::iterate(BlockId body) {
  Frame& top = frames_.back();
  top.block = body;
  top.branch = 0;
  top.next = 0;
  ++top.iteration;
}

void ControlStack::break_out() {
  const auto breakable = [&](StmtId owner) {
    return std::holds_alternative<Loop>(program_[owner]) ||
           std::holds_alternative<Switch>(program_[owner]);
  };
  while (!breakable(owner()))
    leave_block();
  leave_block();
}

void ControlStack::continue_loop() {
  while (!std::holds_alternative<Loop>(program_[owner()]))
    leave_block();
  Frame& top = frames_.back();
  top.next = program_[top.block].stmts.size();
}

void ControlStack::leave(BlockId target) {
  while (frames_.back().block != target)
    leave_block();
  leave_block();
}

std::strong_ordering ControlStack::compare(const ControlStack& other) const {
  return std::lexicographical_compare_three_way(
      frames_.begin(), frames_.end(), other.frames_.begin(), other.frames_.end(),
      [](const Frame& a, const Frame& b) {
        return std::tie(a.iteration, a.branch, a.next) <=> std::tie(b.iteration, b.branch, b.next);
      });
}

}  // namespace vyre::interpreter
