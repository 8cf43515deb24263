// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <unordered_set>
#include <vector>

#include "vyre/program.h"

#include "ir/assembler.h"

/// Writes a program anew, statement by statement, with hooks: what every pass is made of.
///
/// Without hooks it makes a copy, without what stands behind a jump in its block.  A pass overrides
/// the hooks it needs; `from_` is what it reads, `to_` what it writes.  Nothing recurses over
/// statements.  One thread at a time.
namespace vyre {

inline constexpr auto kU32 = ScalarType::u32;
inline constexpr auto kI32 = ScalarType::i32;
inline constexpr auto kF32 = ScalarType::f32;

class Rewriter {
 public:
  explicit Rewriter(const Program& from);
  virtual ~Rewriter() = default;
  Rewriter(const Rewriter&) = delete;
  Rewriter& operator=(const Rewriter&) = delete;

  /// The finished program.  Call once.
  Program run();

 protected:
  // ---- hooks
  /// Before the first statement, and after the last one, of the body.
  virtual void begin() {}
  virtual void end() {}
  /// A constant, builtin, length or launch word.
  virtual ExprId leaf(const Expr& expr) { return to_.expr(expr); }
  /// An operation whose operands are already expressions of `to_`.
  virtual ExprId operation(ExprId /*old*/, const Expr& expr) { return to_.expr(expr); }
  /// True if the hook has dealt with the statement: it wrote something else, or nothing, and
  /// bound its results with `bind`.  Blocks it wants written are given to `visit`.
  virtual bool replace(StmtId, const Stmt&) { return false; }
  /// After a statement and all its blocks.
  virtual void after(StmtId, const Stmt&) {}
  /// Inside a block, before its first and after its last statement.
  virtual void enter(BlockId, StmtId /*parent*/) {}
  virtual void exit(BlockId, StmtId /*parent*/) {}
  /// A loop's `break_if` (absent: none), at the end of its continuing block.
  virtual ExprId leave_if(StmtId, ExprId condition) { return condition; }

  // ---- what hooks use
  using Action = std::function<void()>;
  /// Has the statements of `block` written next, after blocks given earlier: `before` first, then
  /// its statements in the block that is open, then `behind`.  A `block` of none only acts.
  void visit(BlockId block, StmtId parent, Action before, Action behind);
  /// The same, in a block of its own whose id is put into `*id`.
  void visit_nested(BlockId block, StmtId parent, BlockId* id);

  ExprId map(ExprId id);
  void map_path(MemoryRef& ref);
  /// From now on uses of `old` mean `now`.
  void bind(ValueId old, ExprId now) { value_[index(old)] = now; }
  void bind(VarId old, VarId now) { var_[index(old)] = now; }
  [[nodiscard]] VarId map(VarId id) const { return var_[index(id)]; }
  /// True if an expression of `from_` reads the value.
  [[nodiscard]] bool is_used(ValueId value) const { return used_[index(value)]; }
  /// The statement with operands, results and names of `to_`; blocks as they were.
  Stmt renamed(const Stmt& stmt);
  /// Copies a statement with its blocks.
  void copy(StmtId id, const Stmt& stmt);

  /// Says that the end of the open block is not reached, so that the rest of it is left out.
  /// Jumps that are copied say so themselves.
  void end_block() { ended_.insert(to_.current()); }
  [[nodiscard]] bool is_ended(BlockId written) const { return ended_.contains(written); }

  const Program& from_;
  Assembler to_;

 private:
  struct Frame {
    BlockId block;
    StmtId parent;
    Action before;
    Action behind;
    std::size_t next = 0;
    bool started = false;
  };

  void step();
  void finish_statement(Frame& frame);
  void start_statement(StmtId id);
  void push_queued();
  void rename_results(Stmt& stmt);

  std::vector<Frame> stack_;
  std::vector<Frame> queued_;
  std::vector<ExprId> value_;
  std::vector<VarId> var_;
  std::vector<BlockId> block_;
  std::vector<bool> used_;
  std::unordered_set<BlockId> ended_;
};

/// The expressions a pass writes most.
class Terms {
 public:
  explicit Terms(Assembler& to) : to_(to) {}
  ExprId u32(std::uint32_t value) const { return to_.u32(value); }
  ExprId zero(ScalarType type) const { return to_.constant(type, 0); }
  ExprId op(Op op, ExprId a) const { return to_.op(op, {a}); }
  ExprId op(Op op, ExprId a, ExprId b) const { return to_.op(op, {a, b}); }
  ExprId op(Op op, ExprId a, ExprId b, ExprId c) const { return to_.op(op, {a, b, c}); }
  ExprId add(ExprId a, ExprId b) const { return op(Op::add, a, b); }
  ExprId sub(ExprId a, ExprId b) const { return op(Op::sub, a, b); }
  ExprId mul(ExprId a, ExprId b) const { return op(Op::mul, a, b); }
  ExprId bit_and(ExprId a, ExprId b) const { return op(Op::bit_and, a, b); }
  ExprId bit_or(ExprId a, ExprId b) const { return op(Op::bit_or, a, b); }
  ExprId bit_xor(ExprId a, ExprId b) const { return op(Op::bit_xor, a, b); }
  ExprId shl(ExprId a, ExprId count) const { return op(Op::shl, a, count); }
  ExprId shr(ExprId a, ExprId count) const { return op(Op::shr, a, count); }
  ExprId both(ExprId a, ExprId b) const { return op(Op::logical_and, a, b); }
  ExprId either(ExprId a, ExprId b) const { return op(Op::logical_or, a, b); }
  ExprId negate(ExprId a) const { return op(Op::logical_not, a); }
  ExprId eq(ExprId a, ExprId b) const { return op(Op::eq, a, b); }
  ExprId ne(ExprId a, ExprId b) const { return op(Op::ne, a, b); }
  ExprId lt(ExprId a, ExprId b) const { return op(Op::lt, a, b); }
  ExprId le(ExprId a, ExprId b) const { return op(Op::le, a, b); }
  ExprId gt(ExprId a, ExprId b) const { return op(Op::gt, a, b); }
  ExprId ge(ExprId a, ExprId b) const { return op(Op::ge, a, b); }
  ExprId select(ExprId condition, ExprId yes, ExprId no) const {
    return op(Op::select, condition, yes, no);
  }
  ExprId convert(ScalarType to, ExprId a) const { return to_.convert(to, a); }
  ExprId bitcast(ScalarType to, ExprId a) const { return to_.bitcast(to, a); }
  ExprId bits(ExprId a) const { return to_.bitcast(ScalarType::u32, a); }

 private:
  Assembler& to_;
};

}  // namespace vyre
