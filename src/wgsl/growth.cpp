// SPDX-License-Identifier: MIT OR Apache-2.0
#include "wgsl/growth.h"

#include <algorithm>
#include <map>

#include "vyre/program.h"

namespace vyre::wgsl {
namespace {

constexpr std::uint64_t kMost = std::uint64_t{1} << 60U;

const std::vector<Call>& calls_of(const Checked& module, std::uint32_t function) {
  static const std::vector<Call> none;
  const auto found = module.functions.find(function);
  return found == module.functions.end() ? none : found->second.calls;
}

std::uint64_t own_weight(const Checked& module, std::uint32_t function) {
  const auto found = module.functions.find(function);
  return found == module.functions.end() ? 1 : std::uint64_t{found->second.weight} + 1;
}

}  // namespace

Growth measure_growth(const Checked& module, std::span<const std::uint32_t> functions) {
  struct Frame {
    std::uint32_t function;
    std::size_t next = 0;
  };
  Growth growth;
  std::unordered_map<std::uint32_t, std::uint32_t> depths;
  std::vector<Frame> stack;
  const auto visit = [&](std::uint32_t function) {  // the weight is 0 while it is being visited
    const bool added = growth.weights.try_emplace(function, 0).second;
    if (added) stack.push_back({function});
    return added;
  };
  for (const std::uint32_t entry : functions) {
    visit(entry);
    while (!stack.empty()) {
      Frame& top = stack.back();
      const std::vector<Call>& calls = calls_of(module, top.function);
      if (top.next < calls.size()) {
        const Call& call = calls[top.next++];
        if (!visit(call.callee) && growth.weights[call.callee] == 0) growth.cycles.push_back(call);
        continue;
      }
      std::uint64_t weight = own_weight(module, top.function);
      std::uint32_t depth = 0;
      for (const Call& call : calls) {
        weight = std::min(kMost, weight + growth.weights[call.callee]);
        depth = std::max(depth, depths[call.callee] + 1);
      }
      growth.weights[top.function] = weight;
      depths[top.function] = depth;
      growth.order.push_back(top.function);
      stack.pop_back();
    }
    growth.weight = std::max(growth.weight, growth.weights[entry]);
    growth.depth = std::max(growth.depth, depths[entry]);
  }
  return growth;
}

void report_growth(std::uint64_t size, const Checked& module, const Names& names, Faults& faults) {
  const auto name = [&](std::uint32_t function) {
    return "`" + std::string(names.text(module.tree.declarations[function].name.symbol)) + "`";
  };
  const Growth growth = measure_growth(module, module.entry.function);
  std::uint32_t at = module.entry.function;
  std::string chain = name(at);
  for (int step = 0; step < 8 && !calls_of(module, at).empty(); ++step) {
    std::map<std::uint32_t, std::uint64_t> times;
    for (const Call& call : calls_of(module, at))
      ++times[call.callee];
    const auto share = [&](const auto& entry) {
      return std::min(kMost / entry.second, growth.weights.at(entry.first)) * entry.second;
    };
    const auto heaviest =
        std::max_element(times.begin(), times.end(),
                         [&](const auto& a, const auto& b) { return share(a) < share(b); });
    at = heaviest->first;
    chain += " calls " + name(at) + " " + std::to_string(heaviest->second) +
             (heaviest->second == 1 ? " time" : " times");
    if (step < 7 && !calls_of(module, at).empty()) chain += ", which";
  }
  if (chain.ends_with(", which")) chain.resize(chain.size() - 7);
  faults.error(Code::internal_limit, module.tree.declarations[module.entry.function].name.span,
               "with calls replaced by the bodies of their functions the program has about " +
                   std::to_string(size) + " statements and expressions, beyond the limit of " +
                   std::to_string(kMaxStatements) + " statements: " + chain);
}

}  // namespace vyre::wgsl
