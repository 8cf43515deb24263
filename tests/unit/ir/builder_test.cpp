// SPDX-License-Identifier: MIT OR Apache-2.0
#include "vyre/builder.h"

#include <gtest/gtest.h>

namespace vyre {
namespace {

TEST(Builder, SaxpyReadsInOperandOrder) {
  Builder b("saxpy", {.workgroup = 256});
  auto x = b.input<float>("x");
  auto y = b.in_out<float>("y");
  auto a = b.uniform<float>("a");
  auto i = b.global_id();
  b.if_(i < y.length(), [&] { y[i] = a * x[i] + y[i]; });
  EXPECT_EQ(dump(b.finish()),
            "kernel saxpy workgroup(256, 1, 1)\n"
            "storage x @group(0) @binding(0) input: array<f32>\n"
            "storage y @group(0) @binding(1) in_out: array<f32>\n"
            "uniform a @group(0) @binding(2) input: f32\n"
            "{\n"
            "  if lt(global_id.x, length(y))\n"
            "  then {\n"
            "    %0 = load a\n"
            "    %1 = load x[global_id.x]\n"
            "    %2 = load y[global_id.x]\n"
            "    store y[global_id.x] = add(mul(%0, %1), %2)\n"
            "  }\n"
            "}\n");
}

TEST(Builder, TheLengthOfADeclaredArrayIsAConstant) {
  Builder b("k");
  auto fixed = b.input<std::uint32_t>("fixed", 7);
  auto open = b.output<std::uint32_t>("open");
  open[fixed.length()] = open.length();
  const Program program = b.finish();
  EXPECT_NE(dump(program).find("store open[7u] = length(open)"), std::string::npos)
      << dump(program);
}

TEST(Builder, ReadsAreOrderedByUseNotByEvaluation) {
  const auto make = [](bool swapped) {
    Builder b("k");
    auto x = b.input<std::uint32_t>("x");
    auto y = b.in_out<std::uint32_t>("y");
    if (swapped) {
      const Value second = x[1];
      const Value first = x[0];
      y[0] = first - second;
    } else {
      const Value first = x[0];
      const Value second = x[1];
      y[0] = first - second;
    }
    return encode(b.finish());
  };
  EXPECT_EQ(make(false), make(true));
}

TEST(Builder, AReadStaysOnItsSideOfAWrite) {
  Builder b("k");
  auto y = b.in_out<std::uint32_t>("y");
  const Value before = y[0];
  y[0] = 5;
  y[1] = before;
  EXPECT_EQ(dump(b.finish()),
            "kernel k workgroup(64, 1, 1)\n"
            "storage y @group(0) @binding(0) in_out: array<u32>\n"
            "{\n"
            "  %0 = load y[0u]\n"
            "  store y[0u] = 5u\n"
            "  store y[1u] = %0\n"
            "}\n");
}

TEST(Builder, LiteralsTakeTheTypeOfTheirNeighbours) {
  Builder b("k");
  auto f = b.in_out<float>("f");
  auto i = b.in_out<std::int32_t>("i");
  f[0] = f[1] * 2;
  i[0] = 1 - Value(i[1]) << 3;
  EXPECT_EQ(dump(b.finish()),
            "kernel k workgroup(64, 1, 1)\n"
            "storage f @group(0) @binding(0) in_out: array<f32>\n"
            "storage i @group(0) @binding(1) in_out: array<i32>\n"
            "{\n"
            "  %0 = load f[1u]\n"
            "  store f[0u] = mul(%0, 2f)\n"
            "  %1 = load i[1u]\n"
            "  store i[0u] = shl(sub(1i, %1), 3u)\n"
            "}\n");
}

TEST(Builder, CountedLoopAndVariable) {
  Builder b("k");
  auto out = b.output<std::uint32_t>("out", 1);
  auto sum = b.var(0u);
  b.for_(0u, 10u, [&](Value i) { sum += i; });
  out[0] = sum;
  EXPECT_EQ(dump(b.finish()),
            "kernel k workgroup(64, 1, 1)\n"
            "storage out @group(0) @binding(0) output: array<u32, 1>\n"
            "{\n"
            "  var $0: u32 = 0u\n"
            "  var $1: u32 = 0u\n"
            "  loop\n"
            "  body {\n"
            "    %0 = $1\n"
            "    if logical_not(lt(%0, 10u))\n"
            "    then {\n"
            "      break\n"
            "    }\n"
            "    %1 = $0\n"
            "    $0 = add(%1, %0)\n"
            "  }\n"
            "  continuing {\n"
            "    %2 = $1\n"
            "    $1 = add(%2, 1u)\n"
            "  }\n"
            "  %3 = $0\n"
            "  store out[0u] = %3\n"
            "}\n");
}

TEST(Builder, StructMembersByName) {
  Builder b("k");
  auto params = b.structure("params", Space::uniform, Access::input,
                            {{"width", ScalarType::u32}, {"tint", ScalarType::f32, 3}});
  auto out = b.output<float>("out", 1);
  out[0] = params.member("tint")[2];
  out[0] = convert<float>(params.member("width"));
  EXPECT_EQ(dump(b.finish()),
            "kernel k workgroup(64, 1, 1)\n"
            "uniform params @group(0) @binding(0) input: params_t { width @0: u32; tint @16: "
            "vec3<f32>; }\n"
            "storage out @group(0) @binding(1) output: array<f32, 1>\n"
            "{\n"
            "  %0 = load params.tint[2u]\n"
            "  store out[0u] = %0\n"
            "  %1 = load params.width\n"
            "  store out[0u] = convert<f32>(%1)\n"
            "}\n");
}

}  // namespace
}  // namespace vyre
