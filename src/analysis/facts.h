// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "analysis/terms.h"
#include "ir/layout.h"

/// What is known at each place of a program: which numbers are below which, and their ranges.
///
/// A pass that walks the program tells what it walks over; facts learnt in a block are forgotten
/// at its end.  Everything known follows from conditions that hold whenever the place is reached.
/// Nothing is ever concluded from the end of a loop: neither that it is reached, nor that what made
/// the loop end holds behind it.  One thread at a time.
namespace vyre {

/// What every launch of a kernel keeps to.
struct LaunchRanges {
  std::uint64_t grid = ~std::uint64_t{0};          ///< workgroups on an axis
  std::uint64_t buffer_bytes = ~std::uint64_t{0};  ///< of a runtime-sized buffer
};

class Facts {
 public:
  /// How the bits of a number are read.
  enum class Sign : std::uint8_t { none, with };
  struct Range {
    std::int64_t low;
    std::int64_t high;
  };

  explicit Facts(const Program& program, const LaunchRanges& launch = {});

  // ---- the walk, as the hooks of a rewriter
  void statement(StmtId id);  ///< before its blocks
  void enter(BlockId block, StmtId parent);
  void exit(BlockId block, StmtId parent);
  void after(StmtId id);

  /// Between the two the condition is believed to hold, or to fail.
  void suppose(ExprId condition, bool holds);
  void retract();

  // ---- questions about the current place
  /// True if the index of `level`, in `buffer`, is surely in bounds.
  bool is_inside(BufferId buffer, const Level& level);
  /// True if an index of `address`, in `buffer`, is surely out of bounds.
  bool is_outside(BufferId buffer, const Address& address);
  /// A range that holds the number, which has 32 bits.
  Range range(Term term, Sign sign) { return range(term, sign, 0); }
  Term term(ExprId id) { return terms_.of(id); }
  [[nodiscard]] const TermTable& terms() const { return terms_; }
  /// What the variable holds; none where it is not declared.
  [[nodiscard]] Term held(VarId var) const { return vars_[index(var)]; }
  /// The variables that a loop, scope or switch sets.  Where a loop begins, each that it sets holds
  /// an opaque name: what it holds as a turn begins.
  [[nodiscard]] const std::unordered_set<VarId>& changes(StmtId id) const;
  /// What the variable holds wherever the body of the innermost open loop goes on to `continuing`,
  /// once the walk has left the body; none: that depends.
  [[nodiscard]] Term held_behind_body(VarId var) const;

  static Sign sign_of(ScalarType type);
  static Range full(Sign sign);

 private:
  struct Order {
    Term lower;
    Term upper;
    Sign sign;
    bool strict;
    friend bool operator==(const Order&, const Order&) = default;
  };
  struct OrderHash {
    std::size_t operator()(const Order& order) const;
  };
  struct Frame {
    std::size_t orders;
    std::size_t ranges;
    std::size_t vars;
    bool falls_through = true;
  };
  /// What the two blocks of a branch leave in a variable; none: what it held before.
  using Branches = std::array<Term, 2>;
  /// A statement with blocks that is being walked over.
  struct Open {
    StmtId id = kNone<StmtId>;
    Term condition = kNone<Term>;
    std::array<bool, 2> ends = {};  ///< then, else: the block's end is not reached
    std::unordered_map<VarId, Branches> changed = {};
    /// Of a loop: how often a way to its continuing part was walked over, and what all ways agree
    /// on.
    std::size_t ways = 0;
    std::unordered_map<VarId, Term> carried = {};
  };
  struct Bounds {
    Term term;
    Sign sign;
    std::optional<Range> before;
  };
  static constexpr unsigned kMaxDepth = 5;  ///< of terms that are looked into
  static std::uint64_t key(Term term, Sign sign) {
    return std::uint64_t{index(term)} << 1 | static_cast<std::uint64_t>(sign);
  }

  bool is_outside(BufferId buffer, const Level& level);
  void open_frame();
  Frame close_frame(std::optional<std::size_t> branch);
  void write(VarId var, Term term);
  void forget(VarId var) { write(var, terms_.opaque(program_.vars[index(var)])); }
  void forget(const std::unordered_set<VarId>& vars);
  void bind_results(const Stmt& stmt);
  void bind_read_only(const Load& load);
  void carry(Open& loop);
  void enter_continuing(StmtId loop);
  void join(const Open& branch);
  Term joined(Term condition, Term yes, Term no);
  void assume(Term condition, bool holds);
  void assume_comparison(const TermInfo& comparison, bool holds);
  void assume_equal(const TermInfo& comparison, bool equal);
  void assume_order(Term lower, Term upper, Sign sign, bool strict, unsigned depth = 0);
  void narrow(Term term, Sign sign, Range range);
  bool is_below(Term lower, Term upper, unsigned depth = 0);
  bool is_operation_below(const TermInfo& lower, Term upper, unsigned depth);
  bool is_at_most(Term lower, Term upper, unsigned depth = 0);
  [[nodiscard]] bool is_known(const Order& order) const { return orders_.contains(order); }

  Range range(Term term, Sign sign, unsigned depth);
  Range own_range(const TermInfo& info, Sign sign, unsigned depth);
  Range operation_range(const TermInfo& info, Sign sign, unsigned depth);
  Range difference(const TermInfo& info, Sign sign, unsigned depth);
  [[nodiscard]] Range builtin_range(const TermInfo& info) const;
  [[nodiscard]] Range length_range(BufferId buffer) const;
  static Range reread(Range range, Sign from, Sign to);

  const Program& program_;
  LaunchRanges launch_;
  TermTable terms_;
  std::vector<Term> vars_;  ///< what each variable holds; none: it is not declared yet
  std::unordered_map<StmtId, std::unordered_set<VarId>> changes_;  ///< in loops, scopes, switches
  std::unordered_set<Order, OrderHash> orders_;
  std::unordered_map<std::uint64_t, Range> ranges_;  ///< by term and sign
  std::vector<Order> order_log_;
  std::vector<Bounds> range_log_;
  std::vector<std::pair<VarId, Term>> var_log_;
  std::vector<Frame> frames_;
  std::vector<Open> open_;
  std::vector<std::size_t> loops_;  ///< positions in `open_`
};

}  // namespace vyre
