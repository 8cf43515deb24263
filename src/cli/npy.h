// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "vyre/result.h"
#include "vyre/type.h"

/// NumPy's .npy files.
///
/// A file is the magic "\x93NUMPY", two version bytes, the length of the header (two bytes in
/// version 1, four later), the header, which is a Python dictionary of `descr`, `fortran_order`
/// and `shape`, and the elements.  Read strictly: a file that NumPy would not write is an error
/// that says what is wrong with it.
namespace vyre::cli {

struct Npy {
  std::string dtype;  ///< NumPy's name: "float32", "uint8", "bool"
  std::vector<std::uint64_t> shape;
  std::vector<std::byte> data;  ///< in C order, little endian, without gaps
};

/// `name` is the file's, for messages.  Takes the bytes over.
Result<Npy> parse_npy(std::vector<std::byte> bytes, const std::string& name);

/// A whole file: version 1, little endian, C order.
std::vector<std::byte> format_npy(ScalarType scalar,
                                  std::span<const std::uint64_t> shape,
                                  std::span<const std::byte> data);

/// The dtype whose elements are those of a scalar type in memory without gaps: "float32".
/// "uint32" for booleans too, which are words.
std::string dtype_of(ScalarType scalar);

/// "(2, 3)", "(5,)", "()", as NumPy prints it.
std::string shape_text(std::span<const std::uint64_t> shape);

}  // namespace vyre::cli
