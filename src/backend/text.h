// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "vyre/emit.h"

/// The texts that backends print.  Each needs no device and no library, and is always built.
namespace vyre {

/// A row of the table in `backend/emit.cpp`.
struct TextTarget {
  std::string_view name;
  Result<std::string> (*emit)(const ValidProgram& program, const EmitOptions& options);
};

namespace wgpu {
/// What a WebGPU device that promises no rounding would compile.
Result<std::string> emit_wgsl(const ValidProgram& program, const EmitOptions& options);
}  // namespace wgpu

}  // namespace vyre
