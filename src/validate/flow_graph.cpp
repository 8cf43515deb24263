// SPDX-License-Identifier: MIT OR Apache-2.0
#include "validate/flow_graph.h"

namespace vyre {

void FlowGraph::spread(FlowScope scope) {
  std::vector<std::size_t> first(nodes_.size() + 1);
  for (const auto& edge : edges_)
    ++first[at(edge.first) + 1];
  for (std::size_t i = 1; i < first.size(); ++i)
    first[i] += first[i - 1];
  std::vector<FlowNode> dependents(edges_.size());
  std::vector<std::size_t> next(first.begin(), first.end() - 1);
  for (const auto& edge : edges_)
    dependents[next[at(edge.first)]++] = edge.second;

  from_.assign(nodes_.size(), kUnreached);
  std::vector<FlowNode> queue;
  for (const auto& [source, narrowest] : sources_) {
    if (scope > narrowest) continue;
    from_[at(source)] = source;
    queue.push_back(source);
  }
  for (std::size_t i = 0; i < queue.size(); ++i)
    for (std::size_t e = first[at(queue[i])]; e < first[at(queue[i]) + 1]; ++e) {
      if (from_[at(dependents[e])] != kUnreached) continue;
      from_[at(dependents[e])] = queue[i];
      queue.push_back(dependents[e]);
    }
}

std::vector<FlowGraph::Node> FlowGraph::chain(FlowNode node) const {
  std::vector<Node> result;
  while (true) {
    result.push_back(nodes_[at(node)]);
    if (from_[at(node)] == node) return result;
    node = from_[at(node)];
  }
}

}  // namespace vyre
