// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <memory>

#include "backend/backend.h"
#include "backend/wgpu/job.h"

/// The recorder: one job from bytes to bytes.
///
/// One encoder: uploads and clears, one compute pass with `repeat` dispatches, copies into one
/// staging block; one submit, one map, one wait.  Each step is a file of that name.  Any thread.
namespace vyre::wgpu {

Result<Finished> run_job(const std::shared_ptr<const Gpu>& gpu, const Job& job);

}  // namespace vyre::wgpu
