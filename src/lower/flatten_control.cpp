// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/visit.h"
#include "lower/passes.h"
#include "lower/rewrite.h"

// Switches become a row of ifs over the one selector; named blocks lose their name.  A jump that
// only skips (`leave`, or `break` out of a switch) sets a flag, breaks the loop it is in if it has
// to, and what it skips is put under the flag.  A jump to where control goes anyway is left out.
namespace vyre {
namespace {

/// Which statements each skipping jump passes through.
class Jumps {
 public:
  explicit Jumps(const Program& program) : program_(program), exits_(program.stmts.size()) {
    walk(program, *this);
  }

  /// The scopes and switches outside of statement `id` that a jump inside it may lead to the end
  /// of, other than by just going on.
  [[nodiscard]] const std::vector<StmtId>& exits(StmtId id) const { return exits_[index(id)]; }

  struct Jump {
    StmtId target = kNone<StmtId>;
    bool needed = false;        ///< false: control goes there anyway
    bool crosses_loop = false;  ///< the target is outside of the innermost loop
  };
  /// Of a Leave, or of a Break out of a switch; null for other statements.
  [[nodiscard]] const Jump* jump(StmtId id) const {
    const auto found = jumps_.find(id);
    return found == jumps_.end() ? nullptr : &found->second;
  }
  [[nodiscard]] bool is_flagged(StmtId target) const { return flagged_.contains(target); }

  void enter(BlockId block, StmtId parent) { path_.push_back({block, parent, 0}); }
  void exit(BlockId, StmtId) { path_.pop_back(); }
  void statement(StmtId id) {
    ++path_.back().next;
    const Stmt& stmt = program_[id];
    if (const auto* leave = std::get_if<Leave>(&stmt))
      add(id, [&](const Frame& frame) { return frame.block == leave->target; });
    if (std::holds_alternative<Break>(stmt) && breaks_switch())
      add(id, [&](const Frame& frame) { return is<Switch>(frame.parent); });
  }

 private:
  struct Frame {
    BlockId block;
    StmtId parent;
    std::size_t next;
  };

  template <typename T>
  [[nodiscard]] bool is(StmtId id) const {
    return id != kNone<StmtId> && std::holds_alternative<T>(program_[id]);
  }
  [[nodiscard]] bool breaks_switch() const {
    for (auto frame = path_.rbegin(); frame != path_.rend(); ++frame) {
      if (is<Switch>(frame->parent)) return true;
      if (is<Loop>(frame->parent)) return false;
    }
    return false;
  }

  template <typename F>
  void add(StmtId id, F is_target) {
    Jump jump;
    auto frame = path_.rbegin();
    for (; frame != path_.rend(); ++frame) {
      jump.needed |= frame->next != program_[frame->block].stmts.size();
      if (is_target(*frame)) break;
      jump.crosses_loop |= is<Loop>(frame->parent);
    }
    if (frame == path_.rend()) return;
    jump.needed |= jump.crosses_loop;
    jump.target = frame->parent;
    jumps_[id] = jump;
    if (!jump.needed) return;
    flagged_.insert(jump.target);
    for (auto inner = path_.rbegin(); inner != frame; ++inner) {
      auto& exits = exits_[index(inner->parent)];
      if (std::find(exits.begin(), exits.end(), jump.target) == exits.end())
        exits.push_back(jump.target);
    }
  }

  const Program& program_;
  std::vector<std::vector<StmtId>> exits_;
  std::unordered_map<StmtId, Jump> jumps_;
  std::unordered_set<StmtId> flagged_;
  std::vector<Frame> path_;
};

class Flattener : public Rewriter {
 public:
  explicit Flattener(const Program& from) : Rewriter(from), t_(to_), jumps_(from) {}

 private:
  struct Guard {
    ExprId condition;
    BlockId block;
  };
  struct Frame {
    StmtId parent;
    std::vector<StmtId> pending = {};  ///< targets whose flags guard the rest of the block
    std::vector<Guard> open = {};
  };

  void enter(BlockId, StmtId parent) override { path_.push_back({parent}); }
  void exit(BlockId, StmtId) override {
    auto& open = path_.back().open;
    for (; !open.empty(); open.pop_back()) {
      to_.close();
      to_.if_(open.back().condition, open.back().block);
    }
    path_.pop_back();
  }

  bool replace(StmtId id, const Stmt& stmt) override {
    open_guard();
    if (const auto* scope = std::get_if<Scope>(&stmt)) return write_scope(id, *scope);
    if (const auto* choice = std::get_if<Switch>(&stmt)) return write_switch(id, *choice);
    if (const auto* jump = jumps_.jump(id)) return write_jump(*jump);
    return false;
  }

  void open_guard() {
    Frame& frame = path_.back();
    if (frame.pending.empty()) return;
    ExprId condition = kNone<ExprId>;
    for (const StmtId target : frame.pending) {
      const ExprId goes_on = t_.negate(to_.get(flags_.at(target)));
      condition = condition == kNone<ExprId> ? goes_on : t_.both(condition, goes_on);
    }
    frame.pending.clear();
    frame.open.push_back({condition, to_.open()});
  }

  void make_flag(StmtId target) {
    if (jumps_.is_flagged(target)) flags_[target] = to_.var(ScalarType::boolean);
  }

  bool write_scope(StmtId id, const Scope& scope) {
    make_flag(id);
    visit(scope.body, id, {}, {});
    return true;
  }

  bool write_jump(const Jumps::Jump& jump) {
    if (!jump.needed) return true;
    to_.set(flags_.at(jump.target), to_.boolean(true));
    if (jump.crosses_loop) to_.break_();
    return true;
  }

  /// The cases exclude each other, so each is an if of its own.
  bool write_switch(StmtId id, const Switch& choice) {
    make_flag(id);
    const ExprId selector = map(choice.selector);
    ExprId other = to_.boolean(true);
    for (const Case& c : choice.cases) {
      if (c.block == choice.default_block || c.values.empty()) continue;
      const ExprId chosen = is_one_of(selector, c.values);
      other = t_.both(other, t_.negate(chosen));
      write_case(id, chosen, c.block);
    }
    write_case(id, other, choice.default_block);
    return true;
  }

  ExprId is_one_of(ExprId selector, const std::vector<std::uint32_t>& values) {
    ExprId chosen = kNone<ExprId>;
    for (const std::uint32_t value : values) {
      const ExprId equal = t_.eq(selector, to_.constant(to_.type(selector), value));
      chosen = chosen == kNone<ExprId> ? equal : t_.either(chosen, equal);
    }
    return chosen;
  }

  void write_case(StmtId id, ExprId condition, BlockId block) {
    auto written = std::make_shared<BlockId>(kNone<BlockId>);
    visit_nested(block, id, written.get());
    visit(kNone<BlockId>, id, {}, [this, condition, written] { to_.if_(condition, *written); });
  }

  void after(StmtId id, const Stmt& stmt) override {
    const bool is_loop = std::holds_alternative<Loop>(stmt);
    for (const StmtId target : jumps_.exits(id)) {
      if (!crosses_loop(target))
        path_.back().pending.push_back(target);
      else if (is_loop)
        break_if(flags_.at(target));
    }
  }

  /// True if a loop lies between here and `target`.
  [[nodiscard]] bool crosses_loop(StmtId target) const {
    for (auto frame = path_.rbegin(); frame != path_.rend() && frame->parent != target; ++frame)
      if (frame->parent != kNone<StmtId> && std::holds_alternative<Loop>(from_[frame->parent]))
        return true;
    return false;
  }

  void break_if(VarId flag) {
    const ExprId condition = to_.get(flag);
    const BlockId block = to_.open();
    to_.break_();
    to_.close();
    to_.if_(condition, block);
  }

  Terms t_;
  Jumps jumps_;
  std::unordered_map<StmtId, VarId> flags_;
  std::vector<Frame> path_;
};

}  // namespace

Program flatten_control(const Program& program) {
  return Flattener(program).run();
}

}  // namespace vyre
