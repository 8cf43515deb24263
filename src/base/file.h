// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
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

/// What is left of standard input.
Result<std::vector<std::byte>> read_standard_input(std::uint64_t most = kAllBytes);
Result<std::string> read_standard_text(std::uint64_t most = kAllBytes);

/// Replaces or makes the file at once: whoever opens `path` sees the former content or the new
/// one, never a part.  A symbolic link stays, and the file that it leads to is replaced.  What
/// `check_writable` refuses is left as it is.  What is no regular file (a pipe, a terminal, an open
/// file of /proc) is written in place.
Status write_file(const std::string& path, std::span<const std::byte> bytes);
Status write_file(const std::string& path, std::string_view text);

/// Says, as far as the system tells it in advance, that `write_file` cannot write there: a folder,
/// a read-only file (of root too), a folder that takes no files.
Status check_writable(const std::string& path);

/// The file that a path leads to, whether it is there or not: by its folder and the name in it.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t folder = 0;
  std::string name;
  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};
/// Equal for two paths if writing to one replaces what the other leads to.  Nothing where there is
/// no such folder, and for what is written in place, which takes any number of writers.
std::optional<FileIdentity> identity_of(const std::string& path);

/// For a process that a signal ends: removes what `write_file`, on any thread, has begun and not
/// finished, and lets no other file begin.  REQUIRES: the process ends next.
void abandon_writes();

}  // namespace vyre
