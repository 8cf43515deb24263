// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <string>

#include "vyre/diagnostic.h"

/// Diagnostics as text, in the manner of compilers.
///
///     file:line:column: error[code]: message
///       the source line
///           ^~~~
///     file:line:column: note: message
///       help: what to change
///     2 errors and 1 warning
///
/// Tabs of the source line are kept, and repeated on the caret line; other control characters and
/// malformed UTF-8 show as U+FFFD, so that no source can drive a terminal.  Very long lines are
/// cut to a window around the caret.
namespace vyre {

std::string render(const Diagnostics& diagnostics);

}  // namespace vyre
