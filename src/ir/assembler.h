// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <array>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "vyre/program.h"

/// Puts a program together, one expression and one statement at a time.
///
/// The C++ builder, the WGSL front end and the lowering passes all write programs through this
/// class.  Expressions may be used any number of times, nested to any depth and written in any
/// block where their operands are visible: `finish` makes them trees, binds what is shared at the
/// innermost block that covers all uses, and renumbers everything by first use.  Nothing is
/// checked here; `validate` does that.  One thread at a time.
namespace vyre {

class Assembler {
 public:
  Assembler(std::string name, std::array<std::uint32_t, 3> workgroup);
  /// Starts from the declarations (name, workgroup, layouts, buffers, traps) of `other`, with no
  /// statements: for passes that rewrite it.  Ids of layouts, buffers and traps stay valid.
  explicit Assembler(const Program& other);

  // ---- declarations; equal layouts share an id
  LayoutId scalar(ScalarType type);
  LayoutId atomic(ScalarType type);
  LayoutId vector(ScalarType type, std::uint8_t width);
  /// `count` 0: runtime-sized.  The stride is the element's size rounded up to its alignment.
  LayoutId array(LayoutId element, std::uint32_t count);
  LayoutId matrix(ScalarType type, std::uint8_t columns, std::uint8_t rows);
  struct MemberDecl {
    std::string name;
    LayoutId layout;
    std::uint32_t align = 0;  ///< 0: the layout's own
    std::uint32_t size = 0;   ///< 0: the layout's own
  };
  LayoutId structure(std::string name, std::span<const MemberDecl> members);
  LayoutId layout(Layout layout);
  [[nodiscard]] const Layout& operator[](LayoutId id) const { return program_[id]; }

  BufferId buffer(BufferDecl buffer);
  BufferDecl& edit(BufferId id) { return program_.buffers[index(id)]; }
  TrapId trap_tag(std::string text);

  // ---- expressions
  ExprId constant(ScalarType type, std::uint64_t bits);
  ExprId u32(std::uint32_t value) { return constant(ScalarType::u32, value); }
  ExprId i32(std::int32_t value) {
    return constant(ScalarType::i32, static_cast<std::uint32_t>(value));
  }
  ExprId f32(float value);
  ExprId boolean(bool value) { return constant(ScalarType::boolean, value ? 1 : 0); }
  ExprId builtin(Builtin builtin, std::uint8_t component = 0);
  ExprId length(BufferId buffer);
  ExprId launch(LaunchField field, BufferId buffer = kNone<BufferId>);
  ExprId value(ValueId value);
  /// Where the operand types are not allowed the type is a guess, and `validate` reports it.
  ExprId op(Op op, std::initializer_list<ExprId> operands);
  ExprId op(Op op, std::span<const ExprId> operands, ScalarType wanted);
  ExprId convert(ScalarType to, ExprId from);
  ExprId bitcast(ScalarType to, ExprId from);
  [[nodiscard]] ScalarType type(ExprId id) const { return program_[id].type; }
  [[nodiscard]] const Expr& operator[](ExprId id) const { return program_[id]; }
  /// Copies an expression as it stands; its operands are ids of this assembler.
  ExprId expr(const Expr& expr);

  // ---- statements, appended to the open block; those that bind return the value's expression
  ExprId let(ExprId value);
  VarId var(ScalarType type, ExprId init = kNone<ExprId>);
  ExprId get(VarId var);
  void set(VarId var, ExprId value);
  ExprId load(MemoryRef from);
  std::vector<ExprId> load_all(MemoryRef from);  ///< all `from.count` components
  void store(MemoryRef to, ExprId value);
  void store_all(MemoryRef to, std::span<const ExprId> values);
  ExprId atomic(AtomicOp op,
                MemoryRef on,
                ExprId value = kNone<ExprId>,
                ExprId comparand = kNone<ExprId>);
  std::vector<ExprId> uniform_load(MemoryRef from);
  std::vector<ExprId> subgroup(
      SubgroupOp op, ScalarType type, ExprId value, ExprId argument, bool divergent = false);
  void barrier(bool workgroup, bool storage);
  void trap(TrapId tag, ExprId value);
  void break_();
  void continue_();
  void return_();
  void leave(BlockId scope);

  // ---- blocks: `open` starts one, `close` ends it; then hand the id to a statement
  BlockId open();
  void close();
  /// The block that statements are appended to.
  [[nodiscard]] BlockId current() const { return open_.back(); }
  void if_(ExprId condition, BlockId then_block, BlockId else_block = kNone<BlockId>);
  void switch_(ExprId selector, std::vector<Case> cases, BlockId default_block);
  void loop(BlockId body, BlockId continuing = kNone<BlockId>, ExprId break_if = kNone<ExprId>);
  void scope(BlockId body);

  /// The type of variable `id`.
  [[nodiscard]] ScalarType type(VarId id) const { return program_.vars[index(id)]; }
  /// New ids without a statement, for passes that copy statements with `append`.
  ValueId new_value(ScalarType type);
  VarId new_var(ScalarType type);
  void append(Stmt stmt);

  /// The place that following statements come from.
  void set_place(Place place) { place_ = place; }
  void set_sources(std::shared_ptr<const std::vector<Source>> sources);

  /// The finished program; the assembler is empty afterwards.
  /// REQUIRES: every opened block is closed.
  Program finish() &&;
  /// The program as written, without the invariants.
  Program take() && { return std::move(program_); }
  [[nodiscard]] const std::string& name() const { return program_.name; }

 private:
  std::vector<ExprId> bind(ScalarType type, std::uint32_t count, ValueId& first);

  Program program_;
  std::vector<BlockId> open_;
  Place place_;
};

/// Establishes the invariants of `program.h` on a program whose expressions are an arbitrary
/// acyclic graph with operands before users.  Part of `Assembler::finish`.
Program normalize(Program program);

/// Puts neighbouring reads (let, get, load) into the order in which later statements use them, and
/// drops unused ones.  C++ leaves the order of evaluation within an expression open; this makes the
/// builder's programs the same whatever the compiler.  For a program as written.
Program order_reads(Program program);

}  // namespace vyre
