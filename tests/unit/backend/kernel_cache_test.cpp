// SPDX-License-Identifier: MIT OR Apache-2.0
#include <filesystem>
#include <string>
#include <unistd.h>

#include <gtest/gtest.h>

#include "backend/device.h"
#include "backend/null/null.h"
#include "base/blob_cache.h"
#include "base/file.h"
#include "support/forwarding_driver.h"
#include "support/kernels.h"

// Kernels that outlive their device, and their process.
namespace vyre {
namespace {

struct Counts {
  int compiled = 0;
  int restored = 0;
  bool refuses = false;  ///< to restore
};

class KeptKernel final : public DriverKernel {
 public:
  explicit KeptKernel(std::unique_ptr<DriverKernel> kernel) : kernel_(std::move(kernel)) {}

 private:
  std::unique_ptr<DriverKernel> kernel_;
};

/// The null driver, as one that keeps kernels.
class KeepingDriver final : public test::ForwardingDriver {
 public:
  KeepingDriver(Counts& counts, std::string name, std::string version)
      : ForwardingDriver(null::make_driver()),
        counts_(counts),
        info_(inner().info()),
        traits_(inner().traits()) {
    info_.name = std::move(name);
    info_.driver = std::move(version);
    traits_.keeps_kernels = true;
  }
  [[nodiscard]] const DeviceInfo& info() const override { return info_; }
  [[nodiscard]] const DriverTraits& traits() const override { return traits_; }
  Result<std::unique_ptr<DriverKernel>> compile(const Lowered& lowered,
                                                std::string_view label) override {
    ++counts_.compiled;
    VYRE_TRY(auto kernel, inner().compile(lowered, label));
    return std::unique_ptr<DriverKernel>(new KeptKernel(std::move(kernel)));
  }
  [[nodiscard]] std::vector<std::byte> save(const DriverKernel&) const override {
    return std::vector<std::byte>(3);
  }
  Result<std::unique_ptr<DriverKernel>> restore(std::span<const std::byte> saved,
                                                std::string_view label) override {
    if (counts_.refuses || saved.size() != 3) return Driver::restore(saved, label);
    ++counts_.restored;
    return std::unique_ptr<DriverKernel>(new KeptKernel(nullptr));
  }

 private:
  Counts& counts_;
  DeviceInfo info_;
  DriverTraits traits_;
};

class KernelCache : public testing::Test {
 protected:
  KernelCache() : cache_("") {}

  Device device(std::string name = "gpu", std::string version = "1.0") {
    return device_with(&cache_, std::move(name), std::move(version));
  }
  Device device_with(BlobCache* cache, std::string name = "gpu", std::string version = "1.0") {
    auto impl = DeviceImpl::make(
        std::make_unique<KeepingDriver>(counts_, std::move(name), std::move(version)),
        [] { return null::make_driver(); }, {.cache = cache});
    return make_device(*std::move(impl));
  }
  static void run(const Device& device, const ValidProgram& program, bool strict = false) {
    const std::vector<float> in(70, 1.0F);
    DispatchOptions options;
    options.strict_float = strict;
    const auto out = device.dispatch(program, {{"in", in}}, options);
    ASSERT_TRUE(out) << out.error().to_string();
    EXPECT_EQ(out->bytes("out").size(), 280u);
  }

  BlobCache cache_;
  Counts counts_;
  ValidProgram copy_ = *test::copy_kernel<float>();
};

TEST_F(KernelCache, IsSharedByDevicesOfOneAdapter) {
  run(device(), copy_);
  run(device(), copy_);
  EXPECT_EQ(counts_.compiled, 1);
  EXPECT_EQ(counts_.restored, 1);
}

TEST_F(KernelCache, IsMissedForAnotherAdapterAnotherDriverAnotherProgramAndOtherFloats) {
  run(device(), copy_);
  run(device("other gpu"), copy_);
  EXPECT_EQ(counts_.compiled, 2);
  run(device("gpu", "1.1"), copy_);
  EXPECT_EQ(counts_.compiled, 3);
  run(device(), *test::copy_kernel<float>(128));
  EXPECT_EQ(counts_.compiled, 4);
  run(device(), copy_, true);
  EXPECT_EQ(counts_.compiled, 5);
  EXPECT_EQ(counts_.restored, 0);
}

TEST_F(KernelCache, IsNotAskedAgainByADeviceThatHasTheKernel) {
  const Device one = device();
  run(one, copy_);
  run(one, copy_);
  EXPECT_EQ(counts_.compiled, 1);
  EXPECT_EQ(counts_.restored, 0);
}

TEST_F(KernelCache, IsNoMoreThanAHintToTheDriver) {
  run(device(), copy_);
  counts_.refuses = true;
  run(device(), copy_);
  EXPECT_EQ(counts_.compiled, 2);
}

TEST_F(KernelCache, MayBeAbsent) {
  run(device_with(nullptr), copy_);
  run(device_with(nullptr), copy_);
  EXPECT_EQ(counts_.compiled, 2);
}

TEST_F(KernelCache, OutlivesTheProcess) {
  const std::string folder = testing::TempDir() + "kernels-" + std::to_string(::getpid());
  for (int process = 0; process < 3; ++process) {
    BlobCache cache(folder);
    run(device_with(&cache), copy_);
  }
  EXPECT_EQ(counts_.compiled, 1);
  EXPECT_EQ(counts_.restored, 2);
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    ASSERT_TRUE(write_file(entry.path().string(), std::string_view("torn")));
  BlobCache cache(folder);
  const Device device = device_with(&cache);
  run(device, copy_);
  EXPECT_EQ(counts_.compiled, 2);
  EXPECT_EQ(device.stats().cache_faults, 1u);
  EXPECT_EQ(device.stats().cache_misses, 1u);
  EXPECT_EQ(device.stats().cache_hits, 0u);
  EXPECT_EQ(cache.stats().faults, 1u);
  std::filesystem::remove_all(folder);
}

// ------------------------------------------------------------------ compiled programs of a device

/// out[i] = in[i] + `number`
ValidProgram adds(std::uint32_t number) {
  Builder b("adds");
  auto in = b.input<std::uint32_t>("in");
  auto out = b.output<std::uint32_t>("out");
  out.same_length_as(in);
  const Value i = b.global_id();
  out[i] = in[i] + number;
  return *b.build();
}

Device null_with(RecorderOptions options) {
  auto impl = DeviceImpl::make(
      null::make_driver(), [] { return null::make_driver(); }, options);
  return make_device(*std::move(impl));
}

void add_all(const Device& device, std::uint32_t count) {
  const std::vector<std::uint32_t> in = {1};
  for (std::uint32_t number = 0; number < count; ++number)
    ASSERT_TRUE(device.dispatch(adds(number), {{"in", in}}));
}

TEST(CompiledPrograms, AreBoundedInNumber) {
  const Device device = null_with({});
  add_all(device, 300);
  EXPECT_EQ(device.stats().kernels, 256u);
}

TEST(CompiledPrograms, AreBoundedInBytes) {
  const std::uint64_t one = memory_of(adds(0).program());
  const Device device = null_with({.kernel_bytes = 5 * one + one / 2});
  add_all(device, 20);
  EXPECT_EQ(device.stats().kernels, 5u);
}

TEST(CompiledPrograms, ThatWereUsedLongestAgoGoFirst) {
  const std::uint64_t one = memory_of(adds(0).program());
  Counts counts;
  auto impl = DeviceImpl::make(std::make_unique<KeepingDriver>(counts, "gpu", "1"),
                               [] { return null::make_driver(); }, {.kernel_bytes = 3 * one});
  const Device device = make_device(*std::move(impl));
  const std::vector<std::uint32_t> in = {1};
  const auto run = [&](std::uint32_t number) {
    ASSERT_TRUE(device.dispatch(adds(number), {{"in", in}}));
  };
  for (const std::uint32_t number : {1U, 2U, 3U, 1U, 4U})
    run(number);
  EXPECT_EQ(counts.compiled, 4);
  run(1);
  run(3);
  EXPECT_EQ(counts.compiled, 4);
  run(2);
  EXPECT_EQ(counts.compiled, 5);
}

}  // namespace
}  // namespace vyre
