// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "vyre/device.h"

#include "support/required.h"

/// Tests that run on every device present.
///
/// `INSTANTIATE_ON_DEVICES(Suite)` makes each test of a `DeviceTest` run once a backend.  A backend
/// without a device is skipped unless it is required (required.h).
/// `INSTANTIATE_ON_ALL_DEVICES(Suite)` adds the null device, which keeps every promise but that of
/// running kernels: for tests whose answer is an error, a count or a life cycle, and which ask
/// `computes()` before they look at bytes.  A device is opened once a process and closed before
/// `main` returns.
namespace vyre::test {

inline constexpr std::uint64_t kMegabyte = std::uint64_t{1} << 20;

/// The backends that the suites run on.
std::vector<std::string> device_names();
/// The same, and the null device.
std::vector<std::string> all_device_names();

class DeviceTest : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override;
  /// REQUIRES: `SetUp` did not skip.
  [[nodiscard]] const Device& device() const { return *device_; }
  [[nodiscard]] bool is_cpu() const { return GetParam() == "cpu"; }
  /// False on the null device, whose kernels do nothing.
  [[nodiscard]] bool computes() const { return GetParam() != "null"; }
  /// The output holds these words; on a device that does not compute, as many.
  void expect_words(const Result<Outputs>& outputs,
                    std::string_view name,
                    const std::vector<std::uint32_t>& expected) const;

 private:
  const Device* device_ = nullptr;
};

std::string device_test_name(const testing::TestParamInfo<std::string>& param);

}  // namespace vyre::test

#define INSTANTIATE_ON_DEVICES(suite)                                                       \
  INSTANTIATE_TEST_SUITE_P(Devices, suite, testing::ValuesIn(::vyre::test::device_names()), \
                           ::vyre::test::device_test_name)
#define INSTANTIATE_ON_ALL_DEVICES(suite)                                                       \
  INSTANTIATE_TEST_SUITE_P(Devices, suite, testing::ValuesIn(::vyre::test::all_device_names()), \
                           ::vyre::test::device_test_name)
