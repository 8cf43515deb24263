// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "vyre/result.h"

/// Memory whose size a user chose: asked for before it is touched, because a system that promises
/// more than it has ends the program that takes it at its word.
namespace vyre::cli {

/// Bytes that the system says can be had now; all of 64 bits where it does not say.
std::uint64_t available_memory();

/// An error if `bytes` are more than can be had; `what` needs them ("buffer `x`").
Status check_memory(std::uint64_t bytes, const std::string& what);

/// False for what is no regular file, as a pipe: it tells no size, and may never end.
bool has_size(const std::string& file);
/// How much may be read of a file: the memory that is free; half of it where the reader must grow,
/// because the file has no size.
std::uint64_t readable_bytes(bool sized);

/// `bytes` zeros.
Result<std::vector<std::byte>> allocate_zeros(std::uint64_t bytes, const std::string& what);

}  // namespace vyre::cli
