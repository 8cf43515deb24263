// SPDX-License-Identifier: MIT OR Apache-2.0
#include "fuzz/fuzz_case.h"

#include <span>
#include <utility>

#include "fuzz/context.h"
#include "fuzz/expressions.h"
#include "fuzz/memories.h"
#include "fuzz/statements.h"

namespace vyre::test {
namespace {

using Size = std::array<std::uint32_t, 3>;
constexpr Size kWorkgroups[] = {{1, 1, 1}, {7, 1, 1}, {32, 1, 1}, {64, 1, 1}, {33, 1, 1},
                                {4, 4, 2}, {5, 3, 1}, {1, 9, 1},  {2, 2, 5},  {128, 1, 1}};
constexpr Size kGrids[] = {{1, 1, 1}, {2, 1, 1}, {3, 1, 1}, {2, 2, 1},
                           {1, 3, 1}, {2, 1, 2}, {5, 1, 1}};
constexpr std::uint32_t kMaxProbes = 4;

}  // namespace

FuzzCase generate(Choices& choices, const FuzzOptions& options) {
  const Size workgroup = choices.pick(std::span<const Size>(kWorkgroups));
  Assembler out("fuzz", workgroup);
  Context context = {.out = out, .choices = choices, .options = options, .workgroup = workgroup};
  context.grid = choices.pick(std::span<const Size>(kGrids));
  Expressions expressions(context);
  Memories memories(context, expressions);
  memories.declare();
  FuzzCase result;
  result.inputs.grid = context.grid;
  result.probe_stride = 5 * kMaxProbes;
  result.probe_buffer = memories.declare_probe(result.probe_stride);
  Statements statements(context, expressions, memories);
  statements.set_probe_buffer(result.probe_buffer, result.probe_stride);
  statements.body();
  result.probes = statements.probes();
  result.program = std::move(out).finish();
  result.inputs.buffers = memories.host_buffers(result.program);
  return result;
}

}  // namespace vyre::test
