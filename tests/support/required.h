// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <string_view>

#include <gtest/gtest.h>

#include "vyre/result.h"

/// A test of a backend that has no device here is skipped, unless the environment variable
/// VYRE_REQUIRE_DEVICES (a list such as "cpu,wgpu") names the backend: then it fails.
namespace vyre::test {

/// True if a test may not be skipped for want of this backend's device.
bool is_required(std::string_view backend);

}  // namespace vyre::test

/// In `SetUp`: `backend` has no device here; `why` is an `Error`.
#define SKIP_WITHOUT_DEVICE(backend, why)                             \
  do {                                                                \
    if (::vyre::test::is_required(backend))                           \
      FAIL() << "a required device is absent: " << (why).to_string(); \
    GTEST_SKIP() << (why).to_string();                                \
  } while (false)
