// SPDX-License-Identifier: MIT OR Apache-2.0
#include <chrono>
#include <string>

#include <gtest/gtest.h>

#include "vyre/wgsl.h"

#include "ir/assembler.h"
#include "support/check_result.h"
#include "support/devices.h"
#include "support/kernels.h"

// Very deep and very long programs: handled or refused with a code, never a crash.
namespace vyre::test {
namespace {

struct Frame {
  Assembler out;
  BufferId buffer;
};

Frame start() {
  Frame frame = {Assembler("deep", {1, 1, 1}), kNone<BufferId>};
  const LayoutId words = frame.out.array(frame.out.scalar(ScalarType::u32), 4);
  frame.buffer = frame.out.buffer({.name = "out", .access = Access::output, .layout = words});
  return frame;
}

void put(Frame& frame, std::uint32_t at, ExprId value) {
  frame.out.store({.buffer = frame.buffer, .path = {{.index = frame.out.u32(at)}}}, value);
}

/// `depth` ifs in each other, each true; the innermost stores.
Program nested_ifs(std::uint32_t depth) {
  Frame f = start();
  std::vector<BlockId> blocks;
  for (std::uint32_t i = 0; i < depth; ++i)
    blocks.push_back(f.out.open());
  put(f, 0, f.out.u32(depth));
  const auto condition = [&] {
    return f.out.op(Op::lt,
                    {f.out.builtin(Builtin::global_id), f.out.builtin(Builtin::num_workgroups)});
  };
  for (; !blocks.empty(); blocks.pop_back()) {
    f.out.close();
    f.out.if_(condition(), blocks.back());
  }
  return std::move(f.out).finish();
}

/// `depth` named blocks in each other; the innermost leaves the outermost.
Program nested_blocks(std::uint32_t depth) {
  Frame f = start();
  std::vector<BlockId> blocks;
  for (std::uint32_t i = 0; i < depth; ++i)
    blocks.push_back(f.out.open());
  put(f, 0, f.out.u32(depth));
  f.out.leave(blocks.front());
  for (; blocks.size() > 1; blocks.pop_back()) {
    f.out.close();
    f.out.scope(blocks.back());
    put(f, 1, f.out.u32(1));  // skipped
  }
  f.out.close();
  f.out.scope(blocks.back());
  put(f, 2, f.out.u32(7));
  return std::move(f.out).finish();
}

/// One expression of `depth` operations upon each other.
Program deep_expression(std::uint32_t depth) {
  Frame f = start();
  ExprId value = f.out.builtin(Builtin::global_id);
  for (std::uint32_t i = 0; i < depth; ++i)
    value = f.out.op(Op::add, {value, f.out.u32(1)});
  put(f, 0, value);
  return std::move(f.out).finish();
}

/// `length` statements one after the other: x = 1664525 x ^ 1013904223.  (With + in the place of ^,
/// a software driver would fold the constants of each with those of all before it.)
Program straight(std::uint32_t length) {
  Frame f = start();
  ExprId x = f.out.builtin(Builtin::global_id);
  for (std::uint32_t i = 0; i < length; ++i)
    x = f.out.let(
        f.out.op(Op::bit_xor, {f.out.op(Op::mul, {x, f.out.u32(1664525)}), f.out.u32(1013904223)}));
  put(f, 0, x);
  return std::move(f.out).finish();
}

std::uint32_t straight_result(std::uint32_t length) {
  std::uint32_t x = 0;
  for (std::uint32_t i = 0; i < length; ++i)
    x = x * 1664525 ^ 1013904223;
  return x;
}

class DispatchDepth : public DeviceTest {
 protected:
  /// Runs to `expected` or, on a GPU, is refused with a code.
  void check(Program&& built, const std::vector<std::uint32_t>& expected) const {
    const auto program = validate(std::move(built));
    ASSERT_OK(program);
    const auto outputs = device().dispatch(*program, {}, {.grid = {{1, 1, 1}}});
    if (!outputs && !is_cpu()) {
      EXPECT_EQ(outputs.error().kind(), ErrorKind::unsupported) << outputs.error().to_string();
      EXPECT_FALSE(outputs.error().code().empty());
      return;
    }
    ASSERT_OK(outputs);
    EXPECT_EQ(to_vector(outputs->as<std::uint32_t>("out")), expected);
  }
};

TEST_P(DispatchDepth, NestedIfs) {
  for (const std::uint32_t depth : {100u, 1000u, 100000u})
    check(nested_ifs(depth), {depth, 0, 0, 0});
}

TEST_P(DispatchDepth, NestedBlocks) {
  for (const std::uint32_t depth : {100u, 1000u, 100000u / 3})
    check(nested_blocks(depth), {depth, 0, 7, 0});
}

TEST_P(DispatchDepth, DeepExpressions) {
  for (const std::uint32_t depth : {100u, 1000u, is_cpu() ? 100000u : 10000u})
    check(deep_expression(depth), {depth, 0, 0, 0});
}

TEST_P(DispatchDepth, AHundredThousandStatements) {
  const auto program = validate(straight(100000));
  ASSERT_OK(program);
  const auto outputs = device().dispatch(*program, {}, {.grid = {{1, 1, 1}}});
  if (is_cpu()) {
    ASSERT_OK(outputs);
    EXPECT_EQ(outputs->as<std::uint32_t>("out")[0], straight_result(100000));
  } else {
    EXPECT_REFUSED(outputs, ErrorKind::unsupported, "too-many-statements", "100");
  }
}

INSTANTIATE_ON_DEVICES(DispatchDepth);

/// The WebGPU library or a software GPU takes up to a minute to compile these.
class LongDispatchDepth : public DispatchDepth {};

TEST_P(LongDispatchDepth, ExpressionsOfAHundredThousandOperations) {
  check(deep_expression(100000), {100000, 0, 0, 0});
}

TEST_P(LongDispatchDepth, TwentyThousandStatements) {
  constexpr std::uint32_t kLets = 19990;  // the rest is the launch block's and the store
  const auto program = validate(straight(kLets));
  ASSERT_OK(program);
  const auto outputs =
      device().dispatch(*program, {}, {.grid = {{1, 1, 1}}, .timeout = std::chrono::minutes(10)});
  ASSERT_OK(outputs);
  EXPECT_EQ(outputs->as<std::uint32_t>("out")[0], straight_result(kLets));
}

INSTANTIATE_ON_DEVICES(LongDispatchDepth);

// ---------------------------------------------------------------------------------- deep texts

std::string repeated(std::string_view text, std::size_t count) {
  std::string result;
  for (std::size_t i = 0; i < count; ++i)
    result += text;
  return result;
}

std::string kernel_of(const std::string& body) {
  return "@group(0) @binding(0) var<storage, read_write> out: array<u32>;\n"
         "@compute @workgroup_size(1) fn main() {\n" +
         body + "\n}\n";
}

/// Valid up to 126 braces inside the function's own, which WGSL asks of every implementation.
TEST(DeepTexts, BlocksAreTakenUpToTheLimitAndRefusedBeyond) {
  for (const std::string_view open : {"{", "if out[0] == 0u {", "loop {"}) {
    const std::string end = open.starts_with("loop") ? "break; }" : "}";
    for (const std::size_t depth : {100u, 126u}) {
      const auto program =
          parse_wgsl(kernel_of(repeated(open, depth) + "out[1] = 1u;" + repeated(end, depth)));
      EXPECT_OK(program);
    }
    for (const std::size_t depth : {128u, 1000u, 100000u}) {
      const auto program =
          parse_wgsl(kernel_of(repeated(open, depth) + "out[1] = 1u;" + repeated(end, depth)));
      ASSERT_FALSE(program) << depth;
      EXPECT_FALSE(program.error().diagnostics().empty());
    }
  }
}

/// Deep expressions are either taken or diagnosed.
TEST(DeepTexts, ExpressionsNeverCrash) {
  for (const std::size_t depth : {100u, 1000u, 100000u})
    for (const std::string& expression :
         {repeated("(", depth) + "1u" + repeated(")", depth), repeated("-", depth) + "1",
          repeated("!", depth) + "true", "1u" + repeated("+1u", depth),
          repeated("vec2(", depth) + "1u" + repeated(",2u).x", depth),
          repeated("out[", depth) + "0u" + repeated("]", depth)}) {
      const auto program = parse_wgsl(kernel_of("let x = " + expression + ";"));
      EXPECT_TRUE(program || !program.error().diagnostics().empty());
    }
}

TEST(DeepTexts, UnclosedTextsAreDiagnosed) {
  for (const std::size_t depth : {100u, 1000u, 100000u})
    for (const std::string_view open :
         {"{", "(", "[", "<", "if true {", "a(", "a<", "a[", "switch 1 { default {"}) {
      const auto program = parse_wgsl(kernel_of(repeated(open, depth)));
      ASSERT_FALSE(program) << open;
      EXPECT_FALSE(program.error().diagnostics().empty());
    }
}

}  // namespace
}  // namespace vyre::test
