// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "vyre/result.h"

#include "backend/wgpu/api.h"

/// Errors of the library's calls.
///
/// The library tells of an error by a callback that runs inside the failing call, on its thread.
/// The callback only notes it here; whoever made the call asks afterwards.  A call on something
/// that failed to be made may abort the process, so the question comes before the next use.
namespace vyre::wgpu {

struct Complaint {
  WGPUErrorType type = WGPUErrorType_NoError;
  std::string text;
};

/// The callback's part: keeps the first complaint of this thread, its text as far as there is
/// memory for it.
void latch_error(WGPUErrorType type, std::string_view text);
/// Forgets what was noted on this thread; before a group of calls.
void clear_latch();
/// True if something was noted on this thread since.
bool is_latched();
/// What was noted on this thread since, once.
std::optional<Complaint> take_latch();

/// `ok` unless the latch holds something; then an error that says what was being done, with the
/// library's own words where it refused a call.  `kind` is for refusals; lack of memory and
/// internal errors keep theirs.
Status check_latch(ErrorKind kind, std::string_view code, std::string_view doing);

}  // namespace vyre::wgpu
