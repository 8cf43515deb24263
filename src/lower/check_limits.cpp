// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <string>

#include "base/align.h"
#include "ir/layout.h"
#include "ir/visit.h"
#include "lower/passes.h"

namespace vyre {
namespace {

struct Size {
  std::size_t statements = 0;
  std::size_t nesting = 0;

  void enter(BlockId, StmtId) { nesting = std::max(nesting, ++depth_); }
  void exit(BlockId, StmtId) { --depth_; }
  void statement(StmtId) { ++statements; }

 private:
  std::size_t depth_ = 0;
};

Error too_large(const Lowered& lowered,
                std::string_view code,
                std::string what,
                std::uint64_t limit,
                std::string help) {
  return Error(ErrorKind::unsupported, code,
               "kernel `" + lowered.program.name + "` " + std::move(what) + " on " +
                   lowered.target.name + "; the limit is " + std::to_string(limit),
               std::move(help));
}

Error too_deep(const Lowered& lowered, std::size_t nesting) {
  return too_large(lowered, "too-deeply-nested",
                   "nests " + std::to_string(nesting) + " blocks deep", lowered.target.max_nesting,
                   "put inner loops into a kernel of their own, or run it on the cpu");
}

/// Of the private arrays that something touches: of those that became one, only that one.
std::uint64_t local_bytes(const Program& program) {
  const std::vector<bool> touched = touched_buffers(program);
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < touched.size(); ++i)
    if (touched[i] && program.buffers[i].space == Space::local)
      sum += align_to(byte_size(program, program.buffers[i], 0), 4);
  return sum;
}

}  // namespace

Status check_nesting(const Lowered& lowered) {
  constexpr std::uint64_t kSlack = 4;  // named blocks are nesting that goes away
  Size size;
  walk(lowered.program, size);
  return size.nesting > kSlack * lowered.target.max_nesting ? too_deep(lowered, size.nesting)
                                                            : Status(Ok{});
}

Status check_atomics(const Lowered& lowered) {
  const auto is_wide = [](const Layout& layout) {
    return layout.kind == LayoutKind::atomic && info(layout.scalar).bytes == 8;
  };
  const auto& layouts = lowered.program.layouts;
  if (lowered.target.wide_atomics || std::none_of(layouts.begin(), layouts.end(), is_wide))
    return Ok{};
  return Error(ErrorKind::unsupported, "needs-capability",
               "kernel `" + lowered.program.name + "` needs atomics of 64 bits, which " +
                   lowered.target.name + " lacks",
               "run it on the cpu, or use atomics of 32 bits");
}

Status check_limits(const Lowered& lowered) {
  Size size;
  walk(lowered.program, size);
  const Target& target = lowered.target;
  if (size.statements > target.max_statements)
    return too_large(lowered, "too-many-statements",
                     "has " + std::to_string(size.statements) + " statements",
                     target.max_statements, "split the kernel, or run it on the cpu");
  if (size.nesting > target.max_nesting) return too_deep(lowered, size.nesting);
  const std::uint64_t bytes = local_bytes(lowered.program);
  if (bytes > target.max_local_bytes)
    return too_large(lowered, "device-limit",
                     "needs " + std::to_string(bytes) + " bytes of private arrays at a time",
                     target.max_local_bytes,
                     "make the arrays smaller, or keep them in workgroup or scratch memory");
  return Ok{};
}

}  // namespace vyre
