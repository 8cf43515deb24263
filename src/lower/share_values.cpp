// SPDX-License-Identifier: MIT OR Apache-2.0
#include <array>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "lower/passes.h"
#include "lower/rewrite.h"

// Equal operations on equal values are computed once, where the first stands in a block around the
// others; what cannot be written is loaded once.  Conditions and conversions are not worth a name.
namespace vyre {
namespace {

/// An operation, or a leaf, by what it is; operands by their numbers.
struct Shared {
  ExprKind kind = ExprKind::operation;
  ScalarType type = ScalarType::u32;
  std::uint32_t what = 0;  ///< operator, or which leaf
  std::uint32_t buffer = 0;
  std::uint64_t bits = 0;
  std::array<std::uint32_t, 3> operands = {};
  friend bool operator==(const Shared&, const Shared&) = default;
};

struct SharedHash {
  std::size_t operator()(const Shared& s) const {
    std::uint64_t hash = std::uint64_t{s.what} << 16 ^ static_cast<std::uint64_t>(s.kind) << 8 ^
                         static_cast<std::uint64_t>(s.type);
    const auto mix = [&](std::uint64_t word) {
      hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
      hash ^= hash >> 29;
    };
    mix(s.bits ^ std::uint64_t{s.buffer} << 32);
    mix(std::uint64_t{s.operands[0]} << 32 | s.operands[1]);
    mix(s.operands[2]);
    return hash;
  }
};

class Sharer : public Rewriter {
 public:
  explicit Sharer(const Program& from) : Rewriter(from) {}

 private:
  /// What a block has added to the tables.
  struct Added {
    std::vector<Shared> operations;
    std::vector<std::uint32_t> places;
  };

  void enter(BlockId, StmtId) override { blocks_.emplace_back(); }
  void exit(BlockId, StmtId) override {
    for (const Shared& known : blocks_.back().operations)
      operations_.erase(known);
    for (const std::uint32_t place : blocks_.back().places)
      loaded_.erase(place);
    blocks_.pop_back();
  }

  ExprId leaf(const Expr& expr) override {
    std::uint32_t what = static_cast<std::uint32_t>(expr.builtin) << 8 | expr.component;
    if (expr.kind == ExprKind::launch) what = static_cast<std::uint32_t>(expr.launch);
    const Shared key{expr.kind, expr.type, what, index(expr.buffer), expr.bits, {}};
    const auto [found, is_new] = leaves_.try_emplace(key, kNone<ExprId>);
    if (is_new) found->second = to_.expr(expr);
    return found->second;
  }

  bool replace(StmtId, const Stmt& stmt) override {
    if (const auto* let = std::get_if<Let>(&stmt)) return share_name(*let);
    if (const auto* load = std::get_if<Load>(&stmt)) return share_load(*load);
    return false;
  }

  /// What is loaded again from memory that nothing writes is what was loaded first.
  bool share_load(const Load& load) {
    const BufferDecl& buffer = from_[load.from.buffer];
    const bool is_fixed = buffer.space == Space::uniform || buffer.space == Space::constant ||
                          (buffer.space == Space::storage && buffer.access == Access::input);
    if (!is_fixed) return false;
    MemoryRef from = load.from;
    map_path(from);
    const auto [found, is_new] = loaded_.try_emplace(place_of(from));
    if (is_new) {
      blocks_.back().places.push_back(found->first);
      found->second = to_.load_all(from);
    }
    for (std::uint32_t i = 0; i < from.count; ++i)
      bind(static_cast<ValueId>(index(load.first) + i), found->second[i]);
    return true;
  }
  /// Equal places have equal numbers.
  std::uint32_t place_of(const MemoryRef& ref) {
    std::uint32_t place = 0;
    const auto follow = [&](const Shared& step) {
      const auto next = static_cast<std::uint32_t>(places_.size() + 1);
      place = places_.try_emplace(step, next).first->second;
    };
    follow({.what = ref.first, .buffer = index(ref.buffer), .bits = ref.count});
    for (const Step& step : ref.path) {
      const bool is_index = step.kind == Step::Kind::index;
      follow({.what = is_index ? 1u : 0u,
              .bits = is_index ? 0 : step.member,
              .operands = {place, is_index ? number(step.index) : 0}});
    }
    return place;
  }

  /// The name becomes one of the operation; where it has one, or will get one, no other is made.
  bool share_name(const Let& let) {
    written_ = kNone<ExprId>;
    const ExprId value = map(let.value);
    if (value != written_) {
      bind(let.result, value);
      return true;
    }
    const ExprId name = to_.let(value);
    numbers_.emplace(name, number(value));
    if (entry_ != nullptr) *entry_ = name;
    bind(let.result, name);
    return true;
  }

  ExprId operation(ExprId, const Expr& expr) override {
    Shared key{expr.kind, expr.type, static_cast<std::uint32_t>(expr.op), 0, 0, {}};
    for (std::size_t i = 0; i < info(expr.op).arity; ++i)
      key.operands[i] = number(expr.operands[i]);
    if (commutes(expr) && key.operands[1] < key.operands[0])
      std::swap(key.operands[0], key.operands[1]);
    const auto found = operations_.find(key);
    written_ = kNone<ExprId>;
    if (found != operations_.end() && is_worth_it(expr)) return found->second;
    written_ = to_.expr(expr);
    entry_ = nullptr;
    if (found != operations_.end()) {
      numbers_.emplace(written_, number(found->second));
    } else {
      entry_ = &operations_.emplace(key, written_).first->second;
      blocks_.back().operations.push_back(key);
    }
    return written_;
  }

  /// Equal expressions have equal numbers.
  [[nodiscard]] std::uint32_t number(ExprId id) const {
    const auto found = numbers_.find(id);
    return found != numbers_.end() ? found->second : index(id);
  }
  /// Of floats the bits of a NaN may depend on the order.
  static bool commutes(const Expr& expr) {
    return is_integer(expr.type) &&
           (expr.op == Op::add || expr.op == Op::mul || expr.op == Op::bit_and ||
            expr.op == Op::bit_or || expr.op == Op::bit_xor);
  }
  static bool is_worth_it(const Expr& expr) {
    return expr.type != ScalarType::boolean && expr.op != Op::convert && expr.op != Op::bitcast;
  }

  std::unordered_map<Shared, ExprId, SharedHash> leaves_;
  std::unordered_map<Shared, ExprId, SharedHash> operations_;  ///< of the open blocks
  std::unordered_map<ExprId, std::uint32_t> numbers_;  ///< of those that are not shared but known
  std::unordered_map<Shared, std::uint32_t, SharedHash> places_;   ///< by the step to them
  std::unordered_map<std::uint32_t, std::vector<ExprId>> loaded_;  ///< by place, in open blocks
  std::vector<Added> blocks_;                                      ///< the open ones
  ExprId written_ = kNone<ExprId>;  ///< the last operation, if it is a new one
  ExprId* entry_ = nullptr;         ///< where others find it, if they do
};

}  // namespace

Program share_values(const Program& program) {
  return Sharer(program).run();
}

}  // namespace vyre
