// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "vyre/validate.h"

#include "ir/assembler.h"

/// Shorthand of the validation tests.
namespace vyre {

/// The codes of a program's faults, in the order reported.
inline std::vector<std::string> codes_of(const Diagnostics& faults) {
  std::vector<std::string> codes;
  for (const Diagnostic& fault : faults)
    codes.emplace_back(info(fault.code).name);
  return codes;
}
inline std::vector<std::string> faults_of(const Program& program) {
  const auto result = validate(program);
  return result ? std::vector<std::string>{} : codes_of(result.error().diagnostics());
}
/// All faults as text.
inline std::string report_of(const Program& program) {
  const auto result = validate(program);
  return result ? std::string() : result.error().diagnostics().to_string();
}
/// True if the program has exactly one fault, with this code and this text in its message.
inline testing::AssertionResult has_only(const Program& program,
                                         std::string_view code,
                                         std::string_view says) {
  const auto result = validate(program);
  if (!result && result.error().diagnostics().size() == 1) {
    const Diagnostic& fault = result.error().diagnostics()[0];
    if (info(fault.code).name == code && fault.message.find(says) != std::string::npos)
      return testing::AssertionSuccess();
  }
  return testing::AssertionFailure()
         << "wanted " << code << ": …" << says << "…, got\n"
         << (result ? "no fault" : result.error().diagnostics().to_string());
}
inline testing::AssertionResult is_valid(const Program& program) {
  const std::string report = report_of(program);
  if (report.empty()) return testing::AssertionSuccess();
  return testing::AssertionFailure() << report;
}
using Codes = std::vector<std::string>;

/// An assembler with buffers `in` (array<u32>, read), `out` (array<u32>, written), `params`
/// (a uniform struct of the u32 members n and m) and `tile` (workgroup array of 64 u32).
struct Kernel : Assembler {
  Kernel() : Assembler("kernel", {64, 1, 1}) {
    const LayoutId words = array(scalar(ScalarType::u32), 0);
    in = buffer({.name = "in", .binding = 0, .access = Access::input, .layout = words});
    out = buffer({.name = "out", .binding = 1, .access = Access::output, .layout = words});
    const MemberDecl members[] = {{"n", scalar(ScalarType::u32)}, {"m", scalar(ScalarType::u32)}};
    params = buffer({.name = "params",
                     .binding = 2,
                     .space = Space::uniform,
                     .layout = structure("Params", members)});
    tile = buffer(
        {.name = "tile", .space = Space::workgroup, .layout = array(scalar(ScalarType::u32), 64)});
  }
  ExprId gid() { return builtin(Builtin::global_id); }
  ExprId lid() { return builtin(Builtin::local_index); }
  ExprId wid() { return builtin(Builtin::workgroup_id); }
  static MemoryRef at(BufferId buffer, ExprId index) {
    return {.buffer = buffer, .path = {{.kind = Step::Kind::index, .index = index}}};
  }
  static MemoryRef member(BufferId buffer, std::uint32_t member) {
    return {.buffer = buffer, .path = {{.kind = Step::Kind::member, .member = member}}};
  }
  void sync() { barrier(true, false); }
  template <typename F>
  BlockId block(F&& fill) {
    const BlockId id = open();
    fill();
    close();
    return id;
  }
  template <typename F>
  void when(ExprId condition, F&& fill) {
    if_(condition, block(fill));
  }
  /// `for (var i = first; i < end; i += step) fill(i)`.
  template <typename F>
  void count(ExprId first, ExprId end, ExprId step, F&& fill) {
    const VarId i = var(ScalarType::u32, first);
    const BlockId body = block([&] {
      when(op(Op::ge, {get(i), end}), [&] { break_(); });
      fill(i);
    });
    const BlockId next = block([&] { set(i, op(Op::add, {get(i), step})); });
    loop(body, next);
  }
  ExprId less(ExprId a, std::uint32_t b) { return op(Op::lt, {a, u32(b)}); }
  Program done() && { return std::move(static_cast<Assembler&>(*this)).finish(); }

  BufferId in, out, params, tile;
};

using Fill = std::function<void(Kernel&)>;

/// A kernel of what `fill` writes.
inline Program made(const Fill& fill) {
  Kernel k;
  fill(k);
  return std::move(k).done();
}
/// array<u32, count>
inline LayoutId words(Kernel& k, std::uint32_t count) {
  return k.array(k.scalar(ScalarType::u32), count);
}

}  // namespace vyre
