// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include "backend/wgpu/job.h"

/// From an encoder to the queue.
namespace vyre::wgpu {

/// Ends the recording and submits it.  What the library complained of while it was recorded makes
/// an error here, and then nothing is submitted: a submit of something invalid, or to a lost
/// device, would end the process.  A loss between the check and the submit cannot be caught.
Status submit(const Gpu& gpu, WGPUCommandEncoder encoder, const Job& job);

}  // namespace vyre::wgpu
