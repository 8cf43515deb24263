// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "vyre/program.h"

#include "validate/flow_graph.h"

/// The state of a walk in statement order: the control flow at this point and the variables' nodes.
///
/// Control flow that was split comes together after the statement that split it, except that it
/// stays thinned out by jumps to farther targets, up to those targets.  A `continue` thins out the
/// whole loop: invocations that took it may be a turn ahead of the others.
///
/// Variables are followed exactly, and so are local arrays, each as one variable: each has a node
/// at each point, and points where control flow joins get a node for each variable that was set in
/// between.  That can take time of the order of
/// statements × variables; beyond a budget the walk is given up as `exhausted` and repeated
/// `coarse`, with one node a variable that depends on everything it is ever set to.
namespace vyre {

/// For each loop, in order, the variables of outside that are set in it.
struct LoopAssignments {
  std::vector<std::vector<VarId>> loops;
  bool exhausted = false;
};
LoopAssignments find_assignments(const Program& program, std::size_t budget);

/// A local array as a variable.
inline VarId variable_of(const Program& program, BufferId buffer) {
  return static_cast<VarId>(program.vars.size() + index(buffer));
}

class FlowState {
 public:
  FlowState(const Program& program, FlowGraph& graph, bool coarse);

  /// The node of control flow here.  REQUIRES, to depend on it: not `dead`.
  [[nodiscard]] FlowNode control() const { return control_; }
  /// True if no path leads here.
  [[nodiscard]] bool dead() const { return control_ == kDead; }
  [[nodiscard]] bool exhausted() const { return work_ > kBudget || assignments_.exhausted; }

  // ---- variables
  void declare(VarId var, FlowNode node);
  void set(VarId var, FlowNode node);
  [[nodiscard]] FlowNode get(VarId var) const { return vars_[index(var)]; }

  // ---- statements with blocks: open, then enter and exit for each block, then close
  /// `arms`: control flow at the start of each block.
  void open(const Stmt& stmt, FlowNode arms);
  void open_loop(const Stmt& loop);
  void enter(BlockId block, const Stmt& parent);
  void exit(BlockId block, const Stmt& parent);
  /// `decided`: control flow after break_if.
  void end_iteration(FlowNode decided, bool may_break);
  void close(const Stmt& stmt);

  // ---- jumps; `node`: control flow at the jump
  void leave(FlowNode node, BlockId target);
  void break_(FlowNode node);
  void continue_(FlowNode node);
  void return_(FlowNode node);

 private:
  static constexpr FlowNode kDead{0xffffffffu};
  static constexpr std::size_t kBudget = 4000000;

  using VarNode = std::pair<VarId, FlowNode>;

  /// Jumps that exit a construct, by the level of their target, ascending.  At most `kMax` levels
  /// are told apart; the inner ones then count as the next outer one, which is only stricter.
  class Escapes {
   public:
    void add(FlowGraph& graph, std::uint32_t level, FlowNode node);
    /// Forgets the jumps that target `level`.
    void arrive(std::uint32_t level);
    [[nodiscard]] const auto& all() const { return list_; }

   private:
    static constexpr std::size_t kMax = 8;
    std::vector<std::pair<std::uint32_t, FlowNode>> list_;
  };

  /// An open statement, or the body of an open loop, which ends where `continuing` begins.
  struct Construct {
    FlowNode before = kUniform;  ///< control flow at its start
    FlowNode arms = kUniform;    ///< at the start of each of its blocks; of a loop: of its body
    std::size_t mark = 0;        ///< size of the log at its start
    std::uint32_t break_level = 0;
    std::uint32_t continue_level = 0;
    std::uint32_t edges = 0;         ///< that lead to its end
    std::vector<VarNode> arriving;   ///< variables that were set along those edges
    std::vector<VarNode> repeating;  ///< of a loop: the variables' nodes at its head
    Escapes escapes;
  };

  /// Level 0 is the function; construct i has level i + 1.
  [[nodiscard]] std::uint32_t level() const {
    return static_cast<std::uint32_t>(constructs_.size());
  }
  Construct& at_level(std::uint32_t level) { return constructs_[level - 1]; }

  Construct& push(FlowNode arms);
  void pop();
  void arrive(std::uint32_t level);
  void jump(FlowNode node, std::uint32_t level, std::uint32_t until);
  void rewind(std::size_t mark);
  void join(Construct& construct);
  void merge_variables(Construct& construct);
  void assign(VarId var, FlowNode node);

  const Program& program_;
  FlowGraph& graph_;
  const bool coarse_;
  LoopAssignments assignments_;
  std::size_t next_loop_ = 0;
  std::size_t work_ = 0;

  FlowNode control_ = kUniform;
  std::vector<Construct> constructs_;
  std::vector<std::uint32_t> scope_level_;  ///< of each block that is the body of an open scope
  std::vector<FlowNode> vars_;
  std::vector<std::uint32_t> declared_;  ///< the level at which each variable was declared
  std::vector<VarNode> log_;             ///< what to restore, innermost last
  std::vector<std::uint32_t> stamp_;     ///< of each variable: the last edge that carried it
  std::uint32_t edge_ = 0;
};

}  // namespace vyre
