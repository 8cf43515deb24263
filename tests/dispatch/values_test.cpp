// SPDX-License-Identifier: MIT OR Apache-2.0
#include <bit>
#include <limits>

#include <gtest/gtest.h>

#include "vyre/wgsl.h"

#include "ir/assembler.h"
#include "support/check_result.h"
#include "support/devices.h"
#include "support/kernels.h"
#include "support/numbers.h"

// Numbers at their edges, and the layout of memory.  The vectors of every operator are in
// conformance/; here are those cases that need a program of their own.
namespace vyre::test {
namespace {

using Words = std::vector<std::uint32_t>;

class DispatchValues : public DeviceTest {
 protected:
  [[nodiscard]] Words words(const Result<ValidProgram>& program,
                            std::initializer_list<Input> inputs,
                            const DispatchOptions& options = {}) const {
    if (!program) {
      ADD_FAILURE() << program.error().to_string();
      return {};
    }
    const auto outputs = device().dispatch(*program, inputs, options);
    if (!outputs) {
      ADD_FAILURE() << outputs.error().to_string();
      return {};
    }
    return words_of(outputs->bytes("out"));
  }
};

template <typename T>
Result<ValidProgram> division_kernel() {
  Builder b("divide");
  auto x = b.input<T>("x");
  auto y = b.input<T>("y");
  auto out = b.output<std::uint32_t>("out");
  const Value i = b.global_id();
  const Value a = x[i];
  const Value c = y[i];
  out[i * 2u] = bitcast<std::uint32_t>(a / c);
  out[i * 2u + 1u] = bitcast<std::uint32_t>(a % c);
  return b.build();
}

TEST_P(DispatchValues, SignedDivisionIsTheDefinedTable) {
  constexpr std::int32_t kMin = std::numeric_limits<std::int32_t>::min();
  constexpr std::int32_t kMax = std::numeric_limits<std::int32_t>::max();
  // dividend, divisor, quotient, remainder
  constexpr std::int32_t kTable[][4] = {
      {kMin, kMin, 1, 0},    {kMin, -1, kMin, 0},  {kMin, 0, kMin, 0}, {kMin, 1, kMin, 0},
      {kMin, kMax, -1, -1},  {-1, kMin, 0, -1},    {-1, -1, 1, 0},     {-1, 0, -1, 0},
      {-1, 1, -1, 0},        {-1, kMax, 0, -1},    {0, kMin, 0, 0},    {0, -1, 0, 0},
      {0, 0, 0, 0},          {0, 1, 0, 0},         {0, kMax, 0, 0},    {1, kMin, 0, 1},
      {1, -1, -1, 0},        {1, 0, 1, 0},         {1, 1, 1, 0},       {1, kMax, 0, 1},
      {kMax, kMin, 0, kMax}, {kMax, -1, -kMax, 0}, {kMax, 0, kMax, 0}, {kMax, 1, kMax, 0},
      {kMax, kMax, 1, 0},    {-7, 3, -2, -1},      {7, -3, -2, 1}};
  std::vector<std::int32_t> x;
  std::vector<std::int32_t> y;
  Words expected;
  for (const auto& row : kTable) {
    x.push_back(row[0]);
    y.push_back(row[1]);
    expected.push_back(static_cast<std::uint32_t>(row[2]));
    expected.push_back(static_cast<std::uint32_t>(row[3]));
  }
  EXPECT_EQ(words(division_kernel<std::int32_t>(), {Input("x", x), Input("y", y)},
                  {.counts = {{"out", expected.size()}}}),
            expected);
}

TEST_P(DispatchValues, UnsignedDivisionIsTheDefinedTable) {
  const Words x = {0, 0, 0, 1, 1, 1, ~0u, ~0u, ~0u};
  const Words y = {0, 1, ~0u, 0, 1, ~0u, 0, 1, ~0u};
  const Words expected = {0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1, ~0u, 0, ~0u, 0, 1, 0};
  EXPECT_EQ(words(division_kernel<std::uint32_t>(), {Input("x", x), Input("y", y)},
                  {.counts = {{"out", expected.size()}}}),
            expected);
}

/// Constants known to the compiler give what run-time values give.
TEST_P(DispatchValues, ConstantsOfTheBuilderWrap) {
  Builder b("constants", {.workgroup = 1});
  auto out = b.output<std::uint32_t>("out", 7);
  const Value one = std::uint32_t{1};
  const Value x = b.let(b.global_id() + 9u);
  out[0] = b.let(one) << 31u;
  out[1] = Value(3u) << 31u;
  out[2] = bitcast<std::uint32_t>(Value(1) << 31u);
  out[3] = x / 0u;
  out[4] = x % 0u;
  out[5] = x >> 33u;
  out[6] = bitcast<std::uint32_t>(Value(std::numeric_limits<std::int32_t>::min()) / -1);
  EXPECT_EQ(words(b.build(), {}, {.grid = {{1, 1, 1}}}),
            (Words{0x80000000, 0x80000000, 0x80000000, 9, 0, 4, 0x80000000}));
}

/// A choice between constants gives one of them, with its sign.
TEST_P(DispatchValues, AStrictChoiceKeepsTheSignOfZero) {
  const auto program = parse_wgsl(R"(
@group(0) @binding(0) var<storage> x: array<u32, 2>;
@group(0) @binding(1) var<storage, read_write> out: array<u32, 9>;
@compute @workgroup_size(1) fn main() {
  for (var i = 0u; i < 2; i++) {
    let c = x[i] < 5;
    out[4 * i] = bitcast<u32>(select(0.0, -1.0, c));
    out[4 * i + 1] = bitcast<u32>(select(-0.0, 1.0, c));
    out[4 * i + 2] = bitcast<u32>(select(-1.0, 0.0, c));
    out[4 * i + 3] = bitcast<u32>(select(1.0, -0.0, c));
  }
  var zeros: array<f32, 3>;  // compilers know them
  out[8] = bitcast<u32>(min(zeros[1], max(zeros[x[0] % 3], -1.0)));
})");
  const Words x = {3, 7};
  DispatchOptions options;
  options.strict_float = true;
  EXPECT_EQ(
      words(program, {Input("x", x)}, options),
      (Words{0xbf800000, 0x3f800000, 0, 0x80000000, 0, 0x80000000, 0xbf800000, 0x3f800000, 0}));
}

/// Tables whose words are NaNs and infinities where they are read as floats.
TEST_P(DispatchValues, TablesHoldEveryWord) {
  const auto program = parse_wgsl(R"(
@group(0) @binding(0) var<storage> at: array<u32, 4>;
@group(0) @binding(1) var<storage, read_write> out: array<u32, 16>;
@group(0) @binding(2) var<storage, read_write> floats: array<f32, 4>;
struct Pair { a: i32, b: f32 }
const kSigned = array(-1, 0x7f800000, -2, 3);
const kUnsigned = array(0xffffffffu, 0x7fc00001u, 0xff800000u, 9u);
const kPairs = array(Pair(-1, 1.5), Pair(2, -0.0), Pair(-3, 0x1p-130), Pair(0x7f800000, 4));
@compute @workgroup_size(1) fn main() {
  for (var i = 0u; i < 4; i++) {
    let k = at[i];
    out[i] = bitcast<u32>(kSigned[k]);
    out[4 + i] = kUnsigned[k];
    out[8 + i] = bitcast<u32>(kPairs[k].a);
    out[12 + i] = bitcast<u32>(kPairs[k].b);
    floats[i] = f32(kSigned[k]);
  }
})");
  ASSERT_OK(program);
  const Words at = {3, 2, 1, 0};
  Words expected = {3,          0xfffffffe, 0x7f800000, 0xffffffff, 9, 0xff800000,
                    0x7fc00001, 0xffffffff, 0x7f800000, 0xfffffffd, 2, 0xffffffff,
                    0x40800000, 0x00080000, 0x80000000, 0x3fc00000};
  EXPECT_EQ(words(program, {Input("at", at)}, {}), expected);
}

constexpr std::string_view kWgslHead =
    "@group(0) @binding(0) var<storage, read_write> out: array<u32, 4>;\n"
    "@compute @workgroup_size(1) fn main() {\n";

TEST_P(DispatchValues, WgslConstantFaultsAreDiagnosed) {
  for (const std::string_view line :
       {"out[0] = 1u / 0u;", "let x = out[1]; out[0] = x / 0u;",
        "let x = out[1]; out[0] = x >> 33u;", "out[0] = 3u << 31u;", "out[0] = u32(1i << 31u);"}) {
    const auto program = parse_wgsl(std::string(kWgslHead) + std::string(line) + "\n}\n");
    ASSERT_FALSE(program) << line;
    ASSERT_FALSE(program.error().diagnostics().empty()) << line;
    EXPECT_EQ(program.error().diagnostics()[0].place.line, 3u) << program.error().to_string();
  }
}

TEST_P(DispatchValues, WgslRunTimeZerosGiveTheDefinedValues) {
  const auto program = parse_wgsl(std::string(kWgslHead) +
                                  "var z = 0u; out[0] = 7u / z; out[1] = 7u % z;\n"
                                  "var s = 33u; out[2] = 8u >> s; out[3] = 1u << 31u;\n}\n");
  ASSERT_OK(program);
  EXPECT_EQ(words(program, {}, {.grid = {{1, 1, 1}}}), (Words{7, 0, 4, 0x80000000}));
}

TEST_P(DispatchValues, NanAndInfinityAreSeenInFloatsFromMemory) {
  Builder b("tests");
  auto x = b.input<float>("x");
  auto out = b.output<std::uint32_t>("out");
  out.same_length_as(x);
  const Value i = b.global_id();
  const Value v = x[i];
  out[i] = convert<std::uint32_t>(ops::is_nan(v)) + convert<std::uint32_t>(ops::is_inf(v)) * 2u;
  const Words bits = {0x7fc00000, 0xffc00000, 0x7f800001, 0xffbfffff, 0x7f800000,
                      0xff800000, 0x80000000, 0,          0x7f7fffff, 1};
  EXPECT_EQ(words(b.build(), {Input("x", bits_of(bits))}), (Words{1, 1, 1, 1, 2, 2, 0, 0, 0, 0}));
}

TEST_P(DispatchValues, SubnormalsAreKeptOrFlushedAsTheDeviceSays) {
  Builder b("subnormals");
  auto x = b.input<float>("x");
  auto out = b.output<float>("out");
  const Value i = b.global_id();
  out[i * 2u] = x[i] * x[2];
  out[i * 2u + 1u] = x[i] + x[3];
  const Words x_bits = {0x00000001, 0x007fffff, 0x3f800000, 0};
  const Words got = words(b.build(), {Input("x", bits_of(x_bits))}, {.counts = {{"out", 4}}});
  if (device().info().keeps_subnormals)
    EXPECT_EQ(got, (Words{1, 1, 0x007fffff, 0x007fffff}));
  else
    EXPECT_EQ(got, (Words{0, 0, 0, 0}));
}

TEST_P(DispatchValues, FloatsBecomeIntegersByClampingAndTruncating) {
  Builder b("to_integer");
  auto x = b.input<float>("x");
  auto out = b.output<std::uint32_t>("out");
  const Value i = b.global_id();
  const Value v = x[i];
  out[i * 2u] = convert<std::uint32_t>(v);
  out[i * 2u + 1u] = bitcast<std::uint32_t>(convert<std::int32_t>(v));
  const Words x_bits = {0x7fc00000, 0x7f800000, 0xff800000, 0x4f32d05e, 0xbf800000,
                        0xbf000000, 0x4f000000, 0x4f800000, 0x40200000};
  const Words expected = {0,          0,          4294967040u, 2147483520, 0, 0x80000000u,
                          3000000000, 2147483520, 0,           0xffffffff, 0, 0,
                          0x80000000, 2147483520, 4294967040u, 2147483520, 2, 2};
  EXPECT_EQ(words(b.build(), {Input("x", bits_of(x_bits))}, {.counts = {{"out", expected.size()}}}),
            expected);
}

/// vec3<f32> elements lie 16 bytes apart.
TEST_P(DispatchValues, Vec3ArraysHaveAStrideOfSixteen) {
  Assembler b("vec3", {64, 1, 1});
  const LayoutId rows = b.array(b.vector(ScalarType::f32, 3), 0);
  const BufferId in = b.buffer({.name = "in", .access = Access::input, .layout = rows});
  const BufferId out =
      b.buffer({.name = "out", .binding = 1, .access = Access::in_out, .layout = rows});
  const ExprId i = b.builtin(Builtin::global_id);
  const auto xyz = b.load_all({.buffer = in, .path = {{.index = i}}, .count = 3});
  const ExprId turned[] = {xyz[2], xyz[0], b.convert(ScalarType::f32, b.length(in))};
  b.store_all({.buffer = out, .path = {{.index = i}}, .count = 3}, turned);
  const auto program = validate(std::move(b).finish());
  ASSERT_OK(program);
  using Row = std::array<float, 4>;
  std::vector<Row> input(10);
  std::vector<Row> expected(10);
  for (std::size_t n = 0; n < 10; ++n) {
    for (std::size_t c = 0; c < 4; ++c)
      input[n][c] = static_cast<float>(10 * n + c);
    expected[n] = {input[n][2], input[n][0], 10, -1};  // padding keeps the host's bytes
  }
  const std::vector<Row> before(10, Row{-1, -1, -1, -1});
  const auto outputs = device().dispatch(*program, {Input("in", input), Input("out", before)});
  ASSERT_OK(outputs);
  EXPECT_EQ(to_vector(outputs->as<Row>("out")), expected);
}

template <typename T>
void check_narrow(const Device& device,
                  const std::vector<T>& input,
                  std::int32_t add,
                  const std::vector<T>& expected) {
  Builder b("narrow", {.workgroup = 3});
  auto x = b.in_out<T>("x");
  const Value i = b.global_id();
  const Value v = x[i];
  x[i] = v.type() == ScalarType::u32 ? v + Value(static_cast<std::uint32_t>(add)) : v + Value(add);
  const auto program = b.build();
  ASSERT_OK(program);
  const auto outputs = device.dispatch(*program, {Input("x", input)});
  ASSERT_OK(outputs);
  EXPECT_EQ(to_vector(outputs->as<T>("x")), expected);
}

TEST_P(DispatchValues, NarrowElementsWidenAndKeepTheirLowBits) {
  check_narrow<std::uint8_t>(device(), {0, 1, 127, 128, 255}, 1, {1, 2, 128, 129, 0});
  check_narrow<std::int8_t>(device(), {0, 1, 127, -128, -1}, 1, {1, 2, -128, -127, 0});
  check_narrow<std::uint16_t>(device(), {0, 32767, 65535}, 2, {2, 32769, 1});
  check_narrow<std::int16_t>(device(), {0, 32767, -32768, -1, 5}, -1, {-1, 32766, 32767, -2, 4});
}

TEST_P(DispatchValues, HalvesWidenExactlyAndRoundToEven) {
  Builder b("halves", {.workgroup = 2});
  auto x = b.buffer("x", Access::input, ScalarType::half);
  auto wide = b.output<std::uint32_t>("out");
  auto back = b.buffer("back", Access::output, ScalarType::half, 9);
  auto y = b.input<float>("y");
  wide.same_length_as(x);
  const Value i = b.global_id();
  wide[i] = bitcast<std::uint32_t>(Value(x[i]));
  back[i] = y[i];
  const auto program = b.build();
  ASSERT_OK(program);
  const std::vector<std::uint16_t> x_bits = {0x3c00, 0x0001, 0x7bff, 0x8000,
                                             0x7c00, 0xfc00, 0x03ff};
  const Words y_bits = {0x3f800000, 0x477fe000, 0x477ff000, 0x3f801000, 0x3f803000,
                        0x33000000, 0x33000001, 0x80000000, 0xff800000};
  const auto outputs =
      device().dispatch(*program, {Input("x", x_bits), Input("y", bits_of(y_bits))});
  ASSERT_OK(outputs);
  EXPECT_EQ(
      to_vector(outputs->as<std::uint32_t>("out")),
      (Words{0x3f800000, 0x33800000, 0x477fe000, 0x80000000, 0x7f800000, 0xff800000, 0x387fc000}));
  EXPECT_EQ(
      to_vector(outputs->as<std::uint16_t>("back")),
      (std::vector<std::uint16_t>{0x3c00, 0x7bff, 0x7c00, 0x3c00, 0x3c02, 0, 1, 0x8000, 0xfc00}));
}

TEST_P(DispatchValues, SixtyFourBitElementsWorkOrAreRefusedByName) {
  Builder b("wide");
  auto x = b.in_out<std::int64_t>("x");
  x[b.global_id()] = x[b.global_id()];
  const auto program = b.build();
  if (!program) {
    EXPECT_EQ(program.error().diagnostics()[0].code, Code::needs_capability);
    return;
  }
  const std::vector<std::int64_t> input = {(std::int64_t{1} << 32) + 5};
  const auto outputs = device().dispatch(*program, {Input("x", input)});
  if (device().info().has(Capability::int64)) {
    ASSERT_OK(outputs);
    EXPECT_EQ(to_vector(outputs->as<std::int64_t>("x")), input);
  } else {
    EXPECT_REFUSED(outputs, ErrorKind::unsupported, "needs-capability", "int64");
  }
}

INSTANTIATE_ON_DEVICES(DispatchValues);

}  // namespace
}  // namespace vyre::test
