// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

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
/// One thread at a time.
namespace vyre {

class Facts {
 public:
  explicit Facts(const Program& program);

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

 private:
  /// How the bits of a number are read.
  enum class Sign : std::uint8_t { none, with };
  struct Range {
    std::int64_t low;
    std::int64_t high;
  };
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
  /// A statement with blocks that is being walked over.
  struct Open {
    Term condition = kNone<Term>;
    bool then_ends = false;  ///< the block's end is not reached
    bool else_ends = false;
    std::unordered_set<VarId> changed = {};
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
  Frame close_frame();
  void write(VarId var, Term term);
  void forget(const std::unordered_set<VarId>& vars);
  void assume(Term condition, bool holds);
  void assume_comparison(const TermInfo& comparison, bool holds);
  void assume_equal(const TermInfo& comparison, bool equal);
  void assume_order(Term lower, Term upper, Sign sign, bool strict, unsigned depth = 0);
  void narrow(Term term, Sign sign, Range range);
  bool is_below(Term lower, Term upper, unsigned depth = 0);
  bool is_operation_below(const TermInfo& lower, Term upper, unsigned depth);
  bool is_at_most(Term lower, Term upper, unsigned depth = 0);
  [[nodiscard]] bool is_known(const Order& order) const { return orders_.contains(order); }

  Range range(Term term, Sign sign, unsigned depth = 0);
  Range own_range(const TermInfo& info, Sign sign, unsigned depth);
  Range operation_range(const TermInfo& info, Sign sign, unsigned depth);
  Range difference(const TermInfo& info, Sign sign, unsigned depth);
  [[nodiscard]] Range builtin_range(const TermInfo& info) const;
  static Sign sign_of(ScalarType type);
  static Range full(Sign sign);
  static Range reread(Range range, Sign from, Sign to);

  const Program& program_;
  TermTable terms_;
  std::vector<Term> vars_;  ///< what each variable holds; none: not known
  std::unordered_map<StmtId, std::unordered_set<VarId>> changes_;  ///< in loops, scopes, switches
  std::unordered_set<Order, OrderHash> orders_;
  std::unordered_map<std::uint64_t, Range> ranges_;  ///< by term and sign
  std::vector<Order> order_log_;
  std::vector<Bounds> range_log_;
  std::vector<std::pair<VarId, Term>> var_log_;
  std::vector<Frame> frames_;
  std::vector<Open> open_;
};

}  // namespace vyre
