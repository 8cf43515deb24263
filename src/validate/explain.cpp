// SPDX-License-Identifier: MIT OR Apache-2.0
#include "validate/explain.h"

#include "ir/visit.h"

namespace vyre {
namespace {

constexpr std::size_t kMaxNotes = 6;

class Explanation {
 public:
  Explanation(const Program& program, const std::vector<FlowGraph::Node>& chain, StmtId at)
      : program_(program), chain_(chain), demand_(at) {}

  /// "`global_id.x`": what the divergence comes from.
  std::string source() const {
    const FlowGraph::Node& node = chain_.back();
    if (node.kind == FlowKind::builtin)
      return is_subgroup_index(node) ? "`subgroup_id`" : named_builtin(program_[node.expr]);
    const MemoryRef* ref = memory_of(program_[node.at]);
    if (ref == nullptr) return "the result of a subgroup operation";
    return "the contents of " + named(program_, ref->buffer);
  }

  std::vector<Note> notes() const {
    std::vector<Note> result;
    StmtId last = demand_;
    for (const FlowGraph::Node& node : chain_) {
      if (node.at != kNone<StmtId>) last = node.at;
      const std::string message = describe(node);
      if (!message.empty()) result.push_back({program_.place(last), located(last, message)});
    }
    // The first notes are about control flow, the last one is about the source.
    if (result.size() > kMaxNotes) result.erase(result.begin() + kMaxNotes - 1, result.end() - 1);
    return result;
  }

 private:
  [[nodiscard]] bool is_subgroup_index(const FlowGraph::Node& node) const {
    return program_[node.expr].kind == ExprKind::operation;
  }
  std::string located(StmtId at, const std::string& message) const {
    return program_.place(at).known() ? message : text(message, " (statement ", index(at), ")");
  }

  std::string describe(const FlowGraph::Node& node) const {
    switch (node.kind) {
      case FlowKind::join: return "";
      case FlowKind::value: return "a value is computed here";
      case FlowKind::variable: return variable(node.at);
      case FlowKind::branch: return branch(program_[node.at]);
      case FlowKind::jump:
        return text("some invocations may leave by this `", kind_name(program_[node.at]), "`");
      case FlowKind::memory: return "a private array is stored to here";
      case FlowKind::builtin:
        return source() + (is_subgroup_index(node) ? " differs between subgroups"
                                                   : " differs between invocations");
      case FlowKind::shared: return source() + ", read here, may be written by any invocation";
      case FlowKind::other_lanes: return "each subgroup has a result of its own here";
    }
    return "";
  }
  /// Variables have no names of their own; a place says more than a number.
  std::string variable(StmtId at) const {
    if (program_.place(at).known()) return "a variable is set here";
    const auto* set = std::get_if<Set>(&program_[at]);
    return named(set != nullptr ? set->var : std::get<Var>(program_[at]).var) + " is set here";
  }
  static std::string branch(const Stmt& stmt) {
    if (std::holds_alternative<Switch>(stmt))
      return "the selector of this `switch` may differ between invocations";
    if (std::holds_alternative<Loop>(stmt))
      return "the condition that ends this loop may differ between invocations";
    return "the condition of this `if` may differ between invocations";
  }

  const Program& program_;
  const std::vector<FlowGraph::Node>& chain_;
  StmtId demand_;
};

std::string subject(const Stmt& stmt) {
  if (const auto* s = std::get_if<Subgroup>(&stmt))
    return text("subgroup `", to_string(s->op), "`");
  return std::holds_alternative<Barrier>(stmt) ? "a barrier" : "a uniform load";
}

}  // namespace

void report_divergence(Inspection& inspection,
                       StmtId at,
                       Code code,
                       const std::vector<FlowGraph::Node>& chain) {
  const Program& program = inspection.program;
  const Explanation why(program, chain, at);
  const std::string what = subject(program[at]);
  const std::string_view scope =
      std::holds_alternative<Subgroup>(program[at]) ? "subgroup" : "workgroup";
  const std::string message =
      code == Code::divergent_operand
          ? text("an operand of ", what, " may differ between the invocations of a ", scope,
                 ": it depends on ")
          : text(what, " may be reached by only some invocations of a ", scope,
                 ": that depends on ");
  inspection.faults.add(code, at, message + why.source()).notes = why.notes();
}

}  // namespace vyre
