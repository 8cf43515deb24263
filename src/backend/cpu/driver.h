// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <memory>

#include "runtime/driver.h"

/// The CPU as a driver: blocks are host memory that both sides see at all times, kernels are
/// compiled machines.  Submissions run in order: on the submitting thread when nothing is queued
/// and the submitter waits for them anyway, else on one worker thread, which starts on first need.
namespace vyre::cpu {

Result<std::unique_ptr<Driver>> open_driver(DeviceInfo info);

}  // namespace vyre::cpu
