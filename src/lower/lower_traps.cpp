// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <limits>
#include <vector>

#include "ir/visit.h"
#include "lower/passes.h"
#include "lower/rewrite.h"

// A trap becomes a claim of the trap record by an atomic addition, which the first one wins, and
// an end of the lane.  Where no barrier can follow the lane returns.  Elsewhere a flag suppresses
// its later stores, atomics and traps, and takes it out of loops that hold no barrier; other lanes
// wait for it at the barriers.
namespace vyre {
namespace {

/// Where lanes meet, and what a lane may do after a trap that it outlives.
class Meetings {
 public:
  explicit Meetings(const Program& program)
      : program_(program),
        loop_meets_(program.stmts.size()),
        outlived_(program.stmts.size()),
        order_(program.stmts.size()) {
    walk(program, *this);
    for (const Seen& trap : traps_) {
      if (!trap.loops_to_meeting && trap.at > last_meeting_) continue;
      outlived_[index(trap.id)] = true;
      first_outlived_ = std::min(first_outlived_, trap.reach);
    }
  }

  /// True if a barrier may follow the trap, so that the lane must go on.
  [[nodiscard]] bool outlives(StmtId trap) const { return outlived_[index(trap)]; }
  [[nodiscard]] bool any_outlived() const { return first_outlived_ != kNever; }
  /// True if the statement may be executed by a lane that has trapped.
  [[nodiscard]] bool may_follow(StmtId id) const { return order_[index(id)] >= first_outlived_; }
  [[nodiscard]] bool loop_meets(StmtId loop) const { return loop_meets_[index(loop)]; }

  void enter(BlockId, StmtId parent) {
    const bool is_loop = parent != kNone<StmtId> && std::holds_alternative<Loop>(program_[parent]);
    if (is_loop && (loops_.empty() || loops_.back() != parent)) loops_.push_back(parent);
  }
  void statement(StmtId id) {
    order_[index(id)] = ++next_;
    const Stmt& stmt = program_[id];
    if (std::holds_alternative<Trap>(stmt)) note_trap(id);
    if (!std::holds_alternative<Barrier>(stmt) && !std::holds_alternative<UniformLoad>(stmt) &&
        !std::holds_alternative<Subgroup>(stmt))
      return;
    last_meeting_ = next_;
    for (auto loop = loops_.rbegin(); loop != loops_.rend() && !loop_meets(*loop); ++loop)
      loop_meets_[index(*loop)] = true;
  }
  void after(StmtId id) {
    if (!loops_.empty() && loops_.back() == id) loops_.pop_back();
  }

 private:
  struct Seen {
    StmtId id;
    std::uint32_t at;
    std::uint32_t reach;    ///< the first statement that may come after it: of its outermost loop
    bool loops_to_meeting;  ///< a barrier comes before it in a loop around both
  };
  static constexpr auto kNever = std::numeric_limits<std::uint32_t>::max();

  void note_trap(StmtId id) {
    const bool looped = !loops_.empty();
    traps_.push_back({id, next_, looped ? order_[index(loops_.front())] : next_,
                      looped && loop_meets(loops_.front())});
  }
  const Program& program_;
  std::vector<bool> loop_meets_;
  std::vector<bool> outlived_;
  std::vector<std::uint32_t> order_;
  std::vector<Seen> traps_;
  std::vector<StmtId> loops_;
  std::uint32_t next_ = 0;
  std::uint32_t last_meeting_ = 0;
  std::uint32_t first_outlived_ = kNever;
};

class TrapWriter : public Rewriter {
 public:
  TrapWriter(const Program& from, BufferId record) : Rewriter(from), t_(to_), meetings_(from) {
    to_.buffer({.name = "trap_record",
                .binding = index(record),
                .access = Access::scratch,
                .layout = to_.array(to_.atomic(ScalarType::u32), kTrapWords)});
    record_ = record;
  }

 private:
  void begin() override {
    if (meetings_.any_outlived()) trapped_ = to_.var(ScalarType::boolean);
  }

  bool replace(StmtId id, const Stmt& stmt) override {
    if (const auto* trap = std::get_if<Trap>(&stmt)) return write_trap(id, *trap);
    if (!meetings_.may_follow(id)) return false;
    if (std::holds_alternative<Store>(stmt)) return suppress_store(stmt);
    if (const auto* atomic = std::get_if<Atomic>(&stmt)) return suppress_atomic(*atomic);
    if (const auto* loop = std::get_if<Loop>(&stmt))
      return loop->continuing == kNone<BlockId> && !meetings_.loop_meets(id) &&
             write_loop(id, *loop);
    return false;
  }

  ExprId goes_on() { return t_.negate(to_.get(trapped_)); }

  bool write_trap(StmtId id, const Trap& trap) {
    const ExprId value = map(trap.value);
    const bool guarded = meetings_.may_follow(id);
    const ExprId condition = guarded ? goes_on() : to_.boolean(true);
    const BlockId block = guarded ? to_.open() : kNone<BlockId>;
    claim(trap.tag, t_.bits(value));
    const bool outlived = meetings_.outlives(id);
    if (outlived)
      to_.set(trapped_, to_.boolean(true));
    else
      to_.return_();
    if (guarded) {
      to_.close();
      to_.if_(condition, block);
    } else {
      end_block();
    }
    return true;
  }

  MemoryRef word(std::uint32_t which) { return {record_, {{Step::Kind::index, 0, t_.u32(which)}}}; }

  void claim(TrapId tag, ExprId value) {
    const ExprId before = to_.atomic(AtomicOp::add, word(0), t_.u32(1));
    const ExprId first = t_.eq(before, t_.u32(0));
    const BlockId block = to_.open();
    const auto [low, high] = invocation();
    to_.atomic(AtomicOp::store, word(1), t_.u32(index(tag)));
    to_.atomic(AtomicOp::store, word(2), value);
    to_.atomic(AtomicOp::store, word(3), low);
    to_.atomic(AtomicOp::store, word(4), high);
    to_.close();
    to_.if_(first, block);
  }

  struct Wide {
    ExprId low;
    ExprId high;
  };

  Wide widened(ExprId low) { return {low, t_.u32(0)}; }

  /// x × y + term, in 64 bits.
  Wide multiply_add(const Wide& x, const Wide& y, ExprId term) {
    const ExprId product = t_.mul(x.low, y.low);
    const ExprId low = t_.add(product, term);
    const ExprId carry = t_.select(t_.lt(low, product), t_.u32(1), t_.u32(0));
    const ExprId crossed = t_.add(t_.mul(x.low, y.high), t_.mul(x.high, y.low));
    const ExprId high = t_.add(t_.op(Op::mul_high, x.low, y.low), crossed);
    return {low, t_.add(high, carry)};
  }

  /// The invocations along an axis: 2^32 at most.
  Wide extent(std::uint8_t axis) {
    const ExprId groups = to_.builtin(Builtin::num_workgroups, axis);
    return multiply_add(widened(groups), widened(t_.u32(from_.workgroup[axis])), t_.u32(0));
  }

  /// The linear id, x fastest.
  Wide invocation() {
    const auto at = [&](std::uint8_t axis) { return to_.builtin(Builtin::global_id, axis); };
    const Wide row = multiply_add(widened(at(2)), extent(1), at(1));
    return multiply_add(row, extent(0), at(0));
  }

  bool suppress_store(const Stmt& stmt) {
    Stmt store = renamed(stmt);
    const ExprId condition = goes_on();
    const BlockId block = to_.open();
    to_.append(std::move(store));
    to_.close();
    to_.if_(condition, block);
    return true;
  }

  bool suppress_atomic(const Atomic& atomic) {
    MemoryRef on = atomic.on;
    map_path(on);
    const auto operand = [&](ExprId e) { return e == kNone<ExprId> ? e : map(e); };
    const ExprId value = operand(atomic.value);
    const ExprId comparand = operand(atomic.comparand);
    const bool used = is_used(atomic.result);
    const VarId old = used ? to_.var(from_.values[index(atomic.result)]) : kNone<VarId>;
    const ExprId condition = goes_on();
    const BlockId block = to_.open();
    const ExprId result = to_.atomic(atomic.op, std::move(on), value, comparand);
    if (used) to_.set(old, result);
    to_.close();
    to_.if_(condition, block);
    if (used) bind(atomic.result, to_.get(old));
    return true;
  }

  ExprId leave_if(StmtId id, ExprId condition) override {
    if (!meetings_.may_follow(id) || meetings_.loop_meets(id)) return condition;
    const ExprId trapped = to_.get(trapped_);
    return condition == kNone<ExprId> ? trapped : t_.either(condition, trapped);
  }

  /// Gives a loop the continuing block that it lacks.
  bool write_loop(StmtId id, const Loop& loop) {
    auto body = std::make_shared<BlockId>(kNone<BlockId>);
    visit_nested(loop.body, id, body.get());
    visit(kNone<BlockId>, id, {}, [this, id, body] {
      const BlockId continuing = to_.open();
      const ExprId condition = leave_if(id, kNone<ExprId>);
      to_.close();
      to_.loop(*body, continuing, condition);
    });
    return true;
  }

  Terms t_;
  Meetings meetings_;
  BufferId record_ = kNone<BufferId>;
  VarId trapped_ = kNone<VarId>;
};

}  // namespace

Status lower_traps(Lowered& lowered) {
  const auto& stmts = lowered.program.stmts;
  const auto is_trap = [](const Stmt& stmt) { return std::holds_alternative<Trap>(stmt); };
  if (std::none_of(stmts.begin(), stmts.end(), is_trap)) return Ok{};
  lowered.trap_buffer =
      static_cast<BufferId>(static_cast<std::uint32_t>(lowered.program.buffers.size()));
  lowered.program = TrapWriter(lowered.program, lowered.trap_buffer).run();
  return Ok{};
}

}  // namespace vyre
