// SPDX-License-Identifier: MIT OR Apache-2.0
#include "backend/wgpu/latch.h"

#include "base/guarded.h"

namespace vyre::wgpu {
namespace {

thread_local std::optional<Complaint> t_latched;

}  // namespace

void latch_error(WGPUErrorType type, std::string_view text) {
  if (t_latched) return;
  t_latched = Complaint{type, {}};
  guarded([&] { t_latched->text = text; }, [] {});
}

void clear_latch() {
  t_latched.reset();
}

bool is_latched() {
  return t_latched.has_value();
}

std::optional<Complaint> take_latch() {
  return std::exchange(t_latched, std::nullopt);
}

Status check_latch(ErrorKind kind, std::string_view code, std::string_view doing) {
  const auto complaint = take_latch();
  if (!complaint) return Ok{};
  // What the library says of a lack of memory is where in itself it was found.
  if (complaint->type == WGPUErrorType_OutOfMemory || code == "device-memory")
    return Error(ErrorKind::out_of_memory, "device-memory",
                 "the device has no memory for " + std::string(doing),
                 "use smaller buffers, or fewer at a time");
  return Error(kind, code,
               "the WebGPU library refused " + std::string(doing) + ": " + complaint->text);
}

}  // namespace vyre::wgpu
