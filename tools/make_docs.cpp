// SPDX-License-Identifier: MIT OR Apache-2.0

/// Writes the documents that come from the catalogue tables.
///
///     vyre_docs FOLDER           writes them into FOLDER
///     vyre_docs --check FOLDER   fails when one of them there is stale
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "vyre/diagnostic.h"
#include "vyre/op.h"

#include "base/error_codes.h"
#include "base/file.h"

namespace vyre {
namespace {

struct Document {
  std::string name;
  std::string text;
};

constexpr std::string_view kNotice =
    "<!-- Written by `./dev docs` from the .def tables of the sources; change those. -->\n\n";

std::string_view operands_of(Typing typing) {
  switch (typing) {
    case Typing::arith: return "T… → T, numeric";
    case Typing::integer: return "T… → T, integer";
    case Typing::integer32: return "T… → T, u32 or i32";
    case Typing::floating: return "T… → T, float";
    case Typing::logical: return "bool… → bool";
    case Typing::equality: return "T, T → bool";
    case Typing::ordering: return "T, T → bool, numeric";
    case Typing::select: return "bool, T, T → T";
    case Typing::shift: return "T, u32 → T, integer";
    case Typing::extract: return "T, u32, u32 → T, u32 or i32";
    case Typing::scale: return "f32, i32 → f32";
    case Typing::float_test: return "T → bool, float";
    case Typing::convert: return "T → U";
    case Typing::bitcast: return "T → U of the same width";
    case Typing::from_half: return "u32 → f32";
    case Typing::to_half: return "f32 → u32";
  }
  return "";
}

std::string_view bound_of(Accuracy accuracy) {
  switch (accuracy) {
    case Accuracy::exact: return "exact";
    case Accuracy::contractible: return "exact with strict floats";
    case Accuracy::fused: return "one or two roundings";
    case Accuracy::ulp_2: return "2 ulp";
    case Accuracy::ulp_2_5: return "2.5 ulp";
    case Accuracy::ulp_4096: return "4096 ulp";
    case Accuracy::absolute_2_11: return "2⁻¹¹ absolute in [-π, π]";
    case Accuracy::exponential: return "3 + 2·abs(x) ulp";
    case Accuracy::logarithm: return "3 ulp, or 2⁻²¹ absolute in [0.5, 2]";
    case Accuracy::power: return "as exp2(y · log2(x))";
    case Accuracy::inverse_trig: return "4096 ulp or 6.81e-5 absolute";
    case Accuracy::ldexp: return "exact for normal results";
    case Accuracy::derived: return "as its formula";
  }
  return "";
}

/// Text as a cell of a table: a bar would end the cell.
std::string cell(std::string_view text) {
  std::string safe;
  for (const char c : text)
    safe += c == '|' ? std::string("\\|") : std::string(1, c);
  return safe + " | ";
}

std::string row(std::initializer_list<std::string_view> cells) {
  std::string line = "| ";
  for (const std::string_view text : cells)
    line += cell(text);
  line.back() = '\n';
  return line;
}

std::string quoted(std::string_view name) {
  return "`" + std::string(name) + "`";
}

Document operators() {
  std::string text = "# Operators\n\n" + std::string(kNotice) +
                     "Accuracy speaks of f32; integer and boolean results are exact on every "
                     "device.\nA composite operator is made of others where a device has no "
                     "spelling for it.\n\n";
  text += row({"operator", "types", "accuracy", "tier", "meaning"});
  text += row({"---", "---", "---", "---", "---"});
  for (const OpInfo& op : all_ops()) {
    text += row({quoted(op.name), operands_of(op.typing), bound_of(op.accuracy),
                 op.tier == Tier::core ? "core" : "composite", op.summary});
  }
  return {"operators.md", text};
}

std::string kinds_of(const ErrorCodeInfo& code) {
  std::string text;
  for (const ErrorKind kind : all_error_kinds())
    if (code.kinds.contains(kind)) text += (text.empty() ? "" : ", ") + quoted(to_string(kind));
  return text;
}

Document diagnostics() {
  std::string text = "# Diagnostics\n\n" + std::string(kNotice) +
                     "What `error[CODE]` means; `vyre explain CODE` says the same, with an "
                     "example.\n\n## Faults of a program\n\n";
  text += row({"code", "meaning", "remedy"});
  text += row({"---", "---", "---"});
  for (const CodeInfo& code : all_codes())
    text += row({quoted(code.name), code.summary, code.remedy});
  text += "\n## Errors of the world\n\n[errors.md](errors.md) says what the kinds are.\n\n";
  text += row({"code", "kind", "meaning", "remedy"});
  text += row({"---", "---", "---", "---"});
  for (const ErrorCodeInfo& code : all_error_codes())
    text += row({quoted(code.name), kinds_of(code), code.summary, code.remedy});
  return {"diagnostics.md", text};
}

bool write(const std::string& path, const std::string& text) {
  const Status written = write_file(path, text);
  if (!written) std::fprintf(stderr, "%s\n", written.error().to_string().c_str());
  return written.has_value();
}

bool is_fresh(const std::string& path, const std::string& text) {
  const Result<std::string> former = read_text_file(path);
  const bool fresh = former && *former == text;
  if (!fresh) std::fprintf(stderr, "%s is stale; run ./dev docs\n", path.c_str());
  return fresh;
}

int run(const std::string& folder, bool check) {
  bool good = true;
  for (const Document& document : {operators(), diagnostics()}) {
    const std::string path = folder + "/" + document.name;
    good = (check ? is_fresh(path, document.text) : write(path, document.text)) && good;
  }
  return good ? 0 : 1;
}

}  // namespace
}  // namespace vyre

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() == 1) return vyre::run(arguments[0], false);
  if (arguments.size() == 2 && arguments[0] == "--check") return vyre::run(arguments[1], true);
  std::fputs("usage: vyre_docs [--check] FOLDER\n", stderr);
  return 2;
}
