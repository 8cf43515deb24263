// SPDX-License-Identifier: MIT OR Apache-2.0
#include "backend/wgpu/driver.h"

#include <chrono>
#include <cstring>

#include <gtest/gtest.h>

#include "base/align.h"
#include "support/required.h"
#include "unit/backend/wgpu/first_gpu.h"

namespace vyre::wgpu {
namespace {

using Words = std::vector<std::uint32_t>;

constexpr std::string_view kIncrement = R"(
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < arrayLength(&data)) { data[id.x] = data[id.x] + 1u; }
})";

constexpr std::string_view kDouble = R"(
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < arrayLength(&data)) { data[id.x] = data[id.x] * 2u; }
})";

// About a quarter of a second on one core.
constexpr std::string_view kSlow = R"(
@group(0) @binding(0) var<storage, read_write> data: array<atomic<u32>>;
@compute @workgroup_size(64) fn main() {
  for (var i = 0u; i < 600u; i++) { atomicAdd(&data[0], 1u); }
})";
constexpr std::uint64_t kMarks = sizeof(Timestamps::Marks);
constexpr std::uint32_t kSlowGroups = 500;
constexpr std::uint32_t kSlowSum = 600 * 64 * kSlowGroups;

/// Kernels as text, on the first adapter.  The library may be absent, and then they skip.
class WgpuDriverTest : public testing::Test {
 protected:
  void SetUp() override {
    auto gpu = open_first_gpu();
    if (!gpu) SKIP_WITHOUT_DEVICE("wgpu", gpu.error());
    gpu_ = *std::move(gpu);
    driver_ = std::make_unique<WgpuDriver>(gpu_);
  }

  std::unique_ptr<Pipeline> kernel(std::string_view text) {
    KernelSource source;
    source.text = text;
    source.entry = "main";
    source.bindings = {{.min_bytes = 4, .name = "data"}};
    auto made = compile(*gpu_, std::move(source), "test");
    EXPECT_TRUE(made) << made.error().to_string();
    return *std::move(made);
  }

  std::unique_ptr<DriverBlock> block(BlockUse use, std::uint64_t size) {
    auto made = driver_->allocate(use, size);
    EXPECT_TRUE(made) << made.error().to_string();
    return *std::move(made);
  }

  std::unique_ptr<DriverBindings> bind(DriverKernel& kernel, DriverBlock& data) {
    const BlockRange range = {&data, 0, data.size()};
    auto made = driver_->bind(kernel, std::span(&range, 1));
    EXPECT_TRUE(made) << made.error().to_string();
    return *std::move(made);
  }

  bool wait(const Signal& signal) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (signal.is(Signal::State::pending) && std::chrono::steady_clock::now() < deadline)
      driver_->poll();
    return signal.is(Signal::State::done);
  }

  Status submit(const CommandList& list, Signal* done = nullptr) {
    return driver_->submit(std::span(&list, 1), {.done = done});
  }

  Words words_of(DriverBlock& readback) {
    driver_->map(readback);
    EXPECT_TRUE(wait(readback.mapping));
    Words words(readback.size() / 4);
    if (readback.data() != nullptr) std::memcpy(words.data(), readback.data(), readback.size());
    return words;
  }

  /// What the marks at `at` of a mapped block say.
  DeviceTimes times_in(const DriverBlock& readback, std::uint64_t at, bool ran) {
    return driver_->times_of({readback.data() + at, kMarks}, ran);
  }

  /// One launch of `text` over zeros; what it leaves.
  Words run(std::string_view text,
            LaunchCommand launch,
            std::uint64_t bytes,
            DeviceTimes* times = nullptr) {
    const auto made = kernel(text);
    const auto data = block(BlockUse::device, bytes);
    const std::uint64_t at = align_to(bytes, 8);
    const auto back = block(BlockUse::readback, at + kMarks);
    const auto bindings = bind(*made, *data);
    launch.kernel = made.get();
    launch.bindings = bindings.get();
    const BlockCopy down = {{data.get(), 0, bytes}, back.get(), 0};
    const Status status = submit({.label = "test",
                                  .launches = std::span(&launch, 1),
                                  .downloads = std::span(&down, 1),
                                  .times = times,
                                  .marks = {back.get(), at, kMarks}});
    EXPECT_TRUE(status) << status.error().to_string();
    Words words = words_of(*back);
    if (times != nullptr && times->known) *times = times_in(*back, at, true);
    words.resize(bytes / 4);
    return words;
  }

  std::shared_ptr<Gpu> gpu_;
  std::unique_ptr<WgpuDriver> driver_;
};

TEST_F(WgpuDriverTest, BytesGoUpAndComeDown) {
  const Words given = {1, 2, 3, 4, 0xffffffff};
  const auto made = kernel(kIncrement);
  const auto up = block(BlockUse::upload, 20);
  const auto data = block(BlockUse::device, 32);
  const auto back = block(BlockUse::readback, 32);
  ASSERT_NE(up->data(), nullptr);
  EXPECT_EQ(back->data(), nullptr);
  std::memcpy(up->data(), given.data(), 20);
  driver_->unmap(*up);
  EXPECT_EQ(up->data(), nullptr);
  const auto bindings = bind(*made, *data);
  const BlockCopy upload = {{up.get(), 0, 20}, data.get(), 4};
  const BlockCopy download = {{data.get(), 0, 32}, back.get(), 0};
  const BlockRange clear = {data.get(), 24, 8};
  const LaunchCommand launch = {
      .kernel = made.get(), .bindings = bindings.get(), .grid = {2, 1, 1}};
  ASSERT_TRUE(submit({.uploads = std::span(&upload, 1),
                      .clears = std::span(&clear, 1),
                      .launches = std::span(&launch, 1),
                      .downloads = std::span(&download, 1)}));
  EXPECT_EQ(words_of(*back), (Words{1, 2, 3, 4, 5, 0, 1, 1}));
  driver_->map(*up);
  EXPECT_TRUE(wait(up->mapping));
  EXPECT_NE(up->data(), nullptr);
  driver_->unmap(*back);
  EXPECT_EQ(back->data(), nullptr);
}

TEST_F(WgpuDriverTest, RepeatsSeeEachOther) {
  EXPECT_EQ(run(kIncrement, {.repeat = 2048}, 8), (Words{2048, 2048}));
}

TEST_F(WgpuDriverTest, ListsOfASubmissionRunInOrder) {
  const auto increment = kernel(kIncrement);
  const auto twice = kernel(kDouble);
  const auto data = block(BlockUse::device, 4);
  const auto back = block(BlockUse::readback, 8 + kMarks);
  const auto bind_increment = bind(*increment, *data);
  const auto bind_twice = bind(*twice, *data);
  const LaunchCommand one = {.kernel = increment.get(), .bindings = bind_increment.get()};
  const LaunchCommand two = {.kernel = twice.get(), .bindings = bind_twice.get()};
  const BlockCopy down = {{data.get(), 0, 4}, back.get(), 0};
  DeviceTimes times;
  const CommandList lists[] = {
      {.label = "one", .launches = std::span(&one, 1), .downloads = std::span(&down, 1)},
      {.label = "two", .launches = std::span(&two, 1)},
      {.label = "one", .launches = std::span(&one, 1)},
      {.label = "timed",
       .launches = std::span(&two, 1),
       .times = &times,
       .marks = {back.get(), 8, kMarks}},
      {.label = "one", .launches = std::span(&one, 1)}};
  ASSERT_TRUE(driver_->submit(lists, {}));
  EXPECT_EQ(words_of(*back).front(), ((0u + 1) * 2 + 1) * 2 + 1);
}

TEST_F(WgpuDriverTest, MappedStorageNeedsNoCopies) {
  if (!driver_->traits().bound_readbacks) GTEST_SKIP() << "storage cannot be mapped";
  const auto made = kernel(kIncrement);
  const auto data = block(BlockUse::readback_bound, 8);
  const auto bindings = bind(*made, *data);
  const LaunchCommand launch = {.kernel = made.get(), .bindings = bindings.get()};
  ASSERT_TRUE(submit({.launches = std::span(&launch, 1)}));
  EXPECT_EQ(words_of(*data), (Words{1, 1}));
}

TEST_F(WgpuDriverTest, IndirectGridsAreRead) {
  const auto made = kernel(kIncrement);
  const auto grid = block(BlockUse::upload, 12);
  const auto device_grid = block(BlockUse::device, 12);
  const auto data = block(BlockUse::device, 64);
  const auto back = block(BlockUse::readback, 64);
  const Words two = {2, 1, 1};
  std::memcpy(grid->data(), two.data(), 12);
  driver_->unmap(*grid);
  const auto bindings = bind(*made, *data);
  const BlockCopy up = {{grid.get(), 0, 12}, device_grid.get(), 0};
  const BlockCopy down = {{data.get(), 0, 64}, back.get(), 0};
  const LaunchCommand launch = {
      .kernel = made.get(), .bindings = bindings.get(), .indirect = {device_grid.get(), 0, 12}};
  ASSERT_TRUE(submit({.uploads = std::span(&up, 1),
                      .launches = std::span(&launch, 1),
                      .downloads = std::span(&down, 1)}));
  EXPECT_EQ(words_of(*back), (Words{1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0}));
}

TEST_F(WgpuDriverTest, DoneComesAfterTheWork) {
  const auto made = kernel(kSlow);
  const auto data = block(BlockUse::device, 4);
  const auto bindings = bind(*made, *data);
  const LaunchCommand launch = {
      .kernel = made.get(), .bindings = bindings.get(), .grid = {kSlowGroups, 1, 1}};
  Signal done;
  done.set(Signal::State::pending);
  ASSERT_TRUE(submit({.launches = std::span(&launch, 1)}, &done));
  EXPECT_TRUE(wait(done));
  Signal nothing;
  nothing.set(Signal::State::pending);
  ASSERT_TRUE(driver_->submit({}, {.done = &nothing}));
  EXPECT_TRUE(wait(nothing));
}

TEST_F(WgpuDriverTest, WhatIsInUseMayBeDropped) {
  const auto made = kernel(kSlow);
  auto data = block(BlockUse::device, 4);
  auto back = block(BlockUse::readback, 4);
  auto bindings = bind(*made, *data);
  const LaunchCommand launch = {
      .kernel = made.get(), .bindings = bindings.get(), .grid = {kSlowGroups, 1, 1}};
  const BlockCopy down = {{data.get(), 0, 4}, back.get(), 0};
  ASSERT_TRUE(submit({.launches = std::span(&launch, 1), .downloads = std::span(&down, 1)}));
  driver_->map(*back);
  bindings.reset();
  data.reset();
  back.reset();
  EXPECT_EQ(run(kSlow, {.grid = {kSlowGroups, 1, 1}}, 4), Words{kSlowSum});
}

TEST_F(WgpuDriverTest, ADriverMayGoWhileItsDeviceWorks) {
  const auto made = kernel(kSlow);
  const auto data = block(BlockUse::device, 4);
  const auto bindings = bind(*made, *data);
  const LaunchCommand launch = {
      .kernel = made.get(), .bindings = bindings.get(), .grid = {kSlowGroups, 1, 1}};
  auto done = std::make_unique<Signal>();
  const auto back = block(BlockUse::readback, kMarks);
  DeviceTimes times;
  ASSERT_TRUE(
      submit({.launches = std::span(&launch, 1), .times = &times, .marks = {back.get(), 0, kMarks}},
             done.get()));
  driver_.reset();
  done.reset();
  gpu_->poll();
}

TEST_F(WgpuDriverTest, TimesAreKnownWhenTheOutputsAre) {
  DeviceTimes times;
  EXPECT_EQ(run(kSlow, {.grid = {kSlowGroups, 1, 1}}, 4, &times), Words{kSlowSum});
  EXPECT_EQ(times.known, gpu_->info().has_timestamps);
  EXPECT_EQ(times.kernel != 0, gpu_->info().has_timestamps);
}

TEST_F(WgpuDriverTest, EveryTimedListOfASubmissionHasItsOwnTimes) {
  const auto made = kernel(kIncrement);
  const auto data = block(BlockUse::device, 4);
  constexpr std::size_t kLists = Timestamps::kJobs + 76;  // more than one set holds
  const auto back = block(BlockUse::readback, 8 + kLists * kMarks);
  const auto bindings = bind(*made, *data);
  const LaunchCommand launch = {.kernel = made.get(), .bindings = bindings.get()};
  const BlockCopy down = {{data.get(), 0, 4}, back.get(), 0};
  for (std::uint32_t round = 1; round <= 2; ++round) {  // the second time with used sets
    std::vector<DeviceTimes> times(kLists);
    std::vector<CommandList> lists;
    for (std::size_t i = 0; i < kLists; ++i)
      lists.push_back(
          {.launches = i % 4 == 3 ? std::span<const LaunchCommand>() : std::span(&launch, 1),
           .times = i % 4 == 1 ? nullptr : &times[i],
           .marks = {back.get(), 8 + i * kMarks, kMarks}});
    lists.back().downloads = std::span(&down, 1);
    ASSERT_TRUE(driver_->submit(lists, {}));
    const std::size_t runs = kLists - kLists / 4;
    EXPECT_EQ(words_of(*back).front(), static_cast<std::uint32_t>(round * runs));
    const bool can_time = gpu_->info().has_timestamps;
    for (std::size_t i = 0; i < kLists; ++i) {
      ASSERT_EQ(times[i].known, can_time && i % 4 != 1 && (i % 4 != 3 || gpu_->times_encoders()))
          << i;
      if (!times[i].known) continue;
      const DeviceTimes told = times_in(*back, 8 + i * kMarks, i % 4 != 3);
      ASSERT_TRUE(told.known);
      ASSERT_TRUE(i % 4 != 3 || told.kernel == 0) << "no launch";
    }
    driver_->unmap(*back);
  }
}

TEST_F(WgpuDriverTest, OneRefusedListSpoilsNoneOfTheOthers) {
  const auto made = kernel(kIncrement);
  const auto data = block(BlockUse::device, 8);
  const auto back = block(BlockUse::readback, 8);
  const auto bindings = bind(*made, *data);
  const LaunchCommand launch = {.kernel = made.get(), .bindings = bindings.get()};
  const BlockCopy past = {{data.get(), 0, 16}, back.get(), 0};
  const BlockCopy down = {{data.get(), 0, 8}, back.get(), 0};
  JobReport reports[3];
  const CommandList lists[] = {
      {.label = "one", .launches = std::span(&launch, 1), .report = &reports[0]},
      {.label = "past",
       .launches = std::span(&launch, 1),
       .downloads = std::span(&past, 1),
       .report = &reports[1]},
      {.label = "three",
       .launches = std::span(&launch, 1),
       .downloads = std::span(&down, 1),
       .report = &reports[2]}};
  const Status status = driver_->submit(lists, {});
  ASSERT_TRUE(status) << status.error().to_string();
  EXPECT_EQ(words_of(*back)[0], 2u);
  EXPECT_FALSE(reports[0].error);
  ASSERT_TRUE(reports[1].error);
  EXPECT_NE(reports[1].error->message().find("`past`"), std::string::npos);
  EXPECT_FALSE(reports[2].error);
}

TEST_F(WgpuDriverTest, RefusedTextIsAnErrorAndTheDeviceLives) {
  KernelSource source;
  source.text = "@compute @workgroup_size(1) fn main() { let x: u32 = 1.5; }";
  source.entry = "main";
  const auto refused = compile(*gpu_, source, "wrong");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind(), ErrorKind::compile_failed);
  EXPECT_NE(refused.error().message().find("`wrong`"), std::string::npos);
  EXPECT_EQ(run(kIncrement, {}, 4), Words{1});
}

TEST_F(WgpuDriverTest, AMissingEntryIsAnErrorAndTheDeviceLives) {
  KernelSource source;
  source.text = "@compute @workgroup_size(1) fn main() {}";
  source.entry = "other";
  EXPECT_FALSE(compile(*gpu_, source, "wrong"));
  EXPECT_EQ(run(kIncrement, {}, 4), Words{1});
}

TEST_F(WgpuDriverTest, ARefusedListRunsNothing) {
  const auto data = block(BlockUse::device, 8);
  const auto back = block(BlockUse::readback, 8);
  const BlockCopy past = {{data.get(), 0, 16}, back.get(), 0};
  const Status refused = submit({.label = "past", .downloads = std::span(&past, 1)});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message().find("`past`"), std::string::npos);
  EXPECT_EQ(run(kIncrement, {}, 4), Words{1});
}

TEST_F(WgpuDriverTest, HugeBlocksAreRefusedWithTheirSize) {
  const auto huge = driver_->allocate(BlockUse::upload, std::uint64_t{1} << 50);
  ASSERT_FALSE(huge);
  EXPECT_EQ(huge.error().kind(), ErrorKind::out_of_memory);
  EXPECT_NE(huge.error().message().find("1125899906842624"), std::string::npos);
  EXPECT_EQ(run(kIncrement, {}, 4), Words{1});
}

TEST_F(WgpuDriverTest, TooManyBuffersAreRefusedWithTheNumbers) {
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

TEST_F(WgpuDriverTest, OpeningAndClosingIsNoTrouble) {
  for (int i = 0; i < 20; ++i) {
    auto adapters = find_adapters();
    ASSERT_TRUE(adapters);
    auto opened = open_driver(std::move(adapters->front()));
    ASSERT_TRUE(opened) << opened.error().to_string();
    EXPECT_FALSE((*opened)->lost());
    EXPECT_GT((*opened)->info().limits.storage_buffers, 0u);
  }
}

TEST(WgpuTimesTest, TicksBecomeNanoseconds) {
  const DeviceTimes times = to_times({100, 300, 400, 450}, true, 2.5);
  EXPECT_TRUE(times.known);
  EXPECT_EQ(times.kernel, 500u);
  EXPECT_EQ(times.readback, 125u);
}

TEST(WgpuTimesTest, WhatWasNotMeasuredIsZero) {
  EXPECT_EQ(to_times({100, 300, 0, 0}, true, 1).readback, 0u);
  EXPECT_EQ(to_times({100, 300, 400, 450}, false, 1).kernel, 0u);
  EXPECT_EQ(to_times({300, 100, 0, 0}, true, 1).kernel, 0u);
}

TEST(WgpuApiTest, TheVariableAloneIsTaken) {
  EXPECT_EQ(library_candidates("/some/where.so", "/bin"),
            std::vector<std::string>{"/some/where.so"});
}

TEST(WgpuApiTest, ThePlacesAreTriedInOrder) {
  auto places = library_candidates(nullptr, "/opt/bin");
  ASSERT_GE(places.size(), 8u);  // and where this build installs it, if that is elsewhere
  places.erase(places.begin() + 4, places.end() - 4);
  EXPECT_EQ(places[0], "/opt/bin/libwgpu_native-release.so");
  EXPECT_EQ(places[2], "/opt/bin/../lib/libwgpu_native-release.so");
  EXPECT_EQ(places[4], "/opt/bin/../wgpu/libwgpu_native-release.so");
  EXPECT_EQ(places[6], "libwgpu_native-release.so");
}

}  // namespace
}  // namespace vyre::wgpu
