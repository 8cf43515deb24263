// SPDX-License-Identifier: MIT OR Apache-2.0
#include <bit>
#include <string>

#include "vyre/program.h"

#include "base/guarded.h"
#include "base/text_writer.h"
#include "ir/forms.h"
#include "ir/visit.h"

// The readable form.  Values print as %n, variables as $n, blocks as 'n; everything else by name.
namespace vyre {
namespace {

class Dumper {
 public:
  explicit Dumper(const Program& program) : program_(program) {}

  std::string run() && {
    const auto& size = program_.workgroup;
    out_.line("kernel ", program_.name, " workgroup(", size[0], ", ", size[1], ", ", size[2], ")");
    for (const BufferDecl& buffer : program_.buffers)
      declare(buffer);
    walk(program_, *this);
    return out_.take();
  }

  void enter(BlockId block, StmtId parent) {
    out_.line(heading(block, parent), "{");
    out_.indent();
  }
  void exit(BlockId block, StmtId parent) {
    if (parent != kNone<StmtId>)
      if (const auto* loop = std::get_if<Loop>(&program_[parent]))
        if (loop->continuing == block && loop->break_if != kNone<ExprId>)
          out_.line("break_if ", text(loop->break_if));
    out_.dedent();
    out_.line("}");
  }
  void statement(StmtId id) {
    std::visit([&](const auto& s) { print(s); }, program_[id]);
  }

 private:
  // ---- declarations

  void declare(const BufferDecl& buffer) {
    out_ << to_string(buffer.space) << ' ' << buffer.name;
    if (buffer.space == Space::storage || buffer.space == Space::uniform)
      out_ << " @group(" << buffer.group << ") @binding(" << buffer.binding << ") "
           << to_string(buffer.access);
    out_ << ": " << type(buffer.layout, 0);
    if (!buffer.words.empty()) out_ << " = " << buffer.words.size() << " words";
    out_.end_line();
  }

  // Layouts nest as deep as their text; the limit only guards against faulty programs.
  std::string type(LayoutId id, unsigned depth) const {
    if (index(id) >= program_.layouts.size() || depth > 64) return "?";
    const Layout& layout = program_[id];
    const std::string scalar(to_string(layout.scalar));
    switch (layout.kind) {
      case LayoutKind::scalar: return scalar;
      case LayoutKind::atomic: return "atomic<" + scalar + ">";
      case LayoutKind::vector: return "vec" + std::to_string(layout.width) + "<" + scalar + ">";
      case LayoutKind::array: return array_type(layout, depth);
      case LayoutKind::structure: break;
    }
    std::string text = layout.name + " {";
    for (const Layout::Member& member : layout.members)
      text += " " + member.name + " @" + std::to_string(member.offset) + ": " +
              type(member.layout, depth + 1) + ";";
    return text + " }";
  }
  std::string array_type(const Layout& layout, unsigned depth) const {
    std::string text = "array<" + type(layout.element, depth + 1);
    if (layout.count != 0) text += ", " + std::to_string(layout.count);
    return text + ">";
  }

  // ---- expressions

  std::string constant(const Expr& expr) const {
    switch (info(expr.type).kind) {
      case ScalarKind::boolean: return expr.bits != 0 ? "true" : "false";
      case ScalarKind::unsigned_integer: return std::to_string(expr.bits) + "u";
      case ScalarKind::signed_integer:
        return std::to_string(
                   info(expr.type).bytes == 8
                       ? static_cast<std::int64_t>(expr.bits)
                       : static_cast<std::int32_t>(static_cast<std::uint32_t>(expr.bits))) +
               "i";
      case ScalarKind::floating: break;
    }
    if (expr.type != ScalarType::f32) return "f16:" + std::to_string(expr.bits);
    return shortest(std::bit_cast<float>(static_cast<std::uint32_t>(expr.bits))) + "f";
  }

  std::string name(BufferId id) const {
    return index(id) < program_.buffers.size() ? program_[id].name : "?";
  }

  std::string text(ExprId id, unsigned depth = 0) const {
    if (index(id) >= program_.exprs.size() || depth > 2 * kMaxExprDepth) return "?";
    const Expr& expr = program_[id];
    switch (expr.kind) {
      case ExprKind::constant: return constant(expr);
      case ExprKind::builtin: return builtin(expr);
      case ExprKind::length: return "length(" + name(expr.buffer) + ")";
      case ExprKind::launch:
        return "launch." + std::string(to_string(expr.launch)) +
               (expr.buffer == kNone<BufferId> ? "" : "(" + name(expr.buffer) + ")");
      case ExprKind::value: return "%" + std::to_string(index(expr.value));
      case ExprKind::operation: break;
    }
    std::string result(to_string(expr.op));
    if (expr.op == Op::convert || expr.op == Op::bitcast)
      result += "<" + std::string(to_string(expr.type)) + ">";
    result += "(";
    for (std::size_t i = 0; i < info(expr.op).arity; ++i)
      result += (i == 0 ? "" : ", ") + text(expr.operands[i], depth + 1);
    return result + ")";
  }

  static std::string builtin(const Expr& expr) {
    std::string result(to_string(expr.builtin));
    if (expr.builtin <= Builtin::num_workgroups)
      result += "." + std::string(1, "xyz?"[expr.component & 3]);
    return result;
  }

  std::string place(const MemoryRef& ref) const {
    std::string result = name(ref.buffer);
    const Layout* at = index(ref.buffer) < program_.buffers.size()
                           ? layout_at(program_[ref.buffer].layout)
                           : nullptr;
    for (const Step& step : ref.path) {
      if (step.kind == Step::Kind::index) {
        result += "[" + text(step.index) + "]";
        at = at != nullptr && at->kind == LayoutKind::array ? layout_at(at->element) : nullptr;
      } else if (at != nullptr && step.member < at->members.size()) {
        result += "." + at->members[step.member].name;
        at = layout_at(at->members[step.member].layout);
      } else {
        result += ".?";
      }
    }
    if (ref.first != 0 || ref.count != 1)
      result += ":" + std::to_string(ref.first) + "+" + std::to_string(ref.count);
    return result;
  }
  const Layout* layout_at(LayoutId id) const {
    return index(id) < program_.layouts.size() ? &program_[id] : nullptr;
  }

  std::string values(ValueId first, std::uint32_t count) const {
    std::string result;
    for (std::uint32_t i = 0; i < count; ++i)
      result += (i == 0 ? "%" : ", %") + std::to_string(index(first) + i);
    return result + " = ";
  }
  static std::string var(VarId id) { return "$" + std::to_string(index(id)); }

  // ---- statements

  std::string heading(BlockId block, StmtId parent) const {
    if (parent == kNone<StmtId>) return "";
    const Stmt& stmt = program_[parent];
    if (const auto* s = std::get_if<If>(&stmt)) return s->then_block == block ? "then " : "else ";
    if (const auto* s = std::get_if<Loop>(&stmt)) return s->body == block ? "body " : "continuing ";
    if (const auto* s = std::get_if<Switch>(&stmt)) return heading(*s, block);
    return "'" + std::to_string(index(block)) + " ";
  }
  static std::string heading(const Switch& s, BlockId block) {
    for (const Case& c : s.cases) {
      if (c.block != block) continue;
      std::string result = "case";
      for (const std::uint32_t value : c.values)
        result += " " + std::to_string(value);
      return result + " ";
    }
    return "default ";
  }

  void print(const Let& s) { out_.line(values(s.result, 1), text(s.value)); }
  void print(const Var& s) {
    const bool known = index(s.var) < program_.vars.size();
    out_.line("var ", var(s.var), ": ",
              known ? to_string(program_.vars[index(s.var)]) : std::string_view("?"),
              s.init == kNone<ExprId> ? "" : " = " + text(s.init));
  }
  void print(const Get& s) { out_.line(values(s.result, 1), var(s.var)); }
  void print(const Set& s) { out_.line(var(s.var), " = ", text(s.value)); }
  void print(const Load& s) { out_.line(values(s.first, s.from.count), "load ", place(s.from)); }
  void print(const Store& s) {
    std::string list;
    for (std::size_t i = 0; i < s.to.count && i < s.values.size(); ++i)
      list += (i == 0 ? "" : ", ") + text(s.values[i]);
    out_.line("store ", place(s.to), " = ", list);
  }
  void print(const Atomic& s) {
    std::string list;
    if (s.value != kNone<ExprId>) list += ", " + text(s.value);
    if (s.comparand != kNone<ExprId>) list += ", if " + text(s.comparand);
    out_.line(values(s.result, 1), "atomic ", to_string(s.op), ' ', place(s.on), list);
  }
  void print(const If& s) { out_.line("if ", text(s.condition)); }
  void print(const Switch& s) { out_.line("switch ", text(s.selector)); }
  void print(const Loop&) { out_.line("loop"); }
  void print(const Scope&) { out_.line("scope"); }
  void print(const Leave& s) { out_.line("leave '", index(s.target)); }
  void print(const Break&) { out_.line("break"); }
  void print(const Continue&) { out_.line("continue"); }
  void print(const Return&) { out_.line("return"); }
  void print(const Barrier& s) {
    out_.line("barrier", s.workgroup ? " workgroup" : "", s.storage ? " storage" : "");
  }
  void print(const UniformLoad& s) {
    out_.line(values(s.first, s.from.count), "uniform_load ", place(s.from));
  }
  void print(const Subgroup& s) {
    std::string list;
    if (s.value != kNone<ExprId>) list += " " + text(s.value);
    if (s.argument != kNone<ExprId>) list += ", " + text(s.argument);
    out_.line(values(s.first, s.op == SubgroupOp::ballot ? 4 : 1), "subgroup ", to_string(s.op),
              s.divergent ? " divergent" : "", list);
  }
  void print(const Trap& s) {
    const std::size_t tag = index(s.tag);
    out_.line("trap \"", tag < program_.traps.size() ? program_.traps[tag] : "?", "\" ",
              text(s.value));
  }

  const Program& program_;
  TextWriter out_;
};

}  // namespace

std::string readable(const Program& program) {
  return Dumper(program).run();
}

std::string dump(const Program& program) {
  return guarded([&] { return readable(program); }, [] { return std::string(kNoMemoryText); });
}

}  // namespace vyre
