// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "vyre/device.h"

/// Tests that run on every device present.
///
/// `INSTANTIATE_ON_DEVICES(Suite)` makes each test of a `DeviceTest` run once a backend.  A backend
/// without a device is skipped, unless the environment variable VYRE_REQUIRE_DEVICES (a list such
/// as "cpu,wgpu") names it: then its absence is a failure.
namespace vyre::test {

/// The backends that the suites run on.
std::vector<std::string> device_names();

class DeviceTest : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override;
  /// Opened once a process.  REQUIRES: `SetUp` did not skip.
  [[nodiscard]] const Device& device() const { return *device_; }
  [[nodiscard]] bool is_cpu() const { return GetParam() == "cpu"; }

 private:
  const Device* device_ = nullptr;
};

std::string device_test_name(const testing::TestParamInfo<std::string>& param);

}  // namespace vyre::test

#define INSTANTIATE_ON_DEVICES(suite)                                                       \
  INSTANTIATE_TEST_SUITE_P(Devices, suite, testing::ValuesIn(::vyre::test::device_names()), \
                           ::vyre::test::device_test_name)
