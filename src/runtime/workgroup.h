// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "vyre/validate.h"

namespace vyre {

/// The same program with workgroups of another size.  Refused, by naming the reason, for programs
/// that can tell: those that use workgroup memory, barriers, `local_id`, `local_index`,
/// `workgroup_id`, `num_workgroups` or subgroup operations.
Result<ValidProgram> with_workgroup(const ValidProgram& program,
                                    const std::array<std::uint32_t, 3>& size);

}  // namespace vyre
