// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "ir/visit.h"
#include "validate/checks.h"
#include "validate/explain.h"
#include "validate/flow_graph.h"
#include "validate/flow_state.h"
#include "validate/memory.h"

// One walk builds a graph of what depends on what (FlowGraph): values on the values they are
// computed from, variables on what they were set to and on the control flow in which they were
// set, control flow on the conditions that guard it and on the jumps that may thin it out.  What
// depends on a divergent source is divergent; then each barrier's control flow must not be.
namespace vyre {
namespace {

/// Something that must be the same for all invocations of a scope.
struct Demand {
  FlowNode node;
  StmtId at;
  Code code;
  FlowScope scope;
};

/// Those whose result is the same for all lanes that take part.
bool gives_one_result(SubgroupOp op) {
  switch (op) {
    case SubgroupOp::ballot:
    case SubgroupOp::broadcast:
    case SubgroupOp::add:
    case SubgroupOp::mul:
    case SubgroupOp::min:
    case SubgroupOp::max:
    case SubgroupOp::bit_and:
    case SubgroupOp::bit_or:
    case SubgroupOp::bit_xor:
    case SubgroupOp::all:
    case SubgroupOp::any: return true;
    case SubgroupOp::shuffle:
    case SubgroupOp::shuffle_xor:
    case SubgroupOp::shuffle_up:
    case SubgroupOp::shuffle_down:
    case SubgroupOp::inclusive_add:
    case SubgroupOp::exclusive_add:
    case SubgroupOp::inclusive_mul:
    case SubgroupOp::exclusive_mul:
    case SubgroupOp::elect: return false;
  }
  return false;
}

class Builder {
 public:
  Builder(const Program& program, FlowGraph& graph, bool coarse)
      : program_(program),
        graph_(graph),
        state_(program, graph, coarse),
        values_(program.values.size(), kUniform) {}

  /// The demands; nothing if the program is too large for variables to be followed exactly.
  std::optional<std::vector<Demand>> run() && {
    walk(program_, *this);
    if (state_.exhausted()) return std::nullopt;
    return std::move(demands_);
  }

  void enter(BlockId block, StmtId parent) {
    if (parent != kNone<StmtId>) state_.enter(block, program_[parent]);
  }
  void exit(BlockId block, StmtId parent) {
    if (parent != kNone<StmtId>) state_.exit(block, program_[parent]);
  }
  void statement(StmtId id) {
    std::visit([&](const auto& s) { visit(id, s); }, program_[id]);
  }
  void after(StmtId id) {
    if (const auto* loop = std::get_if<Loop>(&program_[id]))
      state_.end_iteration(decide(id, loop->break_if), loop->break_if != kNone<ExprId>);
    state_.close(program_[id]);
  }

 private:
  // ---- nodes

  /// Makes `node` depend on what the expression reads.  Recursion is bounded by kMaxExprDepth.
  template <typename F>
  void for_each_leaf(ExprId id, F&& f) {
    if (id == kNone<ExprId>) return;
    const Expr& expr = program_[id];
    if (expr.kind == ExprKind::value) f(values_[index(expr.value)]);
    if (expr.kind == ExprKind::builtin) f(builtin(id, expr));
    if (expr.kind != ExprKind::operation) return;
    if (is_subgroup_index(expr)) return f(subgroup_index(id));
    for (std::size_t i = 0; i < info(expr.op).arity; ++i)
      for_each_leaf(expr.operands[i], f);
  }
  void depend(FlowNode node, ExprId on) {
    for_each_leaf(on, [&](FlowNode leaf) { graph_.depend(node, leaf); });
  }
  void depend(FlowNode node, const MemoryRef& ref) {
    for (const Step& step : ref.path)
      if (step.kind == Step::Kind::index) depend(node, step.index);
  }
  bool reads_uniform(ExprId id) {
    bool result = true;
    for_each_leaf(id, [&](FlowNode leaf) { result = result && leaf == kUniform; });
    return result;
  }

  FlowNode builtin(ExprId id, const Expr& expr) {
    switch (expr.builtin) {
      case Builtin::workgroup_id:
      case Builtin::num_workgroups:
      case Builtin::subgroup_size: return kUniform;
      case Builtin::global_id:
      case Builtin::local_id:
      case Builtin::local_index:
      case Builtin::lane: break;
    }
    FlowNode& node = builtins_[static_cast<std::size_t>(expr.builtin)][expr.component % 3];
    if (node == kUniform) node = graph_.add_source({.kind = FlowKind::builtin, .expr = id});
    return node;
  }

  /// `local_index / subgroup_size`: each subgroup has one of its own.
  [[nodiscard]] bool is_subgroup_index(const Expr& expr) const {
    const auto is = [&](ExprId id, Builtin builtin) {
      return program_[id].kind == ExprKind::builtin && program_[id].builtin == builtin;
    };
    return expr.op == Op::div && is(expr.operands[0], Builtin::local_index) &&
           is(expr.operands[1], Builtin::subgroup_size);
  }
  FlowNode subgroup_index(ExprId id) {
    if (subgroup_index_ == kUniform)
      subgroup_index_ =
          graph_.add_source({.kind = FlowKind::builtin, .expr = id}, FlowScope::workgroup);
    return subgroup_index_;
  }

  /// The node of an expression's value at a statement.
  FlowNode value(StmtId at, ExprId id) {
    if (reads_uniform(id)) return kUniform;
    const FlowNode node = graph_.add({.kind = FlowKind::value, .at = at});
    depend(node, id);
    return node;
  }

  /// Control flow that the statement's condition decides.
  FlowNode decide(StmtId at, ExprId condition) {
    if (state_.dead() || reads_uniform(condition)) return state_.control();
    const FlowNode node = graph_.add({.kind = FlowKind::branch, .at = at});
    graph_.depend(node, state_.control());
    depend(node, condition);
    return node;
  }

  void demand(FlowNode node, StmtId at, Code code, FlowScope scope = FlowScope::workgroup) {
    if (!state_.dead()) demands_.push_back({node, at, code, scope});
  }
  void bind(ValueId first, std::uint32_t count, FlowNode node) {
    for (std::uint32_t i = 0; i < count; ++i)
      values_[index(first) + i] = node;
  }

  // ---- values and variables

  void visit(StmtId at, const Let& s) { bind(s.result, 1, value(at, s.value)); }
  void visit(StmtId, const Get& s) { bind(s.result, 1, state_.get(s.var)); }
  void visit(StmtId at, const Var& s) { state_.declare(s.var, assigned(at, s.init)); }
  void visit(StmtId at, const Set& s) { state_.set(s.var, assigned(at, s.value)); }
  FlowNode assigned(StmtId at, ExprId id) {
    if (state_.dead() || (state_.control() == kUniform && reads_uniform(id))) return kUniform;
    const FlowNode node = graph_.add({.kind = FlowKind::variable, .at = at});
    graph_.depend(node, state_.control());
    depend(node, id);
    return node;
  }

  // ---- memory

  void visit(StmtId at, const Load& s) {
    const BufferDecl& buffer = program_[s.from.buffer];
    const bool local = buffer.space == Space::local;
    if (is_writable(buffer) && !local)
      return bind(s.first, s.from.count, graph_.add_source({.kind = FlowKind::shared, .at = at}));
    const FlowNode node = graph_.add({.kind = FlowKind::value, .at = at});
    depend(node, s.from);
    if (local) graph_.depend(node, state_.get(variable_of(program_, s.from.buffer)));
    bind(s.first, s.from.count, node);
  }
  void visit(StmtId at, const Store& s) {
    if (program_[s.to.buffer].space != Space::local || state_.dead()) return;
    const VarId array = variable_of(program_, s.to.buffer);
    const FlowNode node = graph_.add({.kind = FlowKind::memory, .at = at});
    graph_.depend(node, state_.control());
    depend(node, s.to);
    for (const ExprId id : s.values)
      depend(node, id);
    graph_.depend(node, state_.get(array));  // of its elements, others stay
    state_.set(array, node);
  }
  void visit(StmtId at, const Atomic& s) {
    bind(s.result, 1, graph_.add_source({.kind = FlowKind::shared, .at = at}));
  }

  // ---- other lanes

  void visit(StmtId at, const Barrier&) { demand(state_.control(), at, Code::divergent_barrier); }
  void visit(StmtId at, const UniformLoad& s) {
    demand(state_.control(), at, Code::divergent_barrier);
    const FlowNode address = graph_.add({});
    depend(address, s.from);
    demand(address, at, Code::divergent_operand);
  }
  void visit(StmtId at, const Subgroup& s) {
    if (!s.divergent) demand(state_.control(), at, Code::divergent_subgroup, FlowScope::subgroup);
    if (!s.divergent && s.op != SubgroupOp::shuffle && s.argument != kNone<ExprId>)
      demand(value(at, s.argument), at, Code::divergent_operand, FlowScope::subgroup);
    const FlowNode node =
        graph_.add_source({.kind = FlowKind::other_lanes, .at = at},
                          gives_one_result(s.op) ? FlowScope::workgroup : FlowScope::subgroup);
    if (!state_.dead()) graph_.depend(node, state_.control());
    bind(s.first, s.op == SubgroupOp::ballot ? 4 : 1, node);
  }
  void visit(StmtId, const Trap&) {}

  // ---- control flow

  void visit(StmtId at, const If& s) { state_.open(program_[at], decide(at, s.condition)); }
  void visit(StmtId at, const Switch& s) { state_.open(program_[at], decide(at, s.selector)); }
  void visit(StmtId at, const Scope&) { state_.open(program_[at], state_.control()); }
  void visit(StmtId at, const Loop&) { state_.open_loop(program_[at]); }
  FlowNode jump(StmtId at) {
    if (state_.dead() || state_.control() == kUniform) return kUniform;
    const FlowNode node = graph_.add({.kind = FlowKind::jump, .at = at});
    graph_.depend(node, state_.control());
    return node;
  }
  void visit(StmtId at, const Leave& s) { state_.leave(jump(at), s.target); }
  void visit(StmtId at, const Break&) { state_.break_(jump(at)); }
  void visit(StmtId at, const Continue&) { state_.continue_(jump(at)); }
  void visit(StmtId at, const Return&) { state_.return_(jump(at)); }

  const Program& program_;
  FlowGraph& graph_;
  FlowState state_;
  std::vector<FlowNode> values_;
  std::array<std::array<FlowNode, 3>, 7> builtins_ = {};
  FlowNode subgroup_index_ = kUniform;
  std::vector<Demand> demands_;
};

}  // namespace

void check_uniformity(Inspection& inspection) {
  FlowGraph graph;
  auto demands = Builder(inspection.program, graph, false).run();
  if (!demands) {
    graph = FlowGraph();
    demands = Builder(inspection.program, graph, true).run();
  }
  for (const FlowScope scope : {FlowScope::workgroup, FlowScope::subgroup}) {
    graph.spread(scope);
    for (const Demand& demand : *demands)
      if (demand.scope == scope && graph.divergent(demand.node))
        report_divergence(inspection, demand.at, demand.code, graph.chain(demand.node));
  }
}

}  // namespace vyre
