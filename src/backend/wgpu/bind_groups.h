// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <vector>

#include "backend/wgpu/job.h"

/// The memory of a job's bindings, and the group that binds it.
namespace vyre::wgpu {

/// How much of a buffer is bound for `size` logical bytes: the kernel's type needs `min_bytes`, and
/// no binding may be empty.
std::uint64_t bound_size(std::uint64_t size, const KernelBinding& binding);

/// One buffer a slot.  Fails with `out_of_memory`, naming the buffer.
Result<std::vector<Bound>> make_buffers(const Gpu& gpu, const Job& job);

Result<GroupHandle> make_bind_group(const Gpu& gpu,
                                    const Job& job,
                                    const std::vector<Bound>& bound);

}  // namespace vyre::wgpu
