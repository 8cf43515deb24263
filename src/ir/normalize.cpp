// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <vector>

#include "base/check.h"
#include "ir/assembler.h"
#include "ir/visit.h"

// From an arbitrary expression graph to trees.
//
//  1. `BlockTree` numbers the blocks; it answers "which statement of the innermost common block
//     contains both uses" in logarithmic time.
//  2. `Uses` walks the operations from users to operands and finds, for each, its site: the
//     innermost block that covers all uses, and the first statement there.  Operations that are
//     used more than once, or would make a tree too deep, are bound by a `let` at their site.
//  3. `Copier` writes the program anew in statement order, with the lets in place and ids dense.
namespace vyre {
namespace {

/// A position: before statement `at` of `block` (at its end if `at` is the number of statements).
struct Site {
  BlockId block = kNone<BlockId>;
  std::uint32_t at = 0;
};

class BlockTree {
 public:
  explicit BlockTree(const Program& program) : program_(program), nodes_(program.blocks.size()) {
    walk(program, *this);
  }

  void enter(BlockId id, StmtId parent) {
    Node& node = nodes_[index(id)];
    if (parent != kNone<StmtId>) {
      node.up = {path_.back().block, path_.back().at - 1};
      link(id, node.up.block);
    }
    path_.push_back({id, 0});
  }
  void statement(StmtId) { ++path_.back().at; }
  void exit(BlockId, StmtId) { path_.pop_back(); }

  /// The innermost block that contains both, and the first statement there of the two.
  [[nodiscard]] Site join(Site a, Site b) const {
    if (depth(a) > depth(b)) std::swap(a, b);
    b = lift(b, depth(a));
    while (a.block != b.block) {
      const bool jump = skip(a) != skip(b);
      const std::uint32_t to = jump ? depth_of(skip(a)) : depth(a) - 1;
      a = lift(a, to);
      b = lift(b, to);
    }
    return {a.block, std::min(a.at, b.at)};
  }

 private:
  struct Node {
    Site up;  ///< the statement that contains this block
    std::uint32_t depth = 0;
    BlockId skip = kNone<BlockId>;  ///< an ancestor, as in a skew-binary jump list
    Site skip_site;                 ///< where in `skip` this block lies
  };

  [[nodiscard]] const Node& node(BlockId id) const { return nodes_[index(id)]; }
  [[nodiscard]] std::uint32_t depth_of(BlockId id) const {
    return id == kNone<BlockId> ? 0 : node(id).depth;
  }
  [[nodiscard]] std::uint32_t depth(const Site& s) const { return node(s.block).depth; }
  [[nodiscard]] BlockId skip(const Site& s) const { return node(s.block).skip; }

  void link(BlockId id, BlockId parent) {
    Node& child = nodes_[index(id)];
    const Node& up = node(parent);
    child.depth = up.depth + 1;
    const bool doubles =
        up.skip != kNone<BlockId> && node(up.skip).skip != kNone<BlockId> &&
        up.depth - depth_of(up.skip) == depth_of(up.skip) - depth_of(node(up.skip).skip);
    if (doubles) {
      child.skip = node(up.skip).skip;
      child.skip_site = node(up.skip).skip_site;
    } else {
      child.skip = parent;
      child.skip_site = child.up;
    }
  }

  /// The statement at `target` depth that contains `site`.
  [[nodiscard]] Site lift(Site site, std::uint32_t target) const {
    while (depth(site) > target) {
      const Node& at = node(site.block);
      site = depth_of(at.skip) >= target && at.skip != kNone<BlockId> ? at.skip_site : at.up;
    }
    return site;
  }

  const Program& program_;
  std::vector<Node> nodes_;
  std::vector<Site> path_;
};

/// For each operation: how often it is used, and where a `let` of it would stand.
class Uses {
 public:
  explicit Uses(const Program& program)
      : program_(program),
        tree_(program),
        count_(program.exprs.size()),
        site_(count_.size()),
        bound_(count_.size()) {
    walk(program, *this);
    spread_to_operands();
    bind_shared();
  }

  void enter(BlockId id, StmtId) { path_.push_back({id, 0}); }
  void exit(BlockId id, StmtId parent) {
    path_.pop_back();
    if (parent == kNone<StmtId>) return;
    const auto* loop = std::get_if<Loop>(&program_[parent]);
    if (loop == nullptr || loop->continuing != id || loop->break_if == kNone<ExprId>) return;
    use(loop->break_if, {id, static_cast<std::uint32_t>(program_[id].stmts.size())});
  }
  void statement(StmtId id) {
    const Stmt& stmt = program_[id];
    const Site here = path_.back();
    ++path_.back().at;
    if (std::holds_alternative<Loop>(stmt)) return;
    for_each_operand(stmt, [&](ExprId e) { use(e, here); });
  }

  /// The operations to bind before each statement, ordered by id within one site.
  [[nodiscard]] std::vector<std::vector<std::pair<std::uint32_t, ExprId>>> lets_by_block() const {
    std::vector<std::vector<std::pair<std::uint32_t, ExprId>>> result(program_.blocks.size());
    for (std::size_t i = 0; i < bound_.size(); ++i)
      if (bound_[i])
        result[index(site_[i].block)].emplace_back(
            site_[i].at, static_cast<ExprId>(static_cast<std::uint32_t>(i)));
    for (auto& lets : result)
      std::stable_sort(lets.begin(), lets.end(), by_site);
    return result;
  }

 private:
  static bool by_site(const std::pair<std::uint32_t, ExprId>& a,
                      const std::pair<std::uint32_t, ExprId>& b) {
    return a.first < b.first;
  }

  void use(ExprId id, Site site) {
    const std::size_t i = index(id);
    if (program_[id].kind != ExprKind::operation) return;
    site_[i] = count_[i] == 0 ? site : tree_.join(site_[i], site);
    ++count_[i];
  }

  /// Operands come before users, so going down every user is complete before its operands.
  void spread_to_operands() {
    for (std::size_t i = count_.size(); i-- > 0;)
      if (count_[i] != 0)
        for (const ExprId operand : program_.exprs[i].operands)
          if (operand != kNone<ExprId>) {
            VYRE_CHECK(index(operand) < i);
            use(operand, site_[i]);
          }
  }

  void bind_shared() {
    std::vector<std::uint32_t> height(count_.size());
    for (std::size_t i = 0; i < count_.size(); ++i) {
      if (count_[i] == 0) continue;
      for (const ExprId operand : program_.exprs[i].operands)
        if (operand != kNone<ExprId>) height[i] = std::max(height[i], height[index(operand)]);
      ++height[i];
      bound_[i] = count_[i] > 1 || height[i] >= kMaxExprDepth;
      if (bound_[i]) height[i] = 0;
    }
  }

  const Program& program_;
  BlockTree tree_;
  std::vector<Site> path_;
  std::vector<std::uint32_t> count_;
  std::vector<Site> site_;
  std::vector<bool> bound_;
};

/// Writes `from` anew.  Blocks are copied in the order of `walk`.
class Copier {
 public:
  explicit Copier(Program&& from)
      : from_(std::move(from)),
        lets_(Uses(from_).lets_by_block()),
        let_value_(from_.exprs.size(), kNone<ValueId>),
        value_(from_.values.size(), kNone<ValueId>),
        var_(from_.vars.size(), kNone<VarId>),
        block_(from_.blocks.size(), kNone<BlockId>) {}

  Program run() && {
    walk(from_, *this);
    if (from_.body != kNone<BlockId>) to_.body = block_[index(from_.body)];
    to_.name = std::move(from_.name);
    to_.workgroup = from_.workgroup;
    to_.layouts = std::move(from_.layouts);
    to_.buffers = std::move(from_.buffers);
    to_.traps = std::move(from_.traps);
    to_.sources = std::move(from_.sources);
    return std::move(to_);
  }

  void enter(BlockId id, StmtId) {
    block_[index(id)] = new_id<BlockId>(to_.blocks);
    to_.blocks.emplace_back();
    path_.push_back({id, 0, 0});
  }
  void statement(StmtId id) {
    write_lets(path_.back().stmt++);
    const std::uint32_t copy = static_cast<std::uint32_t>(to_.stmts.size());
    add(copied(from_[id]), from_.place(id));
    pending_.push_back(copy);
    if (!has_blocks(from_[id])) pending_.pop_back();
  }
  void exit(BlockId id, StmtId parent) {
    write_lets(static_cast<std::uint32_t>(from_[id].stmts.size()));
    path_.pop_back();
    if (parent == kNone<StmtId>) return;
    const auto* loop = std::get_if<Loop>(&from_[parent]);
    if (loop != nullptr && loop->continuing == id && loop->break_if != kNone<ExprId>)
      std::get<Loop>(to_.stmts[pending_.back()]).break_if = tree(loop->break_if);
  }
  /// All blocks of the statement have their new ids now.
  void after(StmtId) {
    for_each_block(to_.stmts[pending_.back()], [&](BlockId& b) { b = block_[index(b)]; });
    pending_.pop_back();
  }

 private:
  struct Frame {
    BlockId block;
    std::uint32_t stmt;
    std::uint32_t let;
  };

  template <typename Id, typename T>
  static Id new_id(const std::vector<T>& list) {
    return static_cast<Id>(static_cast<std::uint32_t>(list.size()));
  }

  static bool has_blocks(const Stmt& stmt) {
    bool found = false;
    for_each_block(stmt, [&](BlockId) { found = true; });
    return found;
  }

  void add(Stmt stmt, Place place) {
    to_.blocks[index(block_[index(path_.back().block)])].stmts.push_back(new_id<StmtId>(to_.stmts));
    to_.stmts.push_back(std::move(stmt));
    to_.places.push_back(place);
  }

  void write_lets(std::uint32_t before) {
    const auto& lets = lets_[index(path_.back().block)];
    for (std::uint32_t& i = path_.back().let; i < lets.size() && lets[i].first <= before; ++i) {
      const ExprId id = lets[i].second;
      const ExprId copy = operation(id);
      let_value_[index(id)] = new_id<ValueId>(to_.values);
      to_.values.push_back(from_[id].type);
      const auto& stmts = from_[path_.back().block].stmts;
      add(Let{let_value_[index(id)], copy},
          before < stmts.size() ? from_.place(stmts[before]) : Place{});
    }
  }

  /// A copy as a tree.  Recursion is bounded by kMaxExprDepth.
  ExprId tree(ExprId id) {
    const Expr& expr = from_[id];
    if (expr.kind == ExprKind::operation) {
      const ValueId let = let_value_[index(id)];
      return let == kNone<ValueId> ? operation(id) : leaf(value_of(let, expr.type));
    }
    if (expr.kind != ExprKind::value) return leaf(expr);
    const std::size_t i = index(expr.value);
    return leaf(value_of(i < value_.size() ? value_[i] : kNone<ValueId>, expr.type));
  }
  ExprId operation(ExprId id) {
    Expr copy = from_[id];
    for (ExprId& operand : copy.operands)
      if (operand != kNone<ExprId>) operand = tree(operand);
    return leaf(copy);
  }
  ExprId leaf(const Expr& expr) {
    to_.exprs.push_back(expr);
    return static_cast<ExprId>(static_cast<std::uint32_t>(to_.exprs.size() - 1));
  }
  static Expr value_of(ValueId value, ScalarType type) {
    return {.kind = ExprKind::value, .type = type, .value = value};
  }

  Stmt copied(Stmt stmt) {
    if (auto* loop = std::get_if<Loop>(&stmt)) loop->break_if = kNone<ExprId>;
    for_each_operand(stmt, [&](ExprId& e) { e = tree(e); });
    for_each_result(stmt,
                    [&](ValueId& first, std::uint32_t count) { first = renumber(first, count); });
    std::visit([&](auto& s) { renumber_names(s); }, stmt);
    return stmt;
  }

  ValueId renumber(ValueId first, std::uint32_t count) {
    const auto renamed = new_id<ValueId>(to_.values);
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::size_t old = index(first) + i;
      value_[old] = new_id<ValueId>(to_.values);
      to_.values.push_back(from_.values[old]);
    }
    return renamed;
  }

  template <typename S>
  void renumber_names(S& s) {
    if constexpr (std::is_same_v<S, Var>) {
      var_[index(s.var)] = new_id<VarId>(to_.vars);
      to_.vars.push_back(from_.vars[index(s.var)]);
    }
    if constexpr (requires { s.var; })
      s.var = index(s.var) < var_.size() ? var_[index(s.var)] : kNone<VarId>;
    if constexpr (std::is_same_v<S, Leave>) s.target = block_[index(s.target)];
  }

  Program from_;
  Program to_;
  std::vector<std::vector<std::pair<std::uint32_t, ExprId>>> lets_;
  std::vector<ValueId> let_value_;  ///< of each bound operation of `from_`
  std::vector<ValueId> value_;      ///< old → new
  std::vector<VarId> var_;
  std::vector<BlockId> block_;
  std::vector<Frame> path_;
  std::vector<std::uint32_t> pending_;  ///< copies whose blocks are being copied
};

/// A `break_if` needs a continuing block to be evaluated in.
void add_missing_continuing(Program& program) {
  for (Stmt& stmt : program.stmts)
    if (auto* loop = std::get_if<Loop>(&stmt))
      if (loop->break_if != kNone<ExprId> && loop->continuing == kNone<BlockId>) {
        loop->continuing = static_cast<BlockId>(static_cast<std::uint32_t>(program.blocks.size()));
        program.blocks.emplace_back();
      }
}

}  // namespace

Program normalize(Program program) {
  add_missing_continuing(program);
  return Copier(std::move(program)).run();
}

}  // namespace vyre
