// SPDX-License-Identifier: MIT OR Apache-2.0
#include <vector>

#include "analysis/facts.h"
#include "ir/layout.h"
#include "ir/visit.h"
#include "lower/passes.h"
#include "lower/rewrite.h"

// Puts each access under the condition that every index is in bounds, less what is known to hold
// there.  What is left out yields zeros.
namespace vyre {
namespace {

class Guard : public Rewriter {
 public:
  explicit Guard(const Program& from) : Rewriter(from), t_(to_), facts_(from) {}

 private:
  void enter(BlockId block, StmtId parent) override { facts_.enter(block, parent); }
  void exit(BlockId block, StmtId parent) override { facts_.exit(block, parent); }
  void after(StmtId id, const Stmt&) override { facts_.after(id); }

  bool replace(StmtId id, const Stmt& stmt) override {
    facts_.statement(id);
    const MemoryRef* ref = memory_of(stmt);
    if (ref == nullptr) return false;
    const Address address = *resolve(from_, *ref);
    if (facts_.is_outside(ref->buffer, address)) return leave_out(stmt);
    const ExprId condition = inside(ref->buffer, address);
    if (condition == kNone<ExprId>) return false;
    if (const auto* load = std::get_if<Load>(&stmt)) return guard_load(*load, condition);
    if (const auto* load = std::get_if<UniformLoad>(&stmt)) return guard_uniform(*load, address);
    if (const auto* store = std::get_if<Store>(&stmt)) return guard_store(*store, condition);
    return guard_atomic(std::get<Atomic>(stmt), condition);
  }

  /// The condition that all indices are in bounds; none if they surely are.
  ExprId inside(BufferId buffer, const Address& address) {
    ExprId condition = kNone<ExprId>;
    for (const Level& level : address.levels) {
      if (facts_.is_inside(buffer, level)) continue;
      const ExprId below = t_.lt(map(level.index), count(buffer, level));
      condition = condition == kNone<ExprId> ? below : t_.both(condition, below);
    }
    return condition;
  }

  ExprId count(BufferId buffer, const Level& level) {
    return level.count != 0 ? t_.u32(level.count) : to_.length(buffer);
  }

  /// An access that is surely out of bounds.  A uniform load keeps its barriers.
  bool leave_out(const Stmt& stmt) {
    if (std::holds_alternative<UniformLoad>(stmt)) to_.barrier(true, false);
    for_each_result(stmt, [&](ValueId first, std::uint32_t results) {
      for (std::uint32_t i = 0; i < results; ++i) {
        const auto value = static_cast<ValueId>(index(first) + i);
        bind(value, t_.zero(from_.values[index(value)]));
      }
    });
    return true;
  }

  MemoryRef mapped(MemoryRef ref) {
    map_path(ref);
    return ref;
  }

  template <typename F>
  void under(ExprId condition, F write) {
    const BlockId block = to_.open();
    write();
    to_.close();
    to_.if_(condition, block);
  }

  bool guard_load(const Load& load, ExprId condition) {
    const MemoryRef ref = mapped(load.from);
    std::vector<VarId> vars;
    for (std::uint32_t i = 0; i < ref.count; ++i)
      vars.push_back(to_.var(from_.values[index(load.first)]));
    under(condition, [&] {
      const auto loaded = to_.load_all(ref);
      for (std::size_t i = 0; i < vars.size(); ++i)
        to_.set(vars[i], loaded[i]);
    });
    for (std::uint32_t i = 0; i < ref.count; ++i)
      bind(static_cast<ValueId>(index(load.first) + i), to_.get(vars[i]));
    return true;
  }

  /// All lanes must take part, so the index is made harmless instead.
  bool guard_uniform(const UniformLoad& load, const Address& address) {
    MemoryRef ref = mapped(load.from);
    ExprId condition = to_.boolean(true);
    std::size_t next = 0;
    for (Step& step : ref.path) {
      if (step.kind != Step::Kind::index) continue;
      const Level& level = address.levels[next++];
      if (facts_.is_inside(ref.buffer, level)) continue;
      const ExprId below = t_.lt(step.index, count(ref.buffer, level));
      condition = t_.both(condition, below);
      step.index = t_.select(below, step.index, t_.u32(0));
    }
    const auto loaded = to_.uniform_load(ref);
    for (std::size_t i = 0; i < loaded.size(); ++i) {
      const ExprId zero = t_.zero(to_.type(loaded[i]));
      bind(static_cast<ValueId>(index(load.first) + i), t_.select(condition, loaded[i], zero));
    }
    return true;
  }

  bool guard_store(const Store& store, ExprId condition) {
    std::vector<ExprId> values;
    for (std::uint32_t i = 0; i < store.to.count; ++i)
      values.push_back(map(store.values[i]));
    const MemoryRef ref = mapped(store.to);
    under(condition, [&] { to_.store_all(ref, values); });
    return true;
  }

  bool guard_atomic(const Atomic& atomic, ExprId condition) {
    const auto operand = [&](ExprId e) { return e == kNone<ExprId> ? e : map(e); };
    const MemoryRef ref = mapped(atomic.on);
    const ExprId value = operand(atomic.value);
    const ExprId comparand = operand(atomic.comparand);
    if (!is_used(atomic.result)) {
      under(condition, [&] { to_.atomic(atomic.op, ref, value, comparand); });
      return true;
    }
    const VarId old = to_.var(from_.values[index(atomic.result)]);
    under(condition, [&] { to_.set(old, to_.atomic(atomic.op, ref, value, comparand)); });
    bind(atomic.result, to_.get(old));
    return true;
  }

  Terms t_;
  Facts facts_;
};

}  // namespace

Program guard_bounds(const Program& program) {
  return Guard(program).run();
}

}  // namespace vyre
