// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>
#include <variant>
#include <vector>

#include "vyre/program.h"

/// The only traversal of a program: what a statement contains, and statements in order.
///
/// Nothing here recurses over statements, so any nesting is handled.
namespace vyre {

/// Joins lambdas into one visitor: `std::visit(overloaded{…}, stmt)`.
template <typename... F>
struct overloaded : F... {
  using F::operator()...;
};
template <typename... F>
overloaded(F...) -> overloaded<F...>;

/// Calls `f(ExprId&)` for each present operand of a statement, in order: indices of the path, then
/// values.  A loop's `break_if` counts, although it is evaluated at the end of `continuing`.
template <typename S, typename F>
void for_each_operand(S& stmt, F&& f) {
  const auto use = [&](auto& id) {
    if (id != kNone<ExprId>) f(id);
  };
  const auto path = [&](auto& ref) {
    for (auto& step : ref.path)
      if (step.kind == Step::Kind::index) use(step.index);
  };
  std::visit(
      [&](auto& s) {
        using T = std::remove_cvref_t<decltype(s)>;
        if constexpr (requires { s.from; }) path(s.from);
        if constexpr (requires { s.to; }) path(s.to);
        if constexpr (requires { s.on; }) path(s.on);
        if constexpr (requires { s.value; }) use(s.value);
        if constexpr (std::is_same_v<T, Store>)
          for (auto& v : s.values)
            use(v);
        if constexpr (requires { s.comparand; }) use(s.comparand);
        if constexpr (requires { s.argument; }) use(s.argument);
        if constexpr (requires { s.init; }) use(s.init);
        if constexpr (requires { s.condition; }) use(s.condition);
        if constexpr (requires { s.selector; }) use(s.selector);
        if constexpr (requires { s.break_if; }) use(s.break_if);
      },
      stmt);
}

/// Calls `f(BlockId&)` for each block of a statement, in order: then, else · cases, default ·
/// body, continuing.
template <typename S, typename F>
void for_each_block(S& stmt, F&& f) {
  const auto use = [&](auto& id) {
    if (id != kNone<BlockId>) f(id);
  };
  std::visit(
      [&](auto& s) {
        if constexpr (requires { s.then_block; }) {
          use(s.then_block);
          use(s.else_block);
        }
        if constexpr (requires { s.cases; }) {
          for (auto& c : s.cases)
            use(c.block);
          use(s.default_block);
        }
        if constexpr (requires { s.body; }) use(s.body);
        if constexpr (requires { s.continuing; }) use(s.continuing);
      },
      stmt);
}

/// Calls `f(ValueId& first, count)` for the values that a statement binds, if any.
template <typename S, typename F>
void for_each_result(S& stmt, F&& f) {
  std::visit(
      [&](auto& s) {
        using T = std::remove_cvref_t<decltype(s)>;
        if constexpr (requires { s.result; }) f(s.result, std::uint32_t{1});
        if constexpr (std::is_same_v<T, Load> || std::is_same_v<T, UniformLoad>)
          f(s.first, std::uint32_t{s.from.count});
        if constexpr (std::is_same_v<T, Subgroup>)
          f(s.first, std::uint32_t{s.op == SubgroupOp::ballot ? 4u : 1u});
      },
      stmt);
}

/// The memory that a statement touches, or null.
template <typename S>
auto* memory_of(S& stmt) {
  using Ref = std::conditional_t<std::is_const_v<S>, const MemoryRef, MemoryRef>;
  Ref* found = nullptr;
  std::visit(
      [&](auto& s) {
        if constexpr (requires { s.from; }) found = &s.from;
        if constexpr (requires { s.to; }) found = &s.to;
        if constexpr (requires { s.on; }) found = &s.on;
      },
      stmt);
  return found;
}

/// By BufferId: some statement touches it.
inline std::vector<bool> touched_buffers(const Program& program) {
  std::vector<bool> touched(program.buffers.size());
  for (const Stmt& stmt : program.stmts)
    if (const MemoryRef* ref = memory_of(stmt)) touched[index(ref->buffer)] = true;
  return touched;
}

/// Visits every statement reachable from the body, in order, each before the blocks it contains.
/// `V` may define any of
///   void enter(BlockId, StmtId parent)   before the first statement of a block
///   void statement(StmtId)               before its blocks
///   void exit(BlockId, StmtId parent)    after the last statement of a block
///   void after(StmtId)                   after its blocks (only statements that have any)
/// The body's parent is `kNone<StmtId>`.
template <typename V>
void walk(const Program& program, V&& visitor) {
  struct Frame {
    StmtId parent;
    std::vector<BlockId> blocks;
    std::size_t block = 0;
    std::size_t next = 0;
  };
  if (program.body == kNone<BlockId>) return;
  std::vector<Frame> stack;
  stack.push_back({kNone<StmtId>, {program.body}});
  while (!stack.empty()) {
    Frame& top = stack.back();
    if (top.block == top.blocks.size()) {
      const StmtId done = top.parent;
      stack.pop_back();
      if constexpr (requires { visitor.after(done); })
        if (done != kNone<StmtId>) visitor.after(done);
      continue;
    }
    const BlockId block = top.blocks[top.block];
    const auto& stmts = program[block].stmts;
    if (top.next == 0)
      if constexpr (requires { visitor.enter(block, top.parent); })
        visitor.enter(block, top.parent);
    if (top.next == stmts.size()) {
      const StmtId parent = top.parent;
      top.next = 0;
      ++top.block;
      if constexpr (requires { visitor.exit(block, parent); }) visitor.exit(block, parent);
      continue;
    }
    const StmtId stmt = stmts[top.next++];
    if constexpr (requires { visitor.statement(stmt); }) visitor.statement(stmt);
    Frame inner{stmt, {}};
    for_each_block(program[stmt], [&](BlockId b) { inner.blocks.push_back(b); });
    if (!inner.blocks.empty()) stack.push_back(std::move(inner));
  }
}

}  // namespace vyre
