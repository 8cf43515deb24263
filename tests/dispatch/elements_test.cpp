// SPDX-License-Identifier: MIT OR Apache-2.0
#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "vyre/sequence.h"
#include "vyre/wgsl.h"

#include "support/check_result.h"
#include "support/devices.h"
#include "support/kernels.h"

// C++ types where they meet buffers: what fits is taken as it is, all else is refused and never
// taken as bytes.
namespace vyre::test {
namespace {

using Floats = std::vector<float>;
using Words = std::vector<std::uint32_t>;
constexpr auto kRefused = ErrorKind::invalid_argument;

struct Pair {
  float a, b;
};
struct Double {
  double value;
};
struct Params {
  std::uint32_t n;
  float alpha;
};
struct Larger {
  std::uint32_t n;
  float alpha;
  float more;
};
enum class Word : std::uint32_t { zero, one };

/// A kernel whose `data` is of this WGSL type, and which returns the words of it that matter.
Result<ValidProgram> holding(const std::string& type) {
  const std::string access = type.find("atomic") == std::string::npos ? "read" : "read_write";
  return parse_wgsl(
      "struct Params { n: u32, alpha: f32 }\n"
      "struct Padded { at: vec3f, n: u32, more: f32 }\n"
      "struct Tail { n: u32, items: array<f32> }\n"
      "@group(0) @binding(0) var<storage, " +
      access + "> data: " + type +
      ";\n"
      "@group(0) @binding(1) var<storage, read_write> out: array<u32>;\n"
      "@compute @workgroup_size(1) fn main() { _ = &data; out[0] = 7u; }\n");
}

class ElementTypes : public DeviceTest {
 protected:
  [[nodiscard]] Result<Outputs> give(const std::string& type, const Input& input) const {
    const auto program = holding(type);
    if (!program) return program.error();
    return device().dispatch(*program, {input}, {.counts = {{"out", 1}}});
  }
  template <typename T>
  void expect_taken(const std::string& type, const T& value) const {
    EXPECT_OK(give(type, Input("data", value))) << type;
  }
  template <typename T>
  void expect_refused(const std::string& type, const T& value, const std::string& word) const {
    const auto outputs = give(type, Input("data", value));
    ASSERT_FALSE(outputs) << type << " takes what is no " << word;
    EXPECT_EQ(outputs.error().code(), "element-type") << outputs.error().to_string();
    EXPECT_NE(outputs.error().message().find("`data`"), std::string::npos);
    EXPECT_NE(outputs.error().help().find(word), std::string::npos) << outputs.error().to_string();
  }
};

TEST_P(ElementTypes, NumbersFitByKindAndSize) {
  expect_taken("array<f32>", Floats(4));
  expect_taken("array<u32>", Words(4));
  expect_taken("array<u32>", std::vector<std::int32_t>(4));
  expect_taken("array<i32>", Words(4));
  expect_taken("array<u32>", std::vector<Word>(4));
  expect_taken("f32", 1.5F);
  expect_taken("u32", 7);
  expect_taken("array<f32, 4>", std::array<float, 4>{});
  const float plain[4] = {};
  expect_taken("array<f32, 4>", plain);
}

TEST_P(ElementTypes, OtherNumbersAreRefused) {
  expect_refused("array<f32>", std::vector<double>(4), "`float`");
  expect_refused("array<f32>", std::vector<int>(4), "`float`");
  expect_refused("array<f32>", Words(4), "`float`");
  expect_refused("array<f32>", std::vector<std::uint8_t>(16), "`float`");
  expect_refused("array<f32>", std::vector<char>(16), "`float`");
  expect_refused("array<u32>", Floats(4), "`std::uint32_t`");
  expect_refused("array<u32>", std::vector<std::uint64_t>(4), "`std::uint32_t`");
  expect_refused("array<i32>", std::vector<std::int64_t>(4), "`std::int32_t`");
  expect_refused("array<i32>", std::vector<std::int16_t>(4), "`std::int32_t`");
  expect_refused("array<u32>", std::array<bool, 4>{}, "`std::uint32_t`");
  expect_refused("array<u32>", std::string("text"), "`std::uint32_t`");
  expect_refused("array<atomic<u32>>", Floats(4), "`std::uint32_t`");
  expect_refused("f32", 1.5, "`float`");
  expect_refused("f32", 1, "`float`");
  expect_refused("u32", 1.0F, "`std::uint32_t`");
  expect_refused("u32", std::uint64_t{1}, "`std::uint32_t`");
}

TEST_P(ElementTypes, MessagesNameBothTypes) {
  EXPECT_REFUSED(give("array<f32>", Input("data", std::vector<double>(4))), kRefused,
                 "element-type", "`double` does not fit `data`, which holds array<f32>");
  EXPECT_REFUSED(give("array<Params>", Input("data", std::vector<Larger>(4))), kRefused,
                 "element-type", "Larger` of 12 bytes does not fit `data`");
}

TEST_P(ElementTypes, VectorsAndMatricesFitByTheirNumbers) {
  expect_taken("array<vec2f>", Floats(8));
  expect_taken("array<vec2f>", std::vector<std::array<float, 2>>(4));
  expect_taken("array<vec4<u32>>", std::vector<std::array<std::uint32_t, 4>>(4));
  expect_taken("array<mat4x4f>", std::vector<std::array<std::array<float, 4>, 4>>(2));
  expect_taken("array<mat4x4f>", std::vector<std::array<float, 16>>(2));
  expect_taken("mat4x4f", std::array<float, 16>{});
  expect_taken("vec3f", std::array<float, 3>{});
  expect_taken("array<f32>", std::vector<std::array<float, 3>>(4));
  expect_refused("array<vec4f>", std::vector<std::array<float, 3>>(4), "`float`");
  expect_refused("array<vec2f>", std::vector<std::array<std::uint32_t, 2>>(4), "`float`");
}

TEST_P(ElementTypes, PaddingIsNeverGuessed) {
  const std::string padded = "`std::array<float, 4>`, padding included";
  expect_taken("array<vec3f>", std::vector<std::array<float, 4>>(4));
  expect_refused("array<vec3f>", Floats(16), padded);
  expect_refused("array<vec3f>", std::vector<std::array<float, 3>>(4), padded);
  expect_refused("array<vec3f, 4>", Floats(12), padded);
  expect_taken("mat4x3f", std::array<float, 16>{});
  expect_refused("mat4x3f", std::array<float, 12>{}, "`float`");
  expect_taken("array<mat3x3f>", std::vector<std::array<std::array<float, 4>, 3>>(2));
  expect_refused("array<mat3x3f>", std::vector<std::array<float, 9>>(4), padded);
}

TEST_P(ElementTypes, StructsFitBySize) {
  expect_taken("Params", Params{1, 2});
  expect_taken("array<Params>", std::vector<Params>(4));
  expect_taken("array<vec2f>", std::vector<Pair>(4));
  expect_taken("array<f32>", std::vector<Pair>(4));
  expect_taken("Padded", std::array<std::byte, 32>{});
  expect_taken("Tail", std::array<std::byte, 12>{});
  expect_refused("Params", Larger{}, "a struct of 8 bytes");
  expect_refused("Params", Words(2), "a struct of 8 bytes");
  expect_refused("array<Params>", Floats(8), "a struct of 8 bytes");
  expect_refused("array<Params>", std::vector<Larger>(2), "a struct of 8 bytes");
  expect_refused("array<f32>", std::vector<Double>(2), "`float`");
  expect_refused("Params", Double{}, "a struct of 8 bytes");
  expect_refused("Tail", Floats(3), "bytes");
}

TEST_P(ElementTypes, BytesStandForAnything) {
  const std::vector<double> doubles(4);
  for (const char* type : {"array<f32>", "array<u32>", "array<vec2f>", "array<Params>"})
    expect_taken(type, std::as_bytes(std::span(doubles)));
  expect_taken("array<f32>", std::vector<std::byte>(8));
}

TEST_P(ElementTypes, NarrowTypesFitTheirTwins) {
  const auto take = [&]<typename T>(const T& values, ScalarType type, bool fits) {
    Builder b("narrow");
    auto in = b.buffer("in", Access::input, type);
    auto out = b.output<std::uint32_t>("out", 1);
    out[0u] = in.length();
    const auto program = b.build();
    ASSERT_OK(program);
    const auto outputs = device().dispatch(*program, {{"in", values}});
    EXPECT_EQ(outputs.has_value(), fits) << to_string(type);
    if (!outputs) {
      EXPECT_EQ(outputs.error().code(), "element-type");
    }
  };
  const std::vector<std::uint8_t> u8(4);
  const std::vector<std::int8_t> i8(4);
  const std::vector<std::uint16_t> u16(4);
  const std::vector<std::int16_t> i16(4);
  const std::string text = "text";
  take(u8, ScalarType::u8, true);
  take(text, ScalarType::u8, true);
  take(i8, ScalarType::i8, true);
  take(u16, ScalarType::u16, true);
  take(u16, ScalarType::half, true);
  take(i16, ScalarType::half, false);
  take(i16, ScalarType::i16, true);
  take(u16, ScalarType::u8, false);
  take(u8, ScalarType::u16, false);
  take(Floats(4), ScalarType::half, false);
}

TEST_P(ElementTypes, EveryWayInIsChecked) {
  const auto program = holding("array<f32>");
  ASSERT_OK(program);
  const DispatchOptions options = {.counts = {{"out", 1}}};
  const std::vector<double> wrong(4);
  const auto staged = device().stage<double>(4);
  const auto buffer = device().allocate<double>(4);
  ASSERT_OK(staged);
  ASSERT_OK(buffer);
  EXPECT_REFUSED(device().dispatch(*program, {Input(wrong)}, options), kRefused, "element-type",
                 "double");
  EXPECT_REFUSED(device().dispatch(*program, {{"data", *staged}}, options), kRefused,
                 "element-type", "double");
  EXPECT_REFUSED(device().dispatch(*program, {{"data", *buffer}}, options), kRefused,
                 "element-type", "double");
  EXPECT_REFUSED(device().submit(*program, {{"data", wrong}}, options), kRefused, "element-type",
                 "double");
  const BatchJob job = {*program, {{"data", wrong}}, options};
  const auto batch = device().submit_batch(std::span(&job, 1));
  EXPECT_REFUSED(batch[0], kRefused, "element-type", "double");
  Sequence sequence(device());
  EXPECT_REFUSED(sequence.add(*program, {{"data", wrong}}, options), kRefused, "element-type",
                 "double");
  EXPECT_OK(device().dispatch(*program, {{"data", buffer->bytes()}}, options)) << "its bytes fit";
  EXPECT_OK(device().dispatch(*program, {{"data", *device().stage<float>(4)}}, options));
}

TEST_P(ElementTypes, ViewsOfOutputsAreChecked) {
  const auto program = copy_kernel<float>();
  ASSERT_OK(program);
  const Floats in = {1, 2, 3};
  const auto outputs = device().dispatch(*program, {{"in", in}});
  ASSERT_OK(outputs);
  const auto right = outputs->as<float>("out");
  ASSERT_OK(right);
  EXPECT_EQ(right.size(), 3u);
  if (computes()) {
    EXPECT_EQ(to_vector(right), in);
  }
  EXPECT_REFUSED(outputs->as<float>("wrong"), kRefused, "not-an-output", "`wrong`");
  EXPECT_REFUSED(outputs->as<double>("out"), kRefused, "element-type", "array<f32>");
  EXPECT_REFUSED(outputs->as<int>("out"), kRefused, "element-type", "`float`");
  EXPECT_REFUSED((outputs->as<std::array<float, 2>>("out")), kRefused, "partial-element", "12");
  EXPECT_EQ(outputs->bytes("out").size(), 12u);
  Floats back(3);
  EXPECT_OK(outputs->copy_to("out", back));
  if (computes()) {
    EXPECT_EQ(back, in);
  }
  Words other(3);
  EXPECT_REFUSED(outputs->copy_to("out", other), kRefused, "element-type", "`float`");
  EXPECT_OK(device().dispatch(*program, {{"in", right}})) << "a view is a range";
}

TEST_P(ElementTypes, BuffersHaveATypedView) {
  const auto values = device().allocate<float>(10);
  ASSERT_OK(values);
  EXPECT_EQ(values->size(), 10u);
  EXPECT_EQ(values->bytes().size(), 40u);
  const Floats in = {1, 2, 3};
  ASSERT_OK(values->upload(in, 4));
  Floats back(10, 5);
  ASSERT_OK(values->download(back));
  if (computes()) {
    EXPECT_EQ(back, (Floats{0, 0, 0, 0, 1, 2, 3, 0, 0, 0}));
  }
  EXPECT_REFUSED(values->upload(in, 8), kRefused, "buffer-range", "[32..44)");
  EXPECT_REFUSED(values->download(back, ~std::uint64_t{0}), kRefused, "buffer-range", "40 bytes");
  EXPECT_OK(values->bytes().as<std::uint32_t>());
  const auto odd = device().allocate(10);
  ASSERT_OK(odd);
  EXPECT_REFUSED(odd->as<float>(), kRefused, "partial-element", "10 bytes");
  EXPECT_FALSE(device().allocate<double>(~std::uint64_t{0})) << "no size wraps";
}

INSTANTIATE_ON_ALL_DEVICES(ElementTypes);

class GridOptions : public DeviceTest {
 protected:
  /// How many invocations ran, of workgroups of `size`.
  [[nodiscard]] Result<Outputs> count(KernelOptions::Size size,
                                      const DispatchOptions& options) const {
    Builder b("count", {.workgroup = size});
    auto runs = b.atomics("runs", Access::in_out, ScalarType::u32, 1);
    runs[0u].atomic_add(1u);
    const auto program = b.build();
    return program ? device().dispatch(*program, {}, options) : program.error();
  }
};

TEST_P(GridOptions, ThreadsAreRoundedUpToWorkgroups) {
  expect_words(count(64, {.threads = 1}), "runs", {64});
  expect_words(count(64, {.threads = {64}}), "runs", {64});
  expect_words(count(64, {.threads = {65}}), "runs", {128});
  expect_words(count({8, 4}, {.threads = {9, 9}}), "runs", {2 * 8 * 3 * 4});
  expect_words(count({2, 2, 2}, {.threads = {3, 1, 5}}), "runs", {4 * 2 * 6});
  expect_words(count(64, {.threads = {65}, .workgroup = 16}), "runs", {80});
}

TEST_P(GridOptions, ThreadsStandForTheGridAlone) {
  for (const DispatchOptions& options :
       {DispatchOptions{.grid = {1, 1, 1}, .threads = {1}},
        DispatchOptions{.threads = {1}, .indirect = IndirectGrid{.buffer = "runs"}}})
    EXPECT_REFUSED(count(64, options), kRefused, "grid-given-twice", "threads");
  EXPECT_REFUSED(count(64, {.threads = {0, 1, 1}}), kRefused, "grid-zero", "x is 0");
  EXPECT_REFUSED(count({8, 8}, {}), kRefused, "grid-missing", "DispatchOptions::grid");
}

TEST_P(GridOptions, AxesAreWrittenAsLists) {
  const std::array<std::uint32_t, 3> axes = {2, 1, 1};
  for (const DispatchOptions& options :
       {DispatchOptions{.grid = {2, 1, 1}}, DispatchOptions{.grid = {{2, 1, 1}}},
        DispatchOptions{.grid = {2}}, DispatchOptions{.grid = 2}, DispatchOptions{.grid = axes}})
    expect_words(count(64, options), "runs", {128});
}

INSTANTIATE_ON_ALL_DEVICES(GridOptions);

// What has no elements, or not one after the other, does not compile (tests/package/rejects has
// the calls).
template <typename T>
constexpr bool kIsInput = std::is_constructible_v<Input, std::string_view, T>;
static_assert(kIsInput<Floats&> && kIsInput<float> && kIsInput<Params> && kIsInput<Buffer&>);
static_assert(kIsInput<const float (&)[4]> && kIsInput<std::span<const float>>);
static_assert(!kIsInput<float*> && !kIsInput<const float*> && !kIsInput<std::nullptr_t>);
static_assert(!kIsInput<std::vector<float*>&> && !kIsInput<std::vector<std::string>&>);
static_assert(!kIsInput<std::vector<bool>&> && !kIsInput<std::vector<std::span<float>>&>);
static_assert(!kIsInput<Result<Floats>&> && !kIsInput<std::vector<Floats>&>);

}  // namespace
}  // namespace vyre::test
