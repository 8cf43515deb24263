// SPDX-License-Identifier: MIT OR Apache-2.0
#include <array>
#include <optional>
#include <vector>

#include "ir/eval.h"
#include "ir/visit.h"
#include "lower/passes.h"
#include "lower/rewrite.h"

// What is known before the program runs: operations on constants through `eval`, exact identities,
// branches whose condition is known.  What binds a value that nothing uses and has no other effect
// is left out.
namespace vyre {
namespace {

/// The values that something with an effect needs, directly or through others.
std::vector<bool> find_live_values(const Program& program) {
  std::vector<bool> live(program.values.size());
  std::vector<StmtId> binder(program.values.size(), kNone<StmtId>);
  std::vector<ExprId> pending;
  const auto has_effect = [](const Stmt& stmt) {
    return !std::holds_alternative<Let>(stmt) && !std::holds_alternative<Get>(stmt) &&
           !std::holds_alternative<Load>(stmt);
  };
  for (std::size_t i = 0; i < program.stmts.size(); ++i) {
    const Stmt& stmt = program.stmts[i];
    for_each_result(stmt, [&](ValueId first, std::uint32_t count) {
      for (std::uint32_t k = 0; k < count; ++k)
        binder[index(first) + k] = static_cast<StmtId>(static_cast<std::uint32_t>(i));
    });
    if (has_effect(stmt)) for_each_operand(stmt, [&](ExprId e) { pending.push_back(e); });
  }
  while (!pending.empty()) {
    const Expr& expr = program[pending.back()];
    pending.pop_back();
    for (const ExprId operand : expr.operands)
      if (operand != kNone<ExprId>) pending.push_back(operand);
    if (expr.kind != ExprKind::value || live[index(expr.value)]) continue;
    live[index(expr.value)] = true;
    const StmtId by = binder[index(expr.value)];
    if (by != kNone<StmtId> && !has_effect(program[by]))
      for_each_operand(program[by], [&](ExprId e) { pending.push_back(e); });
  }
  return live;
}

class Folder : public Rewriter {
 public:
  explicit Folder(const Program& from) : Rewriter(from), t_(to_), live_(find_live_values(from)) {}

 private:
  struct Operands {
    std::array<ScalarType, 3> types = {};
    std::array<std::uint64_t, 3> bits = {};
    bool all_constant = true;
  };

  ExprId operation(ExprId, const Expr& expr) override {
    const std::size_t arity = info(expr.op).arity;
    Operands operands;
    for (std::size_t i = 0; i < arity; ++i) {
      const Expr& operand = to_[expr.operands[i]];
      operands.types[i] = operand.type;
      operands.bits[i] = operand.bits;
      operands.all_constant &= operand.kind == ExprKind::constant;
    }
    if (operands.all_constant)
      return to_.constant(expr.type, eval(expr.op, expr.type, {operands.types.data(), arity},
                                          {operands.bits.data(), arity}));
    const ExprId simpler = simplify(expr);
    return simpler != kNone<ExprId> ? simpler : to_.expr(expr);
  }

  [[nodiscard]] std::optional<std::uint64_t> known(ExprId id) const {
    if (id == kNone<ExprId> || to_[id].kind != ExprKind::constant) return std::nullopt;
    return to_[id].bits;
  }
  [[nodiscard]] bool is(ExprId id, std::uint64_t bits) const { return known(id) == bits; }
  [[nodiscard]] std::uint64_t all_ones(ScalarType type) const {
    return ~std::uint64_t{0} >> (64 - 8 * info(type).bytes);
  }

  /// An equal expression that is simpler, or none.  Only identities that hold for every bit
  /// pattern; floats have none here.
  ExprId simplify(const Expr& expr) {
    const ExprId x = expr.operands[0];
    const ExprId y = expr.operands[1];
    if (expr.op == Op::select) return simplify_select(x, y, expr.operands[2]);
    if (expr.op == Op::logical_not && to_[x].kind == ExprKind::operation &&
        to_[x].op == Op::logical_not)
      return to_[x].operands[0];
    if (expr.op == Op::bitcast) return simplify_bitcast(expr.type, x);
    if (expr.op == Op::lt && to_.type(x) == ScalarType::u32) return simplify_below(x, y);
    if (expr.op == Op::logical_and || expr.op == Op::logical_or)
      return simplify_logic(expr.op == Op::logical_and, x, y);
    return is_integer(expr.type) && y != kNone<ExprId> ? simplify_integer(expr) : kNone<ExprId>;
  }

  ExprId simplify_select(ExprId condition, ExprId yes, ExprId no) {
    if (const auto bits = known(condition)) return *bits != 0 ? yes : no;
    if (yes == no || (known(yes) && known(yes) == known(no))) return yes;
    return kNone<ExprId>;
  }

  ExprId simplify_bitcast(ScalarType type, ExprId x) {
    if (to_.type(x) == type) return x;
    const Expr inner = to_[x];
    if (inner.kind != ExprKind::operation || inner.op != Op::bitcast) return kNone<ExprId>;
    return to_.bitcast(type, inner.operands[0]);
  }

  /// No u32 lies above the largest one or below zero.  So an access at the largest index, which a
  /// compiler of WGSL refuses, is seen never to happen.
  ExprId simplify_below(ExprId x, ExprId y) {
    return is(x, 0xffffffffu) || is(y, 0) ? to_.boolean(false) : kNone<ExprId>;
  }

  ExprId simplify_logic(bool is_and, ExprId x, ExprId y) {
    for (const auto& [one, other] : {std::pair(x, y), std::pair(y, x)})
      if (const auto bits = known(one)) return (*bits != 0) == is_and ? other : one;
    return kNone<ExprId>;
  }

  ExprId simplify_integer(const Expr& expr) {
    const ExprId x = expr.operands[0];
    const ExprId y = expr.operands[1];
    const std::uint64_t ones = all_ones(expr.type);
    switch (expr.op) {
      case Op::add:
      case Op::bit_or:
      case Op::bit_xor:
        if (is(x, 0)) return y;
        return is(y, 0) ? x : kNone<ExprId>;
      case Op::sub: return is(y, 0) ? x : kNone<ExprId>;
      case Op::mul:
        if (is(x, 0) || is(y, 1)) return x;
        return is(y, 0) || is(x, 1) ? y : kNone<ExprId>;
      case Op::bit_and:
        if (is(x, 0) || is(y, ones)) return x;
        return is(y, 0) || is(x, ones) ? y : kNone<ExprId>;
      case Op::shl:
      case Op::shr: return is(x, 0) || is(y, 0) ? x : kNone<ExprId>;
      case Op::div: return is(y, 0) || is(y, 1) ? x : kNone<ExprId>;
      case Op::rem: return is(y, 0) || is(y, 1) ? t_.zero(expr.type) : kNone<ExprId>;
      // clang-format off
      case Op::neg: case Op::abs: case Op::sign: case Op::min: case Op::max: case Op::clamp:
      case Op::bit_not: case Op::rotl: case Op::rotr: case Op::clz: case Op::ctz:
      case Op::popcount: case Op::reverse_bits: case Op::first_leading_bit:
      case Op::first_trailing_bit: case Op::extract_bits: case Op::mul_high:
      case Op::logical_not: case Op::logical_and: case Op::logical_or: case Op::eq: case Op::ne:
      case Op::lt: case Op::le: case Op::gt: case Op::ge: case Op::select: case Op::convert:
      case Op::bitcast: case Op::half_to_float: case Op::float_to_half: case Op::is_nan:
      case Op::is_inf: case Op::fma: case Op::sqrt: case Op::inverse_sqrt: case Op::floor:
      case Op::ceil: case Op::trunc: case Op::round: case Op::fract: case Op::exp: case Op::exp2:
      case Op::log: case Op::log2: case Op::pow: case Op::sin: case Op::cos: case Op::tan:
      case Op::asin: case Op::acos: case Op::atan: case Op::atan2: case Op::sinh: case Op::cosh:
      case Op::tanh: case Op::asinh: case Op::acosh: case Op::atanh: case Op::ldexp:
      case Op::degrees: case Op::radians: case Op::saturate: case Op::step: case Op::mix:
      case Op::smoothstep: break;
        // clang-format on
    }
    return kNone<ExprId>;
  }

  bool replace(StmtId id, const Stmt& stmt) override {
    if (is_dead(stmt)) return true;
    if (const auto* let = std::get_if<Let>(&stmt)) return fold_let(*let);
    if (const auto* branch = std::get_if<If>(&stmt)) return fold_if(id, *branch);
    return false;
  }

  [[nodiscard]] bool is_dead(const Stmt& stmt) const {
    if (!std::holds_alternative<Let>(stmt) && !std::holds_alternative<Get>(stmt) &&
        !std::holds_alternative<Load>(stmt))
      return false;
    bool used = false;
    for_each_result(stmt, [&](ValueId first, std::uint32_t count) {
      for (std::uint32_t i = 0; i < count; ++i)
        used |= live_[index(first) + i];
    });
    return !used;
  }

  /// A constant or another name needs no name of its own.
  bool fold_let(const Let& let) {
    const ExprId value = map(let.value);
    const bool is_leaf = to_[value].kind != ExprKind::operation;
    bind(let.result, is_leaf ? value : to_.let(value));
    return true;
  }

  bool fold_if(StmtId id, const If& branch) {
    const ExprId condition = map(branch.condition);
    const auto bits = known(condition);
    if (!bits) return write_if(id, condition, branch);
    const BlockId taken = *bits != 0 ? branch.then_block : branch.else_block;
    if (taken != kNone<BlockId>) visit(taken, id, {}, {});
    return true;
  }

  bool write_if(StmtId id, ExprId condition, const If& branch) {
    auto blocks = std::make_shared<std::pair<BlockId, BlockId>>(kNone<BlockId>, kNone<BlockId>);
    visit_nested(branch.then_block, id, &blocks->first);
    if (branch.else_block != kNone<BlockId>) visit_nested(branch.else_block, id, &blocks->second);
    visit(kNone<BlockId>, id, {}, [this, condition, blocks] {
      to_.if_(condition, blocks->first, blocks->second);
      if (is_ended(blocks->first) && is_ended(blocks->second)) end_block();
    });
    return true;
  }

  Terms t_;
  std::vector<bool> live_;
};

}  // namespace

Program fold_constants(const Program& program) {
  return Folder(program).run();
}

}  // namespace vyre
