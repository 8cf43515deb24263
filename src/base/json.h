// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <string>
#include <string_view>

/// The one part of writing JSON that is easily got wrong.  Any thread.
namespace vyre {

/// Appends `text` in quotation marks.  What JSON does not allow in a string is escaped; bytes that
/// are no UTF-8 become U+FFFD, one each.
void append_json(std::string& json, std::string_view text);

}  // namespace vyre
