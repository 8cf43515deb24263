// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <memory>

#include "backend/backend.h"
#include "backend/wgpu/staging.h"

/// Maps the staging block, waits, and hands out views of it.
namespace vyre::wgpu {

/// Waits for the job that was just submitted.  On success the outputs are views of the mapped
/// block, which `Finished::owner` keeps, with the device.  At the deadline: `timeout`; the job goes
/// on, keeps its memory, and the device stays usable.
Result<Finished> read_back(std::shared_ptr<const Gpu> gpu,
                           const Job& job,
                           Staging staging,
                           const Timestamps* timestamps);

}  // namespace vyre::wgpu
