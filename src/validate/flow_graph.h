// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "vyre/program.h"

/// What depends on what: values, variables and control flow as nodes of one graph.
///
/// A node is divergent in a scope (it may differ between the invocations of a workgroup, or of a
/// subgroup) if it is a source there or depends on a divergent node; so loops need no iteration.
/// Owns everything; one thread.
namespace vyre {

enum class FlowNode : std::uint32_t {};
/// The invocations that must agree.
enum class FlowScope : std::uint8_t { workgroup, subgroup };
/// The node that depends on nothing: constants, and the start of the program.
inline constexpr FlowNode kUniform{0};

/// Why a node may be divergent, for messages.
enum class FlowKind : std::uint8_t {
  join,         ///< of values or of control flow
  value,        ///< bound by the statement
  variable,     ///< set by the statement
  branch,       ///< the statement decides by a condition
  jump,         ///< the statement leaves
  memory,       ///< a local array
  builtin,      ///< source: the expression is a builtin, or the index of the subgroup
  shared,       ///< source: the statement loads from memory that invocations may write
  other_lanes,  ///< source: the statement's result depends on other invocations
};

class FlowGraph {
 public:
  struct Node {
    FlowKind kind = FlowKind::join;
    StmtId at = kNone<StmtId>;
    ExprId expr = kNone<ExprId>;
  };

  FlowGraph() { nodes_.push_back({}); }

  FlowNode add(Node node) {
    nodes_.push_back(node);
    return static_cast<FlowNode>(static_cast<std::uint32_t>(nodes_.size() - 1));
  }
  /// `narrowest`: the smallest scope in which it differs; it differs in those around it too.
  FlowNode add_source(Node node, FlowScope narrowest = FlowScope::subgroup) {
    const FlowNode id = add(node);
    sources_.emplace_back(id, narrowest);
    return id;
  }
  void depend(FlowNode node, FlowNode on) {
    if (on != kUniform && on != node) edges_.emplace_back(on, node);
  }

  /// Finds what is divergent in a scope.  No more nodes or edges may be added then.
  void spread(FlowScope scope);
  [[nodiscard]] bool divergent(FlowNode node) const { return from_[at(node)] != kUnreached; }
  /// The nodes from `node` to a source, each dependent on the next; the shortest such chain.
  /// REQUIRES: divergent(node).
  [[nodiscard]] std::vector<Node> chain(FlowNode node) const;

 private:
  static constexpr FlowNode kUnreached{0xffffffffu};
  static std::size_t at(FlowNode node) { return static_cast<std::size_t>(node); }

  std::vector<Node> nodes_;
  std::vector<std::pair<FlowNode, FlowScope>> sources_;
  std::vector<std::pair<FlowNode, FlowNode>> edges_;  ///< from what is depended on to the dependent
  std::vector<FlowNode>
      from_;  ///< the divergent node that made each one divergent; sources: itself
};

}  // namespace vyre
