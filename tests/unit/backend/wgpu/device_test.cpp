// SPDX-License-Identifier: MIT OR Apache-2.0
#include "backend/wgpu/device.h"

#include <cstring>
#include <numeric>

#include <gtest/gtest.h>

#include "backend/wgpu/kernel.h"
#include "backend/wgpu/recorder.h"

namespace vyre::wgpu {
namespace {

std::vector<std::uint32_t> words_of(std::span<const std::byte> bytes) {
  std::vector<std::uint32_t> words(bytes.size() / 4);
  std::memcpy(words.data(), bytes.data(), words.size() * 4);
  return words;
}

Deadline in(std::chrono::nanoseconds time) {
  return std::chrono::steady_clock::now() + time;
}

/// Tests over kernels as text, where a device is: the library may be absent, and then they skip.
class GpuTest : public testing::Test {
 protected:
  void SetUp() override {
    auto adapters = find_adapters();
    if (!adapters) GTEST_SKIP() << adapters.error().to_string();
    if (adapters->empty()) GTEST_SKIP() << "no adapter";
    auto gpu = Gpu::open(std::move(adapters->front()));
    ASSERT_TRUE(gpu) << gpu.error().to_string();
    gpu_ = *std::move(gpu);
  }

  std::unique_ptr<Pipeline> pipeline(std::string text, std::vector<BindingKind> kinds) {
    KernelSource source;
    source.text = std::move(text);
    source.entry = "main";
    for (const BindingKind kind : kinds)
      source.bindings.push_back({.kind = kind, .name = "data"});
    auto made = compile(*gpu_, std::move(source), "test");
    EXPECT_TRUE(made) << made.error().to_string();
    return *std::move(made);
  }

  static Job job(const Pipeline& pipeline, std::vector<Slot> slots) {
    return {.pipeline = pipeline,
            .slots = std::move(slots),
            .label = "test",
            .deadline = in(std::chrono::seconds(60)),
            .timeout = std::chrono::seconds(60)};
  }

  Finished run(const Job& job) {
    auto finished = run_job(gpu_, job);
    EXPECT_TRUE(finished) << finished.error().to_string();
    return *std::move(finished);
  }

  std::shared_ptr<Gpu> gpu_;
};

constexpr std::string_view kIncrement = R"(
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < arrayLength(&data)) { data[id.x] = data[id.x] + 1u; }
})";

TEST_F(GpuTest, SuppliedBytesGoInAndComeBack) {
  const auto kernel = pipeline(std::string(kIncrement), {BindingKind::storage});
  const std::array<std::uint32_t, 5> given = {1, 2, 3, 4, 0xffffffff};
  Job one = job(*kernel, {{.size = 20,
                           .supplied = std::as_bytes(std::span(given)),
                           .comes_back = true,
                           .window = {0, 20}}});
  one.grid = {2, 1, 1};
  const Finished finished = run(one);
  EXPECT_EQ(words_of(finished.outputs.at(0)), (std::vector<std::uint32_t>{2, 3, 4, 5, 0}));
}

TEST_F(GpuTest, RepeatsSeeEachOther) {
  const auto kernel = pipeline(std::string(kIncrement), {BindingKind::storage});
  Job many = job(*kernel, {{.size = 8, .comes_back = true, .window = {0, 8}}});
  many.repeat = 2048;
  EXPECT_EQ(words_of(run(many).outputs.at(0)), (std::vector<std::uint32_t>{2048, 2048}));
}

TEST_F(GpuTest, UnsuppliedTailsAreZero) {
  const auto kernel = pipeline(
      "@group(0) @binding(0) var<storage, read_write> data: array<u32>;\n"
      "@compute @workgroup_size(1) fn main() {}",
      {BindingKind::storage});
  const std::array<std::uint8_t, 5> given = {1, 2, 3, 4, 5};
  const Finished finished = run(job(*kernel, {{.size = 11,
                                               .supplied = std::as_bytes(std::span(given)),
                                               .comes_back = true,
                                               .window = {0, 11}}}));
  const auto bytes = finished.outputs.at(0);
  ASSERT_EQ(bytes.size(), 11u);
  for (std::size_t i = 0; i < 11; ++i)
    EXPECT_EQ(std::to_integer<unsigned>(bytes[i]), i < 5 ? i + 1 : 0) << i;
}

TEST_F(GpuTest, WindowsBringTheirBytesOnly) {
  const auto kernel = pipeline(std::string(kIncrement), {BindingKind::storage});
  const std::array<std::uint32_t, 4> given = {0x04030200, 0x08070604, 0x0c0b0a08, 0x100f0e0c};
  Job one = job(*kernel, {{.size = 16,
                           .supplied = std::as_bytes(std::span(given)),
                           .comes_back = true,
                           .window = {3, 9}}});
  const Finished finished = run(one);
  const auto bytes = finished.outputs.at(0);
  ASSERT_EQ(bytes.size(), 6u);
  const std::array<unsigned, 6> wanted = {4, 5, 6, 7, 8, 9};
  for (std::size_t i = 0; i < wanted.size(); ++i)
    EXPECT_EQ(std::to_integer<unsigned>(bytes[i]), wanted[i]) << i;
}

TEST_F(GpuTest, EmptyBuffersAndEmptyGridsAreFine) {
  const auto kernel = pipeline(std::string(kIncrement), {BindingKind::storage});
  const Finished empty = run(job(*kernel, {{.size = 0, .comes_back = true, .window = {0, 0}}}));
  EXPECT_EQ(empty.outputs.at(0).size(), 0u);
  Job none = job(*kernel, {{.size = 4, .comes_back = true, .window = {0, 4}}});
  none.grid = {0, 1, 1};
  EXPECT_EQ(words_of(run(none).outputs.at(0)), (std::vector<std::uint32_t>{0}));
}

TEST_F(GpuTest, TheTrapRecordIsRead) {
  const auto kernel = pipeline(
      "@group(0) @binding(0) var<storage, read_write> trap: array<u32, 5>;\n"
      "@compute @workgroup_size(1) fn main() { trap[0] = 3u; trap[1] = 1u; trap[2] = 77u;\n"
      "  trap[3] = 5u; trap[4] = 2u; }",
      {BindingKind::storage});
  Job one = job(*kernel, {{.size = 20}});
  one.trap = 0;
  const Finished finished = run(one);
  EXPECT_EQ(finished.trap.count, 3u);
  EXPECT_EQ(finished.trap.tag, 1u);
  EXPECT_EQ(finished.trap.value, 77u);
  EXPECT_EQ(finished.trap.invocation, (std::uint64_t{2} << 32) + 5);
}

TEST_F(GpuTest, RefusedTextIsAnErrorAndTheDeviceLives) {
  KernelSource source;
  source.text = "@compute @workgroup_size(1) fn main() { let x: u32 = 1.5; }";
  source.entry = "main";
  const auto refused = compile(*gpu_, source, "wrong");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind(), ErrorKind::compile_failed);
  EXPECT_NE(refused.error().message().find("`wrong`"), std::string::npos);
  const auto kernel = pipeline(std::string(kIncrement), {BindingKind::storage});
  EXPECT_EQ(
      words_of(
          run(job(*kernel, {{.size = 4, .comes_back = true, .window = {0, 4}}})).outputs.at(0)),
      (std::vector<std::uint32_t>{1}));
}

TEST_F(GpuTest, RefusedBuffersAreAnErrorAndTheDeviceLives) {
  const auto huge = gpu_->make_buffer("huge", std::uint64_t{1} << 50, WGPUBufferUsage_Storage);
  ASSERT_FALSE(huge);
  EXPECT_EQ(huge.error().kind(), ErrorKind::out_of_memory);
  EXPECT_NE(huge.error().message().find("1125899906842624"), std::string::npos);
}

TEST_F(GpuTest, ADeadlineIsKeptAndTheDeviceStaysUsable) {
  const auto slow = pipeline(
      "@group(0) @binding(0) var<storage, read_write> data: array<atomic<u32>>;\n"
      "@compute @workgroup_size(64) fn main() {\n"
      "  for (var i = 0u; i < 600u; i++) { atomicAdd(&data[0], i); } }",
      {BindingKind::storage});
  Job late = job(*slow, {{.size = 4, .comes_back = true, .window = {0, 4}}});
  late.grid = {1000, 1, 1};
  late.timeout = std::chrono::nanoseconds(1);
  late.deadline = in(late.timeout);
  const auto result = run_job(gpu_, late);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind(), ErrorKind::timeout);
  EXPECT_NE(result.error().message().find("1 ns"), std::string::npos);
  const auto kernel = pipeline(std::string(kIncrement), {BindingKind::storage});
  EXPECT_EQ(
      words_of(
          run(job(*kernel, {{.size = 4, .comes_back = true, .window = {0, 4}}})).outputs.at(0)),
      (std::vector<std::uint32_t>{1}));
}

TEST_F(GpuTest, TimestampsAreFilledWhereTheDeviceHasThem) {
  const auto kernel = pipeline(std::string(kIncrement), {BindingKind::storage});
  Job timed = job(*kernel, {{.size = 4096, .comes_back = true, .window = {0, 4096}}});
  timed.grid = {256, 1, 1};
  timed.timestamps = true;
  const Finished finished = run(timed);
  EXPECT_TRUE(finished.timing.upload.has_value());
  EXPECT_EQ(finished.timing.kernel.has_value(), gpu_->info().has_timestamps);
  timed.grid = {0, 1, 1};
  EXPECT_FALSE(run(timed).timing.kernel.has_value());
}

TEST_F(GpuTest, TooManyBuffersAreRefusedWithTheNumbers) {
  KernelSource source;
  source.text = "@compute @workgroup_size(1) fn main() {}";
  source.entry = "main";
  const std::uint32_t limit = gpu_->info().limits.storage_buffers;
  if (limit > 1000) GTEST_SKIP() << "no such limit";
  for (std::uint32_t i = 0; i <= limit; ++i)
    source.bindings.push_back({.min_bytes = 4, .name = "b" + std::to_string(i)});
  const auto refused = compile(*gpu_, source, "many");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), "too-many-buffers");
  EXPECT_NE(refused.error().message().find("needs " + std::to_string(limit + 1)),
            std::string::npos);
}

TEST(FoldTest, LongAxesBecomeRows) {
  EXPECT_FALSE(fold_grid({65535, 1, 1}, 65535).folded);
  const Fold fold = fold_grid({65536, 1, 1}, 65535);
  EXPECT_TRUE(fold.folded);
  EXPECT_EQ(fold.grid, (std::array<std::uint32_t, 3>{65535, 2, 1}));
  EXPECT_EQ(fold_grid({0xffffffff, 1, 1}, 65535).grid,
            (std::array<std::uint32_t, 3>{65535, 65537, 1}));
}

}  // namespace
}  // namespace vyre::wgpu
