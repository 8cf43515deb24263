// SPDX-License-Identifier: MIT OR Apache-2.0
#include "lower/find_covered.h"

#include <algorithm>

#include "ir/layout.h"
#include "ir/visit.h"

// A covering store stands in the body or under `if (global_id.x < length(b))`, and nothing before
// it ends an invocation that has an element, except `if (global_id.x >= length(b)) return`.
namespace vyre {
namespace {

class Finder {
 public:
  explicit Finder(const Program& program)
      : program_(program),
        definition_(program.values.size(), kNone<ExprId>),
        covered_(program.buffers.size()),
        read_(program.buffers.size()) {
    if (program.workgroup[1] != 1 || program.workgroup[2] != 1) return;
    walk(program, *this);
    for (std::size_t i = 0; i < covered_.size(); ++i)
      covered_[i] = covered_[i] && !read_[i];
  }

  [[nodiscard]] std::vector<bool> result() && { return std::move(covered_); }

  void enter(BlockId block, StmtId parent) { frames_.push_back(frame_of(block, parent)); }
  void exit(BlockId, StmtId) { frames_.pop_back(); }

  void statement(StmtId id) {
    const Stmt& stmt = program_[id];
    if (const auto* let = std::get_if<Let>(&stmt)) definition_[index(let->result)] = let->value;
    if (const auto* store = std::get_if<Store>(&stmt)) return cover(*store);
    if (const MemoryRef* ref = memory_of(stmt)) read_[index(ref->buffer)] = true;
    if (std::holds_alternative<Return>(stmt) || std::holds_alternative<Trap>(stmt)) end();
  }

 private:
  /// What is known where a block is entered.
  struct Frame {
    bool reached = false;                 ///< by every invocation that has an element of `only`
    BufferId only = kNone<BufferId>;      ///< absent: by all invocations
    BufferId excluded = kNone<BufferId>;  ///< reached only by those that have no element of this
  };

  [[nodiscard]] Frame frame_of(BlockId block, StmtId parent) const {
    if (parent == kNone<StmtId>) return {.reached = true};
    const auto* branch = std::get_if<If>(&program_[parent]);
    const Frame& above = frames_.back();
    if (branch == nullptr || branch->then_block != block) return {};
    if (const BufferId guard = guarded(branch->condition, Op::lt, Op::gt); guard != kNone<BufferId>)
      return {.reached = above.reached && (above.only == kNone<BufferId> || above.only == guard),
              .only = guard};
    return {.excluded = guarded(branch->condition, Op::ge, Op::le)};
  }

  /// An invocation ends here: unless it has no element of some buffer, nothing later covers.
  void end() {
    const BufferId excluded = frames_.back().excluded;
    if (excluded == kNone<BufferId>) {
      ended_ = true;
    } else if (survivors_ == kNone<BufferId> || survivors_ == excluded) {
      survivors_ = excluded;
    } else {
      ended_ = true;
    }
  }

  void cover(const Store& store) {
    const Frame& frame = frames_.back();
    const BufferId buffer = store.to.buffer;
    const bool elements_only = frame.only == kNone<BufferId> || frame.only == buffer;
    const bool survives = survivors_ == kNone<BufferId> || survivors_ == buffer;
    if (frame.reached && elements_only && survives && !ended_ && writes_whole_element(store.to))
      covered_[index(buffer)] = true;
  }

  [[nodiscard]] bool writes_whole_element(const MemoryRef& to) const {
    const BufferDecl& buffer = program_[to.buffer];
    const Layout& root = program_.layout(buffer);
    if (buffer.space != Space::storage || root.kind != LayoutKind::array) return false;
    if (to.path.size() != 1 || !is_global_x(to.path[0].index)) return false;
    const Layout& element = program_[root.element];
    const std::uint32_t bytes = info(element.scalar).bytes;
    if (bytes != 4) return false;
    if (element.kind == LayoutKind::scalar) return to.count == 1 && root.stride == bytes;
    return element.kind == LayoutKind::vector && to.first == 0 && to.count == element.width &&
           root.stride == bytes * element.width;
  }

  /// The buffer b of `global_id.x op length(b)`, or of the mirrored comparison.
  [[nodiscard]] BufferId guarded(ExprId condition, Op op, Op mirrored) const {
    const Expr& expr = resolve_value(condition);
    if (expr.kind != ExprKind::operation) return kNone<BufferId>;
    if (expr.op == op && is_global_x(expr.operands[0])) return length_of(expr.operands[1]);
    if (expr.op == mirrored && is_global_x(expr.operands[1])) return length_of(expr.operands[0]);
    return kNone<BufferId>;
  }

  [[nodiscard]] const Expr& resolve_value(ExprId id) const {
    const Expr* expr = &program_[id];
    while (expr->kind == ExprKind::value && definition_[index(expr->value)] != kNone<ExprId>)
      expr = &program_[definition_[index(expr->value)]];
    return *expr;
  }
  [[nodiscard]] bool is_global_x(ExprId id) const {
    const Expr& expr = resolve_value(id);
    return expr.kind == ExprKind::builtin && expr.builtin == Builtin::global_id &&
           expr.component == 0;
  }
  [[nodiscard]] BufferId length_of(ExprId id) const {
    const Expr& expr = resolve_value(id);
    return expr.kind == ExprKind::length ? expr.buffer : kNone<BufferId>;
  }

  const Program& program_;
  std::vector<ExprId> definition_;  ///< of values bound by let
  std::vector<Frame> frames_;
  BufferId survivors_ = kNone<BufferId>;  ///< only invocations without an element of it have ended
  bool ended_ = false;                    ///< some others may have
  std::vector<bool> covered_;
  std::vector<bool> read_;
};

}  // namespace

std::vector<bool> find_covered(const Program& program) {
  return Finder(program).result();
}

}  // namespace vyre
