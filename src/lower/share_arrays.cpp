// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "ir/layout.h"
#include "ir/visit.h"
#include "lower/passes.h"
#include "lower/rewrite.h"

// Private arrays of equal layout whose lives do not meet become one array.
//
// A life of an array starts where stores to all of it come first, or else where it is used first,
// as zeros.  It lasts until the last use that is not behind the start of another life.  In a loop,
// unless it starts with such stores, a turn sees what the one before it left: then the whole loop
// is one use.  A life that starts as zeros in an array that another one left gets a loop that
// zeroes the array in front of it.
namespace vyre {
namespace {

/// A loop whose body runs once for each value of `counter` from 0 up to `count`, and never jumps.
struct CountingLoop {
  StmtId loop = kNone<StmtId>;
  VarId counter = kNone<VarId>;
  std::uint64_t count = 0;
};

bool nests_blocks(const Stmt& stmt) {
  bool found = false;
  for_each_block(stmt, [&](BlockId) { found = true; });
  return found;
}

/// Where statements stand, and which loops count.
class Structure {
 public:
  explicit Structure(const Program& program)
      : program_(program),
        begin_(program.stmts.size()),
        end_(begin_.size()),
        home_(begin_.size(), kNone<BlockId>),
        jumps_(begin_.size()),
        writes_(program.vars.size()),
        declared_(program.vars.size(), kNone<StmtId>),
        get_(program.values.size(), kNone<StmtId>) {
    walk(program, *this);
  }

  void enter(BlockId block, StmtId) { path_.push_back(block); }
  void exit(BlockId, StmtId) { path_.pop_back(); }
  void statement(StmtId id) {
    const Stmt& stmt = program_[id];
    begin_[index(id)] = end_[index(id)] = ++clock_;
    home_[index(id)] = path_.back();
    if (const auto* var = std::get_if<Var>(&stmt)) {
      ++writes_[index(var->var)];
      if (var->init == kNone<ExprId>) declared_[index(var->var)] = id;
    }
    if (const auto* set = std::get_if<Set>(&stmt)) ++writes_[index(set->var)];
    if (const auto* get = std::get_if<Get>(&stmt)) get_[index(get->result)] = id;
    if (is_jump(stmt))
      for (const StmtId around : open_)
        jumps_[index(around)] = true;
    if (nests_blocks(stmt)) open_.push_back(id);
  }
  void after(StmtId id) {
    end_[index(id)] = clock_;
    open_.pop_back();
  }

  [[nodiscard]] std::uint32_t begin(StmtId id) const { return begin_[index(id)]; }
  [[nodiscard]] std::uint32_t end(StmtId id) const { return end_[index(id)]; }
  /// The statement that read a value from a variable; none for others.
  [[nodiscard]] StmtId get(ExprId id) const {
    const Expr& expr = program_[id];
    return expr.kind == ExprKind::value ? get_[index(expr.value)] : kNone<StmtId>;
  }
  /// True if the expression is what the loop's body reads from the counter.
  [[nodiscard]] bool is_counter(ExprId id, const CountingLoop& loop) const {
    const StmtId from = get(id);
    return from != kNone<StmtId> && std::get<Get>(program_[from]).var == loop.counter &&
           begin(loop.loop) < begin(from) && begin(from) <= end(loop.loop);
  }

  /// The form that front ends give to loops over an array: the counter starts as zero beside the
  /// loop, its step ends the body, and `counter >= count` ends the loop.
  [[nodiscard]] std::optional<CountingLoop> counted(StmtId id) const {
    const auto* loop = std::get_if<Loop>(&program_[id]);
    if (loop == nullptr || jumps_[index(id)] || loop->break_if == kNone<ExprId>)
      return std::nullopt;
    const Expr& done = program_[loop->break_if];
    const auto& behind = program_[loop->continuing].stmts;
    if (done.kind != ExprKind::operation || done.op != Op::ge || behind.size() != 1 ||
        get(done.operands[0]) != behind.front())
      return std::nullopt;
    const Expr& count = program_[done.operands[1]];
    if (count.kind != ExprKind::constant || count.type != ScalarType::u32 || count.bits == 0)
      return std::nullopt;
    const CountingLoop found = {id, std::get<Get>(program_[behind.front()]).var, count.bits};
    return starts_at_zero(found) && ends_with_step(*loop, found) ? std::optional(found)
                                                                 : std::nullopt;
  }

 private:
  static bool is_jump(const Stmt& stmt) {
    return std::holds_alternative<Break>(stmt) || std::holds_alternative<Continue>(stmt) ||
           std::holds_alternative<Leave>(stmt);
  }
  [[nodiscard]] bool starts_at_zero(const CountingLoop& loop) const {
    const StmtId start = declared_[index(loop.counter)];
    return start != kNone<StmtId> && home_[index(start)] == home_[index(loop.loop)];
  }
  /// True if the counter grows by one at the end of the body, and nowhere else changes.
  [[nodiscard]] bool ends_with_step(const Loop& loop, const CountingLoop& found) const {
    const auto& body = program_[loop.body].stmts;
    const auto* set = body.empty() ? nullptr : std::get_if<Set>(&program_[body.back()]);
    if (set == nullptr || set->var != found.counter || writes_[index(found.counter)] != 2)
      return false;
    const Expr& sum = program_[set->value];
    if (sum.kind != ExprKind::operation || sum.op != Op::add) return false;
    const Expr& step = program_[sum.operands[1]];
    return is_counter(sum.operands[0], found) && step.kind == ExprKind::constant && step.bits == 1;
  }

  const Program& program_;
  std::vector<std::uint32_t> begin_;  ///< by statement, in the order of a walk
  std::vector<std::uint32_t> end_;    ///< by statement: of the last one in its blocks
  std::vector<BlockId> home_;         ///< by statement
  std::vector<bool> jumps_;           ///< by statement: there is a jump in its blocks
  std::vector<std::uint32_t> writes_;
  std::vector<StmtId> declared_;  ///< by variable: where it becomes zero
  std::vector<StmtId> get_;       ///< by value
  std::vector<BlockId> path_;
  std::vector<StmtId> open_;
  std::uint32_t clock_ = 0;
};

/// The bytes of one array that are surely stored to.
class Coverage {
 public:
  /// `work`: what may still be done.
  Coverage(const Program& program, BufferId buffer, std::uint64_t& work)
      : program_(program),
        layout_(program[buffer].layout),
        bytes_(program[layout_].size),
        work_(work) {
    each_scalar(program_, layout_, 0, 0, [&](std::uint64_t, ScalarType) { return ++left_, true; });
    pay(left_);
  }
  [[nodiscard]] bool is_complete() const { return left_ == 0; }
  /// False if so much was looked at that the pass would take long.
  bool pay(std::uint64_t work = 1) {
    const bool enough = work <= work_;
    work_ -= enough ? work : work_;
    return enough;
  }

  /// A store that runs for all values of the counters of `loops`.
  void add(const Structure& structure,
           const MemoryRef& ref,
           const std::vector<CountingLoop>& loops) {
    const auto address = resolve(program_, ref);
    if (!address || address->consecutive) return;
    std::vector<std::uint64_t> at = {address->offset};
    std::vector<StmtId> used;
    for (const Level& level : address->levels)
      if (!spread(structure, level, loops, used, at)) return;
    const std::uint32_t width = address->kind == LayoutKind::vector ? ref.count : 1;
    for (const std::uint64_t offset : at)
      for (std::uint32_t i = 0; i < width; ++i)
        mark(offset + std::uint64_t{i} * info(address->scalar).bytes);
  }

 private:
  /// Takes each place through one more level; false if it does not cover that level surely.
  bool spread(const Structure& structure,
              const Level& level,
              const std::vector<CountingLoop>& loops,
              std::vector<StmtId>& used,
              std::vector<std::uint64_t>& at) {
    const Expr& by = program_[level.index];
    if (by.kind == ExprKind::constant) {
      if (by.bits >= level.count) return false;
      for (std::uint64_t& offset : at)
        offset += by.bits * level.stride;
      return true;
    }
    const auto loop = std::find_if(loops.begin(), loops.end(), [&](const CountingLoop& l) {
      return structure.is_counter(level.index, l);
    });
    if (loop == loops.end() || loop->count < level.count) return false;
    if (std::find(used.begin(), used.end(), loop->loop) != used.end()) return false;
    used.push_back(loop->loop);
    return repeat(level, at);
  }
  bool repeat(const Level& level, std::vector<std::uint64_t>& at) {
    if (!pay(at.size() * level.count)) return false;
    std::vector<std::uint64_t> all;
    for (const std::uint64_t offset : at)
      for (std::uint64_t i = 0; i < level.count; ++i)
        all.push_back(offset + i * level.stride);
    at = std::move(all);
    return true;
  }
  void mark(std::uint64_t offset) {
    if (bytes_[offset]) return;
    bytes_[offset] = true;
    --left_;
  }

  const Program& program_;
  LayoutId layout_;
  std::vector<bool> bytes_;  ///< the first one of each scalar
  std::uint64_t left_ = 0;   ///< scalars
  std::uint64_t& work_;
};

/// From the first to the last use of one content of an array.
struct Life {
  StmtId first = kNone<StmtId>;
  StmtId last = kNone<StmtId>;
  bool stored = false;        ///< it starts with stores to all of the array
  StmtId at = kNone<StmtId>;  ///< of the block that is looked at: the statement that holds `first`
  bool here = false;          ///< it starts in that block, not in one within
};

/// By array, in order.  What is read behind a life and not stored since belongs to the life.
using LivesOf = std::map<BufferId, std::vector<Life>>;

/// Finds the lives of all private arrays, from inner blocks to outer ones.
class Lives {
 public:
  Lives(const Program& program, const Structure& structure)
      : program_(program), structure_(structure) {
    walk(program, *this);
  }

  [[nodiscard]] const LivesOf& found() const { return found_; }

  void enter(BlockId block, StmtId) { frames_.push_back({block}); }
  void exit(BlockId, StmtId parent) {
    LivesOf lives = std::move(frames_.back().lives);
    frames_.pop_back();
    LivesOf& to = parent == kNone<StmtId> ? found_ : within_.back();
    for (auto& [buffer, of] : lives)
      to[buffer].insert(to[buffer].end(), of.begin(), of.end());
  }
  void statement(StmtId id) {
    ++frames_.back().next;
    const Stmt& stmt = program_[id];
    const MemoryRef* ref = memory_of(stmt);
    if (ref != nullptr && program_[ref->buffer].space == Space::local) access(id, ref->buffer);
    if (nests_blocks(stmt)) within_.emplace_back();
  }
  void after(StmtId id) {
    const LivesOf within = std::move(within_.back());
    within_.pop_back();
    for (const auto& [buffer, inner] : within) {
      std::vector<Life>& lives = frames_.back().lives[buffer];
      const bool all_stored =
          std::all_of(inner.begin(), inner.end(), [](const Life& life) { return life.stored; });
      const bool is_loop = std::holds_alternative<Loop>(program_[id]);
      if (!all_stored && (is_loop || !lives.empty())) {
        access(id, buffer);
        continue;
      }
      for (Life life : inner) {
        life.at = id;
        life.here = false;
        lives.push_back(life);
      }
    }
  }

 private:
  struct Frame {
    BlockId block;
    std::size_t next = 0;  ///< behind the statement that is looked at
    LivesOf lives = {};
    std::map<BufferId, std::uint32_t> stored_until = {};  ///< where the last start is complete
  };

  /// A statement of the innermost open block that stores to all of the array, or uses what it held.
  void access(StmtId id, BufferId buffer) {
    std::vector<Life>& lives = frames_.back().lives[buffer];
    if (starts_life(id, buffer)) return lives.push_back({id, id, true, id, true});
    const auto here =
        std::find_if(lives.rbegin(), lives.rend(), [](const Life& l) { return l.here; });
    Life all = {id, id, false, id, true};
    if (here != lives.rend()) {
      all = *here;
      lives.erase(here.base() - 1, lives.end());
    } else if (!lives.empty()) {
      all.first = all.at = lives.front().at;
      lives.clear();
    }
    all.last = id;
    lives.push_back(all);
  }

  bool starts_life(StmtId id, BufferId buffer) {
    Frame& frame = frames_.back();
    const auto until = frame.stored_until.find(buffer);
    if (until != frame.stored_until.end() && structure_.begin(id) <= until->second) return false;
    if (!std::holds_alternative<Store>(program_[id]) && !structure_.counted(id)) return false;
    Coverage coverage(program_, buffer, work_);
    std::vector<CountingLoop> loops;
    const auto& stmts = program_[frame.block].stmts;
    for (std::size_t i = frame.next - 1; i < stmts.size() && !coverage.is_complete(); ++i) {
      if (!stores(stmts[i], buffer, loops, coverage)) return false;
      frame.stored_until[buffer] = structure_.end(stmts[i]);
    }
    return coverage.is_complete();
  }

  /// Adds what a statement surely stores; false if it may read the array.
  bool stores(StmtId id,
              BufferId buffer,
              std::vector<CountingLoop>& loops,
              Coverage& coverage) const {
    const Stmt& stmt = program_[id];
    if (!coverage.pay()) return false;
    if (const MemoryRef* ref = memory_of(stmt); ref != nullptr && ref->buffer == buffer) {
      if (!std::holds_alternative<Store>(stmt)) return false;
      coverage.add(structure_, *ref, loops);
    }
    if (!nests_blocks(stmt)) return true;
    const auto loop = loops.size() < kMostLoops ? structure_.counted(id) : std::nullopt;
    if (!loop) return leaves_alone(id, buffer, coverage);
    loops.push_back(*loop);
    for (const StmtId inner : program_[std::get<Loop>(stmt).body].stmts)
      if (!stores(inner, buffer, loops, coverage)) return false;
    loops.pop_back();
    return true;
  }
  [[nodiscard]] bool leaves_alone(StmtId id, BufferId buffer, Coverage& coverage) const {
    std::vector<StmtId> pending = {id};
    while (!pending.empty()) {
      if (!coverage.pay()) return false;
      const Stmt& stmt = program_[pending.back()];
      pending.pop_back();
      const MemoryRef* ref = memory_of(stmt);
      if (ref != nullptr && ref->buffer == buffer) return false;
      for_each_block(stmt, [&](BlockId block) {
        const auto& stmts = program_[block].stmts;
        pending.insert(pending.end(), stmts.begin(), stmts.end());
      });
    }
    return true;
  }

  static constexpr std::size_t kMostLoops = 8;  ///< within each other

  const Program& program_;
  const Structure& structure_;
  LivesOf found_;
  std::vector<Frame> frames_;
  std::vector<LivesOf> within_;    ///< of each open statement with blocks
  std::uint64_t work_ = 1u << 24;  ///< that may still be done, lest the pass take long
};

/// Which array each access goes to, and the statements that arrays become zero in front of.
class Sharing {
 public:
  explicit Sharing(const Program& program)
      : program_(program), structure_(program), zeroed_(program.stmts.size()) {
    const Lives lives(program, structure_);
    for (const auto& [buffer, of] : lives.found())
      for (const Life& life : of)
        tenants_.push_back({life, buffer});
    std::stable_sort(tenants_.begin(), tenants_.end(),
                     [&](const Tenant& a, const Tenant& b) { return begin(a) < begin(b); });
    for (Tenant& tenant : tenants_)
      settle(tenant);
    for (const Tenant& tenant : tenants_)
      places_of_[tenant.owner].push_back(&tenant);
    saves_ = places_.size() < lives.found().size();
  }
  Sharing(const Sharing&) = delete;
  Sharing& operator=(const Sharing&) = delete;

  /// True if there are fewer arrays than there were.
  [[nodiscard]] bool saves() const { return saves_; }
  /// The array that an access to `owner` goes to.
  [[nodiscard]] BufferId place(StmtId access, BufferId owner) const {
    const auto& of = places_of_.at(owner);
    const auto behind = std::upper_bound(
        of.begin(), of.end(), structure_.begin(access),
        [&](std::uint32_t at, const Tenant* tenant) { return at < begin(*tenant); });
    return (*(behind - 1))->place;
  }
  [[nodiscard]] const std::vector<BufferId>& zeroed(StmtId before) const {
    return zeroed_[index(before)];
  }

 private:
  struct Tenant {
    Life life;
    BufferId owner;
    BufferId place = kNone<BufferId>;
  };
  struct Place {
    BufferId buffer;
    std::uint32_t end;
  };
  [[nodiscard]] std::uint32_t begin(const Tenant& tenant) const {
    return structure_.begin(tenant.life.first);
  }

  void settle(Tenant& tenant) {
    const LayoutId layout = program_[tenant.owner].layout;
    const std::uint32_t end = structure_.end(tenant.life.last);
    const auto free = std::find_if(places_.begin(), places_.end(), [&](const Place& place) {
      return place.end < begin(tenant) && program_[place.buffer].layout == layout;
    });
    if (free == places_.end()) {
      tenant.place = next_array(layout);
      places_.push_back({tenant.place, end});
      return;
    }
    free->end = end;
    tenant.place = free->buffer;
    if (!tenant.life.stored) zeroed_[index(tenant.life.first)].push_back(free->buffer);
  }

  /// Lives of one array do not meet, so there are as many arrays as lives that meet.
  BufferId next_array(LayoutId layout) {
    std::uint32_t& next = next_[layout];
    while (program_.buffers[next].space != Space::local || program_.buffers[next].layout != layout)
      ++next;
    return static_cast<BufferId>(next++);
  }

  const Program& program_;
  const Structure structure_;
  std::vector<std::vector<BufferId>> zeroed_;  ///< by statement
  std::vector<Tenant> tenants_;
  std::vector<Place> places_;
  std::map<LayoutId, std::uint32_t> next_;
  std::map<BufferId, std::vector<const Tenant*>> places_of_;
  bool saves_ = false;
};

class ArraySharer : public Rewriter {
 public:
  ArraySharer(const Program& from, const Sharing& sharing)
      : Rewriter(from), t_(to_), sharing_(sharing) {}

 private:
  bool replace(StmtId id, const Stmt& stmt) override {
    for (const BufferId buffer : sharing_.zeroed(id))
      zero({buffer, {}}, from_[buffer].layout);
    const MemoryRef* ref = memory_of(stmt);
    if (ref == nullptr || from_[ref->buffer].space != Space::local) return false;
    Stmt moved = renamed(stmt);
    memory_of(moved)->buffer = sharing_.place(id, ref->buffer);
    to_.append(std::move(moved));
    return true;
  }

  // Recursion is bounded by the nesting of types.
  void zero(MemoryRef ref, LayoutId id) {
    const Layout& layout = from_[id];
    switch (layout.kind) {
      case LayoutKind::array: return zero_elements(std::move(ref), layout);
      case LayoutKind::structure:
        for (std::uint32_t i = 0; i < layout.members.size(); ++i) {
          MemoryRef member = ref;
          member.path.push_back({.kind = Step::Kind::member, .member = i});
          zero(std::move(member), layout.members[i].layout);
        }
        return;
      case LayoutKind::scalar:
      case LayoutKind::vector:
      case LayoutKind::atomic: break;
    }
    ref.count = layout.width;
    to_.store_all(std::move(ref),
                  std::vector<ExprId>(layout.width, t_.zero(info(layout.scalar).widened)));
  }

  /// A loop of the form that `Structure` knows.
  void zero_elements(MemoryRef ref, const Layout& layout) {
    const VarId counter = to_.var(ScalarType::u32);
    const BlockId body = to_.open();
    const ExprId at = to_.get(counter);
    ref.path.push_back({.kind = Step::Kind::index, .index = at});
    zero(std::move(ref), layout.element);
    to_.set(counter, t_.add(at, t_.u32(1)));
    to_.close();
    const BlockId continuing = to_.open();
    const ExprId done = t_.ge(to_.get(counter), t_.u32(layout.count));
    to_.close();
    to_.loop(body, continuing, done);
  }

  Terms t_;
  const Sharing& sharing_;
};

}  // namespace

Program share_arrays(const Program& program) {
  const auto arrays = std::count_if(program.buffers.begin(), program.buffers.end(),
                                    [](const auto& b) { return b.space == Space::local; });
  if (arrays < 2) return program;
  const Sharing sharing(program);
  return sharing.saves() ? ArraySharer(program, sharing).run() : program;
}

}  // namespace vyre
