// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/npy.h"

/// The header of a .npy file: a Python dictionary of `descr`, `fortran_order` and `shape`.
namespace vyre::cli {

struct NpyHeader {
  NpyType type;
  bool known = true;  ///< false: the dtype, or that of some field, is none that a buffer can have
  std::string descr;  ///< as the file has it
  bool fortran = false;
  std::vector<std::uint64_t> shape;
};
/// Nothing if the text is no such dictionary.
std::optional<NpyHeader> parse_npy_header(std::string_view text);

/// "f4" is the code of "float32".
std::string_view npy_code(std::string_view dtype);
/// REQUIRES: the code of a number, without byte order.
NpyType npy_type_of(std::string_view letters);

/// Bytes of a type with its shape; nothing if they are more than memory can have.
std::optional<std::size_t> byte_count(const NpyType& type);

}  // namespace vyre::cli
