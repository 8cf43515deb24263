// SPDX-License-Identifier: MIT OR Apache-2.0
#include "backend/wgpu/wgsl_dialect.h"

#include <algorithm>

#include "backend/wgpu/wgsl_spelling.h"
#include "base/check.h"
#include "emit/expression.h"
#include "ir/layout.h"

namespace vyre::wgpu {
namespace {

constexpr std::string_view kComponents = "xyzw";

std::string component(std::string_view vector, unsigned i) {
  return std::string(vector) + "." + kComponents[i];
}

std::string variable(VarId id) {
  return "x" + std::to_string(index(id));
}

std::vector<bool> find_used(const Program& program) {
  std::vector<bool> used(program.values.size());
  for (const Expr& expr : program.exprs)
    if (expr.kind == ExprKind::value) used[index(expr.value)] = true;
  return used;
}

}  // namespace

WgslDialect::WgslDialect(const Lowered& lowered, WgslTypes& types, std::vector<std::string> buffers)
    : program_(lowered.program),
      lowered_(lowered),
      types_(types),
      buffers_(std::move(buffers)),
      values_(lowered.program.values.size()),
      used_(find_used(lowered.program)) {}

// ---------------------------------------------------------------------------------- expressions

std::string_view WgslDialect::type_name(ScalarType type) const {
  return wgsl_type(type);
}

const Spelling& WgslDialect::spelling(Op op) const {
  return wgsl_spelling(op);
}

std::optional<Text> WgslDialect::own_form(const Program&,
                                          const Expr& expr,
                                          std::span<const Text> operands) const {
  if (expr.op == Op::select)
    return Text{"select(" + as_argument(operands[2]) + ", " + as_argument(operands[1]) + ", " +
                as_argument(operands[0]) + ")"};
  const bool is_unsigned = info(expr.type).kind == ScalarKind::unsigned_integer;
  if (expr.op == Op::neg && is_unsigned)  // no minus sign there
    return Text{
        wgsl_literal(expr.type, 0).text + " - " + as_operand(operands[0], Group::add, false),
        Group::add};
  return std::nullopt;
}

Text WgslDialect::constant(ScalarType type, std::uint64_t bits) const {
  return wgsl_literal(type, bits);
}

Text WgslDialect::leaf(const Expr& expr) const {
  if (expr.kind == ExprKind::value) return {values_[index(expr.value)]};
  if (expr.kind == ExprKind::builtin) {
    const std::string_view name = wgsl_builtin_name(expr.builtin);
    const bool scalar = wgsl_builtin_type(expr.builtin) == "u32";
    return {scalar ? std::string(name) : component(name, expr.component)};
  }
  VYRE_CHECK(expr.kind == ExprKind::launch);  // lowering turns lengths into launch words
  const LaunchWord wanted{expr.launch, expr.buffer};
  const auto found = std::find(lowered_.launch.begin(), lowered_.launch.end(), wanted);
  VYRE_CHECK(found != lowered_.launch.end());
  const auto word = static_cast<unsigned>(found - lowered_.launch.begin());
  return {component("launch[" + std::to_string(word / 4) + "]", word % 4)};
}

std::string WgslDialect::whole(ExprId id) const {
  return print_whole(program_, *this, id);
}

std::string WgslDialect::argument(ExprId id) const {
  return print_argument(program_, *this, id);
}

// --------------------------------------------------------------------------------------- values

std::string WgslDialect::value_name(ValueId id) const {
  return "v" + std::to_string(index(id));
}

bool WgslDialect::is_used(ValueId id) const {
  return id != kNone<ValueId> && used_[index(id)];
}

void WgslDialect::bind(ValueId first, unsigned count, std::string_view text, TextWriter& out) {
  const std::string name = value_name(first);
  for (unsigned i = 0; i < count; ++i)
    values_[index(first) + i] = count == 1 ? name : component(name, i);
  out.line("let ", name, " = ", text, ";");
}

// --------------------------------------------------------------------------------------- memory

std::string WgslDialect::place(const MemoryRef& ref) const {
  std::string text = buffers_[index(ref.buffer)];
  LayoutId at = program_[ref.buffer].layout;
  for (const Step& step : ref.path) {
    const Layout& here = program_[at];
    if (step.kind == Step::Kind::member) {
      text += types_.member(at, step.member);
      at = here.members[step.member].layout;
      continue;
    }
    text += "[" + whole(step.index) + "]";
    if (here.kind != LayoutKind::array) break;  // a component: the path ends here
    text += types_.element_suffix(at);
    at = here.element;
  }
  return text;
}

unsigned WgslDialect::width(const MemoryRef& ref) const {
  const auto address = resolve(program_, ref);
  VYRE_CHECK(address && !address->consecutive);
  return address->kind == LayoutKind::vector ? address->width : 1;
}

bool WgslDialect::picks_component(const MemoryRef& ref) const {
  LayoutId at = program_[ref.buffer].layout;
  for (const Step& step : ref.path) {
    const Layout& here = program_[at];
    if (here.kind == LayoutKind::vector) return true;
    at = step.kind == Step::Kind::member ? here.members[step.member].layout : here.element;
  }
  return false;
}

void WgslDialect::write(const Load& load, TextWriter& out) {
  std::string text = place(load.from);
  if (width(load.from) != load.from.count) {
    text += ".";
    text += kComponents.substr(load.from.first, load.from.count);
  }
  bind(load.first, load.from.count, text, out);
}

void WgslDialect::write(const Store& store, TextWriter& out) {
  const std::string to = place(store.to);
  const unsigned components = width(store.to);
  const unsigned count = store.to.count;
  if (components == 1) {
    out.line(to, " = ", whole(store.values[0]), ";");
  } else if (components == count) {
    std::string values;
    for (unsigned i = 0; i < count; ++i)
      values += (i == 0 ? "" : ", ") + argument(store.values[i]);
    const std::string_view scalar = type_name(program_[store.values[0]].type);
    out.line(to, " = vec", count, "<", scalar, ">(", values, ");");
  } else {
    for (unsigned i = 0; i < count; ++i)
      out.line(component(to, store.to.first + i), " = ", whole(store.values[i]), ";");
  }
}

void WgslDialect::write(const Atomic& atomic, TextWriter& out) {
  const bool used = is_used(atomic.result);
  const AtomicOp op = atomic.op == AtomicOp::store && used ? AtomicOp::exchange : atomic.op;
  std::string call = std::string(wgsl_atomic(op)) + "(&" + place(atomic.on);
  if (op == AtomicOp::compare_exchange) call += ", " + argument(atomic.comparand);
  if (op != AtomicOp::load) call += ", " + argument(atomic.value);
  call += ")";
  // The APIs below never fail it without a reason, so the weak form is strong here.
  if (op == AtomicOp::compare_exchange) call += ".old_value";
  if (op == AtomicOp::store)
    out.line(call, ";");
  else
    bind(atomic.result, 1, call, out);
}

void WgslDialect::write(const UniformLoad& load, TextWriter& out) {
  const bool workgroup = program_[load.from.buffer].space == Space::workgroup;
  const auto address = resolve(program_, load.from);
  VYRE_CHECK(address);
  const bool is_atomic = address->kind == LayoutKind::atomic;
  std::string swizzle;
  if (width(load.from) != load.from.count)
    swizzle = "." + std::string(kComponents.substr(load.from.first, load.from.count));
  const std::string from = place(load.from);
  if (workgroup && !is_atomic && !picks_component(load.from)) {
    bind(load.first, load.from.count, "workgroupUniformLoad(&" + from + ")" + swizzle, out);
    return;
  }
  // The function takes the address of no component and, here, of no atomic.
  const std::string_view barrier = workgroup ? "workgroupBarrier();" : "storageBarrier();";
  out.line(barrier);
  bind(load.first, load.from.count, is_atomic ? "atomicLoad(&" + from + ")" : from + swizzle, out);
  out.line(barrier);
}

// ------------------------------------------------------------------------------ other statements

void WgslDialect::write(const Let& let, TextWriter& out) {
  bind(let.result, 1, whole(let.value), out);
}

void WgslDialect::write(const Var& var, TextWriter& out) {
  const ScalarType type = program_.vars[index(var.var)];
  const std::string init = var.init != kNone<ExprId> ? whole(var.init) : wgsl_literal(type, 0).text;
  out.line("var ", variable(var.var), ": ", type_name(type), " = ", init, ";");
}

void WgslDialect::write(const Get& get, TextWriter& out) {
  bind(get.result, 1, variable(get.var), out);
}

void WgslDialect::write(const Set& set, TextWriter& out) {
  out.line(variable(set.var), " = ", whole(set.value), ";");
}

void WgslDialect::write(const Barrier& barrier, TextWriter& out) {
  if (barrier.workgroup) out.line("workgroupBarrier();");
  if (barrier.storage) out.line("storageBarrier();");
}

void WgslDialect::write(const Subgroup& subgroup, TextWriter& out) {
  std::string call = std::string(wgsl_subgroup(subgroup.op)) + "(";
  if (subgroup.value != kNone<ExprId>) call += argument(subgroup.value);
  if (subgroup.argument != kNone<ExprId>) call += ", " + argument(subgroup.argument);
  bind(subgroup.first, subgroup.op == SubgroupOp::ballot ? 4 : 1, call + ")", out);
}

std::string WgslDialect::break_if(std::string_view condition) const {
  return "break if " + std::string(condition) + ";";
}

void WgslDialect::statement(const Stmt& stmt, TextWriter& out) {
  std::visit(
      [&](const auto& s) {
        using T = std::remove_cvref_t<decltype(s)>;
        if constexpr (std::is_same_v<T, Break>)
          out.line("break;");
        else if constexpr (std::is_same_v<T, Continue>)
          out.line("continue;");
        else if constexpr (std::is_same_v<T, Return>)
          out.line("return;");
        else if constexpr (requires { write(s, out); })
          write(s, out);
        else
          VYRE_UNREACHABLE();  // lowering leaves no other, and blocks are not ours
      },
      stmt);
}

}  // namespace vyre::wgpu
