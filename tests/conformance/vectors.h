// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vyre/op.h"

/// The vectors of `conformance/vectors/<operator>.txt`: what each operator must give.
///
/// A file has sections `[operand types -> result type]` of rows `operands | expectation`.  Floats
/// are bits in hexadecimal; an expectation may also be a decimal (the exact value, to be met within
/// the operator's accuracy) or a word.  The files are written by `tools/make_vectors.py`.
namespace vyre::test {

struct Expected {
  enum class Kind : std::uint8_t {
    bits,      ///< exactly these; a NaN's too
    nan,       ///< any NaN
    zero,      ///< of either sign
    real,      ///< within one ulp of `real` on the CPU
    half_nan,  ///< a word whose low half is any NaN of binary16, and whose upper half is 0
  };
  Kind kind = Kind::bits;
  std::uint64_t bits = 0;
  double real = 0;
};

struct Vector {
  std::vector<std::uint64_t> operands;  ///< bit patterns, zero-extended
  Expected expected;
  std::string text;  ///< the row, for messages
};

struct VectorSet {
  std::vector<ScalarType> types;
  ScalarType result = ScalarType::u32;
  std::vector<Vector> rows;
};

/// The sections of an operator's file; empty if there is no such file or it cannot be read.
std::vector<VectorSet> load_vectors(Op op);

/// True if `bits`, a value of type `type`, is what the CPU must give.
bool meets(const Expected& expected, ScalarType type, std::uint64_t bits);

}  // namespace vyre::test
