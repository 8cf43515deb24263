// SPDX-License-Identifier: MIT OR Apache-2.0
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "support/check_result.h"
#include "support/devices.h"
#include "support/kernels.h"

// What goes in and what comes out: order, names, counts, lengths, zeros.
namespace vyre::test {
namespace {

using Bytes = std::vector<std::uint8_t>;
using Words = std::vector<std::uint32_t>;

class FirstSubmit : public DeviceTest {};

TEST_P(FirstSubmit, OfACopyGivesTheInput) {
  const auto program = copy_kernel<std::uint32_t>();
  ASSERT_OK(program);
  const auto input = counting<std::uint32_t>(1000);
  const auto outputs = device().dispatch(*program, {Input("in", input)});
  ASSERT_OK(outputs);
  EXPECT_EQ(to_vector(outputs->as<std::uint32_t>("out")), input);
}
INSTANTIATE_ON_DEVICES(FirstSubmit);

class DispatchInputs : public DeviceTest {};

TEST_P(DispatchInputs, OfZeroBytesGiveZeroBytes) {
  const auto program = copy_kernel<std::uint32_t>();
  ASSERT_OK(program);
  const auto outputs = device().dispatch(*program, {Input("in", Words{})});
  ASSERT_OK(outputs);
  ASSERT_TRUE(outputs->contains("out"));
  EXPECT_EQ(outputs->bytes("out").size(), 0u);
}

TEST_P(DispatchInputs, EmptyOutputByCountIsEmpty) {
  Builder b("fill");
  auto out = b.output<std::uint32_t>("out");
  out[b.global_id()] = 7u;
  const auto program = b.build();
  ASSERT_OK(program);
  const auto outputs = device().dispatch(*program, {}, {.counts = {{"out", 0}}});
  ASSERT_OK(outputs);
  EXPECT_EQ(outputs->size(), 1u);
  EXPECT_EQ(outputs->bytes("out").size(), 0u);
}

TEST_P(DispatchInputs, OfBytesKeepTheirExactLength) {
  const auto program = copy_kernel<std::uint8_t>(7);
  ASSERT_OK(program);
  for (const std::size_t length : {1u, 2u, 3u, 5u, 25u, 31u}) {
    Bytes input(length);
    for (std::size_t i = 0; i < length; ++i)
      input[i] = static_cast<std::uint8_t>(0xf0 + i);
    const auto outputs = device().dispatch(*program, {Input("in", input)});
    ASSERT_OK(outputs);
    EXPECT_EQ(to_vector(outputs->as<std::uint8_t>("out")), input) << length << " bytes";
  }
}

TEST_P(DispatchInputs, OutputThatNothingWritesIsZero) {
  Builder b("idle");
  auto out = b.output<std::uint8_t>("out", 31);
  b.if_(b.global_id() == 0xffffffffu, [&] { out[0] = 1u; });
  const auto program = b.build();
  ASSERT_OK(program);
  for (int round = 0; round < 3; ++round) {  // recycled memory too
    const auto outputs = device().dispatch(*program, {});
    ASSERT_OK(outputs);
    EXPECT_EQ(to_vector(outputs->as<std::uint8_t>("out")), Bytes(31));
  }
}

TEST_P(DispatchInputs, RecycledOutputsDoNotLeak) {
  Builder b("fill_some");
  auto n = b.uniform<std::uint32_t>("n");
  auto out = b.output<std::uint32_t>("out", 100);
  const Value i = b.global_id();
  b.if_(i < n, [&] { out[i] = 0xdeadbeefu; });
  const auto program = b.build();
  ASSERT_OK(program);
  ASSERT_OK(device().dispatch(*program, {Input("n", std::uint32_t{100})}));
  const auto outputs = device().dispatch(*program, {Input("n", std::uint32_t{10})});
  ASSERT_OK(outputs);
  Words expected(100);
  std::fill_n(expected.begin(), 10, 0xdeadbeefu);
  EXPECT_EQ(to_vector(outputs->as<std::uint32_t>("out")), expected);
}

/// A sanitizer sees a read or write beyond the five bytes.
TEST_P(DispatchInputs, AreReadToTheirLastByteAndNoFurther) {
  const auto program = copy_kernel<std::uint8_t>();
  ASSERT_OK(program);
  const std::unique_ptr<void, void (*)(void*)> memory(std::malloc(5), std::free);
  std::memcpy(memory.get(), "abcde", 5);
  const std::span bytes(static_cast<const std::byte*>(memory.get()), 5);
  const auto outputs = device().dispatch(*program, {Input("in", bytes)});
  ASSERT_OK(outputs);
  EXPECT_EQ(std::memcmp(outputs->bytes("out").data(), "abcde", 5), 0);
}

TEST_P(DispatchInputs, UniformStructsOfOneThreeAndFiveWordsArrive) {
  for (const std::size_t words : {1u, 3u, 5u}) {
    Builder b("params");
    std::vector<Builder::Member> members;
    for (std::size_t i = 0; i < words; ++i)
      members.push_back({"m" + std::to_string(i), ScalarType::u32});
    auto params = b.structure("params", Space::uniform, Access::input, members);
    auto out = b.output<std::uint32_t>("out", static_cast<std::uint32_t>(words));
    for (std::size_t i = 0; i < words; ++i)
      out[static_cast<std::uint32_t>(i)] = params.member("m" + std::to_string(i));
    const auto program = b.build();
    ASSERT_OK(program);
    Words input = {11, 22, 33, 44, 55};
    input.resize(words);
    const auto outputs = device().dispatch(*program, {Input("params", input)});
    ASSERT_OK(outputs);
    EXPECT_EQ(to_vector(outputs->as<std::uint32_t>("out")), input);
  }
}

TEST_P(DispatchInputs, WithoutNamesFollowTheDeclarations) {
  const auto program = ordered_kernel();
  ASSERT_OK(program);
  const auto outputs =
      device().dispatch(*program, {Input(Words{1, 2, 3}), Input(Words{4, 5, 6}), Input(Words{7})});
  ASSERT_OK(outputs);
  EXPECT_EQ(to_vector(outputs->as<std::uint32_t>("out")), (Words{471, 572, 673}));
  EXPECT_EQ(to_vector(outputs->as<std::uint32_t>("b")), (Words{472, 573, 674}));
  ASSERT_EQ(outputs->size(), 2u);
  EXPECT_EQ(outputs->begin()->name, "out") << "outputs come in the order of declaration";
}

TEST_P(DispatchInputs, WithNamesMayComeInAnyOrder) {
  const auto program = ordered_kernel();
  ASSERT_OK(program);
  const auto outputs = device().dispatch(
      *program,
      {Input("c", std::uint32_t{7}), Input("b", Words{4, 5, 6}), Input("a", Words{1, 2, 3})});
  ASSERT_OK(outputs);
  EXPECT_EQ(to_vector(outputs->as<std::uint32_t>("out")), (Words{471, 572, 673}));
}

TEST_P(DispatchInputs, InOutMayBeLeftOutWithACount) {
  const auto program = ordered_kernel();
  ASSERT_OK(program);
  const auto outputs = device().dispatch(
      *program, {Input("a", Words{1, 2, 3}), Input("c", std::uint32_t{7})}, {.counts = {{"b", 3}}});
  ASSERT_OK(outputs);
  EXPECT_EQ(to_vector(outputs->as<std::uint32_t>("b")), (Words{72, 73, 74}));
}

TEST_P(DispatchInputs, StaticInOutLeftOutStartsAsZeros) {
  Builder b("bump");
  auto x = b.in_out<std::uint32_t>("x", 4);
  const Value i = b.global_id();
  x[i] = x[i] + i + 1u;
  const auto program = b.build();
  ASSERT_OK(program);
  const auto outputs = device().dispatch(*program, {});
  ASSERT_OK(outputs);
  EXPECT_EQ(to_vector(outputs->as<std::uint32_t>("x")), (Words{1, 2, 3, 4}));
}

TEST_P(DispatchInputs, ShorterThanTheDeclarationEndInZeros) {
  Builder b("pad");
  auto x = b.input<std::uint32_t>("x", 4);
  auto out = b.output<std::uint32_t>("out", 5);
  const Value i = b.global_id();
  out[i] = x[i] + x.length() * 1000u;
  const auto program = b.build();
  ASSERT_OK(program);
  const auto outputs = device().dispatch(*program, {Input("x", Words{8, 9})});
  ASSERT_OK(outputs);
  EXPECT_EQ(to_vector(outputs->as<std::uint32_t>("out")), (Words{4008, 4009, 4000, 4000, 4000}));
}

TEST_P(DispatchInputs, LengthIsTheLogicalCount) {
  Builder b("lengths", {.workgroup = 1});
  auto bytes = b.input<std::uint8_t>("bytes");
  auto words = b.input<std::uint32_t>("words");
  auto out = b.output<std::uint32_t>("out", 2);
  out[0] = bytes.length();
  out[1] = words.length();
  const auto program = b.build();
  ASSERT_OK(program);
  for (const std::uint32_t count : {0u, 1u, 3u, 5u, 17u}) {
    const auto outputs = device().dispatch(
        *program, {Input("bytes", Bytes(count)), Input("words", Words(count + 1))},
        {.grid = {{1, 1, 1}}});
    ASSERT_OK(outputs);
    EXPECT_EQ(to_vector(outputs->as<std::uint32_t>("out")), (Words{count, count + 1}));
  }
}

TEST_P(DispatchInputs, WindowsGiveTheirBytes) {
  Builder b("window");
  auto out = b.output<std::uint8_t>("out", 31);
  out.window(3, 10);
  const Value i = b.global_id();
  out[i] = i + 1u;
  const auto program = b.build();
  ASSERT_OK(program);
  const auto outputs = device().dispatch(*program, {});
  ASSERT_OK(outputs);
  EXPECT_EQ(to_vector(outputs->as<std::uint8_t>("out")), (Bytes{4, 5, 6, 7, 8, 9, 10}));
}

TEST_P(DispatchInputs, StructWithATrailingArray) {
  Builder b("trailing");
  auto data = b.structure("data", Space::storage, Access::in_out,
                          {{"head", ScalarType::u32}, {"tail", ScalarType::u32, 1, 0}});
  const Value i = b.global_id();
  data.member("tail")[i] = data.member("tail")[i] + Value(data.member("head")) * data.length();
  const auto program = b.build();
  ASSERT_OK(program);
  const auto outputs = device().dispatch(*program, {Input("data", Words{10, 1, 2, 3})});
  ASSERT_OK(outputs);
  EXPECT_EQ(to_vector(outputs->as<std::uint32_t>("data")), (Words{10, 31, 32, 33}));
  const auto empty = device().dispatch(*program, {Input("data", Words{10})});
  ASSERT_OK(empty);
  EXPECT_EQ(to_vector(empty->as<std::uint32_t>("data")), (Words{10}));
}

TEST_P(DispatchInputs, ComeBackAsViewsOfExactlyTheirBytes) {
  Builder b("three");
  auto a = b.output<std::uint8_t>("a", 3);
  auto c = b.output<std::uint16_t>("c", 5);
  auto empty = b.output<std::uint32_t>("empty");
  const Value i = b.global_id();
  a[i] = i + 1u;
  c[i] = i + 300u;
  empty[i] = 1u;
  const auto program = b.build();
  ASSERT_OK(program);
  const auto outputs = device().dispatch(*program, {}, {.counts = {{"empty", 0}}});
  ASSERT_OK(outputs);
  std::vector<std::pair<std::string_view, std::size_t>> seen;
  for (const auto& [name, bytes] : *outputs)
    seen.emplace_back(name, bytes.size());
  EXPECT_EQ(seen, (std::vector<std::pair<std::string_view, std::size_t>>{
                      {"a", 3}, {"c", 10}, {"empty", 0}}));
  EXPECT_EQ(to_vector(outputs->as<std::uint16_t>("c")),
            (std::vector<std::uint16_t>{300, 301, 302, 303, 304}));
  EXPECT_REFUSED(outputs->bytes("no such output"), ErrorKind::invalid_argument, "not-an-output",
                 "`no such output`");
  Bytes copy(3);
  ASSERT_OK(outputs->copy_to("a", std::as_writable_bytes(std::span(copy))));
  EXPECT_EQ(copy, (Bytes{1, 2, 3}));
  copy = {9, 9};
  EXPECT_REFUSED(outputs->copy_to("a", std::as_writable_bytes(std::span(copy))),
                 ErrorKind::invalid_argument, "copy-size", "`a` has 3 bytes");
  EXPECT_EQ(copy, (Bytes{9, 9}));
  for (Bytes nowhere : {Bytes{}, Bytes{7}}) {
    const auto missing = outputs->copy_to("b", std::as_writable_bytes(std::span(nowhere)));
    EXPECT_REFUSED(missing, ErrorKind::invalid_argument, "not-an-output", "`b`");
    EXPECT_EQ(missing.error().help(), "the outputs are `a`, `c`, `empty`");
  }
}

TEST_P(DispatchInputs, KeptOnTheDeviceDoNotComeBack) {
  const auto program = ordered_kernel();
  ASSERT_OK(program);
  const Words three = {1, 2, 3};
  const auto outputs = device().dispatch(*program, {{"a", three}, {"b", three}, {"c", 7u}},
                                         {.max_output_bytes = 12, .keep_on_device = {"out"}});
  ASSERT_OK(outputs);
  EXPECT_FALSE(outputs->contains("out"));
  EXPECT_EQ(outputs->bytes("b").size(), 12u);
  EXPECT_REFUSED(device().dispatch(*program, {{"a", three}, {"b", three}, {"c", 7u}},
                                   {.keep_on_device = {"a"}}),
                 ErrorKind::invalid_argument, "not-an-output", "`a`");
}

TEST_P(DispatchInputs, MayHaveASlotForEveryBuffer) {
  const auto program = ordered_kernel();
  ASSERT_OK(program);
  const Words three = {1, 2, 3};
  const auto outputs = device().dispatch(
      *program, {Input(three), Input(Words{99}), Input(Words{4, 5, 6}), Input(Words{7})},
      {.full_input_order = true});
  ASSERT_OK(outputs);
  EXPECT_EQ(to_vector(outputs->as<std::uint32_t>("out")), (Words{471, 572, 673}));
  EXPECT_REFUSED(device().dispatch(*program, {Input(three), Input(three), Input(Words{7})},
                                   {.full_input_order = true}),
                 ErrorKind::invalid_argument, "input-count", "`a`, `out`, `b`, `c`");
}

TEST_P(DispatchInputs, GiveTheSameResultsWhereverTheyLie) {
  const auto program = ordered_kernel();
  ASSERT_OK(program);
  const auto a = counting<std::uint32_t>(3);
  const Words b = {4, 5, 6};
  for (const Placement placement : {Placement::automatic, Placement::staged, Placement::mapped}) {
    const auto outputs =
        device().dispatch(*program, {{"a", a}, {"b", b}, {"c", 7u}}, {.placement = placement});
    ASSERT_OK(outputs);
    EXPECT_EQ(to_vector(outputs->as<std::uint32_t>("out")), (Words{470, 571, 672}));
    EXPECT_EQ(to_vector(outputs->as<std::uint32_t>("b")), (Words{471, 572, 673}));
  }
}

TEST_P(DispatchInputs, RepeatsSeeTheRoundBefore) {
  Builder b("increment");
  auto x = b.in_out<std::uint32_t>("x");
  const Value i = b.global_id();
  x[i] = x[i] + i + 1u;
  const auto program = b.build();
  ASSERT_OK(program);
  const auto outputs = device().dispatch(*program, {Input("x", Words{5, 6, 7})}, {.repeat = 2048});
  ASSERT_OK(outputs);
  EXPECT_EQ(to_vector(outputs->as<std::uint32_t>("x")), (Words{5 + 2048, 6 + 4096, 7 + 6144}));
}

TEST_P(DispatchInputs, OfAnEmptyWindowComeBackEmpty) {
  Builder b("window");
  auto out = b.output<std::uint8_t>("out", 9);
  out.window(5, 5);
  out[b.global_id()] = 1u;
  const auto program = b.build();
  ASSERT_OK(program);
  const auto outputs = device().dispatch(*program, {});
  ASSERT_OK(outputs);
  EXPECT_TRUE(outputs->contains("out"));
  EXPECT_EQ(outputs->bytes("out").size(), 0u);
}

TEST_P(DispatchInputs, MayBeNone) {
  Builder b("nothing", {.workgroup = 1});
  const auto program = b.build();
  ASSERT_OK(program);
  const auto outputs = device().dispatch(*program, {});
  ASSERT_OK(outputs);
  EXPECT_EQ(outputs->size(), 0u);
}

TEST_P(DispatchInputs, MayBearAnyLabel) {
  const auto program = copy_kernel<std::uint32_t>();
  ASSERT_OK(program);
  for (const std::string& label :
       {std::string("a\0b", 3), std::string("\xff\xfe"), std::string(100000, 'x'),
        std::string("%s%n{}\"\\\n"), std::string("\xe2\x82")})
    expect_words(
        device().dispatch(*program, {{"in", Words{1}}}, {.label = label, .timestamps = true}),
        "out", {1});
}

TEST_P(DispatchInputs, MayBeRepeatedFiftyThousandTimes) {
  const auto program = add_kernel();
  ASSERT_OK(program);
  expect_words(device().dispatch(*program, {{"x", Words{5}}, {"by", 2u}}, {.repeat = 50000}), "x",
               {100005});
}

INSTANTIATE_ON_DEVICES(DispatchInputs);

}  // namespace
}  // namespace vyre::test
