// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <vector>

#include "validate/checks.h"
#include "validate/flow_graph.h"

/// Says why something is divergent.
namespace vyre {

/// Adds the fault, with notes along the chain from what must be uniform to the source.
/// REQUIRES: the chain ends with a source.
void report_divergence(Inspection& inspection,
                       StmtId at,
                       Code code,
                       const std::vector<FlowGraph::Node>& chain);

}  // namespace vyre
