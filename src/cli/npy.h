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

struct NpyField;

/// What one element is: a number, or a record of fields.
struct NpyType {
  std::string dtype;                 ///< NumPy's name: "float32", "void" for gaps; empty: a record
  std::size_t bytes = 0;             ///< of one, whatever the shape
  std::vector<std::uint64_t> shape;  ///< of a field that is an array of such
  std::vector<NpyField> fields;
  bool big = false;  ///< big endian, in the file
};
struct NpyField {
  std::string name;
  std::size_t offset = 0;
  NpyType type;
};

struct Npy {
  std::string dtype;  ///< NumPy's name: "float32", "uint8", "bool"; empty: records
  NpyType element;
  std::vector<std::uint64_t> shape;
  std::vector<std::byte> data;  ///< in C order, little endian, without gaps
};

/// `name` is the file's, for messages.  Takes the bytes over.
Result<Npy> parse_npy(std::vector<std::byte> bytes, const std::string& name);

/// A whole file: version 1 (2 where the header needs it), little endian, C order.
std::vector<std::byte> format_npy(const NpyType& element,
                                  std::span<const std::uint64_t> shape,
                                  std::span<const std::byte> data);
std::vector<std::byte> format_npy(ScalarType scalar,
                                  std::span<const std::uint64_t> shape,
                                  std::span<const std::byte> data);

/// The dtype whose elements are those of a scalar type in memory without gaps: "float32".
/// "uint32" for booleans too, which are words.
std::string dtype_of(ScalarType scalar);
NpyType npy_type(ScalarType scalar);
/// How NumPy would be told a type: "float32", "[('x', '<f4'), ('n', '<u4')]".
std::string dtype_text(const NpyType& type);

/// "(2, 3)", "(5,)", "()", as NumPy prints it.
std::string shape_text(std::span<const std::uint64_t> shape);

}  // namespace vyre::cli
