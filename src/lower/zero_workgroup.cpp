// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <optional>
#include <vector>

#include "analysis/terms.h"
#include "ir/layout.h"
#include "ir/visit.h"
#include "lower/passes.h"
#include "lower/rewrite.h"

// Workgroup memory that may be read before the program writes it is zeroed first, by all lanes
// together, and a barrier.
namespace vyre {
namespace {

bool is_store(const Stmt& stmt) {
  const auto* atomic = std::get_if<Atomic>(&stmt);
  return std::holds_alternative<Store>(stmt) ||
         (atomic != nullptr && atomic->op == AtomicOp::store);
}

bool is_workgroup_barrier(const Stmt& stmt) {
  const auto* barrier = std::get_if<Barrier>(&stmt);
  return barrier != nullptr && barrier->workgroup;
}

/// Finds the workgroup buffers that need zeros.  One needs none if, in the innermost block that
/// holds all its accesses, all lanes together store to all of it and meet at a barrier before
/// anything else touches it; or if nothing reads it.
class Reads {
 public:
  explicit Reads(const Program& program)
      : program_(program),
        terms_(program),
        home_(program.buffers.size()),
        state_(program.buffers.size()) {
    walk(program, Homes{*this});
    walk(program, *this);
  }

  [[nodiscard]] bool needs_zeros(BufferId id) const {
    return state_[index(id)] == State::needed && home_[index(id)].read;
  }

  void enter(BlockId block, StmtId) { path_.push_back(block); }
  void exit(BlockId, StmtId) { path_.pop_back(); }
  void statement(StmtId id) {
    const Stmt& stmt = program_[id];
    if (const auto* let = std::get_if<Let>(&stmt)) terms_.bind(let->result, terms_.of(let->value));
    if (is_workgroup_barrier(stmt) || std::holds_alternative<UniformLoad>(stmt)) note_barrier();
    if (const MemoryRef* ref = memory_of(stmt)) note_access(stmt, *ref);
  }

 private:
  /// Where all accesses lie.
  struct Home {
    std::vector<BlockId> path = {};
    bool seen = false;
    bool read = false;
  };
  enum class State : std::uint8_t { untouched, stored, met, needed };

  struct Homes {
    Reads& reads;
    std::vector<BlockId> path = {};
    void enter(BlockId block, StmtId) { path.push_back(block); }
    void exit(BlockId, StmtId) { path.pop_back(); }
    void statement(StmtId id) {
      const Stmt& stmt = reads.program_[id];
      const MemoryRef* ref = memory_of(stmt);
      if (ref == nullptr) return;
      Home& home = reads.home_[index(ref->buffer)];
      home.read |= !is_store(stmt);
      if (!home.seen) home.path = path;
      home.seen = true;
      std::size_t common = 0;
      while (common < std::min(path.size(), home.path.size()) && path[common] == home.path[common])
        ++common;
      home.path.resize(common);
    }
  };

  /// A barrier right in the block of a buffer that was stored to there.
  void note_barrier() {
    for (std::size_t i = 0; i < state_.size(); ++i)
      if (state_[i] == State::stored && home_[i].path.back() == path_.back())
        state_[i] = State::met;
  }

  void note_access(const Stmt& stmt, const MemoryRef& ref) {
    State& state = state_[index(ref.buffer)];
    if (state == State::met || program_[ref.buffer].space != Space::workgroup) return;
    const bool at_home = home_[index(ref.buffer)].path.back() == path_.back();
    const bool first = state == State::untouched;
    state = first && at_home && is_store(stmt) && covers(ref) ? State::stored : State::needed;
  }

  /// True if the lanes of a workgroup together touch every element.
  bool covers(const MemoryRef& ref) {
    const auto address = resolve(program_, ref);
    if (!address || program_.layout(program_[ref.buffer]).kind == LayoutKind::structure)
      return false;
    if (address->kind == LayoutKind::vector && ref.count != address->width) return false;
    const auto& size = program_.workgroup;
    std::vector<bool> used(3);
    for (const Level& level : address->levels) {
      const TermInfo& at = terms_[terms_.of(level.index)];
      if (at.kind != ExprKind::builtin) return false;
      if (at.builtin == Builtin::local_index)
        return address->levels.size() == 1 && level.count <= size[0] * size[1] * size[2];
      if (at.builtin != Builtin::local_id || used[at.component]) return false;
      if (level.count > size[at.component]) return false;
      used[at.component] = true;
    }
    return spans_whole(*address, ref);
  }

  /// True if the path has a step for every array, so that nothing is left out by a constant step.
  [[nodiscard]] bool spans_whole(const Address& address, const MemoryRef& ref) const {
    std::size_t arrays = 0;
    LayoutId at = program_[ref.buffer].layout;
    for (; program_[at].kind == LayoutKind::array; at = program_[at].element)
      ++arrays;
    return address.levels.size() == arrays && program_[at].kind != LayoutKind::structure;
  }

  const Program& program_;
  TermTable terms_;
  std::vector<Home> home_;
  std::vector<State> state_;
  std::vector<BlockId> path_;
};

class Zeroer : public Rewriter {
 public:
  explicit Zeroer(const Program& from) : Rewriter(from), t_(to_), reads_(from) {}

  [[nodiscard]] bool is_needed() const {
    for (std::size_t i = 0; i < from_.buffers.size(); ++i)
      if (reads_.needs_zeros(static_cast<BufferId>(static_cast<std::uint32_t>(i)))) return true;
    return false;
  }

 private:
  /// A leaf of a layout, and the arrays around it.
  struct Leaf {
    LayoutId layout;
    std::vector<Step> path;  ///< array steps have no index yet
    std::vector<std::uint32_t> counts = {};
  };

  void begin() override {
    for (std::size_t i = 0; i < from_.buffers.size(); ++i) {
      const auto id = static_cast<BufferId>(static_cast<std::uint32_t>(i));
      if (!reads_.needs_zeros(id)) continue;
      for (const Leaf& leaf : leaves(from_[id].layout))
        zero(id, leaf);
    }
    to_.barrier(true, false);
  }

  [[nodiscard]] std::vector<Leaf> leaves(LayoutId root) const {
    std::vector<Leaf> found;
    std::vector<Leaf> pending = {{root, {}}};
    while (!pending.empty()) {
      Leaf leaf = std::move(pending.back());
      pending.pop_back();
      const Layout& layout = from_[leaf.layout];
      if (layout.kind == LayoutKind::array) {
        leaf.path.push_back({Step::Kind::index});
        leaf.counts.push_back(layout.count);
        leaf.layout = layout.element;
        pending.push_back(std::move(leaf));
      } else if (layout.kind == LayoutKind::structure) {
        for (std::size_t m = layout.members.size(); m-- > 0;) {
          Leaf member = leaf;
          member.path.push_back({Step::Kind::member, static_cast<std::uint32_t>(m)});
          member.layout = layout.members[m].layout;
          pending.push_back(std::move(member));
        }
      } else {
        found.push_back(std::move(leaf));
      }
    }
    return found;
  }

  [[nodiscard]] std::uint32_t lanes() const {
    return from_.workgroup[0] * from_.workgroup[1] * from_.workgroup[2];
  }

  void zero(BufferId id, const Leaf& leaf) {
    std::uint32_t total = 1;
    for (const std::uint32_t count : leaf.counts)
      total *= count;
    const ExprId lane = to_.builtin(Builtin::local_index);
    if (total == lanes()) return store(id, leaf, lane);
    if (total > lanes()) return zero_in_rounds(id, leaf, total);
    const BlockId block = to_.open();
    store(id, leaf, lane);
    to_.close();
    to_.if_(t_.lt(lane, t_.u32(total)), block);
  }

  void zero_in_rounds(BufferId id, const Leaf& leaf, std::uint32_t total) {
    const VarId next = to_.var(ScalarType::u32, to_.builtin(Builtin::local_index));
    const BlockId body = to_.open();
    const ExprId at = to_.get(next);
    const BlockId done = to_.open();
    to_.break_();
    to_.close();
    to_.if_(t_.ge(at, t_.u32(total)), done);
    store(id, leaf, at);
    to_.close();
    const BlockId continuing = to_.open();
    to_.set(next, t_.add(to_.get(next), t_.u32(lanes())));
    to_.close();
    to_.loop(body, continuing);
  }

  /// Stores zero to element `at` of the leaf, counted over all arrays around it.
  void store(BufferId id, const Leaf& leaf, ExprId at) {
    MemoryRef ref = {id, leaf.path};
    std::size_t level = leaf.counts.size();
    for (auto step = ref.path.rbegin(); step != ref.path.rend(); ++step) {
      if (step->kind != Step::Kind::index) continue;
      const std::uint32_t count = leaf.counts[--level];
      step->index = level == 0 ? at : t_.op(Op::rem, at, t_.u32(count));
      if (level != 0) at = t_.op(Op::div, at, t_.u32(count));
    }
    const Layout& layout = from_[leaf.layout];
    const ExprId zero = t_.zero(info(layout.scalar).widened);
    if (layout.kind == LayoutKind::atomic) {
      to_.atomic(AtomicOp::store, std::move(ref), zero);
    } else {
      ref.count = layout.width;
      to_.store_all(std::move(ref), std::vector<ExprId>(layout.width, zero));
    }
  }

  Terms t_;
  Reads reads_;
};

}  // namespace

Program zero_workgroup(const Program& program) {
  Zeroer zeroer(program);
  return zeroer.is_needed() ? zeroer.run() : program;
}

}  // namespace vyre
