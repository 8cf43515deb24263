// SPDX-License-Identifier: MIT OR Apache-2.0
#include "backend/wgpu/wgsl.h"

#include <algorithm>
#include <string>
#include <variant>

#include "backend/text.h"
#include "backend/wgpu/wgsl_dialect.h"
#include "backend/wgpu/wgsl_spelling.h"
#include "backend/wgpu/wgsl_types.h"
#include "base/check.h"
#include "emit/statements.h"
#include "ir/visit.h"

namespace vyre::wgpu {
namespace {

/// What text that is printed for no device in particular may take for granted: no grid of WebGPU is
/// larger by default, and no binding of any.
constexpr std::uint64_t kUsualGrid = 65535;
constexpr std::uint64_t kUsualBufferBytes = std::uint64_t{1} << 32;

/// Puts a kernel's parts one after the other: structs, variables, the entry point.
class Printer {
 public:
  explicit Printer(const Lowered& lowered)
      : lowered_(lowered),
        program_(lowered.program),
        names_(wgsl_taken_words()),
        types_(program_, names_, structs_) {}

  KernelSource print() {
    for (const BufferDecl& buffer : program_.buffers)
      buffers_.push_back(names_.claim(buffer.name));
    for (std::size_t i = 0; i < program_.buffers.size(); ++i)
      declare(static_cast<BufferId>(i), program_.buffers[i]);
    if (!lowered_.launch.empty()) declare_launch();
    source_.entry = names_.claim(program_.name.empty() ? "kernel" : program_.name);
    write_entry();
    source_.text = directives() + structs_.take() + variables_.take() + body_.take();
    return std::move(source_);
  }

 private:
  [[nodiscard]] std::string directives() const {
    std::string text = uses_halves() ? "enable f16;\n" : "";
    if (diverges()) text += "diagnostic(off, subgroup_uniformity);\n";
    return text.empty() ? text : text + "\n";
  }
  [[nodiscard]] bool diverges() const {
    return std::any_of(program_.stmts.begin(), program_.stmts.end(), [](const Stmt& stmt) {
      const auto* subgroup = std::get_if<Subgroup>(&stmt);
      return subgroup != nullptr && subgroup->divergent;
    });
  }
  [[nodiscard]] bool uses_halves() const {
    const auto is_half = [](const auto& node) { return type_in(node) == ScalarType::f16; };
    return std::any_of(program_.exprs.begin(), program_.exprs.end(), is_half) ||
           std::any_of(program_.layouts.begin(), program_.layouts.end(), is_half);
  }
  static ScalarType type_in(const Expr& expr) { return expr.type; }
  static ScalarType type_in(const Layout& layout) { return layout.scalar; }

  void declare(BufferId id, const BufferDecl& buffer) {
    switch (buffer.space) {
      case Space::storage: declare_storage(id, buffer); return;
      case Space::uniform: bind(id, BindingKind::uniform); return;
      case Space::constant: declare_constant(id, buffer); return;
      case Space::workgroup: variables_.line("var<workgroup> ", name_and_type(id), ";"); return;
      case Space::local: return;  // in the entry point
    }
    VYRE_UNREACHABLE();
  }

  void declare_storage(BufferId id, const BufferDecl& buffer) {
    if (buffer.access == Access::input)
      bind(id, BindingKind::read_only_storage);
    else
      bind(id, BindingKind::storage);
  }

  void declare_constant(BufferId id, const BufferDecl& buffer) {
    const std::string typed = name_and_type(id);
    variables_.line("const ", typed, " = ", types_.value(buffer.layout, buffer.words, 0), ";");
  }

  std::string name_and_type(BufferId id) {
    return buffers_[index(id)] + ": " + types_.name(program_[id].layout);
  }

  void bind(BufferId id, BindingKind kind) {
    const std::string typed = name_and_type(id);
    add_binding({.buffer = id,
                 .kind = kind,
                 .min_bytes = types_.min_bytes(program_[id].layout),
                 .name = buffers_[index(id)]},
                typed);
  }

  void add_binding(KernelBinding binding, std::string_view name_and_type) {
    const auto space = [&]() -> std::string_view {
      switch (binding.kind) {
        case BindingKind::uniform: return "uniform";
        case BindingKind::read_only_storage: return "storage, read";
        case BindingKind::storage: return "storage, read_write";
      }
      VYRE_UNREACHABLE();
    };
    variables_.line("@group(0) @binding(", source_.bindings.size(), ") var<", space(), "> ",
                    name_and_type, ";");
    source_.bindings.push_back(std::move(binding));
  }

  void declare_launch() {
    const std::size_t words = lowered_.launch.size();
    source_.launch_words = static_cast<std::uint32_t>(words);
    const std::size_t vectors = (words + 3) / 4;
    variables_ << "// launch:";
    for (std::size_t i = 0; i < words; ++i)
      describe(i, lowered_.launch[i]);
    variables_.end_line();
    add_binding({.kind = BindingKind::uniform, .min_bytes = 16 * vectors, .name = "launch"},
                "launch: array<vec4<u32>, " + std::to_string(vectors) + ">");
  }

  void describe(std::size_t i, const LaunchWord& word) {
    variables_ << (i == 0 ? " " : ", ") << to_string(word.field);
    if (word.buffer != kNone<BufferId>) variables_ << " of " << buffers_[index(word.buffer)];
  }

  void write_entry() {
    if (variables_.size() > 0) body_.end_line();
    const auto& size = program_.workgroup;
    body_.line("@compute @workgroup_size(", size[0], ", ", size[1], ", ", size[2], ")");
    body_ << "fn " << source_.entry << "(";
    write_parameters();
    body_.line(") {");
    body_.indent();
    const std::vector<bool> touched = touched_buffers(program_);
    for (std::size_t i = 0; i < program_.buffers.size(); ++i)
      if (touched[i] && program_.buffers[i].space == Space::local)
        body_.line("var ", name_and_type(static_cast<BufferId>(i)), ";");
    WgslDialect dialect(lowered_, types_, buffers_);
    if (lowered_.idle_lanes_leave) dismiss_idle_lanes(dialect);
    print_body(program_, dialect, body_);
    body_.dedent();
    body_.line("}");
  }

  void dismiss_idle_lanes(const WgslDialect& dialect) {
    const Expr lane = {.kind = ExprKind::builtin, .builtin = Builtin::local_index};
    const Expr zero = {.kind = ExprKind::launch, .launch = LaunchField::zero};
    body_.line("if (", dialect.leaf(lane).text, " >= ", program_.workgroup[0], "u + ",
               dialect.leaf(zero).text, ") {");
    body_.indent();
    body_.line("return;");
    body_.dedent();
    body_.line("}");
  }

  void write_parameters() {
    bool used[8] = {};
    used[static_cast<std::size_t>(Builtin::local_index)] = lowered_.idle_lanes_leave;
    for (const Expr& expr : program_.exprs)
      if (expr.kind == ExprKind::builtin) used[static_cast<std::size_t>(expr.builtin)] = true;
    std::string_view comma = "";
    for (std::size_t i = 0; i < std::size(used); ++i) {
      if (!used[i]) continue;
      const auto builtin = static_cast<Builtin>(i);
      body_ << comma << "@builtin(" << wgsl_builtin_attribute(builtin) << ") "
            << wgsl_builtin_name(builtin) << ": " << wgsl_builtin_type(builtin);
      comma = ", ";
    }
  }

  const Lowered& lowered_;
  const Program& program_;
  KernelSource source_;
  TextWriter structs_;
  TextWriter variables_;
  TextWriter body_;
  Names names_;
  WgslTypes types_;
  std::vector<std::string> buffers_;
};

}  // namespace

KernelSource print_wgsl(const Lowered& lowered) {
  return Printer(lowered).print();
}

Result<std::string> emit_wgsl(const ValidProgram& program, const EmitOptions& options) {
  Target target = wgsl_target();
  target.max_grid = kUsualGrid;
  target.max_buffer_bytes = kUsualBufferBytes;
  target.float_exact = false;
  target.strict_float = options.strict_float;
  VYRE_TRY(const Lowered lowered, lower(program, target));
  return print_wgsl(lowered).text;
}

}  // namespace vyre::wgpu
