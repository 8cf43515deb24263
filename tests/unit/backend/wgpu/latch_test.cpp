// SPDX-License-Identifier: MIT OR Apache-2.0
#include "backend/wgpu/latch.h"

#include <string>

#include <gtest/gtest.h>

namespace vyre::wgpu {
namespace {

constexpr const char* kWords =
    "Validation Error\n\nCaused by:\n  In wgpuDeviceCreateBuffer, label = 'arena'\n    Not enough "
    "memory left.\n";

/// The error of a call that the library complained of in these words.
Error error_of(WGPUErrorType type, ErrorKind kind, std::string_view code, std::string_view doing) {
  clear_latch();
  latch_error(type, kWords);
  Status status = check_latch(kind, code, doing);
  EXPECT_FALSE(status);
  return status ? Error(ErrorKind::io, "none", "") : std::move(status).error();
}

TEST(Latch, ALackOfMemoryIsSaidInOurWords) {
  for (const WGPUErrorType type : {WGPUErrorType_OutOfMemory, WGPUErrorType_Validation,
                                   WGPUErrorType_Internal, WGPUErrorType_Unknown}) {
    const Error error =
        error_of(type, ErrorKind::out_of_memory, "device-memory", "a buffer of 8 bytes");
    EXPECT_EQ(error.kind(), ErrorKind::out_of_memory);
    EXPECT_EQ(error.code(), "device-memory");
    EXPECT_EQ(error.message(), "the device has no memory for a buffer of 8 bytes");
  }
  const Error other =
      error_of(WGPUErrorType_OutOfMemory, ErrorKind::unsupported, "bindings-refused", "a group");
  EXPECT_EQ(other.kind(), ErrorKind::out_of_memory);
  EXPECT_EQ(other.message(), "the device has no memory for a group");
}

TEST(Latch, ARefusalHasTheLibrarysWords) {
  const Error error =
      error_of(WGPUErrorType_Validation, ErrorKind::unsupported, "bindings-refused", "a group");
  EXPECT_EQ(error.kind(), ErrorKind::unsupported);
  EXPECT_EQ(error.code(), "bindings-refused");
  EXPECT_EQ(error.message(), std::string("the WebGPU library refused a group: ") + kWords);
}

TEST(Latch, HoldsNothingWithoutAComplaint) {
  clear_latch();
  EXPECT_TRUE(check_latch(ErrorKind::unsupported, "bindings-refused", "a group"));
}

}  // namespace
}  // namespace vyre::wgpu
