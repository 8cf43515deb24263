// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vyre/result.h"

/// Whole files in and out.
///
/// Errors are of kind `io` (or `out_of_memory`) and name the path and the system's reason.  Any
/// thread may call; nothing is shared.
namespace vyre {

constexpr std::uint64_t kAllBytes = std::uint64_t{1} << 62;

/// The bytes of a file, or of a pipe until it ends.  More than `most` are the error
/// `file-too-large`, and not read.
Result<std::vector<std::byte>> read_file(const std::string& path, std::uint64_t most = kAllBytes);
/// The same as text; the bytes are not looked at.
Result<std::string> read_text_file(const std::string& path, std::uint64_t most = kAllBytes);

/// Replaces or makes the file at once: whoever opens `path` sees the former content or the new
/// one, never a part.  What is not a regular file itself (a link, a pipe, a terminal) is written in
/// place.
Status write_file(const std::string& path, std::span<const std::byte> bytes);
Status write_file(const std::string& path, std::string_view text);

}  // namespace vyre
