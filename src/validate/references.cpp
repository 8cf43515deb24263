// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <vector>

#include "ir/visit.h"
#include "validate/checks.h"

// Nothing may be trusted here, not even that blocks form a tree; so the arenas are read in order,
// not from the body down.
namespace vyre {
namespace {

template <typename E>
bool valid(E value, E last) {
  return static_cast<unsigned>(value) <= static_cast<unsigned>(last);
}

class References {
 public:
  explicit References(Inspection& inspection)
      : program_(inspection.program),
        faults_(inspection.faults),
        owner_(program_.exprs.size(), kNone<StmtId>),
        uses_(program_.exprs.size()) {}

  void run() {
    declarations();
    statements();
    blocks();
    expressions();
    if (faults_.empty()) walk(program_, *this);
  }

  // Called by `walk`: ids ascend in the order of the text, which binds each of them once.
  void enter(BlockId id, StmtId parent) { ascend(id, next_block_, parent); }
  void statement(StmtId id) {
    if (const auto* s = std::get_if<Var>(&program_[id])) ascend(s->var, next_var_, id);
    for_each_result(program_[id], [&](ValueId first, std::uint32_t count) {
      ascend(first, next_value_, id);
      next_value_ = static_cast<ValueId>(index(next_value_) + count - 1);
    });
  }

 private:
  static std::string name(BlockId id) { return text("block ", index(id)); }
  static std::string name(ValueId id) { return named(id); }
  static std::string name(VarId id) { return named(id); }

  template <typename Id>
  void ascend(Id id, Id& next, StmtId at) {
    if (id != next)
      faults_.add(Code::malformed_program, at,
                  text(name(id), " is bound where ", name(next), " is due"));
    next = static_cast<Id>(index(id) + 1);
  }

  void malformed(StmtId at, std::string message) {
    faults_.add(Code::malformed_program, at, std::move(message));
  }
  void malformed(std::string message) { faults_.add(Code::malformed_program, std::move(message)); }

  // ---- declarations

  void declarations() {
    for (std::size_t i = 0; i < program_.layouts.size(); ++i)
      layout(i);
    for (std::size_t i = 0; i < program_.buffers.size(); ++i)
      buffer(i);
    types(program_.values, "value %");
    types(program_.vars, "variable $");
    if (!program_.places.empty() && program_.places.size() != program_.stmts.size())
      malformed(text("there are ", program_.places.size(), " places for ", program_.stmts.size(),
                     " statements"));
  }

  void layout(std::size_t i) {
    const Layout& layout = program_.layouts[i];
    if (!valid(layout.kind, LayoutKind::structure) || !valid(layout.scalar, ScalarType::half))
      malformed(text("layout ", i, " has an unknown kind or scalar type"));
    const auto contains = [&](LayoutId id) {
      if (index(id) >= i)
        malformed(text("layout ", i, " contains layout ", index(id),
                       ", but a layout may only contain earlier ones"));
    };
    if (layout.kind == LayoutKind::array) contains(layout.element);
    for (const Layout::Member& member : layout.members)
      contains(member.layout);
  }

  void buffer(std::size_t i) {
    const BufferDecl& buffer = program_.buffers[i];
    const std::string name = "buffer " + quoted(buffer.name);
    if (!valid(buffer.space, Space::local) || !valid(buffer.access, Access::scratch))
      malformed(name + " has an unknown space or access");
    if (index(buffer.layout) >= program_.layouts.size())
      malformed(text(name, " has layout ", index(buffer.layout), " of ", program_.layouts.size()));
    if (buffer.same_length_as != kNone<BufferId> &&
        index(buffer.same_length_as) >= program_.buffers.size())
      malformed(text(name, " is as long as buffer ", index(buffer.same_length_as), " of ",
                     program_.buffers.size()));
  }

  void types(const std::vector<ScalarType>& types, std::string_view what) {
    for (std::size_t i = 0; i < types.size(); ++i)
      if (!valid(types[i], ScalarType::i64))
        malformed(text(what, i, " has a type that values cannot have"));
  }

  // ---- statements

  template <typename Id>
  void in_range(StmtId at, Id id, std::size_t size, std::string_view what) {
    if (id == kNone<Id>)
      malformed(at, text("it has no ", what));
    else if (index(id) >= size)
      malformed(at, text("it names ", what, " ", index(id), " of ", size));
  }

  void statements() {
    for (std::size_t i = 0; i < program_.stmts.size(); ++i) {
      const auto id = static_cast<StmtId>(static_cast<std::uint32_t>(i));
      const Stmt& stmt = program_.stmts[i];
      std::visit([&](const auto& s) { check(id, s); }, stmt);
      if (const MemoryRef* ref = memory_of(stmt)) memory(id, *ref);
      for_each_result(stmt, [&](ValueId first, std::uint32_t count) {
        if (std::uint64_t{index(first)} + count > program_.values.size())
          malformed(id, text("it binds ", count, " values from %", index(first), " on, of ",
                             program_.values.size()));
      });
      for_each_operand(stmt, [&](ExprId e) { operand(id, e); });
      for_each_block(stmt, [&](BlockId b) { in_range(id, b, program_.blocks.size(), "block"); });
    }
  }

  void operand(StmtId at, ExprId id) {
    in_range(at, id, program_.exprs.size(), "expression");
    if (index(id) >= program_.exprs.size()) return;
    owner_[index(id)] = at;
    ++uses_[index(id)];
  }

  void memory(StmtId at, const MemoryRef& ref) {
    in_range(at, ref.buffer, program_.buffers.size(), "buffer");
    for (const Step& step : ref.path) {
      if (!valid(step.kind, Step::Kind::index)) malformed(at, "a step of its path is of no kind");
      if (step.kind == Step::Kind::index && step.index == kNone<ExprId>)
        malformed(at, "an index of its path is missing");
    }
  }

  // What each statement must have; ids that are present are tested by `statements`.
  void present(StmtId at, ExprId id, std::string_view what) {
    if (id == kNone<ExprId>) malformed(at, text("it has no ", what));
  }
  void present(StmtId at, BlockId id, std::string_view what) {
    if (id == kNone<BlockId>) malformed(at, text("it has no ", what));
  }
  void check(StmtId at, const Let& s) { present(at, s.value, "value"); }
  void check(StmtId at, const Var& s) { in_range(at, s.var, program_.vars.size(), "variable"); }
  void check(StmtId at, const Get& s) { in_range(at, s.var, program_.vars.size(), "variable"); }
  void check(StmtId at, const Set& s) {
    in_range(at, s.var, program_.vars.size(), "variable");
    present(at, s.value, "value");
  }
  void check(StmtId, const Load&) {}
  void check(StmtId, const Store&) {}
  void check(StmtId at, const Atomic& s) {
    if (!valid(s.op, AtomicOp::store)) malformed(at, "it is an unknown atomic operation");
  }
  void check(StmtId at, const If& s) {
    present(at, s.condition, "condition");
    present(at, s.then_block, "block");
  }
  void check(StmtId at, const Switch& s) {
    present(at, s.selector, "selector");
    present(at, s.default_block, "default block");
    for (const Case& c : s.cases)
      present(at, c.block, "block for a case");
  }
  void check(StmtId at, const Loop& s) { present(at, s.body, "body"); }
  void check(StmtId at, const Scope& s) { present(at, s.body, "body"); }
  void check(StmtId at, const Leave& s) { in_range(at, s.target, program_.blocks.size(), "block"); }
  void check(StmtId, const Break&) {}
  void check(StmtId, const Continue&) {}
  void check(StmtId, const Return&) {}
  void check(StmtId, const Barrier&) {}
  void check(StmtId, const UniformLoad&) {}
  void check(StmtId at, const Subgroup& s) {
    if (!valid(s.op, SubgroupOp::any)) malformed(at, "it is an unknown subgroup operation");
  }
  void check(StmtId at, const Trap& s) {
    in_range(at, s.tag, program_.traps.size(), "trap");
    present(at, s.value, "value");
  }

  // ---- blocks

  /// Each block belongs to one statement, and each statement to one block: then what the body
  /// reaches is a tree.
  void blocks() {
    std::vector<bool> block_seen(program_.blocks.size());
    std::vector<bool> stmt_seen(program_.stmts.size());
    if (program_.body != kNone<BlockId>) {
      if (index(program_.body) >= program_.blocks.size())
        malformed(text("the body is block ", index(program_.body), " of ", program_.blocks.size()));
      else
        block_seen[index(program_.body)] = true;
    }
    for (std::size_t i = 0; i < program_.stmts.size(); ++i)
      for_each_block(program_.stmts[i], [&](BlockId b) {
        if (index(b) < block_seen.size() && block_seen[index(b)])
          malformed(static_cast<StmtId>(static_cast<std::uint32_t>(i)),
                    text("it holds block ", index(b), ", which has another place already"));
        if (index(b) < block_seen.size()) block_seen[index(b)] = true;
      });
    for (const Block& block : program_.blocks)
      for (const StmtId s : block.stmts)
        list(s, stmt_seen);
  }
  void list(StmtId id, std::vector<bool>& seen) {
    if (index(id) >= seen.size())
      malformed(text("a block lists statement ", index(id), " of ", seen.size()));
    else if (seen[index(id)])
      malformed(id, "it is listed twice");
    else
      seen[index(id)] = true;
  }

  // ---- expressions

  void expressions() {
    // Users come after their operands: going down, an expression's owner is known before it.
    for (std::size_t i = program_.exprs.size(); i-- > 0;)
      expression(i);
    std::vector<std::uint32_t> height(program_.exprs.size());
    for (std::size_t i = 0; i < height.size(); ++i)
      measure(i, height);
  }

  void expression(std::size_t i) {
    const Expr& expr = program_.exprs[i];
    if (!valid(expr.kind, ExprKind::operation) || !valid(expr.type, ScalarType::half) ||
        !valid(expr.op, Op::smoothstep) || !valid(expr.builtin, Builtin::subgroup_size) ||
        !valid(expr.launch, LaunchField::zero))
      return malformed(owner_[i], text("expression ", i, " is of no known kind"));
    const std::size_t arity = expr.kind == ExprKind::operation ? info(expr.op).arity : 0;
    for (std::size_t k = 0; k < expr.operands.size(); ++k)
      operand(i, expr.operands[k], k < arity);
    if (expr.kind == ExprKind::operation && uses_[i] > 1)
      malformed(owner_[i], text("expression ", i, " (`", to_string(expr.op),
                                "`) is the operand of ", uses_[i], " places"));
  }
  void operand(std::size_t user, ExprId id, bool wanted) {
    if ((id != kNone<ExprId>) != wanted)
      return malformed(owner_[user], text("expression ", user, " has too ", wanted ? "few" : "many",
                                          " operands"));
    if (!wanted) return;
    if (index(id) >= user)
      return malformed(owner_[user], text("expression ", user, " has the operand ", index(id),
                                          ", which does not come before it"));
    owner_[index(id)] = owner_[user];
    ++uses_[index(id)];
  }
  void measure(std::size_t i, std::vector<std::uint32_t>& height) {
    if (program_.exprs[i].kind != ExprKind::operation) return;
    for (const ExprId id : program_.exprs[i].operands)
      if (index(id) < i) height[i] = std::max(height[i], height[index(id)]);
    if (++height[i] == kMaxExprDepth + 1)
      malformed(owner_[i], text("an expression nests more than ", kMaxExprDepth, " operations"));
  }

  const Program& program_;
  Faults& faults_;
  std::vector<StmtId> owner_;        ///< the statement that each expression belongs to
  std::vector<std::uint32_t> uses_;  ///< of each expression
  BlockId next_block_ = {};
  VarId next_var_ = {};
  ValueId next_value_ = {};
};

}  // namespace

void check_references(Inspection& inspection) {
  References(inspection).run();
}

}  // namespace vyre
