// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "vyre/wgsl.h"

#include "interpreter/interpreter.h"
#include "lower/loop_budget.h"
#include "lower/passes.h"

namespace vyre {
namespace {

using Words = std::vector<std::uint32_t>;

std::string kernel_of(const std::string& statements, unsigned workgroup = 1) {
  return R"(
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@group(0) @binding(1) var<storage, read> q: array<u32>;
var<workgroup> tile: array<u32, 8>;
fn forever(x: u32) -> u32 { var i = x; while (i != q[3]) { i += 2u; } return i; }
@compute @workgroup_size()" +
         std::to_string(workgroup) +
         R"() fn main(@builtin(local_invocation_index) li: u32,
                          @builtin(global_invocation_id) gid: vec3<u32>) {
)" + statements +
         "\n}\n";
}

ValidProgram parsed(const std::string& text) {
  auto valid = parse_wgsl(text);
  EXPECT_TRUE(valid) << text << (valid ? "" : valid.error().to_string());
  return *std::move(valid);
}

struct Ran {
  interpreter::RunReport report;
  Words o;
};

/// q is {3, 5, 4, 0xffffffff}, o starts as eight zeros.
Ran run(const Program& program, std::uint32_t groups = 1) {
  Words q = {3, 5, 4, 0xffffffff};
  Ran result = {{}, Words(8)};
  std::vector<interpreter::BufferBytes> buffers(program.buffers.size());
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    Words& words = program.buffers[i].name == "q" ? q : result.o;
    buffers[i] = {std::as_writable_bytes(std::span(words)), words.size()};
  }
  interpreter::RunInputs inputs;
  inputs.grid = inputs.logical_grid = {groups, 1, 1};
  inputs.buffers = buffers;
  inputs.max_steps = 200'000;
  result.report = interpreter::interpret(program, inputs);
  return result;
}

Target patient(std::uint32_t turns) {
  Target target = wgsl_target();
  target.endless_turns = turns;
  return target;
}
Target limited(std::uint64_t turns) {
  Target target = wgsl_target();
  target.loop_turns = turns;
  return target;
}

/// Does not end in the language; once its turns are counted it traps and does nothing else.
void expect_trap(const std::string& statements, const Target& target, std::uint32_t allowed) {
  const ValidProgram valid = parsed(kernel_of(statements));
  EXPECT_TRUE(run(valid.program()).report.out_of_steps) << statements;
  const Ran bounded = run(bound_loops(valid.program(), target));
  EXPECT_FALSE(bounded.report.out_of_steps) << statements;
  EXPECT_EQ(bounded.report.trap.count, 1u) << statements;
  EXPECT_EQ(bounded.report.trap.value, allowed) << statements;
}

/// Loops that look as if they ended at a bound, each followed by an access that the bound would
/// keep inside.
const char* const kEndless[] = {
    "for (var i = 0u; i <= 0xffffffffu; i++) { o[i & 7u] = i; }",
    "var i = 5u; while (i >= 0u) { i--; } o[i + 9u] = 1u;",
    "var i = 0u; while (i < 8u) { i += q[1] - 5u; } o[i] = 1u;",
    "var i = 1u; while (i < 8u) { i += 0xffffffffu; if (i == 0u) { i = 7u; } } o[i] = 1u;",
    "var i = 0u; while (i != 7u) { i += 2u; } o[i] = 1u;",
    "var i = 0u; while (i < 0xffffffffu) { i += 2u; } o[i] = 1u;",
    "var i = 0u; while (i < 8u) { if (q[0] == 3u) { continue; } i++; } o[i] = 1u;",
    "var i = 0u; while (i < 8u) { i++; for (var j = 0u; j < 1u; j++) { i--; } } o[i] = 1u;",
    "var i = 0u; while (i < 8u) { let at = &i; *at = 3u; } o[i] = 1u;",
    "var i = 0i; while (i >= -2147483648) { i--; } o[u32(i)] = 1u;",
    "var i = 1u; while (i < 0x80000001u) { i *= 2u; } o[i] = 1u;",
    "o[forever(0u)] = 1u;",
    "while (o[0] < 5u) { o[1] += 1u; } o[o[0]] = 1u;",
    "for (var k = 0u; k < 3u; k++) { var i = k; while (i != 9u) { i += 0u * q[0]; } o[i] = 1u; }",
};

TEST(BoundLoops, TurnsThatDoNotEndAreATrap) {
  for (const char* statements : kEndless) {
    expect_trap(statements, patient(50), 50);
    expect_trap(statements, limited(2000), 2000);
  }
}

/// Guards follow from conditions that are met on the way, never from the end of a loop.
TEST(BoundLoops, NoGuardIsDroppedBehindALoop) {
  const auto guards = [](const Program& program) {
    const auto count = [](const Program& p) {
      return std::count_if(p.stmts.begin(), p.stmts.end(),
                           [](const Stmt& s) { return std::holds_alternative<If>(s); });
    };
    return count(guard_bounds(program)) - count(program);
  };
  for (const char* statements : {
           "var i = q[0]; while (i >= arrayLength(&o)) { i += 3u; } o[i] = 1u;",
           "var i = q[0]; loop { if (i < arrayLength(&o)) { break; } i -= 7u; } o[i] = 1u;",
           "var i = q[0]; loop { continuing { i *= 3u; break if i < arrayLength(&o); } } o[i] = "
           "1u;",
       }) {
    const ValidProgram valid = parsed(kernel_of(statements));
    const Program bounded = bound_loops(valid.program(), wgsl_target());
    EXPECT_NE(dump(bounded), dump(valid.program())) << statements;
    EXPECT_GE(guards(bounded), 2) << statements;  // of q[0] and of o[i]
  }
}

TEST(BoundLoops, ProvedLoopsStayBare) {
  for (const char* statements : {
           "for (var i = 0u; i < q[0]; i++) { o[i] = 1u; }",
           "for (var i = 0u; i < 16u; i += 4u) { for (var j = i; j > 0u; j >>= 1u) { o[j] = 1u; } "
           "}",
           "var i = 0u; loop { if (i >= q[0] || o[i] == 7u) { break; } i++; }",
       }) {
    const ValidProgram valid = parsed(kernel_of(statements));
    EXPECT_EQ(dump(bound_loops(valid.program(), wgsl_target())), dump(valid.program()));
  }
}

TEST(BoundLoops, CountsAnewInEachRunOfALoop) {
  const ValidProgram valid = parsed(
      kernel_of("for (var k = 0u; k < 30u; k++) { o[1] = 0u; while (o[1] < 9u) { o[1] += 1u; "
                "o[0] += 1u; } }"));
  const Ran bounded = run(bound_loops(valid.program(), patient(10)));
  EXPECT_EQ(bounded.report.trap.count, 0u);
  EXPECT_EQ(bounded.o[0], 270u);
  EXPECT_EQ(run(bound_loops(valid.program(), patient(9))).report.trap.count, 1u);
}

/// A loop with a barrier is left by all invocations of the workgroup in the same turn.
TEST(BoundLoops, TrapsWithBarriersInALoop) {
  const ValidProgram valid =
      parsed(kernel_of("loop { if (workgroupUniformLoad(&tile[1]) == 3u) { break; } tile[li] = li; "
                       "workgroupBarrier(); o[li] += 1u; } workgroupBarrier(); o[9] = tile[0];",
                       4));
  const Ran bounded = run(bound_loops(valid.program(), patient(20)));
  EXPECT_FALSE(bounded.report.divergence);
  EXPECT_EQ(bounded.report.trap.count, 4u);
  const auto lowered = lower(valid, patient(20));
  ASSERT_TRUE(lowered) << lowered.error().to_string();
  EXPECT_NE(lowered->trap_buffer, kNone<BufferId>);
}

// ---- a driver with a limit

std::size_t counted(const std::string& statements, std::uint64_t limit, unsigned workgroup = 1) {
  const ValidProgram valid = parsed(kernel_of(statements, workgroup));
  const LoopBudget budget(valid.program(), limited(limit));
  std::size_t count = 0;
  for (std::size_t i = 0; i < valid->stmts.size(); ++i)
    count += budget.of(static_cast<StmtId>(static_cast<std::uint32_t>(i))) ? 1u : 0u;
  return count;
}

TEST(LoopLimits, CountOnlyWhereTheLimitMayBeReached) {
  const std::string inner = "for (var j = 0u; j < 16u; j++) { o[j] = 1u; }";
  EXPECT_EQ(counted(inner, 65535), 0u);
  EXPECT_EQ(counted("for (var i = 0u; i < 1000u; i++) { " + inner + " }", 65535), 0u);
  EXPECT_EQ(counted("for (var i = 0u; i < 4000u; i++) { " + inner + " }", 65535), 1u);
  EXPECT_EQ(counted("for (var i = 0u; i < q[0]; i++) { " + inner + " }", 65535), 1u);
  EXPECT_EQ(counted("for (var i = 0u; i < (q[0] & 1023u); i++) { " + inner + " }", 65535), 0u);
  EXPECT_EQ(counted("for (var i = 0u; i < q[0]; i++) { for (var j = 0u; j < q[1]; j++) { "
                    "o[i] += j; } }",
                    65535),
            2u);
}

/// What the driver counts: for the lanes of a vector together, so for each run of a loop the most
/// turns that one of them takes.  Here all lanes are of one vector.
TEST(LoopLimits, TrapBeforeAnyOrderOfLanesReachesThem) {
  struct Shape {
    const char* statements;
    std::uint64_t together;  ///< turns of 8 lanes, one after the other where they diverge
  };
  const Shape shapes[] = {
      {"for (var i = 0u; i < q[0] * 100u; i++) { o[li] = i; }", 300},
      {"for (var i = 0u; i < q[0] * 300u; i++) { o[li] = i; }", 900},
      {"for (var i = 0u; i < q[0]; i++) { for (var j = 0u; j < q[1] * 30u; j++) { o[li] += j; } }",
       3 + 3 * 150},
      {"for (var i = 0u; i < q[1] + 3u; i++) { if (i == li) { for (var j = 0u; j < q[1] * 20u; "
       "j++) { o[li] += j; } } }",
       8 + 8 * 100},
      {"if (li < 4u) { for (var i = 0u; i < q[0] * 150u; i++) { o[li] = i; } } else { for (var i = "
       "0u; i < q[0] * 160u; i++) { o[li] = i; } }",
       450 + 480},
      {"for (var i = 0u; i < li * q[0] * 20u; i++) { o[li] = i; } for (var i = 0u; i < (7u - li) * "
       "q[0] * 21u; i++) { o[li] = i; }",
       7 * 60 + 7 * 63},
  };
  for (const Shape& shape : shapes) {
    const ValidProgram valid = parsed(kernel_of(shape.statements, 8));
    for (const std::uint64_t limit : {400u, 500u, 700u, 880u, 920u, 1000u, 30000u}) {
      const Ran bounded = run(bound_loops(valid.program(), limited(limit)));
      EXPECT_FALSE(bounded.report.out_of_steps);
      const bool traps = bounded.report.trap.count != 0;
      EXPECT_TRUE(traps || shape.together < limit) << limit << ": " << shape.statements;
      EXPECT_FALSE(traps && shape.together * 40 < limit) << limit << ": " << shape.statements;
    }
  }
}

/// Loops that all lanes go through together may use the limit up.
TEST(LoopLimits, GiveLoopsThatDoNotDivergeAllThereIs) {
  const char* shapes[] = {
      "for (var i = 0u; i < q[0] * 300u; i++) { o[li] = i; }",
      "if (li == 7u) { return; } for (var i = 0u; i < q[0] * 10u; i++) { for (var j = 0u; j < q[1] "
      "* 6u; j++) { o[li] += j; } }",
  };
  for (const char* statements : shapes) {
    const ValidProgram valid = parsed(kernel_of(statements, 8));
    EXPECT_EQ(run(bound_loops(valid.program(), limited(1000))).report.trap.count, 0u);
    EXPECT_GT(run(bound_loops(valid.program(), limited(850))).report.trap.count, 0u);
  }
}

}  // namespace
}  // namespace vyre
